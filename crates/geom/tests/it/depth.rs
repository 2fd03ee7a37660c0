//! Depths against closed forms and against dense samples, with another test for what is inside.

use crate::bodies::{column, cube, torus};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{Mesh, weld};
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::tree::{Depth, Meeting, Scratch, Tree, depth, meet, signed_distance};
use kansho_geom::triangle::closest;
use kansho_geom::{Pose, mesh};
use proptest::prelude::*;
use std::f64::consts::PI;
use std::sync::Arc;

const TOLERANCE: f64 = 1e-6;

fn tree(mesh: &Mesh) -> Tree {
    Tree::new(Arc::new(mesh.clone()))
}

fn shape(shape: Shape, deviation: f64) -> Mesh {
    Primitive::new(shape).expect("a shape").tessellated(deviation).expect("bounded")
}

fn block(x: f64, y: f64, z: f64) -> Mesh {
    shape(Shape::Box { size: DVec3::new(x, y, z) }, 1.0)
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn found(a: &Mesh, b: &Mesh, a_from_b: Pose, tolerance: f64) -> Depth {
    depth(&tree(a), &tree(b), a_from_b, tolerance, &mut Scratch::default()).expect("both are closed")
}

/// How often a surface winds round a point, by the sum of solid angles: nothing of rays or trees.
fn winding(mesh: &Mesh, p: DVec3) -> f64 {
    let angle = |t: [DVec3; 3]| {
        let [a, b, c] = t.map(|q| q - p);
        let (x, y, z) = (a.length(), b.length(), c.length());
        2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
    };
    mesh.corners().map(angle).sum::<f64>() / (4.0 * PI)
}

fn brute_distance(mesh: &Mesh, p: DVec3) -> f64 {
    mesh.corners().map(|t| closest(&[p; 3], &t).distance_sq).fold(f64::INFINITY, f64::min).sqrt()
}

/// How deep a point is in a body, zero outside.
fn brute_depth(mesh: &Mesh, p: DVec3) -> f64 {
    if winding(mesh, p).abs() > 0.5 { brute_distance(mesh, p) } else { 0.0 }
}

/// The deepest of `n²` points or so on each triangle of `a`.
fn sampled(a: &Mesh, b: &Mesh, a_from_b: Pose, n: u32) -> f64 {
    let b_from_a = a_from_b.inverse();
    let points = a.corners().flat_map(|[p, q, r]| {
        let part = move |i: u32| f64::from(i) / f64::from(n);
        (0..=n).flat_map(move |i| (0..=n - i).map(move |j| p + (q - p) * part(i) + (r - p) * part(j)))
    });
    points.map(|p| brute_depth(b, b_from_a * p)).fold(0.0, f64::max)
}

/// What must hold of every answer: the bounds are as close as asked for, the point is where it claims to be and as deep.
fn check(a: &Mesh, b: &Mesh, a_from_b: Pose, tolerance: f64, size: f64) -> Depth {
    let found = found(a, b, a_from_b, tolerance);
    assert!(0.0 <= found.at_least && found.at_least <= found.at_most, "{found:?}");
    assert!(found.at_most - found.at_least <= tolerance.max(1e-12 * size), "{found:?}");
    if found.at_least > 0.0 {
        let in_b = a_from_b.inverse() * found.point;
        let (on, within, there, here) =
            if found.of_first { (a, b, found.point, in_b) } else { (b, a, in_b, found.point) };
        assert!(brute_distance(on, there) < 1e-13 * size, "not on the surface: {found:?}");
        assert!(brute_depth(within, here) >= found.at_least - 1e-13 * size, "not as deep: {found:?}");
    }
    let from_samples = sampled(a, b, a_from_b, 5).max(sampled(b, a, a_from_b.inverse(), 5));
    assert!(from_samples <= found.at_most + 1e-13 * size, "{from_samples} is deeper than {found:?}");
    found
}

#[track_caller]
fn is(found: Depth, expected: f64) {
    let close = |x: f64| (x - expected).abs() <= TOLERANCE;
    assert!(close(found.at_least) && close(found.at_most), "{expected}: {found:?}");
}

#[test]
fn blocks_that_overlap_at_a_face_an_edge_and_a_corner() {
    let one = cube();
    let depth_at = |x: f64, y: f64, z: f64| check(&one, &one, shift(x, y, z), TOLERANCE, 1.0);
    // Of a corner at (u, v, w) inside, the distance to the nearest of the three walls.
    is(depth_at(0.9, 0.8, 0.7), 0.1);
    is(depth_at(0.7, 0.9, 0.7), 0.1);
    is(depth_at(0.7, 0.7, 0.7), 0.3);
    // An edge: its ends stick out or not, the middle is as deep.
    is(depth_at(0.8, 0.9, 0.0), 0.1);
    is(depth_at(0.8, 0.9, 0.3), 0.1);
    // A face: in its middle, as deep as it overlaps, up to half a width, where the side walls are as near.
    is(depth_at(0.75, 0.0, 0.0), 0.25);
    is(depth_at(0.55, 0.0, 0.0), 0.45);
    is(depth_at(0.3, 0.0, 0.0), 0.3);
    // Shifted aside by 0.4, the part of the face that is inside is 0.6 wide and at the wall on one side.
    is(depth_at(0.6, 0.4, 0.0), 0.4);
    // Equal bodies in one place: no point of a surface is inside.
    is(depth_at(0.0, 0.0, 0.0), 0.0);
}

#[test]
fn pegs_and_crossed_bars() {
    let (plate, peg) = (block(2.0, 2.0, 1.0), block(0.2, 0.2, 1.0));
    // The peg's tip is 0.3 below the top of the plate.
    is(check(&plate, &peg, shift(0.0, 0.0, 0.7), TOLERANCE, 1.0), 0.3);
    // Through: the middle of the peg's walls is 0.5 from both sides of the plate.
    let long = block(0.2, 0.2, 3.0);
    is(check(&plate, &long, shift(0.1, 0.2, 0.0), TOLERANCE, 1.0), 0.5);
    // Bars that cross: a wall of each passes along the middle of the other's 0.4, 0.2 away from its walls above and below,
    // on a whole ridge.
    let bar = block(3.0, 0.4, 0.4);
    let across = Pose::from_rpy(DVec3::ZERO, DVec3::new(0.0, 0.0, PI / 2.0));
    is(check(&bar, &bar, across, TOLERANCE, 1.0), 0.2);
    let thick = block(3.0, 1.0, 2.0);
    is(check(&thick, &bar, across, TOLERANCE, 1.0), 0.5);
}

#[test]
fn a_block_wholly_inside() {
    let (room, crate_) = (block(2.0, 2.0, 2.0), block(0.2, 0.2, 0.2));
    is(check(&room, &crate_, Pose::IDENTITY, TOLERANCE, 1.0), 0.9);
    is(check(&room, &crate_, shift(0.5, 0.0, 0.0), TOLERANCE, 1.0), 0.6);
    is(check(&crate_, &room, shift(0.5, 0.1, 0.0), TOLERANCE, 1.0), 0.6);
}

#[test]
fn balls_in_balls() {
    let deviation = 1e-3;
    let ball = |radius: f64| shape(Shape::Sphere { radius }, deviation);
    for (r, x, expected) in [
        (0.2, 0.3, 0.9), // The nearest point of the small one to the middle is 0.1 from it.
        (0.5, 0.2, 0.7),
        (0.5, 1.3, 0.2), // The tip of each is 0.2 in the other.
        (1.0, 1.9, 0.1),
    ] {
        let found = found(&ball(1.0), &ball(r), shift(x, 0.0, 0.0), TOLERANCE);
        assert!(found.at_most - found.at_least <= TOLERANCE, "{found:?}");
        assert!((found.at_least - expected).abs() < 2.5 * deviation, "{expected}: {found:?}");
    }
}

#[test]
fn what_only_touches_or_is_apart_has_no_depth() {
    let one = cube();
    for touching in [
        shift(1.0, 0.0, 0.0),
        shift(1.0, 0.3, 0.2),
        shift(1.0, 1.0, 0.3),
        shift(1.0, 1.0, 1.0),
        // An edge on a face, and a corner.
        shift(0.0, 0.0, 0.5 + 0.5f64.sqrt()) * Pose::from_rpy(DVec3::ZERO, DVec3::new(PI / 4.0, 0.0, 0.0)),
        Pose::from_rpy(DVec3::new(0.5 + 0.75f64.sqrt(), 0.0, 0.0), DVec3::ZERO)
            * Pose::from_axis_angle(DVec3::new(0.0, 1.0, -1.0), (1.0 / 3f64.sqrt()).acos()).expect("an axis"),
    ] {
        let found = found(&one, &one, touching, TOLERANCE);
        assert!(found.at_least <= 1e-15 && found.at_most <= TOLERANCE, "{found:?}");
    }
    let apart = found(&one, &one, shift(1.0 + 1e-15, 0.0, 0.0), TOLERANCE);
    assert_eq!((apart.at_least, apart.at_most), (0.0, 0.0));
}

#[test]
fn what_is_open_has_no_depth() {
    let whole = cube();
    let open = weld(whole.vertices(), &whole.triangles()[..11], 0.0).expect("a mesh").mesh;
    let mut scratch = Scratch::default();
    for (a, b) in [(&whole, &open), (&open, &whole), (&open, &open)] {
        assert_eq!(depth(&tree(a), &tree(b), shift(0.1, 0.0, 0.0), TOLERANCE, &mut scratch), None);
        assert_eq!(signed_distance(&tree(a), &tree(b), shift(0.1, 0.0, 0.0), TOLERANCE, &mut scratch), None);
    }
    let apart = signed_distance(&tree(&whole), &tree(&open), shift(3.0, 0.0, 0.0), TOLERANCE, &mut scratch);
    assert_eq!(apart, Some([2.0, 2.0]));
}

#[test]
fn the_signed_distance_passes_through_zero() {
    let one = tree(&cube());
    let mut scratch = Scratch::default();
    for x in [0.8, 0.99, 1.0, 1.01, 1.5] {
        let [low, high] =
            signed_distance(&one, &one, shift(x, 0.1, 0.0), TOLERANCE, &mut scratch).expect("closed");
        assert!(
            low <= x - 1.0 + 1e-15 && x - 1.0 - 1e-15 <= high && high - low <= TOLERANCE,
            "{x}: {low} {high}"
        );
    }
}

#[test]
fn a_crumb_in_a_cavity_is_not_inside() {
    let (outer, inner) = (block(4.0, 4.0, 4.0), block(2.0, 2.0, 2.0));
    let mut points = outer.vertices().to_vec();
    points.extend(inner.vertices());
    let mut triangles = outer.triangles().to_vec();
    triangles.extend(inner.triangles().iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]));
    let hollow = weld(&points, &triangles, 0.0).expect("a mesh").mesh;
    let crumb = block(0.2, 0.2, 0.2);
    is(check(&hollow, &crumb, Pose::IDENTITY, TOLERANCE, 1.0), 0.0);
    // In the wall, from 1 to 2: its faces are 0.4 away from both sides, but the middle of its side walls is 0.5.
    is(check(&hollow, &crumb, shift(1.5, 0.0, 0.0), TOLERANCE, 1.0), 0.5);
}

