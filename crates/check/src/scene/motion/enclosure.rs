//! The least gap of a motion that is free as one enclosure, for the whole motion and pair by pair: what everybody shows of it.
//!
//! An enclosure depends on the scene and the motion alone (unless time runs out), so whoever asks about the same motion shows the same numbers.

use super::{Contact, LeastGap, MotionOptions, MotionScene, MotionWorkspace};
use crate::scene::{CellGap, PairId, Workspace};
use crate::verdict::Verdict;
use kansho_cell::{JointMotion, JointPiece};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The least gap of one pair of bodies on the way lies between two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairGap {
    /// Which bodies.
    pub pair: PairId,
    /// Their gap is at least this at every instant, in metres: proven.
    pub proven: f64,
    /// Their gap at an instant, the least that was measured.
    pub measured: f64,
    /// That instant, as a fraction of the motion.
    pub t: f64,
}

/// Parts of the measured gap that are tried as a bound, after the 0.9 that [`MotionScene::least_gap`] has tried: in the end the two numbers
/// differ by one part in a thousand.
const PARTS: [f64; 2] = [0.99, 0.999];

/// Instants of a motion at which pairs are measured, at most, beside one for each piece.
const INSTANTS: usize = 200;

/// Steps of a search for the least gap of a pair between two instants.
const STEPS: usize = 12;

/// The part of the measured gap of a pair that is tried as its bound.
const PART_OF_PAIR: f64 = 0.95;

/// Bounds of pairs that are tried, at most, beside one for each pair.
const ROUNDS: usize = 8;

