//! How far is the tip of an arm, moved by cubics, from a curve?
//!
//! What they differ by is seen at seven instants. The polynomial of degree six through seven numbers is nowhere larger than these times a
//! factor, and what it misses is bounded by the seventh derivative of the difference: `max |d⁽⁷⁾| / 7! · max |Π (u − k/6)|`. Those of the arm
//! are bounded through its joints (Leibniz' rule), those of the curve by its formula.

use super::arm::{Arm, Axis, JOINTS, Posed};
use super::error::{UP, at, higher};
use kansho_cell::route::{Place, PoseCurve};
use kansho_geom::glam::DMat3;
use kansho_geom::pose_motion::Span;

/// Rounding of placements, as a part of the size: some hundred operations on angles of some turns.
const ROUNDING: f64 = 1e-13;

/// Instants that are looked at, evenly spaced from start to end.
const NODES: usize = 7;

/// The largest sum of what Lagrange's polynomials of the second, fourth and sixth instant are, rounded up. Cubics that were put through
/// the other four miss the curve here.
const BETWEEN: f64 = 2.45;

/// The same for the first, third, fifth and seventh.
const AT_FIT: f64 = 2.18;

/// `max |Π (u − k/6)| / 7!`, rounded up.
const REMAINDER: f64 = 6.8e-8;

/// How far the tip is from the curve: its place in metres, its rotation as the norm of a difference of matrices. Rounded up.
pub(super) struct Off {
    /// At any instant.
    pub(super) all: [f64; 2],
    /// At the start and at the end.
    pub(super) ends: [[f64; 2]; 2],
}

/// How far the tip is from the curve, with the arm in the middle of the span.
pub(super) fn off(
    arm: &Arm,
    curve: &PoseCurve,
    span: Span,
    controls: &[[f64; 4]; JOINTS],
    middle: &Posed,
) -> Off {
    let rounding = rounding(arm, controls);
    let mut seen = [[0.0f64; 2]; NODES];
    for (k, seen) in seen.iter_mut().enumerate() {
        let u = k as f64 / (NODES - 1) as f64;
        let tip = if 2 * k + 1 == NODES { middle.tip } else { arm.tip(&at(controls, u)) };
        let wanted = curve.at(span.at(u));
        let turned = tip.rotation() - wanted.rotation();
        *seen = [tip.translation().distance(wanted.translation()), frobenius(&turned)];
    }
    // Derivatives of the tip's place and of a vector that is fixed to it, from the tip to the base.
    let (mut place, mut vector) = (Derivatives([0.0; NODES + 1]), Derivatives::UNIT);
    for (axis, (_, speed)) in arm.axes().iter().zip(&middle.axes).rev() {
        let d = derivatives(&controls[axis.joint]).map(|d| d * axis.multiplier.abs());
        if axis.is_slide() {
            place.0[1..4].iter_mut().zip(d).for_each(|(place, d)| *place += d * speed.length() * UP);
        } else {
            // The distance of the tip from the axis is its speed about it.
            place.0[0] = speed.length() + 0.5 * place.0[1] + (1e-12 + rounding) * arm.size();
            let turn = Derivatives::of_turn(&d);
            place = turn.of(&place);
            vector = turn.of(&vector);
        }
    }
    let (of_place, of_turns) = of_curve(curve, span);
    let rounded = [rounding * (arm.size() + reach_of(curve)), rounding];
    let beyond = [place.0[NODES] + of_place, vector.0[NODES] + of_turns];
    let most =
        |first: usize, side: usize| seen[first..].iter().step_by(2).map(|seen| seen[side]).fold(0.0, higher);
    let all = |side: usize| BETWEEN * most(1, side) + AT_FIT * most(0, side) + REMAINDER * beyond[side];
    Off {
        all: std::array::from_fn(|k| all(k) * UP + 5.0 * rounded[k]),
        ends: [0, NODES - 1].map(|end| std::array::from_fn(|k| seen[end][k] * UP + rounded[k])),
    }
}

/// What placements of an arm round by on these cubics, as a part of its size: every angle `multiplier q + offset` rounds as its two terms do,
/// and `q` as its largest coefficient.
pub(super) fn rounding(arm: &Arm, controls: &[[f64; 4]; JOINTS]) -> f64 {
    let largest = |axis: &Axis| controls[axis.joint].iter().map(|v| v.abs()).fold(0.0, higher);
    let of = |axis: &Axis| 1.0 + axis.multiplier.abs() * largest(axis) + axis.offset.abs();
    ROUNDING * (1.0 + arm.axes().iter().map(of).sum::<f64>())
}

/// Bounds on a vector and its derivatives by the time, up to the seventh.
#[derive(Clone, Copy)]
struct Derivatives([f64; NODES + 1]);

