//! Bodies that move in contact: closed forms, and samples.

use kansho_check::moving_bodies::Body;
use kansho_check::sliding_contact::{KeptOptions, MayTouch, Patch, SlidingMotion, kept};
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::tree::{Meeting, Scratch, meet};
use kansho_geom::{Pose, mesh};
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

const OPTIONS: KeptOptions<'_> =
    KeptOptions { tolerance: 1e-7, resolution: 1e-10, most_regions: 1_000_000, deadline: None, stop: None };

/// Numbers from 0 to 1, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A block, moved to its place.
fn block(size: DVec3, at: DVec3) -> Body {
    let shape = Primitive::new(Shape::Box { size }).expect("sizes are positive");
    let shape = shape.tessellated(1.0).expect("a box is bounded");
    let points: Vec<DVec3> = shape.vertices().iter().map(|&p| p + at).collect();
    Body::new(Arc::new(mesh::weld(&points, shape.triangles(), 0.0).expect("a box").mesh))
}

/// The face of a block at one end of an axis.
fn face(body: &Body, normal: DVec3) -> Patch {
    let top = body.mesh().vertices().iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    let all = (0u32..).zip(body.mesh().vertices());
    let vertices = all.filter(|(_, p)| (normal.dot(**p) - top).abs() < 1e-9).map(|(k, _)| k).collect();
    Patch { vertices, normals: vec![normal], edge: None }
}

/// A block tips over its lower edge on a floor, forth or back, by any angle: into the floor at once, or free until its side lies
/// on the floor, which no name allows.
#[test]
fn tipping_is_free_until_the_side_lies_down() {
    let mut random = Random(1);
    let floor = block(DVec3::new(20.0, 20.0, 1.0), DVec3::Z * -0.5);
    for _ in 0..300 {
        let size = DVec3::new(random.within(0.2, 2.0), random.within(0.2, 2.0), random.within(0.2, 2.0));
        let cube = block(size, DVec3::ZERO);
        let yaw = random.within(-PI, PI);
        let place = DVec3::new(random.within(-3.0, 3.0), random.within(-3.0, 3.0), 0.5 * size.z);
        let from = Pose::from_rpy(place, DVec3::new(0.0, 0.0, yaw));
        let angle = random.within(-2.0, 2.0);
        let edge = from * DVec3::new(0.5 * size.x, 0.0, -0.5 * size.z);
        // Positive turns about the block's y lift its rear.
        let way = SlidingMotion::Turn { from, point: edge, axis: from.rotate(DVec3::Y), angle };
        let may = [MayTouch { moving: face(&cube, -DVec3::Z), fixed: face(&floor, DVec3::Z) }];
        match kept([&cube, &floor], &way, &may, &OPTIONS) {
            Verdict::Free(proof) => assert!(angle > 0.0 && angle < FRAC_PI_2 && proof.kept > 0, "{angle}"),
            Verdict::Touches(blocked) if angle < 0.0 => {
                // Pressed in by the tolerance.
                assert!(blocked.pressed && blocked.t * -angle * size.x < 3.0 * OPTIONS.tolerance);
            }
            Verdict::Touches(blocked) => {
                assert!((blocked.t * angle - FRAC_PI_2).abs() < 1e-5, "{angle} {}", blocked.t);
                // What is told lies on the side that lies down, not on the edge that may touch.
                assert!(!blocked.pressed && blocked.points[1].z.abs() < 1e-6);
                let own = way.at(blocked.t).inverse() * blocked.points[0];
                let above = own.z + 0.5 * size.z;
                assert!((own.x - 0.5 * size.x).abs() < 1e-6 && above > 4.0 * OPTIONS.tolerance, "{own}");
            }
            Verdict::Undecided { .. } => panic!("undecided at {angle}"),
        }
    }
}

