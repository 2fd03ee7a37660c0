//! Random cells and motions, many of which graze.

use super::oracle::{Oracle, Ready, Scenes, Tally};
use crate::models::{Dice, cell, nested};
use kansho_cell::{Cell, JointMotion, Limits, builtin};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::PairId;
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;

pub(super) fn posture(cell: &Cell, dice: &mut Dice) -> Vec<f64> {
    let range = |coordinate: &kansho_cell::Coordinate| {
        coordinate.limits.unwrap_or(Limits { lower: -1.0, upper: 1.0 })
    };
    cell.coordinates().iter().map(range).map(|l| dice.between(l.lower, l.upper)).collect()
}

fn mixed(from: &[f64], to: &[f64], u: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(a, b)| a + (b - a) * u).collect()
}

/// Lines, splines, of one joint only, short and long, and those that stand still for a while.
pub(super) fn motion(cell: &Cell, dice: &mut Dice) -> JointMotion {
    let from = posture(cell, dice);
    let mut to = posture(cell, dice);
    let far = 10f64.powf(dice.between(-3.0, 0.2)).min(1.0);
    to = mixed(&from, &to, far);
    match dice.below(6) {
        0 => {
            let last = posture(cell, dice);
            let next = mixed(&to, &last, far);
            JointMotion::spline(&[from, to.clone(), next, to])
        }
        1 => {
            let k = dice.below(from.len());
            let mut one = from.clone();
            one[k] = to[k];
            JointMotion::lines(&[from, one])
        }
        2 => JointMotion::lines(&[from.clone(), from.clone(), to.clone(), to]),
        _ => JointMotion::lines(&[from, to]),
    }
    .expect("postures")
}

/// Options of every kind.
fn options<'a>(dice: &mut Dice, size: f64, special: &'a [(PairId, f64)]) -> MotionOptions<'a> {
    MotionOptions {
        clearance: [0.0, 0.0, 1e-3, 0.03][dice.below(4)] * size,
        of_pairs: if dice.roll() < 0.3 { special } else { &[] },
        resolution: [1e-6, 1e-6, 1e-4, 1e-9][dice.below(4)] * size,
        ..MotionOptions::default()
    }
}

/// Between a motion that is free and one that is not, until they are neighbours: all of the last ones graze.
fn graze(
    ready: &mut Ready<'_>,
    oracle: &mut Oracle,
    dice: &mut Dice,
    options: &MotionOptions<'_>,
    samples: usize,
    tally: &mut Tally,
) -> bool {
    let cell = std::sync::Arc::clone(&oracle.cell);
    let mut workspace = ready.quick.workspace();
    let [from, a, b] = [0; 3].map(|_| posture(&cell, dice));
    let line = |to: Vec<f64>| JointMotion::lines(&[from.clone(), to]).expect("two postures");
    let mut is_free = |u: f64| {
        let report = ready.quick.motion(&line(mixed(&a, &b, u)), options, &mut workspace);
        matches!(report.verdict, Verdict::Free(_))
    };
    let [first, last] = [0.0, 1.0].map(&mut is_free);
    if first == last {
        return false;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        *if is_free(middle) == first { &mut low } else { &mut high } = middle;
    }
    for u in [low, high, low + 2.0 * (low - high), high + 100.0 * (high - low)] {
        ready.ask(oracle, &line(mixed(&a, &b, u)), options, samples, tally);
    }
    true
}

