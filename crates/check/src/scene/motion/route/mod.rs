//! A route of a tool: proven free at every instant, or its first contact, or where it cannot be followed.
//!
//! Joints that lead a tool along a curve are near cubics, by a bound ([`joint_error`](kansho_verify::route::joint_error)) that is taken
//! off every gap. Pieces begin long, with a margin that a cell has room for nearly everywhere; where it has not, they are made again,
//! shorter, until the margin is less than what is told apart.

mod fan;
mod laws;
mod trace;

pub use fan::JointCorner;
pub use laws::{LawReport, LawsWanted, worst_law};
pub use trace::{Stop, Stopped};

use super::{
    Contact, LeastGap, MotionCounters, MotionOptions, MotionScene, MotionWitness, MotionWorkspace, SoFar,
    Uncertified,
};
use crate::verdict::Verdict;
use kansho_cell::ik::Tip;
use kansho_cell::route::{Loose, Route, RouteMotion};
use kansho_cell::{Cell, FrameId, JointMotion, JointPiece};
use kansho_geom::pose_motion::Span;
use kansho_verify::motion::MotionCertificate;
use kansho_verify::route::{Arm, ArmFault, RoutePiece};
use rayon::prelude::*;
use trace::{Course, Tracer};

/// The margin that pieces have at first, in metres.
const COARSE: f64 = 2e-3;

/// The margin of pieces that are made again, as a part of the one before.
const FINER: f64 = 1.0 / 64.0;

/// Why a route is free.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteProof {
    /// A bound below all gaps of bodies that move relative to each other at every instant, in metres; infinite if there are none.
    pub clearance: f64,
    /// The cubics that it was proven with.
    pub pieces: Vec<RoutePiece>,
}

/// An answer, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteReport {
    /// Free, touches or undecided. The pieces of a witness are legs of the route, its times fractions of them.
    pub verdict: Verdict<RouteProof, MotionWitness>,
    /// What it took.
    pub counters: MotionCounters,
}

/// A scene prepared for routes of one tool. All threads share it.
///
/// ```
/// use kansho_cell::{builtin, ik::Tip, route::{Blend, Law, Move, Route}};
/// use kansho_check::{motion::{MotionOptions, MotionScene, RouteScene}, scene::Scene};
/// use kansho_geom::{Pose, glam::DVec3};
/// let scene = Scene::new(std::sync::Arc::new(builtin::cell())).with_models();
/// let prepared = MotionScene::new(&scene);
/// let tip = Tip::tool(scene.cell(), "arm").expect("the arm has a tool");
/// let routes = RouteScene::new(&prepared, tip).expect("six joints move it");
/// let aside = Pose::from_translation(DVec3::Y * 0.05) * tip.placed(scene.cell(), &builtin::home());
/// let route = Route::new(scene.cell(), tip, builtin::home(), &[Move::line(aside)], Law::Slerp, Blend::Inside).expect("a line");
/// let report = routes.route(&route, &MotionOptions::default(), &mut prepared.workspace()).expect("it is within reach");
/// assert!(report.verdict.is_free());
/// ```
#[derive(Debug)]
pub struct RouteScene<'a> {
    prepared: &'a MotionScene<'a>,
    tip: Tip,
    arm: Arm,
}

/// The first move of a route (from 0) whose rounded corner may be anything that cannot be bounded; none if there is none before the route
/// ends, or stops for another reason.
///
/// # Errors
/// The tool is not moved by six joints.
pub fn unbounded_corner(cell: &Cell, route: &Route) -> Result<Option<usize>, ArmFault> {
    let arm = Arm::new(cell, &route.tip())?;
    Ok(match (Tracer { cell, arm: &arm, route }).all(COARSE) {
        Err(Stopped { why: Stop::Loose, of_move, .. }) => Some(of_move),
        _ => None,
    })
}

impl<'a> RouteScene<'a> {
    /// Prepares a scene for a tool.
    ///
    /// # Errors
    /// The tool is not moved by six joints.
    pub fn new(prepared: &'a MotionScene<'a>, tip: Tip) -> Result<Self, ArmFault> {
        Ok(Self { prepared, tip, arm: Arm::new(prepared.cell(), &tip)? })
    }

    /// The scene that was prepared.
    #[must_use]
    pub fn scene(&self) -> &'a MotionScene<'a> {
        self.prepared
    }

    /// What is led.
    #[must_use]
    pub fn tip(&self) -> Tip {
        self.tip
    }

    /// The arm that moves the tool.
    #[must_use]
    pub fn arm(&self) -> &Arm {
        &self.arm
    }

