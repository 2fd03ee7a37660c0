//! How far can joints be from cubics that nearly lead a tip along a curve?
//!
//! The tip follows the curve `T(u)`, the cubics `q(u)` put it at `F(q(u))`. What these differ by is bounded as everywhere: the cubics
//! through four differences are seen, and beyond them stands at most `max |d''''| / 1944`, with the derivatives of the arm bounded through
//! its joints (Leibniz' rule) and those of the curve by its formula.
//!
//! From there to joints: with `A` about the inverse of the Jacobian in the middle of a span, a posture `x` that leads the tip exactly along
//! the curve is a fixed point of `g(x) = x − A f(x, u)`, where `f` is what is missing of the place and of the rotation (the vector of
//! the skew part of `F T⁻¹`). If with `|1 − A f'| ≤ K` in a box of half widths `ρ` about `q(u)`
//!
//! ```text
//! K ρ + |A f(q(u), u)| ≤ ρ
//! ```
//!
//! then `g` maps the box into itself and contracts it: there is one such posture in it, and only one, and as `u` goes on it moves without
//! a jump. So joints that are on the branch at the start stay within `ρ` of the cubics all the way (Krawczyk 1969). `K` has rank two,
//! for a column of the Jacobian changes by a length and an angle, so `ρ` comes from two equations.

use super::arm::{Arm, JOINTS, Posed};
use kansho_cell::route::{Loose, Place, PoseCurve};
use kansho_geom::glam::DMat3;
use kansho_geom::motion::Span;

/// Rounding of placements, as a part of the size: some hundred operations on angles of some turns.
const ROUNDING: f64 = 1e-13;

/// What bounds are multiplied by: more than rounding makes of them.
const UP: f64 = 1.0 + 1e-9;

/// Parts of a piece in which the Jacobian is looked at, at most: halved so often.
const DEPTH: u32 = 7;

/// The largest part of a box that is used up by the change of the Jacobian: beyond it, halving is better.
const CONTRACTION: f64 = 0.7;

/// How far joints may be from cubics that follow a curve, for each joint of the arm, in radians or metres, rounded up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointError {
    /// At all instants.
    pub most: [f64; JOINTS],
    /// No second posture within this follows the curve.
    pub alone: [f64; JOINTS],
    /// At the start and at the end.
    pub ends: [[f64; JOINTS]; 2],
}

/// How far joints may be from cubics that follow a curve in a span; of all poses that are as near to the curve as `loose` says. Nothing if
/// there is no such bound: the arm is near a singularity, or the cubics do not follow the curve.
///
/// `controls` are the cubics of the arm's joints in Bernstein's form, over the span.
#[must_use]
pub fn joint_error(
    arm: &Arm,
    curve: &PoseCurve,
    span: Span,
    loose: Loose,
    controls: &[[f64; 4]; JOINTS],
) -> Option<JointError> {
    let middle = arm.posed(&at(controls, 0.5));
    let Off { all, ends } = off(arm, curve, span, controls, &middle);
    // A rotation by an angle differs from none by less than the angle.
    let all = [all[0] + loose.place, all[1] + loose.turn];
    if !all.iter().all(|off| off.is_finite()) {
        return None;
    }
    let rates = controls.map(|c| derivatives(&c)[0]);
    // The same box in all parts of the span, so that what is alone in one is so in the next; tried larger if it turns out too small.
    let mut alone = norms(&inverse(&middle.columns)?).map(|[a, b]| 1.5 * (a * all[0] + b * all[1]));
    for _ in 0..6 {
        match parts(arm, controls, &rates, &middle, &alone, (all, ends))? {
            Found::Good { most, ends } => return Some(JointError { most, alone, ends }),
            Found::TooSmall(found) => {
                alone = std::array::from_fn(|k| alone[k].max(1.2 * found[k]));
            }
        }
    }
    None
}

/// What comes of a box.
enum Found {
    Good {
        most: [f64; JOINTS],
        ends: [[f64; JOINTS]; 2],
    },
    /// It would have to be larger than this.
    TooSmall([f64; JOINTS]),
}