/// Slides and turns on the floor, past a post: as samples have it.
#[test]
fn a_post_is_met_where_samples_say() {
    let mut random = Random(7);
    let mut scratch = Scratch::default();
    let (mut free, mut touches) = (0, 0);
    for case in 0..400 {
        let size = DVec3::new(random.within(0.2, 2.0), random.within(0.2, 2.0), 1.0);
        let cube = block(size, DVec3::ZERO);
        let at = DVec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0);
        let post = block(DVec3::new(random.within(0.1, 0.6), random.within(0.1, 0.6), 2.0), at);
        let from = Pose::from_rpy(
            DVec3::new(random.within(-2.0, 2.0), random.within(-2.0, 2.0), 0.5),
            DVec3::new(0.0, 0.0, random.within(-PI, PI)),
        );
        let way = if case % 2 == 0 {
            SlidingMotion::Straight {
                from,
                by: DVec3::new(random.within(-3.0, 3.0), random.within(-3.0, 3.0), 0.0),
            }
        } else {
            let point = DVec3::new(random.within(-2.0, 2.0), random.within(-2.0, 2.0), 0.0);
            SlidingMotion::Turn { from, point, axis: DVec3::Z, angle: random.within(-3.0, 3.0) }
        };
        if meet(post.tree(), cube.tree(), from, &mut scratch) != Meeting::Apart {
            continue;
        }
        let hit = |t: f64, scratch: &mut Scratch| {
            meet(post.tree(), cube.tree(), way.at(t), scratch) != Meeting::Apart
        };
        let sampled = (0..=1000).map(|k| f64::from(k) / 1000.0).find(|&t| hit(t, &mut scratch));
        match kept([&cube, &post], &way, &[], &OPTIONS) {
            Verdict::Free(_) => {
                assert_eq!(sampled, None, "case {case}");
                free += 1;
            }
            Verdict::Touches(blocked) => {
                assert!(blocked.points[0].distance(blocked.points[1]) <= 2.0 * OPTIONS.resolution);
                // Samples find it no earlier, and none lies between but by a step.
                if let Some(sampled) = sampled {
                    assert!(blocked.t <= sampled + 1e-9 && sampled - blocked.t < 2e-3, "case {case}");
                }
                touches += 1;
            }
            Verdict::Undecided { .. } => panic!("undecided in case {case}"),
        }
    }
    assert!(free > 50 && touches > 50, "{free} {touches}");
}

/// Edges that cross and stay in contact while one turns about itself, and while it slides along the other.
#[test]
fn crossing_edges_may_touch_and_stay() {
    // A ridge along x, its edge at the origin, and a block that stands on a lower edge along y, tilted by 45 degrees.
    let ridge = {
        let points = [
            DVec3::new(-2.0, -1.0, -1.0),
            DVec3::new(-2.0, 1.0, -1.0),
            DVec3::new(-2.0, 0.0, 0.0),
            DVec3::new(2.0, -1.0, -1.0),
            DVec3::new(2.0, 1.0, -1.0),
            DVec3::new(2.0, 0.0, 0.0),
        ];
        let triangles =
            [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [0, 3, 5], [0, 5, 2], [1, 2, 5], [1, 5, 4]];
        Body::new(Arc::new(mesh::weld(&points, &triangles, 0.0).expect("a ridge").mesh))
    };
    assert!(ridge.mesh().volume() > 0.0);
    let cube = block(DVec3::ONE, DVec3::ZERO);
    let from = Pose::from_rpy(DVec3::Z * 0.5f64.sqrt(), DVec3::new(0.0, std::f64::consts::FRAC_PI_4, 0.0));
    // The edge of the block that is lowest: with corners (0.5, ±0.5, -0.5).
    let edge = |body: &Body, ends: [DVec3; 2], normals: Vec<DVec3>| Patch {
        vertices: (0u32..)
            .zip(body.mesh().vertices())
            .filter(|(_, p)| ends.iter().any(|end| end.distance(**p) < 1e-12))
            .map(|(k, _)| k)
            .collect(),
        normals,
        edge: Some(ends),
    };
    let own =
        edge(&cube, [DVec3::new(0.5, -0.5, -0.5), DVec3::new(0.5, 0.5, -0.5)], vec![DVec3::X, -DVec3::Z]);
    let other = edge(&ridge, [DVec3::X * -2.0, DVec3::X * 2.0], Vec::new());
    let may = [MayTouch { moving: own, fixed: other }];
    let ways = [
        SlidingMotion::Straight { from, by: DVec3::new(0.7, 0.2, 0.0) },
        SlidingMotion::Turn { from, point: DVec3::ZERO, axis: DVec3::Y, angle: 0.5 },
        SlidingMotion::Turn { from, point: DVec3::ZERO, axis: DVec3::Y, angle: -0.5 },
        SlidingMotion::Turn { from, point: DVec3::ZERO, axis: DVec3::Z, angle: 0.4 },
    ];
    for way in ways {
        let verdict = kept([&cube, &ridge], &way, &may, &OPTIONS);
        assert!(verdict.is_free(), "{way:?}: {verdict:?}");
        assert!(kept([&cube, &ridge], &way, &[], &OPTIONS).touches());
    }
    // Lowered, it is pressed in.
    let down = SlidingMotion::Straight { from, by: DVec3::Z * -0.1 };
    match kept([&cube, &ridge], &down, &may, &OPTIONS) {
        Verdict::Touches(blocked) => assert!(blocked.pressed && blocked.t * 0.1 < 4.0 * OPTIONS.tolerance),
        other => panic!("{other:?}"),
    }
}

