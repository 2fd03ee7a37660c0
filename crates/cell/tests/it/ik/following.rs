use super::arms::{Arm, generic, industrial, three_parallel, tilted_tool};
use kansho_cell::ik::{BranchEnd, Followed, Solutions};
use kansho_geom::Pose;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Follows the poses of a joint motion; returns the postures, or where it ended.
fn along(arm: &Arm, from: &[f64], to: &[f64], steps: u32) -> Result<Vec<Vec<f64>>, (u32, BranchEnd)> {
    let mut scratch = Solutions::default();
    let mut rows = vec![from.to_vec()];
    for k in 1..=steps {
        let t = f64::from(k) / f64::from(steps);
        let values: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + (b - a) * t).collect();
        let wanted = arm.placed(&values, "r/tip");
        match arm.ik.follow(&wanted, rows.last().expect("there is a first"), &mut scratch) {
            Followed::On { values, .. } => rows.push(values),
            Followed::Ends(end) => return Err((k, end)),
        }
    }
    Ok(rows)
}

proptest! {
    // A numerical search may fail now and then: the same cases in every run.
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(9), ..ProptestConfig::default() })]

    /// Along a joint motion that stays on a branch, the same postures come back; if it leaves it, the end is told before.
    #[test]
    fn the_way_of_a_joint_motion(from in prop::array::uniform6(-2.8..2.8f64), change in prop::array::uniform6(-0.8..0.8f64), kind in 0..2) {
        let specs = if kind == 0 { industrial() } else { three_parallel() };
        let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
        let to: Vec<f64> = from.iter().zip(change).map(|(a, d)| (a + d).clamp(-3.1, 3.1)).collect();
        let (first, _) = arm.ik.branch(&from);
        let at = |k: u32| -> Vec<f64> {
            from.iter().zip(&to).map(|(a, b)| a + (b - a) * f64::from(k) / 100.0).collect()
        };
        let least = (0..=100).map(|k| arm.ik.branch(&at(k)).1.least()).fold(f64::MAX, f64::min);
        let same = (0..=100).all(|k| arm.ik.branch(&at(k)).0 == first);
        match along(&arm, &from, &to, 100) {
            Ok(rows) if same && least > 1e-3 => {
                for (k, row) in (0..).zip(&rows) {
                    let off = row.iter().zip(at(k)).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                    prop_assert!(off < 1e-6, "{} {}", k, off);
                }
            }
            // A motion through a singularity: the other branch is left alone, and what is followed is still right.
            Ok(rows) => prop_assert!(rows.iter().all(|row| arm.ik.branch(row).1.least() < 1e-4 || arm.ik.branch(row).0 == first)),
            Err((_, end)) => prop_assert!(!same || least < 1e-3, "{:?}", end),
        }
    }

    #[test]
    fn numerically_too(from in prop::array::uniform6(-2.0..2.0f64), change in prop::array::uniform6(-0.3..0.3f64)) {
        let arm = Arm::new(&generic(6), tilted_tool(), Pose::IDENTITY);
        let to: Vec<f64> = from.iter().zip(change).map(|(a, d)| a + d).collect();
        let smallest = |k: u32| {
            let values: Vec<f64> = from.iter().zip(&to).map(|(a, b)| a + (b - a) * f64::from(k) / 100.0).collect();
            arm.ik.jacobian(&values).smallest_singular_value(arm.ik.size())
        };
        prop_assume!((0..=100).all(|k| smallest(k) > 0.02));
        let rows = along(&arm, &from, &to, 100);
        let rows = match rows { Ok(rows) => rows, Err(end) => return Err(TestCaseError::fail(format!("{end:?}"))) };
        let off = rows[100].iter().zip(&to).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        prop_assert!(off < 1e-6, "{}", off);
    }
}

#[test]
fn ends_are_named() {
    let mut specs = industrial();
    specs[5].limits = (-0.5, 0.5);
    specs[0].limits = (-7.0, 7.0);
    let arm = Arm::new(&specs, tilted_tool(), Pose::IDENTITY);
    // The last joint comes to its limit.
    let from = [0.1, 0.2, 0.3, 0.4, 0.9, 0.3];
    let end = along(&arm, &from, &[0.1, 0.2, 0.3, 0.4, 0.9, 0.8], 50).expect_err("a limit is in the way");
    assert!(
        matches!(end, (21, BranchEnd::Limit { coordinate: 5, beyond }) if (beyond - 0.01).abs() < 1e-9),
        "{end:?}"
    );
    // The first goes on past half a turn.
    let rows = along(&arm, &from, &[6.5, 0.2, 0.3, 0.4, 0.9, 0.3], 50).expect("its limits are wide");
    assert!((rows[50][0] - 6.5).abs() < 1e-9);
    let end = along(&arm, &from, &[7.5, 0.2, 0.3, 0.4, 0.9, 0.3], 50).expect_err("a limit is in the way");
    assert!(matches!(end, (_, BranchEnd::Limit { coordinate: 0, .. })), "{end:?}");
    // The elbow is stretched and farther.
    let mut scratch = Solutions::default();
    let wanted = arm.placed(&from, "r/tip");
    let away =
        Pose::from_translation((wanted.translation() - kansho_geom::glam::DVec3::Z * 0.5) * 4.0) * wanted;
    let end = arm.ik.follow(&away, &from, &mut scratch);
    assert!(matches!(end, Followed::Ends(BranchEnd::OutOfReach { .. })), "{end:?}");
}

/// A straight wrist is told at the start, and when a motion comes to it.
#[test]
fn singularities_are_not_jumped_over() {
    let robot = kansho_cell::builtin::arm(&kansho_cell::builtin::ArmDimensions::default());
    let arm = Arm::of(robot, Pose::IDENTITY, "r/tool0");
    let mut scratch = Solutions::default();
    let straight = [0.1, 0.2, 0.3, 0.4, 0.0, 0.5];
    let pose = |values: &[f64]| arm.placed(values, "r/tool0");
    let end = arm.ik.follow(&pose(&straight), &straight, &mut scratch);
    assert!(
        matches!(end, Followed::Ends(BranchEnd::StartSingular(nearness)) if nearness.names() == ["wrist"])
    );
    let before = [0.1, 0.2, 0.3, 0.4, 0.01, 0.5];
    let end = arm.ik.follow(&pose(&straight), &before, &mut scratch);
    assert!(
        matches!(end, Followed::Ends(BranchEnd::Singular(nearness)) if nearness.names() == ["wrist"]),
        "{end:?}"
    );
    // Beyond it, the same branch is half a turn away in joints 4 and 6.
    let beyond = [0.1, 0.2, 0.3, 0.4, -0.01, 0.5];
    let end = arm.ik.follow(&pose(&beyond), &before, &mut scratch);
    assert!(
        matches!(end, Followed::Ends(BranchEnd::Jump { coordinate: 3, change }) if change > 3.0),
        "{end:?}"
    );
}
