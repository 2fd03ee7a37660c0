//! The only place that asks whether the motion from one posture to the next is free.

use kansho_cell::route::{Blend, Laws, Move, Route};
use kansho_cell::{JointMotion, JointPiece};
use kansho_check::motion::{Contact, MotionOptions, MotionScene, MotionWorkspace, RouteScene};
use kansho_check::verdict::Verdict;
use std::time::Instant;

/// How the controller moves from one point to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// All joints evenly, arriving together.
    Ptp,
    /// The tip of the tool straight, turning by this law; free is what is free by each of them.
    Lin(Laws),
}

/// Asks for proofs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges<'s, 'a> {
    pub(super) scene: &'s MotionScene<'a>,
    /// The same for lines of the tool; without it none of these is proven.
    pub(super) routes: Option<&'s RouteScene<'s>>,
    pub(super) kind: EdgeKind,
    pub(super) clearance: f64,
    pub(super) deadline: Option<Instant>,
}

/// What is known of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Proven free.
    Free,
    /// It touches, or comes as near as the clearance.
    Touches,
    /// Nobody knows: it is not used.
    Undecided,
}

impl Edges<'_, '_> {
    /// Whether the motion between two postures of the cell is free at every instant.
    pub(super) fn prove(&self, from: &[f64], to: &[f64], workspace: &mut MotionWorkspace) -> Edge {
        let options = MotionOptions {
            clearance: self.clearance,
            // Only whether it is free matters.
            contact: Contact::Any,
            time_tolerance: 1e-3,
            deadline: self.deadline,
            ..MotionOptions::default()
        };
        match self.kind {
            EdgeKind::Ptp => {
                let motion = JointMotion::of_piece(JointPiece::line(from, to));
                match self.scene.motion(&motion, &options, workspace).verdict {
                    Verdict::Free(_) => Edge::Free,
                    Verdict::Touches(_) => Edge::Touches,
                    Verdict::Undecided { .. } => Edge::Undecided,
                }
            }
            EdgeKind::Lin(laws) => self.line(from, to, laws, &options, workspace).unwrap_or(Edge::Undecided),
        }
    }

    /// The same along a line of the tool, by each law, which must arrive in the posture; none where it cannot be followed.
    fn line(
        &self,
        from: &[f64],
        to: &[f64],
        laws: Laws,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Option<Edge> {
        let (cell, routes) = (self.scene.cell(), self.routes?);
        let tip = routes.tip();
        let line = Move::line(tip.placed(cell, to)).arriving_at(to.to_vec());
        let mut proven: Option<Route> = None;
        for law in laws.each() {
            let move_ = std::slice::from_ref(&line);
            let route = Route::new(cell, tip, from.to_vec(), move_, *law, Blend::Parabola).ok()?;
            // Where the tool only swivels, only twists or does not turn, laws may say the same.
            if proven.as_ref() == Some(&route) {
                continue;
            }
            match routes.route(&route, options, workspace).ok()?.verdict {
                Verdict::Free(_) => proven = Some(route),
                Verdict::Touches(_) => return Some(Edge::Touches),
                Verdict::Undecided { .. } => return Some(Edge::Undecided),
            }
        }
        Some(Edge::Free)
    }
}
