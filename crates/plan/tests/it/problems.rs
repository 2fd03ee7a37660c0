//! Some of the public problems of two robots, as meshes.

use crate::verified;
use kansho_cell::{Cell, CellDraft, Geometry, ObjectDraft, Piece, Robot, RobotDraftInCell};
use kansho_check::motion::MotionScene;
use kansho_check::scene::Scene;
use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};
use kansho_geom::primitive::{Primitive, Shape};
use kansho_io::srdf::{self, Srdf};
use kansho_io::urdf::{self, RobotOptions};
use kansho_plan::free::{Way, WayOptions, WhyNot, way};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// One of so many is looked at.
const EVERY: usize = 50;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn object(given: &Value) -> ObjectDraft {
    let size = |name: &str| given[name].as_f64().expect("a size");
    let shape = match given["type"].as_str() {
        Some("box") => Shape::Box { size: DVec3::from_slice(&numbers(&given["size"])) },
        Some("cylinder") => Shape::Cylinder { radius: size("radius"), height: size("height") },
        Some("sphere") => Shape::Sphere { radius: size("radius") },
        other => panic!("an object of type {other:?}"),
    };
    let rotation = DQuat::from_slice(&numbers(&given["quat_xyzw"])).normalize();
    let position = DVec3::from_slice(&numbers(&given["position"]));
    let piece = Piece {
        geometry: Geometry::Primitive(Primitive::new(shape).expect("valid sizes")),
        carrier_from_piece: Pose::from_quat(rotation, position).expect("a pose"),
    };
    ObjectDraft { name: given["name"].as_str().expect("a name").into(), pieces: vec![piece], on: None }
}

fn room(robot: &Robot, srdf: &Srdf, problem: &Value) -> Cell {
    let robot = RobotDraftInCell {
        name: "robot".into(),
        robot: robot.clone(),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: srdf.disabled.clone(),
    };
    let objects = problem["objects"].as_array().expect("a list").iter().map(object).collect();
    Cell::new(CellDraft { robots: vec![robot], objects, allow: Vec::new() }).expect("a cell")
}

fn solve(name: &str) {
    let Some(data) = std::env::var_os("KANSHO_DATA").map(|folder| Path::new(&folder).join("data")) else {
        eprintln!("skipped: KANSHO_DATA is not set, so there are no real files to test with");
        return;
    };
    let text =
        std::fs::read_to_string(data.join(format!("problems/{name}_problems.json"))).expect("problems");
    let problems: Value = serde_json::from_str(&text).expect("JSON");
    let path = data.join(problems["urdf"].as_str().expect("a path"));
    let robot = urdf::read(&path, &RobotOptions::default()).expect("a robot").robot;
    let srdf = srdf::read(&path.with_extension("srdf"), &robot).expect("an SRDF");
    let options = WayOptions { time_limit: Some(Duration::from_secs(120)), ..WayOptions::default() };
    let (mut looked_at, mut in_contact) = (0, 0);
    for (category, list) in problems["problems"].as_object().expect("an object") {
        for problem in list.as_array().expect("a list").iter().step_by(EVERY) {
            let scene = Scene::new(Arc::new(room(&robot, &srdf, problem))).with_models();
            let scene = MotionScene::new(&scene);
            let [start, goal] = ["start", "goal"].map(|end| numbers(&problem[end]));
            looked_at += 1;
            match way(&scene, &start, &goal, &options) {
                Way::NotFound { why: WhyNot::Touches { .. }, .. } => in_contact += 1,
                Way::NotFound { why, effort } => {
                    panic!("{name} {category} {}: {why:?} {effort:?}", problem["index"])
                }
                found @ Way::Found { .. } => {
                    verified(&scene, found, [&start, &goal], 0.0);
                }
            }
        }
    }
    assert_eq!((looked_at, in_contact), (10, 0));
}

#[test]
fn panda_finds_ways_in_its_rooms() {
    solve("panda");
}

#[test]
fn ur5_finds_ways_in_its_rooms() {
    solve("ur5");
}
