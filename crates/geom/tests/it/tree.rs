//! Trees of boxes against all pairs of triangles.

use crate::bodies::{cube, height_field, plate, subdivided_soup};
use kansho_geom::glam::{DQuat, DVec3};
use kansho_geom::mesh::{Mesh, weld};
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::tree::{Meeting, Scratch, Tree, distance, hit, hits, meet, within};
use kansho_geom::triangle::{closest, touch};
use kansho_geom::{Pose, mesh};
use proptest::prelude::*;
use std::sync::Arc;

/// Every pair of triangles, the second placed in the frame of the first.
fn pairs<'a>(
    a: &'a Mesh,
    b: &'a Mesh,
    a_from_b: Pose,
) -> impl Iterator<Item = ([DVec3; 3], [DVec3; 3])> + 'a {
    a.corners().flat_map(move |s| b.corners().map(move |t| (s, t.map(|p| a_from_b * p))))
}

pub(crate) fn brute_hit(a: &Mesh, b: &Mesh, a_from_b: Pose) -> bool {
    pairs(a, b, a_from_b).any(|(s, t)| touch(&s, &t))
}

pub(crate) fn brute_gap(a: &Mesh, b: &Mesh, a_from_b: Pose) -> f64 {
    pairs(a, b, a_from_b).map(|(s, t)| closest(&s, &t).distance_sq).fold(f64::INFINITY, f64::min).sqrt()
}

/// Soups of needles, plates with holes, round and square things, at several sizes.
pub(crate) fn meshes() -> impl Strategy<Value = Mesh> {
    let soup = prop::collection::vec(prop::array::uniform9(-1.0..1.0f64), 1..30).prop_filter_map(
        "area",
        |numbers| {
            let points: Vec<DVec3> = numbers
                .iter()
                .flat_map(|n| n.chunks_exact(3).map(DVec3::from_slice).collect::<Vec<_>>())
                .collect();
            // Some corners coincide, so that some triangles are needles or share edges.
            let points: Vec<DVec3> = points.iter().map(|p| (*p * 8.0).round() / 8.0).collect();
            let triangles: Vec<[u32; 3]> =
                (0..numbers.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            weld(&points, &triangles, 0.0).ok().map(|welded| welded.mesh)
        },
    );
    let plates = (prop::collection::vec(1.0..2.0f64, 5..9), 0.05..0.5f64)
        .prop_map(|(outer, thickness)| plate(&outer, &[0.5, 0.3, 0.6, 0.3, 0.7], thickness).mesh);
    let round = prop::sample::select(vec![
        Shape::Sphere { radius: 0.8 },
        Shape::Cylinder { radius: 0.3, height: 2.0 },
        Shape::Cone { radius: 0.7, height: 0.5 },
        Shape::Box { size: DVec3::new(0.1, 1.0, 2.0) },
    ])
    .prop_map(|shape| Primitive::new(shape).expect("a shape").tessellated(0.1).expect("bounded"));
    prop_oneof![soup, plates, round]
}

pub(crate) fn poses(reach: f64) -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-reach..reach), prop::array::uniform3(-3.2..3.2f64))
        .prop_map(|(shift, rpy)| Pose::from_rpy(DVec3::from_array(shift), DVec3::from_array(rpy)))
}

