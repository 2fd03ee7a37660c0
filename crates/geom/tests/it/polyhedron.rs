//! Faces, edges and corners recovered from triangles.

use crate::bodies::{cubes_sharing_an_edge, plate, shaken, subdivided_soup};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{Mesh, weld};
use kansho_geom::polyhedron::{Bend, MergeOptions};
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Polyhedron, Pose};
use proptest::prelude::*;

fn merged(mesh: &Mesh) -> Polyhedron {
    Polyhedron::from_mesh(mesh, &MergeOptions::default()).expect("the mesh is manifold")
}

fn count(body: &Polyhedron, bend: Bend) -> usize {
    body.edges().iter().filter(|edge| edge.bend == bend).count()
}

/// Every edge stands once forward in the loops of its left face and once backward in those of its right.
fn assert_loops_and_edges_agree(body: &Polyhedron) {
    let mut sides = std::collections::HashMap::new();
    for (number, face) in body.faces().iter().enumerate() {
        for ring in &face.loops {
            for k in 0..ring.len() {
                *sides.entry((number, ring[k], ring[(k + 1) % ring.len()])).or_insert(0) += 1;
            }
        }
    }
    for edge in body.edges() {
        let mut take = |face: u32, from, to| {
            let left = sides.get_mut(&(face as usize, from, to)).expect("the loop has this side");
            *left -= 1;
        };
        take(edge.left.0, edge.ends[0], edge.ends[1]);
        if let Some(right) = edge.right {
            take(right.0, edge.ends[1], edge.ends[0]);
        }
    }
    assert!(sides.values().all(|&left| left == 0), "sides without an edge: {sides:?}");
}

proptest! {
    #[test]
    fn merging_keeps_area_volume_and_every_corner(
        outer in prop::collection::vec(1.0..2.0f64, 5..12),
        inner in prop::collection::vec(0.2..0.8f64, 5..9),
        thickness in 0.01..3.0f64,
        times in 0usize..3,
    ) {
        let plate = plate(&outer, &inner, thickness);
        let (points, triangles) = subdivided_soup(&plate.mesh, times);
        let body = merged(&weld(&points, &triangles, 0.0).expect("a mesh").mesh);
        prop_assert!((body.area() - plate.area).abs() < 1e-9 * plate.area);
        prop_assert!((body.volume() - plate.volume).abs() < 1e-9 * plate.volume);
        prop_assert_eq!(body.faces().len(), plate.corners + 2);
        prop_assert_eq!(body.vertices().len(), 2 * plate.corners);
        prop_assert_eq!(body.edges().len(), 3 * plate.corners);
        prop_assert_eq!(body.faces().iter().filter(|face| face.loops.len() == 2).count(), 2);
        assert_loops_and_edges_agree(&body);
        // Top and bottom rims of the outline are convex, and so are the rims of the hole.
        prop_assert!(count(&body, Bend::Convex) >= 2 * plate.corners);
        prop_assert_eq!(count(&body, Bend::Border) + count(&body, Bend::Flat), 0);
    }

    #[test]
    fn turning_and_scaling_change_no_face_edge_or_bend(
        outer in prop::collection::vec(1.0..2.0f64, 5..9),
        rpy in prop::array::uniform3(-3.0..3.0f64),
        shift in prop::array::uniform3(-5.0..5.0f64),
        scale in prop::sample::select(vec![1e-3, 0.0254, 1.0, 37.0, 1000.0]),
    ) {
        let plate = plate(&outer, &[0.5, 0.3, 0.6, 0.3, 0.7], 0.4);
        let (points, triangles) = subdivided_soup(&plate.mesh, 1);
        let mesh = weld(&points, &triangles, 0.0).expect("a mesh").mesh;
        let pose = Pose::from_rpy(DVec3::from_array(shift), DVec3::from_array(rpy));
        let moved = mesh.placed(pose).and_then(|m| m.mesh.scaled(DVec3::splat(scale))).expect("a mesh").mesh;
        let (here, there) = (merged(&mesh), merged(&moved));
        prop_assert_eq!(here.edges(), there.edges());
        prop_assert_eq!(here.faces().len(), there.faces().len());
        for (a, b) in here.faces().iter().zip(there.faces()) {
            prop_assert_eq!(&a.loops, &b.loops);
            prop_assert_eq!(&a.triangles, &b.triangles);
            prop_assert!(pose.rotate(a.normal).abs_diff_eq(b.normal, 1e-9));
        }
    }

    #[test]
    fn noise_below_the_tolerance_changes_nothing(seed in any::<u64>()) {
        let plate = plate(&[1.0, 1.5, 1.2, 2.0, 1.1, 1.3], &[0.5, 0.3, 0.6, 0.3, 0.7], 0.4);
        let (points, triangles) = subdivided_soup(&plate.mesh, 2);
        let mesh = weld(&points, &triangles, 0.0).expect("a mesh").mesh;
        let shaken = shaken(mesh.vertices(), 1e-5, seed);
        let noisy = weld(&shaken, mesh.triangles(), 0.0).expect("a mesh").mesh;
        let options = MergeOptions { tolerance: Some(5e-5) };
        let (clean, noisy) = (merged(&mesh), Polyhedron::from_mesh(&noisy, &options).expect("manifold"));
        prop_assert_eq!(clean.edges(), noisy.edges());
    }
}

