use crate::drafts::{cell_of, chain, joint, mimic, placed_robot, robot};
use kansho_cell::{Cell, JointKind, LinkId, Quantity};
use kansho_geom::Pose;
use kansho_geom::glam::{DVec2, DVec3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

fn cell(robot: kansho_cell::Robot) -> Cell {
    Cell::new(cell_of(placed_robot("r", robot))).expect("a good cell")
}

fn last_origin(cell: &Cell, posture: &[f64]) -> DVec3 {
    let last = cell.link_names().len() as u32 - 1;
    cell.place(posture).world_from_link(LinkId(last)).translation()
}

proptest! {
    /// A chain in the plane: links one metre long, angles add up.
    #[test]
    fn a_planar_chain_adds_its_angles(q in prop::array::uniform3(-3.0..3.0f64)) {
        let cell = cell(chain());
        let along = |angle: f64| DVec2::from_angle(angle);
        let expected = DVec2::X + along(q[0]) + along(q[0] + q[1]);
        prop_assert!(last_origin(&cell, &q).truncate().abs_diff_eq(expected, 1e-14));
    }

    /// c = 2 b + 0.1 and d = -1 c + 0.3 = -2 b + 0.2: mimics of mimics.
    #[test]
    fn mimics_follow_to_the_end(q in -1.0..1.0f64) {
        let turn = JointKind::Continuous { axis: DVec3::Z };
        let mut joints = vec![joint("j3", "c", "d", turn), joint("j2", "b", "c", turn), joint("j1", "a", "b", turn)];
        joints[0].mimic = mimic("j2", -1.0, 0.3);
        joints[1].mimic = mimic("j1", 2.0, 0.1);
        let cell = cell(robot("abcd", joints));
        prop_assert_eq!(cell.coordinates().len(), 1);
        let (b, c) = (q, 2.0 * q + 0.1);
        let expected = DVec2::X + DVec2::from_angle(b) + DVec2::from_angle(b + c);
        prop_assert!(last_origin(&cell, &[q]).truncate().abs_diff_eq(expected, 1e-14));
        let d = b + c + (-2.0 * q + 0.2);
        let x_axis = cell.place(&[q]).world_from_link(LinkId(3)).rotate(DVec3::X);
        prop_assert!(x_axis.truncate().abs_diff_eq(DVec2::from_angle(d), 1e-14));
    }

    #[test]
    fn a_floating_joint_is_a_pose(numbers in prop::array::uniform6(-2.0..2.0f64)) {
        let mut free = joint("f", "a", "b", JointKind::Floating);
        free.parent_from_joint = Pose::IDENTITY;
        let cell = cell(robot("ab", vec![free]));
        let [x, y, z, roll, pitch, yaw] = numbers;
        let expected = Pose::from_rpy(DVec3::new(x, y, z), DVec3::new(roll, pitch, yaw));
        prop_assert_eq!(cell.place(&numbers).world_from_link(LinkId(1)), expected);
    }

    /// Whatever the normal, a planar joint stays in its plane and turns about its normal.
    #[test]
    fn a_planar_joint_stays_in_its_plane(normal in prop::array::uniform3(-1.0..1.0f64), x in -2.0..2.0f64, y in -2.0..2.0f64, angle in -3.0..3.0f64) {
        let normal = DVec3::from_array(normal);
        prop_assume!(normal.length() > 0.1);
        let mut plane = joint("p", "a", "b", JointKind::Planar { normal });
        plane.parent_from_joint = Pose::IDENTITY;
        let cell = cell(robot("ab", vec![plane]));
        let pose = cell.place(&[x, y, angle]).world_from_link(LinkId(1));
        let unit = normal.normalize_or_zero();
        prop_assert!(pose.translation().dot(unit).abs() < 1e-12);
        prop_assert!((pose.translation().length() - x.hypot(y)).abs() < 1e-12);
        prop_assert!(pose.rotate(unit).abs_diff_eq(unit, 1e-12));
    }
}

#[test]
fn held_joints_are_no_coordinates() {
    let mut draft = placed_robot("r", chain());
    draft.hold = vec![("j2".into(), FRAC_PI_2)];
    let cell = Cell::new(cell_of(draft)).expect("a good cell");
    let names: Vec<&str> = cell.coordinates().iter().map(|c| c.joint.as_str()).collect();
    assert_eq!(names, ["j1", "j3"]);
    assert!(last_origin(&cell, &[0.0, 1.0]).abs_diff_eq(DVec3::new(2.0, 1.0, 0.0), 1e-15));
}

#[test]
fn several_robots_stand_one_after_the_other() {
    let mut left = placed_robot("left", chain());
    left.world_from_root = Pose::from_rpy(DVec3::Y, DVec3::Z * PI);
    let mut draft = cell_of(left);
    draft.robots.push(placed_robot("right", chain()));
    let cell = Cell::new(draft).expect("a good cell");
    assert_eq!(cell.coordinates().len(), 6);
    assert_eq!(cell.coordinates()[3].full_name(), "right/j1");
    let placed = cell.place(&[0.0, 0.0, 0.0, FRAC_PI_2, 0.0, 0.0]);
    let tip = |robot: usize| {
        let robot = &cell.robots()[robot];
        placed.world_from_link(robot.link(robot.robot.link("d").expect("a link"))).translation()
    };
    assert!(tip(0).abs_diff_eq(DVec3::new(-3.0, 1.0, 0.0), 1e-15));
    assert!(tip(1).abs_diff_eq(DVec3::new(1.0, 2.0, 0.0), 1e-15));
}

#[test]
fn coordinates_say_what_they_measure() {
    let slide = JointKind::Prismatic { axis: DVec3::Y };
    let cell = cell(robot(
        "abcd",
        vec![
            joint("s", "a", "b", slide),
            joint("p", "b", "c", JointKind::Planar { normal: DVec3::Z }),
            joint("t", "c", "d", JointKind::Continuous { axis: DVec3::Z }),
        ],
    ));
    let shown: Vec<(&str, Quantity, bool)> =
        cell.coordinates().iter().map(|c| (c.joint.as_str(), c.quantity, c.limits.is_some())).collect();
    let (angle, length) = (Quantity::Angle, Quantity::Length);
    assert_eq!(
        shown,
        [
            ("s", length, true),
            ("p.x", length, false),
            ("p.y", length, false),
            ("p.angle", angle, false),
            ("t", angle, false)
        ]
    );
    assert_eq!(cell.outside_limits(&[3.5, 9.0, 9.0, 9.0, 9.0]).collect::<Vec<_>>(), [0]);
}
