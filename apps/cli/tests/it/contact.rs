//! What touching allows, on the command line.

use crate::run::{Run, kansho};
use std::ffi::OsString;
use std::path::Path;

/// A slider between two walls on a floor.
fn cell(folder: &Path, slider_at: &str) -> OsString {
    let text = format!(
        "units = \"mm\"\n\
         [[object]]\nname = \"floor\"\nplane = [0, 0, 1, 0]\n\
         [[object]]\nname = \"left\"\nbox = [20, 60, 40]\nat = {{ xyz = [-30, 0, 20] }}\n\
         [[object]]\nname = \"right\"\nbox = [20, 60, 40]\nat = {{ xyz = [30, 0, 20] }}\n\
         [[object]]\nname = \"slider\"\nbox = [40, 30, 30]\nat = {{ xyz = {slider_at} }}\n"
    );
    let path = folder.join("cell.toml");
    std::fs::write(&path, text).expect("written");
    path.into_os_string()
}

fn contact(slider_at: &str, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cell = cell(folder.path(), slider_at);
    kansho(["contact".into(), cell].into_iter().chain(more.iter().map(OsString::from)))
}

fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", run.stdout, run.stderr))
}

#[test]
fn a_slider_slides() {
    let run = contact("[0, 0, 15]", &["--moving", "slider"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for words in [
        "slider touches 3 of 3 objects, in 12 points with 12 conditions",
        "1 face (0.001200 m²)",
        "slides along y; can leave along +z",
        "stands without friction",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let run = contact("[0, 0, 15]", &["--moving", "slider", "--json", "--motion", "1,0,0,0,0,0"]);
    assert_eq!(run.code, 1, "blocked");
    let answer = json(&run);
    assert_eq!(answer["contacts"].as_array().map(Vec::len), Some(12));
    assert_eq!(answer["and_conditions"], 12);
    let branch = &answer["branches"][0];
    assert_eq!(branch["lineality"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["motion"]["verdict"], "blocked");
    for contact in answer["contacts"].as_array().expect("contacts") {
        assert_eq!(contact["and_or"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn overlaps_gaps_and_wrong_names_are_told() {
    let run = contact("[1, 0, 15]", &["--moving", "slider"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("overlaps, at least 0.001000 m deep"), "{}", run.stdout);
    assert!(run.stdout.contains("no contact, 0.001000 m apart"), "{}", run.stdout);
    let run = contact("[100, 0, 17]", &["--moving", "slider", "--json"]);
    assert_eq!((run.code, json(&run)["contacts"].as_array().map(Vec::len)), (0, Some(0)));
    let run = contact("[0, 0, 15]", &["--moving", "slidr"]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("did you mean \"slider\"?"), "{}", run.stderr);
    for wrong in
        [&["--moving", "slider", "--motion", "1,2,x"][..], &[], &["--moving", "slider", "--tolerance", "-1"]]
    {
        assert_eq!(contact("[0, 0, 15]", wrong).code, 3, "{wrong:?}");
    }
}

#[test]
fn an_assembly_comes_apart() {
    let run = contact("[0, 0, 15]", &["--assembly", "--stays", "floor"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("4 objects, 5 pairs touch") && run.stdout.contains("floor stays"),
        "{}",
        run.stdout
    );
    let run = contact("[0, 0, 15]", &["--assembly", "--json"]);
    let answer = json(&run);
    assert_eq!(answer["steps"].as_array().map(Vec::len), Some(3));
    assert_eq!(answer["blocked_by"]["+x"]["slider"][0], "right");
}

#[test]
fn an_open_mesh_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("sheet.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("written");
    let text = "units = \"m\"\n[[object]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\n[[object]]\nname = \"box\"\nbox = [1, 1, 1]\n";
    let path = folder.path().join("cell.toml");
    std::fs::write(&path, text).expect("written");
    let run = kansho(["contact".into(), path.into_os_string(), "--moving".into(), OsString::from("box")]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("object \"sheet\": the surface is open"), "{}", run.stderr);
}

/// Two bars edge on edge: the ends of the common segment allow what its middle does not. No generator that is listed may be blocked.
#[test]
fn branches_hold_allowed_motions_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let up = 10.0 * 2f64.sqrt();
    let text = format!(
        "units = \"mm\"\n\
         [[object]]\nname = \"below\"\nbox = [100, 20, 20]\nat = {{ xyz = [0, 0, {}], rpy_deg = [45, 0, 0] }}\n\
         [[object]]\nname = \"above\"\nbox = [60, 20, 20]\nat = {{ xyz = [10, 0, {up}], rpy_deg = [45, 0, 0] }}\n",
        -up
    );
    let path = folder.path().join("cell.toml");
    std::fs::write(&path, text).expect("written");
    let ask = |more: &[&str]| {
        kansho(
            ["contact".into(), path.clone().into_os_string()]
                .into_iter()
                .chain(["--moving", "above"].iter().chain(more).map(OsString::from)),
        )
    };
    let answer = json(&ask(&["--json"]));
    assert_eq!(answer["segments"].as_array().map(Vec::len), Some(1), "{answer}");
    let branches = answer["branches"].as_array().expect("branches");
    assert!(!branches.is_empty());
    for branch in branches {
        assert_eq!(branch["kind"], "inner", "the segment leaves more than it");
        for list in ["lineality", "rays"] {
            for motion in branch[list].as_array().expect("motions") {
                let numbers: Vec<String> = motion
                    .as_array()
                    .expect("six")
                    .iter()
                    .map(|x| x.as_f64().expect("a number").to_string())
                    .collect();
                let run = ask(&["--motion", &numbers.join(",")]);
                assert_eq!(run.code, 0, "{list} {numbers:?}: {}", run.stdout);
            }
        }
    }
    assert!(ask(&[]).stdout.contains("and along 1 edge"), "{}", ask(&[]).stdout);
    assert!(ask(&[]).stdout.contains("these are allowed, and some others"), "{}", ask(&[]).stdout);
}

/// Parts that do not touch are not said to hold each other.
#[test]
fn what_touches_nothing_is_free_to_go() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "units = \"mm\"\n[[object]]\nname = \"a\"\nbox = [20, 20, 20]\n[[object]]\nname = \"b\"\nbox = [20, 20, 20]\nat = { xyz = [50, 0, 0] }\n";
    let path = folder.path().join("cell.toml");
    std::fs::write(&path, text).expect("written");
    let run = kansho(["contact".into(), path.into_os_string(), "--assembly".into()]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("  1. a along (0, 0, 1)") && run.stdout.contains("b stays"),
        "{}",
        run.stdout
    );
}

/// All pushes of an order of disassembly, re-checked without the search.
#[test]
fn the_pushes_of_an_assembly_have_a_certificate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("c.json").display().to_string();
    let cell =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/assembly/cell.toml").display().to_string();
    let run = kansho(["contact", &cell, "--assembly", "--stays", "plate", "--certificate", &file, "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json()["certificate"].as_str(), Some(&*file));
    let verified = kansho(["verify", &file, "--json", "--explain"]);
    assert_eq!(verified.code, 0, "{}", verified.stdout);
    let steps = run.json()["steps"].as_array().expect("a list").len();
    assert_eq!(verified.json()["moves"], steps);
    let pushes = verified.json()["contacts"].as_array().expect("a list").len();
    assert!(pushes > steps, "{pushes}");
    // An object that is not there: no certificate, and no file.
    assert_ne!(contact("[0, 0, 15]", &["--moving", "slider", "--certificate", "c.json"]).code, 0);
}
