//! In singularities and close by.

use super::arms::{Arm, Spec, industrial, three_parallel, tilted_tool, turn};
use kansho_cell::builtin;
use kansho_cell::ik::{LeftOut, Solutions};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use proptest::prelude::*;

/// An arm of which every singularity is known: nothing stands aside.
fn plain() -> Vec<Spec> {
    vec![
        turn(0.0, 0.0, 0.4, DVec3::Z),
        turn(0.0, 0.0, 0.0, DVec3::Y),
        turn(0.0, 0.0, 0.5, DVec3::Y),
        turn(0.0, 0.0, 0.2, DVec3::Z),
        turn(0.0, 0.0, 0.3, DVec3::Y),
        turn(0.0, 0.0, 0.1, DVec3::Z),
    ]
}

/// The posture's pose is reached on all ways that are given, each right, and at least one is.
fn check(arm: &Arm, values: &[f64]) -> Solutions {
    let wanted = arm.placed(values, "r/tip");
    let mut solutions = Solutions::default();
    for seed in [None, Some(values)] {
        arm.ik.solve_into(&wanted, seed, &mut solutions);
        arm.check(&wanted, &solutions, 0.0);
        assert!(!solutions.is_empty(), "{values:?}: {solutions:?}");
        let lost = |left: &&LeftOut| matches!(left, LeftOut::NotVerified { .. });
        assert_eq!(solutions.left_out().iter().find(lost), None, "{values:?}");
    }
    // With the posture as a seed, what is free is as there: it comes back (the last call had the seed).
    solutions
}

fn comes_back(solutions: &Solutions, values: &[f64], tolerance: f64) -> bool {
    solutions.iter().any(|s| super::arms::apart(s.values, values) < tolerance)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Wrist straight, from exactly to nearly.
    #[test]
    fn wrist(q in prop::array::uniform6(-2.0..2.0f64), exponent in -18.0..-1.0f64, exactly: bool, kind in 0..3) {
        let specs = [plain(), industrial(), three_parallel()].into_iter().nth(kind as usize).expect("three kinds");
        let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
        let bend = if exactly { 0.0 } else { 10f64.powf(exponent) };
        // Where the wrist is straight, the axes 4 and 6 are aligned; of this arm with turned frames too.
        let mut values = q;
        values[4] = straight(&arm) + bend;
        let solutions = check(&arm, &values);
        if bend < 1e-8 {
            prop_assert!(solutions.iter().any(|s| s.nearness.names().contains(&"wrist")), "{:?}", solutions);
        }
        if bend < 1e-11 {
            let (_, nearness) = arm.ik.branch(&[values[0], values[1], values[2], values[3], 1.0, values[5]]);
            prop_assert!(comes_back(&solutions, &values, 1e-7) || nearness.least() < 1e-3, "{:?} {:?}", values, solutions);
        }
    }

    /// Elbow straight, from exactly to nearly.
    #[test]
    fn elbow(q in prop::array::uniform6(-2.0..2.0f64), exponent in -18.0..-1.0f64, exactly: bool, over: bool) {
        let arm = Arm::new(&plain(), tilted_tool(), Pose::IDENTITY);
        let mut values = q;
        values[2] = if exactly { 0.0 } else { 10f64.powf(exponent) };
        let mut specs = plain();
        if over {
            // Both arms of the same length, folded onto each other: the wrist is on axis 2.
            specs[3].at = Pose::from_translation(DVec3::new(0.0, 0.0, 0.2));
            values[2] += 3.1;
        }
        let solutions = check(&arm, &values);
        if !over && values[2] < 1e-9 {
            prop_assert!(solutions.iter().any(|s| s.nearness.names().contains(&"elbow")), "{:?}", solutions);
        }
    }

    /// The wrist on axis 1, from exactly to nearly.
    #[test]
    fn shoulder(q in prop::array::uniform6(-2.0..2.0f64), exponent in -18.0..-1.0f64, exactly: bool) {
        let arm = Arm::new(&plain(), tilted_tool(), Pose::IDENTITY);
        let mut values = q;
        // Upper arm and forearm are of the same length: they make an upright triangle.
        values[2] = q[2].clamp(0.3, 2.0);
        values[1] = -0.5 * values[2] + if exactly { 0.0 } else { 10f64.powf(exponent) };
        let solutions = check(&arm, &values);
        if (values[1] + 0.5 * values[2]).abs() < 1e-8 {
            prop_assert!(solutions.iter().any(|s| s.nearness.names().contains(&"shoulder")), "{:?}", solutions);
        }
    }

    /// Everything at once: the arm straight up.
    #[test]
    fn upright(first in -3.0..3.0f64, fourth in -3.0..3.0f64, last in -3.0..3.0f64, exponent in -18.0..-6.0f64, exactly: bool) {
        let arm = Arm::new(&plain(), tilted_tool(), Pose::IDENTITY);
        let off = if exactly { 0.0 } else { 10f64.powf(exponent) };
        let solutions = check(&arm, &[first, off, off, fourth, off, last]);
        prop_assert!(solutions.iter().any(|s| s.nearness.is_singular()) || off > 3e-8);
    }

    /// The measures are zero in the same postures as the determinant of the Jacobian.
    #[test]
    fn measures_agree_with_the_jacobian(q in prop::array::uniform6(-3.0..3.0f64), other: bool) {
        let specs = if other { three_parallel() } else { industrial() };
        let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
        let (_, nearness) = arm.ik.branch(&q);
        let smallest = arm.ik.jacobian(&q).smallest_singular_value(arm.ik.size());
        prop_assert!(smallest < 30.0 * nearness.least(), "{} {:?}", smallest, nearness);
        prop_assert!(smallest > 1e-3 * nearness.least().powi(3), "{} {:?}", smallest, nearness);
    }
}

