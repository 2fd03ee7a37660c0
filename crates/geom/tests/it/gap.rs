//! Distances of trees against all pairs of triangles, where single precision is at its worst.

use crate::tree::{brute_gap, brute_hit, meshes, poses};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{Mesh, weld};
use kansho_geom::tree::{Scratch, Tree, distance, hit, within};
use proptest::prelude::*;
use std::sync::Arc;

/// Long strips, needles and fans: sides that are nearly parallel, triangles with hardly any area or none.
fn slivers() -> impl Strategy<Value = Mesh> {
    let strip = (2usize..12, -9i32..0, prop::collection::vec(-1.0..1.0f64, 24)).prop_filter_map(
        "area",
        |(count, width, jitter)| {
            // Two rows of points along x, apart by a tiny width, each a little off its row.
            let width = 10f64.powi(width);
            let points: Vec<DVec3> = (0..2 * count)
                .map(|i| {
                    let (along, row) = ((i / 2) as f64, (i % 2) as f64);
                    DVec3::new(along / count as f64, row * width, jitter[i] * width * 0.1)
                })
                .collect();
            let triangles: Vec<[u32; 3]> = (0..2 * count as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
            weld(&points, &triangles, 0.0).ok().map(|welded| welded.mesh)
        },
    );
    // A fan with corners on one line between those that are not: some triangles have no area, and are kept.
    let fan = (3usize..10, 0.0..1.0f64).prop_filter_map("area", |(count, height)| {
        let rim = (0..count).map(|i| {
            let along = i as f64 / count as f64;
            DVec3::new(along, if i % 3 == 0 { height } else { 0.0 }, 0.0)
        });
        let points: Vec<DVec3> = std::iter::once(DVec3::ZERO).chain(rim).collect();
        let triangles: Vec<[u32; 3]> = (1..count as u32).map(|i| [0, i, i + 1]).collect();
        weld(&points, &triangles, 0.0).ok().map(|welded| welded.mesh)
    });
    prop_oneof![strip, fan]
}

/// Turned by next to nothing, or not at all.
fn nearly_parallel() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-1.0..1.0f64), prop::array::uniform3(-1.0..1.0f64), -9i32..0, -6i32..1).prop_map(
        |(shift, rpy, turn, apart)| {
            let (turn, apart) = (10f64.powi(turn), 10f64.powi(apart));
            Pose::from_rpy(DVec3::from_array(shift) * apart, DVec3::from_array(rpy) * turn)
        },
    )
}

/// The same shape elsewhere, if rounding leaves something of it.
fn resized(mesh: &Mesh, scale: f64, shift: DVec3) -> Option<Mesh> {
    let points: Vec<DVec3> = mesh.vertices().iter().map(|p| *p * scale + shift).collect();
    weld(&points, mesh.triangles(), 0.0).ok().map(|welded| welded.mesh)
}

