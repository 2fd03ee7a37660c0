//! Pairs whose gap is known.

use super::bodies::{Body, Random, primitive};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_geom::solid::distance;
use kansho_geom::tree::Scratch;
use std::f64::consts::{FRAC_PI_2, PI};

fn gap(a: &Body, b: &Body, a_from_b: Pose) -> f64 {
    distance(&a.solid, &b.solid, a_from_b, f64::INFINITY, &mut Scratch::default()).expect("a distance").gap
}

fn ball(radius: f64) -> Body {
    primitive(Shape::Sphere { radius })
}

fn rod(radius: f64, height: f64) -> Body {
    primitive(Shape::Cylinder { radius, height })
}

fn cone(radius: f64, height: f64) -> Body {
    primitive(Shape::Cone { radius, height })
}

fn capsule(radius: f64, height: f64) -> Body {
    primitive(Shape::Capsule { radius, height })
}

#[test]
fn pairs_in_closed_form() {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let tilted = |x: f64, y: f64, z: f64, about_y: f64| {
        Pose::from_rpy(DVec3::new(x, y, z), DVec3::new(0.0, about_y, 0.0))
    };
    let block = |x: f64, y: f64, z: f64| primitive(Shape::Box { size: DVec3::new(x, y, z) });
    let floor = |offset: f64| primitive(Shape::HalfSpace { normal: DVec3::Z, offset });
    let ceiling = primitive(Shape::HalfSpace { normal: -DVec3::Z, offset: -2.0 });
    let cases = [
        ("balls", ball(1.0), ball(0.5), at(2.0, 0.0, 0.0), 0.5),
        ("ball and face", block(2.0, 2.0, 2.0), ball(0.5), at(0.3, 0.2, 2.0), 0.5),
        ("ball and edge", block(2.0, 2.0, 2.0), ball(0.5), at(4.0, 0.2, 5.0), 4.5),
        ("ball and corner", block(2.0, 2.0, 2.0), ball(0.5), at(3.0, 3.0, 2.0), 2.5),
        ("ball and floor", floor(-1.0), ball(0.5), at(3.0, 3.0, 2.0), 2.5),
        ("rods side by side", rod(0.5, 1.0), rod(0.25, 2.0), at(2.0, 0.0, 0.3), 1.25),
        ("rods on one axis", rod(0.5, 1.0), rod(0.25, 2.0), at(0.0, 0.0, 2.0), 0.5),
        ("rods end to end", rod(0.5, 1.0), rod(0.25, 2.0), at(0.6, 0.0, 2.0), 0.5),
        ("rim and rim", rod(0.5, 1.0), rod(0.5, 1.0), at(4.0, 0.0, 5.0), 5.0),
        ("crossed rods", rod(0.5, 4.0), rod(0.25, 4.0), tilted(0.0, 2.0, 0.0, FRAC_PI_2), 1.25),
        ("rod lying on a rod's end", rod(0.5, 1.0), rod(0.25, 2.0), tilted(0.3, 0.1, 1.0, FRAC_PI_2), 0.25),
        ("rod and ball over its rim", rod(1.0, 2.0), ball(1.0), at(4.0, 0.0, 5.0), 4.0),
        ("tips", cone(1.0, 2.0), cone(1.0, 2.0), tilted(0.0, 0.0, 3.0, PI), 1.0),
        (
            "tips past each other",
            cone(1.0, 2.0),
            cone(1.0, 2.0),
            tilted(0.0, 3.0, 3.0, PI),
            7.0 / 5f64.sqrt(),
        ),
        ("bases", cone(1.0, 2.0), cone(2.0, 2.0), tilted(1.0, 0.0, -3.0, PI), 1.0),
        ("base on tip", cone(1.0, 2.0), cone(2.0, 2.0), at(0.5, 0.0, 3.0), 1.0),
        ("cone's rim and rod", cone(1.0, 2.0), rod(0.5, 6.0), at(2.0, 0.0, 0.0), 0.5),
        ("ball off a slant", cone(3.0, 4.0), ball(1.0), at(1.5 + 4.0 * 0.8, 0.0, 4.0 * 0.6), 3.0),
        ("capsules", capsule(0.5, 2.0), capsule(0.25, 2.0), tilted(0.0, 2.0, 0.0, FRAC_PI_2), 1.25),
        ("capsule ends", capsule(0.5, 2.0), capsule(0.25, 2.0), at(3.0, 0.0, 6.0), 4.25),
        (
            "capsule over a rod's end",
            rod(1.0, 2.0),
            capsule(0.25, 1.0),
            tilted(0.2, 0.3, 2.0, FRAC_PI_2),
            0.75,
        ),
        (
            "capsule across a block",
            block(1.0, 1.0, 1.0),
            capsule(0.25, 9.0),
            tilted(0.1, 0.2, 2.0, FRAC_PI_2),
            1.25,
        ),
        ("rod across a block", block(1.0, 1.0, 1.0), rod(0.25, 9.0), tilted(0.1, 0.2, 2.0, FRAC_PI_2), 1.25),
        ("tip over a face", block(1.0, 1.0, 1.0), cone(0.25, 1.0), tilted(0.1, 0.2, 2.0, PI), 1.0),
        ("base over a face", block(9.0, 9.0, 1.0), cone(0.25, 1.0), at(0.1, 0.2, 2.0), 1.0),
        ("cone on its side", floor(0.0), cone(1.0, 1.0), tilted(0.0, 0.0, 3.0, -FRAC_PI_2), 2.0),
        ("rod standing", floor(1.0), rod(1.0, 1.0), at(7.0, 0.0, 3.0), 1.5),
        ("block over a floor", floor(1.0), block(1.0, 1.0, 4.0), at(7.0, 0.0, 4.0), 1.0),
        ("floor and ceiling", floor(0.5), ceiling, at(0.0, 0.0, 0.0), 1.5),
    ];
    for (name, a, b, pose, expected) in cases {
        let found = gap(&a, &b, pose);
        assert!((found - expected).abs() < 1e-14, "{name}: {found}, not {expected}");
        let found = gap(&b, &a, pose.inverse());
        assert!((found - expected).abs() < 1e-14, "{name}, swapped: {found}, not {expected}");
    }
}

