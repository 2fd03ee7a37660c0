//! Faces, edges and corners recovered from triangles.

use crate::bodies::{
    cube, cubes_sharing_an_edge, height_field, plate, shaken, shuffled, subdivided_soup, together,
};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{Mesh, weld};
use kansho_geom::polyhedron::{Bend, MergeOptions};
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Polyhedron, Pose};
use proptest::prelude::*;

fn merged(mesh: &Mesh) -> Polyhedron {
    Polyhedron::from_mesh(mesh, &MergeOptions::default())
}

fn count(body: &Polyhedron, bend: Bend) -> usize {
    body.edges().iter().filter(|edge| edge.bend == bend).count()
}

/// What every face promises: a unit normal, an outline, and corners within the tolerance of its plane.
fn assert_faces_are_faces(body: &Polyhedron, mesh: &Mesh, tolerance: f64) {
    let mut merged: Vec<u32> = Vec::new();
    for face in body.faces() {
        assert!((face.normal.length() - 1.0).abs() < 1e-12, "{face:?}");
        assert!(face.loops[0].len() >= 3 && face.loops.iter().all(|ring| ring.len() >= 2), "{face:?}");
        let corners = face.triangles.iter().flat_map(|&t| mesh.triangles()[t as usize]);
        for corner in corners.map(|v| mesh.vertices()[v as usize]) {
            let height = face.normal.dot(corner) - face.offset;
            assert!(height.abs() <= tolerance * (1.0 + 1e-9), "{height} {face:?}");
        }
        merged.extend(&face.triangles);
    }
    merged.sort_unstable();
    assert!(merged.into_iter().eq(0..mesh.triangles().len() as u32), "every triangle once");
    assert_loops_and_edges_agree(body);
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
        let mesh = weld(&points, &triangles, 0.0).expect("a mesh").mesh;
        // By chance three corners may lie almost on a line.
        let body = Polyhedron::from_mesh(&mesh, &MergeOptions { tolerance: Some(1e-12) });
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
    fn whatever_the_tolerance_faces_are_faces(noise in 0.0..0.1f64, tolerance in -9.0..1.0f64, seed in any::<u64>()) {
        let (points, triangles) = subdivided_soup(&plate(&[1.0, 1.5, 1.2, 2.0], &[0.5, 0.3, 0.6], 0.1).mesh, 1);
        let mesh = weld(&points, &triangles, 0.0).expect("a mesh").mesh;
        let mesh = weld(&shaken(mesh.vertices(), noise, seed), mesh.triangles(), 0.0).expect("a mesh").mesh;
        let tolerance = 10f64.powf(tolerance);
        let body = Polyhedron::from_mesh(&mesh, &MergeOptions { tolerance: Some(tolerance) });
        assert_faces_are_faces(&body, &mesh, tolerance);
    }

    #[test]
    fn the_order_of_triangles_does_not_matter(seed in any::<u64>()) {
        let stacked = together(&[(cube(), DVec3::ZERO), (cube(), DVec3::Z)]);
        let body = merged(&shuffled(&stacked, seed));
        prop_assert_eq!(body.unclear_edges().len(), 0);
        prop_assert_eq!((body.faces().len(), body.edges().len(), body.vertices().len()), (12, 24, 12));
        prop_assert_eq!(count(&body, Bend::Convex), 24);
        let field = height_field(12, 1e-6, 5);
        let options = MergeOptions { tolerance: Some(1e-6) };
        let sizes = |mesh: &Mesh| {
            let body = Polyhedron::from_mesh(mesh, &options);
            (body.faces().len(), body.edges().len(), body.vertices().len())
        };
        prop_assert_eq!(sizes(&field), sizes(&shuffled(&field, seed)));
    }

    #[test]
    fn noise_below_the_tolerance_changes_nothing(seed in any::<u64>()) {
        let plate = plate(&[1.0, 1.5, 1.2, 2.0, 1.1, 1.3], &[0.5, 0.3, 0.6, 0.3, 0.7], 0.4);
        let (points, triangles) = subdivided_soup(&plate.mesh, 2);
        let mesh = weld(&points, &triangles, 0.0).expect("a mesh").mesh;
        let shaken = shaken(mesh.vertices(), 1e-5, seed);
        let noisy = weld(&shaken, mesh.triangles(), 0.0).expect("a mesh").mesh;
        let options = MergeOptions { tolerance: Some(5e-5) };
        let (clean, noisy) = (merged(&mesh), Polyhedron::from_mesh(&noisy, &options));
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
fn three_triangles_at_an_edge_end_there_and_it_is_named() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Y];
    let mesh = weld(&points, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]], 0.0).expect("a mesh").mesh;
    let body = merged(&mesh);
    assert_eq!(body.unclear_edges(), [[DVec3::ZERO, DVec3::X]]);
    assert_eq!((body.faces().len(), count(&body, Bend::Border)), (3, 9));
    assert_loops_and_edges_agree(&body);
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

