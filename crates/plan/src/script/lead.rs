//! The moved body in the hand of a robot: its ways become moves of the tool.

use super::answer::Answer;
use kansho_cell::ik::{BranchEnd, Ik, IkOptions, LeftOut, Solutions, Tip};
use kansho_cell::route::{Blend, Law, Move, MoveNumber, Route};
use kansho_check::motion::{MotionOptions, MotionScene, RouteScene, Stop};
use kansho_check::sliding_contact::SlidingMotion;
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use std::sync::atomic::Ordering;

/// How the tool holds the body, and where the script's world is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// The tip of the tool in the frame of the moved body.
    pub part_from_tip: Pose,
    /// The script's world in that of the cell.
    pub cell_from_script: Pose,
}

/// Turns of the tip on a circle that is smaller than this are turns on the spot, in metres.
const ON_THE_SPOT: f64 = 1e-9;

/// Longer turns are made in parts, in radians: a circle needs a point in between, and the tool less than half a turn.
const LONGEST_TURN: f64 = 2.0;

/// A motion of the tool.
#[derive(Clone, Debug)]
pub struct ToolMotion {
    /// Where the tip begins.
    pub first: Pose,
    /// What it does: lines and arcs.
    pub moves: Vec<Move>,
    /// Which move of the script each of them is a part of, from 0.
    pub steps: Vec<usize>,
}

/// What became of a motion in the cell.
#[derive(Clone, Debug)]
pub enum Led {
    /// From this posture on it is free, by a proof.
    Free {
        /// Joint values.
        start: Vec<f64>,
        /// The least gap that is proven, in metres.
        clearance: f64,
    },
    /// In no posture; why not, one for each.
    Not(Vec<String>),
    /// In no posture within the budget; why not, one for each.
    Undecided(Vec<String>),
}

/// The ways of an answer as moves of the tool: lines, and arcs about the lines that it turns about. Both are what screws do to the tip,
/// so contacts are kept as they are by the ways.
#[must_use]
pub fn tool_motion(answer: &Answer, hold: &Hold) -> ToolMotion {
    let tip = |pose: Pose| hold.cell_from_script * pose * hold.part_from_tip;
    let (mut moves, mut steps) = (Vec::new(), Vec::new());
    let all = answer.steps.iter().flat_map(|step| step.legs.iter().map(move |leg| (step.number, leg)));
    for (step, leg) in all {
        match leg.way {
            SlidingMotion::Straight { .. } => moves.push(Move::line(tip(leg.way.to()))),
            SlidingMotion::Turn { angle, .. } => {
                let parts = (angle.abs() / LONGEST_TURN).ceil().max(1.0);
                for k in 0..parts as usize {
                    let at = |u: f64| tip(leg.way.at((k as f64 + u) / parts));
                    let (from, via, to) = (at(0.0), at(0.5), at(1.0));
                    let bend = (from.translation() + to.translation()) * 0.5 - via.translation();
                    moves.push(if bend.length() <= ON_THE_SPOT {
                        Move::line(to)
                    } else {
                        Move::arc(via.translation(), to)
                    });
                }
            }
        }
        steps.resize(moves.len(), step);
    }
    ToolMotion { first: tip(answer.start), moves, steps }
}

impl ToolMotion {
    /// A move as people count it: its number in the list that `motion.json` is, whose first is the start; and that of the script's move.
    fn place(&self, of_move: usize) -> String {
        let number = MoveNumber::of_move(of_move).get();
        match self.steps.get(of_move) {
            Some(step) => format!("move {number} of motion.json (move {} of the script)", step + 1),
            None => format!("move {number} of motion.json"),
        }
    }
}

/// Finds a posture from which a robot makes a motion of its tool, proven free in its cell.
#[must_use]
pub fn led(prepared: &MotionScene<'_>, tip: Tip, motion: &ToolMotion, options: &MotionOptions<'_>) -> Led {
    let cell = prepared.cell();
    let ik = match Ik::new(cell, &tip, &IkOptions::default()) {
        Ok(ik) => ik,
        Err(fault) => return Led::Not(vec![fault.to_string()]),
    };
    let scene = match RouteScene::new(prepared, tip) {
        Ok(scene) => scene,
        Err(fault) => return Led::Not(vec![fault.to_string()]),
    };
    let zero = cell.zero_posture();
    let mut solutions = Solutions::default();
    ik.solve_into(&motion.first, Some(&ik.values_in(&zero)), &mut solutions);
    if solutions.is_empty() {
        let why = match solutions.why_none() {
            Some(LeftOut::Limit { coordinate, .. }) => {
                format!("{} would leave its limits", cell.coordinates()[coordinate].full_name())
            }
            _ => "it is out of reach".into(),
        };
        return Led::Not(vec![format!("the start of the motion is not reached: {why}")]);
    }
    let mut workspace = prepared.workspace();
    let (mut why_not, mut undecided) = (Vec::new(), false);
    for solution in solutions.iter() {
        let mut start = zero.clone();
        ik.put(solution.values, &mut start);
        let name = solution.branch.map_or("one branch".into(), |branch| format!("branch {branch}"));
        let route = match Route::new(cell, tip, start.clone(), &motion.moves, Law::Slerp, Blend::Inside) {
            Ok(route) => route,
            Err(fault) => {
                // Its numbers begin with the start, which is the first of the list.
                let place = match fault.number.checked_sub(1) {
                    None => "move 1 of motion.json (the start)".to_owned(),
                    Some(of_move) => motion.place(of_move),
                };
                why_not.push(format!("{name}: {place}: {}", fault.fault));
                continue;
            }
        };
        match scene.route(&route, options, &mut workspace) {
            Err(stopped) => {
                let p = stopped.pose.translation();
                why_not.push(format!(
                    "{name}: {} cannot be followed beyond ({:.4}, {:.4}, {:.4}) m: {}",
                    motion.place(stopped.of_move),
                    p.x,
                    p.y,
                    p.z,
                    why(&stopped.why)
                ));
            }
            Ok(report) => match report.verdict {
                Verdict::Free(proof) => return Led::Free { start, clearance: proof.clearance },
                Verdict::Touches(witness) => {
                    let pair = prepared.scene().pair_name(witness.pair);
                    let place = motion.place(route.legs()[witness.piece].of_move);
                    why_not.push(format!("{name}: {pair} touch in {place}"));
                }
                Verdict::Undecided { open } => {
                    undecided = true;
                    let late = options.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline);
                    let stopped = options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
                    let why = if stopped {
                        "it was stopped"
                    } else if late {
                        "the time of ⟦timeout⟧ is over"
                    } else {
                        "bodies come so near to each other that it could not be proven within the resolution and the number of steps"
                    };
                    let leg = ((open.start * route.legs().len() as f64) as usize).min(route.legs().len() - 1);
                    let place = motion.place(route.legs()[leg].of_move);
                    why_not.push(format!("{name}: undecided from {place} on: {why}"));
                }
            },
        }
    }
    if undecided { Led::Undecided(why_not) } else { Led::Not(why_not) }
}

fn why(stop: &Stop) -> &'static str {
    match stop {
        Stop::Branch(BranchEnd::OutOfReach { .. }) => "it is out of reach",
        Stop::Branch(BranchEnd::Limit { .. }) => "a joint would leave its limits",
        Stop::Branch(_) => "there is a singularity",
        Stop::Elsewhere { .. } => "it ends in another posture",
        Stop::Unbounded => "a slide is outside its limits",
        Stop::Loose => "no bound on joints was found",
    }
}
