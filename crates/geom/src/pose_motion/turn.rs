//! A turn about a fixed direction at a constant rate with a drift at a constant rate: screws, and straight lines with slerp.

use super::spline::ROOM;
use super::{Affine, Slack, Span, interpolated};
use glam::{DMat3, DVec3};

/// `x(u) = Rot(axis, angle · u) (first x + arm) + base + drift · u`.
///
/// A screw has its base on the axis and drifts along it; a line with slerp has no arm, and drifts from one translation to the
/// other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// A unit vector.
    pub(super) axis: DVec3,
    /// Any number of turns.
    pub(super) angle: f64,
    pub(super) first: DMat3,
    pub(super) arm: DVec3,
    pub(super) base: DVec3,
    pub(super) drift: DVec3,
}

impl Turn {
    pub(super) fn at(&self, u: f64) -> Affine {
        let turn = DMat3::from_axis_angle(self.axis, self.angle * u);
        Affine { linear: turn * self.first, shift: turn * self.arm + self.base + self.drift * u }
    }

    /// The cubic through four placements, and how far a point may be from it.
    ///
    /// Turning by `θ` about an axis at distance `ρ` has a fourth derivative of `ρ θ⁴`, so the cubic through 0, 1/3, 2/3 and 1
    /// is off by at most `ρ θ⁴ / 1944`, across the axis; the drift is met exactly.
    pub(super) fn within(&self, span: Span) -> ([Affine; 4], Slack) {
        let third = |k: f64| span.start + (span.end - span.start) * k / 3.0;
        let placed = [self.at(span.start), self.at(third(1.0)), self.at(third(2.0)), self.at(span.end)];
        let controls = interpolated(&placed);
        let angle = self.angle.abs() * (span.end - span.start) * (1.0 + 8.0 * f64::EPSILON);
        let off = angle.powi(4) / 1944.0 * ROOM;
        let about = -(self.first.transpose() * self.arm);
        // The angles are rounded, by 2⁻⁵³ of the whole; a weighted sum of four placements makes at most six times that of it.
        let angles = 8.0 * f64::EPSILON * self.angle.abs();
        // Drift: weights of four rounded instants.
        let drift = 16.0 * f64::EPSILON * (self.drift.length() + self.base.length());
        let slack = Slack::rounding(&controls);
        let slack = Slack {
            about,
            per_metre: slack.per_metre + angles,
            across: off,
            axis: self.axis,
            fixed: slack.fixed + slack.per_metre * about.length() + drift,
        };
        (controls, slack)
    }

    /// Speeds across and along the axis are constant, but for the turning part of a drift across it.
    pub(super) fn travel(&self, span: Span, centre: DVec3, radius: f64) -> f64 {
        let length = span.length();
        let arm = (self.axis.cross(self.first * centre + self.arm)).length() + radius;
        let along = self.drift.dot(self.axis);
        let across = (self.drift - self.axis * along).length();
        let turned = self.angle.abs() * arm + across;
        let rounding =
            32.0 * f64::EPSILON * (centre.length() + self.arm.length() + radius) * self.angle.abs();
        (turned.hypot(along) + rounding) * length * (1.0 + 16.0 * f64::EPSILON)
    }
}
