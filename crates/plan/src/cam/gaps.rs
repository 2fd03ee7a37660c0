//! How near do bodies come on a planned path? One enclosure for all who show it.

use super::planned::PlannedPath;
use super::run::PlannedRun;
use kansho_cell::JointMotion;
use kansho_check::motion::{LeastGap, MotionOptions, MotionScene, PairGap, RouteScene};
use kansho_check::scene::PairId;
use std::collections::BTreeMap;

/// The least gap of a path, enclosed between what is proven and what was measured: as a whole, and of the pairs that come nearest.
#[derive(Clone, Debug, PartialEq)]
pub struct PathGaps {
    /// The bound that is proven for all pairs at every instant, in metres.
    pub proven: f64,
    /// The least gap that was measured, in metres, and the pair.
    pub measured: (f64, PairId),
    /// The nearest pairs, the nearest first; instants are fractions of the run that they were measured in.
    pub pairs: Vec<PairGap>,
}

/// Pairs that are listed, at most.
const LISTED: usize = 5;

/// How near bodies come on all runs of a path, by every law; none if nothing moves, or a run cannot be shown.
#[must_use]
pub fn path_gaps(
    scene: &MotionScene<'_>,
    path: &PlannedPath,
    options: &MotionOptions<'_>,
) -> Option<PathGaps> {
    let mut motions: Vec<(JointMotion, f64)> = Vec::new();
    for run in &path.runs {
        match run {
            PlannedRun::Joints(motion) => motions.push((motion.clone(), 0.0)),
            PlannedRun::Tool { ways, .. } => {
                for way in ways {
                    let led = RouteScene::new(scene, way.route.tip()).ok()?;
                    motions.push(led.shown(&way.route).ok()?);
                }
            }
        }
    }
    let mut workspace = scene.workspace();
    // Of each motion the bound for all pairs, and the rows of those that come nearest.
    let mut all: Vec<(f64, Vec<PairGap>)> = Vec::new();
    let mut nearest: Option<(f64, PairId)> = None;
    for (motion, margin) in &motions {
        let plain = scene.enclosed_gap(motion, options, &mut workspace);
        let rows = scene.enclosed_gaps_of_pairs(motion, &plain, LISTED, options, &mut workspace);
        let whole: LeastGap = plain.widened(*margin);
        let Some((_, found)) = whole.measured else { continue };
        if nearest.is_none_or(|(gap, _)| found.gap < gap) {
            nearest = Some((found.gap, found.pair));
        }
        let widened = |row: PairGap| PairGap {
            proven: (row.proven - margin).max(0.0),
            measured: row.measured + margin,
            ..row
        };
        all.push((whole.proven, rows.into_iter().map(widened).collect()));
    }
    let measured = nearest?;
    // The path's own proof may know more than what was shown of it.
    let least = all.iter().map(|(proven, _)| *proven).fold(f64::INFINITY, f64::min);
    let proven = least.max(path.clearance.min(measured.0));
    let mut rows: BTreeMap<PairId, PairGap> = BTreeMap::new();
    for row in all.iter().flat_map(|(_, rows)| rows) {
        let known = rows.entry(row.pair).or_insert(*row);
        if row.measured < known.measured {
            (known.measured, known.t) = (row.measured, row.t);
        }
    }
    let mut found = PathGaps { proven, measured, pairs: rows.into_values().collect() };
    for row in &mut found.pairs {
        // Where a pair is not among the nearest, the bound for all pairs holds for it.
        let of_motion = |(whole, rows): &(f64, Vec<PairGap>)| {
            rows.iter().find(|known| known.pair == row.pair).map_or(*whole, |known| known.proven)
        };
        row.proven = all.iter().map(of_motion).fold(f64::INFINITY, f64::min).max(proven).min(row.measured);
    }
    found.pairs.sort_by(|x, y| x.measured.total_cmp(&y.measured).then(x.pair.cmp(&y.pair)));
    found.pairs.truncate(LISTED);
    Some(found)
}
