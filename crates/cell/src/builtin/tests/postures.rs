//! Is the arm free where it should be, and can the work be done?

use super::kinematics::postures_at;
use super::touch::{Oracle, inside, triangles_touch};
use crate::builtin::*;
use kansho_geom::glam::{DMat3, DQuat, DVec2, DVec3};
use std::f64::consts::TAU;

/// The pose of the tool at a point of the path. Rotation 0: x of the tool as nearly along x of the arm as can be.
pub(super) fn world_from_tcp(point: &PathPoint, rotation: f64) -> Pose {
    let world_from_sheet = world_from_sheet();
    let z = world_from_sheet.rotate(point.direction_in_sheet);
    let x = (DVec3::X - z * z.x).try_normalize().expect("the sheet is not upright");
    let axes = DMat3::from_cols(x, z.cross(x), z) * DMat3::from_rotation_z(rotation);
    Pose::from_quat(DQuat::from_mat3(&axes), world_from_sheet * point.tcp_in_sheet)
        .expect("the axes are orthonormal")
}

#[test]
fn home_is_free() {
    assert_eq!(Oracle::new(&cell()).touching(&home()), None);
}

/// Postures in degrees, and the first checked pair that touches, if any.
const WORK_DEG: [([f64; 6], Option<[&str; 2]>); 26] = [
    // 30 mm over the bead, once around the sheet.
    ([36.0, -3.0, 26.0, 55.0, -50.0, -45.0], None),
    ([38.0, -19.0, 44.0, 80.0, -29.0, -43.0], None),
    ([38.0, -27.0, 50.0, -72.0, 57.0, 113.0], None),
    ([7.0, -44.0, 62.0, 115.0, -6.0, -110.0], None),
    ([-2.0, -40.0, 62.0, 83.0, -30.0, -84.0], None),
    ([-40.0, -25.0, 48.0, -101.0, -44.0, 61.0], None),
    ([-32.0, -12.0, 40.0, -30.0, -22.0, 0.0], None),
    ([-21.0, 8.0, 24.0, 36.0, -45.0, -49.0], None),
    ([-15.0, 21.0, 10.0, 44.0, -47.0, -52.0], None),
    ([-16.0, 19.0, 11.0, -64.0, -31.0, 36.0], None),
    ([1.0, 17.0, 18.0, 33.0, -30.0, -29.0], None),
    ([8.0, 17.0, 17.0, 15.0, -25.0, -3.0], None),
    ([9.0, 22.0, 11.0, -51.0, -49.0, 52.0], None),
    ([14.0, 24.0, 5.0, -62.0, -72.0, 57.0], None),
    // On the way there: upright, stretched up, folded back, to both sides, behind.
    ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0], None),
    ([0.0, 0.0, -90.0, 0.0, 0.0, 0.0], None),
    ([0.0, -60.0, 60.0, 0.0, 90.0, 0.0], None),
    ([90.0, 60.0, -20.0, 0.0, 50.0, 0.0], None),
    ([-90.0, 80.0, -80.0, 0.0, 90.0, 90.0], None),
    ([150.0, -40.0, 70.0, 0.0, 90.0, 0.0], None),
    // Too far.
    ([0.0, 20.0, 10.0, 0.0, 60.0, 180.0], Some(["arm/tool", "sheet"])),
    ([0.0, 30.0, 20.0, 0.0, 40.0, 0.0], Some(["arm/link_4", "sheet"])),
    ([120.0, 90.0, 20.0, 0.0, 0.0, 0.0], Some(["arm/link_4", "floor"])),
    ([0.0, -80.0, 75.0, 0.0, 100.0, 0.0], Some(["arm/link_1", "arm/tool"])),
    ([0.0, 0.0, -20.0, 0.0, 124.0, 180.0], Some(["arm/link_4", "arm/tool"])),
    ([-120.0, 20.0, 78.0, 0.0, 90.0, 0.0], Some(["arm/link_1", "arm/tool"])),
];