/// The fifth value at which axes 4 and 6 are aligned.
fn straight(arm: &Arm) -> f64 {
    let bend = |value: f64| {
        let (branch, nearness) = arm.ik.branch(&[0.3, 0.4, 0.5, 0.6, value, 0.7]);
        let kansho_cell::ik::Nearness::Kinds { wrist, .. } = nearness else { panic!("a closed form") };
        let up = branch.is_some_and(|branch| branch.wrist == kansho_cell::ik::BranchSign::Plus);
        if up { wrist } else { -wrist }
    };
    let first = (0..64).map(|k| f64::from(k) * 0.1 - 3.2).find(|v| bend(*v) * bend(v + 0.1) <= 0.0);
    let (mut low, mut high) = first.map(|v| (v, v + 0.1)).expect("some value is straight");
    let sign = bend(high) >= 0.0;
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if (bend(middle) >= 0.0) == sign { high = middle } else { low = middle }
    }
    if high.abs() < 1e-12 { 0.0 } else { high }
}

/// At the border of what an arm reaches: the last digit does not decide.
#[test]
fn stretched_out() {
    let arm = Arm::new(&plain(), Pose::IDENTITY, Pose::IDENTITY);
    for k in 0..200 {
        let values = [0.03 * f64::from(k), 0.5 + 0.001 * f64::from(k), 0.0, 0.2, 0.9, 0.1];
        check(&arm, &values);
        let wanted = arm.placed(&values, "r/tip");
        let outward = (wanted * DVec3::ZERO - DVec3::new(0.0, 0.0, 0.4)).normalize_or_zero();
        let farther = Pose::from_translation(outward * 0.3) * wanted;
        let solutions = arm.ik.solve(&farther);
        assert!(matches!(solutions.why_none(), Some(LeftOut::OutOfReach { by, .. }) if by > 0.05));
    }
}

/// The built-in arm with its wrist straight: joints 4 and 6 share a turn, and the seed says how.
#[test]
fn the_seed_decides_what_is_free() {
    let arm = Arm::of(builtin::arm(&builtin::ArmDimensions::default()), Pose::IDENTITY, "r/tool0");
    let values = [0.4, 0.3, -0.2, 0.8, 0.0, 0.3];
    let wanted = arm.placed(&values, "r/tool0");
    let mut solutions = Solutions::default();
    arm.ik.solve_into(&wanted, Some(&values), &mut solutions);
    assert!(comes_back(&solutions, &values, 1e-9));
    arm.ik.solve_into(&wanted, None, &mut solutions);
    let straight = solutions.iter().find(|s| s.nearness.names() == ["wrist"]).expect("it is marked");
    assert!(straight.values[3].abs() < 1e-12 && (straight.values[5] - 1.1).abs() < 1e-9);
}

/// With a straight wrist, joints 4 and 6 share a turn: if one is at its limit, the other takes the rest.
#[test]
fn what_is_free_keeps_within_limits() {
    let mut specs = plain();
    specs[3].limits = (0.5, 0.9);
    specs[5].limits = (-0.4, 0.3);
    let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
    for (fourth, sixth) in [(0.5, 0.3), (0.5, -0.4), (0.9, 0.3), (0.9, -0.4), (0.7, 0.0), (0.6, 0.29)] {
        let wanted = arm.placed(&[0.4, 0.3, 0.7, fourth, 0.0, sixth], "r/tip");
        let solutions = arm.ik.solve(&wanted);
        arm.check(&wanted, &solutions, 0.0);
        assert!(
            solutions.complete() && solutions.iter().any(|s| s.nearness.names() == ["wrist"]),
            "{solutions:?}"
        );
    }
    let wanted = arm.placed(&[0.4, 0.3, 0.7, 0.9, 0.0, 0.35], "r/tip");
    let solutions = arm.ik.solve(&wanted);
    assert!(solutions.iter().all(|s| s.nearness.names() != ["wrist"]), "{solutions:?}");
}