fn scaled(mesh: &Mesh, scale: f64, shift: DVec3) -> Mesh {
    let points: Vec<DVec3> = mesh.vertices().iter().map(|p| *p * scale + shift).collect();
    mesh::weld(&points, mesh.triangles(), 0.0).expect("a mesh").mesh
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn touching_is_what_all_pairs_say(a in meshes(), b in meshes(), pose in poses(2.0)) {
        let (ta, tb) = (Tree::new(Arc::new(a.clone())), Tree::new(Arc::new(b.clone())));
        let mut scratch = Scratch::default();
        let found = hit(&ta, &tb, pose, &mut scratch);
        prop_assert_eq!(found.is_some(), brute_hit(&a, &b, pose));
        if let Some([s, t]) = found {
            let s = a.corners().nth(s as usize).expect("a triangle");
            let t = b.corners().nth(t as usize).expect("a triangle").map(|p| pose * p);
            prop_assert!(touch(&s, &t), "the witness touches");
        }
        prop_assert_eq!(hit(&ta, &tb, pose, &mut Scratch::portable()).is_some(), found.is_some(), "on any processor");
        let placed: Vec<[DVec3; 3]> = b.corners().map(|t| t.map(|p| pose * p)).collect();
        let all: Vec<[u32; 2]> = (0u32..).zip(a.corners())
            .flat_map(|(s, one)| {
                let touches = move |(_, other): &(u32, &[DVec3; 3])| touch(&one, other);
                (0u32..).zip(&placed).filter(touches).map(move |(t, _)| [s, t]).collect::<Vec<_>>()
            })
            .collect();
        prop_assert_eq!(&hits(&ta, &tb, pose, usize::MAX, &mut scratch), &all);
        prop_assert_eq!(hits(&ta, &tb, pose, 3, &mut scratch).len(), all.len().min(3));
        prop_assert!(hits(&ta, &tb, pose, 0, &mut scratch).is_empty());
        let other = hit(&tb, &ta, pose.inverse(), &mut scratch).is_some();
        // The other way round all corners are rounded anew: only a graze may differ.
        prop_assert!(other == found.is_some() || brute_gap(&a, &b, pose) < 1e-14);
    }

    #[test]
    fn distance_is_the_least_of_all_pairs(a in meshes(), b in meshes(), pose in poses(3.0), part in 0.5..1.5f64) {
        let (ta, tb) = (Tree::new(Arc::new(a.clone())), Tree::new(Arc::new(b.clone())));
        let mut scratch = Scratch::default();
        let expected = brute_gap(&a, &b, pose);
        let found = distance(&ta, &tb, pose, f64::INFINITY, &mut scratch).expect("there is a distance");
        prop_assert!((found.gap() - expected).abs() < 1e-14, "{} {}", found.gap(), expected);
        prop_assert_eq!(found.gap() == 0.0, brute_hit(&a, &b, pose));
        prop_assert!((found.closest.points[0].distance(found.closest.points[1]) - expected).abs() < 1e-13);
        let portable = distance(&ta, &tb, pose, f64::INFINITY, &mut Scratch::portable()).expect("there is a distance");
        prop_assert_eq!(portable.gap(), found.gap(), "on any processor");
        // Asked for less than it is, nothing; for more, the same.
        let limited = distance(&ta, &tb, pose, expected * part, &mut scratch);
        prop_assert_eq!(limited.map(|d| d.gap()), (expected < expected * part).then(|| found.gap()));
    }

    #[test]
    fn sizes_and_places_do_not_matter(
        a in meshes(),
        b in meshes(),
        pose in poses(2.0),
        scale in prop::sample::select(vec![1e-6, 1e-3, 40.0, 1e4]),
        far in prop::sample::select(vec![0.0, 30.0, 1e5]),
    ) {
        let shift = DVec3::new(far, -far, 0.5 * far);
        let (sa, sb) = (scaled(&a, scale, shift), scaled(&b, scale, -shift));
        let there = Pose::from_translation(shift)
            * Pose::from_translation(pose.translation() * scale)
            * Pose::from_quat(pose.quat(), DVec3::ZERO).expect("a pose")
            * Pose::from_translation(shift);
        let (ta, tb) = (Tree::new(Arc::new(sa.clone())), Tree::new(Arc::new(sb.clone())));
        let mut scratch = Scratch::default();
        prop_assert_eq!(hit(&ta, &tb, there, &mut scratch).is_some(), brute_hit(&sa, &sb, there));
        let found = distance(&ta, &tb, there, f64::INFINITY, &mut scratch).expect("there is a distance").gap();
        let expected = brute_gap(&sa, &sb, there);
        prop_assert!((found - expected).abs() <= 1e-15 * (far + scale) + 1e-14 * expected, "{} {}", found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The margins carry the proof: on the last bit before contact, and on the first of it.
    #[test]
    fn the_border_of_contact_is_found_to_the_last_bit(a in meshes(), b in meshes(), pose in poses(1.0), along in prop::array::uniform3(-1.0..1.0f64)) {
        let along = DVec3::from_array(along);
        prop_assume!(along.length() > 0.1);
        let (ta, tb) = (Tree::new(Arc::new(a.clone())), Tree::new(Arc::new(b.clone())));
        let mut scratch = Scratch::default();
        let at = |t: f64| Pose::from_translation(along * t) * pose;
        let (mut touching, mut free) = (0.0, 40.0);
        prop_assume!(brute_hit(&a, &b, at(touching)) && !brute_hit(&a, &b, at(free)));
        loop {
            let middle: f64 = 0.5 * (touching + free);
            if middle == touching || middle == free {
                break;
            }
            let found = hit(&ta, &tb, at(middle), &mut scratch).is_some();
            if found { touching = middle } else { free = middle }
        }
        for t in [touching, free] {
            prop_assert_eq!(hit(&ta, &tb, at(t), &mut scratch).is_some(), brute_hit(&a, &b, at(t)));
            let gap = distance(&ta, &tb, at(t), f64::INFINITY, &mut scratch).expect("a distance").gap();
            prop_assert_eq!(gap == 0.0, brute_hit(&a, &b, at(t)));
        }
    }
}

#[test]
fn faces_edges_and_corners_that_just_meet_touch() {
    let (points, triangles) = subdivided_soup(&cube(), 2);
    let fine = Arc::new(weld(&points, &triangles, 0.0).expect("a mesh").mesh);
    let tree = Tree::new(fine);
    let mut scratch = Scratch::default();
    for shift in [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE, DVec3::new(0.0, 0.25, 1.0)] {
        let mut touches =
            |shift: DVec3| hit(&tree, &tree, Pose::from_translation(shift), &mut scratch).is_some();
        assert!(touches(shift), "{shift}");
        assert!(!touches(shift * (1.0 + 2.0 * f64::EPSILON)), "{shift}");
    }
}

#[test]
fn trees_are_filled_and_small() {
    let sphere =
        Primitive::new(Shape::Sphere { radius: 1.0 }).expect("a ball").tessellated(2e-4).expect("bounded");
    let triangles = sphere.triangles().len();
    assert!(triangles > 10_000);
    let tree = Tree::new(Arc::new(sphere));
    let bytes = tree.bytes() as f64 / triangles as f64;
    assert!(bytes < 350.0, "{bytes} bytes a triangle");
}

#[test]
fn a_body_inside_another_meets_it() {
    let shape = |shape: Shape| Primitive::new(shape).expect("a shape").tessellated(0.01).expect("bounded");
    let ball = Tree::new(Arc::new(shape(Shape::Sphere { radius: 1.0 })));
    let crumb = Tree::new(Arc::new(shape(Shape::Box { size: DVec3::splat(0.1) })));
    let mut scratch = Scratch::default();
    let mut met = |a: &Tree, b: &Tree, x: f64| meet(a, b, Pose::from_translation(DVec3::X * x), &mut scratch);
    assert_eq!(met(&ball, &crumb, 0.0), Meeting::SecondInside);
    assert_eq!(met(&crumb, &ball, 0.3), Meeting::FirstInside);
    assert!(matches!(met(&ball, &crumb, 1.0), Meeting::Touch(_)));
    assert_eq!(met(&ball, &crumb, 1.2), Meeting::Apart);
}

#[test]
fn a_cavity_is_not_inside_and_an_open_shell_has_no_inside() {
    let outer = scaled(&cube(), 4.0, DVec3::ZERO);
    let inner = scaled(&cube(), 2.0, DVec3::ZERO);
    let crumb = Tree::new(Arc::new(scaled(&cube(), 0.1, DVec3::ZERO)));
    let mut points = outer.vertices().to_vec();
    points.extend(inner.vertices());
    let mut triangles = outer.triangles().to_vec();
    triangles.extend(inner.triangles().iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]));
    let hollow = Tree::new(Arc::new(weld(&points, &triangles, 0.0).expect("a mesh").mesh));
    let mut scratch = Scratch::default();
    let mut met =
        |tree: &Tree, x: f64| meet(tree, &crumb, Pose::from_translation(DVec3::X * x), &mut scratch);
    assert_eq!(met(&hollow, 0.0), Meeting::Apart, "in the cavity");
    assert_eq!(met(&hollow, 1.5), Meeting::SecondInside, "in the wall");
    let open = weld(outer.vertices(), &outer.triangles()[..11], 0.0).expect("a mesh").mesh;
    let open = Tree::new(Arc::new(open));
    assert!(!open.is_closed());
    assert_eq!(met(&open, 0.0), Meeting::Apart);
    // A loose triangle elsewhere does not open what is closed.
    let mut points = outer.vertices().to_vec();
    points.extend([DVec3::X * 9.0, DVec3::Y * 9.0, DVec3::Z * 9.0]);
    let loose: Vec<[u32; 3]> = outer.triangles().iter().copied().chain([[8, 9, 10]]).collect();
    let littered = Tree::new(Arc::new(weld(&points, &loose, 0.0).expect("a mesh").mesh));
    assert!(!littered.is_closed());
    assert_eq!(met(&littered, 0.0), Meeting::SecondInside);
}