/// All that is asked of a distance and of a clearance.
fn check(a: &Mesh, b: &Mesh, pose: Pose, tolerance: f64) -> Result<(), TestCaseError> {
    let (ta, tb) = (Tree::new(Arc::new(a.clone())), Tree::new(Arc::new(b.clone())));
    let mut scratch = Scratch::default();
    let mut portable = Scratch::portable();
    let (expected, touches) = (brute_gap(a, b, pose), brute_hit(a, b, pose));
    let found = distance(&ta, &tb, pose, f64::INFINITY, &mut scratch).expect("there is a distance");
    prop_assert!((found.gap() - expected).abs() <= tolerance, "{:e} {:e}", found.gap(), expected);
    prop_assert_eq!(found.gap() == 0.0, touches);
    prop_assert_eq!(hit(&ta, &tb, pose, &mut scratch).is_some(), touches);
    let any = distance(&ta, &tb, pose, f64::INFINITY, &mut portable).expect("there is a distance");
    if touches {
        prop_assert_eq!(any.gap(), 0.0);
    } else {
        prop_assert_eq!(any, found, "on any processor");
        prop_assert_eq!(distance(&ta, &tb, pose, found.gap(), &mut scratch), None, "not less than itself");
    }
    let gap = found.gap();
    let around =
        [0.0, 0.5 * gap, gap.next_down(), gap, gap.next_up(), gap * 1.000_001, 1.5 * gap, f64::INFINITY];
    for clearance in around {
        for scratch in [&mut scratch, &mut portable] {
            let near = within(&ta, &tb, pose, clearance, scratch);
            prop_assert_eq!(near, gap <= clearance, "{:e} of {:e}", clearance, gap);
        }
    }
    prop_assert!(!within(&ta, &tb, pose, -1e-9, &mut scratch));
    prop_assert!(!within(&ta, &tb, pose, f64::NAN, &mut scratch));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_clearance_is_kept_exactly_if_the_distance_says_so(a in meshes(), b in meshes(), pose in poses(3.0)) {
        check(&a, &b, pose, 1e-14)?;
    }

    #[test]
    fn slivers_nearly_parallel(a in slivers(), b in slivers(), pose in nearly_parallel()) {
        check(&a, &b, pose, 1e-14)?;
    }

    #[test]
    fn slivers_among_others(a in slivers(), b in meshes(), pose in poses(1.5)) {
        check(&a, &b, pose, 1e-14)?;
    }

    #[test]
    fn sheets_face_to_face(a in meshes(), pose in nearly_parallel()) {
        check(&a, &a, pose, 1e-14)?;
    }

    #[test]
    fn tiny_huge_and_far_away(
        a in prop_oneof![meshes(), slivers()],
        b in prop_oneof![meshes(), slivers()],
        pose in prop_oneof![poses(2.0), nearly_parallel()],
        scales in prop::array::uniform2(prop::sample::select(vec![1e-9f64, 1e-6, 1e-3, 1.0, 1e3, 1e5])),
        far in prop::sample::select(vec![0.0, 30.0, 1e5]),
    ) {
        let shift = DVec3::new(far, -far, 0.5 * far);
        let size = scales[0].max(scales[1]);
        // Far away the finest things collapse to points and lines, which are no mesh.
        let (a, b) = (resized(&a, scales[0], shift), resized(&b, scales[1], -shift));
        prop_assume!(a.is_some() && b.is_some());
        let there = Pose::from_translation(shift)
            * Pose::from_translation(pose.translation() * size)
            * Pose::from_quat(pose.quat(), DVec3::ZERO).expect("a pose")
            * Pose::from_translation(shift);
        check(&a.expect("assumed"), &b.expect("assumed"), there, 4e-15 * (far + size))?;
    }
}

/// Two sheets of many triangles at one distance everywhere: nothing can be ruled out early, and still it ends.
#[test]
fn parallel_sheets_of_many_triangles() {
    let side = 40;
    let points: Vec<DVec3> = (0..=side)
        .flat_map(|i| (0..=side).map(move |j| DVec3::new(f64::from(i), f64::from(j), 0.0) / f64::from(side)))
        .collect();
    let at = |i: u32, j: u32| i * (side as u32 + 1) + j;
    let triangles: Vec<[u32; 3]> = (0..side as u32)
        .flat_map(|i| (0..side as u32).map(move |j| (i, j)))
        .flat_map(|(i, j)| {
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        })
        .collect();
    let sheet = Tree::new(Arc::new(weld(&points, &triangles, 0.0).expect("a mesh").mesh));
    let mut scratch = Scratch::default();
    for height in [0.25, 1e-7] {
        let above = Pose::from_translation(DVec3::new(0.1, 0.2, height));
        let found = distance(&sheet, &sheet, above, f64::INFINITY, &mut scratch).expect("a distance");
        assert!((found.gap() - height).abs() < 1e-15);
        assert!(within(&sheet, &sheet, above, found.gap(), &mut scratch));
        assert!(!within(&sheet, &sheet, above, found.gap().next_down(), &mut scratch));
    }
}
