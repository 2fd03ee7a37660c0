//! How far is a body from a round one? By searches within searches: the distance from a convex body is a convex function, and so is its
//! least value over a segment across a convex region. Slow, plain, and right to the last digits; shares nothing with the library.

use kansho::geom::glam::{DVec2, DVec3};
use kansho::geom::primitive::Shape;

/// Steps of a search: 0.618 to this power is 3e-13.
const STEPS: usize = 60;

/// The least value of a convex function between two numbers.
fn least(low: f64, high: f64, of: &mut dyn FnMut(f64) -> f64) -> f64 {
    let share = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (low, high);
    let (mut x, mut y) = (b - share * (b - a), a + share * (b - a));
    let (mut of_x, mut of_y) = (of(x), of(y));
    let mut best = of(low).min(of(high)).min(of_x).min(of_y);
    for _ in 0..STEPS {
        if of_x < of_y {
            (b, y, of_y) = (y, x, of_x);
            x = b - share * (b - a);
            of_x = of(x);
            best = best.min(of_x);
        } else {
            (a, x, of_x) = (x, y, of_y);
            y = a + share * (b - a);
            of_y = of(y);
            best = best.min(of_y);
        }
    }
    best
}

/// Distance of a point from a primitive, negative inside: a convex function.
pub(crate) fn outside(shape: &Shape, p: DVec3) -> f64 {
    let across = p.truncate().length();
    // In the half-plane through the axis: from a segment, and whether the point is on its inner side.
    let q = DVec2::new(across, p.z);
    let side = |from: DVec2, to: DVec2| {
        let along = to - from;
        let t = ((q - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        (q.distance(from + along * t), along.perp_dot(q - from) >= 0.0)
    };
    match *shape {
        Shape::Sphere { radius } => p.length() - radius,
        Shape::Capsule { radius, height } => {
            p.distance(DVec3::Z * p.z.clamp(-0.5 * height, 0.5 * height)) - radius
        }
        Shape::Cylinder { radius, height } => {
            let over = DVec2::new(across - radius, p.z.abs() - 0.5 * height);
            over.max(DVec2::ZERO).length() + over.max_element().min(0.0)
        }
        Shape::Cone { radius, height } => {
            let (rim, tip) = (DVec2::new(radius, -0.5 * height), DVec2::new(0.0, 0.5 * height));
            let (to_base, above) = side(DVec2::new(0.0, rim.y), rim);
            let (to_slant, below) = side(rim, tip);
            let near = to_base.min(to_slant);
            if above && below { -near } else { near }
        }
        Shape::HalfSpace { normal, offset } => normal.dot(p) - offset,
        Shape::Box { size } => {
            let q = p.abs() - size * 0.5;
            q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
        }
    }
}

/// The least of a convex function over a triangle.
fn over_triangle(&[a, b, c]: &[DVec3; 3], of: &mut dyn FnMut(DVec3) -> f64) -> f64 {
    least(0.0, 1.0, &mut |u| least(0.0, 1.0, &mut |v| of(a + (b - a) * (u * (1.0 - v)) + (c - a) * (u * v))))
}

/// The least of a function that grows no faster than the way, over triangles; it is convex over each.
fn over_triangles(triangles: &[[DVec3; 3]], of: &mut dyn FnMut(DVec3) -> f64) -> f64 {
    let mut best = f64::INFINITY;
    let mut bounded: Vec<(f64, usize)> = Vec::new();
    for (index, t) in triangles.iter().enumerate() {
        let middle = (t[0] + t[1] + t[2]) / 3.0;
        let radius = t.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        let there = of(middle);
        best = best.min(there);
        bounded.push((there - radius, index));
    }
    bounded.sort_by(|p, q| p.0.total_cmp(&q.0));
    for (bound, index) in bounded {
        if bound > best {
            break;
        }
        best = best.min(over_triangle(&triangles[index], of));
    }
    best
}

/// Distance of a primitive from triangles that are given in its frame; negative where it holds points of them.
pub(crate) fn from_triangles(shape: &Shape, triangles: &[[DVec3; 3]]) -> f64 {
    over_triangles(triangles, &mut |p| outside(shape, p))
}

/// Distance of two primitives, of which at most one is a half-space, the second placed by `first_from_second`; negative where they overlap.
pub(crate) fn of_two(first: &Shape, second: &Shape, place: &dyn Fn(DVec3) -> DVec3) -> f64 {
    let at = |x: f64, y: f64, z: f64| outside(first, place(DVec3::new(x, y, z)));
    // All points of the second: heights, then chords of the disc there.
    let discs = |height: f64, radius: &dyn Fn(f64) -> f64| {
        least(-0.5 * height, 0.5 * height, &mut |z| {
            let r = radius(z);
            least(-r, r, &mut |x| {
                let half = (r * r - x * x).max(0.0).sqrt();
                least(-half, half, &mut |y| at(x, y, z))
            })
        })
    };
    match *second {
        Shape::Sphere { radius } => at(0.0, 0.0, 0.0) - radius,
        Shape::Capsule { radius, height } => {
            least(-0.5 * height, 0.5 * height, &mut |z| at(0.0, 0.0, z)) - radius
        }
        Shape::Cylinder { radius, height } => discs(height, &|_| radius),
        Shape::Cone { radius, height } => discs(height, &|z| radius * (0.5 - z / height)),
        Shape::HalfSpace { .. } | Shape::Box { .. } => panic!("a half-space or a box is the first"),
    }
}

/// Distance of two sets of triangles in one frame that have no common point.
pub(crate) fn of_meshes(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> f64 {
    let ball = |t: &[DVec3; 3]| {
        let middle = (t[0] + t[1] + t[2]) / 3.0;
        (middle, t.iter().map(|p| p.distance(middle)).fold(0.0, f64::max))
    };
    let (balls_a, balls_b): (Vec<_>, Vec<_>) = (a.iter().map(ball).collect(), b.iter().map(ball).collect());
    let mut best = f64::INFINITY;
    for (p, _) in &balls_a {
        for (q, _) in &balls_b {
            best = best.min(p.distance(*q));
        }
    }
    let mut bounded = Vec::new();
    for (i, (p, r)) in balls_a.iter().enumerate() {
        for (j, (q, s)) in balls_b.iter().enumerate() {
            let bound = p.distance(*q) - r - s;
            if bound <= best {
                bounded.push((bound, i, j));
            }
        }
    }
    bounded.sort_by(|p, q| p.0.total_cmp(&q.0));
    for (bound, i, j) in bounded {
        if bound > best {
            break;
        }
        best = best.min(over_triangle(&a[i], &mut |p| from_point(&b[j], p)));
    }
    best
}

/// Distance of a point from a triangle: above it the height, otherwise to a side.
fn from_point(t: &[DVec3; 3], p: DVec3) -> f64 {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let mut best = f64::INFINITY;
    let mut above = normal.length_squared() > 0.0;
    for k in 0..3 {
        let (from, along) = (t[k], t[(k + 1) % 3] - t[k]);
        above &= normal.cross(along).dot(p - from) >= 0.0;
        let length = along.length_squared();
        let u = if length > 0.0 { ((p - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        best = best.min(p.distance(from + along * u));
    }
    if above { best.min((normal.dot(p - t[0]) / normal.length()).abs()) } else { best }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    #[test]
    fn closed_forms() {
        let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} {y}");
        let ball = Shape::Sphere { radius: 0.5 };
        let can = Shape::Cylinder { radius: 0.5, height: 1.0 };
        let cone = Shape::Cone { radius: 1.0, height: 1.0 };
        let right = |by: f64| move |p: DVec3| p + DVec3::X * by;
        close(of_two(&ball, &can, &right(2.0)), 1.0);
        close(of_two(&can, &can, &right(2.0)), 1.0);
        close(of_two(&can, &cone, &right(2.0)), 0.5);
        close(of_two(&ball, &Shape::Capsule { radius: 0.25, height: 2.0 }, &right(2.0)), 1.25);
        close(outside(&cone, DVec3::new(1.0, 0.0, 0.5)), 0.5f64.sqrt());
        let floor = Shape::HalfSpace { normal: DVec3::Z, offset: -3.0 };
        close(of_two(&floor, &cone, &|p| p), 2.5);
        let t = [DVec3::new(-9.0, -9.0, 2.0), DVec3::new(9.0, -9.0, 2.0), DVec3::new(0.0, 9.0, 2.0)];
        close(from_triangles(&cone, &[t]), 1.5);
        close(from_triangles(&ball, &[t]), 1.5);
        close(of_meshes(&[t], &[t.map(|p| p * 0.1 + DVec3::Z * 3.0)]), 1.2);
        let mut random = Random::of(1, 2);
        for _ in 0..20 {
            let p = random.direction() * 3.0;
            let tiny = [p, p + random.direction() * 1e-9, p + random.direction() * 1e-9];
            assert!((from_triangles(&cone, &[tiny]) - outside(&cone, p)).abs() < 2e-9);
        }
    }
}
