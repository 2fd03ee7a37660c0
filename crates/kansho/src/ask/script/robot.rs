//! The motion of the robot that holds the moved body.

use crate::answer::VerdictWord;
use crate::budget::Budget;
use kansho_cell::route::{Move, MoveKind};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::Scene;
use kansho_geom::Pose;
use kansho_io::cell::{self, CellOptions};
use kansho_io::motion_file::tip;
use kansho_io::script::LoadedScript;
use kansho_io::{Fault, ReadError, Warning};
use kansho_plan::script::lead::{Hold, Led, led, tool_motion};
use kansho_plan::script::{Answer, Status};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// What the robot makes of it.
#[derive(Clone, Debug)]
pub(super) struct RobotMotion {
    /// Whether it is led to the end.
    pub(super) answer: RobotAnswer,
    /// The motion, if it is proven free: a list of moves that `check` takes.
    pub(super) motion: Option<Vec<u8>>,
    /// Oddities of the cell.
    pub(super) warnings: Vec<Warning>,
}

/// What the robot of a script makes of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "verdict")]
pub enum RobotAnswer {
    /// It moves to the end, proven free.
    #[serde(rename = "free")]
    Free {
        /// All gaps stay larger than this, in metres.
        clearance_m: f64,
        /// The posture in which it begins.
        start: Vec<f64>,
        /// How many moves the motion has, with the one to the start.
        moves: usize,
        /// The file of its cell.
        #[serde(skip)]
        cell: PathBuf,
    },
    /// Not from any of the postures that were tried.
    #[serde(rename = "not possible")]
    NotPossible {
        /// Why not.
        why: Vec<String>,
    },
    /// It is not decided.
    #[serde(rename = "undecided")]
    Undecided {
        /// Why not.
        why: Vec<String>,
    },
}

impl RobotAnswer {
    /// Whether it can; what is not possible counts as a collision.
    #[must_use]
    pub fn outcome(&self) -> VerdictWord {
        match self {
            Self::Free { .. } => VerdictWord::Free,
            Self::NotPossible { .. } => VerdictWord::Touches,
            Self::Undecided { .. } => VerdictWord::Undecided,
        }
    }

    /// In lines.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Free { clearance_m, moves, cell, .. } => format!(
                "robot    {moves} moves with the one to the start, proven free in {}, at least {clearance_m:.6} m apart\n",
                cell.display()
            ),
            Self::NotPossible { why } | Self::Undecided { why } => {
                why.iter().map(|why| format!("robot    {why}\n")).collect()
            }
        }
    }
}

/// Leads the tool of the script's robot along what came of the script; nothing if the script has no robot, or did not come to its end.
///
/// # Errors
/// What is wrong with the cell.
pub(super) fn lead(
    loaded: &LoadedScript,
    answer: &Answer,
    packages: &[PathBuf],
    budget: &Budget<'_>,
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
    let Budget { deadline, stop, .. } = *budget;
    let options = MotionOptions { deadline, stop, ..MotionOptions::default() };
    let (answer, motion) = match led(&prepared, tip, &motion, &options) {
        Led::Free { start, clearance } => {
            let list = format!("{:#}\n", list(&start, &motion.moves)).into_bytes();
            let (moves, cell) = (motion.moves.len() + 1, given.cell.clone());
            (RobotAnswer::Free { clearance_m: clearance, start, moves, cell }, Some(list))
        }
        Led::Not(why) => (RobotAnswer::NotPossible { why }, None),
        Led::Undecided(why) => (RobotAnswer::Undecided { why }, None),
    };
    Ok(Some(RobotMotion { answer, motion, warnings }))
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