impl Derivatives {
    /// A vector of length one that stands still.
    const UNIT: Self = Self([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);

    /// Of the rotation by an angle whose first three derivatives have these bounds, and whose others are zero: `r' = a' J r`, so
    /// `r⁽ⁿ⁺¹⁾ = Σ C(n, k) a⁽ᵏ⁺¹⁾ J r⁽ⁿ⁻ᵏ⁾`.
    fn of_turn(angle: &[f64; 3]) -> Self {
        let mut all = Self::UNIT;
        for (n, binomials) in BINOMIALS[..NODES].iter().enumerate() {
            all.0[n + 1] = (0..=n.min(2)).map(|k| binomials[k] * angle[k] * all.0[n - k]).sum();
        }
        all
    }

    /// Of a vector that is turned by this rotation, and has bounds of its own (Leibniz).
    fn of(&self, own: &Self) -> Self {
        Self(std::array::from_fn(|n| (0..=n).map(|k| BINOMIALS[n][k] * self.0[k] * own.0[n - k]).sum()))
    }
}

/// Binomial coefficients.
const BINOMIALS: [[f64; NODES + 1]; NODES + 1] = {
    let mut all = [[0.0; NODES + 1]; NODES + 1];
    let mut n = 0;
    while n <= NODES {
        all[n][0] = 1.0;
        let mut k = 1;
        while k <= n {
            all[n][k] = all[n - 1][k - 1] + all[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    all
};

/// Bounds on the seventh derivatives of a curve in a span: of its place, and of a unit vector that it turns.
fn of_curve(curve: &PoseCurve, span: Span) -> (f64, f64) {
    let place = match *curve.place() {
        Place::Cubic(_) => 0.0,
        Place::Arc { arm, angle, .. } => arm.length() * (angle.abs() * span.length()).powi(NODES as i32) * UP,
    };
    let mut vector = Derivatives::UNIT;
    for turn in curve.turns().iter().rev() {
        vector = Derivatives::of_turn(&derivatives(&part(&turn.angle, span))).of(&vector);
    }
    (place, vector.0[NODES])
}

fn reach_of(curve: &PoseCurve) -> f64 {
    match *curve.place() {
        Place::Cubic(points) => points.iter().map(|p| p.length()).fold(0.0, higher),
        Place::Arc { centre, arm, .. } => centre.length() + arm.length(),
    }
}

fn frobenius(m: &DMat3) -> f64 {
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
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

/// Bounds on the first three derivatives of a cubic in Bernstein's form; all others are zero.
pub(super) fn derivatives(c: &[f64; 4]) -> [f64; 3] {
    let lost = 32.0 * f64::EPSILON * c.iter().map(|v| v.abs()).fold(0.0, higher);
    let first = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
    let second = [first[1] - first[0], first[2] - first[1]];
    let most = |d: &[f64]| d.iter().map(|v| v.abs()).fold(0.0, higher) + lost;
    [3.0 * most(&first), 6.0 * most(&second), 6.0 * most(&[second[1] - second[0]])]
}

#[cfg(test)]
mod tests {
    use super::{AT_FIT, BETWEEN, Derivatives, NODES, REMAINDER};

    #[test]
    fn factors_of_interpolation_are_bounds_and_close() {
        let node = |k: usize| k as f64 / (NODES - 1) as f64;
        let lagrange = |k: usize, u: f64| -> f64 {
            (0..NODES).filter(|j| *j != k).map(|j| (u - node(j)) / (node(k) - node(j))).product()
        };
        let most =
            |of: &dyn Fn(f64) -> f64| (0..=10_000).map(|k| of(f64::from(k) / 10_000.0)).fold(0.0, f64::max);
        let between = most(&|u| [1, 3, 5].iter().map(|k| lagrange(*k, u).abs()).sum());
        let at_fit = most(&|u| [0, 2, 4, 6].iter().map(|k| lagrange(*k, u).abs()).sum());
        let remainder = most(&|u| (0..NODES).map(|k| (u - node(k)).abs()).product()) / 5040.0;
        for (found, bound) in [(between, BETWEEN), (at_fit, AT_FIT), (remainder, REMAINDER)] {
            assert!(found <= bound && found > 0.995 * bound, "{found} {bound}");
        }
    }

    /// An angle `t`: all derivatives of a rotation have length one; an angle `t²/2` at 0: those of `exp(i t²/2)`, 1, 0, i, 0, −3, …
    #[test]
    fn derivatives_of_turns_are_those_of_known_functions() {
        assert_eq!(Derivatives::of_turn(&[1.0, 0.0, 0.0]).0, [1.0; 8]);
        assert_eq!(Derivatives::of_turn(&[0.0, 1.0, 0.0]).0, [1.0, 0.0, 1.0, 0.0, 3.0, 0.0, 15.0, 0.0]);
        assert_eq!(Derivatives::of_turn(&[0.0, 0.0, 1.0]).0, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 10.0, 0.0]);
        // A vector that grows like t, turned evenly: (t e^{it})⁽ⁿ⁾ = (t + n/i) iⁿ e^{it}, at t = 1 at most 1 + n.
        let grown =
            Derivatives::of_turn(&[1.0, 0.0, 0.0]).of(&Derivatives([1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        assert_eq!(grown.0, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    }
}
