//! The least gap of a motion that is free, between a bound that is proven and a gap that was measured.

use super::{MotionOptions, MotionScene, MotionWorkspace};
use crate::scene::CellGap;
use crate::verdict::Verdict;
use kansho_cell::JointMotion;

/// The least gap on the way lies between two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastGap {
    /// All gaps are more than this at every instant, in metres, or as much: proven. Infinite if nothing can touch.
    pub proven: f64,
    /// The least gap that was measured, and when, as a fraction of the motion; none if nothing can touch.
    pub measured: Option<(f64, CellGap)>,
}

/// Instants of each piece at which gaps are measured first.
const INSTANTS: usize = 16;

/// Instants of a whole motion at which gaps are measured first, at most, beside one for each piece.
const MOST_INSTANTS: usize = 512;

/// Least gaps among neighbours that are followed to where they are least.
const FOLLOWED: usize = 3;

/// Steps of a search for the least gap between two instants: it ends in a 1e-3 part of what is between them.
const STEPS: usize = 16;

/// Clearances that are tried, at most.
const ROUNDS: usize = 8;

/// The part of a measured gap that is tried first: so near the proof is done soon, and nearer would say little more.
const PART: f64 = 0.9;

impl MotionScene<'_> {
    /// Where the least gap of a motion lies that was found free for these options, with `known`, the bound of that proof.
    ///
    /// Gaps are measured at some instants, and the least are followed. Then 0.9 of the least is tried as a clearance; where the motion
    /// comes nearer, the first such instant is followed too. What is proven by the deadline stays proven. As for postures, pairs that
    /// never move relative to each other do not count.
    ///
    /// ```
    /// use kansho_cell::{JointMotion, builtin};
    /// use kansho_check::{motion::{MotionOptions, MotionScene}, scene::Scene, verdict::Verdict};
    /// let scene = Scene::new(std::sync::Arc::new(builtin::cell())).with_models();
    /// let (prepared, options) = (MotionScene::new(&scene), MotionOptions::default());
    /// let mut workspace = prepared.workspace();
    /// let mut aside = builtin::home();
    /// aside[0] += 0.2;
    /// let motion = JointMotion::lines(&[builtin::home(), aside]).expect("two postures");
    /// let Verdict::Free(proof) = prepared.motion(&motion, &options, &mut workspace).verdict else { panic!("it is free") };
    /// let least = prepared.least_gap(&motion, &options, proof.clearance, &mut workspace);
    /// let (_, measured) = least.measured.expect("something can touch");
    /// assert!(0.8 * measured.gap <= least.proven && least.proven <= measured.gap);
    /// ```
    ///
    /// # Panics
    /// If the motion does not have one number per coordinate of the cell.
    #[must_use]
    pub fn least_gap(
        &self,
        motion: &JointMotion,
        options: &MotionOptions<'_>,
        known: f64,
        workspace: &mut MotionWorkspace,
    ) -> LeastGap {
        // The gap that was wanted is proven, too.
        let wanted = options.of_pairs.iter().map(|(_, gap)| *gap).fold(options.clearance, f64::min);
        let mut proven = known.max(wanted);
        let Some(mut least) = self.measured(motion, options, workspace) else {
            return LeastGap { proven, measured: None };
        };
        let mut wish = PART * least.1.gap;
        for _ in 0..ROUNDS {
            if !(wish > proven) || options.is_late() {
                break;
            }
            let trial = MotionOptions {
                clearance: wish,
                of_pairs: &[],
                // What is left between the wish and the gap has to be more than what is not told apart.
                resolution: options.resolution.min(0.02 * least.1.gap),
                ..*options
            };
            match self.motion(motion, &trial, workspace).verdict {
                Verdict::Free(_) => {
                    proven = wish;
                    break;
                }
                Verdict::Touches(found) => {
                    // From there on it may come nearer: follow it.
                    let step = 1.0 / (motion.pieces().len() * INSTANTS) as f64;
                    let before = least.1.gap;
                    let [from, to] = [found.time.end, (found.time.end + step).min(1.0)];
                    self.look(motion, from, &mut least, workspace);
                    self.follow(motion, [from, to], &mut least, workspace);
                    let nearer = PART * least.1.gap;
                    wish = if least.1.gap < before { nearer.min(PART * wish) } else { 0.5 * wish };
                }
                Verdict::Undecided { .. } => break,
            }
        }
        // A measured gap is rounded, and a proof may be nearer to the truth than that.
        LeastGap { proven: proven.min(least.1.gap), measured: Some(least) }
    }

    /// The least gap that is found by measuring: above the truth, and often near it.
    fn measured(
        &self,
        motion: &JointMotion,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Option<(f64, CellGap)> {
        let pieces = motion.pieces().len();
        let count = pieces * INSTANTS.min(MOST_INSTANTS.div_ceil(pieces));
        let mut seen = Vec::new();
        let mut least: Option<(f64, CellGap)> = None;
        for k in 0..=count {
            let t = k as f64 / count as f64;
            let found = self.scene.least_gap(&motion.at(t), f64::INFINITY, &mut workspace.of_scene)?;
            seen.push((found.gap, k));
            if least.is_none_or(|(_, least)| found.gap < least.gap) {
                least = Some((t, found));
            }
            if options.is_late() {
                return least;
            }
        }
        let mut least = least?;
        let is_low = |&&(gap, k): &&(f64, usize)| {
            (k == 0 || gap <= seen[k - 1].0) && (k == count || gap <= seen[k + 1].0)
        };
        let mut low: Vec<(f64, usize)> = seen.iter().filter(is_low).copied().collect();
        low.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        for (_, k) in low.into_iter().take(FOLLOWED) {
            let [from, to] = [k.saturating_sub(1), (k + 1).min(count)].map(|k| k as f64 / count as f64);
            self.follow(motion, [from, to], &mut least, workspace);
        }
        Some(least)
    }

    /// Measures at an instant.
    pub(super) fn look(
        &self,
        motion: &JointMotion,
        t: f64,
        least: &mut (f64, CellGap),
        workspace: &mut MotionWorkspace,
    ) -> f64 {
        let found = self.scene.least_gap(&motion.at(t), f64::INFINITY, &mut workspace.of_scene);
        let found = found.expect("there was a gap before");
        if found.gap < least.1.gap {
            *least = (t, found);
        }
        found.gap
    }

    /// Searches between two instants by the golden section.
    pub(super) fn follow(
        &self,
        motion: &JointMotion,
        [mut from, mut to]: [f64; 2],
        least: &mut (f64, CellGap),
        workspace: &mut MotionWorkspace,
    ) {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let between = |from: f64, to: f64| [to - GOLDEN * (to - from), from + GOLDEN * (to - from)];
        let mut at = between(from, to);
        let mut gaps = at.map(|t| self.look(motion, t, least, workspace));
        for _ in 0..STEPS {
            if gaps[0] <= gaps[1] {
                to = at[1];
                at = [between(from, to)[0], at[0]];
                gaps = [self.look(motion, at[0], least, workspace), gaps[0]];
            } else {
                from = at[0];
                at = [at[1], between(from, to)[1]];
                gaps = [gaps[1], self.look(motion, at[1], least, workspace)];
            }
        }
    }
}
