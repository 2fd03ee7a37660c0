use super::arms::{Arm, apart, industrial, three_parallel, tilted_tool};
use kansho_cell::builtin;
use kansho_cell::ik::{ArmPart, Branch, LeftOut, Method, Nearness, WhyNumerical};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

fn built_in(world_from_root: Pose) -> Arm {
    Arm::of(builtin::arm(&builtin::ArmDimensions::default()), world_from_root, "r/tool0")
}

/// From a posture to its pose and back: it is among the solutions, once, and all of them are right.
fn round_trip(arm: &Arm, parts: &[f64], rounding: f64) {
    let values = arm.values(parts);
    let wanted = arm.placed(&values, "r/tip");
    let solutions = arm.ik.solve(&wanted);
    arm.check(&wanted, &solutions, rounding);
    assert!(solutions.complete() && solutions.len() <= 8);
    let branches: BTreeSet<Option<Branch>> = solutions.iter().map(|solution| solution.branch).collect();
    assert_eq!(branches.len(), solutions.len(), "each way is named once");
    let (branch, nearness) = arm.ik.branch(&values);
    // What the pose was rounded by, the posture may be off by, divided by how near the singularities are.
    let Nearness::Kinds { shoulder, elbow, wrist } = nearness else { panic!("a closed form") };
    let tolerance = 1e-9 + 10.0 * (1e-14 + rounding) / (shoulder * elbow * wrist);
    if tolerance > 0.1 * nearness.least() {
        return;
    }
    let back: Vec<_> = solutions.iter().filter(|s| apart(s.values, &values) < tolerance).collect();
    assert_eq!(back.len(), 1, "{values:?} {nearness:?}: {solutions:?}");
    assert_eq!(back[0].branch, branch);
    // All turns: the posture itself is among them, and each gives the pose.
    let turns: Vec<Vec<f64>> = arm.ik.turns(back[0].values).collect();
    let itself = |turn: &&Vec<f64>| turn.iter().zip(&values).all(|(x, y)| (x - y).abs() < tolerance);
    assert_eq!(turns.iter().filter(itself).count(), 1);
}

