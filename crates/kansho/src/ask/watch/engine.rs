//! Who measures a posture: the shapes themselves, or spheres around them.

use kansho_check::approach::Approach;
use kansho_check::rough::{RoughGap, RoughScene, RoughWorkspace};
use kansho_check::scene::{PairId, Scene, Workspace};
use std::sync::Arc;

/// Who answers.
pub(super) enum Engine {
    /// The shapes themselves.
    Exact { scene: Arc<Scene>, approach: Approach, workspace: Box<Workspace> },
    /// Spheres around them.
    Rough { rough: Arc<RoughScene>, approach: Approach, workspace: Box<RoughWorkspace> },
}

/// What is found in a posture.
pub(super) struct Looked {
    pub(super) nearest: Option<Nearest>,
    pub(super) time_to_contact: f64,
}

/// The least gap, and where.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub(super) gap: f64,
    pub(super) pair: PairId,
    pub(super) points: [[f64; 3]; 2],
}

impl Engine {
    pub(super) fn exact(scene: Arc<Scene>, approach: Approach) -> Self {
        let workspace = Box::new(scene.workspace());
        Self::Exact { scene, approach, workspace }
    }

    pub(super) fn rough(rough: Arc<RoughScene>, approach: Approach) -> Self {
        let workspace = Box::new(rough.workspace());
        Self::Rough { rough, approach, workspace }
    }

    /// The least gap with its place, and the time for which nothing can touch.
    pub(super) fn look(&mut self, posture: &[f64]) -> Looked {
        match self {
            Self::Exact { scene, approach, workspace } => {
                let look = approach.look(scene, posture, workspace);
                let nearest = look.least.map(|found| Nearest {
                    gap: found.gap,
                    pair: found.pair,
                    points: found.points.map(|point| point.to_array()),
                });
                Looked { nearest, time_to_contact: look.time_to_contact }
            }
            Self::Rough { rough, approach, workspace } => {
                let found = rough_gap(rough, posture, workspace);
                let time_to_contact = match found {
                    Some(_) if !approach.covers(rough.scene().cell(), posture) => 0.0,
                    Some(found) => approach.time_of(found.gap),
                    None => f64::INFINITY,
                };
                let nearest = found.map(|found| Nearest {
                    gap: found.gap,
                    pair: found.pair,
                    points: found.points.map(|point| point.to_array()),
                });
                Looked { nearest, time_to_contact }
            }
        }
    }

    /// The least gap alone; infinite if no pair moves.
    pub(super) fn gap(&mut self, posture: &[f64]) -> f64 {
        match self {
            Self::Exact { scene, workspace, .. } => {
                scene.least_gap(posture, f64::INFINITY, workspace).map_or(f64::INFINITY, |found| found.gap)
            }
            Self::Rough { rough, workspace, .. } => {
                rough_gap(rough, posture, workspace).map_or(f64::INFINITY, |found| found.gap)
            }
        }
    }
}

/// The least gap. Whether something touches is known sooner, and where something does, there is no gap.
fn rough_gap(rough: &RoughScene, posture: &[f64], workspace: &mut RoughWorkspace) -> Option<RoughGap> {
    match rough.first_hit(posture, workspace) {
        Some(hit) => Some(RoughGap { gap: 0.0, pair: hit.pair, points: [hit.point; 2] }),
        None => rough.least_gap(posture, workspace),
    }
}
