//! What is wanted of a path, and what comes of it.

use super::run::PlannedRun;
use super::search::{Cost, Weights};
use super::{BranchCode, EdgeKind};
use kansho_cell::JointMotion;
use kansho_cell::route::Blend;
use kansho_check::scene::PairId;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// What is wanted of a path, and how far to go for it.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions<'a> {
    /// How the controller moves from point to point.
    pub kind: EdgeKind,
    /// How far from a point the controller may round it off, in metres. Only lines of the tool can be rounded.
    pub zone: f64,
    /// What it does there.
    pub blend: Blend,
    /// What is better and what is worse.
    pub weights: Weights,
    /// Whether the stance stays the same all along a stroke.
    pub constant: bool,
    /// Whether the branch may change within a stroke.
    pub change_branch: bool,
    /// Whether motions are proven. Without, a path may collide: for comparison only.
    pub unchecked: bool,
    /// How far the tool is lifted off against its axis before and after each stroke, in metres; less where that is not free.
    pub lift: f64,
    /// Whether ways from each stroke to the next are planned.
    pub connect: bool,
    /// Searches of a stroke, at most: one more after each in which a motion was not proven.
    pub most_searches: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Whether to stop now.
    pub stop: Option<&'a AtomicBool>,
    /// Counts the motions of the path that are proven; less after motions that had to be gone around.
    pub done: Option<&'a AtomicUsize>,
}

impl Default for PlanOptions<'_> {
    fn default() -> Self {
        Self {
            kind: EdgeKind::Ptp,
            zone: 0.0,
            blend: Blend::Inside,
            weights: Weights::default(),
            constant: false,
            change_branch: false,
            unchecked: false,
            lift: 0.0,
            connect: true,
            most_searches: 500,
            deadline: None,
            stop: None,
            done: None,
        }
    }
}

impl PlanOptions<'_> {
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Planned {
    /// A path. Every motion of it is proven free, unless that was not wanted.
    Path(PlannedPath),
    /// There is none over these points and stances.
    NoPath(NoPath),
    /// Nobody knows.
    Undecided(Undecided),
}

/// Why nobody knows whether there is a path.
#[derive(Clone, Debug)]
pub struct Undecided {
    /// The reason.
    pub why: WhyUndecided,
    /// What it took.
    pub effort: SearchEffort,
}

/// Why nobody knows whether there is a path.
#[derive(Clone, Debug, PartialEq)]
pub enum WhyUndecided {
    /// The time that was given was over, or somebody stopped it.
    Time,
    /// The tool cannot be led along lines: the arm has other than six joints, or one without limits.
    Arm(String),
    /// Corners between moves of joints are to be rounded, and how a controller does that is not known.
    RoundedJointMoves,
    /// As many searches of a stroke were made as allowed, and in each a motion was not free.
    Searches {
        /// The stroke, from 0.
        stroke: usize,
        /// How many.
        most: usize,
    },
    /// Every path of a stroke that is left has a motion that is neither proven free nor found to touch.
    Motions {
        /// The stroke, from 0.
        stroke: usize,
    },
    /// The path is there, but not as the controller goes along it as a whole: near these points of the work path (from 0).
    Corners {
        /// The points; empty if it is not known where.
        points: Vec<usize>,
        /// What is wrong there.
        what: String,
    },
}

/// A robot path.
#[derive(Clone, Debug)]
pub struct PlannedPath {
    /// One for each stroke of the work.
    pub strokes: Vec<PlannedStroke>,
    /// Postures above the start and the end of each stroke, to which the tool is lifted off it; none where that is not wanted or not free.
    pub lifts: Vec<[Option<Lift>; 2]>,
    /// Proven ways from the end of each stroke, or above it, to the next; none where none was found or wanted.
    pub links: Vec<Option<JointMotion>>,
    /// All of it, as the robot goes: strokes joined by the ways between them, anew after a way that is missing. Each is proven as it is
    /// here. None if motions were not to be proven.
    pub runs: Vec<PlannedRun>,
    /// A bound below all gaps at every instant, in metres: what the proofs needed. Infinite if nothing moves.
    pub clearance: f64,
    /// What it took.
    pub effort: SearchEffort,
}

/// Where a tool is lifted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Lift {
    /// How far, in metres.
    pub by: f64,
    /// The posture there.
    pub posture: Vec<f64>,
}

/// The path of a stroke.
#[derive(Clone, Debug)]
pub struct PlannedStroke {
    /// Number of its first point.
    pub first: usize,
    /// Whether it ends in the posture in which it begins.
    pub closed: bool,
    /// The stance at each point.
    pub stances: Vec<usize>,
    /// The branch at each point.
    pub branches: Vec<BranchCode>,
    /// The posture of the cell at each point.
    pub postures: Vec<Vec<f64>>,
    /// The posture in which it ends: that at the last point, or if it is closed that at the first, but for whole turns of joints that turn
    /// without end.
    pub end: Vec<f64>,
    /// What it costs, and why.
    pub cost: Cost,
    /// The least measure of nearness to a singularity.
    pub nearness: f64,
    /// The least distance of a joint from a limit, in radians (metres, if it slides); infinite without limits.
    pub limit_margin: f64,
    /// The largest change of a joint between neighbours, in radians (metres).
    pub largest_step: f64,
}

impl PlannedStroke {
    /// The postures that follow each other, with the one in which it closes.
    pub fn way(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.postures.iter().chain(self.closed.then_some(&self.end))
    }

    /// The whole of it as one motion in which joints move evenly; none if it is a single point.
    #[must_use]
    pub fn motion(&self) -> Option<JointMotion> {
        JointMotion::lines(&self.way().cloned().collect::<Vec<_>>()).ok()
    }
}

/// Why there is no path.
#[derive(Clone, Debug)]
pub struct NoPath {
    /// The stroke, from 0.
    pub stroke: usize,
    /// Why.
    pub why: WhyNoPath,
    /// What it took.
    pub effort: SearchEffort,
}

/// Why there is no path.
#[derive(Clone, Debug, PartialEq)]
pub enum WhyNoPath {
    /// These points are free in no stance.
    Blocked(Vec<Blocked>),
    /// Every point is free in some stance, but no postures lead on from this point to the next, from wherever one starts.
    Between {
        /// Its number in the work path, from 0.
        point: usize,
    },
    /// Ways lead from the first point to the last, but none closes.
    NotClosed,
}

/// A point that is free in no stance.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    /// Its number, from 0.
    pub point: usize,
    /// How many stances are out of reach.
    pub out_of_reach: usize,
    /// How many would need joints beyond their limits.
    pub limit: usize,
    /// In how many stances which pair touches, most first.
    pub pairs: Vec<(PairId, usize)>,
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchEffort {
    /// States to choose from.
    pub states: usize,
    /// Times that costs were worked out from the first point to the last.
    pub passes: usize,
    /// Searches: one, and one more after each in which a motion was not proven.
    pub searches: usize,
    /// Motions that were asked for.
    pub edges: usize,
    /// Motions between free postures that touch.
    pub touching: usize,
    /// Motions of which nobody knows.
    pub undecided: usize,
}
