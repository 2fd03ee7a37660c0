//! Are the axes where the letters say? Closed forms, written independently of the chain of joints.

use crate::builtin::*;
use crate::joint::JointKind;
use kansho_geom::glam::{DMat3, DVec3};
use std::f64::consts::{PI, TAU};

/// Wrist centre and pose of `tool0` by the formula of Brandstötter, Angerer and Hofbaur (2014) with `b = 0`; their third
/// angle counts from the stretched arm, ours from the horizontal forearm.
fn closed_form(d: &ArmDimensions, q: &[f64]) -> (DVec3, DVec3, DMat3) {
    let (t3, psi3) = (q[2] + PI / 2.0, d.a2.atan2(d.c3));
    let k = d.a2.hypot(d.c3);
    let cx1 = d.c2 * q[1].sin() + k * (q[1] + t3 + psi3).sin() + d.a1;
    let cz1 = d.c2 * q[1].cos() + k * (q[1] + t3 + psi3).cos();
    let wrist = DVec3::new(cx1 * q[0].cos(), cx1 * q[0].sin(), cz1 + d.c1);
    let (s1, c1) = q[0].sin_cos();
    let (s23, c23) = (q[1] + t3).sin_cos();
    let (s4, c4) = q[3].sin_cos();
    let (s5, c5) = q[4].sin_cos();
    let (s6, c6) = q[5].sin_cos();
    let row = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let r0c =
        DMat3::from_cols(row(c1 * c23, -s1, c1 * s23), row(s1 * c23, c1, s1 * s23), row(-s23, 0.0, c23));
    let rce = DMat3::from_cols(
        row(c4 * c5 * c6 - s4 * s6, -c4 * c5 * s6 - s4 * c6, c4 * s5),
        row(s4 * c5 * c6 + c4 * s6, -s4 * c5 * s6 + c4 * c6, s4 * s5),
        row(-s5 * c6, s5 * s6, c5),
    );
    // Written by rows, as in the paper.
    let rotation = r0c.transpose() * rce.transpose();
    (wrist, wrist + rotation * DVec3::Z * d.c4, rotation)
}

const POSTURES_DEG: [[f64; 6]; 7] = [
    [0.0; 6],
    [30.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 40.0, -25.0, 0.0, 30.0, 0.0],
    [-75.0, -20.0, 35.0, 60.0, -50.0, 110.0],
    [120.0, 70.0, -100.0, -150.0, 90.0, -300.0],
    [-160.0, -90.0, 75.0, 10.0, 120.0, 200.0],
    [10.0, 140.0, -180.0, 185.0, -120.0, 45.0],
];

fn frame(cell: &Cell, posture: &[f64], link: &str) -> Pose {
    let robot = &cell.robots()[0];
    let link = robot.robot.link(link).expect("the arm has that link");
    cell.place(posture).world_from_link(robot.link(link))
}

#[test]
fn the_wrist_and_the_flange_are_where_the_formula_says() {
    let other = ArmDimensions { a1: 0.3, a2: -0.25, c1: 0.8, c2: 1.3, c3: 1.5, c4: 0.15 };
    for dimensions in [ArmDimensions::default(), other] {
        let mut draft = draft();
        draft.robots[0].robot = arm(&dimensions);
        let cell = Cell::new(draft).expect("another arm changes no names");
        for posture in POSTURES_DEG.map(|q| q.map(f64::to_radians)) {
            let (wrist, flange, rotation) = closed_form(&dimensions, &posture);
            let tool0 = frame(&cell, &posture, "tool0");
            assert!(frame(&cell, &posture, "link_5").translation().abs_diff_eq(wrist, 1e-12));
            assert!(tool0.translation().abs_diff_eq(flange, 1e-12));
            assert!(tool0.rotation().abs_diff_eq(rotation, 1e-12), "{tool0:?} {rotation:?}");
        }
    }
}

#[test]
fn at_zero_the_upper_arm_stands_and_the_forearm_points_forward() {
    let (cell, d) = (cell(), ArmDimensions::default());
    let at = |link: &str| frame(&cell, &[0.0; 6], link);
    assert_eq!(at("link_3").translation(), DVec3::new(d.a1, 0.0, d.c1 + d.c2));
    assert_eq!(at("link_5").translation(), DVec3::new(d.a1 + d.c3, 0.0, d.c1 + d.c2 - d.a2));
    assert!(at("tool0").rotate(DVec3::Z).abs_diff_eq(DVec3::X, 1e-15));
}

