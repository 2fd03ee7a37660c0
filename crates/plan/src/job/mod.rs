//! Jobs: a work path in a cell, and how a robot may follow it.
//!
//! | part | does |
//! |---|---|
//! | [`Job`] | all that a plan depends on; `kansho_io::job` reads it from `job.toml` |
//! | [`Job::in_cell`] | the same job where something stands elsewhere |
//! | [`Job::relaxed`] | the same job with something let go of |
//! | [`Job::placed`] | the same job with its work or its robot elsewhere |

mod elsewhere;
mod place;
mod relax;

pub use elsewhere::{JobFrames, stands_still};
pub use place::{PLACE_AXES, PlaceGrid, PlaceOf, Placement};
pub use relax::{Relaxation, RelaxationKind};

use crate::timing::TimeLimits;
use kansho_cell::Cell;
use kansho_cell::route::{Blend, Laws};
use kansho_cell::work::{ToolAxis, WorkPath};

/// A work path in a cell, and how a robot may follow it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The cell.
    pub cell: Cell,
    /// The robot that works.
    pub robot: String,
    /// Where the tool is wanted.
    pub path: WorkPath,
    /// How it may stand there.
    pub axis: ToolAxis,
    /// Which frames path and rotations are in.
    pub frames: JobFrames,
    /// Whether the tool rotation stays the same all along a stroke.
    pub constant: bool,
    /// Whether the branch may change within a stroke.
    pub change_branch: bool,
    /// How the controller moves from point to point.
    pub motion: JobMotion,
    /// How the tool turns on linear moves: all that the job asks for, and all that the controllers of its programs may do.
    pub laws: Laws,
    /// Speed of the TCP, in metres per second.
    pub speed: f64,
    /// How far from a point the controller may round it off, in metres.
    pub zone: f64,
    /// What the controller does there.
    pub blend: Blend,
    /// How far the tool is lifted off before and after each stroke, in metres.
    pub lift: f64,
    /// The least gap required, in metres.
    pub clearance: f64,
    /// What its times need; none if the job does not ask for them.
    pub timing: Option<JobTiming>,
}

/// How a controller moves from point to point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobMotion {
    /// Straight lines of the tool.
    Lin,
    /// All joints evenly.
    Ptp,
}

/// What a path's times need.
#[derive(Clone, Debug, PartialEq)]
pub struct JobTiming {
    /// What joints and the TCP can do.
    pub limits: TimeLimits,
    /// Seconds from one row of the trajectory to the next.
    pub cycle: f64,
}
