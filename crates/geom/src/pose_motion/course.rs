//! What searches need to know of a smooth motion, and how far off a cubic near it may be.

use super::{Affine, Span};
use glam::DVec3;

/// A smooth motion in `u` from 0 to 1, as searches need it.
pub trait Course {
    /// Where it is.
    fn at(&self, u: f64) -> Affine;

    /// The control placements, if it is a cubic by definition.
    fn controls(&self) -> Option<[Affine; 4]>;

    /// Whether it stands still.
    fn is_still(&self) -> bool;

    /// The cubic that it is, or is near, in a span.
    fn within(&self, span: Span) -> Near;

    /// A bound above the length of the way of any point of a ball of the body in a span, rounded up.
    fn travel(&self, span: Span, centre: DVec3, radius: f64) -> f64;
}

/// How far points may be from a cubic, in metres, rounded up: `fixed + per_metre · |x − about|` in any direction, and
/// `across · |x − about|` more across the axis of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slack {
    /// A point of the body.
    pub about: DVec3,
    /// Metres for each metre from it.
    pub per_metre: f64,
    /// Metres at that point.
    pub fixed: f64,
    /// Metres for each metre from it, across the axis only.
    pub across: f64,
    /// A unit vector in the world, or zero if there is no axis.
    pub axis: DVec3,
}

impl Slack {
    /// For all points of a ball of the body.
    #[must_use]
    #[inline]
    pub fn of_ball(&self, centre: DVec3, radius: f64) -> f64 {
        self.fixed + (self.per_metre + self.across) * (centre.distance(self.about) + radius)
    }

    /// As [`Slack::of_ball`], along directions no longer than 1 that are mixed from two.
    ///
    /// The part of a mixture across the axis is no longer than the longer of theirs.
    #[must_use]
    #[inline]
    pub fn along(&self, centre: DVec3, radius: f64, directions: [DVec3; 2]) -> f64 {
        let mut across = self.across;
        if across > 0.0 {
            let beside = |n: DVec3| n.cross(self.axis).length() + 8.0 * f64::EPSILON;
            across *= beside(directions[0]).max(beside(directions[1])).min(1.0);
        }
        self.fixed + (self.per_metre + across) * (centre.distance(self.about) + radius)
    }

    /// What computing a point's control points, or their products with a unit vector, may be off by.
    ///
    /// Each is a sum of at most some twenty products of numbers within the largest control, each rounded by 2⁻⁵³: 64 · 2⁻⁵²
    /// leaves room.
    pub(super) fn rounding(controls: &[Affine; 4]) -> Self {
        let most = |f: fn(&Affine) -> f64| controls.iter().map(f).fold(0.0, f64::max);
        let frobenius = |c: &Affine| {
            let m = c.linear;
            (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
        };
        Self {
            about: DVec3::ZERO,
            per_metre: 64.0 * f64::EPSILON * most(frobenius),
            fixed: 64.0 * f64::EPSILON * most(|c| c.shift.length()),
            across: 0.0,
            axis: DVec3::ZERO,
        }
    }
}

/// A motion in a span as a cubic: control placements, and how far points may be from what they make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Bézier's control placements for the span.
    pub controls: [Affine; 4],
    /// How far points of the motion may be from the cubic, rounding included.
    pub slack: Slack,
}
