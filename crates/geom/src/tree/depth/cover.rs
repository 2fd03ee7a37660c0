//! Do the triangles of a flat face cover what lies over it?

use glam::DVec3;

/// Most parts of a shadow that are left to be covered: more are not worth the time, for smaller shadows have fewer.
const MOST_PARTS: usize = 32;

/// A plane: a point of it and its unit normal.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
}

impl Plane {
    /// The plane of a triangle, if it has area.
    pub(super) fn of([a, b, c]: [DVec3; 3]) -> Option<Self> {
        Some(Self { point: a, normal: (b - a).cross(c - a).try_normalize()? })
    }

    pub(super) fn height(&self, p: DVec3) -> f64 {
        (p - self.point).dot(self.normal)
    }

    /// The foot of the perpendicular from a point.
    pub(super) fn foot(&self, p: DVec3) -> DVec3 {
        p - self.normal * self.height(p)
    }
}

/// Whether every point of a convex polygon in a plane is within `2 · flat` of one of some triangles.
///
/// Only triangles within `flat` of the plane count. Their shadows, a little widened so that rounding opens no gaps between
/// neighbours, are taken off one by one: nothing may be left.
pub(super) fn covers(
    triangles: impl Iterator<Item = [DVec3; 3]>,
    plane: &Plane,
    polygon: Vec<DVec3>,
    flat: f64,
) -> bool {
    let mut parts = vec![polygon];
    for triangle in triangles {
        if triangle.iter().any(|&p| !(plane.height(p).abs() <= flat)) {
            continue;
        }
        let Some(shadow) = Shadow::of(triangle.map(|p| plane.foot(p)), plane.normal, flat) else {
            continue;
        };
        parts = parts.into_iter().flat_map(|part| shadow.remainder(part)).collect();
        if parts.is_empty() {
            return true;
        }
        if parts.len() > MOST_PARTS {
            return false;
        }
    }
    false
}

/// A widened triangle in a plane: three sides, each a point and the unit direction out of it.
struct Shadow {
    sides: [(DVec3, DVec3); 3],
    wider: f64,
}

impl Shadow {
    /// None if it has no area.
    fn of([a, b, c]: [DVec3; 3], normal: DVec3, flat: f64) -> Option<Self> {
        let doubled_area = (b - a).cross(c - a).dot(normal);
        let normal = normal * doubled_area.signum();
        let out = |from: DVec3, to: DVec3| Some((from, (to - from).cross(normal).try_normalize()?));
        let longest_sq = [b - a, c - b, a - c].iter().map(|side| side.length_squared()).fold(0.0, f64::max);
        // Sides shifted by `wider` meet up to `wider / sin(angle / 2)` away from a corner, and half the least angle has a
        // sine of more than half the least height over the longest side.
        let wider = flat * 0.5 * doubled_area.abs() / longest_sq;
        Some(Self { sides: [out(a, b)?, out(b, c)?, out(c, a)?], wider })
    }

    /// Convex parts of a convex polygon that lie beyond the sides.
    fn remainder(&self, mut polygon: Vec<DVec3>) -> Vec<Vec<DVec3>> {
        let mut beyond = Vec::new();
        for (from, out) in self.sides {
            let over = |p: DVec3| (p - from).dot(out) - self.wider;
            let part = below(&polygon, |p| -over(p));
            if !part.is_empty() {
                beyond.push(part);
                polygon = below(&polygon, over);
            }
        }
        beyond
    }
}

/// The part of a convex polygon where a linear function is not positive.
pub(super) fn below(polygon: &[DVec3], height: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &p) in polygon.iter().enumerate() {
        let q = polygon[(k + 1) % polygon.len()];
        let (from, to) = (height(p), height(q));
        if from <= 0.0 {
            kept.push(p);
        }
        if (from <= 0.0) != (to <= 0.0) {
            kept.push(p + (q - p) * (from / (from - to)));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: f64 = 1e-9;

    fn covered(triangles: &[[DVec3; 3]], polygon: &[DVec3]) -> bool {
        let plane = Plane { point: DVec3::ZERO, normal: DVec3::Z };
        covers(triangles.iter().copied(), &plane, polygon.to_vec(), FLAT)
    }

    #[test]
    fn two_halves_of_a_square_cover_it_and_no_more() {
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let square = [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)];
        let halves = [[square[0], square[1], square[2]], [square[0], square[3], square[2]]];
        assert!(covered(&halves, &square));
        assert!(covered(&halves, &[at(0.1, 0.4), at(0.9, 0.3), at(0.5, 0.9)]));
        assert!(covered(&halves, &[at(0.1, 0.4), at(0.9, 0.3)]), "a segment");
        assert!(!covered(&halves[..1], &square));
        assert!(!covered(&halves, &[at(0.1, 0.4), at(1.0 + 1e-8, 0.3), at(0.5, 0.9)]));
        assert!(!covered(&halves.map(|t| t.map(|p| p + DVec3::Z * 1e-8)), &square), "in another plane");
        assert!(!covered(&[], &square));
    }

    #[test]
    fn a_needle_is_not_widened_beyond_its_tip() {
        let needle = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1e-4, 0.0)];
        let tip = |by: f64| [DVec3::new(-by, 0.0, 0.0), DVec3::new(0.1, 1e-6, 0.0)];
        assert!(covered(&[needle], &tip(0.0)));
        assert!(!covered(&[needle], &tip(2.0 * FLAT)));
    }
}
