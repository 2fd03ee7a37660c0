//! How near bodies come, as one enclosure for each motion and each pair.

use super::NamedMotion;
use kansho_check::motion::{LeastGap, MotionOptions, MotionScene, PairGap};
use kansho_check::scene::{PairId, Scene};
use std::collections::BTreeMap;

/// Pairs that are listed.
const LISTED: usize = 12;

/// What is known of the gaps of a motion that was proven free.
pub struct EnclosedGaps {
    /// Its name.
    pub name: String,
    /// Of all pairs.
    pub whole: LeastGap,
    /// Of the pairs that come nearest.
    pairs: Vec<PairGap>,
}

/// A pair that comes near, over several motions.
#[derive(Clone, Copy)]
pub struct NearestPair {
    /// Its gap: proven over all motions, measured where it is least.
    pub gap: PairGap,
    /// The number of the motion in which it was measured.
    pub motion: usize,
}

impl EnclosedGaps {
    /// Encloses the gaps of a motion: the numbers that `kansho view` shows of it.
    #[must_use]
    pub fn of(scene: &Scene, named: &NamedMotion) -> Self {
        let prepared = MotionScene::new(scene);
        let (options, mut workspace) = (MotionOptions::default(), prepared.workspace());
        let plain = prepared.enclosed_gap(&named.motion, &options, &mut workspace);
        let pairs = prepared.enclosed_gaps_of_pairs(&named.motion, &plain, LISTED, &options, &mut workspace);
        let off = |pair: PairGap| PairGap {
            proven: (pair.proven - named.margin).max(0.0),
            measured: pair.measured + named.margin,
            ..pair
        };
        Self {
            name: named.name.clone(),
            whole: plain.widened(named.margin),
            pairs: pairs.into_iter().map(off).collect(),
        }
    }
}

/// The motion that comes nearest, and its number.
#[must_use]
pub fn nearest_motion(all: &[EnclosedGaps]) -> Option<(usize, &EnclosedGaps)> {
    let gap = |enclosed: &EnclosedGaps| enclosed.whole.measured.map_or(f64::INFINITY, |(_, found)| found.gap);
    all.iter().enumerate().min_by(|(_, a), (_, b)| gap(a).total_cmp(&gap(b)))
}

/// The pairs that come nearest over all motions, nearest first.
#[must_use]
pub fn nearest_pairs(all: &[EnclosedGaps]) -> Vec<NearestPair> {
    let mut rows: BTreeMap<PairId, NearestPair> = BTreeMap::new();
    for (motion, pair) in
        all.iter().enumerate().flat_map(|(k, one)| one.pairs.iter().map(move |pair| (k, pair)))
    {
        let row = rows.entry(pair.pair).or_insert(NearestPair { gap: *pair, motion });
        let proven = row.gap.proven.min(pair.proven);
        if pair.measured < row.gap.measured {
            *row = NearestPair { gap: *pair, motion };
        }
        row.gap.proven = proven;
    }
    // What a motion does not list is at least as far away as all that it lists; its bound is that of the motion.
    for row in rows.values_mut() {
        let unlisted = |one: &&EnclosedGaps| one.pairs.iter().all(|pair| pair.pair != row.gap.pair);
        let bound = all.iter().filter(unlisted).map(|one| one.whole.proven).fold(f64::INFINITY, f64::min);
        row.gap.proven = row.gap.proven.min(bound);
    }
    let mut rows: Vec<NearestPair> = rows.into_values().collect();
    rows.sort_by(|a, b| a.gap.measured.total_cmp(&b.gap.measured).then(a.gap.pair.cmp(&b.gap.pair)));
    rows.truncate(LISTED);
    rows
}
