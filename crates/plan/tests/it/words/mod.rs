//! Movements in words: exact answers, refusals, and what is kept along the way.

mod along;
mod further;
mod robot;
mod worked;

use kansho_io::script::{self, LoadedScript};
use kansho_plan::words::{Answer, run};
use std::path::PathBuf;

/// A script of the examples.
fn example(name: &str) -> LoadedScript {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/words");
    script::read(&folder.join(name)).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

/// What comes of a script of the examples after its text was changed.
fn changed(name: &str, changes: &[(&str, &str)]) -> (LoadedScript, Answer) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/words");
    let mut text = std::fs::read_to_string(folder.join(name)).expect("the example is there");
    for (from, to) in changes {
        assert!(text.contains(from), "{name} has no {from}");
        text = text.replace(from, to);
    }
    let text = text.replace("mesh  = \"", "mesh = \"").replace("mesh   = \"", "mesh = \"");
    let text = text.replace("mesh = \"", &format!("mesh = \"{}/", folder.display()));
    let place = tempfile::tempdir().expect("a folder for a file");
    let path = place.path().join("script.toml");
    std::fs::write(&path, text).expect("the folder takes a file");
    let loaded = script::read(&path).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let answer = run(&loaded.script);
    (loaded, answer)
}

/// What comes of a script without files.
fn of_text(text: &str) -> Answer {
    let place = tempfile::tempdir().expect("a folder for a file");
    let path = place.path().join("script.toml");
    std::fs::write(&path, text).expect("the folder takes a file");
    run(&script::read(&path).unwrap_or_else(|errors| panic!("{errors:?}")).script)
}
