//! Smooth motions through poses.
//!
//! Catmull and Rom's cubics in the cumulative form that Kim, Kim and Shin (1995) gave to unit quaternions:
//!
//! ```text
//! R(u) = R0 exp(C1(u) w1) exp(C2(u) w2) exp(C3(u) w3),   p(u) = p0 + C1(u) d1 + C2(u) d2 + C3(u) d3
//! ```
//!
//! where `wi` and `di` lead from each of four poses to the next, and the piece runs from the second to the third.

use super::{Affine, Slack, Span, interpolated};
use crate::pose::Pose;
use glam::{DMat3, DQuat, DVec3};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SplinePiece {
    pub(super) first: Affine,
    pub(super) turns: [DVec3; 3],
    pub(super) shifts: [DVec3; 3],
}

/// Most that `RᵀR − I` of a first rotation may be off.
pub(super) const NEARLY_RIGID: f64 = 1e-12;

/// What bounds are multiplied by: more than rounding makes of them, and a rotation that is off by that.
pub(super) const ROOM: f64 = 1.0 + 1e-9;

/// Coefficients of `C1`, `C2`, `C3`: sums of the basis of Catmull and Rom from the second, third and fourth on.
const CUMULATIVE: [[f64; 4]; 3] = [[1.0, 0.5, -1.0, 0.5], [0.0, 0.5, 1.5, -1.0], [0.0, 0.0, -0.5, 0.5]];

impl SplinePiece {
    pub(super) fn of(poses: [Pose; 4]) -> Self {
        let leg = |k: usize| {
            let turn = poses[k].quat().inverse() * poses[k + 1].quat();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            (turn.normalize().to_scaled_axis(), poses[k + 1].translation() - poses[k].translation())
        };
        let legs = [leg(0), leg(1), leg(2)];
        Self { first: poses[0].into(), turns: legs.map(|l| l.0), shifts: legs.map(|l| l.1) }
    }

    pub(super) fn at(&self, u: f64) -> Affine {
        let mut placed = self.first;
        for (k, &[a, b, c, d]) in CUMULATIVE.iter().enumerate() {
            let part = a + u * (b + u * (c + u * d));
            placed.linear *= DMat3::from_quat(DQuat::from_scaled_axis(self.turns[k] * part));
            placed.shift += self.shifts[k] * part;
        }
        placed
    }

    /// The cubic through four placements, and how far a point may be from it: `max |R''''| |x| / 1944`.
    pub(super) fn within(&self, span: Span) -> ([Affine; 4], Slack) {
        let third = |k: f64| span.start + (span.end - span.start) * k / 3.0;
        let placed = [self.at(span.start), self.at(third(1.0)), self.at(third(2.0)), self.at(span.end)];
        let controls = interpolated(&placed);
        let slack = Slack::rounding(&controls);
        let length = span.length(); // Of either sign.
        let off = self.fourth(span) * length.powi(4) / 1944.0 * ROOM;
        let turns = self.turns.iter().map(|w| w.length()).sum::<f64>();
        let shifts = self.shifts.iter().map(|d| d.length()).sum::<f64>() + self.first.shift.length();
        let slack = Slack {
            about: DVec3::ZERO,
            per_metre: slack.per_metre + off + 64.0 * f64::EPSILON * (1.0 + turns),
            fixed: slack.fixed + 64.0 * f64::EPSILON * shifts,
            ..slack
        };
        (controls, slack)
    }

    /// A bound above the norm of the fourth derivative of the rotation: each factor's derivatives by the polynomials of Bell
    /// (its axis is fixed, so everything commutes), their product by Leibniz.
    fn fourth(&self, span: Span) -> f64 {
        let factors: [[f64; 5]; 3] = std::array::from_fn(|k| {
            let w = self.turns[k].length();
            let [a1, a2, a3] = derivatives(k, span).map(|bound| bound * w);
            [
                1.0,
                a1,
                a1.powi(2) + a2,
                a1.powi(3) + 3.0 * a1 * a2 + a3,
                a1.powi(4) + 6.0 * a1 * a1 * a2 + 3.0 * a2 * a2 + 4.0 * a1 * a3,
            ]
        });
        const FACTORIAL: [f64; 5] = [1.0, 1.0, 2.0, 6.0, 24.0];
        let mut sum = 0.0;
        for i in 0..=4 {
            for j in 0..=4 - i {
                let k = 4 - i - j;
                let times = 24.0 / (FACTORIAL[i] * FACTORIAL[j] * FACTORIAL[k]);
                sum += times * factors[0][i] * factors[1][j] * factors[2][k];
            }
        }
        sum
    }

    pub(super) fn travel(&self, span: Span, centre: DVec3, radius: f64) -> f64 {
        let reach = centre.length() + radius;
        let speed: f64 = (0..3)
            .map(|k| derivatives(k, span)[0] * (self.shifts[k].length() + self.turns[k].length() * reach))
            .sum();
        speed * span.length().abs() * (1.0 + 64.0 * f64::EPSILON)
    }
}

/// Bounds above the first, second and third derivative of `Ck` in a span, rounded up.
fn derivatives(k: usize, span: Span) -> [f64; 3] {
    let [_, b, c, d] = CUMULATIVE[k];
    let span = Span::new(span.start.min(span.end), span.start.max(span.end)); // Backwards it is the same.
    let up = 1.0 + 16.0 * f64::EPSILON;
    let first = |u: f64| (b + u * (2.0 * c + u * 3.0 * d)).abs();
    let mut most = first(span.start).max(first(span.end));
    // The only extreme inside; every third coefficient is there.
    let turn = -c / (3.0 * d);
    if turn > span.start && turn < span.end {
        most = most.max(first(turn));
    }
    let second = |u: f64| (2.0 * c + 6.0 * d * u).abs();
    let rounding = 16.0 * f64::EPSILON;
    [most * up + rounding, second(span.start).max(second(span.end)) * up + rounding, (6.0 * d).abs()]
}
