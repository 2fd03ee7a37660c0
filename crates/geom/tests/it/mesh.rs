//! Welding, auditing and orienting meshes.

use crate::bodies::{cube, cubes_sharing_an_edge, plate, shaken, subdivided_soup, together, turned};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{Mesh, MeshFault, audit, close_cracks, orient, weld};
use proptest::prelude::*;

proptest! {
    #[test]
    fn welding_keeps_area_and_volume(
        outer in prop::collection::vec(1.0..2.0f64, 5..12),
        inner in prop::collection::vec(0.2..0.8f64, 5..9),
        thickness in 0.01..3.0f64,
        offset in -1e3..1e3f64,
    ) {
        let plate = plate(&outer, &inner, thickness);
        let (mut points, triangles) = subdivided_soup(&plate.mesh, 1);
        points.iter_mut().for_each(|p| *p += DVec3::splat(offset));
        let welded = weld(&points, &triangles, 0.0).expect("a plate is a mesh");
        prop_assert_eq!(welded.removed.count(), 0);
        let found = audit(&welded.mesh);
        prop_assert!(found.is_solid());
        prop_assert_eq!(found.pieces, 1);
        prop_assert_eq!(found.edges * 2, welded.mesh.triangles().len() * 3);
        prop_assert!((found.area - plate.area).abs() < 1e-9 * plate.area);
        prop_assert!((found.volume.expect("solid") - plate.volume).abs() < 1e-9 * plate.volume);
    }

    /// Whatever the pieces are, however they cross, meet or lie in each other, and however their triangles face: what faces outward once does
    /// not turn again.
    #[test]
    fn what_was_turned_stays(
        tetrahedra in prop::collection::vec(prop::array::uniform4(prop::array::uniform3(-4..5i32)), 1..9),
        nested in prop::collection::vec((1..9i32, 0..2usize), 0..6),
        facing in any::<u64>(),
        soup in prop::collection::vec(prop::array::uniform3(0..6usize), 0..12),
    ) {
        let (mut points, mut triangles): (Vec<DVec3>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
        for corners in &tetrahedra {
            let first = points.len() as u32;
            points.extend(corners.iter().map(|c| DVec3::from_array(c.map(f64::from))));
            triangles.extend([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map(|t| t.map(|k: u32| first + k)));
        }
        // Cubes around the origin and beside it, one in the other.
        for (size, aside) in nested {
            let cube = cube();
            let first = points.len() as u32;
            points.extend(cube.vertices().iter().map(|p| {
                (*p - 0.5) * f64::from(size) + DVec3::X * (0.25 * aside as f64)
            }));
            triangles.extend(cube.triangles().iter().map(|t| t.map(|k| first + k)));
        }
        triangles.extend(soup.iter().map(|t| t.map(|k| (k % points.len()) as u32)));
        for (k, triangle) in triangles.iter_mut().enumerate() {
            // Whole pieces, and some triangles of their own.
            if (facing >> (k / 4 % 64)) & 1 == 1 || (facing.rotate_left(17) >> (k % 61)) & 7 == 7 {
                triangle.swap(1, 2);
            }
        }
        let Ok(welded) = weld(&points, &triangles, 0.0) else { return Ok(()) };
        let once = orient(welded.mesh);
        let again = orient(once.mesh.clone());
        prop_assert_eq!(again.inside_out, 0);
        prop_assert!(again.disagreeing.is_empty());
        prop_assert_eq!(again.mesh, once.mesh);
    }

    #[test]
    fn welding_within_a_distance_closes_noisy_seams(seed in any::<u64>(), noise in 1e-9..1e-5f64) {
        let (points, triangles) = subdivided_soup(&cube(), 2);
        let points = shaken(&points, noise, seed);
        prop_assert!(!audit(&weld(&points, &triangles, 0.0).expect("a mesh").mesh).is_watertight());
        let welded = weld(&points, &triangles, 2.0 * noise).expect("a mesh");
        let found = audit(&welded.mesh);
        prop_assert!(found.is_solid());
        prop_assert_eq!(welded.mesh.vertices().len(), 98); // A cube cut twice: 6·16·2 triangles, by Euler.
        prop_assert!((found.volume.expect("solid") - 1.0).abs() < 10.0 * noise);
        prop_assert!((found.area - 6.0).abs() < 100.0 * noise);
    }

    #[test]
    fn any_subset_turned_round_is_turned_back(turned in prop::collection::vec(any::<bool>(), 12)) {
        let cube = cube();
        let mut triangles = cube.triangles().to_vec();
        triangles.iter_mut().zip(&turned).filter(|(_, turn)| **turn).for_each(|(t, _)| t.swap(1, 2));
        let mesh = weld(cube.vertices(), &triangles, 0.0).expect("a mesh").mesh;
        let oriented = orient(mesh);
        prop_assert!((audit(&oriented.mesh).volume.expect("solid") - 1.0).abs() < 1e-12);
        let count = turned.iter().filter(|turn| **turn).count();
        prop_assert_eq!(oriented.disagreeing.len(), count.min(12 - count));
        prop_assert!(!oriented.one_sided);
    }
}

#[test]
fn what_is_no_surface_is_left_out_and_named() {
    let cube = cube();
    let mut points = cube.vertices().to_vec();
    let mut triangles = cube.triangles().to_vec();
    let first_new = points.len() as u32;
    points.extend([DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::splat(9.0)]);
    triangles.push([0, 0, 1]); // Collapsed.
    triangles.push([first_new, first_new + 1, first_new + 2]); // On a line, alone.
    let again = triangles[3];
    triangles.push([again[1], again[2], again[0]]); // Triangle 3 once more.
    let welded = weld(&points, &triangles, 0.0).expect("a mesh");
    assert_eq!(welded.removed.collapsed, [12]);
    assert_eq!(welded.removed.bare, [13]);
    assert_eq!(welded.removed.repeated, [[14, 3]]);
    assert_eq!(welded.source, (0..12).collect::<Vec<_>>());
    assert_eq!(welded.mesh.vertices().len(), 8, "unused vertices go too");
    assert!(audit(&welded.mesh).is_solid());
}

#[test]
fn a_triangle_without_area_that_joins_its_neighbours_stays() {
    // A unit square whose diagonal is split on one side only by a flat triangle 0-4-2.
    let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y, DVec3::new(0.5, 0.5, 0.0)];
    let triangles = [[0, 1, 2], [0, 2, 4], [0, 4, 3], [4, 2, 3]];
    let welded = weld(&points, &triangles, 0.0).expect("a mesh");
    assert_eq!(welded.removed.count(), 0);
    let found = audit(&welded.mesh);
    assert_eq!((found.flat_triangles.count, found.flat_triangles.first), (1, Some(1)));
    assert_eq!(found.open_edges.count, 4);
    assert_eq!(found.t_junctions.map(|t| t.count), Some(0));
}

#[test]
fn cracks_are_closed_and_gaps_are_not() {
    let (points, triangles) = subdivided_soup(&cube(), 1);
    let mesh = |noise: f64| weld(&shaken(&points, noise, 7), &triangles, 0.0).expect("a mesh").mesh;
    let cracked = mesh(1e-15);
    assert!(!audit(&cracked).is_watertight());
    let closed = close_cracks(&cracked, 1e-12).expect("there are cracks");
    assert!(audit(&closed.welded.mesh).is_solid());
    assert_eq!(closed.joined + closed.welded.mesh.vertices().len(), cracked.vertices().len());
    assert_eq!(close_cracks(&mesh(1e-9), 1e-12), None, "a gap is a gap");
    assert_eq!(close_cracks(&cube(), 1e-12), None, "nothing is open");
}

#[test]
fn t_junctions_are_found() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y, DVec3::new(0.5, 0.5, 0.0)];
    let mesh = weld(&points, &[[0, 1, 2], [0, 4, 3], [4, 2, 3]], 0.0).expect("a mesh").mesh;
    let found = audit(&mesh).t_junctions.expect("few edges");
    assert_eq!((found.count, found.first), (1, Some(points[4])));
}

