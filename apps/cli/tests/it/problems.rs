//! Two robots in a thousand rooms, whose answers another engine has given.

use crate::run::{csv, real_data};
use kansho::cell::{BodyKind, Cell, Robot};
use kansho::check::scene::Scene;
use kansho::io::problems::{self, Problem, Problems};
use kansho::io::urdf::{self, RobotOptions};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A room with the robot in it; of the robot all pairs are checked but neighbours.
pub(crate) fn cell(robot: &Robot, problem: &Problem) -> Cell {
    Cell::new(problem.draft(robot, &[])).expect("a cell")
}

/// A robot, and its rooms.
pub(crate) fn rooms(data: &Path, name: &str) -> (Robot, Problems) {
    let problems = problems::read(&data.join(format!("problems/{name}_problems.json"))).expect("problems");
    let urdf = data.join(&problems.urdf);
    (urdf::read(&urdf, &RobotOptions::default()).expect("a robot").robot, problems)
}

/// Rows in which the robot touches its room here but not there, or the other way round.
fn differences(data: &Path, name: &str, every: usize) -> (usize, Vec<String>) {
    let (robot, problems) = rooms(data, name);
    let mut rows: HashMap<(String, u64), Vec<HashMap<String, String>>> = HashMap::new();
    for row in csv(&data.join(format!("problems/{name}_configs.csv"))) {
        rows.entry((row["category"].clone(), row["index"].parse().expect("a number"))).or_default().push(row);
    }
    let mut differences = Vec::new();
    let mut looked_at = 0;
    let mut scene: Option<Scene> = None;
    for of_kind in problems.list.chunk_by(|a, b| a.category == b.category) {
        for problem in of_kind.iter().step_by(every) {
            let Problem { category, index, .. } = problem;
            let cell = Arc::new(cell(&robot, problem));
            let now = match &scene {
                Some(before) => before.with_cell(cell),
                None => Scene::new(cell),
            };
            let mut workspace = now.workspace();
            for row in &rows[&(category.clone(), *index)] {
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
