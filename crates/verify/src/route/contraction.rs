//! Where Newton's operator with a fixed matrix contracts a box of postures.

use super::arm::{Arm, Axis, JOINTS, Posed};
use super::error::{UP, higher};
use kansho_geom::glam::DVec3;

/// Times that a box is put through the operator before it is made larger by what is still missing.
const ROUNDS: usize = 4;

/// How much larger a box may be made: beyond it, halving is better.
const LARGER: f64 = 1.0;

/// A part of cubics that move an arm.
pub(super) struct Part<'a> {
    /// The arm in its middle.
    pub(super) posed: &'a Posed,
    /// The first derivatives of the cubics there.
    pub(super) rates: [f64; JOINTS],
    /// Bounds on the first derivatives in all of it.
    pub(super) fastest: &'a [f64; JOINTS],
    /// Bounds on the second derivatives in all of it.
    pub(super) bent: &'a [f64; JOINTS],
    /// Half of its length.
    pub(super) half: f64,
    /// What the arm's placements round by, as a part of its size.
    pub(super) rounding: f64,
}

/// In a part of a piece, what `g(x) = x − A f(x, u)` makes of differences.
pub(super) struct Contraction {
    /// Rows of the inverse: how much a joint takes of a metre, and of a radian.
    rows: [[f64; 2]; JOINTS],
    /// Bounds on the entries of `1 − A f'`.
    entries: [[f64; JOINTS]; JOINTS],
}

/// How much each joint takes of a metre and of a radian, at most. What is nearly nothing counts as a thousandth of the largest, so that
/// rounding is small beside it.
pub(super) fn norms(rows: &[[f64; 6]; JOINTS]) -> [[f64; 2]; JOINTS] {
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt() * UP;
    let exact = rows.map(|row| [norm(&row[..3]), norm(&row[3..])]);
    let most = exact.iter().fold([0.0; 2], |most, row| [higher(most[0], row[0]), higher(most[1], row[1])]);
    exact.map(|row| std::array::from_fn(|k| higher(row[k], 1e-3 * most[k])))
}

impl Contraction {
    /// In a part of cubics, for postures within `alone` of them, where a rotation misses by no more than `miss`; none if the arm is singular.
    pub(super) fn new(arm: &Arm, part: &Part<'_>, alone: &[f64; JOINTS], miss: f64) -> Option<Self> {
        let inverse = inverse(&part.posed.columns)?;
        let rows = norms(&inverse);
        let Changes { columns, lengths, angles } = changes(arm, part, alone, miss + turned(arm, alone))?;
        let entry = |r: usize, k: usize| {
            let along: f64 = inverse[r].iter().zip(&columns[k]).map(|(a, b)| a * b).sum();
            (along.abs() * part.half + rows[r][0] * lengths[k] + rows[r][1] * angles[k]) * UP
        };
        Some(Self { rows, entries: std::array::from_fn(|r| std::array::from_fn(|k| entry(r, k))) })
    }

    /// The half widths of the box in which the posture is, where the tip misses the curve by no more than `off`; none if none is found.
    ///
    /// With `ρ` a few rounds of `ρ ← K ρ + first` on and `δ` what the next would add, `(1 + ε) ρ` is mapped into itself if `δ ≤ ε (first − δ)`.
    pub(super) fn boxed(&self, off: [f64; 2]) -> Option<[f64; JOINTS]> {
        let first = self.rows.map(|[a, b]| (a * off[0] + b * off[1]) * UP);
        let next = |half: &[f64; JOINTS]| -> [f64; JOINTS] {
            std::array::from_fn(|r| {
                first[r] + self.entries[r].iter().zip(half).map(|(entry, half)| entry * half).sum::<f64>()
            })
        };
        let mut half = first;
        for _ in 0..ROUNDS {
            half = next(&half);
        }
        let more = next(&half);
        let mut larger = 0.0;
        for k in 0..JOINTS {
            let missing = more[k] - half[k];
            larger = higher(larger, missing / (first[k] - missing));
            if !(missing < first[k]) {
                return None;
            }
        }
        // A little more, so that rounding does not matter.
        let found = half.map(|half| half * (1.0 + larger) * (1.0 + 1e-6));
        (larger <= LARGER && found.iter().all(|found| *found > 0.0 && found.is_finite())).then_some(found)
    }
}

/// The angle by which the tip turns at most if joints move by so much.
fn turned(arm: &Arm, by: &[f64; JOINTS]) -> f64 {
    let of = |axis: &Axis| if axis.is_slide() { 0.0 } else { axis.multiplier.abs() * by[axis.joint] };
    arm.axes().iter().map(of).sum()
}

/// How the derivative of `f` differs from the Jacobian in the middle of a part.
struct Changes {
    /// What columns change by as the cubics go on, by unit of their time: metres, then radians.
    columns: [[f64; 6]; JOINTS],
    /// What they change by beyond that, at most: as lengths.
    lengths: [f64; JOINTS],
    /// And as angles.
    angles: [f64; JOINTS],
}

