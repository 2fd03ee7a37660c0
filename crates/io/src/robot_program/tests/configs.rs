//! Configurations by hand, and of real robots.

use crate::robot_program::{Config, ControlArm, Language, Profile};
use kansho_cell::builtin;
use std::f64::consts::PI;

/// Configurations by hand, of an arm whose upper arm stands upright and whose forearm points forward at zero.
#[test]
fn configurations_by_hand() {
    let cell = builtin::cell();
    let degrees = |q: [f64; 6]| q.map(f64::to_radians);
    for (language, q, expected) in [
        // In front, forearm bent forward, axis 5 positive.
        (Language::Rapid, [10.0, 0.0, 0.0, 100.0, 30.0, -100.0], "[0,1,-2,0]"),
        (Language::Rapid, [-10.0, 0.0, 0.0, -1.0, -30.0, 350.0], "[-1,-1,3,1]"),
        // The upper arm leans back by 90 degrees and the forearm points up: the wrist is behind axis 1.
        (Language::Rapid, [10.0, -90.0, 0.0, 0.0, 30.0, 0.0], "[0,0,0,4]"),
        // The forearm is folded back beyond the upper arm.
        (Language::Rapid, [10.0, 60.0, -160.0, 0.0, -30.0, 0.0], "[0,0,0,3]"),
        (Language::Krl, [10.0, -5.0, 0.0, 100.0, 30.0, -100.0], "S 2, T 34"),
        (Language::Krl, [-10.0, -90.0, 0.0, 0.0, -30.0, 0.0], "S 7, T 19"),
        (Language::Krl, [10.0, 60.0, -160.0, 0.0, -30.0, 0.0], "S 4, T 20"),
        (Language::Fanuc, [10.0, 0.0, 0.0, 100.0, -30.0, -190.0], "'N U T, 0, 0, -1'"),
        (Language::Fanuc, [10.0, -90.0, 0.0, 181.0, 30.0, 0.0], "'F U B, 0, 1, 0'"),
        (Language::Fanuc, [10.0, 60.0, -160.0, 0.0, -30.0, 0.0], "'N D T, 0, 0, 0'"),
        (Language::Jbi, [10.0, 0.0, 0.0, 100.0, 30.0, -190.0], "1,0,0,0,1,0,0,0"),
        (Language::Jbi, [10.0, 60.0, -160.0, 0.0, -30.0, 0.0], "0,1,0,0,0,0,0,0"),
        (Language::UrScript, [10.0, 0.0, 0.0, 100.0, 30.0, -100.0], "nothing"),
    ] {
        let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
        let posture = degrees(q);
        let config = Config::of(&arm, &posture);
        assert_eq!(config.to_string(), expected, "{language:?} {q:?}");
        assert!(config.holds(&arm, &posture));
    }
    // FANUC's axis 3 is measured from the ground.
    let arm = ControlArm::new(&cell, None, Profile::of(Language::Fanuc)).expect("an arm");
    let axes = arm.to_controller(&degrees([0.0, 20.0, 5.0, 0.0, 0.0, 0.0]));
    assert!((axes[2].to_degrees() + 15.0).abs() < 1e-12);
    let back = arm.from_controller(&axes, &cell.zero_posture());
    assert!((back[2].to_degrees() - 5.0).abs() < 1e-12);
}

/// Every posture is found again by its pose and its configuration.
#[test]
fn configurations_name_one_posture() {
    let cell = builtin::cell();
    let mut seed = 7u64;
    for language in Language::ALL.into_iter().filter(|language| *language != Language::UrScript) {
        let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
        for _ in 0..300 {
            let posture: Vec<f64> = cell
                .coordinates()
                .iter()
                .map(|coordinate| {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let u = (seed >> 11) as f64 / (1u64 << 53) as f64;
                    let limits = coordinate.limits.expect("limits");
                    limits.lower + u * (limits.upper - limits.lower)
                })
                .collect();
            let flange = arm.world_from_flange(&posture);
            let config = Config::of(&arm, &posture);
            // Near a border two postures have the same name.
            let far =
                posture.iter().all(|q| [0.0, 0.5, 1.0, 1.5].iter().all(|k| (q.abs() - k * PI).abs() > 0.01));
            if !far {
                continue;
            }
            let found = arm.reached(&flange, config, &cell.zero_posture(), false, false).expect("reached");
            let off = found.iter().zip(&posture).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "{language:?} {posture:?} {found:?} {config}");
            // Another configuration is another posture, or none.
            if let Config::Abb([a, b, c, d]) = config {
                let other =
                    arm.reached(&flange, Config::Abb([a, b, c, d ^ 1]), &cell.zero_posture(), false, false);
                assert!(other.is_err() || other.is_ok_and(|other| (other[4] - posture[4]).abs() > 1e-3));
            }
        }
    }
}

/// The sample of the notes on formats: joint values of an M-20iA, the pose that they give in three notations, and what is said of them. The
/// flag of the wrist follows what pendants show: with axis 5 positive it is flipped.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test tells why")]
fn a_pose_of_a_real_robot() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        eprintln!("skipped: KANSHO_DATA is not set");
        return;
    };
    let file = std::path::PathBuf::from(data).join("data/windshield/M/cell.toml");
    let cell = crate::cell::read(&file, &crate::cell::CellOptions::default()).expect("a cell").cell;
    let posture = [16.4368, 10.9013, -29.5914, 63.0155, 79.1079, -228.7275].map(f64::to_radians);
    let of = |language: Language| ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
    for (language, expected) in [(Language::Rapid, "[0,0,-3,0]"), (Language::Fanuc, "'F U T, 0, 0, -1'")] {
        assert_eq!(Config::of(&of(language), &posture).to_string(), expected);
    }
    // The world of FANUC is at the height of axis 2, 525 mm over the floor.
    let arm = of(Language::Fanuc);
    let tool = arm.flange_from_tool().expect("a tool");
    let pose = arm.world_from_base().inverse() * arm.world_from_flange(&posture) * tool;
    let wanted = crate::robot_program::value::fixed_angles_pose(
        [1100.0, 633.597, 395.662],
        [174.750, 27.427, -101.282],
    )
    .expect("good");
    for (a, b) in pose.to_rows().iter().zip(wanted.to_rows()) {
        assert!((a - b).abs() < 1.5e-5, "{pose:?} {wanted:?}");
    }
    let axis_3 = arm.to_controller(&posture)[2].to_degrees();
    assert!((axis_3 - (-29.5914 - 10.9013)).abs() < 1e-9);
}
