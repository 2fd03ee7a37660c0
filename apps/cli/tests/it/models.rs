//! Models change no answer.

use crate::run::{Run, kansho, real_data};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

/// The built-in cell, and postures of it: some far from each other, some in small steps.
pub(crate) fn write_demo(folder: &Path, rows: usize) {
    let run = kansho([OsString::from("demo"), "--no-plan".into(), "--out".into(), folder.into()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut text = String::from("joint_1,joint_2,joint_3,joint_4,joint_5,joint_6\n");
    let home = [0.0, -0.6, 0.26, 0.0, 0.6, 0.0];
    let mut posture = home;
    for row in 0..rows {
        let far = if row % 20 < 10 { 1.6 } else { 0.02 };
        let from = if row % 20 < 10 { home } else { posture };
        posture = from.map(|q| (q + far * random()).clamp(-1.4, 1.4));
        let numbers = posture.map(|q| q.to_string());
        writeln!(text, "{}", numbers.join(",")).expect("writing to a string succeeds");
    }
    std::fs::write(folder.join("postures.csv"), text).expect("written");
}

pub(crate) fn postures(cell: &Path, rows: &Path, more: &[&str]) -> Run {
    let given = [OsString::from("postures"), cell.into(), "--postures".into(), rows.into()];
    kansho(given.into_iter().chain(more.iter().map(OsString::from)))
}

/// Runs with and without models; the answers are the same, and so are the warnings. Gives those with models.
fn same_without(cell: &Path, rows: &Path, more: &[&str]) -> Run {
    // Whoever asks how it was decided has models, even for few rows.
    let with = postures(cell, rows, &[more, &["--explain"]].concat());
    let without = postures(cell, rows, &[more, &["--no-models"]].concat());
    let by_default = postures(cell, rows, more);
    let told = with.stderr.strip_prefix(&without.stderr).expect("the same warnings, and more");
    assert!(told.contains("were decided"), "{told}");
    if more.contains(&"--json") {
        let mut answer = with.json();
        assert!(answer.as_object_mut().is_some_and(|answer| answer.remove("models").is_some()));
        assert_eq!(answer, without.json());
    } else {
        assert_eq!(with.stdout, without.stdout, "{more:?}");
    }
    assert_eq!(with.code, without.code);
    assert_eq!((by_default.stdout, by_default.stderr), (without.stdout, without.stderr), "{more:?}");
    with
}

#[test]
fn the_demo_has_the_same_answers_with_and_without() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_demo(folder.path(), 700);
    let (cell, rows) = (folder.path().join("cell.toml"), folder.path().join("postures.csv"));
    let run = same_without(&cell, &rows, &[]);
    let hits = run.stdout.lines().filter(|line| line.starts_with('1')).count();
    assert!(hits > 70 && hits < 630, "{hits} of 700 touch: both should be many");
    same_without(&cell, &rows, &["--all", "--threads", "2"]);
    same_without(&cell, &rows, &["--json"]);
    let out = folder.path().join("answers.csv");
    let name = out.to_string_lossy();
    let table = |more: &[&str]| {
        let run = postures(&cell, &rows, &[&["--out", &name], more].concat());
        (run.stdout, std::fs::read_to_string(&out).expect("the answers"))
    };
    assert_eq!(table(&["--explain"]), table(&["--no-models", "--order", "paper"]));
}

#[test]
fn what_decided_is_told_when_asked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_demo(folder.path(), 60);
    let (cell, rows) = (folder.path().join("cell.toml"), folder.path().join("postures.csv"));
    let silent = postures(&cell, &rows, &[]);
    let told = postures(&cell, &rows, &["--explain"]);
    assert_eq!(silent.stdout, told.stdout);
    for what in ["60 postures were decided", "% free, by balls around bodies", "pairs of groups", "MB"] {
        assert!(told.stderr.contains(what) && !silent.stderr.contains(what), "{what}: {}", told.stderr);
    }
    let answer = postures(&cell, &rows, &["--explain", "--json"]).json();
    let models = &answer["models"];
    let decided = models["decided"].as_object().expect("counts of postures");
    assert_eq!(decided.values().filter_map(serde_json::Value::as_u64).sum::<u64>(), 60);
    let names = ["always", "kept", "balls_inside", "balls_around", "exact_free", "exact_touch"];
    assert!(names.iter().all(|name| decided.contains_key(*name)), "{decided:?}");
    let of = |names: &[&str]| names.iter().filter_map(|name| decided[*name].as_u64()).sum::<u64>();
    assert_eq!(Some(of(&["always", "last", "balls_inside", "exact_touch"])), answer["hits"].as_u64());
    assert!(models["bytes"].as_u64() > Some(0) && models["pairs_of_groups"].as_u64() > Some(0), "{models}");
    assert!(postures(&cell, &rows, &["--json"]).json().get("models").is_none());
    for wrong in ["--no-models", "--distance", "--spheres"] {
        assert_eq!(postures(&cell, &rows, &["--explain", wrong]).code, 3, "{wrong}");
    }
}

