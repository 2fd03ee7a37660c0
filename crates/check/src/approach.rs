//! How soon could anything touch?
//!
//! Two answers that must not be taken for each other: a bound that holds whatever the joints do within their speed limits
//! ([`Approach`]), and an estimate that supposes that they go on as they do now ([`estimate`]).

use crate::reach::{Climb, Moved, climb};
use crate::scene::{CellGap, PairId, Scene, Workspace};
use kansho_cell::{BodyId, Cell};
use std::collections::BTreeSet;

/// What a computed gap may be too large by, in metres: distances are right to 1e-13 of the coordinates, and those are below
/// some 1e6 m. It costs less than a microsecond at one metre per second.
const GAP_SLACK: f64 = 1e-6;

/// What rounding may have taken from a speed, as a fraction of it: a few dozen operations.
const SPEED_SLACK: f64 = 1e-9;

/// How fast bodies can approach each other while every coordinate stays below its speed limit.
///
/// The gap of two bodies shrinks by no more than the sum of `speed(k) · reach(k)` a second, over the joints `k` between them (see
/// `reach`). Too large a speed makes the bound weak; too small would make it wrong.
#[derive(Clone, Debug)]
pub struct Approach {
    /// For every pair.
    speeds: Vec<f64>,
    largest: f64,
    /// Coordinates whose range the bound leans on.
    ranged: BTreeSet<usize>,
    /// Coordinates that move something and have no speed limit.
    unlimited: BTreeSet<usize>,
}

/// What is known of a posture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The least gap; none if no pair moves.
    pub least: Option<CellGap>,
    /// Proven: nothing touches before this many seconds have passed. Infinite if nothing ever can.
    pub time_to_contact: f64,
}

impl Approach {
    /// Works out the speeds of a cell.
    #[must_use]
    pub fn new(cell: &Cell) -> Self {
        let (mut ranged, mut unlimited) = (BTreeSet::new(), BTreeSet::new());
        let climbs: Vec<Climb> =
            (0..cell.bodies().len() as u32).map(|body| climb(cell, &[BodyId(body)], &mut ranged)).collect();
        // A limit of zero is a limit that somebody left out.
        let limit = |k: usize| cell.coordinates()[k].max_speed.filter(|speed| *speed > 0.0);
        let mut speed = |[a, b]: &[BodyId; 2]| {
            let joints = Climb::between(&climbs[a.0 as usize], &climbs[b.0 as usize]);
            let coordinates = joints.iter().flat_map(Moved::coordinates);
            unlimited.extend(coordinates.filter(|k| limit(*k).is_none()));
            let rate = |k: usize| limit(k).unwrap_or(f64::INFINITY);
            joints.iter().map(|joint| joint.travel(rate)).sum::<f64>() * (1.0 + SPEED_SLACK)
        };
        let speeds: Vec<f64> = cell.pairs().checked().iter().map(&mut speed).collect();
        debug_assert!(
            speeds.iter().all(|speed| !speed.is_nan()),
            "rates and reaches are positive or infinite"
        );
        let largest = speeds.iter().copied().fold(0.0, f64::max);
        Self { speeds, largest, ranged, unlimited }
    }

    /// The most by which the gap of a pair can shrink in a second; infinite without speed limits.
    #[must_use]
    pub fn speed(&self, pair: PairId) -> f64 {
        self.speeds[pair.0 as usize]
    }

    /// Coordinates that have no speed limit, by index: what they move can be anywhere at once, so the bound is zero.
    pub fn unlimited(&self) -> impl Iterator<Item = usize> {
        self.unlimited.iter().copied()
    }

    /// Whether a posture keeps the limits that the bound leans on: those of slides that carry other bodies round.
    #[must_use]
    pub fn covers(&self, cell: &Cell, posture: &[f64]) -> bool {
        let within = |&index: &usize| {
            cell.coordinates()[index].limits.is_some_and(|limits| limits.contain(posture[index]))
        };
        self.ranged.iter().all(within)
    }

    /// Proven: if every pair is at least this far apart, nothing touches before so many seconds have passed.
    #[must_use]
    pub fn time_of(&self, least_gap: f64) -> f64 {
        time(least_gap, self.largest)
    }

