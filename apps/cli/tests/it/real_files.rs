//! Real meshes and robots, as others have counted them.

use crate::run::{csv, kansho, real_data};
use serde_json::Value;

#[test]
fn every_real_mesh_is_read_as_others_read_it() {
    let Some(data) = real_data() else { return };
    let rows = csv(&data.join("MESHES.csv"));
    assert!(rows.len() > 200);
    let files = rows.iter().map(|row| data.join(&row["file"]).into_os_string());
    // The table keeps the axes of the files.
    let run = kansho(["info", "--json", "--keep-axes"].map(Into::into).into_iter().chain(files));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer = run.json();
    let found = answer["files"].as_array().expect("one object per file");
    assert_eq!(found.len(), rows.len());
    let mut wrong = Vec::new();
    for (row, found) in rows.iter().zip(found) {
        let mut expect = |what: &str, holds: bool| {
            if !holds {
                wrong.push(format!("{}: {what} {}", row["file"], found[what]));
            }
        };
        expect("triangles", found["triangles"].as_u64() == row["triangles"].parse().ok());
        let numbers =
            |text: &str| -> Vec<f64> { text.split(' ').map(|n| n.parse().expect("a number")).collect() };
        for (end, column) in [("min", "bbox_min"), ("max", "bbox_max")] {
            // Six digits are printed there.
            let near =
                |(a, b): (&Value, f64)| (a.as_f64().expect("a number") - b).abs() <= 1e-5 * b.abs().max(0.01);
            let mut pairs =
                found["bounds"][end].as_array().expect("three numbers").iter().zip(numbers(&row[column]));
            expect("bounds", pairs.all(near));
        }
        // Where the others see a closed surface we do too; we see more, since we join equal vertices first.
        if row["watertight"] == "1" {
            expect("watertight", found["watertight"] == true);
            // One of them is inside out, which we mend.
            let volume = row["volume_if_watertight"].parse::<f64>().expect("a number").abs();
            expect(
                "volume",
                (found["volume"].as_f64().unwrap_or(f64::NAN) - volume).abs() <= 1e-4 * volume.abs(),
            );
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_real_robot_has_the_links_joints_and_meshes_that_others_see() {
    let Some(data) = real_data() else { return };
    let rows = csv(&data.join("ROBOTS.csv"));
    assert_eq!(rows.len(), 16);
    let files = rows.iter().map(|row| data.join(&row["urdf"]).into_os_string());
    let run = kansho(["info", "--json"].map(Into::into).into_iter().chain(files));
    assert_eq!(run.code, 0, "{}", run.stderr);
    for (row, found) in rows.iter().zip(run.json()["files"].as_array().expect("one object per file")) {
        let meshes = found["meshes"].as_array().map(Vec::len);
        let counts = ["links", "joints", "axes", "shapes"].map(|name| found[name].as_u64());
        let expected = ["links", "joints", "actuated", "collision_elems"].map(|name| row[name].parse().ok());
        assert_eq!(counts, expected, "{}", row["urdf"]);
        assert_eq!(meshes, row["mesh_files"].parse().ok(), "{}", row["urdf"]);
    }
}
