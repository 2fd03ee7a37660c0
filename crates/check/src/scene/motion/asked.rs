//! What is asked of a motion, and what is answered.

use crate::scene::PairId;
use crate::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use kansho_geom::solid::On;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Which contact is told of a motion that is not free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contact {
    /// The first.
    #[default]
    First,
    /// Any: who only wants to know whether the motion is free has the answer sooner.
    Any,
}

/// What to prove, and how far to go.
#[derive(Clone, Copy, Debug)]
pub struct MotionOptions<'a> {
    /// Which contact is wanted.
    pub contact: Contact,
    /// The gap that is wanted, in metres: as near as this is a contact. Of pairs that never move relative to each other it is zero,
    /// for no motion could do better.
    pub clearance: f64,
    /// Other gaps for some pairs.
    pub of_pairs: &'a [(PairId, f64)],
    /// A gap that exceeds the clearance by no more than this may be called a contact, in metres.
    pub resolution: f64,
    /// Width of the span in which a first contact is given, as a fraction of a piece of the motion.
    pub time_tolerance: f64,
    /// Regions that are looked at for two shapes, at most. Beyond it the answer is undecided.
    pub most_regions: u64,
    /// When to stop: what is not decided by then is undecided.
    pub deadline: Option<Instant>,
    /// Whether to stop now: what is not decided by then is undecided.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for MotionOptions<'_> {
    fn default() -> Self {
        Self {
            contact: Contact::First,
            clearance: 0.0,
            of_pairs: &[],
            resolution: 1e-6,
            time_tolerance: 1e-9,
            most_regions: 500_000,
            deadline: None,
            stop: None,
        }
    }
}

/// Why a motion is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionProof {
    /// A bound below all gaps of bodies that move relative to each other at every instant, in metres; infinite if there are none.
    pub clearance: f64,
}

/// A contact of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionWitness {
    /// The first contact lies in this span, and these are in contact at its end. A fraction of the whole motion. Narrow if the first
    /// was asked for.
    pub time: Span,
    /// The piece of the motion, from 0.
    pub piece: usize,
    /// The end of the span as a fraction of that piece.
    pub in_piece: f64,
    /// The posture there.
    pub posture: Vec<f64>,
    /// Which bodies.
    pub pair: PairId,
    /// The gap there, exactly measured: no more than the clearance and the resolution.
    pub gap: f64,
    /// The closest points of the two bodies, or a common one.
    pub points: [DVec3; 2],
    /// What these lie on.
    pub on: [On; 2],
    /// Whether they touch at the start already.
    pub at_start: bool,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MotionCounters {
    /// Instants at which everything was placed.
    pub instants: u64,
    /// Nodes of eight balls in spans.
    pub nodes: u64,
    /// Pairs of shapes in spans that were decided exactly.
    pub exact: u64,
    /// Regions of those that were looked at.
    pub regions: u64,
}

impl MotionCounters {
    /// What it took since it was this much.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            instants: self.instants - before.instants,
            nodes: self.nodes - before.nodes,
            exact: self.exact - before.exact,
            regions: self.regions - before.regions,
        }
    }
}

/// An answer, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionReport {
    /// Free, touches or undecided.
    pub verdict: Verdict<MotionProof, MotionWitness>,
    /// What it took.
    pub counters: MotionCounters,
}

impl MotionOptions<'_> {
    /// What is no length can be no bound.
    pub(super) fn is_good(&self) -> bool {
        let mut lengths = self.of_pairs.iter().map(|(_, gap)| gap).chain([&self.clearance, &self.resolution]);
        lengths.all(|length| *length >= 0.0)
    }

    /// Whether the time is over, or somebody wants it to stop.
    pub(super) fn is_late(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