#[test]
fn a_tray_has_concave_edges() {
    // A box of 2 x 2 x 1 with a pocket of 1 x 1 x 0.5 in its top.
    let square = |half: f64, z: f64| {
        [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[x, y]| DVec3::new(x, y, z))
    };
    let points = [square(1.0, 0.0), square(1.0, 1.0), square(0.5, 1.0), square(0.5, 0.5)].concat();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut quad = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
    quad(0, 3, 2, 1);
    quad(12, 13, 14, 15);
    for k in 0..4 {
        let n = (k + 1) % 4;
        quad(k, n, n + 4, k + 4); // Outer wall.
        quad(k + 4, n + 4, n + 8, k + 8); // Rim.
        quad(k + 8, n + 8, n + 12, k + 12); // Pocket wall.
    }
    let body = merged(&weld(&points, &triangles, 0.0).expect("a mesh").mesh);
    assert_eq!((body.faces().len(), body.vertices().len(), body.edges().len()), (11, 16, 24));
    // Four uprights and four floor edges of the pocket.
    assert_eq!((count(&body, Bend::Concave), count(&body, Bend::Convex)), (8, 16));
    assert!((body.volume() - 3.5).abs() < 1e-12);
    assert_loops_and_edges_agree(&body);
    let rim = body.faces().iter().find(|face| face.loops.len() == 2).expect("the rim has a hole");
    assert_eq!(body.face_area(rim), 3.0);
    assert_eq!(rim.loops.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4]);
}

#[test]
fn an_open_sheet_has_borders() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y, DVec3::new(0.5, 0.0, 0.0)];
    let mesh = weld(&points, &[[0, 4, 3], [4, 1, 2], [4, 2, 3]], 0.0).expect("a mesh").mesh;
    let body = merged(&mesh);
    assert_eq!((body.faces().len(), body.edges().len(), body.vertices().len()), (1, 4, 4));
    assert_eq!(count(&body, Bend::Border), 4);
    assert_loops_and_edges_agree(&body);
}

#[test]
fn two_cubes_that_share_an_edge_stay_two_bodies() {
    let body = merged(&cubes_sharing_an_edge());
    assert_eq!((body.faces().len(), body.edges().len(), count(&body, Bend::Convex)), (12, 24, 24));
    assert_loops_and_edges_agree(&body);
}

#[test]
fn three_triangles_at_an_edge_are_refused_with_the_edge() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Y];
    let mesh = weld(&points, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]], 0.0).expect("a mesh").mesh;
    let fault = Polyhedron::from_mesh(&mesh, &MergeOptions::default()).expect_err("not manifold");
    assert_eq!((fault.ends, fault.triangles), ([DVec3::ZERO, DVec3::X], 3));
}

#[test]
fn round_things_keep_their_facets() {
    let check = |shape: Shape, faces: usize, edges: usize| {
        let mesh = Primitive::new(shape).expect("a shape").tessellated(0.01).expect("bounded");
        let body = merged(&mesh);
        assert_eq!((body.faces().len(), body.edges().len()), (faces, edges), "{shape:?}");
        assert_eq!(count(&body, Bend::Convex), edges, "{shape:?}");
        assert!((body.volume() - mesh.volume()).abs() < 1e-12);
    };
    check(Shape::Cylinder { radius: 0.5, height: 1.0 }, 24 + 2, 24 * 3);
    check(Shape::Cone { radius: 0.5, height: 1.0 }, 24 + 1, 24 * 2);
}
