//! What holds for any two meshes, and meshes on a small grid against integer arithmetic.

use crate::tree::{meshes, poses};
use crate::triangle::{Point, apart, grid, has_area, real};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{Mesh, weld};
use kansho_geom::tree::{Scratch, Tree, distance, hit, within};
use kansho_geom::{Pose, Solid, solid};
use proptest::prelude::*;
use std::sync::Arc;

fn soup(triangles: &[[Point; 3]]) -> Mesh {
    let points: Vec<DVec3> = triangles.iter().flat_map(real).collect();
    let ids: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    weld(&points, &ids, 0.0).expect("a mesh").mesh
}

fn soups(size: i64) -> impl Strategy<Value = Vec<[Point; 3]>> {
    prop::collection::vec(grid(size).prop_filter("area", has_area), 1..20)
}

fn tree(mesh: &Mesh) -> Tree {
    Tree::new(Arc::new(mesh.clone()))
}

fn gap(a: &Mesh, b: &Mesh, a_from_b: Pose) -> f64 {
    let found = distance(&tree(a), &tree(b), a_from_b, f64::INFINITY, &mut Scratch::default());
    found.expect("there is a distance").gap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn meshes_on_a_grid_touch_as_integers_say(a in soups(4), b in soups(3), shift in prop::array::uniform3(-5i64..=5)) {
        let moved = b.iter().map(|t| t.map(|p| [p[0] + shift[0], p[1] + shift[1], p[2] + shift[2]]));
        let moved: Vec<[Point; 3]> = moved.collect();
        let expected = a.iter().any(|s| moved.iter().any(|t| !apart(s, t)));
        let (mesh_a, mesh_b) = (soup(&a), soup(&b));
        let (tree_a, tree_b) = (tree(&mesh_a), tree(&mesh_b));
        let pose = Pose::from_translation(DVec3::new(shift[0] as f64, shift[1] as f64, shift[2] as f64));
        let mut scratch = Scratch::default();
        prop_assert_eq!(hit(&tree_a, &tree_b, pose, &mut scratch).is_some(), expected);
        prop_assert_eq!(within(&tree_a, &tree_b, pose, 0.0, &mut scratch), expected);
        prop_assert_eq!(gap(&mesh_a, &mesh_b, pose) == 0.0, expected);
    }

    #[test]
    fn either_may_come_first(a in meshes(), b in meshes(), pose in poses(2.0)) {
        let (one, other) = (gap(&a, &b, pose), gap(&b, &a, pose.inverse()));
        prop_assert!((one - other).abs() <= 1e-12, "{} {}", one, other);
    }

    #[test]
    fn moving_both_changes_nothing(a in meshes(), b in meshes(), pose in poses(2.0), both in poses(3.0)) {
        let moved = |mesh: &Mesh| mesh.placed(both).expect("a mesh").mesh;
        let there = gap(&moved(&a), &moved(&b), both * pose * both.inverse());
        let here = gap(&a, &b, pose);
        prop_assert!((here - there).abs() <= 1e-12, "{} {}", here, there);
    }

    #[test]
    fn growing_never_frees(a in meshes(), more in meshes(), b in meshes(), pose in poses(2.0)) {
        let points: Vec<DVec3> = a.corners().chain(more.corners()).flatten().collect();
        let ids: Vec<[u32; 3]> = (0..points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let grown = weld(&points, &ids, 0.0).expect("a mesh").mesh;
        prop_assert!(gap(&grown, &b, pose) <= gap(&a, &b, pose) + 1e-15);
    }

    #[test]
    fn witnesses_realise_the_distance_of_solids(a in meshes(), b in meshes(), pose in poses(2.0)) {
        let (a, b) = (Solid::mesh(Arc::new(a)), Solid::mesh(Arc::new(b)));
        let mut scratch = Scratch::default();
        let found = solid::distance(&a, &b, pose, f64::INFINITY, &mut scratch).expect("a distance");
        prop_assert!((found.points[0].distance(found.points[1]) - found.gap).abs() <= 1e-14);
        let met = solid::meet(&a, &b, pose, &mut scratch) != solid::Meeting::Apart;
        prop_assert_eq!(found.gap == 0.0, met);
    }
}
