//! Postures of a cell on the command line.

use crate::run::{Run, kansho, real_data};
use std::ffi::OsString;
use std::path::Path;

/// A slide that carries a ball between two walls; and its postures.
pub(crate) fn write_slide(folder: &Path, postures: &str) {
    let urdf = r#"<robot name="slide">
  <link name="rail"/>
  <link name="car"><collision><geometry><sphere radius="0.25"/></geometry></collision></link>
  <joint name="x" type="prismatic"><parent link="rail"/><child link="car"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"#;
    let cell = r#"units = "m"
[[robot]]
name = "s"
urdf = "slide.urdf"
[[object]]
name = "left, wall"
box = [0.5, 2, 2]
at = { xyz = [-2, 0, 0] }
[[object]]
name = "right"
plane = [-1, 0, 0, -1]
"#;
    for (name, text) in [("slide.urdf", urdf), ("cell.toml", cell), ("postures.csv", postures)] {
        std::fs::write(folder.join(name), text).expect("written");
    }
}

fn postures(folder: &Path, more: &[&str]) -> Run {
    let first = ["postures".into(), folder.join("cell.toml").into_os_string()];
    let rows = ["--postures".into(), folder.join("postures.csv").into_os_string()];
    kansho(first.into_iter().chain(rows).chain(more.iter().map(OsString::from)))
}

#[test]
fn every_posture_has_its_row() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_slide(folder.path(), "x_mm\n0\n-1500\n750\n-1400\n");
    let run = postures(folder.path(), &[]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert_eq!(run.stdout, "hit,pair,outside_limits\n0,,\n1,\"s/car|left, wall\",\n1,s/car|right,\n0,,\n");
    let run = postures(folder.path(), &["--distance", "--threads", "2"]);
    let gaps: Vec<&str> = run.stdout.lines().map(|line| line.rsplit(',').nth(7).expect("a gap")).collect();
    assert_eq!(gaps[..4], ["distance", "0.75", "0", "0"]);
    assert!((gaps[4].parse::<f64>().expect("a number") - 0.1).abs() < 1e-12);
    let run = postures(folder.path(), &["--json", "--all"]);
    let answer = run.json();
    assert_eq!((answer["postures"].as_u64(), answer["hits"].as_u64()), (Some(4), Some(2)));
    assert_eq!(answer["rows"][2]["pairs"][0], "s/car|right");
    let out = folder.path().join("answers.csv");
    let run = postures(folder.path(), &["--out", &out.to_string_lossy(), "--order", "paper"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "2 of 4 postures touch\n"));
    assert_eq!(std::fs::read_to_string(&out).expect("the answers").lines().count(), 5);
    let run = postures(folder.path(), &["--timeout", "0"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(run.stdout.lines().nth(1), Some("undecided,,"));
}

#[test]
fn bad_postures_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_slide(folder.path(), "0\n3.5\n0\n-4\n");
    let run = postures(folder.path(), &[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("\"s/x\" is at 3500 mm, 500 mm outside its limits of -3000 to 3000 mm"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("rows: 2, 4"), "{}", run.stderr);
    assert!(run.stderr.starts_with("warning"), "{}", run.stderr);
    let marked: Vec<&str> =
        run.stdout.lines().map(|line| line.rsplit(',').next().expect("a column")).collect();
    assert_eq!(marked, ["outside_limits", "", "s/x", "", "s/x"]);
    let run = postures(folder.path(), &["--strict"]);
    assert!(run.code == 3 && run.stderr.starts_with("error") && run.stdout.is_empty(), "{}", run.stderr);
    for (text, what) in [
        ("0\nnan\n", "line 2"),
        ("0\n1e999\n", "line 2"),
        ("0\n1 2\n", "line 2"),
        ("1 2\n", "2 columns"),
        ("y\n1\n", "'y' is no joint"),
        ("", "no postures"),
    ] {
        write_slide(folder.path(), text);
        let run = postures(folder.path(), &[]);
        assert!(
            run.code == 3 && run.stderr.contains(what) && run.stdout.is_empty(),
            "{text}: {}",
            run.stderr
        );
    }
    write_slide(folder.path(), "0\n");
    let itself = folder.path().join("postures.csv");
    let run = postures(folder.path(), &["--out", &itself.to_string_lossy()]);
    assert!(run.code == 3 && run.stderr.contains("not overwritten"), "{}", run.stderr);
}

#[test]
fn spheres_miss_nothing() {
    let Some(data) = real_data() else { return };
    let folder = data.join("../bench/data");
    let cell = ["postures".into(), folder.join("ur5_boxes.toml").into_os_string()];
    let rows = ["--postures".into(), folder.join("w3_configs.csv").into_os_string()];
    let run = kansho(cell.into_iter().chain(rows).chain(["--spheres".into(), "0.01".into()]));
    assert_eq!(run.code, 1, "{}", run.stderr);
    let truth = std::fs::read_to_string(folder.join("w3_truth_boxes.csv")).expect("the truth");
    let rows: Vec<(&str, &str)> =
        run.stdout.lines().skip(1).map(|line| &line[..1]).zip(truth.lines()).collect();
    assert_eq!(rows.len(), 20_000);
    assert_eq!(rows.iter().filter(|row| **row == ("0", "1")).count(), 0, "missed");
    // Most free postures are found free.
    let free = rows.iter().filter(|row| row.1 == "0").count();
    let alarms = rows.iter().filter(|row| **row == ("1", "0")).count();
    assert!(alarms * 3 < free, "{alarms} false alarms of {free}");
}

/// Answers as the truth file has them, with one thread and with two.
fn as_the_truth(data: &Path, kind: &str) {
    let folder = data.join("../bench/data");
    let answers = |threads: &str| {
        let cell = ["postures".into(), folder.join(format!("ur5_{kind}.toml")).into_os_string()];
        let rows = ["--postures".into(), folder.join("w3_configs.csv").into_os_string()];
        let run = kansho(cell.into_iter().chain(rows).chain(["--threads".into(), threads.into()]));
        assert_eq!(run.code, 1, "{}", run.stderr);
        run.stdout
    };
    let (one, two) = (answers("1"), answers("2"));
    assert_eq!(one, two, "the number of threads changes nothing");
    let found: Vec<&str> = one.lines().skip(1).map(|line| &line[..1]).collect();
    let truth = std::fs::read_to_string(folder.join(format!("w3_truth_{kind}.csv"))).expect("the truth");
    assert_eq!(found, truth.lines().collect::<Vec<&str>>());
}

#[test]
fn a_real_robot_among_boxes_touches_where_the_truth_says_so() {
    let Some(data) = real_data() else { return };
    as_the_truth(&data, "boxes");
}

#[test]
fn a_real_robot_among_meshes_touches_where_the_truth_says_so() {
    let Some(data) = real_data() else { return };
    as_the_truth(&data, "mixed");
}
