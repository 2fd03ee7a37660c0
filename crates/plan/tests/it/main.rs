//! Ways through free space: found, proven, the same every time; or told why not.
#![expect(clippy::print_stderr, reason = "tests say when they are skipped")]

mod cam;
mod certificates;
mod disassembly;
mod ends;
mod free;
mod intervals;
mod problems;
mod reasons;
mod timing;
mod turns;
mod words;

use kansho_cell::JointMotion;
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::Scene;
use kansho_plan::transfer::Transfer;

/// The motion of a way, after all that can be said of it was asked again: its ends, its limits, its length, the whole of it as a motion, both ways, and
/// many postures of it by the shapes alone.
fn verified(scene: &MotionScene<'_>, way: Transfer, ends: [&[f64]; 2], clearance: f64) -> (JointMotion, f64) {
    let Transfer::Found { motion, proof, length, .. } = way else { panic!("no way was found: {way:?}") };
    for (t, end) in [(0.0, ends[0]), (1.0, ends[1])] {
        for (k, (found, asked)) in motion.at(t).iter().zip(end).enumerate() {
            let turns = (found - asked) / std::f64::consts::TAU;
            let is_endless = scene.cell().coordinates()[k].limits.is_none();
            assert!(found == asked || is_endless && t == 1.0 && (turns - turns.round()).abs() < 1e-12);
        }
    }
    assert!(proof.clearance >= clearance);
    let options = MotionOptions { clearance, ..MotionOptions::default() };
    for motion in [motion.clone(), motion.reversed()] {
        assert!(scene.motion(&motion, &options, &mut scene.workspace()).verdict.is_free());
    }
    let plain = Scene::new(scene.scene().cell().clone());
    let mut workspace = plain.workspace();
    let mut moved = 0.0;
    for piece in motion.pieces() {
        let (from, to) = (piece.controls().iter().map(|c| c[0]), piece.controls().iter().map(|c| c[3]));
        moved += from.zip(to).map(|(a, b)| (b - a) * (b - a)).sum::<f64>().sqrt();
        let mut posture = Vec::new();
        for k in 0..=200 {
            piece.at(f64::from(k) / 200.0, &mut posture);
            assert_eq!(scene.cell().outside_limits(&posture).next(), None);
            if clearance > 0.0 {
                let gap = plain.least_gap(&posture, f64::INFINITY, &mut workspace).map(|gap| gap.gap);
                assert!(gap.is_none_or(|gap| gap > clearance), "a gap of {gap:?}");
            } else {
                assert_eq!(plain.all_hits(&posture, &mut workspace), [], "{posture:?}");
            }
        }
    }
    assert!((moved - length).abs() <= 1e-9 * length.max(1.0), "{moved} {length}");
    (motion, length)
}

/// How many cases a test of random ones takes: all of them with `./test --all`, and fewer for those who wait.
pub(crate) fn cases(all: usize, few: usize) -> usize {
    if std::env::var_os("KANSHO_ALL").is_some() { all } else { few }
}
