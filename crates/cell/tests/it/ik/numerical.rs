use super::arms::{Arm, apart, generic, industrial, serial, tilted_tool, turn};
use kansho_cell::ik::{Ik, IkFault, IkOptions, LeftOut, Method, Solutions, Tip, WhyNumerical};
use kansho_cell::{Cell, MimicDraft, RobotDraft};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

proptest! {
    // A numerical search may fail now and then: the same cases in every run.
    #![proptest_config(ProptestConfig { cases: 100, rng_seed: RngSeed::Fixed(9), ..ProptestConfig::default() })]

    #[test]
    fn six_axes_in_no_order(parts in prop::array::uniform6(0.0..1.0f64), near in prop::array::uniform6(-0.1..0.1f64)) {
        let arm = Arm::new(&generic(6), tilted_tool(), Pose::IDENTITY);
        prop_assert_eq!(arm.ik.method(), Method::Numerical(WhyNumerical::NotParallel));
        let values = arm.values(&parts);
        let wanted = arm.placed(&values, "r/tip");
        let solutions = arm.ik.solve(&wanted);
        arm.check(&wanted, &solutions, 0.0);
        prop_assert!(!solutions.complete());
        prop_assert!(!solutions.is_empty(), "{:?}", solutions.why_none());
        // From the posture itself, and mostly from nearby, it is the first.
        let mut seeded = Solutions::default();
        arm.ik.solve_into(&wanted, Some(&values), &mut seeded);
        prop_assert!(apart(seeded.get(0).expect("it is there").values, &values) < 1e-6);
        let seed: Vec<f64> = values.iter().zip(near).map(|(v, d)| v + 0.1 * d).collect();
        arm.ik.solve_into(&wanted, Some(&seed), &mut seeded);
        arm.check(&wanted, &seeded, 0.0);
    }

    /// Seven: whatever the seed, right; and with one held, six are left.
    #[test]
    fn seven_axes(parts in prop::array::uniform7(0.0..1.0f64), seed in prop::array::uniform7(0.0..1.0f64)) {
        let arm = Arm::new(&generic(7), tilted_tool(), Pose::IDENTITY);
        prop_assert_eq!(arm.ik.method(), Method::Numerical(WhyNumerical::Count(7)));
        let values = arm.values(&parts);
        let wanted = arm.placed(&values, "r/tip");
        let mut solutions = Solutions::default();
        arm.ik.solve_into(&wanted, Some(&arm.values(&seed)), &mut solutions);
        arm.check(&wanted, &solutions, 0.0);
        prop_assert!(!solutions.is_empty() && solutions.len() <= 8);
        let held = arm.ik.with_held(2, values[2]).expect("a joint of the chain");
        prop_assert_eq!(held.joints().len(), 6);
        let six: Vec<f64> = [0, 1, 3, 4, 5, 6].map(|k| values[k]).to_vec();
        prop_assert!(held.world_from_tip(&six).translation().distance(wanted.translation()) < 1e-14);
        let mut of_six = Solutions::default();
        held.solve_into(&wanted, Some(&six), &mut of_six);
        prop_assert!(of_six.iter().any(|s| apart(s.values, &six) < 1e-6));
    }

    /// Columns against differences of forward kinematics.
    #[test]
    fn the_jacobian_is_the_derivative(q in prop::array::uniform7(-2.0..2.0f64), slide: bool) {
        let mut specs = generic(7);
        specs[3].slides = slide;
        let world_from_root = Pose::from_rpy(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.4, -0.5, 0.6));
        let arm = Arm::new(&specs, tilted_tool(), world_from_root);
        let jacobian = arm.ik.jacobian(&q);
        let here = arm.ik.world_from_tip(&q);
        for k in 0..7 {
            let h = 1e-6;
            let at = |d: f64| {
                let mut q = q;
                q[k] += d;
                arm.placed(&q, "r/tip")
            };
            let linear = (at(h).translation() - at(-h).translation()) / (2.0 * h);
            prop_assert!(linear.distance(jacobian.columns[k].linear) < 1e-8);
            let rate = (at(h).rotation() - at(-h).rotation()) * (0.5 / h) * here.rotation().transpose();
            let angular = DVec3::new(rate.y_axis.z, rate.z_axis.x, rate.x_axis.y);
            prop_assert!(angular.distance(jacobian.columns[k].angular) < 1e-8);
        }
    }
}