    /// The least gap of a posture, and how soon it could close.
    ///
    /// Pairs whose boxes are far apart, or that approach slowly, take longer than the least gap at the greatest speed; all are
    /// looked at, each with the better of the two gaps that are known of it.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn look(&self, scene: &Scene, posture: &[f64], workspace: &mut Workspace) -> Look {
        let least = scene.least_gap(posture, f64::INFINITY, workspace);
        let time_to_contact = match least {
            Some(found) if found.gap == 0.0 || !self.covers(scene.cell(), posture) => 0.0,
            Some(found) => scene
                .last_bounds(workspace)
                .map(|(pair, bound)| time(found.gap.max(bound), self.speed(pair)))
                .fold(f64::INFINITY, f64::min),
            None => f64::INFINITY,
        };
        Look { least, time_to_contact }
    }
}

/// Seconds that a gap lasts at a closing speed, rounded down.
fn time(gap: f64, speed: f64) -> f64 {
    let gap = gap - GAP_SLACK;
    if !(gap > 0.0) {
        0.0
    } else if speed == 0.0 {
        f64::INFINITY
    } else {
        gap / speed * (1.0 - SPEED_SLACK)
    }
}

/// How often [`estimate`] asks for a gap.
pub const ESTIMATE_QUERIES: usize = 3;

/// Farther ahead than this, in seconds, nothing is estimated.
pub const ESTIMATE_HORIZON: f64 = 60.0;

/// When a gap would be gone that shrinks by `closing` a second now. `gap_after` says how large it is after some seconds of
/// going on as now; it is asked a few times.
///
/// This is no proof: joints may brake or speed up, and what comes and goes between the questions is not seen.
pub fn estimate(gap: f64, closing: f64, mut gap_after: impl FnMut(f64) -> f64) -> Option<f64> {
    if !(gap > 0.0) {
        return Some(0.0);
    }
    let (mut free, mut free_gap) = (0.0, gap);
    let mut touching: Option<f64> = None;
    let mut guess = gap / closing;
    for _ in 0..ESTIMATE_QUERIES {
        // Also if nothing is closing, or by no number.
        if !(guess > free && guess <= ESTIMATE_HORIZON) {
            break;
        }
        let here = gap_after(guess);
        if here == 0.0 {
            touching = Some(guess);
            guess = 0.5 * (free + guess);
            continue;
        }
        let slope = (free_gap - here) / (guess - free);
        (free, free_gap) = (guess, here);
        let ahead = free + free_gap / slope;
        guess = match touching {
            // Both ways lead to the same instant.
            Some(touching) if (ahead - touching).abs() <= 1e-6 * touching => return Some(touching),
            Some(touching) if !(slope > 0.0 && ahead < touching) => 0.5 * (free + touching),
            _ if slope > 0.0 => ahead,
            _ => return None,
        };
    }
    if touching.is_some() || (guess > 0.0 && guess <= ESTIMATE_HORIZON) { Some(guess) } else { None }
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn estimates_of_known_courses() {
        let check = |gap: f64, closing: f64, after: fn(f64) -> f64, expected: Option<f64>| {
            let found = estimate(gap, closing, after);
            let same = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() <= 0.3 * expected,
                (found, expected) => found == expected,
            };
            assert!(same, "{found:?} instead of {expected:?}");
        };
        check(0.0, 1.0, |_| 0.0, Some(0.0));
        check(1.0, 0.5, |t| (1.0 - 0.5 * t).max(0.0), Some(2.0));
        check(1.0, 0.0, |_| 1.0, None);
        check(1.0, -1.0, |t| 1.0 + t, None);
        check(1.0, f64::NAN, |_| 1.0, None);
        check(1.0, 1e-9, |_| 1.0, None);
        // It speeds up, slows down, and turns round.
        check(1.0, 0.5, |t| (1.0 - 0.5 * t - t * t).max(0.0), Some(0.78));
        check(1.0, 1.0, |t| (1.0 - t + 0.1 * t * t).max(0.0), Some(1.127));
        check(1.0, 1.0, |t| 1.0 - t + t * t, None);
    }
}