fn far() -> Pose {
    Pose::from_rpy(DVec3::new(1000.0, -700.0, 300.0), DVec3::new(1.0, -0.5, 2.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_industrial_arm(parts in prop::array::uniform6(0.0..1.0f64)) {
        let arm = Arm::new(&industrial(), tilted_tool(), Pose::IDENTITY);
        assert_eq!(arm.ik.method(), Method::SphericalWrist);
        round_trip(&arm, &parts, 0.0);
    }

    #[test]
    fn three_parallel_axes(parts in prop::array::uniform6(0.0..1.0f64)) {
        let arm = Arm::new(&three_parallel(), tilted_tool(), Pose::IDENTITY);
        assert_eq!(arm.ik.method(), Method::ThreeParallel);
        round_trip(&arm, &parts, 0.0);
    }

    #[test]
    fn wide_limits_and_many_turns(parts in prop::array::uniform6(0.0..1.0f64), other: bool) {
        let mut specs = if other { three_parallel() } else { industrial() };
        specs.iter_mut().for_each(|spec| spec.limits = (-TAU - 0.5, TAU));
        round_trip(&Arm::new(&specs, tilted_tool(), Pose::IDENTITY), &parts, 0.0);
    }

    #[test]
    fn far_from_the_origin(parts in prop::array::uniform6(0.0..1.0f64), other: bool) {
        let specs = if other { three_parallel() } else { industrial() };
        round_trip(&Arm::new(&specs, tilted_tool(), far()), &parts, 1e-12);
    }

    #[test]
    fn tools_of_a_millimetre_and_of_ten_metres(parts in prop::array::uniform6(0.0..1.0f64), other: bool) {
        let specs = if other { three_parallel() } else { industrial() };
        for length in [1e-3, 1e-6, 10.0] {
            let tool = Pose::from_rpy(DVec3::new(length, 0.0, -length), DVec3::new(0.3, 0.9, -0.4));
            round_trip(&Arm::new(&specs, tool, Pose::IDENTITY), &parts, length * 1e-15);
        }
    }

    /// Axes as files print them, a little off: Newton's steps do the rest.
    #[test]
    fn axes_that_are_not_quite_parallel(parts in prop::array::uniform6(0.0..1.0f64), off in 1e-10..4e-6f64, other: bool) {
        let mut specs = if other { three_parallel() } else { industrial() };
        specs[2].axis += DVec3::new(off, 0.0, off);
        specs[5].at = specs[5].at * Pose::from_translation(DVec3::new(0.0, off, off));
        let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
        assert!(!matches!(arm.ik.method(), Method::Numerical(_)));
        let values = arm.values(&parts);
        let wanted = arm.placed(&values, "r/tip");
        let solutions = arm.ik.solve(&wanted);
        arm.check(&wanted, &solutions, 0.0);
        let (_, nearness) = arm.ik.branch(&values);
        let back = solutions.iter().any(|s| apart(s.values, &values) < 1e-6);
        assert!(back || nearness.least() < 0.02, "{nearness:?} {values:?} {solutions:?}");
    }

    /// Nobody reaches farther than all lengths together.
    #[test]
    fn out_of_reach(direction in prop::array::uniform3(-1.0..1.0f64), rpy in prop::array::uniform3(-3.0..3.0f64), other: bool) {
        let direction = DVec3::from_array(direction);
        prop_assume!(direction.length() > 0.1);
        let specs = if other { three_parallel() } else { industrial() };
        let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
        let wanted = Pose::from_rpy(direction.normalize_or_zero() * (arm.ik.size() + 0.6), DVec3::from_array(rpy));
        let solutions = arm.ik.solve(&wanted);
        assert!(solutions.is_empty());
        assert!(matches!(solutions.why_none(), Some(LeftOut::OutOfReach { part: ArmPart::Elbow | ArmPart::Shoulder, by }) if by > 0.0));
    }

    /// A posture outside one limit: either another way or turn is found, or the reason says which joint.
    #[test]
    fn limits_are_kept_and_named(parts in prop::array::uniform6(0.0..1.0f64), narrow in prop::array::uniform6(0.05..0.8f64)) {
        let mut specs = industrial();
        specs.iter_mut().zip(narrow).for_each(|(spec, part)| spec.limits = (-PI * part, PI * part));
        let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
        let values: Vec<f64> = parts.iter().map(|part| PI * (2.0 * part - 1.0)).collect();
        let wanted = arm.placed(&values, "r/tip");
        let solutions = arm.ik.solve(&wanted);
        arm.check(&wanted, &solutions, 0.0);
        let allowed = arm.cell.outside_limits(&values).next().is_none();
        let (branch, nearness) = arm.ik.branch(&values);
        if nearness.least() > 1e-4 {
            let found = solutions.iter().any(|s| s.branch == branch);
            assert_eq!(found, allowed, "{solutions:?}");
            let told = solutions.left_out().iter().any(|left| matches!(left, LeftOut::Limit { branch: b, coordinate, .. }
                if *b == branch && arm.cell.outside_limits(&values).any(|c| c == *coordinate)));
            assert_eq!(told, !allowed);
        }
        if solutions.is_empty() {
            assert!(solutions.why_none().is_some());
        }
    }
}

#[test]
fn the_built_in_arm() {
    for world_from_root in [Pose::IDENTITY, far()] {
        let arm = built_in(world_from_root);
        assert_eq!(arm.ik.method(), Method::SphericalWrist);
        let mut most = 0;
        for i in 0..2000u32 {
            let parts: Vec<f64> = (0..6)
                .map(|k| f64::from((i * 7919 + 104_729 * k + 31 * i * i % 997 * k) % 10_007) / 10_007.0)
                .collect();
            let values = arm.values(&parts);
            let wanted = arm.placed(&values, "r/tool0");
            let solutions = arm.ik.solve(&wanted);
            let (_, nearness) = arm.ik.branch(&values);
            let back = solutions.iter().any(|s| apart(s.values, &values) < 1e-8);
            assert!(back || nearness.least() < 1e-4, "{values:?}");
            for solution in solutions.iter() {
                let found = arm.placed(solution.values, "r/tool0");
                assert!(found.translation().distance(wanted.translation()) < 1e-9);
                assert!(super::arms::angle_between(&found, &wanted) < 1e-9);
            }
            most = most.max(solutions.len());
        }
        assert!(most >= 4, "an arm like this has several ways: {most}");
    }
}

/// Postures at their limits are found, not lost to the last digit.
#[test]
fn exactly_at_the_limits() {
    for specs in [industrial(), three_parallel()] {
        let mut specs = specs;
        specs.iter_mut().for_each(|spec| spec.limits = (-1.3, 0.9));
        let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
        for corner in 0..64 {
            let values: Vec<f64> = (0..6).map(|k| if corner >> k & 1 == 0 { -1.3 } else { 0.9 }).collect();
            let wanted = arm.placed(&values, "r/tip");
            let solutions = arm.ik.solve(&wanted);
            arm.check(&wanted, &solutions, 0.0);
            assert!(solutions.iter().any(|s| apart(s.values, &values) < 1e-9), "{values:?} {solutions:?}");
        }
    }
}

/// Axes that are meant to be askew are not forced into the closed form.
#[test]
fn what_is_askew_is_solved_numerically() {
    let mut specs = industrial();
    specs[2].axis += DVec3::new(1e-3, 0.0, 0.0);
    let askew = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
    assert_eq!(askew.ik.method(), Method::Numerical(WhyNumerical::NotParallel));
    let mut specs = industrial();
    specs[5].at = Pose::from_translation(DVec3::new(0.0, 1e-3, 0.0)) * specs[5].at;
    let offset = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
    assert_eq!(offset.ik.method(), Method::Numerical(WhyNumerical::Wrist));
    let mut specs = three_parallel();
    specs[3].axis += DVec3::new(0.0, 0.0, 1e-3);
    let fourth = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
    assert_eq!(fourth.ik.method(), Method::Numerical(WhyNumerical::Wrist));
    for arm in [askew, offset, fourth] {
        for i in 0..20u32 {
            let parts: Vec<f64> =
                (0..6).map(|k| f64::from((i * 37 + k * 29 + i * k * 13) % 101) / 101.0).collect();
            let values = arm.values(&parts);
            let wanted = arm.placed(&values, "r/tip");
            let solutions = arm.ik.solve(&wanted);
            arm.check(&wanted, &solutions, 0.0);
            assert!(!solutions.complete() && !solutions.is_empty());
        }
    }
}

/// The order of solutions and all their digits are the same in every run.
#[test]
fn always_the_same() {
    for specs in [industrial(), three_parallel(), super::arms::generic(6)] {
        let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
        let wanted = arm.ik.world_from_tip(&[0.3, -0.4, 0.5, 0.6, 0.7, 0.8]);
        let (one, two) = (arm.ik.solve(&wanted), arm.ik.solve(&wanted));
        assert!(one.iter().eq(two.iter()) && !one.is_empty());
        let again = Arm::new(&specs, tilted_tool(), Pose::IDENTITY).ik.solve(&wanted);
        assert!(one.iter().eq(again.iter()));
    }
}

#[test]
fn no_numbers_no_answer() {
    let arm = Arm::new(&industrial(), tilted_tool(), Pose::IDENTITY);
    let wanted = Pose::from_translation(DVec3::new(f64::NAN, 0.0, 0.0));
    assert_eq!(arm.ik.solve(&wanted).why_none(), Some(LeftOut::NotFinite));
    let wanted =
        arm.ik.world_from_tip(&[0.1; 6]) * Pose::from_translation(DVec3::new(f64::INFINITY, 0.0, 0.0));
    assert_eq!(arm.ik.solve(&wanted).why_none(), Some(LeftOut::NotFinite));
    let huge = Pose::from_translation(DVec3::splat(1e200));
    assert!(arm.ik.solve(&huge).is_empty());
}