#[test]
fn a_shared_edge_of_two_cubes_is_crowded_but_solid() {
    let found = audit(&cubes_sharing_an_edge());
    assert_eq!(found.crowded_edges.count, 1);
    assert!(found.is_solid());
}

#[test]
fn a_moebius_strip_has_one_side() {
    let n = 24u32;
    let point = |k: u32, side: f64| {
        let (turn, half) = (
            std::f64::consts::TAU * f64::from(k) / f64::from(n),
            std::f64::consts::PI * f64::from(k) / f64::from(n),
        );
        let out = 1.0 + 0.3 * side * half.cos();
        DVec3::new(out * turn.cos(), out * turn.sin(), 0.3 * side * half.sin())
    };
    let points: Vec<DVec3> = (0..n).flat_map(|k| [point(k, -1.0), point(k, 1.0)]).collect();
    let mut triangles = Vec::new();
    for k in 0..n {
        let [a, b] = [2 * k, 2 * k + 1];
        let [c, d] = if k + 1 < n { [a + 2, b + 2] } else { [1, 0] };
        triangles.extend([[a, c, b], [b, c, d]]);
    }
    let oriented = orient(weld(&points, &triangles, 0.0).expect("a mesh").mesh);
    assert!(oriented.one_sided);
    assert!(oriented.disagreeing.is_empty());
}

