//! Movements in words, on the command line.

use crate::run::{Run, kansho};
use kansho::cell::builtin;
use kansho::io::cell::CellOptions;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/words")
}

/// An example after its text was changed.
fn changed(name: &str, from: &str, to: &str, more: &[&str]) -> Run {
    let text = std::fs::read_to_string(examples().join(name)).expect("the example is there");
    assert!(text.contains(from), "{name} has no {from}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for entry in std::fs::read_dir(examples()).expect("a folder") {
        let entry = entry.expect("a file");
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
    }
    let path = folder.path().join("changed.toml");
    std::fs::write(&path, text.replace(from, to)).expect("written");
    let path = path.display().to_string();
    kansho(["move", &path].into_iter().chain(more.iter().copied()))
}

#[test]
fn an_example_is_told_in_words_and_in_json() {
    let path = examples().join("block_in_slot.toml").display().to_string();
    let run = kansho(["move", &path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for words in [
        "1. approach (line 4): reached",
        "approach          15 mm  to (30, 12, 5) mm",
        "free      x, y, yaw",
        "turn         32.6499 deg to (85.8579, 10, 15) mm",
        "proven   4 ways",
    ] {
        assert!(run.stdout.contains(words), "{words}\n{}", run.stdout);
    }
    let run = kansho(["move", &path, "--json"]);
    let answer = run.json();
    assert_eq!((answer["status"].as_str(), answer["units"].as_str()), (Some("reached"), Some("mm")));
    let steps = answer["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 4);
    assert!((steps[3]["parameter"].as_f64().expect("a number") - 32.6499).abs() < 1e-4);
    assert!((steps[3]["pose"]["xyz"][0].as_f64().expect("a number") - 85.8579).abs() < 1e-4);
    assert!((steps[3]["pose"]["quat"][2].as_f64().expect("a number") - 0.281085).abs() < 1e-6);
    assert_eq!(steps[1]["contacts"][1]["contact"], "block.S on slot.D");
    assert_eq!(steps[1]["freedoms"]["count"], 1);
}

/// Exit codes, and the line on standard error.
#[test]
fn what_does_not_come_to_its_end_is_told_with_its_line() {
    let cases = [
        (
            "start = { xyz = [30, 12, 20]",
            "start = { xyz = [30, 12, 60]",
            1,
            "blocked",
            "changed.toml:4:3 (line 4)",
        ),
        ("until = \"block.S on slot.D\"", "by = 500", 1, "blocked", "changed.toml:5:3 (line 5)"),
        ("until = \"block.N on slot.C\"", "by = 300", 1, "slips", "is lost on the way"),
        ("along = \"-z\",  until", "along = \"-x\",  until", 1, "no contact", "no contact within reach"),
        (
            "along = \"-y\",  keep",
            "along = \"-z\",  keep",
            3,
            "contradiction",
            "cannot be kept: that leaves no room",
        ),
        ("about = \"slot.C\"", "about = \"slot.D\"", 1, "unsupported", "unsupported: a turn about a face"),
    ];
    for (from, to, code, status, words) in cases {
        let run = changed("block_in_slot.toml", from, to, &["--json"]);
        assert_eq!((run.code, run.json()["status"].as_str()), (code, Some(status)), "{to}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{to}: {}", run.stderr);
        assert!(run.json()["errors"][0]["line"].is_number());
    }
    let run = changed(
        "block_in_slot.toml",
        "until = \"block.A on slot.B\"",
        "until = \"block.A on slot.Bee\"",
        &[],
    );
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("\"slot\" has no feature \"Bee\""), "{}", run.stderr);
}

/// Poses go to `moving`, a followed path to `plan`.
#[test]
fn files_are_taken_by_other_commands() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let moved = out.path().join("moved");
    let arguments = ["move".into(), examples().join("tip_on_edge.toml"), "--out".into(), moved.clone()];
    let run = kansho(arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let poses = kansho::io::poses::read(&moved.join("poses.csv"), None).expect("poses");
    assert_eq!(poses.len(), 50);
    // A job that names the path.
    kansho::io::cell::write(&moved, &builtin::cell()).expect("written");
    let job = "cell = \"cell.toml\"\n[path]\nfile = \"path.csv\"\nframe = \"sheet\"\n";
    std::fs::write(moved.join("job.toml"), job).expect("written");
    let job = kansho::io::job::read(&moved.join("job.toml"), &CellOptions::default()).expect("a job");
    assert_eq!(job.path.strokes.len(), 1);
    assert_eq!(job.path.strokes[0].points.len(), 20);
}

#[test]
fn the_schema_is_printed() {
    let run = kansho(["schema", "script"]);
    assert_eq!((run.code, run.json()["title"].as_str()), (0, Some("A script")));
}