proptest! {
    /// Points in and around solids against the formula, also where rays run along edges.
    #[test]
    fn containment_agrees_with_the_formula(x in -5i32..=5, y in -5i32..=5, z in -5i32..=5) {
        let size = DVec3::new(1.0, 1.5, 2.0);
        let primitive = Primitive::new(Shape::Box { size }).expect("a box");
        let (points, triangles) = subdivided_soup(&primitive.tessellated(1.0).expect("bounded"), 2);
        let tree = Tree::new(Arc::new(weld(&points, &triangles, 0.0).expect("a mesh").mesh));
        let crumb = Tree::new(Arc::new(scaled(&cube(), 1e-3, DVec3::ZERO)));
        let at = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * 0.24;
        let met = meet(&tree, &crumb, Pose::from_translation(at), &mut Scratch::default());
        prop_assert_eq!(met != Meeting::Apart, primitive.contains(at));
    }
}

/// A spike of a length: its tip is its lowest corner, and the one that containment is asked of.
fn spike(length: f64, at: DVec3) -> Mesh {
    let points = [[0.0, 0.0, -1.0], [0.2, 0.0, 0.0], [-0.1, 0.2, 0.0], [-0.1, -0.2, 0.0]];
    let points: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(*p) * length + at).collect();
    weld(&points, &[[0, 1, 3], [0, 3, 2], [0, 2, 1], [1, 2, 3]], 0.0).expect("a spike").mesh
}

