//! The only place that asks whether something is free.

use super::space::Space;
use super::{Effort, End, WhyNot};
use kansho_cell::{JointMotion, JointPiece};
use kansho_check::motion::{
    Contact, MotionOptions, MotionProof, MotionScene, MotionWitness, MotionWorkspace,
};
use kansho_check::scene::Workspace;
use kansho_check::verdict::Verdict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How exactly the first contact of a line is wanted, as a fraction of it: only where it ends depends on it.
const TIME_TOLERANCE: f64 = 1e-3;

/// How far apart postures of a line are asked whether they touch, in weighted radians and metres.
const SPACING: f64 = 0.15;

/// How much of that a line stays back from a posture that touches.
const BACK: f64 = 0.5;

/// Asks and counts.
#[derive(Debug)]
pub(super) struct Prover<'s, 'a> {
    scene: &'s MotionScene<'a>,
    of_motions: MotionWorkspace,
    of_postures: Workspace,
    on: Vec<f64>,
    options: MotionOptions<'s>,
    pub(super) effort: Effort,
}

/// Why a search ends without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Late,
    Enough,
}

/// What is known of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    /// Proven free.
    Free,
    /// Free before this fraction of it.
    Until(f64),
}

impl<'s, 'a> Prover<'s, 'a> {
    /// Memory of its own, so that nothing that was asked before can have an influence.
    pub(super) fn new(
        scene: &'s MotionScene<'a>,
        clearance: f64,
        deadline: Option<Instant>,
        stop: Option<&'s AtomicBool>,
    ) -> Self {
        Self {
            scene,
            of_motions: scene.workspace(),
            of_postures: scene.scene().workspace(),
            on: Vec::new(),
            options: MotionOptions {
                clearance,
                time_tolerance: TIME_TOLERANCE,
                deadline,
                stop,
                ..MotionOptions::default()
            },
            effort: Effort::default(),
        }
    }

    /// Whether an end is free, asked like any line: one that leads nowhere.
    pub(super) fn stands(&mut self, posture: &[f64], end: End) -> Result<(), WhyNot> {
        let still = JointMotion::of_piece(JointPiece::line(posture, posture));
        match self.whole(&still, Contact::Any)? {
            Verdict::Free(_) => Ok(()),
            Verdict::Touches(MotionWitness { pair, gap, .. }) => Err(WhyNot::Touches { end, pair, gap }),
            Verdict::Undecided { .. } => Err(WhyNot::Undecided { end }),
        }
    }

    /// Whether a line is free, and otherwise up to where.
    pub(super) fn line(&mut self, from: &[f64], to: &[f64]) -> Result<Line, Stop> {
        let motion = JointMotion::of_piece(JointPiece::line(from, to));
        Ok(match self.whole(&motion, Contact::First)? {
            Verdict::Free(_) => Line::Free,
            Verdict::Touches(MotionWitness { time, .. }) => Line::Until(time.start),
            Verdict::Undecided { open } => Line::Until(open.start),
        })
    }

    /// The verdict of a whole motion. One that time ran out for is none.
    pub(super) fn whole(
        &mut self,
        motion: &JointMotion,
        contact: Contact,
    ) -> Result<Verdict<MotionProof, MotionWitness>, Stop> {
        self.effort.edges += 1;
        let verdict = self
            .scene
            .motion(motion, &MotionOptions { contact, ..self.options }, &mut self.of_motions)
            .verdict;
        self.in_time()?;
        Ok(verdict)
    }

    /// Whether a line is worth a proof, by some of its postures: up to which part of it. Proves nothing; a posture is asked sooner than
    /// a line, though.
    pub(super) fn looks_free_until(&mut self, space: &Space, from: &[f64], to: &[f64]) -> f64 {
        let count = (space.distance(from, to) / SPACING).ceil().max(1.0);
        for k in 1..=count as usize {
            space.toward(from, to, k as f64 / count, &mut self.on);
            self.effort.postures += 1;
            if self.scene.scene().touches(&self.on, &mut self.of_postures) {
                return (k as f64 - 1.0 - BACK).max(0.0) / count;
            }
        }
        1.0
    }

    /// Whether a line is proven free, by some of its postures first: from the middle on, then the middles of the halves.
    pub(super) fn is_free(&mut self, space: &Space, from: &[f64], to: &[f64]) -> Result<bool, Stop> {
        let count = (space.distance(from, to) / SPACING).ceil().max(1.0) as usize;
        // Odd multiples of halves, quarters, eighths, ..
        let mut parts = 2;
        while parts < 2 * count {
            for k in (1..parts).step_by(2) {
                space.toward(from, to, k as f64 / parts as f64, &mut self.on);
                self.effort.postures += 1;
                if self.scene.scene().touches(&self.on, &mut self.of_postures) {
                    return Ok(false);
                }
            }
            parts *= 2;
        }
        let motion = JointMotion::of_piece(JointPiece::line(from, to));
        Ok(matches!(self.whole(&motion, Contact::Any)?, Verdict::Free(_)))
    }

    /// An error if the time is over.
    pub(super) fn in_time(&self) -> Result<(), Stop> {
        let is_late = self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if is_late { Err(Stop::Late) } else { Ok(()) }
    }
}
