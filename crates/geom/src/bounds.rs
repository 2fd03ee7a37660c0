//! What encloses a shape: axis-aligned boxes and balls.

use glam::DVec3;

/// An axis-aligned box. May be flat, never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    min: DVec3,
    max: DVec3,
}

impl Aabb {
    /// The box of some points, or `None` of none. Exact: its faces pass through points.
    #[must_use]
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        Some(
            points
                .fold(Self { min: first, max: first }, |b, p| Self { min: b.min.min(p), max: b.max.max(p) }),
        )
    }

    /// The box around the origin that reaches `half` each way.
    #[must_use]
    pub fn centred(half: DVec3) -> Self {
        let half = half.abs();
        Self { min: -half, max: half }
    }

    /// Lowest corner.
    #[must_use]
    pub fn min(&self) -> DVec3 {
        self.min
    }

    /// Highest corner.
    #[must_use]
    pub fn max(&self) -> DVec3 {
        self.max
    }

    /// Middle.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        (self.min + self.max) * 0.5
    }

    /// Edge lengths.
    #[must_use]
    pub fn extent(&self) -> DVec3 {
        self.max - self.min
    }

    /// Length of the space diagonal: the "size" that relative tolerances refer to.
    #[must_use]
    pub fn diagonal(&self) -> f64 {
        self.extent().length()
    }

    /// The box of both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the point lies inside or on the border.
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    centre: DVec3,
    radius: f64,
}

impl Ball {
    /// A ball around a point.
    #[must_use]
    pub fn new(centre: DVec3, radius: f64) -> Self {
        Self { centre, radius }
    }

    /// A ball that encloses the points, or `None` of none; at most about 5 % wider than the smallest in practice (Ritter 1990).
    ///
    /// The radius is rounded up: a point whose exact distance to the centre is `d` has `d <= radius`.
    #[must_use]
    pub fn of_points(points: &[DVec3]) -> Option<Self> {
        let first = *points.first()?;
        let farthest_from = |from: DVec3| {
            points.iter().copied().fold((from, 0.0), |best: (DVec3, f64), p| {
                let distance_sq = from.distance_squared(p);
                if distance_sq > best.1 { (p, distance_sq) } else { best }
            })
        };
        let (one, _) = farthest_from(first);
        let (other, distance_sq) = farthest_from(one);
        let mut centre = (one + other) * 0.5;
        let mut radius = distance_sq.sqrt() * 0.5;
        for &p in points {
            let distance = centre.distance(p);
            if distance > radius {
                // The smallest ball around the old one and the point.
                let shift = (distance - radius) * 0.5;
                radius += shift;
                centre += (p - centre) * (shift / distance);
            }
        }
        // Shifting rounds, so the radius is taken once more from the final centre. The computed distance is off by at
        // most 5 roundings (differences, squares, sums, root) of relative size 2⁻⁵³; eight cover them.
        let (_, farthest_sq) = farthest_from(centre);
        Some(Self { centre, radius: farthest_sq.sqrt() * (1.0 + 8.0 * f64::EPSILON) })
    }

    /// Middle.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bounds_enclose(numbers in prop::collection::vec(-1e3..1e3f64, 3..60)) {
            let points: Vec<DVec3> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
            let aabb = Aabb::of_points(points.iter().copied()).expect("there are points");
            let ball = Ball::of_points(&points).expect("there are points");
            for &p in &points {
                prop_assert!(aabb.contains(p));
                prop_assert!(ball.centre().distance(p) <= ball.radius());
            }
            // Never wider than the ball of the box, by much.
            prop_assert!(ball.radius() <= 0.5 * aabb.diagonal() * 1.2 + 1e-12);
        }
    }

    #[test]
    fn nothing_has_no_bounds() {
        assert_eq!(Aabb::of_points([]), None);
        assert_eq!(Ball::of_points(&[]), None);
    }
}