/// Halves a piece until the Jacobian changes little in each part.
fn parts(
    arm: &Arm,
    controls: &[[f64; 4]; JOINTS],
    rates: &[f64; JOINTS],
    middle: &Posed,
    alone: &[f64; JOINTS],
    (all, at_ends): ([f64; 2], [[f64; 2]; 2]),
) -> Option<Found> {
    let mut most = [0.0f64; JOINTS];
    let mut ends = [[0.0; JOINTS]; 2];
    let mut open = [(0.0, 0.0, 0); DEPTH as usize + 2];
    open[0] = (0.0, 1.0, 0);
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (start, end, depth) = open[count];
        let posed = if depth == 0 { *middle } else { arm.posed(&at(controls, 0.5 * (start + end))) };
        let half = rates.map(|rate| 0.5 * (end - start) * rate);
        match Contraction::new(arm, &posed, &half, alone, all[1]) {
            Some(contraction) => {
                let found = contraction.boxed(all)?;
                if !found.iter().zip(alone).all(|(found, alone)| found <= alone) {
                    return Some(Found::TooSmall(found));
                }
                most.iter_mut().zip(found).for_each(|(most, found)| *most = most.max(found));
                if start == 0.0 {
                    ends[0] = contraction.boxed(at_ends[0])?;
                }
                if end == 1.0 {
                    ends[1] = contraction.boxed(at_ends[1])?;
                }
            }
            None if depth < DEPTH => {
                let half = 0.5 * (start + end);
                open[count] = (half, end, depth + 1);
                open[count + 1] = (start, half, depth + 1);
                count += 2;
            }
            None => return None,
        }
    }
    Some(Found::Good { most, ends })
}

/// The values of cubics at an instant.
pub(crate) fn at(controls: &[[f64; 4]; JOINTS], u: f64) -> [f64; JOINTS] {
    controls.map(|c| {
        // Exact at both ends, and where nothing changes.
        let mix = |a: f64, b: f64| if u == 1.0 { b } else { a + (b - a) * u };
        let (ab, bc, cd) = (mix(c[0], c[1]), mix(c[1], c[2]), mix(c[2], c[3]));
        mix(mix(ab, bc), mix(bc, cd))
    })
}

/// How far the tip is from the curve: its place in metres, its rotation as the norm of a difference of matrices.
struct Off {
    /// At any instant.
    all: [f64; 2],
    /// At the start and at the end.
    ends: [[f64; 2]; 2],
}

fn off(arm: &Arm, curve: &PoseCurve, span: Span, controls: &[[f64; 4]; JOINTS], middle: &Posed) -> Off {
    // At four instants. What is between them and the cubic through them is less than twice the largest.
    let mut seen = [0.0f64; 2];
    let mut ends = [[0.0; 2]; 2];
    for k in 0..4 {
        let u = f64::from(k) / 3.0;
        let tip = arm.tip(&at(controls, u));
        let wanted = curve.at(span.at(u));
        let differences = [
            tip.translation().distance(wanted.translation()),
            frobenius(&(tip.rotation() - wanted.rotation())),
        ];
        seen = [higher(seen[0], differences[0]), higher(seen[1], differences[1])];
        if k == 0 || k == 3 {
            ends[usize::from(k == 3)] = differences;
        }
    }
    // Derivatives of the tip's place and of a vector that is fixed to it, from the tip to the base.
    let (mut place, mut vector) = ([0.0; 4], [0.0; 4]);
    for (axis, (_, speed)) in arm.axes().iter().zip(&middle.axes).rev() {
        let d = derivatives(&controls[axis.joint]).map(|d| d * axis.multiplier.abs());
        if axis.is_slide() {
            place.iter_mut().zip(d).for_each(|(place, d)| *place += d * speed.length() * UP);
        } else {
            // The distance of the tip from the axis is its speed about it.
            let reach = speed.length() + 0.5 * place[0] + 1e-12 * arm.size();
            let turn = of_turn(&d);
            place = through(&turn, &place, reach);
            vector = through(&turn, &vector, 1.0);
        }
    }
    let (of_place, of_turns) = of_curve(curve, span);
    let turned: f64 = controls.iter().map(|c| c.iter().map(|v| v.abs()).fold(0.0, higher)).sum();
    let rounding = ROUNDING * (1.0 + turned);
    let rounded = [rounding * (arm.size() + reach_of(curve)), rounding];
    let beyond = [place[3] + of_place, vector[3] + of_turns];
    Off {
        all: std::array::from_fn(|k| (2.0 * seen[k] + beyond[k] / 1944.0) * UP + rounded[k]),
        ends: ends.map(|end| std::array::from_fn(|k| end[k] * UP + rounded[k])),
    }
}

/// Bounds on the fourth derivatives of a curve in a span: of its place, and of a unit vector that it turns.
fn of_curve(curve: &PoseCurve, span: Span) -> (f64, f64) {
    let place = match *curve.place() {
        Place::Cubic(_) => 0.0,
        Place::Arc { arm, angle, .. } => arm.length() * (angle.abs() * span.length()).powi(4),
    };
    let mut vector = [0.0; 4];
    for turn in curve.turns().iter().rev() {
        let d = derivatives(&part(&turn.angle, span));
        vector = through(&of_turn(&d), &vector, 1.0);
    }
    (place, vector[3])
}

