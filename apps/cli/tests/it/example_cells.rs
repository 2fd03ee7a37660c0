//! The cells of `examples/cells`: each has a motion that collides and one that is proven free, and a README that tells the truth.

use crate::run::kansho;
use std::path::{Path, PathBuf};

/// What an example promises.
struct Example {
    folder: &'static str,
    collides: &'static str,
    /// The pair that touches first in `collides`.
    pair: &'static str,
    free: &'static str,
    /// The least gap of `free`, in metres.
    gap: f64,
}

const EXAMPLES: [Example; 5] = [
    Example {
        folder: "arm-at-table",
        collides: "collides.csv",
        pair: "arm/tool|guard",
        free: "free.csv",
        gap: 0.0239,
    },
    Example {
        folder: "gripper-picking",
        collides: "collides.json",
        pair: "part|bin",
        free: "free.json",
        gap: 0.02,
    },
    Example {
        folder: "two-arms",
        collides: "collides.csv",
        pair: "right/tool|rod",
        free: "free.csv",
        gap: 0.0182,
    },
    Example {
        folder: "arm-on-rail",
        collides: "collides.mod",
        pair: "shaft|doors",
        free: "free.mod",
        gap: 0.02,
    },
    Example {
        folder: "sealing",
        collides: "collides.json",
        pair: "arm/link_6|clamp_front",
        free: "free.json",
        gap: 0.005,
    },
];

fn cells() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cells")
}

fn path(example: &Example, name: &str) -> String {
    cells().join(example.folder).join(name).to_string_lossy().into_owned()
}

fn readme(example: &Example) -> String {
    std::fs::read_to_string(path(example, "README.md")).expect("an example has a README")
}

#[test]
fn every_example_cell_is_listed() {
    let mut folders: Vec<String> = std::fs::read_dir(cells())
        .expect("the examples are there")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.join("cell.toml").exists())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let mut listed = EXAMPLES.map(|example| example.folder.to_owned());
    listed.sort();
    assert_eq!(folders, listed);
    let index = std::fs::read_to_string(cells().join("README.md")).expect("the index");
    for example in &EXAMPLES {
        assert!(index.contains(&format!("({}/README.md)", example.folder)), "{}", example.folder);
        let picture = std::fs::metadata(path(example, "picture.png")).expect("a picture");
        assert!(picture.len() < 150_000, "{}: {} bytes", example.folder, picture.len());
    }
}

#[test]
fn the_motions_that_collide_do_so() {
    for example in &EXAMPLES {
        let run = kansho(["check", &path(example, "cell.toml"), &path(example, example.collides), "--json"]);
        let answer = run.json();
        assert_eq!((run.code, answer["verdict"].as_str()), (1, Some("touches")), "{}", example.folder);
        assert_eq!(answer["pair"].as_str(), Some(example.pair), "{}", example.folder);
        assert_eq!(answer["at_start"].as_bool(), Some(false), "{}", example.folder);
        assert!(readme(example).contains(&format!("pair     {}\n", example.pair)), "{}", example.folder);
    }
}

/// Sampling these motions every five degrees finds nothing.
#[test]
fn samples_of_the_motions_that_collide_are_free() {
    for name in ["arm-at-table", "two-arms"] {
        let [cell, samples] =
            ["cell.toml", "samples.csv"].map(|file| cells().join(name).join(file).display().to_string());
        let run = kansho(["postures", &cell, "--postures", &samples]);
        assert_eq!(run.code, 0, "{name}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn the_repaired_motions_are_proven_free() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for example in &EXAMPLES {
        let certificate = folder.path().join("proof.json").to_string_lossy().into_owned();
        let [cell, motion] = [path(example, "cell.toml"), path(example, example.free)];
        let run = kansho(["check", &cell, &motion, "--certificate", &certificate, "--json"]);
        let answer = run.json();
        assert_eq!((run.code, answer["verdict"].as_str()), (0, Some("free")), "{}", example.folder);
        let gap = answer["nearest"]["gap"].as_f64().expect("a gap");
        assert!((gap - example.gap).abs() < 1e-4, "{}: {gap}", example.folder);
        let verified = kansho(["verify", &certificate, &cell, &motion]);
        assert_eq!(verified.code, 0, "{}: {}{}", example.folder, verified.stdout, verified.stderr);
        let other = kansho(["verify", &certificate, &cell, &path(example, example.collides)]);
        assert_eq!(other.code, 1, "{}: {}{}", example.folder, other.stdout, other.stderr);
    }
}

/// Every command of the READMEs prints what they show.
#[cfg(unix)]
#[test]
fn the_commands_of_the_example_cells_do_what_is_shown() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy(&cells(), folder.path());
    let mut wrong = Vec::new();
    for example in &EXAMPLES {
        let page = format!("examples/cells/{}/README.md", example.folder);
        let there = folder.path().join(example.folder);
        let (more, count) = crate::guide::follow_text(&page, &readme(example), &there, false);
        wrong.extend(more);
        assert!(count >= 3, "{page} has only {count} commands");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[cfg(unix)]
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder is made");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("a file").path();
        let target = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() {
            copy(&entry, &target);
        } else {
            std::fs::copy(&entry, &target).expect("a copy");
        }
    }
}
