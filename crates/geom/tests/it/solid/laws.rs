//! What holds for every pair.

use super::bodies::{Body, KINDS, Random, mesh, primitive, random, scaled};
use crate::bodies::{cube, together, turned};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_geom::solid::{Gap, Meeting, On, distance, meet, within};
use kansho_geom::tree::Scratch;

/// What was said of a pair.
#[derive(Default)]
struct Tally {
    apart: usize,
    touch: usize,
    inside: usize,
}

/// Checks all that is known of a pair.
fn check(a: &Body, b: &Body, a_from_b: Pose, scratch: &mut Scratch, tally: &mut Tally) {
    let size = a.reach + b.reach + a_from_b.translation().length();
    let (band, rounding) = (1e-13 * size, 1e-14 * size);
    let b_from_a = a_from_b.inverse();
    let name = || format!("{:?} {:?} {:?} {:?}", a.shape, b.shape, a_from_b, size);

    let met = meet(&a.solid, &b.solid, a_from_b, scratch);
    let found = distance(&a.solid, &b.solid, a_from_b, f64::INFINITY, scratch).expect("there is a distance");
    let Gap { gap, points: [on_a, on_b], on } = found;
    assert_eq!(gap == 0.0, met != Meeting::Apart, "{gap} {met:?} {}", name());
    assert_eq!(within(&a.solid, &b.solid, a_from_b, 0.0, scratch), met != Meeting::Apart, "{}", name());
    let mut portable = Scratch::portable();
    assert_eq!(met, meet(&a.solid, &b.solid, a_from_b, &mut portable));
    // To the last digit of the points, too, where they are apart. Where they overlap, which common point is named hangs on the processor.
    let plain =
        distance(&a.solid, &b.solid, a_from_b, f64::INFINITY, &mut portable).expect("there is a distance");
    assert_eq!(plain.gap.to_bits(), gap.to_bits(), "{}", name());
    assert!(gap == 0.0 || plain == found, "{found:?} {plain:?} {}", name());

    // Two points of the bodies that are as close as that.
    assert!((on_a.distance(on_b) - gap).abs() <= rounding, "{gap} {} {}", on_a.distance(on_b), name());
    let slack = if gap == 0.0 { band + rounding } else { rounding };
    let off = [a.outside(on_a), b.outside(b_from_a * on_b)];
    // Two half-spaces meet unless a rotation leaves their normals exactly opposite; where the planes cross may be far away.
    let planes = [a, b].iter().all(|body| matches!(body.shape, Some(Shape::HalfSpace { .. })));
    assert!(planes || off[0] <= slack && off[1] <= slack, "{off:?} {gap} {met:?} {}", name());

    match met {
        Meeting::Apart => {
            tally.apart += 1;
            assert!(!on.contains(&On::Inside));
            if a.is_convex && b.is_convex && gap > 1e-6 * size {
                // Two planes between them that are as far apart as that.
                let n = (on_b - on_a) / gap;
                let between = -b.extent(-b_from_a.rotate(n)) + n.dot(a_from_b.translation()) - a.extent(n);
                let from_points = 1e-15 * size * size / gap; // How far two points turn the normal.
                assert!(
                    gap - between <= 1e-12 * size + from_points,
                    "{} > {between} {} {on:?} {on_a:?} {on_b:?}",
                    gap,
                    name()
                );
            }
            for c in [0.5, 0.999, 1.001, 2.0] {
                if (c * gap - gap).abs() > band && c * gap > band {
                    assert_eq!(
                        within(&a.solid, &b.solid, a_from_b, c * gap, scratch),
                        c > 1.0,
                        "{c} {}",
                        name()
                    );
                    let limited = distance(&a.solid, &b.solid, a_from_b, c * gap, scratch).map(|g| g.gap);
                    assert_eq!(limited.is_some(), c > 1.0, "{}", name());
                    assert!(
                        limited.is_none_or(|g| (g - gap).abs() <= rounding),
                        "{limited:?} {gap} {}",
                        name()
                    );
                }
            }
        }
        Meeting::Touch => tally.touch += 1,
        Meeting::SecondInside | Meeting::FirstInside => {
            tally.inside += 1;
            // A piece of one is inside, for the others nothing is said.
            let (inner, outer, outer_from_inner) =
                if met == Meeting::SecondInside { (b, a, a_from_b) } else { (a, b, b_from_a) };
            if inner.is_convex
                && let Some(points) = some_points(inner)
            {
                assert!(points.iter().all(|p| outer.outside(outer_from_inner * *p) == 0.0), "{}", name());
            }
        }
    }

    // The other way round.
    let back = distance(&b.solid, &a.solid, b_from_a, f64::INFINITY, scratch).expect("there is a distance");
    assert!(planes || (back.gap - gap).abs() <= band + rounding, "{gap} {} {}", back.gap, name());
    let swapped = match meet(&b.solid, &a.solid, b_from_a, scratch) {
        Meeting::FirstInside => Meeting::SecondInside,
        Meeting::SecondInside => Meeting::FirstInside,
        same => same,
    };
    if met != swapped {
        assert!(
            planes || gap.max(back.gap) <= 2.0 * band || gap == back.gap,
            "{met:?} {swapped:?} {}",
            name()
        );
    }
}