fn reach_of(curve: &PoseCurve) -> f64 {
    match *curve.place() {
        Place::Cubic(points) => points.iter().map(|p| p.length()).fold(0.0, higher),
        Place::Arc { centre, arm, .. } => centre.length() + arm.length(),
    }
}

/// In a part of a piece, `g` contracts a box.
struct Contraction {
    /// Rows of the inverse: how much a joint takes of a metre, and of a radian.
    rows: [[f64; 2]; JOINTS],
    /// How much columns change: as lengths, as angles.
    changes: [[f64; JOINTS]; 2],
    matrix: [[f64; 2]; 2],
    determinant: f64,
}

/// How much each joint takes of a metre and of a radian, at most. What is nearly nothing counts as a thousandth of the largest, so that
/// rounding is small beside it.
fn norms(rows: &[[f64; 6]; JOINTS]) -> [[f64; 2]; JOINTS] {
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt() * UP;
    let exact = rows.map(|row| [norm(&row[..3]), norm(&row[3..])]);
    let most = exact.iter().fold([0.0; 2], |most, row| [higher(most[0], row[0]), higher(most[1], row[1])]);
    exact.map(|row| std::array::from_fn(|k| higher(row[k], 1e-3 * most[k])))
}

impl Contraction {
    /// In a part in which the cubics are within `half` of its middle, and a rotation misses by no more than `miss`; none if it does not.
    fn new(arm: &Arm, posed: &Posed, half: &[f64; JOINTS], alone: &[f64; JOINTS], miss: f64) -> Option<Self> {
        let rows = norms(&inverse(&posed.columns)?);
        let reach: [f64; JOINTS] = std::array::from_fn(|k| (half[k] + alone[k]) * UP);
        let changes = changes(arm, posed, &reach, miss + turned(arm, alone))?;
        let product = |side: usize, of: &[f64; JOINTS]| -> f64 {
            rows.iter().zip(of).map(|(row, of)| row[side] * of).sum::<f64>() * UP
        };
        let matrix = changes.map(|of| [product(0, &of), product(1, &of)]);
        let mixed = matrix[0][1] * matrix[1][0];
        // A box is used up by less than the larger eigenvalue of this matrix.
        let apart = matrix[0][0] - matrix[1][1];
        let eigen = 0.5 * (matrix[0][0] + matrix[1][1] + (apart * apart + 4.0 * mixed).sqrt());
        let determinant = (1.0 - matrix[0][0]) * (1.0 - matrix[1][1]) - mixed;
        (eigen < CONTRACTION).then_some(Self { rows, changes, matrix, determinant })
    }

    /// The half widths of the box in which the posture is, where the tip misses the curve by no more than `off`.
    fn boxed(&self, off: [f64; 2]) -> Option<[f64; JOINTS]> {
        let Self { rows, changes, matrix, determinant } = self;
        let first: [f64; JOINTS] = rows.map(|[a, b]| a * off[0] + b * off[1]);
        let dot = |of: &[f64; JOINTS]| first.iter().zip(of).map(|(a, b)| a * b).sum::<f64>();
        let (x0, y0) = (dot(&changes[0]), dot(&changes[1]));
        let x = (x0 * (1.0 - matrix[1][1]) + y0 * matrix[0][1]) / determinant;
        let y = (y0 * (1.0 - matrix[0][0]) + x0 * matrix[1][0]) / determinant;
        // A little larger, so that rounding does not matter.
        let found: [f64; JOINTS] =
            std::array::from_fn(|k| (first[k] + rows[k][0] * x + rows[k][1] * y) * (1.0 + 1e-6));
        found.iter().all(|found| *found >= 0.0 && found.is_finite()).then_some(found)
    }
}

/// The angle by which the tip turns at most if joints move by so much.
fn turned(arm: &Arm, by: &[f64; JOINTS]) -> f64 {
    let of =
        |axis: &super::arm::Axis| if axis.is_slide() { 0.0 } else { axis.multiplier.abs() * by[axis.joint] };
    arm.axes().iter().map(of).sum()
}