/// Convex and concave bodies of a metre or so.
fn solids() -> impl Strategy<Value = Mesh> {
    let blocks = prop::array::uniform3(0.2..1.5f64).prop_map(|[x, y, z]| block(x, y, z));
    let tetrahedra = prop::array::uniform32(-1.0..1.0f64).prop_filter_map("volume", |n| {
        let points: Vec<DVec3> = n[..12].chunks_exact(3).map(DVec3::from_slice).collect();
        let volume = (points[1] - points[0]).cross(points[2] - points[0]).dot(points[3] - points[0]);
        let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let triangles = if volume > 0.0 { triangles } else { triangles.map(|[a, b, c]| [a, c, b]) };
        (volume.abs() > 0.01).then(|| weld(&points, &triangles, 0.0).expect("a mesh").mesh)
    });
    let angles = (0.2..1.0f64, 0.1..0.8f64, 0.2..1.0f64).prop_map(|(width, thick, height)| {
        let (w, t) = (1.5 * width, width * thick);
        column(&[[0.0, 0.0], [1.5, 0.0], [1.5, t], [t, t], [t, w], [0.0, w]], height)
    });
    let rings = (0.1..0.4f64, 5..9u32).prop_map(|(small, sides)| torus(0.8, small, sides + 2, sides));
    let cones =
        (0.2..1.0f64, 0.2..1.0f64).prop_map(|(radius, height)| shape(Shape::Cone { radius, height }, 0.05));
    prop_oneof![blocks, tetrahedra, angles, rings, cones]
}

