//! Vectors of whole numbers, long enough that nothing overflows for coordinates of 20 bits.

pub(super) type Point = [i128; 3];

pub(super) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn scaled(a: Point, by: i128) -> Point {
    a.map(|x| x * by)
}

pub(super) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn dot(a: Point, b: Point) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn has_area(t: &[Point; 3]) -> bool {
    cross(sub(t[1], t[0]), sub(t[2], t[0])) != [0, 0, 0]
}

/// Whether two triangles with area have no common point.
///
/// Two closed convex sets are apart exactly if some direction has a gap; for triangles with area it is a normal, a product of two
/// sides, or a normal in a plane to a side.
pub(super) fn apart(a: &[Point; 3], b: &[Point; 3]) -> bool {
    let gap = |d: Point| {
        let range = |t: &[Point; 3]| {
            let [x, y, z] = t.map(|p| dot(p, d));
            (x.min(y).min(z), x.max(y).max(z))
        };
        let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
        high_a < low_b || high_b < low_a
    };
    // Axes first: most pairs are far apart.
    if [[1, 0, 0], [0, 1, 0], [0, 0, 1]].into_iter().any(gap) {
        return true;
    }
    let sides = |t: &[Point; 3]| [sub(t[1], t[0]), sub(t[2], t[1]), sub(t[0], t[2])];
    let (sa, sb) = (sides(a), sides(b));
    let (na, nb) = (cross(sa[0], sa[1]), cross(sb[0], sb[1]));
    gap(na)
        || gap(nb)
        || sa.iter().any(|e| gap(cross(na, *e)))
        || sb.iter().any(|f| gap(cross(nb, *f)))
        || sa.iter().any(|e| sb.iter().any(|f| gap(cross(*e, *f))))
}
