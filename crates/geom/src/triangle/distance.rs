use super::{Triangle, touch};
use glam::DVec3;

/// The least distance of two triangles and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The square of the distance; exactly zero if and only if they touch.
    pub distance_sq: f64,
    /// A point of each that is as close as that.
    pub points: [DVec3; 2],
    /// The feature on which each point was found.
    pub features: [Feature; 2],
}

/// A part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Corner 0, 1 or 2.
    Corner(u8),
    /// The side from corner 0, 1 or 2 to the next.
    Side(u8),
    /// The inside.
    Face,
}

/// The closest points of two triangles.
///
/// If they do not touch, the least distance is between two sides, or between a corner and a face (Ericson 2005, 5.1).
/// Distances are accurate to some 1e-15 of the size of the coordinates. If they touch, which is decided exactly, a common
/// point is given as accurately.
#[must_use]
pub fn closest(a: &Triangle, b: &Triangle) -> Closest {
    let apart = closest_apart(a, b);
    if touch(a, b) {
        let (point, features) =
            common_point(a, b, apart.distance_sq).unwrap_or((apart.points[0], apart.features));
        return Closest { distance_sq: 0.0, points: [point; 2], features };
    }
    apart
}

/// The closest points of two triangles that are known not to touch.
pub(crate) fn closest_apart(a: &Triangle, b: &Triangle) -> Closest {
    let mut best =
        Closest { distance_sq: f64::INFINITY, points: [a[0], b[0]], features: [Feature::Corner(0); 2] };
    let mut offer = |points: [DVec3; 2], features: [Feature; 2]| {
        let distance_sq = points[0].distance_squared(points[1]);
        if distance_sq < best.distance_sq {
            best = Closest { distance_sq, points, features };
        }
    };
    for i in 0..3u8 {
        for j in 0..3u8 {
            let side = |t: &Triangle, k: u8| (t[k as usize], t[(k as usize + 1) % 3]);
            let (p, q) = side(a, i);
            let (r, s) = side(b, j);
            let (u, v) = closest_on_segments(p, q, r, s);
            let feature = |at: f64, k: u8| match at {
                0.0 => Feature::Corner(k),
                1.0 => Feature::Corner((k + 1) % 3),
                _ => Feature::Side(k),
            };
            offer([on(p, q, u), on(r, s, v)], [feature(u, i), feature(v, j)]);
        }
    }
    let (face_a, face_b) = (Face::of(a), Face::of(b));
    for k in 0..3u8 {
        if let Some(foot) = face_b.foot_inside(a[k as usize]) {
            offer([a[k as usize], foot], [Feature::Corner(k), Feature::Face]);
        }
        if let Some(foot) = face_a.foot_inside(b[k as usize]) {
            offer([foot, b[k as usize]], [Feature::Face, Feature::Corner(k)]);
        }
    }
    // Apart, however little: the least positive number where rounding says zero.
    Closest { distance_sq: best.distance_sq.max(f64::MIN_POSITIVE), ..best }
}

fn on(p: DVec3, q: DVec3, t: f64) -> DVec3 {
    // Both ends exactly.
    if t == 1.0 { q } else { p + (q - p) * t }
}

/// Parameters in [0, 1] of the closest points of two segments (Ericson 2005, 5.1.9).
fn closest_on_segments(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> (f64, f64) {
    let (d1, d2, between) = (q - p, s - r, p - r);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(between));
    if a == 0.0 && e == 0.0 {
        return (0.0, 0.0);
    }
    if a == 0.0 {
        return (0.0, (f / e).clamp(0.0, 1.0));
    }
    let c = d1.dot(between);
    if e == 0.0 {
        return ((-c / a).clamp(0.0, 1.0), 0.0);
    }
    let b = d1.dot(d2);
    // By the product of both and not by `ae - b²`, which is noise long before they are parallel: a tiny angle `α` leaves
    // the product some 2⁻⁵³/α of noise, which shifts the place along the sides by as much, and the distance by α times that.
    // Of parallel segments any start will do, the second half finds the best partner.
    let across = d1.cross(d2);
    let across_sq = across.length_squared();
    let u = if across_sq > 0.0 { (d2.cross(between).dot(across) / across_sq).clamp(0.0, 1.0) } else { 0.0 };
    let v = (b * u + f) / e;
    if v < 0.0 {
        ((-c / a).clamp(0.0, 1.0), 0.0)
    } else if v > 1.0 {
        (((b - c) / a).clamp(0.0, 1.0), 1.0)
    } else {
        (u, v)
    }
}

/// The inside of a triangle.
struct Face {
    origin: DVec3,
    normal: DVec3,
    area_sq: f64,
    /// Their products with a point are its second and third coordinate by areas, times `area_sq`.
    to_second: DVec3,
    to_third: DVec3,
}

impl Face {
    #[inline]
    fn of([a, b, c]: &Triangle) -> Self {
        let (ab, ac) = (*b - *a, *c - *a);
        let normal = ab.cross(ac);
        Self {
            origin: *a,
            normal,
            area_sq: normal.length_squared(),
            to_second: ac.cross(normal),
            to_third: normal.cross(ab),
        }
    }

    /// The foot of the perpendicular from a point to the plane, if it lies inside and the triangle has area.
    #[inline]
    fn foot_inside(&self, p: DVec3) -> Option<DVec3> {
        let from = p - self.origin;
        // A sliver's coordinates are noise, but then its sides are as close.
        let (v, w) = (self.to_second.dot(from), self.to_third.dot(from));
        let inside = v >= 0.0 && w >= 0.0 && v + w <= self.area_sq && self.area_sq > 0.0; // False for NaN.
        inside.then(|| p - self.normal * (from.dot(self.normal) / self.area_sq))
    }
}

/// A point that two touching triangles have in common, and on what: where a side of one passes through the other. None if it
/// misses by more than two points that are known: where they share a plane up to rounding, it could be anywhere.
fn common_point(a: &Triangle, b: &Triangle, known_sq: f64) -> Option<(DVec3, [Feature; 2])> {
    for (swapped, one, other) in [(false, a, b), (true, b, a)] {
        for k in 0..3u8 {
            let (p, q) = (one[k as usize], one[(k as usize + 1) % 3]);
            if !super::segment_touches(p, q, other) {
                continue;
            }
            let normal = (other[1] - other[0]).cross(other[2] - other[0]);
            let (from, to) = ((p - other[0]).dot(normal), (q - other[0]).dot(normal));
            let t = from / (from - to);
            let point = on(p, q, t.clamp(0.0, 1.0));
            let is_common = |foot: DVec3| foot.distance_squared(point) <= known_sq;
            if t.is_finite() && Face::of(other).foot_inside(point).is_some_and(is_common) {
                let features = [Feature::Side(k), Feature::Face];
                let features = if swapped { [features[1], features[0]] } else { features };
                return Some((point, features));
            }
        }
    }
    None
}
