//! What is left of gaps that were proven for earlier postures.

use super::Models;

/// For every pair of groups a gap that it still has, at least.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Zero or less if nothing is known.
    gaps: Vec<f64>,
    /// The posture in which that holds.
    posture: Vec<f64>,
    habit: Habit,
}

impl Kept {
    /// Goes on to another posture: all gaps shrink by what the joints between the groups may have moved them.
    ///
    /// The movements are bounded only while coordinates stay in the ranges that the bounds lean on.
    pub(super) fn go_on(&mut self, models: &Models, posture: &[f64], in_range: bool) {
        let is_new = self.gaps.len() != models.pairs.len();
        if is_new || !in_range || !self.habit.pays() {
            self.gaps.clear();
            self.gaps.resize(models.pairs.len(), 0.0);
            self.posture.clear();
            self.posture.extend_from_slice(posture);
            return;
        }
        for (k, (from, to)) in self.posture.iter_mut().zip(posture).enumerate() {
            // Rounding of the sums of many steps stays far below this.
            let change = (to - *from).abs() * (1.0 + 1e-9);
            *from = *to;
            let per_unit = &models.per_unit[k * models.pairs.len()..][..models.pairs.len()];
            for (gap, per_unit) in self.gaps.iter_mut().zip(per_unit) {
                // Nothing times infinity is no number, and then no gap is left.
                *gap -= change * per_unit;
            }
        }
    }

    /// Those of which it is only known that they do not touch have at least this gap.
    pub(super) fn at_least(&mut self, gap: f64) {
        if self.habit.is_on && gap > 0.0 {
            self.gaps.iter_mut().filter(|known| !(**known > 0.0)).for_each(|known| *known = gap);
        }
    }

    /// Pairs that nobody asks for are as far apart as one likes.
    pub(super) fn leave_out(&mut self, left_out: &[bool]) {
        self.gaps.iter_mut().zip(left_out).filter(|(_, out)| **out).for_each(|(gap, _)| *gap = f64::INFINITY);
    }

    /// Whether all pairs still have one.
    pub(super) fn have_gaps(&mut self) -> bool {
        let still = self.habit.is_on && self.gaps.iter().all(|gap| *gap > 0.0);
        if still {
            self.habit.count_all(self.gaps.len() as u32);
        }
        still
    }

    /// Whether a pair still has a gap.
    pub(super) fn has_gap(&self, pair: u32) -> bool {
        self.gaps[pair as usize] > 0.0
    }

    /// A bound below all of them; zero if nothing is known. Holds after all pairs were asked.
    pub(super) fn least(&self) -> f64 {
        // What is no number is no gap.
        let least = |least: f64, gap: &f64| if *gap > 0.0 { least.min(*gap) } else { 0.0 };
        if self.habit.is_on { self.gaps.iter().fold(f64::INFINITY, least) } else { 0.0 }
    }

    /// Whether a pair is skipped, as it still has a gap.
    pub(super) fn is_skipped(&mut self, pair: u32) -> bool {
        let still = self.has_gap(pair);
        self.habit.count(still);
        still
    }

    /// Whether it is of use to know a gap.
    pub(super) fn wants(&self) -> bool {
        self.habit.is_on
    }

    /// Remembers the gap of a pair in this posture.
    pub(super) fn set(&mut self, pair: u32, gap: f64) {
        if self.habit.is_on {
            self.gaps[pair as usize] = gap;
        }
    }
}

/// Whether it pays to remember: not where each posture is far from the one before.
#[derive(Debug)]
struct Habit {
    is_on: bool,
    /// Postures until that is looked at again.
    left: u32,
    asked: u32,
    paid: u32,
}

impl Default for Habit {
    fn default() -> Self {
        Self { is_on: true, left: FEW, asked: 0, paid: 0 }
    }
}

/// Postures that tell whether it pays, and for how many that then holds.
const FEW: u32 = 16;
const MANY: u32 = 512;

impl Habit {
    /// For the next posture.
    fn pays(&mut self) -> bool {
        self.left -= 1;
        if self.left == 0 {
            let pays = self.is_on && self.paid * 4 > self.asked;
            // After a pause it is tried again.
            self.is_on = pays || !self.is_on;
            self.left = if self.is_on && !pays { FEW } else { MANY };
            (self.asked, self.paid) = (0, 0);
        }
        self.is_on
    }

    fn count_all(&mut self, paid: u32) {
        self.asked += paid;
        self.paid += paid;
    }

    fn count(&mut self, paid: bool) {
        self.asked += 1;
        self.paid += u32::from(paid);
    }
}
