//! Between the rotations that were looked at: in which intervals of rotation is the robot free at a point?
//!
//! A tool that turns at a point is a motion of the robot as any other, so the prover tells how far it stays free: from a posture of the
//! map on until it touches, until its branch ends, or until it is once round. Nothing is sampled between the two ends.

use super::{BranchCode, FeasibleMap, MapCell, MapOptions, Work};
use kansho_cell::ik::{BranchEnd, Solutions};
use kansho_cell::route::{Law, Leg, Loose, PoseCurve, Route, RouteMotion};
use kansho_cell::work::WorkPoint;
use kansho_check::motion::{MotionOptions, MotionWorkspace, RouteScene, Stop};
use kansho_check::scene::PairId;
use kansho_check::verdict::Verdict;
use kansho_geom::pose_motion::Span;
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::sync::atomic::Ordering;

/// A turn is proven in legs that are no longer, in radians.
const LEG: f64 = TAU / 72.0;

/// An interval is not told if it is shorter, in radians: no more than the free posture itself.
const POINT: f64 = 1e-9;

/// Where a branch ends, the proof ends so many radians before; more, if it does not reach as far.
const BEFORE_END: [f64; 4] = [1e-9, 1e-7, 1e-5, 1e-3];

/// Rotations at a point in which the robot, in one branch, is free at every angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeInterval {
    /// Which way the tool is tilted, from 0: upright.
    pub tilt: usize,
    /// The branch.
    pub branch: BranchCode,
    /// Where it begins, in radians.
    pub from: f64,
    /// Where it ends; no less, and no more than once round.
    pub to: f64,
    /// What is beyond the two ends.
    pub ends: [IntervalEnd; 2],
}

/// What is beyond the end of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntervalEnd {
    /// Rotations that are not asked about.
    Range,
    /// The other end: it is free all around.
    Round,
    /// These touch, or are as near as the clearance.
    Touches(PairId),
    /// The branch ends: a limit, a singularity, the reach of the arm.
    Branch(BranchEnd),
    /// Nobody knows.
    Open,
}

/// The free intervals of every point, on all threads of the current pool.
///
/// An interval is found if it holds a rotation at which the map has a free posture; what lies between two rotations of the map that are not
/// free is not looked at. Where the time is over, intervals are missing.
///
/// # Panics
/// If the map is not one of this work.
#[must_use]
pub fn free_intervals(
    routes: &RouteScene<'_>,
    work: &Work<'_>,
    map: &FeasibleMap,
    options: &MapOptions<'_>,
) -> Vec<Vec<FreeInterval>> {
    let points: Vec<&WorkPoint> = work.path.points().collect();
    assert_eq!((points.len(), work.axis.stances()), (map.points(), map.stances()), "the map is of this work");
    let of_point = |finder: &mut Finder<'_>, (number, point): (usize, &&WorkPoint)| {
        let found = if options.is_over() { Vec::new() } else { finder.of_point(map.point(number), point) };
        if let Some(done) = options.done {
            done.fetch_add(1, Ordering::Relaxed);
        }
        found
    };
    points.par_iter().enumerate().map_init(|| Finder::new(routes, work, options), of_point).collect()
}

/// Finds free intervals, point after point.
struct Finder<'a> {
    routes: &'a RouteScene<'a>,
    work: &'a Work<'a>,
    options: MotionOptions<'a>,
    workspace: MotionWorkspace,
    solutions: Solutions,
}

impl<'a> Finder<'a> {
    fn new(routes: &'a RouteScene<'a>, work: &'a Work<'a>, options: &MapOptions<'a>) -> Self {
        let options = MotionOptions {
            clearance: work.clearance,
            deadline: options.deadline,
            stop: options.stop,
            ..MotionOptions::default()
        };
        Self { routes, work, options, workspace: routes.scene().workspace(), solutions: Solutions::default() }
    }

    fn of_point(&mut self, cells: &[MapCell], point: &WorkPoint) -> Vec<FreeInterval> {
        let axis = self.work.axis;
        let rotations = axis.rotations();
        let mut found: Vec<FreeInterval> = Vec::new();
        for (stance, cell) in cells.iter().enumerate() {
            let (tilt, rotation) = (stance / rotations.len(), axis.rotation(stance));
            for branch in cell.free_branches() {
                let is_known = |known: &FreeInterval| {
                    let on = (rotation - known.from).rem_euclid(TAU);
                    known.tilt == tilt
                        && known.branch == branch
                        && (on <= known.to - known.from || on >= TAU - POINT)
                };
                if found.iter().any(is_known) {
                    continue;
                }
                found.extend(self.around(point, tilt, rotation, branch));
            }
        }
        found
    }