/// A robot on a rail: with the rail held, it is a closed form.
#[test]
fn a_held_rail_leaves_a_closed_form() {
    let mut specs = vec![turn(0.3, 0.0, 0.1, DVec3::Y)];
    specs[0].slides = true;
    specs[0].limits = (-2.0, 2.0);
    specs.extend(industrial());
    let arm = Arm::new(&specs, tilted_tool(), Pose::from_translation(DVec3::new(0.0, 5.0, 0.0)));
    assert_eq!(arm.ik.method(), Method::Numerical(WhyNumerical::Slides(1)));
    let values = [1.2, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    let wanted = arm.placed(&values, "r/tip");
    let six = arm.ik.with_held(0, 1.2).expect("within its limits");
    assert_eq!(six.method(), Method::SphericalWrist);
    assert_eq!(six.joints().iter().map(|joint| joint.coordinate).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    let solutions = six.solve(&wanted);
    assert!(solutions.complete() && solutions.iter().any(|s| apart(s.values, &values[1..]) < 1e-9));
    arm.check(&wanted, &arm.ik.solve(&wanted), 0.0);
    assert_eq!(arm.ik.with_held(0, 2.5).map(|_| ()), Err(IkFault::Held(2.5)));
    assert_eq!(arm.ik.with_held(9, 0.0).map(|_| ()), Err(IkFault::NoSuchJoint { index: 9, joints: 7 }));
}

/// Joints that follow others: a single one is only another scale, two in the chain are coupled.
#[test]
fn followers() {
    let with_mimic = |joint: usize, of: &str, multiplier: f64, offset: f64| {
        let robot = serial(&industrial(), tilted_tool());
        let mut joints: Vec<_> = robot
            .joints()
            .iter()
            .map(|j| kansho_cell::JointDraft {
                name: j.name.clone(),
                kind: j.kind,
                parent: robot.links()[j.parent.0 as usize].name.clone(),
                child: robot.links()[j.child.0 as usize].name.clone(),
                parent_from_joint: j.parent_from_joint,
                limits: j.limits,
                max_speed: None,
                mimic: None,
            })
            .collect();
        joints[joint].mimic = Some(MimicDraft { joint: of.into(), multiplier, offset });
        // A joint beside the chain, to be followed.
        let mut links: Vec<_> = robot.links().to_vec();
        links.push(kansho_cell::Link { name: "beside".into(), pieces: Vec::new() });
        let mut beside = joints[1].clone();
        (beside.name, beside.parent, beside.child, beside.mimic) =
            ("handle".into(), "l0".into(), "beside".into(), None);
        joints.push(beside);
        Arm::of(
            kansho_cell::Robot::new(RobotDraft { name: "r".into(), links, joints }).expect("a good robot"),
            Pose::IDENTITY,
            "r/tip",
        )
    };
    let scaled = with_mimic(2, "handle", -0.5, 0.2);
    assert_eq!(scaled.ik.method(), Method::SphericalWrist);
    let values = [0.1, 0.2, 0.8, 0.4, 0.5, 0.6];
    let wanted = scaled.placed(&values, "r/tip");
    let solutions = scaled.ik.solve(&wanted);
    scaled.check(&wanted, &solutions, 0.0);
    assert!(solutions.iter().any(|s| apart(s.values, &values) < 1e-9));

    let coupled = with_mimic(2, "j2", -1.0, 0.0);
    assert_eq!(coupled.ik.method(), Method::Numerical(WhyNumerical::Coupled(3)));
    assert_eq!(coupled.ik.joints().len(), 5);
    let values = [0.1, 0.2, 0.4, 0.5, 0.6];
    let wanted = coupled.placed(&values, "r/tip");
    let solutions = coupled.ik.solve(&wanted);
    coupled.check(&wanted, &solutions, 0.0);
    assert!(solutions.iter().any(|s| apart(s.values, &values) < 1e-7));
    // Five numbers do not reach every pose.
    let beside = wanted * Pose::from_rpy(DVec3::ZERO, DVec3::new(0.0, 0.3, 0.2));
    assert!(coupled.ik.solve(&beside).iter().all(|s| {
        let found = coupled.placed(s.values, "r/tip");
        found.translation().distance(beside.translation()) < 1e-9
    }));

    let still = with_mimic(2, "handle", 0.0, 0.2);
    assert_eq!(still.ik.method(), Method::Numerical(WhyNumerical::Still(3)));
}

#[test]
fn a_tip_that_nothing_moves_has_none() {
    let arm = Arm::new(&industrial(), tilted_tool(), Pose::IDENTITY);
    let root = Tip::link(&arm.cell, "r/l0").expect("it is there");
    assert_eq!(Ik::new(&arm.cell, &root, &IkOptions::default()).map(|_| ()), Err(IkFault::NothingMoves));
    assert_eq!(Tip::tool(&arm.cell, "r"), None);
    assert_eq!(Tip::link(&arm.cell, "r/nobody"), None);
}

/// Where nothing is found, it says that it does not know.
#[test]
fn out_of_reach_is_not_proven() {
    let arm = Arm::new(&generic(6), tilted_tool(), Pose::IDENTITY);
    let wanted = Pose::from_translation(DVec3::new(9.0, 0.0, 0.0));
    let solutions = arm.ik.solve(&wanted);
    let Some(LeftOut::NotFound { starts, nearest }) = solutions.why_none() else { panic!("{solutions:?}") };
    assert!(starts == 64 && nearest > 5.0 && !solutions.complete());
}

/// The second robot of a cell: its numbers come after those of the first.
#[test]
fn two_robots() {
    let robot = || crate::drafts::placed_robot("a", serial(&industrial(), tilted_tool()));
    let mut second = robot();
    (second.name, second.world_from_root) = ("b".into(), Pose::from_translation(DVec3::X * 2.0));
    let draft = kansho_cell::CellDraft { robots: vec![robot(), second], ..Default::default() };
    let cell = Cell::new(draft).expect("a good cell");
    let tip = Tip::link(&cell, "b/tip").expect("it is there");
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("it moves");
    let posture: Vec<f64> = (0..12).map(|k| 0.1 * f64::from(k) - 0.5).collect();
    assert_eq!(ik.values_in(&posture), posture[6..]);
    let wanted = cell.place(&posture).world_from_link(tip.link);
    assert!(ik.solve(&wanted).iter().any(|s| apart(s.values, &posture[6..]) < 1e-9));
}
