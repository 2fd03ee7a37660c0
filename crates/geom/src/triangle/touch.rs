use super::Triangle;
use super::planar::{segment_touches_triangle, segments_touch};
use crate::sign::{Side, collinear, orient2d, orient3d};
use glam::{DVec2, DVec3};

/// Whether two triangles have a common point, decided exactly.
///
/// If they do, an edge of one has a point in common with the other: where their planes cross, the common segment ends on
/// edges; where they share a plane, either edges cross or one triangle lies in the other, its edges with it.
///
/// ```
/// use kansho_geom::{glam::DVec3, triangle::touch};
/// let flat = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let tip_on_it = [DVec3::new(0.25, 0.25, 0.0), DVec3::Z, DVec3::new(1.0, 1.0, 1.0)];
/// assert!(touch(&flat, &tip_on_it));
/// assert!(!touch(&flat, &tip_on_it.map(|p| p + DVec3::Z * 1e-300_f64.max(f64::EPSILON))));
/// ```
#[must_use]
pub fn touch(a: &Triangle, b: &Triangle) -> bool {
    if beside(a, b) || beside(b, a) {
        return false;
    }
    let sides = |t: &Triangle| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    sides(a).iter().any(|[p, q]| segment_touches(*p, *q, b))
        || sides(b).iter().any(|[p, q]| segment_touches(*p, *q, a))
}

/// Whether all of `other` lies strictly on one side of the plane of `plane`.
fn beside(plane: &Triangle, other: &Triangle) -> bool {
    let side = |k: usize| orient3d(plane[0], plane[1], plane[2], other[k]);
    let first = side(0);
    first != Side::On && side(1) == first && side(2) == first
}

/// Whether a segment and a triangle have a common point, decided exactly.
#[must_use]
pub fn segment_touches(p: DVec3, q: DVec3, triangle: &Triangle) -> bool {
    let [a, b, c] = *triangle;
    match (orient3d(a, b, c, p), orient3d(a, b, c, q)) {
        (Side::On, Side::On) => in_one_plane(p, q, triangle),
        (p_side, q_side) if p_side == q_side => false,
        _ => {
            // The line crosses the plane in one point; it is inside if it passes all sides on the same hand.
            let sides = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
            !(sides.contains(&Side::Above) && sides.contains(&Side::Below))
        }
    }
}

/// As [`segment_touches`], where all five points lie in a plane, or the triangle has none.
fn in_one_plane(p: DVec3, q: DVec3, triangle: &Triangle) -> bool {
    let [a, b, c] = *triangle;
    match shadow_of(triangle) {
        Some(shadow) => segment_touches_triangle(shadow(p), shadow(q), triangle.map(shadow)),
        None => {
            segments_touch_in_space(p, q, a, b)
                || segments_touch_in_space(p, q, b, c)
                || segments_touch_in_space(p, q, c, a)
        }
    }
}

/// Whether two segments in space have a common point.
fn segments_touch_in_space(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> bool {
    if orient3d(p, q, r, s) != Side::On {
        return false;
    }
    let shadow = [[p, q, r], [p, q, s], [p, r, s], [q, r, s]].iter().find_map(shadow_of);
    if let Some(shadow) = shadow {
        return segments_touch(shadow(p), shadow(q), shadow(r), shadow(s));
    }
    // All on one line: they touch if their boxes do, and one axis is enough to see it if they are long on it.
    let between =
        |x: DVec3, from: DVec3, to: DVec3| x.cmpge(from.min(to)).all() && x.cmple(from.max(to)).all();
    between(r, p, q) || between(s, p, q) || between(p, r, s) || between(q, r, s)
}

/// A way to drop a coordinate that keeps three points off a line, and so is one to one on their plane; none if they lie
/// on a line.
fn shadow_of(points: &[DVec3; 3]) -> Option<fn(DVec3) -> DVec2> {
    let ways: [fn(DVec3) -> DVec2; 3] =
        [|v| DVec2::new(v.x, v.y), |v| DVec2::new(v.y, v.z), |v| DVec2::new(v.z, v.x)];
    if collinear(points[0], points[1], points[2]) {
        return None;
    }
    ways.into_iter().find(|way| orient2d(way(points[0]), way(points[1]), way(points[2])) != Side::On)
}