    /// The interval around a rotation; none if the branch has no posture there.
    fn around(
        &mut self,
        point: &WorkPoint,
        tilt: usize,
        rotation: f64,
        branch: BranchCode,
    ) -> Option<FreeInterval> {
        let (axis, ik) = (self.work.axis, self.work.ik);
        ik.solve_into(&axis.world_from_tip_at(point, tilt, rotation), None, &mut self.solutions);
        let values = self.solutions.iter().find(|s| BranchCode::of(s.branch) == branch)?.values;
        let mut posture = self.routes.scene().cell().zero_posture();
        ik.put(values, &mut posture);
        let [least, most] = if axis.wraps() {
            [rotation - TAU, rotation + TAU]
        } else {
            [axis.rotations()[0], axis.rotations()[axis.rotations().len() - 1]]
        };
        let turn = Turn { point, tilt };
        let (to, above) = self.turn(&turn, rotation, most, &posture);
        if axis.wraps() && above == IntervalEnd::Range {
            return Some(FreeInterval { tilt, branch, from: rotation, to, ends: [IntervalEnd::Round; 2] });
        }
        let (from, below) = self.turn(&turn, rotation, least.max(to - TAU), &posture);
        Some(FreeInterval { tilt, branch, from, to, ends: [below, above] })
    }

    /// How far the tool can turn at a point, from a posture on; and what is beyond. Leg by leg, so that nothing is looked at beyond the end.
    fn turn(&mut self, turn: &Turn<'_>, from: f64, to: f64, posture: &[f64]) -> (f64, IntervalEnd) {
        let legs = ((to - from).abs() / LEG).ceil();
        let (mut here, mut posture) = (from, posture.to_vec());
        for k in 1..=legs as usize {
            let next = if k as f64 == legs { to } else { from + (to - from) * (k as f64 / legs) };
            match self.leg(turn, here, next, &posture) {
                Ok(end) => posture = end,
                Err(ended) => return ended,
            }
            here = next;
        }
        (here, IntervalEnd::Range)
    }

    /// The posture after a turn by no more than a leg; or how far it is free, and what is beyond.
    fn leg(
        &mut self,
        turn: &Turn<'_>,
        from: f64,
        to: f64,
        posture: &[f64],
    ) -> Result<Vec<f64>, (f64, IntervalEnd)> {
        let mut goal = to;
        let mut beyond = None;
        let mut before_end = BEFORE_END.iter();
        loop {
            if (goal - from).abs() < POINT {
                return Err((from, beyond.unwrap_or(IntervalEnd::Open)));
            }
            let at = |part: f64| from + (goal - from) * part;
            let [start, end] =
                [from, goal].map(|angle| self.work.axis.world_from_tip_at(turn.point, turn.tilt, angle));
            let Ok(curve) = PoseCurve::line(&start, &end, Law::Slerp) else {
                return Err((from, IntervalEnd::Open));
            };
            let leg = Leg {
                of_move: 0,
                way: RouteMotion::Tool { curve, part: Span::WHOLE, loose: Loose::default(), arrives: None },
            };
            let route =
                Route::of_legs(self.routes.tip(), posture.to_vec(), vec![leg]).expect("there is a leg");
            match self.routes.route(&route, &self.options, &mut self.workspace) {
                Ok(report) => {
                    return match (report.verdict, beyond) {
                        (Verdict::Free(proof), None) => {
                            let last = proof.pieces.last().expect("a leg has a piece");
                            Ok(last.piece.controls().iter().map(|c| c[3]).collect())
                        }
                        (Verdict::Free(_), Some(beyond)) => Err((goal, beyond)),
                        (Verdict::Touches(witness), _) => {
                            Err((at(witness.time.start), IntervalEnd::Touches(witness.pair)))
                        }
                        (Verdict::Undecided { open }, _) => Err((at(open.start), IntervalEnd::Open)),
                    };
                }
                Err(stopped) => {
                    beyond = Some(match stopped.why {
                        Stop::Branch(end) => IntervalEnd::Branch(end),
                        _ => IntervalEnd::Open,
                    });
                    let Some(before) = before_end.next() else { return Err((from, IntervalEnd::Open)) };
                    let reached = stopped.fraction * (goal - from).abs() - before;
                    goal = from + reached.max(0.0) * (goal - from).signum();
                }
            }
        }
    }
}

/// A tool that turns at a point.
#[derive(Clone, Copy)]
struct Turn<'a> {
    point: &'a WorkPoint,
    tilt: usize,
}