/// What no proof is possible of is not free: no time, no numbers, no regions, ways that are longer than numbers can tell.
#[test]
fn what_is_not_proven_is_not_free() {
    let cube = block(DVec3::ONE, DVec3::ZERO);
    let post = block(DVec3::new(0.1, 0.1, 4.0), DVec3::X * 2.0);
    let from = Pose::from_translation(DVec3::ZERO);
    let past = |by: DVec3| SlidingMotion::Straight { from, by };
    let ask = |way: &SlidingMotion, options: &KeptOptions<'_>| kept([&cube, &post], way, &[], options);
    assert!(ask(&past(DVec3::Y * 3.0), &OPTIONS).is_free());
    let late = KeptOptions { deadline: Some(std::time::Instant::now()), ..OPTIONS };
    assert!(matches!(ask(&past(DVec3::Y * 3.0), &late), Verdict::Undecided { .. }));
    let stop = std::sync::atomic::AtomicBool::new(true);
    let stopped = KeptOptions { stop: Some(&stop), ..OPTIONS };
    assert!(matches!(ask(&past(DVec3::Y * 3.0), &stopped), Verdict::Undecided { .. }));
    let few = KeptOptions { most_regions: 1, ..OPTIONS };
    assert!(matches!(ask(&past(DVec3::X * 3.0), &few), Verdict::Undecided { .. }));
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let options = KeptOptions { tolerance: bad, ..OPTIONS };
        assert!(!ask(&past(DVec3::Y * 3.0), &options).is_free());
        let options = KeptOptions { resolution: bad, ..OPTIONS };
        assert!(!ask(&past(DVec3::Y * 3.0), &options).is_free());
    }
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(!ask(&past(DVec3::X * bad), &OPTIONS).is_free());
        assert!(!ask(&past(DVec3::Y * bad), &OPTIONS).is_free());
        let turn = SlidingMotion::Turn { from, point: DVec3::X * 2.0, axis: DVec3::Z, angle: bad };
        assert!(!ask(&turn, &OPTIONS).is_free());
    }
    // Past the post, a thousand times as far as numbers can tell it from a hit.
    let far = past(DVec3::new(1e15, 0.7e0, 0.0));
    assert!(!ask(&far, &OPTIONS).is_free());
    // A hundred turns: about itself it is free, about another axis it hits.
    let spin = |point: DVec3| SlidingMotion::Turn { from, point, axis: DVec3::Z, angle: 628.0 };
    assert!(ask(&spin(DVec3::ZERO), &OPTIONS).is_free());
    assert!(ask(&spin(DVec3::X), &OPTIONS).touches());
}

/// Two bodies in each other that have only edges in common.
#[test]
fn bodies_in_each_other_overlap_whatever_their_surfaces_do() {
    use kansho_check::sliding_contact::overlap;
    // A block with a pyramid on it, upright and upside down: feet in common, points in each other.
    let body = |up: f64| {
        let points = [
            DVec3::new(-1.0, -1.0, 0.0),
            DVec3::new(1.0, -1.0, 0.0),
            DVec3::new(1.0, 1.0, 0.0),
            DVec3::new(-1.0, 1.0, 0.0),
            DVec3::new(0.0, 0.0, 2.0 * up),
            DVec3::new(0.0, 0.0, -up),
        ];
        let mut triangles = Vec::new();
        for k in 0..4u32 {
            let (i, j) = if up > 0.0 { (k, (k + 1) % 4) } else { ((k + 1) % 4, k) };
            triangles.extend([[i, j, 4], [j, i, 5]]);
        }
        Body::new(Arc::new(mesh::weld(&points, &triangles, 0.0).expect("a solid").mesh))
    };
    let (upper, lower) = (body(1.0), body(-1.0));
    let at = |z: f64| overlap([&upper, &lower], Pose::from_translation(DVec3::Z * z), 1e-6);
    assert!(at(0.0).is_some());
    // The points are 2 m in each other when feet meet.
    assert!(at(1.9).is_some() && at(2.0).is_none() && at(2.1).is_none());
    let cube = block(DVec3::ONE, DVec3::ZERO);
    let small = block(DVec3::splat(0.2), DVec3::ZERO);
    let inside = |p: DVec3| overlap([&small, &cube], Pose::from_translation(p), 1e-6);
    assert!(inside(DVec3::ZERO).is_some());
    // On the floor inside, and beneath it outside.
    assert!(inside(DVec3::Z * -0.4).is_some() && inside(DVec3::Z * -0.6).is_none());
}
