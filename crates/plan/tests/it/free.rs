//! The built-in arm on its way around its fixture.

use crate::verified;
use kansho_cell::builtin;
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::sample;
use kansho_check::scene::Scene;
use kansho_plan::transfer::{Transfer, TransferOptions, WhyNot, find_transfer, find_transfer_unless};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn scene() -> Scene {
    Scene::new(Arc::new(builtin::cell())).with_models()
}

/// Free postures between which the straight line is not free.
fn hard(scene: &MotionScene<'_>, count: usize) -> Vec<[Vec<f64>; 2]> {
    let mut workspace = scene.scene().workspace();
    let mut of_motions = scene.workspace();
    let free: Vec<Vec<f64>> = sample::postures(scene.cell())
        .filter(|posture| !scene.scene().touches(posture, &mut workspace))
        .take(8 * count)
        .collect();
    let mut found = Vec::new();
    for pair in free.chunks_exact(2) {
        let line = kansho_cell::JointMotion::lines(pair).expect("two postures");
        if scene.motion(&line, &MotionOptions::default(), &mut of_motions).verdict.touches() {
            found.push([pair[0].clone(), pair[1].clone()]);
        }
    }
    assert!(found.len() >= count, "only {} lines are blocked", found.len());
    found.truncate(count);
    found
}

#[test]
fn ways_around_what_is_in_between_are_proven() {
    let scene = scene();
    let scene = MotionScene::new(&scene);
    for ([start, goal], seed) in hard(&scene, 8).into_iter().zip(0..) {
        let options = TransferOptions { seed, ..TransferOptions::default() };
        let (motion, length) =
            verified(&scene, find_transfer(&scene, &start, &goal, &options), [&start, &goal], 0.0);
        assert!(motion.pieces().len() > 1, "the straight line touches");
        let direct = start.iter().zip(&goal).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        assert!(length > direct);
    }
}

#[test]
fn a_clearance_is_kept_all_the_way() {
    let scene = scene();
    let scene = MotionScene::new(&scene);
    let clearance = 0.01;
    let options = TransferOptions { clearance, ..TransferOptions::default() };
    let mut kept = 0;
    for [start, goal] in hard(&scene, 8) {
        match find_transfer(&scene, &start, &goal, &options) {
            Transfer::NotFound { why: WhyNot::Touches { gap, .. }, .. } => assert!(gap <= clearance + 1e-6),
            way => {
                verified(&scene, way, [&start, &goal], clearance);
                kept += 1;
            }
        }
    }
    assert!(kept >= 4, "only {kept} had ends with that clearance");
}

#[test]
fn the_same_seed_is_the_same_way_on_any_number_of_threads() {
    let scene = scene();
    let scene = MotionScene::new(&scene);
    let hard = hard(&scene, 4);
    let all = |options: &TransferOptions| -> Vec<Transfer> {
        hard.iter().map(|[start, goal]| find_transfer(&scene, start, goal, options)).collect()
    };
    let options = TransferOptions { seed: 7, ..TransferOptions::default() };
    let first = all(&options);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        // All at once, so that they disturb each other where they can.
        let together: Vec<Vec<Transfer>> = pool.install(|| {
            use rayon::prelude::*;
            (0..threads).into_par_iter().map(|_| all(&options)).collect()
        });
        assert!(together.iter().all(|again| *again == first));
    }
    // A scene that nobody asked anything yet, and time enough.
    let fresh = Scene::new(Arc::new(builtin::cell())).with_models();
    let fresh = MotionScene::new(&fresh);
    let in_time = TransferOptions { time_limit: Some(Duration::from_secs(3600)), ..options };
    let again: Vec<Transfer> =
        hard.iter().map(|[start, goal]| find_transfer(&fresh, start, goal, &in_time)).collect();
    assert_eq!(again, first);
    assert_ne!(all(&TransferOptions { seed: 8, ..TransferOptions::default() }), first);
}

#[test]
fn too_little_time_is_told_and_changes_nothing_else() {
    let scene = scene();
    let scene = MotionScene::new(&scene);
    let [start, goal] = &hard(&scene, 1)[0];
    let untimed = find_transfer(&scene, start, goal, &TransferOptions::default());
    let mut late = 0;
    for micros in [0, 1, 30, 300, 3_000, 30_000] {
        let options =
            TransferOptions { time_limit: Some(Duration::from_micros(micros)), ..TransferOptions::default() };
        match find_transfer(&scene, start, goal, &options) {
            Transfer::NotFound { why, .. } => {
                assert_eq!(why, WhyNot::OutOfTime);
                late += 1;
            }
            found => assert_eq!(found, untimed),
        }
    }
    assert!(late >= 2, "no time at all is too little");
}

#[test]
fn shortcuts_never_make_a_way_longer() {
    let scene = scene();
    let scene = MotionScene::new(&scene);
    let (mut rough, mut short) = (0.0, 0.0);
    for [start, goal] in hard(&scene, 8) {
        let lengths = [0, 60, 300].map(|shortcuts| {
            let options = TransferOptions { shortcuts, ..TransferOptions::default() };
            verified(&scene, find_transfer(&scene, &start, &goal, &options), [&start, &goal], 0.0).1
        });
        assert!(lengths[1] <= lengths[0] + 1e-12 && lengths[2] <= lengths[0] + 1e-12, "{lengths:?}");
        rough += lengths[0];
        short += lengths[2];
    }
    assert!(short < 0.95 * rough, "{short} after {rough}");
}

#[test]
fn weights_change_what_is_short() {
    let scene = scene();
    let scene = MotionScene::new(&scene);
    let [start, goal] = &hard(&scene, 1)[0];
    let options = TransferOptions { weights: vec![10.0, 1.0], ..TransferOptions::default() };
    let Transfer::Found { motion, length, .. } = find_transfer(&scene, start, goal, &options) else {
        panic!("no way")
    };
    let of = |piece: &kansho_cell::JointPiece| {
        let squares = piece.controls().iter().enumerate().map(|(k, c)| {
            let moved = (c[3] - c[0]) * if k == 0 { 10.0 } else { 1.0 };
            moved * moved
        });
        squares.sum::<f64>().sqrt()
    };
    assert!((motion.pieces().iter().map(of).sum::<f64>() - length).abs() < 1e-9);
}

#[test]
fn a_stop_ends_the_search_and_finds_nothing() {
    let scene = scene();
    let scene = MotionScene::new(&scene);
    let [start, goal] = &hard(&scene, 1)[0];
    let options = TransferOptions::default();
    let stopped = find_transfer_unless(&scene, start, goal, &options, Some(&AtomicBool::new(true)));
    assert!(matches!(stopped, Transfer::NotFound { why: WhyNot::OutOfTime, .. }), "{stopped:?}");
    let found = find_transfer_unless(&scene, start, goal, &options, Some(&AtomicBool::new(false)));
    assert_eq!(found, find_transfer(&scene, start, goal, &options));
}
