//! The motion of the robot that holds the moved body.

use kansho::cell::ik::Tip;
use kansho::cell::route::{Move, MoveKind};
use kansho::check::motion::{MotionOptions, MotionScene};
use kansho::check::scene::Scene;
use kansho::geom::Pose;
use kansho::io::cell::{self, CellOptions};
use kansho::io::script::LoadedScript;
use kansho::io::{Fault, ReadError};
use kansho::plan::words::Answer;
use kansho::plan::words::lead::{Hold, Led, led as lead, tool_motion};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// What the robot makes of it.
pub(super) struct Robot {
    pub(super) text: String,
    pub(super) value: Value,
    pub(super) motion: Option<Vec<u8>>,
    pub(super) code: u8,
}

pub(super) fn led(
    loaded: &LoadedScript,
    answer: &Answer,
    packages: &[PathBuf],
    deadline: Option<Instant>,
) -> Result<Robot, Vec<ReadError>> {
    let given = loaded.robot.as_ref().expect("the script has a robot");
    let cell = cell::read(&given.cell, &CellOptions { packages: packages.to_vec() })?;
    crate::say::warnings(&cell.warnings);
    let refuse =
        |what: String| vec![ReadError { path: given.cell.clone(), faults: vec![Fault::of_file(what)] }];
    let tip: Tip = kansho::io::motion_file::tip(&cell.cell, given.name.as_deref()).map_err(refuse)?;
    let scene = Scene::new(Arc::new(cell.cell)).with_models();
    let prepared = MotionScene::new(&scene);
    let grasp = Pose::from_translation(loaded.script.grasp);
    let hold = Hold { part_from_tip: grasp * given.part_from_tip, cell_from_script: given.cell_from_script };
    let motion = tool_motion(answer, &hold);
    let options = MotionOptions { deadline, ..MotionOptions::default() };
    let told = |why: &[String]| why.iter().map(|why| format!("robot    {why}\n")).collect();
    Ok(match lead(&prepared, tip, &motion, &options) {
        Led::Free { start, clearance } => {
            let list = list(&start, &motion.moves);
            Robot {
                text: format!(
                    "robot    {} moves of the tool, proven free in {}, at least {clearance:.6} m apart\n",
                    motion.moves.len(),
                    given.cell.display()
                ),
                value: json!({ "verdict": "free", "clearance_m": clearance, "start": start, "moves": motion.moves.len() }),
                motion: Some(format!("{list:#}\n").into_bytes()),
                code: 0,
            }
        }
        Led::Not(why) => Robot {
            text: told(&why),
            value: json!({ "verdict": "not possible", "why": why }),
            motion: None,
            code: 1,
        },
        Led::Undecided(why) => Robot {
            text: told(&why),
            value: json!({ "verdict": "undecided", "why": why }),
            motion: None,
            code: crate::UNDECIDED,
        },
    })
}

/// A list of moves that `kansho check` takes.
fn list(start: &[f64], moves: &[Move]) -> Value {
    let pose = |pose: &Pose| {
        let (p, q) = (pose.translation(), pose.quat());
        json!({ "xyz": p.to_array(), "quat": [q.w, q.x, q.y, q.z] })
    };
    let mut list = vec![json!({ "ptp": start })];
    for one in moves {
        list.push(match &one.kind {
            MoveKind::Joints(to) => json!({ "ptp": to }),
            MoveKind::Line(to) => json!({ "lin": pose(to) }),
            MoveKind::Arc { via, to } => {
                let mut circ = pose(to);
                circ["via"] = json!(via.to_array());
                json!({ "circ": circ })
            }
            MoveKind::Spline(through) => json!({ "spline": through.iter().map(pose).collect::<Vec<_>>() }),
        });
    }
    json!(list)
}
