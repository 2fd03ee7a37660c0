//! How good is a job where its work stands? Enough to compare places; what is chosen is planned and proven as a whole.

use super::planned::{PlanOptions, Planned, PlannedPath};
use super::{MapOptions, State, Work, feasible, plan};
use kansho_check::motion::MotionScene;
use kansho_check::scene::{Scene, Workspace};
use rayon::prelude::*;

/// What is known of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// How many points are free in no stance.
    pub blocked: usize,
    /// At the worst point, how many stances are free.
    pub stances: usize,
    /// The least gap at any point of the best way through all points, in metres; none if no way leads through. Motions from point to point
    /// are not looked at.
    pub gap: Option<f64>,
}

/// Looks at a job where it is, on all threads of the current pool; nothing if there was no time.
#[must_use]
pub fn placed(
    scene: &Scene,
    work: &Work<'_>,
    map_options: &MapOptions<'_>,
    options: &PlanOptions<'_>,
) -> Option<Placed> {
    let map = feasible(scene, work, map_options);
    if !map.complete {
        return None;
    }
    let free = |point: usize| map.point(point).iter().filter(|cell| cell.state == State::Free).count();
    let counts: Vec<usize> = (0..map.points()).map(free).collect();
    let blocked = counts.iter().filter(|count| **count == 0).count();
    let stances = counts.into_iter().min().unwrap_or(0);
    if blocked > 0 {
        return Some(Placed { blocked, stances, gap: None });
    }
    let options = PlanOptions { unchecked: true, connect: false, lift: 0.0, ..*options };
    match plan(&MotionScene::new(scene), work, &map, &options) {
        Planned::Path(path) => Some(Placed { blocked, stances, gap: Some(gap(scene, &path)) }),
        Planned::NoPath(_) => Some(Placed { blocked, stances, gap: None }),
        Planned::Undecided(_) => None,
    }
}

/// The least gap in any posture of a path.
fn gap(scene: &Scene, path: &PlannedPath) -> f64 {
    let postures: Vec<&Vec<f64>> = path.strokes.iter().flat_map(|stroke| &stroke.postures).collect();
    let of = |workspace: &mut Workspace, posture: &&Vec<f64>| {
        scene.least_gap(posture, f64::INFINITY, workspace).map_or(f64::INFINITY, |found| found.gap)
    };
    let least = postures.par_iter().map_init(|| scene.workspace(), of).reduce(|| f64::INFINITY, f64::min);
    least.min(f64::MAX)
}
