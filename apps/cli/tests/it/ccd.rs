//! Queries about moving features on the command line.

use crate::run::{kansho, real_data};
use std::path::{Path, PathBuf};

/// A vertex that falls onto a face, or beside it; then the truth.
fn falling(x: i32, truth: u8) -> String {
    let face = format!("0,1,0,1,0,1,{truth}\n4,1,0,1,0,1,{truth}\n0,1,4,1,0,1,{truth}\n");
    format!("{x},2,1,1,3,1,{truth}\n{face}{x},2,1,1,-3,1,{truth}\n{face}")
}

fn ccd(files: &[&Path], more: &[&str]) -> crate::run::Run {
    let files = files.iter().map(|file| file.as_os_str().to_owned());
    kansho(["ccd".into()].into_iter().chain(files).chain(more.iter().map(Into::into)))
}

#[test]
fn answers_are_compared_with_the_truth() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, text).expect("written");
        path
    };
    let good = write("vertex-face/good.csv", &(falling(2, 1) + &falling(20, 0) + &falling(0, 1)));
    let run = ccd(&[&good], &["--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer = run.json();
    for (key, expected) in
        [("queries", 3), ("touch", 2), ("false_negatives", 0), ("false_positives", 0), ("undecided", 0)]
    {
        assert_eq!(answer[key], expected, "{key}");
    }
    for key in ["mean_us", "median_us", "worst_us"] {
        assert!(answer[key].as_f64().is_some_and(|time| time > 0.0), "{key}");
    }
    // As two edges the same points give other answers: only the one from (10, 1) to the origin crosses that from (4, 0) to (0, 4).
    let edges = ccd(&[&good], &["--kind", "edge-edge", "--json"]);
    let edges_json = edges.json();
    assert_eq!(edges.code, 1);
    assert_eq!(
        (edges_json["false_negatives"].as_u64(), edges_json["false_positives"].as_u64()),
        (Some(2), Some(1))
    );
    let bad = write("vertex-face/lies.csv", &(falling(2, 0) + &falling(20, 1) + &falling(2, 1)));
    let run = ccd(&[&good, &bad], &[]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("lies.csv:1: false positive"), "{}", run.stdout);
    assert!(run.stdout.contains("lies.csv:9: false negative"), "{}", run.stdout);
    assert!(
        run.stdout.contains("6 queries, 4 touch: 1 false negatives, 1 false positives, 0 undecided"),
        "{}",
        run.stdout
    );
    let unnamed = write("unnamed.csv", &falling(2, 1));
    let run = ccd(&[&unnamed], &[]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("--kind vertex-face"), "{}", run.stderr);
    assert_eq!(ccd(&[&unnamed], &["--kind", "vertex-face"]).code, 0);
    let broken =
        write("vertex-face/broken.csv", &falling(2, 1).replacen("0,1,0,1,0,1,1", "0,0,0,1,0,1,1", 1));
    let run = ccd(&[&good, &broken], &["--json"]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("broken.csv:2:3"), "{}", run.stderr);
    assert_eq!(run.json()["errors"][0]["line"], 2);
}

#[test]
fn public_queries_are_all_answered_right() {
    let Some(data) = real_data() else { return };
    let mut files = Vec::new();
    walk(&data.join("ccd"), &mut files);
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let run = ccd(&files, &["--json"]);
    let answer = run.json();
    assert_eq!(run.code, 0, "{answer}");
    assert_eq!((answer["false_negatives"].as_u64(), answer["false_positives"].as_u64()), (Some(0), Some(0)));
    assert!(answer["queries"].as_u64().is_some_and(|queries| queries > 2000), "{answer}");
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "csv") {
            files.push(path);
        }
    }
}