/// How far the columns of the derivative of `f` can be from those of the Jacobian in the middle, as lengths and as angles, if joints move
/// by no more than `reach` from there and the rotation misses by no more than `miss`.
///
/// If joint `i` comes before `k`, it carries axis and tip: the speed `v` of the tip about `k` turns by `ω(i) × v(k)`. If it comes
/// after, it moves the tip only: `ω(k) × v(i)`. Directions are turned by joints before only.
fn changes(arm: &Arm, posed: &Posed, reach: &[f64; JOINTS], miss: f64) -> Option<[[f64; JOINTS]; 2]> {
    if !(miss < 0.9) {
        return None;
    }
    let axes = arm.axes();
    let count = axes.len();
    let (mut turns, mut speeds, mut by, mut after) = ([0.0; 12], [0.0; 12], [0.0; 12], [0.0; 12]);
    let mut beyond = 0.0;
    for k in (0..count).rev() {
        let size = axes[k].multiplier.abs();
        by[k] = reach[axes[k].joint];
        turns[k] = if axes[k].is_slide() { 0.0 } else { size };
        // The distance of the tip from an axis is changed by the joints beyond it only.
        speeds[k] = (posed.axes[k].1.length() * size + turns[k] * beyond) * UP;
        beyond += by[k] * speeds[k];
        after[k] = beyond;
    }
    let (mut lengths, mut angles) = ([0.0; JOINTS], [0.0; JOINTS]);
    let mut before = 0.0;
    for k in 0..count {
        let joint = axes[k].joint;
        // The skew part of a rotation by a small angle is off by less than that angle; and what an inverse loses to rounding.
        lengths[joint] += before * speeds[k] + turns[k] * after[k] + RESIDUAL * speeds[k];
        angles[joint] += before * turns[k] + 1.05 * miss * turns[k] + RESIDUAL * turns[k];
        before += by[k] * turns[k];
    }
    let up = |all: [f64; JOINTS]| all.map(|x| x * UP + f64::MIN_POSITIVE);
    Some([up(lengths), up(angles)])
}

/// What `1 − A J` may be, as a part of the products of the norms of rows and columns. An inverse that misses more is none.
const RESIDUAL: f64 = 1e-10;

/// The inverse of a matrix by its columns, as rows; none if it is singular, or what it leaves is more than is allowed for.
pub(crate) fn inverse(columns: &[[f64; 6]; JOINTS]) -> Option<[[f64; 6]; JOINTS]> {
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

fn frobenius(m: &DMat3) -> f64 {
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
}

/// The higher of two numbers, and no number if one is none, which `max` would let pass.
fn higher(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The coefficients of a part of a cubic in Bernstein's form.
fn part(c: &[f64; 4], Span { start, end }: Span) -> [f64; 4] {
    let blossom = |r: f64, s: f64, t: f64| {
        let mix = |a: f64, b: f64, u: f64| a + (b - a) * u;
        let (ab, bc, cd) = (mix(c[0], c[1], r), mix(c[1], c[2], r), mix(c[2], c[3], r));
        mix(mix(ab, bc, s), mix(bc, cd, s), t)
    };
    [
        blossom(start, start, start),
        blossom(start, start, end),
        blossom(start, end, end),
        blossom(end, end, end),
    ]
}

/// Bounds on the first four derivatives of a cubic in Bernstein's form.
fn derivatives(c: &[f64; 4]) -> [f64; 4] {
    let lost = 32.0 * f64::EPSILON * c.iter().map(|v| v.abs()).fold(0.0, higher);
    let first = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
    let second = [first[1] - first[0], first[2] - first[1]];
    let most = |d: &[f64]| d.iter().map(|v| v.abs()).fold(0.0, higher) + lost;
    [3.0 * most(&first), 6.0 * most(&second), 6.0 * most(&[second[1] - second[0]]), 0.0]
}

/// Bounds on the derivatives of the rotation by an angle with these (Faà di Bruno).
fn of_turn(&[a, b, c, _]: &[f64; 4]) -> [f64; 4] {
    let aa = a * a;
    [a, aa + b, aa * a + 3.0 * a * b + c, aa * aa + 6.0 * aa * b + 3.0 * b * b + 4.0 * a * c]
}

/// Bounds on the derivatives of a turned vector of a length whose own derivatives have bounds (Leibniz).
fn through(d: &[f64; 4], own: &[f64; 4], length: f64) -> [f64; 4] {
    [
        own[0] + d[0] * length,
        own[1] + 2.0 * d[0] * own[0] + d[1] * length,
        own[2] + 3.0 * d[0] * own[1] + 3.0 * d[1] * own[0] + d[2] * length,
        own[3] + 4.0 * d[0] * own[2] + 6.0 * d[1] * own[1] + 4.0 * d[2] * own[0] + d[3] * length,
    ]
}
