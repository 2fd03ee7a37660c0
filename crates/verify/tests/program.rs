//! The program itself, with files that an earlier version wrote: they stay readable, and what is changed in them is refused.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/verify").join(name)
}

fn run(arguments: &[&Path]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_kansho-verify")).args(arguments).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (status.code().expect("it ends by itself"), text(stdout), text(stderr))
}

#[test]
fn a_certificate_is_accepted_for_its_cell_alone() {
    let (certificate, cell) = (fixture("lift.json"), fixture("lift.kcell"));
    let (code, out, err) = run(&[&certificate, &cell]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out, "accepted: 2 pairs stay more than 0 m apart; 2 regions\n");
    let (code, _, err) = run(&[&certificate]);
    assert!(code == 3 && err.contains("has to be named"), "{err}");
    let (code, out, err) = run(&[&fixture("lift-1.json"), &cell]);
    assert!(code == 3 && out.is_empty() && err.contains("make the certificate again"), "{err}");
    let (code, _, err) = run(&[&cell, &certificate]);
    assert!(code == 3 && err.contains("this is no certificate"), "{err}");
    let (code, _, err) = run(&[]);
    assert!(code == 3 && err.contains("usage"), "{err}");
}

#[test]
fn whatever_is_changed_in_the_cell_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let changed = folder.path().join("changed.kcell");
    let bytes = std::fs::read(fixture("lift.kcell")).expect("the fixture is there");
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(7) {
        let mut other = bytes.clone();
        other[at] ^= 1;
        std::fs::write(&changed, &other).expect("written");
        let (code, out, err) = run(&[&fixture("lift.json"), &changed]);
        match code {
            0 => {
                // Limits, speeds, and names that no body has are no part of a proof.
                let held = kansho_verify::file::CellPrint::of(
                    &kansho_cell::canonical::read(&other).expect("it was accepted"),
                );
                let whole = kansho_verify::file::CellPrint::of(
                    &kansho_cell::canonical::read(&bytes).expect("a cell"),
                );
                assert_eq!(held, whole, "byte {at}");
            }
            1 => assert!(out.contains("about another cell"), "byte {at}: {out}"),
            _ => assert!(code == 3 && err.contains("byte "), "byte {at}: {code} {err}"),
        }
        refused += usize::from(code != 0);
    }
    assert!(refused * 2 > bytes.len() / 7, "{refused} of {}", bytes.len() / 7);
}

/// The change of one digit of a proof is found.
#[test]
fn whatever_is_changed_in_the_proof_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let changed = folder.path().join("changed.json");
    let text = std::fs::read_to_string(fixture("lift.json")).expect("the fixture is there");
    for (from, to) in [
        ("\"cz\"", "\"cx\""),
        ("0.7]", "0.8]"),
        ("|shelf\",0.0]", "|shelf\",0.1]"),
        ("\"cz\"", "\"c\""),
        ("\"cz\"", "\"czc\""),
        ("\"cz\"", "\"tcz\""),
    ] {
        let other = text.replacen(from, to, 1);
        assert_ne!(other, text, "{from}");
        std::fs::write(&changed, other).expect("written");
        let (code, out, err) = run(&[&changed, &fixture("lift.kcell")]);
        assert!(matches!(code, 1 | 3) && !out.contains("accepted"), "{from}: {out}{err}");
    }
}

/// A motion in contact: accepted as it is, and refused with anything changed.
#[test]
fn a_certificate_in_contact_is_accepted_and_refused_when_changed() {
    let (code, out, err) = run(&[&fixture("contact-1.json")]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.starts_with(
            "accepted: 4 motions in contact: features that may touch overlap by at most 0.0000000"
        ),
        "{out}"
    );
    let (code, _, err) = run(&[&fixture("contact-1.json"), &fixture("lift.kcell")]);
    assert!(code == 3 && err.contains("bodies that it holds"), "{err}");
    let folder = tempfile::tempdir().expect("a folder");
    let changed = folder.path().join("changed.json");
    let bytes = std::fs::read(fixture("contact-1.json")).expect("the fixture is there");
    for at in (0..bytes.len()).step_by(5) {
        let mut other = bytes.clone();
        other[at] ^= 1;
        std::fs::write(&changed, &other).expect("written");
        let (code, out, err) = run(&[&changed]);
        // Digits beyond those of a number in double precision say the same.
        let is_same = kansho_verify::AnyCertificate::parse(&other)
            .is_some_and(|it| it == kansho_verify::AnyCertificate::parse(&bytes).expect("a kind"));
        assert!(code == 3 || is_same, "byte {at}: {code} {out} {err}");
    }
}