fn poses() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-0.8..0.8f64), prop::array::uniform3(-3.2..3.2f64))
        .prop_map(|(shift, rpy)| Pose::from_rpy(DVec3::from_array(shift), DVec3::from_array(rpy)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Rays in trees against solid angles, small and large, near the origin and far from it.
    #[test]
    fn crumbs_are_inside_where_solid_angles_say_so(
        body in solids(),
        at in prop::array::uniform3(-1.0..1.0f64),
        size in prop::sample::select(vec![1e-6, 1.0, 1e4]),
        far in prop::sample::select(vec![0.0, 1.0, 30.0]),
    ) {
        let (at, far) = (DVec3::from_array(at) * size, DVec3::new(1.0, -0.7, 0.4) * (far * size));
        let at = at + far;
        let points: Vec<DVec3> = body.vertices().iter().map(|&p| p * size + far).collect();
        let body = weld(&points, body.triangles(), 0.0).expect("a mesh").mesh;
        prop_assume!(brute_distance(&body, at) > 1e-4 * size);
        let crumb = tree(&block(1e-5 * size, 1e-5 * size, 1e-5 * size));
        let met = meet(&tree(&body), &crumb, Pose::from_translation(at), &mut Scratch::default());
        prop_assert_eq!(met == Meeting::SecondInside, winding(&body, at).abs() > 0.5);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_sampled_is_deeper_and_the_point_is_as_deep(a in solids(), b in solids(), pose in poses()) {
        let tolerance = 1e-6;
        let one = check(&a, &b, pose, tolerance, 1.0);
        // The other way round, and elsewhere, the bounds enclose the same number.
        let other = found(&b, &a, pose.inverse(), tolerance);
        let elsewhere = Pose::from_rpy(DVec3::new(3.0, -2.0, 5.0), DVec3::new(1.0, 2.0, 3.0));
        let moved = a.placed(elsewhere).expect("a mesh").mesh;
        let moved = found(&moved, &b, elsewhere * pose, tolerance);
        for same in [other, moved] {
            prop_assert!(same.at_most - same.at_least <= tolerance);
            prop_assert!(same.at_least <= one.at_most + 1e-13 && one.at_least <= same.at_most + 1e-13, "{one:?} {same:?}");
        }
        // A coarser answer encloses it too.
        let coarse = found(&a, &b, pose, 0.01);
        prop_assert!(coarse.at_least <= one.at_most && one.at_least <= coarse.at_most, "{one:?} {coarse:?}");
    }

    #[test]
    fn sizes_do_not_matter(a in solids(), b in solids(), pose in poses(), size in prop::sample::select(vec![1e-6, 1e-3, 1e3, 1e4])) {
        let one = found(&a, &b, pose, 1e-6);
        let scaled = |m: &Mesh| mesh::weld(&m.vertices().iter().map(|&p| p * size).collect::<Vec<_>>(), m.triangles(), 0.0).expect("a mesh").mesh;
        let there = Pose::from_translation(pose.translation() * size) * Pose::from_translation(pose.translation()).inverse() * pose;
        let large = check(&scaled(&a), &scaled(&b), there, 1e-6 * size, size);
        prop_assert!((large.at_least / size - one.at_least).abs() <= 1e-6 + 1e-9, "{one:?} {large:?}");
        prop_assert!((large.at_most / size - one.at_most).abs() <= 1e-6 + 1e-9, "{one:?} {large:?}");
    }
}