/// Points of the surface that reach far.
fn some_points(body: &Body) -> Option<Vec<DVec3>> {
    if let Some(mesh) = &body.mesh {
        return Some(mesh.vertices().to_vec());
    }
    let ring = |radius: f64, z: f64| {
        (0..12).map(move |k| {
            let angle = f64::from(k) * 0.524;
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    match body.shape.expect("a mesh or a shape") {
        Shape::HalfSpace { .. } | Shape::Box { .. } => None,
        Shape::Sphere { radius } => Some(ring(radius, 0.0).chain([DVec3::Z * radius]).collect()),
        Shape::Cylinder { radius, height } => {
            Some(ring(radius, height / 2.0).chain(ring(radius, -height / 2.0)).collect())
        }
        Shape::Capsule { radius, height } => {
            Some(ring(radius, height / 2.0).chain(ring(radius, -height / 2.0)).collect())
        }
        Shape::Cone { radius, height } => {
            Some(ring(radius, -height / 2.0).chain([DVec3::Z * height / 2.0]).collect())
        }
    }
}

/// Thousands of cases of every pair of kinds.
#[test]
fn every_mix_keeps_the_laws() {
    let mut scratch = Scratch::default();
    for i in 0..KINDS {
        for j in 0..=i {
            let mut tally = Tally::default();
            let mut seed = Random::new((i * KINDS + j) as u64);
            let primitives = i < 6;
            for _ in 0..if primitives { 100 } else { 25 } {
                let (a, b) = (random(i, 1.0, &mut seed), random(j, 1.0, &mut seed));
                for _ in 0..if primitives { 25 } else { 20 } {
                    let pose = seed.pose(a.reach.max(0.3) + b.reach.max(0.3));
                    check(&a, &b, pose, &mut scratch, &mut tally);
                }
            }
            if (i, j) != (5, 5) {
                assert!(tally.apart > 10 && tally.touch > 10, "{i} {j}: {} {}", tally.apart, tally.touch);
            }
        }
    }
}

/// A needle and a slab, a crumb and a hall, both far from the origin.
#[test]
fn sizes_and_places_do_not_matter() {
    let mut scratch = Scratch::default();
    let mut tally = Tally::default();
    for (k, (size, other)) in
        [(1e-6, 1e-6), (1e4, 1e4), (1e-6, 1.0), (1e4, 1.0), (1e-3, 40.0)].into_iter().enumerate()
    {
        for i in 0..KINDS {
            for j in 0..KINDS {
                let mut seed = Random::new((1000 * k + i * KINDS + j) as u64);
                for _ in 0..3 {
                    let (a, b) = (random(i, size, &mut seed), random(j, other, &mut seed));
                    for _ in 0..4 {
                        let pose = seed.pose(a.reach + b.reach);
                        check(&a, &b, pose, &mut scratch, &mut tally);
                    }
                }
            }
        }
    }
    for far in [30.0, 1e5] {
        let shift = DVec3::new(far, -far, 0.5 * far);
        for j in 1..KINDS - 1 {
            let mut seed = Random::new(j as u64 + 77);
            for _ in 0..6 {
                let a = random(6, 1.0, &mut seed);
                let a = mesh(scaled(a.mesh.as_ref().expect("a mesh"), 1.0, shift), true);
                let b = random(j, 1.0, &mut seed);
                let pose = Pose::from_translation(shift) * seed.pose(2.0);
                check(&a, &b, pose, &mut scratch, &mut tally);
            }
        }
    }
    assert!(tally.apart > 1000 && tally.touch > 100 && tally.inside > 10);
}

/// Flat discs, long rods, blunt and sharp cones: thin beyond what parts are.
#[test]
fn thin_bodies_keep_the_laws() {
    let mut scratch = Scratch::default();
    let mut tally = Tally::default();
    let mut seed = Random::new(5);
    for _ in 0..600 {
        let mut one = || {
            let mut length = || 10f64.powf(seed.between(-4.0, 0.0));
            let (radius, height) = (length(), length());
            primitive(match (seed.unit() * 3.0) as u32 {
                0 => Shape::Cylinder { radius, height },
                1 => Shape::Capsule { radius, height },
                _ => Shape::Cone { radius, height },
            })
        };
        let (a, b) = (one(), one());
        for _ in 0..6 {
            let pose = seed.pose(a.reach + b.reach);
            check(&a, &b, pose, &mut scratch, &mut tally);
        }
    }
    assert!(tally.apart > 500 && tally.touch > 100);
}

#[test]
fn growing_never_frees_and_moving_both_changes_nothing() {
    let mut scratch = Scratch::default();
    let mut seed = Random::new(9);
    for _ in 0..1500 {
        let (radius, height) = (seed.between(0.1, 1.0), seed.between(0.1, 1.0));
        let grown = 1.0 + seed.unit();
        let shape = |kind: u32, s: f64| match kind {
            0 => Shape::Sphere { radius: radius * s },
            1 => Shape::Cylinder { radius: radius * s, height: height * s },
            2 => Shape::Capsule { radius: radius * s, height: height * s },
            _ => Shape::Box { size: DVec3::new(radius, height, radius) * s },
        };
        let kind = (seed.unit() * 4.0) as u32;
        let (small, large) = (primitive(shape(kind, 1.0)), primitive(shape(kind, grown)));
        let kind = (seed.unit() * KINDS as f64) as usize;
        let other = random(kind, 1.0, &mut seed);
        let pose = seed.pose(2.5);
        let mut gap = |body: &Body, pose: Pose| {
            distance(&body.solid, &other.solid, pose, f64::INFINITY, &mut scratch).expect("a distance").gap
        };
        let before = gap(&small, pose);
        assert!(gap(&large, pose) <= before + 1e-14);
        let world = seed.pose(3.0);
        let moved = (world * seed.pose(0.0)).inverse() * world;
        let there = gap(&small, moved.inverse() * (moved * pose));
        assert!((there - before).abs() < 1e-12, "{there} {before}");
    }
}

#[test]
fn what_lies_inside_meets() {
    let ball = |radius: f64| primitive(Shape::Sphere { radius });
    let block = |x: f64| primitive(Shape::Box { size: DVec3::splat(x) });
    let cone = |radius: f64, height: f64| primitive(Shape::Cone { radius, height });
    let rod = |radius: f64, height: f64| primitive(Shape::Cylinder { radius, height });
    let floor = |offset: f64| primitive(Shape::HalfSpace { normal: DVec3::Z, offset });
    let hollow = {
        let wall = scaled(&cube(), 4.0, DVec3::ZERO);
        let cavity = turned(&scaled(&cube(), 2.0, DVec3::ZERO));
        mesh(together(&[(wall, DVec3::ZERO), (cavity, DVec3::ZERO)]), false)
    };
    let sheet = {
        let mesh = cube();
        kansho_geom::mesh::weld(mesh.vertices(), &mesh.triangles()[..11], 0.0).expect("a mesh").mesh
    };
    let open = mesh(scaled(&sheet, 4.0, DVec3::ZERO), false);
    use Meeting::{Apart, SecondInside, Touch};
    let at = DVec3::new;
    let cases = [
        ("a ball deep in a block", block(2.0), ball(0.1), at(0.3, 0.1, 0.0), SecondInside),
        ("a block in a ball", ball(2.0), block(1.0), at(0.1, 0.0, 0.0), SecondInside),
        ("a block half in a ball", ball(2.0), block(1.0), at(2.0, 0.0, 0.0), Touch),
        ("a cone in a block", block(3.0), cone(0.2, 0.5), at(1.0, 0.0, 0.0), SecondInside),
        ("a ball in a cavity", mesh_of(&hollow), ball(0.5), at(0.0, 0.0, 0.0), Apart),
        ("a ball in the wall", mesh_of(&hollow), ball(0.3), at(1.5, 0.0, 0.0), SecondInside),
        ("a ball in an open box", mesh_of(&open), ball(0.5), at(0.0, 0.0, 0.0), Apart),
        ("a block in a rod", rod(2.0, 4.0), block(1.0), at(0.5, 0.0, 0.0), SecondInside),
        ("a block in a cone", cone(3.0, 6.0), block(1.0), at(0.0, 0.0, -1.0), SecondInside),
        ("a ball in a ball", ball(2.0), ball(0.5), at(1.0, 0.0, 0.0), SecondInside),
        ("a rod in a cone", cone(3.0, 6.0), rod(0.5, 1.0), at(0.0, 0.0, -1.0), SecondInside),
        ("a cone in a rod", rod(3.0, 6.0), cone(0.5, 1.0), at(1.0, 0.0, -1.0), SecondInside),
        ("a ball in the ground", floor(0.0), ball(0.5), at(0.0, 0.0, -2.0), SecondInside),
        ("a block in the ground", floor(0.0), block(1.0), at(0.0, 9.0, -2.0), SecondInside),
        ("a block on the ground", floor(0.0), block(1.0), at(0.0, 9.0, 0.5), Touch),
        ("ground below ground", floor(0.0), floor(0.0), at(0.0, 0.0, -1.0), SecondInside),
    ];
    let mut scratch = Scratch::default();
    for (name, a, b, shift, expected) in cases {
        let pose = Pose::from_translation(shift);
        assert_eq!(meet(&a.solid, &b.solid, pose, &mut scratch), expected, "{name}");
        let swapped = match expected {
            Meeting::SecondInside => Meeting::FirstInside,
            same => same,
        };
        assert_eq!(meet(&b.solid, &a.solid, pose.inverse(), &mut scratch), swapped, "{name}, swapped");
        let found = distance(&a.solid, &b.solid, pose, 1e-3, &mut scratch);
        assert_eq!(found.is_some(), expected != Apart, "{name}");
        assert_eq!(found.is_some_and(|gap| gap.on == [On::Inside; 2]), expected == SecondInside, "{name}");
    }
}

fn mesh_of(body: &Body) -> Body {
    mesh(body.mesh.clone().expect("a mesh"), body.is_convex)
}

#[test]
fn what_is_no_number_is_never_free() {
    let mut scratch = Scratch::default();
    let mut seed = Random::new(3);
    for i in 0..KINDS {
        for j in 0..KINDS {
            let (a, b) = (random(i, 1.0, &mut seed), random(j, 1.0, &mut seed));
            for pose in [
                Pose::from_translation(DVec3::new(f64::NAN, 0.0, 9.0)),
                Pose::from_translation(DVec3::new(0.0, f64::INFINITY, 0.0)),
                Pose::from_rpy(DVec3::X * 9.0, DVec3::NAN),
            ] {
                assert_ne!(meet(&a.solid, &b.solid, pose, &mut scratch), Meeting::Apart);
                assert!(within(&a.solid, &b.solid, pose, 0.0, &mut scratch));
                let gap = distance(&a.solid, &b.solid, pose, 1.0, &mut scratch).expect("not free").gap;
                assert!(gap == 0.0);
            }
            let far = Pose::from_translation(DVec3::splat(1e30));
            if i != 5 && j != 5 {
                assert_eq!(meet(&a.solid, &b.solid, far, &mut scratch), Meeting::Apart);
            }
            assert!(within(&a.solid, &b.solid, far, f64::NAN, &mut scratch));
        }
    }
}