/// Distance of two segments by all that could be nearest, the inner pair by Cramer's rule on exact products.
fn segments([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> f64 {
    let to_segment = |x: DVec3, [p, q]: [DVec3; 2]| {
        let t = ((x - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        x.distance(p + (q - p) * t)
    };
    let mut least = to_segment(p, [r, s]).min(to_segment(q, [r, s]));
    least = least.min(to_segment(r, [p, q])).min(to_segment(s, [p, q]));
    let (d, e) = (q - p, s - r);
    let n = d.cross(e);
    let u = (r - p).cross(e).dot(n) / n.length_squared();
    let v = (r - p).cross(d).dot(n) / n.length_squared();
    if (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) {
        least = least.min((p + d * u).distance(r + e * v));
    }
    least
}

/// Also where they are parallel but for the last digits.
#[test]
fn capsules_are_segments_less_their_radii() {
    let mut seed = Random::new(21);
    for k in 0..4000 {
        let (one, other) = (seed.between(0.1, 2.0), seed.between(0.1, 2.0));
        let turn = seed.vector() * if k % 2 == 0 { 3.0 } else { 10f64.powf(seed.between(-16.0, -1.0)) };
        let pose = Pose::from_rpy(seed.vector() * 10f64.powf(seed.between(-2.0, 0.5)), turn);
        let ends = |height: f64| [DVec3::Z * (-0.5 * height), DVec3::Z * (0.5 * height)];
        let expected = segments(ends(one), ends(other).map(|p| pose * p));
        let found = gap(&capsule(1e-3, one), &capsule(2e-3, other), pose);
        let expected = (expected - 3e-3).max(0.0);
        assert!((found - expected).abs() < 1e-14, "{found} {expected} {turn}");
    }
}

/// A tessellated body lies inside, within its deviation.
#[test]
fn tessellations_bracket_the_gap() {
    use kansho_geom::primitive::Primitive;
    use kansho_geom::tree::{self, Tree};
    use std::sync::Arc;
    let deviation = 2e-3;
    let shapes = [
        Shape::Sphere { radius: 0.4 },
        Shape::Cylinder { radius: 0.3, height: 0.8 },
        Shape::Capsule { radius: 0.2, height: 0.7 },
        Shape::Cone { radius: 0.5, height: 0.6 },
    ];
    let trees = shapes.map(|shape| {
        let mesh = Primitive::new(shape).expect("a shape").tessellated(deviation).expect("bounded");
        Tree::new(Arc::new(mesh))
    });
    let bodies = shapes.map(primitive);
    let mut seed = Random::new(4);
    let mut scratch = Scratch::default();
    for i in 0..4 {
        for j in 0..4 {
            for _ in 0..60 {
                let pose = seed.pose(1.5);
                let inner = tree::distance(&trees[i], &trees[j], pose, f64::INFINITY, &mut scratch);
                let inner = inner.expect("a distance").gap();
                if tree::meet(&trees[i], &trees[j], pose, &mut scratch) != tree::Meeting::Apart {
                    assert!(gap(&bodies[i], &bodies[j], pose) == 0.0);
                    continue;
                }
                let found = gap(&bodies[i], &bodies[j], pose);
                assert!(found <= inner + 1e-14 && found >= inner - 2.0 * deviation, "{found} {inner}");
            }
        }
    }
}
