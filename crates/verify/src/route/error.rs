//! How far can joints be from cubics that nearly lead a tip along a curve?
//!
//! The tip follows the curve `T(u)`, the cubics `q(u)` put it at `F(q(u))`. What these differ by is bounded by [`off`].
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
//! a jump. So joints that are on the branch at the start stay within `ρ` of the cubics all the way (Krawczyk 1969).

use super::arm::{Arm, JOINTS, Posed};
use super::contraction::{Contraction, Part, RESIDUAL, inverse, norms};
use super::off::{Off, derivatives, off, rounding};
use kansho_cell::route::{Loose, PoseCurve};
use kansho_geom::pose_motion::Span;

/// What bounds are multiplied by: more than rounding makes of them.
pub(super) const UP: f64 = 1.0 + 1e-9;

/// Parts of a piece in which the Jacobian is looked at, at most: halved so often.
const DEPTH: u32 = 7;

/// How much larger the box is in which postures are alone than what the middle of a piece needs without contraction.
const ROOM: f64 = 3.0;

/// How far joints may be from cubics that follow a curve, for each joint of the arm, in radians or metres, rounded up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointError {
    /// At all instants.
    pub most: [f64; JOINTS],
    /// No second posture within this follows the curve.
    pub alone: [f64; JOINTS],
    /// At the start and at the end.
    pub ends: [[f64; JOINTS]; 2],
    /// How far the tip may be from where the cubics put it, at all instants: its place in metres, and the most that its rotation moves a
    /// vector of length one.
    pub tip: [f64; 2],
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
    // Jacobians allow for no more rounding than this: angles of more than some hundred turns are not followed.
    let rounding = rounding(arm, controls);
    if !(rounding <= RESIDUAL) {
        return None;
    }
    let middle = arm.posed(&at(controls, 0.5));
    let Off { all, ends } = off(arm, curve, span, controls, &middle);
    // A rotation by an angle differs from none by less than the angle.
    let all = [all[0] + loose.place, all[1] + loose.turn];
    if !all.iter().all(|off| off.is_finite()) {
        return None;
    }
    let (fastest, bent) = (controls.map(|c| derivatives(&c)[0]), controls.map(|c| derivatives(&c)[1]));
    // The same box in all parts of the span, so that what is alone in one is so in the next; tried larger if it turns out too small.
    let mut alone = norms(&inverse(&middle.columns)?).map(|[a, b]| ROOM * (a * all[0] + b * all[1]));
    for _ in 0..6 {
        match parts(arm, controls, ([&fastest, &bent], rounding), &middle, &alone, (all, ends))? {
            Found::Good { most, ends } => return Some(JointError { most, alone, ends, tip: all }),
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
    ([fastest, bent], rounding): ([&[f64; JOINTS]; 2], f64),
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
        let centre = 0.5 * (start + end);
        let posed = if depth == 0 { *middle } else { arm.posed(&at(controls, centre)) };
        let half = 0.5 * (end - start);
        let part = Part { posed: &posed, rates: rates(controls, centre), fastest, bent, half, rounding };
        let contraction = Contraction::new(arm, &part, alone, all[1]);
        match contraction.and_then(|contraction| Some((contraction.boxed(all)?, contraction))) {
            Some((found, contraction)) => {
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
                open[count] = (centre, end, depth + 1);
                open[count + 1] = (start, centre, depth + 1);
                count += 2;
            }
            None => return None,
        }
    }
    Some(Found::Good { most, ends })
}

/// The values of cubics at an instant.
#[must_use]
pub fn at(controls: &[[f64; 4]; JOINTS], u: f64) -> [f64; JOINTS] {
    controls.map(|c| {
        // Exact at both ends, and where nothing changes.
        let mix = |a: f64, b: f64| if u == 1.0 { b } else { a + (b - a) * u };
        let (ab, bc, cd) = (mix(c[0], c[1]), mix(c[1], c[2]), mix(c[2], c[3]));
        mix(mix(ab, bc), mix(bc, cd))
    })
}

/// The first derivatives of cubics at an instant.
fn rates(controls: &[[f64; 4]; JOINTS], u: f64) -> [f64; JOINTS] {
    controls.map(|c| {
        let mix = |a: f64, b: f64| a + (b - a) * u;
        let d = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
        3.0 * mix(mix(d[0], d[1]), mix(d[1], d[2]))
    })
}

/// The higher of two numbers, and no number if one is none, which `max` would let pass.
pub(super) fn higher(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
