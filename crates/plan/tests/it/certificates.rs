//! Certificates of motions in contact: of every example, and of what is changed in them.

use kansho_plan::script::{self, Options, Status};
use kansho_verify::contact::{ContactCertificate, verify_contact};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The certificate of an example, if it comes to its end.
fn of_example(name: &str) -> Option<ContactCertificate> {
    let loaded = kansho_io::script::read(&examples().join("words").join(name)).expect("an example can be read");
    let found = script::run(&loaded.script, &Options::default());
    if *found.status() != Status::Reached {
        return None;
    }
    let start = Instant::now();
    let made = script::certificate(&loaded.script, &found, &Options::default());
    let took = start.elapsed();
    let made = made.unwrap_or_else(|why| panic!("{name}: {why}"));
    let letters: usize = made.moves.iter().flat_map(|one| &one.pairs).map(|pair| pair.letters.len()).sum();
    let start = Instant::now();
    let verified = verify_contact(&made).unwrap_or_else(|why| panic!("{name}: {why}"));
    eprintln!(
        "{name}: {} moves, {} regions, {} kept, {letters} letters, made in {took:?}, verified in {:?}",
        made.moves.len(),
        verified.regions(),
        verified.kept(),
        start.elapsed()
    );
    Some(made)
}

#[test]
fn every_example_in_words_has_a_certificate_that_is_accepted() {
    let mut names: Vec<String> = std::fs::read_dir(examples().join("words"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name"))
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.push("robot/script.toml".into());
    names.sort();
    for name in &names {
        if of_example(name).is_none() {
            eprintln!("{name}: not reached");
        }
    }
}
