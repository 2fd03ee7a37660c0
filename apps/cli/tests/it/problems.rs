//! Two robots in a thousand rooms, whose answers another engine has given.

use crate::run::{csv, real_data};
use kansho::cell::{BodyKind, Cell, CellDraft, Geometry, ObjectDraft, Piece, Robot, RobotDraftInCell};
use kansho::check::scene::Scene;
use kansho::geom::Pose;
use kansho::geom::glam::{DQuat, DVec3};
use kansho::geom::primitive::{Primitive, Shape};
use kansho::io::urdf::{self, RobotOptions};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

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

pub(crate) fn cell(robot: &Robot, problem: &Value) -> Cell {
    Cell::new(draft(robot, problem)).expect("a cell")
}

pub(crate) fn draft(robot: &Robot, problem: &Value) -> CellDraft {
    let robot = RobotDraftInCell {
        name: "robot".into(),
        robot: robot.clone(),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let objects = problem["objects"].as_array().expect("a list").iter().map(object).collect();
    CellDraft { robots: vec![robot], objects, allow: Vec::new() }
}

/// A robot, and its rooms.
pub(crate) fn rooms(data: &Path, name: &str) -> (Robot, Value) {
    let text =
        std::fs::read_to_string(data.join(format!("problems/{name}_problems.json"))).expect("problems");
    let problems: Value = serde_json::from_str(&text).expect("JSON");
    let urdf = data.join(problems["urdf"].as_str().expect("a path"));
    (urdf::read(&urdf, &RobotOptions::default()).expect("a robot").robot, problems)
}

/// Rows in which the robot touches its room here but not there, or the other way round.
fn differences(data: &Path, name: &str, every: usize) -> (usize, Vec<String>) {
    let (robot, problems) = rooms(data, name);
    let mut rows: HashMap<(String, usize), Vec<HashMap<String, String>>> = HashMap::new();
    for row in csv(&data.join(format!("problems/{name}_configs.csv"))) {
        rows.entry((row["category"].clone(), row["index"].parse().expect("a number"))).or_default().push(row);
    }
    let mut differences = Vec::new();
    let mut looked_at = 0;
    let mut scene: Option<Scene> = None;
    for (category, list) in problems["problems"].as_object().expect("an object") {
        for problem in list.as_array().expect("a list").iter().step_by(every) {
            let cell = Arc::new(cell(&robot, problem));
            let now = match &scene {
                Some(before) => before.with_cell(cell),
                None => Scene::new(cell),
            };
            let mut workspace = now.workspace();
            let index = problem["index"].as_u64().expect("a number") as usize;
            for row in &rows[&(category.clone(), index)] {
                let posture: Vec<f64> = now
                    .cell()
                    .coordinates()
                    .iter()
                    .map(|coordinate| row[&coordinate.joint].parse().expect("a number"))
                    .collect();
                let with_room = now.all_hits(&posture, &mut workspace).into_iter().filter(|pair| {
                    now.bodies(*pair).iter().any(|body| now.cell().body(*body).kind == BodyKind::Object)
                });
                let ours: Vec<String> = with_room.map(|pair| now.pair_name(pair)).collect();
                looked_at += 1;
                if ours.is_empty() == (row["mesh_env_collision_fcl"] == "1") {
                    differences.push(format!("{name} {category} {index} {}: {ours:?}", row["kind"]));
                }
            }
            scene = Some(now);
        }
    }
    (looked_at, differences)
}

#[test]
fn ur5_touches_its_rooms_where_fcl_says_so() {
    let Some(data) = real_data() else { return };
    assert_eq!(differences(&data, "ur5", 1), (2500, Vec::new()));
}

#[test]
fn panda_touches_its_rooms_where_fcl_says_so() {
    let Some(data) = real_data() else { return };
    assert_eq!(differences(&data, "panda", 1), (2500, Vec::new()));
}