#[test]
fn random_cells_agree_with_samples() {
    let mut dice = Dice(21);
    let mut tally = Tally { closest: f64::INFINITY, ..Tally::default() };
    let mut grazed = 0;
    let count = crate::cases(30, 10);
    for k in 0..count {
        let scale = [1.0, 1.0, 1e-3, 100.0][k % 4];
        let middle = [DVec3::ZERO, DVec3::new(1e4, -2e4, 500.0)][usize::from(k % 5 == 4)];
        let (scenes, mut oracle) = Scenes::new(cell(&mut dice, scale, middle));
        let mut ready = Ready::new(&scenes);
        let count = oracle.cell.pairs().checked().len() as u32;
        let special: Vec<(PairId, f64)> =
            (0..count).map(|id| (PairId(id), [0.0, 0.002, 0.1][dice.below(3)] * scale)).collect();
        for _ in 0..10 {
            let options = options(&mut dice, scale, &special);
            let cell = std::sync::Arc::clone(&oracle.cell);
            let motion = motion(&cell, &mut dice);
            ready.ask(&mut oracle, &motion, &options, 60, &mut tally);
        }
        for _ in 0..4 {
            let options = options(&mut dice, scale, &special);
            grazed += usize::from(graze(&mut ready, &mut oracle, &mut dice, &options, 60, &mut tally));
        }
    }
    assert!(tally.free > 2 * count && tally.touching > 2 * count && grazed > count / 2, "{tally:?} {grazed}");
    assert!(tally.undecided == 0, "{tally:?}");
}

#[test]
fn bodies_in_bodies_agree_with_samples() {
    let mut dice = Dice(22);
    let mut tally = Tally { closest: f64::INFINITY, ..Tally::default() };
    let mut grazed = 0;
    for _ in 0..30 {
        let (scenes, mut oracle) = Scenes::new(nested(&mut dice));
        let mut ready = Ready::new(&scenes);
        for _ in 0..8 {
            let options = options(&mut dice, 1.0, &[]);
            let cell = std::sync::Arc::clone(&oracle.cell);
            let motion = motion(&cell, &mut dice);
            ready.ask(&mut oracle, &motion, &options, 60, &mut tally);
        }
        let options = options(&mut dice, 1.0, &[]);
        grazed += usize::from(graze(&mut ready, &mut oracle, &mut dice, &options, 60, &mut tally));
    }
    assert!(tally.free > 40 && tally.touching > 40 && grazed > 4, "{tally:?} {grazed}");
    assert!(tally.undecided == 0, "{tally:?}");
}

#[test]
fn the_built_in_cell_agrees_with_samples() {
    let mut dice = Dice(23);
    let mut tally = Tally { closest: f64::INFINITY, ..Tally::default() };
    let mut grazed = 0;
    let (scenes, mut oracle) = Scenes::new(builtin::cell());
    let mut ready = Ready::new(&scenes);
    let count = crate::cases(40, 16);
    for _ in 0..count {
        let options = options(&mut dice, 1.0, &[]);
        let cell = std::sync::Arc::clone(&oracle.cell);
        let motion = motion(&cell, &mut dice);
        ready.ask(&mut oracle, &motion, &options, 24, &mut tally);
    }
    for _ in 0..count / 2 {
        let options = options(&mut dice, 1.0, &[]);
        grazed += usize::from(graze(&mut ready, &mut oracle, &mut dice, &options, 24, &mut tally));
    }
    assert!(tally.free > count / 4 && tally.touching > count / 2 && grazed > 0, "{tally:?} {grazed}");
    assert!(tally.undecided == 0, "{tally:?}");
}

/// The answers do not depend on the number of threads, nor on what was asked before.
#[test]
fn threads_do_not_matter() {
    let mut dice = Dice(24);
    for k in 0..4 {
        let cell = if k == 0 { builtin::cell() } else { cell(&mut dice, 1.0, DVec3::ZERO) };
        let (scenes, oracle) = Scenes::new(cell);
        let motions: Vec<JointMotion> = (0..60).map(|_| motion(&oracle.cell, &mut dice)).collect();
        let options = MotionOptions { clearance: 1e-3, ..MotionOptions::default() };
        let of = |threads: usize| {
            let pool = rayon_pool(threads);
            pool.install(|| MotionScene::new(&scenes.quick).motions(&motions, &options))
        };
        let (one, two) = (of(1), of(2));
        assert_eq!(one, two);
        let mut backwards: Vec<JointMotion> = motions.clone();
        backwards.reverse();
        let mut again = MotionScene::new(&scenes.quick).motions(&backwards, &options);
        again.reverse();
        one.iter().zip(&again).for_each(|(x, y)| assert_eq!(x.verdict, y.verdict));
    }
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}