#[test]
fn a_real_robot_has_the_same_answers_with_and_without() {
    let Some(data) = real_data() else { return };
    let given = data.join("../bench/data");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = folder.path().join("rows.csv");
    let all = std::fs::read_to_string(given.join("w3_configs.csv")).expect("the postures");
    let some: Vec<&str> = all.lines().take(1000).collect();
    std::fs::write(&rows, some.join("\n")).expect("written");
    for kind in ["boxes", "mixed"] {
        let cell = given.join(format!("ur5_{kind}.toml"));
        same_without(&cell, &rows, &[]);
        same_without(&cell, &rows, &["--all"]);
    }
}

#[test]
fn what_was_worked_out_is_kept_and_never_trusted_blindly() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_demo(folder.path(), 120);
    let (cell, rows) = (folder.path().join("cell.toml"), folder.path().join("postures.csv"));
    let kept = folder.path().join("cell.toml.fields");
    let expected = postures(&cell, &rows, &["--no-models"]);
    let table = |run: &Run| run.json()["rows"].clone();
    let expected_rows = table(&postures(&cell, &rows, &["--no-models", "--json"]));
    let cached = || postures(&cell, &rows, &["--cache", "--explain", "--json", "--threads", "1"]);
    let cells = |run: &Run| {
        let models = &run.json()["models"];
        ["cells_restored", "cells_worked_out"].map(|name| models[name].as_u64().expect("a number"))
    };
    let first = cached();
    assert!(cells(&first)[0] == 0 && cells(&first)[1] > 1000 && !first.stderr.contains("warning"));
    let second = cached();
    assert_eq!(cells(&second), [cells(&first)[1], 0], "nothing is worked out twice");
    assert!(!second.stderr.contains("warning"), "{}", second.stderr);
    assert_eq!([table(&first), table(&second)], [expected_rows.clone(), expected_rows.clone()]);
    let right = std::fs::read(&kept).expect("it was kept");
    // Cut short, damaged, of another version: told once, worked out anew, written anew.
    let damaged = |change: &dyn Fn(&mut Vec<u8>), what: &str| {
        let mut bytes = right.clone();
        change(&mut bytes);
        std::fs::write(&kept, bytes).expect("written");
        let run = postures(&cell, &rows, &["--cache", "--threads", "1"]);
        assert_eq!((run.code, &run.stdout), (expected.code, &expected.stdout));
        assert_eq!(run.stderr.matches("warning").count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(what), "{what}: {}", run.stderr);
        assert!(std::fs::read(&kept).expect("written anew") == right, "{what}");
    };
    damaged(&|bytes| bytes.truncate(bytes.len() / 2), "cut short or damaged");
    damaged(&|bytes| bytes[right.len() / 3] ^= 8, "cut short or damaged");
    damaged(&|bytes| bytes[14] = b'0', "another version");
    // An object is moved: its cells are not those that were kept.
    let text = std::fs::read_to_string(&cell).expect("the cell");
    std::fs::write(&cell, text.replacen("xyz = [1.1, 0.0, 0.75]", "xyz = [1.1, 0.0, 0.7500001]", 1))
        .expect("written");
    let moved = cached();
    assert!(moved.stderr.contains("belong to other shapes or places"), "{}", moved.stderr);
    assert_eq!(table(&moved), table(&postures(&cell, &rows, &["--no-models", "--json"])));
    // What cannot be kept is no error.
    std::fs::remove_file(&kept).expect("removed");
    std::fs::create_dir(&kept).expect("made");
    let run = postures(&cell, &rows, &["--cache"]);
    assert!(run.code == expected.code && run.stderr.contains("fields are not kept"), "{}", run.stderr);
    assert_eq!(postures(&cell, &rows, &["--cache", "--no-models"]).code, 3);
}