proptest! {
    /// A spike whose tip is at the wall of a box, from within and from without, to the last bit, and either as the first: it is inside or
    /// not as it is of the corners that surfaces were told apart by. Placed there for good, they need not be rounded again.
    #[test]
    fn what_is_inside_is_asked_of_the_corners_that_do_not_touch(
        tilt in poses(1.0), spin in poses(1.0), far in prop::sample::select(vec![0.0, 1.0, 20.0, 1e4]), from_within: bool, swap: bool,
    ) {
        // What is far from the origin of its own frame is rounded most.
        let room = scaled(&cube(), 4.0, DVec3::new(far, -0.7 * far, 0.3 * far));
        let spike = spike(0.2, DVec3::new(0.2 * far, far, -0.4 * far));
        let middle = |mesh: &Mesh| mesh.vertices().iter().copied().sum::<DVec3>() / mesh.vertices().len() as f64;
        let [room_tree, spike_tree] = [&room, &spike].map(|mesh| Tree::new(Arc::new(mesh.clone())));
        // The spike in the frame of the room, on a way through its wall, the tip ahead; or the room in the frame of the spike.
        let way = (tilt.rotation() * DVec3::new(0.3, 0.2, 1.0)).normalize() * 8.0;
        let ahead = if from_within { way } else { -way };
        let onto_way = DQuat::from_rotation_arc(DVec3::NEG_Z, ahead.normalize());
        let spin = DQuat::from_axis_angle(DVec3::Z, spin.translation().x * 3.0);
        let turn = Pose::from_quat(onto_way * spin, DVec3::ZERO).expect("a rotation");
        let room_from_spike = |t: f64| Pose::from_translation(middle(&room) + way * t - turn * middle(&spike)) * turn;
        let (a, b, second) = if swap { (&spike_tree, &room_tree, &room) } else { (&room_tree, &spike_tree, &spike) };
        let a_from_b = |t: f64| if swap { room_from_spike(t).inverse() } else { room_from_spike(t) };
        let mut scratch = Scratch::default();
        // In the middle of the room, in its wall, and outside: somewhere between, one bit decides.
        let mut touches = |t: f64| hit(a, b, a_from_b(t), &mut scratch).is_some();
        let Some(in_wall) = (1..400).map(|k| f64::from(k) / 400.0).find(|t| touches(*t)) else {
            return Err(TestCaseError::fail("the way leads through the wall"));
        };
        let (mut touching, mut free) = (in_wall, if from_within { 0.0 } else { 1.0 });
        prop_assert!(!touches(free));
        loop {
            let middle: f64 = 0.5 * (touching + free);
            if middle == touching || middle == free {
                break;
            }
            if touches(middle) { touching = middle } else { free = middle }
        }
        for k in 0..20 {
            let t = free + (free - touching) * f64::from(k);
            let points: Vec<DVec3> = second.vertices().iter().map(|p| a_from_b(t) * *p).collect();
            let placed = Tree::new(Arc::new(weld(&points, second.triangles(), 0.0).expect("a mesh").mesh));
            let kind = |met: Meeting| match met {
                Meeting::Touch(_) => "touch",
                Meeting::Apart => "apart",
                Meeting::FirstInside => "first",
                Meeting::SecondInside => "second",
            };
            let (found, truth) = (meet(a, b, a_from_b(t), &mut scratch), meet(a, &placed, Pose::IDENTITY, &mut scratch));
            prop_assert_eq!(kind(found), kind(truth));
            let expected = match (from_within, swap) {
                (false, _) => "apart",
                (true, true) => "first",
                (true, false) => "second",
            };
            prop_assert!(["touch", expected].contains(&kind(truth)), "{}, not {expected}", kind(truth));
        }
    }
}

