use super::Triangle;
use glam::DVec3;

/// Square of the sine of the angle at the first corner below which the foot of a perpendicular is computed twice, and
/// compared with the sides: above it, rounding moves the foot by less than a few dozen last digits.
const THIN: f64 = 1.0 / 64.0;

/// The point of a triangle that is nearest to a given one.
///
/// It lies on the triangle, however thin that is, and no other point is nearer by more than some 1e-15 of the size of the
/// coordinates.
///
/// ```
/// use kansho_geom::{glam::DVec3, triangle::nearest};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert_eq!(nearest(DVec3::new(0.25, 0.5, 3.0), &triangle), DVec3::new(0.25, 0.5, 0.0));
/// assert_eq!(nearest(DVec3::new(0.25, -1.0, 3.0), &triangle), DVec3::new(0.25, 0.0, 0.0));
/// ```
#[must_use]
pub fn nearest(p: DVec3, triangle: &Triangle) -> DVec3 {
    let [a, b, c] = *triangle;
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let area_sq = normal.length_squared();
    let thin = area_sq <= THIN * ab.length_squared() * ac.length_squared();
    let parts = |from: DVec3| (from.cross(ac).dot(normal) / area_sq, ab.cross(from).dot(normal) / area_sq);
    let (mut v, mut w) = parts(p - a);
    if thin {
        // The parts of a sliver are noisy; those of what is left over take the noise away.
        let (dv, dw) = parts(p - (a + ab * v + ac * w));
        (v, w) = (v + dv, w + dw);
    }
    let inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0; // False for NaN, of a triangle without area.
    let foot = a + ab * v + ac * w;
    if inside && !thin {
        return foot;
    }
    let sides = [on_segment(p, a, b), on_segment(p, b, c), on_segment(p, c, a)];
    let mut best = if inside { foot } else { sides[0] };
    for on_side in sides {
        if p.distance_squared(on_side) < p.distance_squared(best) {
            best = on_side;
        }
    }
    best
}

fn on_segment(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let along = b - a;
    let t = (p - a).dot(along) / along.length_squared();
    // A segment without length has no part: its end will do.
    if t >= 1.0 {
        b
    } else if t > 0.0 {
        a + along * t
    } else {
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triangle::closest;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Fat triangles, slivers, segments and points, near and far, against the distance of two triangles, of which one is
        /// a point.
        #[test]
        fn it_is_as_near_as_two_triangles_are(
            numbers in prop::array::uniform9(-1.0..1.0f64),
            p in prop::array::uniform3(-1.0..1.0f64),
            thinness in prop::sample::select(vec![1.0, 1e-3, 1e-6, 1e-8, 1e-10, 1e-13, 0.0]),
            height in prop::sample::select(vec![1.0, 1e-6, 1e-9, 1e-12, 0.0]),
            size in prop::sample::select(vec![1e-6, 1.0, 1e4]),
        ) {
            let [a, b, c] = [0, 3, 6].map(|k| DVec3::from_slice(&numbers[k..k + 3]));
            let c = a + (b - a) * numbers[6] + c * thinness;
            let over = a + (b - a) * (p[0].abs()) + (c - a) * (p[1] * 0.5);
            let p = (over + DVec3::from_array(p) * height) * size;
            let triangle = [a * size, b * size, c * size];
            let found = nearest(p, &triangle);
            let expected = closest(&[p; 3], &triangle).distance_sq.sqrt();
            prop_assert!(found.distance(p) <= expected + 1e-14 * size, "{} {expected}", found.distance(p));
            // It is a point of the triangle: along no direction does it stand out.
            for direction in [DVec3::X, DVec3::Y, DVec3::Z, p - found, found - p] {
                let reach = triangle.iter().map(|q| q.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(found.dot(direction) <= reach + 1e-14 * size * (1.0 + direction.length()));
            }
        }
    }
}