#[test]
fn work_postures_are_free() {
    let cell = cell();
    let oracle = Oracle::new(&cell);
    for (posture_deg, expected) in WORK_DEG {
        let posture = posture_deg.map(f64::to_radians);
        assert_eq!(cell.outside_limits(&posture).count(), 0, "{posture_deg:?}");
        let found = oracle.touching(&posture);
        assert_eq!(found, expected.map(|pair| pair.map(str::to_owned)), "{posture_deg:?}");
    }
}

/// For each of 24 rotations of the tool about its axis, whether the point can be worked at without touching.
fn free_rotations(cell: &Cell, oracle: &Oracle<'_>, point: &PathPoint) -> [bool; 24] {
    std::array::from_fn(|k| {
        let rotation = TAU * k as f64 / 24.0;
        let postures = postures_at(cell, world_from_tcp(point, rotation));
        postures.iter().any(|posture| oracle.touching(posture).is_none())
    })
}

#[test]
fn the_work_can_be_done_but_not_with_one_rotation() {
    let cell = cell();
    let oracle = Oracle::new(&cell);
    let mut always = [true; 24];
    for point in &path(20) {
        let free = free_rotations(&cell, &oracle, point);
        assert!(free.contains(&true), "no rotation is free at {point:?}");
        always = std::array::from_fn(|k| always[k] && free[k]);
    }
    assert_eq!(always, [false; 24]);
}

#[test]
fn the_nozzle_ends_at_the_working_point() {
    for tool in [Nozzle::default(), Nozzle { length: 0.06, bend: 60_f64.to_radians() }] {
        let tcp_from_tool0 = tool.tool0_from_tcp().inverse();
        let vertices = nozzle(&tool).into_iter().flat_map(|mesh| mesh.vertices().to_vec());
        let lowest = vertices.map(|p| (tcp_from_tool0 * p).z).fold(f64::NEG_INFINITY, f64::max);
        // f32 rounds coordinates below a metre by at most 3e-8.
        assert!(lowest.abs() < 1e-7, "the tool reaches {lowest} beyond its working point");
    }
}

#[test]
fn the_fork_lets_the_wrist_turn_through_its_whole_range() {
    let cell = cell();
    let oracle = Oracle::new(&cell);
    for step in 0..=50 {
        let q5 = -125.0 + 5.0 * f64::from(step);
        for q6_deg in [0.0, 37.0] {
            let posture = [0.0, 0.0, 0.0, 20.0, q5, q6_deg].map(f64::to_radians);
            for pair in
                [["arm/link_4", "arm/link_6"], ["arm/link_3", "arm/link_5"], ["arm/link_4", "arm/link_5"]]
            {
                assert!(!oracle.bodies_touch(&posture, pair), "{pair:?} with joint 5 at {q5} degrees");
            }
        }
    }
}

#[test]
fn the_oracle_knows_touching_from_near() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let moved = |by: DVec3| triangle.map(|p| p + by);
    let pierced = [DVec3::new(0.2, 0.2, -1.0), DVec3::new(0.2, 0.2, 1.0), DVec3::new(2.0, 2.0, 1.0)];
    for (other, expected) in [
        (triangle, true),
        (pierced, true),
        (moved(DVec3::X), true),                    // One corner in common,
        (moved(DVec3::X.map(f64::next_up)), false), // or just not.
        (moved(DVec3::new(0.25, 0.25, 0.0)), true), // Within one plane.
        (moved(DVec3::Z * f64::EPSILON), false),
        (moved(DVec3::new(0.1, 0.1, 0.0)).map(|p| p * 0.1), true), // One inside the other.
    ] {
        assert_eq!(triangles_touch(&triangle, &other), expected, "{other:?}");
        assert_eq!(triangles_touch(&other, &triangle), expected, "{other:?}");
    }
    let closed: Vec<_> = sheet(GRID).corners().collect();
    let upper = face(DVec2::splat(0.1));
    for (depth, expected) in [(0.001, true), (0.004, true), (0.007, false), (-0.001, false)] {
        assert_eq!(
            inside(upper - DVec3::Z * depth, closed.iter().copied()),
            expected,
            "{depth} below the face"
        );
    }
}