/// Scaling by a power of two rounds nothing, so it changes no answer, down to bodies smaller than atoms.
#[test]
fn tiny_bodies_touch_as_large_ones_do() {
    for seed in 0..12 {
        let meshes = [height_field(3, 0.4, seed), height_field(4, 0.4, seed + 100)];
        for lift in [-0.05, 0.0, 0.08, 0.3] {
            let of_scale = |scale: f64| {
                let [a, b] = meshes
                    .clone()
                    .map(|mesh| Tree::new(Arc::new(mesh.scaled(DVec3::splat(scale)).expect("a mesh").mesh)));
                let pose = Pose::from_rpy(DVec3::new(0.1, 0.07, lift) * scale, DVec3::new(0.1, 0.2, 0.3));
                let mut scratch = Scratch::default();
                let gap =
                    distance(&a, &b, pose, f64::INFINITY, &mut scratch).expect("a distance").gap() / scale;
                let near = within(&a, &b, pose, 0.1 * scale, &mut scratch);
                (hit(&a, &b, pose, &mut scratch).is_some(), gap, near)
            };
            let (touch, gap, near) = of_scale(1.0);
            for power in [10, 24, 30, 36, 44, 50, 60, 70] {
                let (tiny_touch, tiny_gap, tiny_near) = of_scale(2f64.powi(-power));
                assert_eq!((tiny_touch, tiny_near), (touch, near), "{seed} {lift} {power}");
                assert!((tiny_gap - gap).abs() <= 1e-9, "{seed} {lift} {power}: {tiny_gap} {gap}");
            }
        }
    }
}

#[test]
fn boxes_hold_what_is_in_them() {
    use kansho_geom::tree::BoxContent;
    let (points, triangles) = subdivided_soup(&cube(), 3);
    let mesh = Arc::new(weld(&points, &triangles, 0.0).expect("a mesh").mesh);
    let tree = Tree::new(Arc::clone(&mesh));
    let corners: Vec<[DVec3; 3]> = mesh.corners().collect();
    let below = |slot: u32| {
        let (mut open, mut found) = (vec![slot], Vec::new());
        while let Some(slot) = open.pop() {
            match tree.content(slot) {
                BoxContent::Boxes(boxes) => open.extend(boxes),
                BoxContent::Triangles(list) => found.extend(list),
            }
        }
        found
    };
    let mut open = vec![Tree::ROOT];
    let mut seen = 0;
    while let Some(slot) = open.pop() {
        let ([centre, half], axes) = (tree.extent(slot), tree.axes(slot));
        for p in below(slot).into_iter().flat_map(|t| corners[t as usize]) {
            assert!((axes.transpose() * (p - centre)).abs().cmple(half + 1e-6).all(), "{p} {centre} {half}");
        }
        seen += 1;
        if let BoxContent::Boxes(boxes) = tree.content(slot) {
            open.extend(boxes);
        }
    }
    assert!(seen > 8 && below(Tree::ROOT).len() == corners.len());
}
