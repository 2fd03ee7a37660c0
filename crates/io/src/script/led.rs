//! The motion of the robot that holds the moved body.

use super::LoadedScript;
use crate::cell::{self, CellOptions};
use crate::fault::{Fault, ReadError, Warning};
use crate::motion_file::tip;
use kansho_cell::route::{Move, MoveKind};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::Scene;
use kansho_geom::Pose;
use kansho_plan::words::lead::{Hold, Led, led as lead, tool_motion};
use kansho_plan::words::{Answer, Status};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// What the robot makes of it.
#[derive(Clone, Debug)]
pub struct RobotMotion {
    /// Whether it is led to the end, proven free.
    pub verdict: RobotVerdict,
    /// The same in lines for people.
    pub text: String,
    /// The same for programs.
    pub value: Value,
    /// The motion, if it is proven free: a list of moves that `kansho check` takes.
    pub motion: Option<Vec<u8>>,
    /// Oddities of the cell.
    pub warnings: Vec<Warning>,
}

/// Whether a robot can do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotVerdict {
    /// Proven free.
    Free,
    /// Not from where it was tried.
    NotPossible,
    /// Nobody knows.
    Undecided,
}

/// Leads the tool of the script's robot along what came of the script; nothing if the script has no robot, or did not come to its end.
///
/// # Errors
/// What is wrong with the cell.
pub fn led(
    loaded: &LoadedScript,
    answer: &Answer,
    packages: &[PathBuf],
    options: &MotionOptions<'_>,
) -> Result<Option<RobotMotion>, Vec<ReadError>> {
    let Some(given) = loaded.robot.as_ref().filter(|_| answer.status() == &Status::Reached) else {
        return Ok(None);
    };
    let cell = cell::read(&given.cell, &CellOptions { packages: packages.to_vec() })?;
    let warnings = cell.warnings;
    let refuse =
        |what: String| vec![ReadError { path: given.cell.clone(), faults: vec![Fault::of_file(what)] }];
    let tip = tip(&cell.cell, given.name.as_deref()).map_err(refuse)?;
    let scene = Scene::new(Arc::new(cell.cell)).with_models();
    let prepared = MotionScene::new(&scene);
    let grasp = Pose::from_translation(loaded.script.grasp);
    let hold = Hold { part_from_tip: grasp * given.part_from_tip, cell_from_script: given.cell_from_script };
    let motion = tool_motion(answer, &hold);
    let told = |why: &[String]| why.iter().map(|why| format!("robot    {why}\n")).collect();
    Ok(Some(match lead(&prepared, tip, &motion, options) {
        Led::Free { start, clearance } => RobotMotion {
            verdict: RobotVerdict::Free,
            text: format!(
                "robot    {} moves with the one to the start, proven free in {}, at least {clearance:.6} m apart\n",
                motion.moves.len() + 1,
                given.cell.display()
            ),
            value: json!({ "verdict": "free", "clearance_m": clearance, "start": start, "moves": motion.moves.len() + 1 }),
            motion: Some(format!("{:#}\n", list(&start, &motion.moves)).into_bytes()),
            warnings,
        },
        Led::Not(why) => RobotMotion {
            verdict: RobotVerdict::NotPossible,
            text: told(&why),
            value: json!({ "verdict": "not possible", "why": why }),
            motion: None,
            warnings,
        },
        Led::Undecided(why) => RobotMotion {
            verdict: RobotVerdict::Undecided,
            text: told(&why),
            value: json!({ "verdict": "undecided", "why": why }),
            motion: None,
            warnings,
        },
    }))
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
