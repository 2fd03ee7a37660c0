//! Some of the public problems of two robots, as meshes.

use crate::verified;
use kansho_cell::Cell;
use kansho_check::motion::MotionScene;
use kansho_check::scene::Scene;
use kansho_io::problems::{self, Problem};
use kansho_io::srdf;
use kansho_io::urdf::{self, RobotOptions};
use kansho_plan::transfer::{Transfer, TransferOptions, WhyNot, find_transfer};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// One of so many is looked at.
const EVERY: usize = 50;

fn solve(name: &str) {
    let Some(data) = std::env::var_os("KANSHO_DATA").map(|folder| Path::new(&folder).join("data")) else {
        eprintln!("skipped: KANSHO_DATA is not set, so there are no real files to test with");
        return;
    };
    let problems = problems::read(&data.join(format!("problems/{name}_problems.json"))).expect("problems");
    let path = data.join(&problems.urdf);
    let robot = urdf::read(&path, &RobotOptions::default()).expect("a robot").robot;
    let srdf = srdf::read(&path.with_extension("srdf"), &robot).expect("an SRDF");
    let options =
        TransferOptions { time_limit: Some(Duration::from_secs(120)), ..TransferOptions::default() };
    let (mut looked_at, mut in_contact) = (0, 0);
    for of_kind in problems.list.chunk_by(|a, b| a.category == b.category) {
        for problem in of_kind.iter().step_by(EVERY) {
            let cell = Cell::new(problem.draft(&robot, &srdf.disabled)).expect("a cell");
            let scene = Scene::new(Arc::new(cell)).with_models();
            let scene = MotionScene::new(&scene);
            let Problem { category, index, start, goal, .. } = problem;
            looked_at += 1;
            match find_transfer(&scene, start, goal, &options) {
                Transfer::NotFound { why: WhyNot::Touches { .. }, .. } => in_contact += 1,
                Transfer::NotFound { why, effort } => {
                    panic!("{name} {category} {index}: {why:?} {effort:?}")
                }
                found @ Transfer::Found { .. } => {
                    verified(&scene, found, [start, goal], 0.0);
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
