use super::Triangle;
use glam::DVec3;

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
    let [a, b, c] = from_longest_side(triangle);
    let base = b - a;
    let base_sq = base.length_squared();
    // What is left of a vector beside the base, taken away twice: what the first time leaves along the base would be much
    // beside the height of a sliver. So every rounding stays as small as the last digits of the coordinates, or moves the foot
    // only across a sliver, which changes the distance less than that.
    let beside = |v: DVec3| {
        let rest = v - base * (v.dot(base) / base_sq);
        rest - base * (rest.dot(base) / base_sq)
    };
    let (to_tip, to_p) = (c - a, p - a);
    let (tip_along, along) = (to_tip.dot(base) / base_sq, to_p.dot(base) / base_sq);
    let height = beside(to_tip);
    let up = beside(to_p).dot(height) / height.length_squared();
    // Parts of `b` and `c` in the foot of the perpendicular; NaN or infinite if the triangle has no area.
    let (of_b, of_c) = (along - up * tip_along, up);
    if of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= 1.0 {
        return a + base * along + height * up;
    }
    let mut best = on_segment(p, a, b);
    for on_side in [on_segment(p, b, c), on_segment(p, c, a)] {
        if p.distance_squared(on_side) < p.distance_squared(best) {
            best = on_side;
        }
    }
    best
}

/// The same corners, the longest side between the first two.
fn from_longest_side(&[a, b, c]: &Triangle) -> Triangle {
    let (ab, bc, ca) = (a.distance_squared(b), b.distance_squared(c), c.distance_squared(a));
    if ab >= bc && ab >= ca {
        [a, b, c]
    } else if bc >= ca {
        [b, c, a]
    } else {
        [c, a, b]
    }
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
    use proptest::prelude::*;

    /// The least of a convex function between two numbers.
    fn least(mut from: f64, mut to: f64, f: &mut dyn FnMut(f64) -> f64) -> f64 {
        for _ in 0..80 {
            let (low, high) = (from + (to - from) / 3.0, to - (to - from) / 3.0);
            if f(low) < f(high) { to = high } else { from = low }
        }
        f(0.5 * (from + to))
    }

    /// The distance is a convex function of the place on the triangle: a search for its least number needs no normal and no
    /// cases, and so does not mind slivers.
    fn searched(p: DVec3, [a, b, c]: Triangle) -> f64 {
        least(0.0, 1.0, &mut |v| least(0.0, 1.0 - v, &mut |w| (a + (b - a) * v + (c - a) * w).distance(p)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Fat triangles, slivers, segments and points, near and far.
        #[test]
        fn no_point_found_by_searching_is_nearer(
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
            let expected = searched(p, triangle);
            prop_assert!(found.distance(p) <= expected + 1e-14 * size, "{} {expected}", found.distance(p));
            // It is a point of the triangle: along no direction does it stand out.
            for direction in [DVec3::X, DVec3::Y, DVec3::Z, p - found, found - p] {
                let reach = triangle.iter().map(|q| q.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(found.dot(direction) <= reach + 1e-14 * size * (1.0 + direction.length()));
            }
        }
    }
}