/// How far the columns of the derivative of `f` can be from those of the Jacobian in the middle of a part, if postures are within `alone` of
/// the cubics and the rotation misses by no more than `miss`.
///
/// If joint `i` comes before `k`, it carries axis and tip: the speed `v` of the tip about `k` turns by `ω(i) × v(k)`. If it comes
/// after, it moves the tip only: `ω(k) × v(i)`. Directions are turned by joints before only. So the first derivatives of columns along the
/// cubics are known, and the second ones are bounded by products of two turns and a speed, that of the last joint of the three.
fn changes(arm: &Arm, part: &Part<'_>, alone: &[f64; JOINTS], miss: f64) -> Option<Changes> {
    if !(miss < 0.9) {
        return None;
    }
    let axes = arm.axes();
    let count = axes.len();
    let of_axes = &part.posed.axes;
    // By how much joints are away from the middle, and from where they would be if the cubics were straight.
    let away: [f64; JOINTS] = std::array::from_fn(|k| (part.half * part.fastest[k] + alone[k]) * UP);
    let aside: [f64; JOINTS] =
        std::array::from_fn(|k| (0.5 * part.half * part.half * part.bent[k] + alone[k]) * UP);
    let (mut turns, mut speeds) = ([0.0; 12], [0.0; 12]);
    // Of the axes from one on to the tip: the speed of the tip, how far it gets, how far aside, and twice its second order.
    let mut led = [DVec3::ZERO; 12];
    let (mut far, mut aslant, mut twice) = ([0.0; 12], [0.0; 12], [0.0; 12]);
    let mut beyond = (DVec3::ZERO, 0.0, 0.0, 0.0);
    for k in (0..count).rev() {
        let (axis, joint) = (&axes[k], axes[k].joint);
        let size = axis.multiplier.abs();
        turns[k] = if axis.is_slide() { 0.0 } else { size };
        // The distance of the tip from an axis is changed by the joints beyond it only.
        speeds[k] = (of_axes[k].1.length() * size + turns[k] * beyond.1) * UP;
        let turned = away[joint] * turns[k];
        beyond.3 += turned * (away[joint] * speeds[k] + 2.0 * beyond.1);
        beyond.0 += of_axes[k].1 * (axis.multiplier * part.rates[joint]);
        beyond.1 += away[joint] * speeds[k];
        beyond.2 += aside[joint] * speeds[k];
        (led[k], far[k], aslant[k], twice[k]) = beyond;
    }
    let mut all = Changes { columns: [[0.0; 6]; JOINTS], lengths: [0.0; JOINTS], angles: [0.0; JOINTS] };
    // Of the axes before one: the turn of the tip, how far it gets, how far aside.
    let mut before = (DVec3::ZERO, 0.0, 0.0);
    for k in 0..count {
        let (axis, joint) = (&axes[k], axes[k].joint);
        // The direction of a turn; none for a slide.
        let (direction, speed) = of_axes[k];
        let along = (before.0.cross(speed) + direction.cross(led[k])) * axis.multiplier;
        let around = before.0.cross(direction) * axis.multiplier;
        for i in 0..3 {
            all.columns[joint][i] += along[i];
            all.columns[joint][i + 3] += around[i];
        }
        let second = before.1 * before.1 * speeds[k] + turns[k] * (2.0 * before.1 * far[k] + twice[k]);
        // The skew part of a rotation by a small angle is off by less than that angle; and what an inverse and these sums lose to rounding.
        all.lengths[joint] += before.2 * speeds[k]
            + turns[k] * aslant[k]
            + 0.5 * second
            + RESIDUAL * (speeds[k] + before.1 * speeds[k] + turns[k] * far[k])
            // A speed is an angle's lever, worked out from places that are rounded.
            + turns[k] * (1.0 + before.1) * part.rounding * arm.size();
        all.angles[joint] +=
            turns[k] * (before.2 + 0.5 * before.1 * before.1 + 1.05 * miss + RESIDUAL * (1.0 + before.1));
        before.0 += direction * (axis.multiplier * part.rates[joint]);
        before.1 += away[joint] * turns[k];
        before.2 += aside[joint] * turns[k];
    }
    let up = |all: [f64; JOINTS]| all.map(|x| x * UP + f64::MIN_POSITIVE);
    Some(Changes { lengths: up(all.lengths), angles: up(all.angles), ..all })
}

/// What `1 − A J` may be, as a part of the products of the norms of rows and columns. An inverse that misses more is none.
pub(super) const RESIDUAL: f64 = 1e-10;

/// The inverse of a matrix by its columns, as rows; none if it is singular, or what it leaves is more than is allowed for.
#[must_use]
pub fn inverse(columns: &[[f64; 6]; JOINTS]) -> Option<[[f64; 6]; JOINTS]> {
    // Gauss and Jordan, largest pivots first, on rows of [J | 1].
    let mut rows = [[0.0; 12]; 6];
    for (i, row) in rows.iter_mut().enumerate() {
        for (k, column) in columns.iter().enumerate() {
            row[k] = column[i];
        }
        row[6 + i] = 1.0;
    }
    for k in 0..6 {
        let mut pivot = k;
        for i in k + 1..6 {
            if rows[i][k].abs() > rows[pivot][k].abs() {
                pivot = i;
            }
        }
        rows.swap(pivot, k);
        let scale = 1.0 / rows[k][k];
        if !scale.is_finite() {
            return None;
        }
        rows[k].iter_mut().for_each(|x| *x *= scale);
        let upper = rows[k];
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[k];
            if i != k && factor != 0.0 {
                row.iter_mut().zip(upper).for_each(|(x, above)| *x -= factor * above);
            }
        }
    }
    let inverse: [[f64; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|k| rows[i][6 + k]));
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (i, (row, parts)) in inverse.iter().zip(norms(&inverse)).enumerate() {
        for (k, column) in columns.iter().enumerate() {
            let product: f64 = row.iter().zip(column).map(|(a, b)| a * b).sum();
            let wanted = if i == k { 1.0 } else { 0.0 };
            let allowed = parts[0] * norm(&column[..3]) + parts[1] * norm(&column[3..]);
            // Half of what is allowed for, so that rounding of this very check does not matter.
            if !((product - wanted).abs() <= 0.5 * RESIDUAL * allowed) {
                return None;
            }
        }
    }
    Some(inverse)
}
