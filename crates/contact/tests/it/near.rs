//! Bodies that are almost where others are.

use crate::cases::{Random, part};
use kansho_contact::{Between, ContactOptions, contacts};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Pose, mesh};
use std::sync::Arc;

/// A slender spike, its tip at the origin, with noise on all corners, and on corners within its faces.
fn spike(noise: f64, slender: f64, random: &mut Random) -> Arc<kansho_geom::Mesh> {
    let top = |k: f64| {
        let (sin, cos) = (std::f64::consts::TAU * k / 3.0).sin_cos();
        DVec3::new(slender * cos, slender * sin, 1.0)
    };
    let corners = [DVec3::ZERO, top(0.0), top(1.0), top(2.0)];
    let middle = |a: usize, b: usize| corners[a].midpoint(corners[b]);
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3)];
    let mut points = corners.to_vec();
    points.extend(pairs.map(|(a, b)| middle(a, b)));
    let between = |a: usize, b: usize| {
        4 + pairs.iter().position(|&(p, q)| (p, q) == (a.min(b), a.max(b))).expect("a side") as u32
    };
    let mut triangles = Vec::new();
    for [a, b, c] in [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]] {
        let (ab, bc, ca) = (between(a, b), between(b, c), between(c, a));
        let [a, b, c] = [a, b, c].map(|v| v as u32);
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    for point in &mut points {
        *point += DVec3::new(random.signed(), random.signed(), random.signed()) * (noise / 3f64.sqrt());
    }
    Arc::new(mesh::weld(&points, &triangles, 0.0).expect("a spike").mesh)
}

/// Corners are put where their faces meet, which may be farther off than the triangles: what is then missed is not said to be
/// apart, and so free to move, if the triangles are as near as if they touched.
#[test]
fn what_is_as_near_as_touching_is_never_apart() {
    let mut random = Random(11);
    let noise = 1e-5;
    let floor = Primitive::new(Shape::Box { size: DVec3::new(2.0, 2.0, 1.0) }).expect("a box");
    let floor = part(&Arc::new(floor.tessellated(1.0).expect("bounded")), Some(noise))
        .placed(Pose::from_translation(DVec3::Z * -0.5));
    let (mut touching, mut unclear, mut apart) = (0, 0, 0);
    for _ in 0..600 {
        let slender = 0.2 + 0.4 * random.unit();
        let spike = part(&spike(noise, slender, &mut random), Some(noise));
        let height = (80.0 + 40.0 * random.unit()) * noise;
        let spike = spike.placed(Pose::from_translation(DVec3::Z * height));
        let found = contacts(&spike, &[&floor], &ContactOptions::default());
        match found.between[0] {
            Between::Touching => touching += 1,
            Between::Unclear { point } => {
                assert!(point.length() <= 2.0 * found.touch[0], "{point}");
                unclear += 1;
            }
            Between::Apart { gap, .. } => {
                assert!(gap > found.touch[0], "{gap} counts as touching up to {}", found.touch[0]);
                apart += 1;
            }
            Between::Overlapping { .. } => panic!("{height}"),
        }
    }
    assert!(touching > 100 && unclear > 3 && apart > 100, "{touching} {unclear} {apart}");
}

/// A box whose triangles have corners of their own, a little off each other, is closed but for cracks; deep in another it is not
/// touching it.
#[test]
fn cracks_hide_no_overlap() {
    let mut random = Random(12);
    let shape = Primitive::new(Shape::Box { size: DVec3::ONE }).expect("a box");
    let whole = Arc::new(shape.tessellated(1.0).expect("bounded"));
    let noise = 1e-6;
    let mut shaken =
        |p: DVec3| p + DVec3::new(random.signed(), random.signed(), random.signed()) * (noise / 3f64.sqrt());
    let points: Vec<DVec3> = whole.corners().flatten().map(&mut shaken).collect();
    let triangles: Vec<[u32; 3]> =
        (0..points.len() as u32 / 3).map(|t| [0, 1, 2].map(|k| 3 * t + k)).collect();
    let cracked = Arc::new(mesh::weld(&points, &triangles, 0.0).expect("a mesh").mesh);
    let [cracked, whole] = [cracked, whole].map(|mesh| part(&mesh, Some(noise)));
    for (by, deep) in [(DVec3::new(0.9, 0.0, 0.0), 0.1), (DVec3::new(0.2, 0.7, 0.1), 0.3)] {
        let placed = cracked.placed(Pose::from_translation(by));
        let found = contacts(&placed, &[&whole], &ContactOptions::default());
        assert!(
            matches!(found.between[..], [Between::Overlapping { depth, .. }] if (depth - deep).abs() < 1e-3),
            "{by}: {:?}",
            found.between
        );
    }
    let beside = cracked.placed(Pose::from_translation(DVec3::X));
    assert_eq!(contacts(&beside, &[&whole], &ContactOptions::default()).between, [Between::Touching]);
}
