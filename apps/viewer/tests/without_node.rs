//! The build script where something is missing: the program is built all the same, and holds one sentence that says what to do.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The build script as a program.
fn script(folder: &Path) -> PathBuf {
    let program = folder.join("build-script");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let made = Command::new(rustc)
        .args(["--edition", "2024", "-o"])
        .args([&program, &source])
        .output()
        .expect("there is a compiler");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    program
}

/// A program that says something and ends well or not.
fn fake(folder: &Path, name: &str, says: &str, code: u8) {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\necho '{says}'\nexit {code}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("allowed");
}

#[test]
fn what_is_missing_is_said_in_one_sentence_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = script(folder.path());
    // Sources of a page that cannot be installed: there is no lock file to install from.
    std::fs::create_dir(folder.path().join("web")).expect("a folder");
    let tools = |name: &str, list: &[(&str, &str, u8)]| {
        let tools = folder.path().join(name);
        std::fs::create_dir(&tools).expect("a folder");
        list.iter().for_each(|(name, says, code)| fake(&tools, name, says, *code));
        tools
    };
    let install = "install Node.js 20 or newer with npm and build again";
    let cases = [
        (tools("none", &[]), None, format!("there was no Node.js; {install}")),
        (
            tools("old", &[("node", "v18.19.0", 0), ("npm", "9.2.0", 0)]),
            None,
            format!("there was Node.js v18.19.0, which is too old; {install}"),
        ),
        (tools("broken", &[("node", "", 1)]), None, format!("there was no Node.js; {install}")),
        (tools("alone", &[("node", "v20.1.0", 0)]), None, format!("there was no npm; {install}")),
        (
            tools("all", &[("node", "v22.0.0", 0), ("npm", "10.0.0", 0)]),
            Some("skip"),
            "KANSHO_PAGE=skip was set; build without it".to_owned(),
        ),
    ];
    for (path, page, expected) in cases {
        let out = path.join("out");
        std::fs::create_dir(&out).expect("a folder");
        let mut run = Command::new(&program);
        run.env_clear().env("PATH", &path).env("CARGO_MANIFEST_DIR", folder.path()).env("OUT_DIR", &out);
        if let Some(page) = page {
            run.env("KANSHO_PAGE", page);
        }
        let ran = run.output().expect("it runs");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(
            said.contains(&format!("cargo::warning=the page of `kansho view` is left out: {expected}\n")),
            "{said}"
        );
        let made = std::fs::read_to_string(out.join("page.rs")).expect("it is there");
        assert!(made.contains("FILES: &[(&str, &[u8])] = &[];"), "{made}");
        // Reports have no view then, and say why.
        assert!(made.contains("REPORT: &str = \"\";"), "{made}");
        assert!(made.contains(&format!("MISSING: &str = {expected:?};")), "{made}");
    }
}