#[test]
fn the_last_three_axes_meet_in_one_point() {
    let cell = cell();
    let robot = &cell.robots()[0].robot;
    for posture in POSTURES_DEG.map(|q| q.map(f64::to_radians)) {
        let wrist = frame(&cell, &posture, "link_5").translation();
        for name in ["joint_4", "joint_5", "joint_6"] {
            let joint = &robot.joints()[robot.joint(name).expect("the arm has six joints").0 as usize];
            let JointKind::Revolute { axis } = joint.kind else { panic!("{name} turns") };
            // A joint leaves its own axis in place, so the frame of its child shows where it is.
            let child = frame(&cell, &posture, &robot.links()[joint.child.0 as usize].name);
            let off_axis = (wrist - child.translation()).cross(child.rotate(axis)).length();
            assert!(off_axis < 1e-12, "the axis of {name} passes the wrist by {off_axis}");
        }
    }
}

#[test]
fn stretched_out_it_reaches_about_1_8_metres() {
    let d = ArmDimensions::default();
    let reach = d.a1 + d.c2 + d.c3.hypot(d.a2);
    assert!((1.7..1.9).contains(&reach), "{reach}");
}

#[test]
fn home_is_within_the_limits() {
    let cell = cell();
    assert_eq!(cell.outside_limits(&home()).count(), 0);
    assert_eq!(cell.outside_limits(&[0.0; 6]).count(), 0);
}

#[test]
fn the_closed_forms_invert_each_other() {
    let cell = cell();
    let tool0_from_tcp = Nozzle::default().tool0_from_tcp();
    for posture in POSTURES_DEG.map(|q| q.map(f64::to_radians)) {
        let world_from_tcp = frame(&cell, &posture, "tool0") * tool0_from_tcp;
        let found = postures_at(&cell, world_from_tcp);
        assert!(!found.is_empty());
        for other in found {
            let reached = frame(&cell, &other, "tool0") * tool0_from_tcp;
            assert!(reached.translation().abs_diff_eq(world_from_tcp.translation(), 1e-9));
            assert!(reached.rotation().abs_diff_eq(world_from_tcp.rotation(), 1e-9));
        }
    }
}

/// Postures within the limits that bring the working point of the tool to a pose; one of those whole turns apart.
///
/// Shoulder in front or behind, elbow up or down, wrist turned or not: the triangle of upper arm and forearm for the
/// first three joints, Euler's angles for the others.
pub(super) fn postures_at(cell: &Cell, world_from_tcp: Pose) -> Vec<[f64; 6]> {
    let d = ArmDimensions::default();
    let world_from_tool0 = world_from_tcp * Nozzle::default().tool0_from_tcp().inverse();
    let wrist = world_from_tool0 * (DVec3::NEG_Z * d.c4);
    let forearm = d.a2.hypot(d.c3);
    // Seen from the elbow, the wrist lies this much above the direction of the forearm.
    let lift = (-d.a2).atan2(d.c3);
    let mut found = Vec::new();
    for (q1, forward) in [(wrist.y.atan2(wrist.x), 1.0), ((-wrist.y).atan2(-wrist.x), -1.0)] {
        let (x, z) = (forward * wrist.x.hypot(wrist.y) - d.a1, wrist.z - d.c1);
        let far = x.hypot(z);
        let cos_shoulder = (d.c2 * d.c2 + far * far - forearm * forearm) / (2.0 * d.c2 * far);
        let cos_elbow = (d.c2 * d.c2 + forearm * forearm - far * far) / (2.0 * d.c2 * forearm);
        if !(cos_shoulder.abs() <= 1.0 && cos_elbow.abs() <= 1.0) {
            continue;
        }
        for bent in [1.0, -1.0] {
            let q2 = x.atan2(z) - bent * cos_shoulder.acos();
            // The angle between upper arm and forearm, and what is left of the forearm's own direction.
            let q3 = bent * (PI - cos_elbow.acos()) - PI / 2.0 + lift;
            let world_from_forearm = DMat3::from_rotation_z(q1) * DMat3::from_rotation_y(q2 + q3);
            let e = world_from_forearm.transpose()
                * world_from_tool0.rotation()
                * DMat3::from_rotation_y(-PI / 2.0);
            // e = Rx(q4)·Ry(q5)·Rx(q6): its first column is (cos q5, sin q4 sin q5, −cos q4 sin q5).
            let sin5 = e.x_axis.y.hypot(e.x_axis.z);
            for turned in [1.0, -1.0] {
                let q5 = (turned * sin5).atan2(e.x_axis.x);
                let q4 = (turned * e.x_axis.y).atan2(-turned * e.x_axis.z);
                let rest = DMat3::from_rotation_y(-q5) * DMat3::from_rotation_x(-q4) * e;
                found.push([q1, q2, q3, q4, q5, rest.y_axis.z.atan2(rest.y_axis.y)]);
            }
        }
    }
    // Each joint by whole turns into its limits, if that is possible.
    let into_limits = |mut posture: [f64; 6]| {
        for (q, coordinate) in posture.iter_mut().zip(cell.coordinates()) {
            let limits = coordinate.limits.expect("every joint of the arm has limits");
            *q = [*q, *q - TAU, *q + TAU].into_iter().find(|&q| limits.contain(q))?;
        }
        Some(posture)
    };
    found.into_iter().filter_map(into_limits).collect()
}