impl MotionScene<'_> {
    /// Encloses the least gap of a motion that was found free with these options: as [`MotionScene::least_gap`], but narrower, and nothing
    /// depends on what was proven before.
    ///
    /// What is measured is a true gap at an instant, so it lies above the least; what is proven lies below it. What bodies may be off the
    /// motion (a margin) is up to the caller: see [`LeastGap::widened`].
    ///
    /// ```
    /// use kansho_cell::{JointMotion, builtin};
    /// use kansho_check::{motion::{MotionOptions, MotionScene}, scene::Scene};
    /// let scene = Scene::new(std::sync::Arc::new(builtin::cell())).with_models();
    /// let prepared = MotionScene::new(&scene);
    /// let mut aside = builtin::home();
    /// aside[0] += 0.2;
    /// let motion = JointMotion::lines(&[builtin::home(), aside]).expect("two postures");
    /// let least = prepared.enclosed_gap(&motion, &MotionOptions::default(), &mut prepared.workspace());
    /// let (_, measured) = least.measured.expect("something can touch");
    /// assert!(0.99 * measured.gap <= least.proven && least.proven <= measured.gap);
    /// ```
    ///
    /// # Panics
    /// If the motion does not have one number per coordinate of the cell.
    #[must_use]
    pub fn enclosed_gap(
        &self,
        motion: &JointMotion,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> LeastGap {
        // The bound that a proof came by depends on how it was found, so it is not taken: zero is what "free" says.
        let plain = MotionOptions { clearance: 0.0, of_pairs: &[], ..*options };
        let LeastGap { mut proven, measured } = self.least_gap(motion, &plain, 0.0, workspace);
        let Some(mut least) = measured else { return LeastGap { proven, measured } };
        // The second try of a part is for a gap that the first has found to be less.
        for part in PARTS.iter().flat_map(|part| [part, part]) {
            let wish = part * least.1.gap;
            if !(wish > proven) || options.is_late() {
                continue;
            }
            let resolution = options.resolution.min(0.25 * (1.0 - part) * least.1.gap);
            let trial = MotionOptions { clearance: wish, resolution, ..plain };
            match self.motion(motion, &trial, workspace).verdict {
                Verdict::Free(_) => proven = wish,
                Verdict::Touches(found) => {
                    let step = 1.0 / motion.pieces().len() as f64;
                    let [from, to] = [found.time.end, (found.time.end + step).min(1.0)];
                    self.look(motion, from, &mut least, workspace);
                    self.follow(motion, [from, to], &mut least, workspace);
                }
                Verdict::Undecided { .. } => break,
            }
        }
        LeastGap { proven: proven.min(least.1.gap), measured: Some(least) }
    }

    /// The pairs that come nearest on the way, `most` of them, each with its own enclosure; the nearest first. `whole` is the
    /// [`enclosed_gap`](MotionScene::enclosed_gap) of the same motion: its pair is told with the same two numbers, and its bound holds for all.
    ///
    /// # Panics
    /// If the motion does not have one number per coordinate of the cell.
    #[must_use]
    pub fn enclosed_gaps_of_pairs(
        &self,
        motion: &JointMotion,
        whole: &LeastGap,
        most: usize,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Vec<PairGap> {
        let Some((at, nearest)) = whole.measured else { return Vec::new() };
        let mut rows = self.measured_pairs(motion, most);
        // Another place of the same pair may have been measured here; it is not nearer than what the whole motion says.
        rows.retain(|row| row.pair != nearest.pair);
        rows.iter_mut().for_each(|row| row.proven = whole.proven.min(row.measured));
        rows.truncate(most.saturating_sub(1));
        self.prove_pairs(motion, whole.proven, &mut rows, options, workspace);
        rows.push(PairGap { pair: nearest.pair, proven: whole.proven, measured: nearest.gap, t: at });
        rows.sort_by(|x, y| x.measured.total_cmp(&y.measured).then(x.pair.cmp(&y.pair)));
        rows
    }

    /// The least gaps of the pairs that are among the nearest at some instant, the nearest first; nothing is proven.
    fn measured_pairs(&self, motion: &JointMotion, most: usize) -> Vec<PairGap> {
        let pieces = motion.pieces().len();
        let count = pieces * INSTANTS.div_ceil(pieces);
        let at = |k: usize| k as f64 / count as f64;
        let look = |workspace: &mut Workspace, k: usize| -> Vec<CellGap> {
            self.scene.nearest_pairs(&motion.at(at(k)), most, workspace)
        };
        let seen: Vec<Vec<CellGap>> =
            (0..=count).into_par_iter().map_init(|| self.scene.workspace(), look).collect();
        let mut least: BTreeMap<PairId, (f64, usize)> = BTreeMap::new();
        for (k, found) in seen.iter().enumerate().flat_map(|(k, list)| list.iter().map(move |one| (k, one))) {
            let known = least.entry(found.pair).or_insert((f64::INFINITY, k));
            if found.gap < known.0 {
                *known = (found.gap, k);
            }
        }
        let follow = |workspace: &mut Workspace, (&pair, &(gap, k)): (&PairId, &(f64, usize))| {
            let start = PairGap { pair, proven: 0.0, measured: gap, t: at(k) };
            self.follow_pair(motion, [at(k.saturating_sub(1)), at((k + 1).min(count))], start, workspace)
        };
        let mut rows: Vec<PairGap> = least.par_iter().map_init(|| self.scene.workspace(), follow).collect();
        rows.sort_by(|x, y| x.measured.total_cmp(&y.measured).then(x.pair.cmp(&y.pair)));
        rows
    }

    /// Searches between two instants by the golden section for where a pair is nearer.
    fn follow_pair(
        &self,
        motion: &JointMotion,
        [mut from, mut to]: [f64; 2],
        mut row: PairGap,
        workspace: &mut Workspace,
    ) -> PairGap {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let mut look = |t: f64| {
            let gap = self.scene.gap_of_pair(&motion.at(t), row.pair, workspace);
            if gap < row.measured {
                row = PairGap { measured: gap, t, ..row };
            }
            gap
        };
        for _ in 0..STEPS {
            let [low, high] = [to - GOLDEN * (to - from), from + GOLDEN * (to - from)];
            if look(low) <= look(high) { to = high } else { from = low }
        }
        row
    }

    /// Proves a bound for each pair, a little below what was measured. Where one comes nearer than that, it is measured there, and tried with less.
    fn prove_pairs(
        &self,
        motion: &JointMotion,
        of_all: f64,
        rows: &mut [PairGap],
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) {
        let mut wishes: Vec<(PairId, f64)> =
            rows.iter().map(|row| (row.pair, PART_OF_PAIR * row.measured)).collect();
        for _ in 0..ROUNDS + rows.len() {
            if options.is_late() {
                return;
            }
            let trial = MotionOptions {
                contact: Contact::Any,
                // Less than what is proven of all, so that none but the listed pairs can fail.
                clearance: 0.5 * of_all,
                of_pairs: &wishes,
                resolution: options.resolution.min(0.1 * of_all),
                ..*options
            };
            // Piece by piece, on all threads: what comes nearer than wished in any of them is followed there.
            let decide = |workspace: &mut MotionWorkspace, piece: &JointPiece| {
                self.motion(&JointMotion::of_piece(piece.clone()), &trial, workspace).verdict
            };
            let verdicts: Vec<_> = motion.pieces().par_iter().map_init(|| self.workspace(), decide).collect();
            let mut is_free = true;
            for (k, verdict) in verdicts.iter().enumerate() {
                let found = match verdict {
                    Verdict::Free(_) => continue,
                    Verdict::Touches(found) => found,
                    Verdict::Undecided { .. } => return,
                };
                is_free = false;
                let Some(row) = rows.iter().position(|row| row.pair == found.pair) else { return };
                let [from, to] = [motion.time(k, found.time.end), motion.time(k, 1.0)];
                let before = rows[row].measured;
                let here = self.scene.gap_of_pair(&motion.at(from), found.pair, &mut workspace.of_scene);
                if here < before {
                    rows[row] = PairGap { measured: here, t: from, ..rows[row] };
                }
                rows[row] = self.follow_pair(motion, [from, to], rows[row], &mut workspace.of_scene);
                let nearer = PART_OF_PAIR * rows[row].measured;
                let wish = &mut wishes[row].1;
                *wish = if rows[row].measured < before { nearer.min(*wish) } else { 0.9 * *wish };
            }
            if is_free {
                for (row, (_, wish)) in rows.iter_mut().zip(&wishes) {
                    row.proven = wish.max(of_all).min(row.measured);
                }
                return;
            }
        }
    }
}

impl LeastGap {
    /// The enclosure for bodies that may be off the motion by a margin relative to each other: wider on both sides.
    #[must_use]
    pub fn widened(self, margin: f64) -> Self {
        let measured = self.measured.map(|(t, found)| (t, CellGap { gap: found.gap + margin, ..found }));
        Self { proven: (self.proven - margin).max(0.0), measured }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use kansho_cell::builtin;
    use std::sync::Arc;

    /// Two postures of the built-in cell between which the tool passes near other bodies, and how it turns.
    fn motions() -> Vec<JointMotion> {
        [[0.3, 0.0, 0.0], [0.0, 0.12, -0.1], [-0.25, 0.05, 0.1]]
            .iter()
            .map(|by| {
                let mut to = builtin::home();
                to.iter_mut().zip(by).for_each(|(value, by)| *value += by);
                JointMotion::lines(&[builtin::home(), to, builtin::home()]).expect("three postures")
            })
            .collect()
    }

    #[test]
    fn enclosures_hold_the_gaps_of_dense_samples() {
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let (prepared, options) = (MotionScene::new(&scene), MotionOptions::default());
        let (mut workspace, mut of_scene) = (prepared.workspace(), scene.workspace());
        let mut free = 0;
        for motion in motions() {
            if !prepared.motion(&motion, &options, &mut workspace).verdict.is_free() {
                continue;
            }
            free += 1;
            let whole = prepared.enclosed_gap(&motion, &options, &mut workspace);
            let (at, measured) = whole.measured.expect("things move");
            assert!(whole.proven <= measured.gap && measured.gap <= 1.0015 * whole.proven, "{whole:?}");
            let again = scene.least_gap(&motion.at(at), f64::INFINITY, &mut of_scene).expect("things move");
            assert_eq!(again.gap, measured.gap, "it is a gap at that instant");
            let pairs = prepared.enclosed_gaps_of_pairs(&motion, &whole, 8, &options, &mut workspace);
            assert_eq!(pairs.len(), 8);
            assert_eq!(
                (pairs[0].pair, pairs[0].proven, pairs[0].measured),
                (measured.pair, whole.proven, measured.gap)
            );
            assert!(pairs.is_sorted_by(|x, y| x.measured <= y.measured));
            for k in 0..=400 {
                let posture = motion.at(f64::from(k) / 400.0);
                let least = scene.least_gap(&posture, f64::INFINITY, &mut of_scene).expect("things move");
                assert!(least.gap >= whole.proven, "{k}: {least:?} {whole:?}");
                for row in &pairs {
                    let gap = scene.gap_of_pair(&posture, row.pair, &mut of_scene);
                    assert!(gap >= row.proven, "{k}: {gap} {row:?}");
                }
            }
            for row in &pairs {
                assert!(row.proven >= 0.8 * row.measured, "{row:?}");
                // But for the last digits: which of the two bodies comes first differs.
                let again = scene.gap_of_pair(&motion.at(row.t), row.pair, &mut of_scene);
                assert!((again - row.measured).abs() <= 1e-12, "{again} {row:?}");
            }
            // The same whoever asks, with whatever was asked before.
            assert_eq!(prepared.enclosed_gap(&motion, &options, &mut prepared.workspace()), whole);
            let wanted = MotionOptions { clearance: 0.5 * whole.proven, ..options };
            assert_eq!(prepared.enclosed_gap(&motion, &wanted, &mut workspace), whole);
        }
        assert!(free >= 2, "{free} motions are free");
    }
}
