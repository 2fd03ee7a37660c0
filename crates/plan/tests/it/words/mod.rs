//! Movements in words: exact answers, refusals, and what is kept along the way.

mod along;
mod attacks;
mod cases;
mod following;
mod further;
mod random;
mod robot;
mod worked;

use kansho_io::script::{self, LoadedScript};
use kansho_plan::script::{Answer, Options, run};
use std::fmt::Write;
use std::path::{Path, PathBuf};

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
    let answer = run(&loaded.script, &Options::default());
    (loaded, answer)
}

/// What comes of a script without files.
fn of_text(text: &str) -> Answer {
    with_files(text, &[])
}

/// A prism along y, as OBJ: corners in x and z, counter-clockwise seen from -y; ends in fans of triangles.
fn prism(profile: &[[f64; 2]], fan: &[[usize; 3]], y: [f64; 2]) -> String {
    let mut text = String::new();
    for y in y {
        for [x, z] in profile {
            writeln!(text, "v {x} {y} {z}").expect("a string takes text");
        }
    }
    let count = profile.len();
    for [a, b, c] in fan {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).expect("a string takes text");
        writeln!(text, "f {} {} {}", count + a + 1, count + c + 1, count + b + 1)
            .expect("a string takes text");
    }
    for k in 0..count {
        let next = (k + 1) % count;
        writeln!(text, "f {} {} {} {}", k + 1, count + k + 1, count + next + 1, next + 1)
            .expect("a string takes text");
    }
    text
}

/// A script with mesh files beside it.
fn with_files(text: &str, files: &[(&str, &str)]) -> Answer {
    let place = tempfile::tempdir().expect("a folder for files");
    run(&loaded(place.path(), text, files).script, &Options::default())
}

/// Reads a script and files that are written to a folder first.
fn loaded(folder: &Path, text: &str, files: &[(&str, &str)]) -> LoadedScript {
    for (name, content) in files.iter().copied().chain([("script.toml", text)]) {
        std::fs::write(folder.join(name), content).expect("the folder takes a file");
    }
    script::read(&folder.join("script.toml")).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}