    /// Whether a route is free, or where it first touches.
    ///
    /// # Errors
    /// Where it cannot be followed: out of reach, beyond limits, in a singularity.
    ///
    /// # Panics
    /// If the route is of another tool.
    pub fn route(
        &self,
        route: &Route,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Result<RouteReport, Stopped> {
        let before = workspace.counters();
        let pieces = self.tracer(route).all(COARSE)?;
        let verdict = self.decide(route, pieces, options, workspace);
        let counters = workspace.counters().since(before);
        Ok(RouteReport { verdict, counters })
    }

    /// Cubics that follow a route, with margins of no more than this, in metres.
    ///
    /// # Errors
    /// Where it cannot be followed.
    ///
    /// # Panics
    /// If the route is of another tool.
    pub fn trace(&self, route: &Route, margin: f64) -> Result<Vec<RoutePiece>, Stopped> {
        self.tracer(route).all(margin)
    }

    /// The posture at an instant of a piece, on the curve itself; none if it is not reached.
    #[must_use]
    pub fn posture(&self, route: &Route, piece: &RoutePiece, v: f64) -> Option<Vec<f64>> {
        let mut posture = Vec::new();
        piece.piece.at(v, &mut posture);
        if let RouteMotion::Tool { curve, .. } = &route.legs()[piece.leg].way {
            let mut values = self.arm.values(&posture);
            if !self.tracer(route).reach(&curve.at(piece.part.at(v)), &mut values) {
                return None;
            }
            self.arm.coordinates().iter().zip(values).for_each(|(k, value)| posture[*k] = value);
        }
        Some(posture)
    }

    /// A certificate that a route is free, from the pieces with which that was proven.
    ///
    /// # Errors
    /// None was found.
    pub fn certify(
        &self,
        pieces: &[RoutePiece],
        options: &MotionOptions<'_>,
    ) -> Result<MotionCertificate, Uncertified> {
        let motion = joined(pieces);
        let margin = |piece: usize, frames: [FrameId; 2]| pieces[piece].margins.of(&self.arm, frames);
        self.prepared.certify_with_margins(&motion, options, &margin)
    }

    /// Where the least gap of a route lies that was found free with these options.
    ///
    /// As [`MotionScene::least_gap`], on cubics with a margin of at most `margin`, which is taken off what is proven. Times are fractions of
    /// the route.
    ///
    /// # Errors
    /// Where it cannot be followed.
    pub fn least_gap(
        &self,
        route: &Route,
        options: &MotionOptions<'_>,
        known: f64,
        workspace: &mut MotionWorkspace,
    ) -> Result<LeastGap, Stopped> {
        let pieces = self.trace(route, options.resolution)?;
        let motion = joined(&pieces);
        let margin = pieces.iter().map(|piece| piece.margins.of_joints).fold(0.0, f64::max);
        let found = self.prepared.least_gap(&motion, options, known, workspace);
        let time = |t: f64| {
            let place = t * pieces.len() as f64;
            let index = (place as usize).min(pieces.len() - 1);
            self.time(route, &pieces[index], place - index as f64)
        };
        let measured = found.measured.map(|(t, gap)| (time(t), gap));
        Ok(LeastGap { proven: (found.proven - margin).max(known.min(found.proven)), measured })
    }

    fn tracer<'r>(&'r self, route: &'r Route) -> Tracer<'r> {
        assert_eq!(route.tip(), self.tip, "the route is one of this tool");
        Tracer { cell: self.prepared.cell(), arm: &self.arm, route }
    }

    /// The part of the route that an instant of a piece is.
    fn time(&self, route: &Route, piece: &RoutePiece, v: f64) -> f64 {
        route.time(piece.leg, in_leg(route, piece, v))
    }

    fn decide(
        &self,
        route: &Route,
        mut pieces: Vec<RoutePiece>,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Verdict<RouteProof, MotionWitness> {
        let prepared = self.prepared;
        if !options.is_good() {
            return Verdict::Undecided { open: Span::WHOLE };
        }
        workspace.exact.forget();
        if prepared.scene.touches(route.start(), &mut workspace.of_scene) {
            return Verdict::Touches(prepared.start(route.start().to_vec(), workspace));
        }
        // What is told apart, with what a witness on the curve may be off from one on the cubics.
        let fine = 0.25 * options.resolution;
        pieces.reverse();
        let mut proven: Vec<RoutePiece> = Vec::new();
        let mut clearance = f64::INFINITY;
        while let Some(piece) = pieces.pop() {
            let open = || {
                let [start, end] = [0.0, 1.0].map(|v| self.time(route, &piece, v));
                Verdict::Undecided { open: Span::new(start, end) }
            };
            let loose = match &route.legs()[piece.leg].way {
                RouteMotion::Tool { loose, .. } => *loose,
                RouteMotion::Joints(_) => Loose::default(),
            };
            // None is larger.
            let margin = piece.margins.of_joints;
            let trial = MotionOptions {
                // Beyond what is fine, being near is a reason to look again, not a contact: where does not matter.
                contact: if margin <= fine { options.contact } else { Contact::Any },
                resolution: if margin <= fine {
                    options.resolution - 2.0 * margin
                } else {
                    0.25 * piece.margins.of_tip.max(fine)
                },
                ..*options
            };
            let of_frames = |frames: [FrameId; 2]| piece.margins.of(&self.arm, frames);
            let sofar = prepared.piece(&piece.piece, &trial, &of_frames, workspace);
            if sofar.found.is_none() && sofar.open.is_none() && sofar.met.is_none() {
                clearance = clearance.min(sofar.clearance);
                proven.push(piece);
                continue;
            }
            if options.is_late() {
                return open();
            }
            let is_last = margin <= fine || !self.again(route, &piece, loose, 0.5 * fine, &mut pieces);
            if !is_last {
                continue;
            }
            return match self.contact(route, &piece, &sofar, options, workspace) {
                Some(witness) => Verdict::Touches(witness),
                None => open(),
            };
        }
        Verdict::Free(RouteProof { clearance, pieces: proven })
    }

    /// Makes the pieces for a part again, shorter; whether that is worth it.
    fn again(
        &self,
        route: &Route,
        piece: &RoutePiece,
        loose: Loose,
        fine: f64,
        onto: &mut Vec<RoutePiece>,
    ) -> bool {
        let RouteMotion::Tool { curve, .. } = &route.legs()[piece.leg].way else { return false };
        let here: Vec<f64> = piece.piece.controls().iter().map(|c| c[0]).collect();
        let course = Course { leg: piece.leg, curve, loose };
        let mut finer = Vec::new();
        let made = self.tracer(route).along(
            course,
            piece.part,
            &here,
            (FINER * piece.margins.of_joints).max(fine),
            &mut finer,
        );
        let is_less = finer.iter().all(|finer| finer.margins.of_joints < 0.9 * piece.margins.of_joints);
        // What follows begins where this ended, to the last bit.
        let is_joined = finer.last().is_some_and(|last| {
            last.piece.controls().iter().zip(piece.piece.controls()).all(|(a, b)| (a[3] - b[3]).abs() < 1e-12)
        });
        if made.is_err() || !is_less || !is_joined {
            return false;
        }
        if let Some(last) = finer.last_mut() {
            let mut controls = last.piece.controls().to_vec();
            controls.iter_mut().zip(piece.piece.controls()).for_each(|(c, old)| c[3] = old[3]);
            let joined = JointPiece::of_controls(controls).expect("all are finite");
            let of_arm = self.arm.coordinates().map(|k| joined.controls()[k]);
            let error = kansho_verify::route::joint_error(&self.arm, curve, last.part, loose, &of_arm);
            let Some(error) = error else { return false };
            *last = RoutePiece { margins: self.arm.margins(&error), piece: joined, ..*last };
        }
        onto.extend(finer.into_iter().rev());
        true
    }

    /// What was found in a piece, on the curve itself; none if it is no contact there.
    fn contact(
        &self,
        route: &Route,
        piece: &RoutePiece,
        sofar: &SoFar,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Option<MotionWitness> {
        let found = sofar.found?;
        let posture = self.posture(route, piece, found.time.end)?;
        let still = JointPiece::line(&posture, &posture);
        let witness = self.prepared.witness(&still, piece.leg, found.time, found.pair, options, workspace);
        if !(witness.gap <= options.of(witness.pair) + options.resolution) {
            return None;
        }
        let start = sofar.open.map_or(found.time.start, |open| open.start.min(found.time.start));
        let time = [start, found.time.end].map(|v| self.time(route, piece, v));
        let in_piece = in_leg(route, piece, found.time.end);
        let at_start = piece.leg == 0 && in_piece == 0.0;
        Some(MotionWitness { time: Span::new(time[0], time[1]), in_piece, at_start, ..witness })
    }

    /// Many routes, on all threads of the current pool. The answers do not depend on their number.
    #[must_use]
    pub fn routes(&self, routes: &[Route], options: &MotionOptions<'_>) -> Vec<Result<RouteReport, Stopped>> {
        let one = |workspace: &mut MotionWorkspace, route: &Route| self.route(route, options, workspace);
        routes.par_iter().map_init(|| self.prepared.workspace(), one).collect()
    }
}

/// The part of a leg that an instant of a piece is.
fn in_leg(route: &Route, piece: &RoutePiece, v: f64) -> f64 {
    match &route.legs()[piece.leg].way {
        RouteMotion::Joints(_) => v,
        RouteMotion::Tool { part, .. } => ((piece.part.at(v) - part.start) / part.length()).clamp(0.0, 1.0),
    }
}

/// The cubics of pieces, one after the other.
fn joined(pieces: &[RoutePiece]) -> JointMotion {
    JointMotion::of_pieces(pieces.iter().map(|piece| piece.piece.clone()).collect())
        .expect("pieces follow one another")
}
