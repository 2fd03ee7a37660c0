//! The only place that asks whether the motion from one posture to the next is free.

use kansho_cell::{JointMotion, JointPiece};
use kansho_check::motion::{Contact, MotionOptions, MotionScene, MotionWorkspace};
use kansho_check::scene::PairId;
use kansho_check::verdict::Verdict;
use std::time::Instant;

/// How the controller moves from one point to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// All joints evenly, arriving together.
    Ptp,
}

/// Asks for proofs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges<'s, 'a> {
    pub(super) scene: &'s MotionScene<'a>,
    pub(super) kind: EdgeKind,
    pub(super) clearance: f64,
    pub(super) deadline: Option<Instant>,
}

/// What is known of an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Edge {
    /// Proven free, with a bound below all gaps.
    Free(f64),
    /// It touches, or comes as near as the clearance.
    Touches(PairId),
    /// Nobody knows: it is not used.
    Undecided,
}

impl Edges<'_, '_> {
    /// Whether the motion between two postures of the cell is free at every instant.
    pub(super) fn prove(&self, from: &[f64], to: &[f64], workspace: &mut MotionWorkspace) -> Edge {
        let EdgeKind::Ptp = self.kind;
        let motion = JointMotion::of_piece(JointPiece::line(from, to));
        let options = MotionOptions {
            clearance: self.clearance,
            // Only whether it is free matters.
            contact: Contact::Any,
            time_tolerance: 1e-3,
            deadline: self.deadline,
            ..MotionOptions::default()
        };
        match self.scene.motion(&motion, &options, workspace).verdict {
            Verdict::Free(proof) => Edge::Free(proof.clearance),
            Verdict::Touches(witness) => Edge::Touches(witness.pair),
            Verdict::Undecided { .. } => Edge::Undecided,
        }
    }
}
