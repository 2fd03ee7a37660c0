//! From a work path to a proven robot path.
//!
//! | part | answers |
//! |---|---|
//! | [`map`](feasible) | at which points and in which stances of the tool is the robot free, and why not elsewhere? |
//! | [`intervals`](free_intervals) | between these stances, in which intervals of rotation? |
//! | [`depths`] | how deep is what collides? |
//! | `lane` | postures that are free, of one branch |
//! | `search` | the best way through them, from the first point to the last, or round a closed stroke |
//! | `edge` | is the motion from one posture to the next free at every instant? |
//! | [`plan`] | the whole question |
//! | [`turned`], [`between`] | what of a path that was changed by hand? |
//! | [`placed`] | how good is it where the work stands? |
//! | `run` | strokes and ways between them as the robot goes, proven as a whole |
//!
//! # How
//!
//! A *stance* is a rotation of the tool about its axis, with a tilt where that is allowed. Every point and stance is a cell of the map;
//! inverse kinematics gives all postures for it, and [`Scene`](kansho_check::scene::Scene) tells exactly which are free. Postures of one branch, whole turns
//! apart where limits allow, are the states of a shortest way through layers of points: no other way over the same states costs less.
//! Closed strokes end in the posture in which they began, turns counted: starts are taken together and divided until the best
//! way of a set closes. Then every motion between neighbours is proven; where one fails, it is forbidden and the search goes on.
//!
//! The map is made in chunks of points of a fixed size, each with memory of its own. What moves with the TCP against what stands still is the same
//! in all branches and is asked once a cell, with a margin that covers what branches differ by; the rest is asked branch by branch. `edge` is
//! the only place that asks for proofs. Joint values of states are rounded to `f32`: they choose, and postures are solved again in `f64`
//! before anything is proven. `run` joins the strokes, and the run as a whole is proven once more.
//!
//! The same job gives the same answer, whatever the number of threads. A time limit or a stop ends it and changes nothing else.

mod amend;
mod closed;
mod depths;
mod edge;
mod gaps;
mod intervals;
mod kept;
mod lane;
mod map;
mod names;
mod open;
mod placement;
mod planned;
mod run;
mod search;
mod steps;
mod tips;

pub use amend::{Between, between, turned};
pub use depths::{depths, least_depths};
pub use edge::EdgeKind;
pub use gaps::{PathGaps, path_gaps};
pub use intervals::{FreeInterval, IntervalEnd, free_intervals};
pub use kept::Kept;
pub use map::{FeasibleMap, MapCell, MapOptions, State, feasible};
pub use names::BranchCode;
pub use open::all_free_somewhere;
pub use placement::{Placed, placed};
pub use planned::{
    Blocked, Lift, NoPath, PlanOptions, Planned, PlannedPath, PlannedStroke, SearchEffort, Undecided,
    WhyNoPath, WhyUndecided,
};
pub use run::{PlannedRun, ProvenWay};
pub use search::{Cost, Weights};
pub use steps::plan;
pub use tips::tips_inside;

use kansho_cell::ik::{Ik, Tip};
use kansho_cell::work::{ToolAxis, WorkPath};

/// What is to be worked, and by what.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The tip of the tool.
    pub tip: Tip,
    /// Its inverse kinematics.
    pub ik: &'a Ik,
    /// Where the tip is wanted.
    pub path: &'a WorkPath,
    /// How it may stand there.
    pub axis: &'a ToolAxis,
    /// The least gap that is wanted, in metres: as near as this is a contact.
    pub clearance: f64,
}
