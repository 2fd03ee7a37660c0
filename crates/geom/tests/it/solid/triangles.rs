//! Triangles of every kind against round bodies, each by a slow search.

use super::bodies::{Body, Random, mesh, primitive};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::weld;
use kansho_geom::primitive::Shape;
use kansho_geom::solid::distance;
use kansho_geom::tree::Scratch;
use kansho_geom::triangle::Triangle;

/// The least of a convex function between 0 and 1.
fn least(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    let mut best = f(0.0).min(f(1.0));
    for _ in 0..70 {
        let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let (at_s, at_t) = (f(s), f(t));
        best = best.min(at_s).min(at_t);
        if at_s <= at_t { high = t } else { low = s }
    }
    best
}

/// The distance of a triangle from a convex body is convex over the triangle: a search within a search.
fn slow(body: &Body, [a, b, c]: &Triangle) -> f64 {
    least(|u| {
        let (p, q) = (*a + (*b - *a) * u, *a + (*c - *a) * u);
        least(|v| body.outside(p + (q - p) * v))
    })
}

#[test]
fn soups_are_as_near_as_their_nearest_triangle() {
    let mut seed = Random::new(31);
    let mut scratch = Scratch::default();
    for k in 0..120 {
        let corners: Vec<DVec3> = (0..3)
            .flat_map(|_| {
                let (a, b) = (seed.vector(), seed.vector());
                // Fat triangles, needles, and hairs that are nearly or exactly a segment.
                let c = match k % 4 {
                    0 => seed.vector(),
                    1 => a + (b - a) * seed.between(-0.5, 1.5) + seed.vector() * 1e-3,
                    2 => a + (b - a) * seed.unit() + seed.vector() * 10f64.powf(seed.between(-16.0, -6.0)),
                    _ => a + seed.vector() * 1e-7,
                };
                [a, b, c]
            })
            .collect();
        let Ok(welded) = weld(&corners, &[[0, 1, 2], [3, 4, 5], [6, 7, 8]], 0.0) else { continue };
        let soup = mesh(welded.mesh, false);
        let (radius, height) = (seed.between(0.05, 0.6), seed.between(0.05, 0.8));
        for shape in [
            Shape::Sphere { radius },
            Shape::Cylinder { radius, height },
            Shape::Capsule { radius, height },
            Shape::Cone { radius, height },
        ] {
            let body = primitive(shape);
            let pose = seed.pose(1.2);
            let back = pose.inverse();
            let found = distance(&soup.solid, &body.solid, pose, f64::INFINITY, &mut scratch)
                .expect("a distance")
                .gap;
            let triangles = soup.mesh.as_ref().expect("a mesh").corners();
            let expected = triangles.map(|t| slow(&body, &t.map(|p| back * p))).fold(f64::INFINITY, f64::min);
            // Comparing values finds the place of a smooth least only to the root of their rounding, and where the
            // distance vanishes that is what is left.
            assert!(found <= expected + 1e-14, "{shape:?}: {found} {expected}");
            assert!(found >= expected - 1e-7, "{shape:?}: {found} {expected}");
            if expected > 1e-3 {
                assert!(found >= expected - 1e-12, "{shape:?}: {found} {expected}");
            }
        }
    }
}