#[test]
fn a_sliver_that_rounding_hides_is_a_face() {
    let points = [DVec3::new(1e-29, 0.0, 0.0), DVec3::ONE, DVec3::splat(2.0)];
    let mesh = weld(&points, &[[0, 1, 2]], 0.0).expect("a mesh").mesh;
    assert_faces_are_faces(&merged(&mesh), &mesh, 1e-12);
}

#[test]
fn small_pieces_keep_their_faces() {
    let check = |small: f64, apart: f64| {
        let crumb = cube().scaled(DVec3::splat(small)).expect("a cube").mesh;
        let mesh = together(&[(cube(), DVec3::ZERO), (crumb, DVec3::X * apart)]);
        let body = merged(&mesh);
        assert_eq!((body.faces().len(), body.edges().len()), (12, 24), "{small} {apart}");
        assert_faces_are_faces(&body, &mesh, 1e-6 * small);
        // Asked to overlook it, we keep its triangles.
        let body = Polyhedron::from_mesh(&mesh, &MergeOptions { tolerance: Some(10.0 * small) });
        assert_eq!(body.faces().len(), 6 + 12, "{small} {apart}");
        assert_faces_are_faces(&body, &mesh, 10.0 * small);
    };
    check(1e-7, 3.0);
    check(1e-3, 1000.0);
}

#[test]
fn a_ring_begins_at_a_corner_and_keeps_three() {
    // The first vertex lies in the middle of a side.
    let sheet = |size: f64| {
        let points = [[1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]];
        let points = points.map(|[x, y]| DVec3::new(x, y, 0.0) * size);
        weld(&points, &[[0, 1, 2], [0, 2, 3], [0, 3, 4]], 0.0).expect("a mesh").mesh
    };
    assert_eq!(merged(&sheet(1.0)).vertices().len(), 4);
    let body = Polyhedron::from_mesh(&sheet(1e-3), &MergeOptions { tolerance: Some(0.1) });
    assert_eq!((body.faces().len(), body.vertices().len()), (1, 3));
}

#[test]
fn a_triangle_without_area_lies_in_the_plane_of_its_face() {
    // The middle of a cube's edge is split on one side only; the flat triangle 0-4-2 fills the crack.
    let points = [DVec3::ZERO, DVec3::Y, DVec3::X, DVec3::Z, DVec3::new(0.5, 0.0, 0.0)];
    let triangles = [[0, 1, 2], [0, 2, 4], [0, 4, 3], [4, 2, 3], [0, 3, 1], [1, 3, 2]];
    let mesh = weld(&points, &triangles, 0.0).expect("a mesh").mesh;
    let body = merged(&mesh);
    assert_eq!((body.faces().len(), body.edges().len(), body.vertices().len()), (4, 6, 4));
    assert_faces_are_faces(&body, &mesh, 2e-6);
}

#[test]
fn a_sheet_with_two_sides_has_two_faces() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
    let front = [[0, 1, 2], [0, 2, 3]];
    let triangles: Vec<[u32; 3]> = front.into_iter().chain(front.map(|[a, b, c]| [a, c, b])).collect();
    let mesh = weld(&points, &triangles, 0.0).expect("a mesh").mesh;
    let body = merged(&mesh);
    assert_eq!((body.faces().len(), body.edges().len(), count(&body, Bend::Convex)), (2, 4, 4));
    assert_faces_are_faces(&body, &mesh, 1e-6);
}

#[test]
fn a_rough_field_breaks_up_into_faces_that_hold() {
    for noise in [0.5e-6, 1e-6, 2e-6, 4e-6] {
        let field = height_field(60, noise, 3);
        let tolerance = 1e-6;
        let body = Polyhedron::from_mesh(&field, &MergeOptions { tolerance: Some(tolerance) });
        assert_faces_are_faces(&body, &field, tolerance);
        let expected = if noise < 1e-6 { 1..=1 } else { 1..=4000 };
        assert!(expected.contains(&body.faces().len()), "{noise}: {}", body.faces().len());
    }
}