#[test]
fn pieces_inside_out_are_turned_and_cavities_stay() {
    let sized = |size: f64| cube().scaled(DVec3::splat(size)).expect("a cube").mesh;
    let inward = |size: f64| turned(&sized(size));
    let check = |parts: &[(Mesh, DVec3)], inside_out: usize, volume: f64| {
        let whole = together(parts);
        for mesh in [whole.clone(), together(&parts.iter().rev().cloned().collect::<Vec<_>>())] {
            let oriented = orient(mesh);
            assert_eq!((oriented.inside_out, oriented.disagreeing.len()), (inside_out, 0), "{parts:?}");
            let found = audit(&oriented.mesh).volume.expect("closed");
            assert!((found - volume).abs() < 1e-12, "{found} instead of {volume}: {parts:?}");
        }
    };
    let here = DVec3::ZERO;
    let aside = DVec3::X * 5.0;
    check(&[(sized(2.0), here), (inward(1.0), aside)], 1, 9.0);
    check(&[(sized(2.0), here), (inward(1.0), here)], 0, 7.0);
    // A body inside out with its cavity, beside a larger one.
    check(&[(sized(4.0), here), (inward(2.0), aside), (sized(1.0), aside)], 2, 64.0 + 7.0);
    // A grain in a cavity; as it should be, and inside out.
    check(&[(sized(4.0), here), (inward(2.0), here), (sized(1.0), here)], 0, 64.0 - 8.0 + 1.0);
    check(&[(sized(4.0), here), (inward(2.0), here), (inward(1.0), here)], 1, 64.0 - 8.0 + 1.0);
    // A part with a cavity, inside the envelope of another part.
    check(&[(sized(4.0), here), (sized(2.0), here), (inward(1.0), here)], 0, 64.0 + 8.0 - 1.0);
    // Two that share an edge only.
    check(&[(cube(), here), (turned(&cube()), DVec3::new(1.0, 1.0, 0.0))], 1, 2.0);
    // Two that share a face, both wrong.
    check(&[(turned(&cube()), here), (turned(&cube()), DVec3::X)], 1, 2.0);
}

#[test]
fn a_sheet_with_two_sides_is_no_solid() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let sheet = weld(&points, &[[0, 1, 2], [0, 2, 1]], 0.0).expect("a mesh").mesh;
    let found = audit(&sheet);
    assert!(found.is_watertight() && !found.is_solid());
    assert_eq!((found.two_sided.count, found.two_sided.first, found.volume), (2, Some(0), Some(0.0)));
    assert_eq!(orient(sheet.clone()).inside_out, 0);
    // Beside a cube, or between two, it takes nothing from the volume.
    assert!(audit(&together(&[(cube(), DVec3::ZERO), (sheet, DVec3::X * 2.0)])).is_solid());
    let stacked = audit(&together(&[(cube(), DVec3::ZERO), (cube(), DVec3::Z)]));
    assert_eq!((stacked.is_solid(), stacked.two_sided.count), (true, 4));
    assert!(!audit(&turned(&cube())).is_solid());
}

#[test]
fn faults() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let check = |points: &[DVec3], triangles: &[[u32; 3]]| weld(points, triangles, 0.0).expect_err("no mesh");
    assert_eq!(check(&corners, &[]), MeshFault::Empty);
    assert_eq!(check(&corners, &[[0, 1, 3]]), MeshFault::NoSuchVertex { triangle: 0, index: 3, vertices: 3 });
    assert_eq!(check(&corners, &[[0, 1, 1]]), MeshFault::NoArea { triangles: 1, extent: DVec3::X });
    let far = [DVec3::ZERO, DVec3::X, DVec3::Y * 1.1e6];
    assert!(matches!(check(&far, &[[0, 1, 2]]), MeshFault::TooFar { vertex: 2, .. }));
    let nan = [DVec3::ZERO, DVec3::X, DVec3::Y * f64::NAN];
    assert!(matches!(check(&nan, &[[0, 1, 2]]), MeshFault::NotFinite { vertex: 2, .. }));
    let tiny: Vec<DVec3> = corners.iter().map(|p| *p * 1e-40).collect();
    assert!(matches!(check(&tiny, &[[0, 1, 2]]), MeshFault::NoArea { .. }));
    assert!(matches!(cube().scaled(DVec3::new(1.0, 0.0, 0.0)), Err(MeshFault::NoArea { .. })));
}

#[test]
fn a_mirrored_solid_still_faces_outward() {
    let mirrored = cube().scaled(DVec3::new(-2.0, 1.0, 1.0)).expect("a mesh").mesh;
    assert!((mirrored.volume() - 2.0).abs() < 1e-12);
}
