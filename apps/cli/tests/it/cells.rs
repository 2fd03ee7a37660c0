//! Cells and robots on the command line.

use crate::run::{kansho, real_data};
use std::collections::BTreeSet;
use std::path::Path;

fn pairs(path: &Path) -> (Vec<String>, Vec<String>) {
    let run = kansho(["pairs".as_ref(), "--json".as_ref(), path.as_os_str()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer = run.json();
    let names = |list: &serde_json::Value| -> Vec<String> {
        list.as_array()
            .expect("a list")
            .iter()
            .map(|item| item["pair"].as_str().or(item.as_str()).expect("a pair").to_owned())
            .collect()
    };
    (names(&answer["checked"]), names(&answer["not_checked"]))
}

#[test]
fn the_demo_writes_a_cell_that_the_others_take() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = kansho(["demo".as_ref(), "--no-plan".as_ref(), "--out".as_ref(), folder.path().as_os_str()]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let cell = folder.path().join("cell.toml");
    let info = kansho(["info".as_ref(), "--json".as_ref(), cell.as_os_str()]);
    assert_eq!(info.code, 0, "{}", info.stderr);
    let facts = &info.json()["files"][0];
    assert_eq!(
        (facts["kind"].as_str(), facts["robots"].as_u64(), facts["links"].as_u64()),
        (Some("cell"), Some(1), Some(9))
    );
    assert_eq!(facts["warnings"].as_array().map(Vec::len), Some(0), "{}", facts["warnings"]);
    assert_eq!(facts["coordinates"].as_array().map(Vec::len), Some(6));
    let (checked, not_checked) = pairs(&cell);
    assert!(checked.contains(&"arm/tool|sheet".to_owned()));
    assert!(not_checked.contains(&"sheet|fixture".to_owned()));
    assert_eq!(checked.len() + not_checked.len(), 11 * 10 / 2);
}

#[test]
fn pairs_of_a_real_cell_are_those_that_others_check() {
    let Some(data) = real_data() else { return };
    let bench = data.join("../bench/data");
    let (checked, _) = pairs(&bench.join("ur5_boxes.toml"));
    let own = checked.iter().filter(|pair| pair.split('|').all(|name| name.starts_with("ur5/")));
    let own: BTreeSet<BTreeSet<&str>> = own.map(|pair| pair.split('|').collect()).collect();
    let listed = std::fs::read_to_string(bench.join("robot.txt")).expect("the list can be read");
    let lines = listed.lines().filter(|line| line.starts_with("pair "));
    let listed: Vec<Vec<String>> =
        lines.map(|line| line.split(' ').skip(4).map(|link| format!("ur5/{link}")).collect()).collect();
    let listed: BTreeSet<BTreeSet<&str>> =
        listed.iter().map(|pair| pair.iter().map(String::as_str).collect()).collect();
    assert_eq!(listed.len(), 68);
    assert_eq!(own, listed);
}

#[test]
fn faults_of_a_cell_come_at_once_with_their_lines() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cell = folder.path().join("cell.toml");
    let text = "unit = \"m\"\n[[object]]\nname = \"a\"\nbox = [1, 1]\n[[object]]\nname = \"b\"\nmesh = \"nowhere.stl\"\n[allow]\npairs = [[\"a\", \"c\"]]\n";
    std::fs::write(&cell, text).expect("the cell is written");
    let run = kansho(["info".as_ref(), "--json".as_ref(), cell.as_os_str()]);
    assert_eq!(run.code, 3);
    let answer = run.json();
    let lines: Vec<Option<u64>> =
        answer["files"][0]["errors"].as_array().expect("errors").iter().map(|e| e["line"].as_u64()).collect();
    assert_eq!(lines, [Some(1), Some(4), Some(7), Some(9)], "{}", run.stderr);
    assert!(run.stderr.contains("did you mean"), "{}", run.stderr);
}

#[test]
fn schemas_are_printed() {
    let run = kansho(["schema", "cell"]);
    assert_eq!(run.code, 0);
    assert!(run.json()["properties"]["robot"].is_object());
    assert_eq!(kansho(["schema", "nonsense"]).code, 3);
}

#[test]
fn a_robot_alone_shows_its_pairs_and_an_srdf_wants_its_robot() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let robot = folder.path().join("r.urdf");
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>"
        )
    };
    let joint = |name: &str, a: &str, b: &str| {
        format!(
            "<joint name=\"{name}\" type=\"continuous\"><parent link=\"{a}\"/><child link=\"{b}\"/></joint>"
        )
    };
    let text = format!(
        "<robot name=\"r\">{}{}{}{}{}</robot>",
        link("a"),
        link("b"),
        link("c"),
        joint("j", "a", "b"),
        joint("k", "b", "c")
    );
    std::fs::write(&robot, text).expect("the robot is written");
    assert_eq!(pairs(&robot), (vec!["r/a|r/c".to_owned()], vec!["r/a|r/b".to_owned(), "r/b|r/c".to_owned()]));
    let srdf = folder.path().join("r.srdf");
    std::fs::write(
        &srdf,
        "<robot name=\"r\"><disable_collisions link1=\"a\" link2=\"cc\" reason=\"Never\"/></robot>",
    )
    .expect("written");
    assert!(kansho(["info".as_ref(), srdf.as_os_str()]).stderr.contains("--urdf"));
    let run = kansho(["info".as_ref(), srdf.as_os_str(), "--urdf".as_ref(), robot.as_os_str()]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("the robot has no link \"cc\""), "{}", run.stderr);
}
