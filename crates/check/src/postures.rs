//! Many postures of a cell.

use crate::order::{Order, Ranks, ranks};
use crate::rough::{RoughGap, RoughScene, RoughWorkspace};
use crate::scene::models::Stages;
use crate::scene::{CellGap, PairId, Scene, Workspace};
use kansho_geom::solid::On;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// What to ask of every posture.
#[derive(Clone, Copy, Debug)]
pub struct PosturesOptions<'a> {
    /// What to find.
    pub find: Find,
    /// In which order pairs are looked at.
    pub order: Order,
    /// When to stop: what is not decided by then is undecided.
    pub deadline: Option<Instant>,
    /// Whether to stop now: what is not decided by then is undecided.
    pub stop: Option<&'a AtomicBool>,
    /// Counts the postures that are done, for whoever waits.
    pub done: Option<&'a AtomicUsize>,
}

impl Default for PosturesOptions<'_> {
    fn default() -> Self {
        Self { find: Find::First, order: Order::default(), deadline: None, stop: None, done: None }
    }
}

impl PosturesOptions<'_> {
    fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What to find in a posture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Find {
    /// One pair that touches, if there is one.
    First,
    /// All pairs that touch.
    All,
    /// The least gap, and its pair.
    Gap,
}

/// The answer for one posture.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing touches. With the least gap, if that was asked for and some pair moves.
    Free(Option<CellGap>),
    /// These pairs touch: one, or all if that was asked for. With the place, if the least gap was asked for.
    Touches(Vec<PairId>, Option<CellGap>),
    /// There was no time left.
    Undecided,
}

/// Looks at every posture, on all threads of the current pool. `postures` holds them one after the other.
///
/// The answers depend neither on the order of the postures nor on the number of threads. Of several pairs that touch, the one is
/// named that the cell lists first.
///
/// # Panics
/// If the numbers are not a whole number of postures.
#[must_use]
pub fn postures(scene: &Scene, postures: &[f64], options: &PosturesOptions<'_>) -> Vec<Answer> {
    looked_at(scene, postures, options).0
}

/// As [`postures`], and how they were decided, where the scene has models.
///
/// # Panics
/// If the numbers are not a whole number of postures.
#[must_use]
pub fn looked_at(scene: &Scene, postures: &[f64], options: &PosturesOptions<'_>) -> (Vec<Answer>, Stages) {
    let columns = scene.cell().coordinates().len();
    assert!(columns > 0 && postures.len().is_multiple_of(columns), "a posture has one number per coordinate");
    let listed = scene.listed();
    let ranks = match scene.models() {
        Some(_) => listed.clone(),
        None => ranks(scene, options.order.then, sample(postures, columns)),
    };
    let blocks = blocks(postures, columns);
    let of_block = |workspace: &mut Workspace, rows: &Vec<u32>| {
        let before = workspace.stages();
        let mut last = None;
        let answer = |row: &u32| {
            let posture = &postures[*row as usize * columns..][..columns];
            one(scene, posture, [&ranks, &listed], &mut last, options, workspace)
        };
        let answers: Vec<Answer> = rows.iter().map(answer).collect();
        if let Some(done) = options.done {
            done.fetch_add(answers.len(), Ordering::Relaxed);
        }
        (answers, workspace.stages().since(&before))
    };
    let found: Vec<(Vec<Answer>, Stages)> =
        blocks.par_iter().map_init(|| scene.workspace(), of_block).collect();
    let mut answers = vec![Answer::Undecided; postures.len() / columns];
    let mut stages = Stages::default();
    for (rows, (of_rows, of_block)) in blocks.iter().zip(found) {
        stages.add(&of_block);
        rows.iter().zip(of_rows).for_each(|(row, answer)| answers[*row as usize] = answer);
    }
    (answers, stages)
}

/// For every posture whether anything touches, on all threads of the current pool.
///
/// # Panics
/// If the numbers are not a whole number of postures.
#[must_use]
pub fn touches(scene: &Scene, postures: &[f64]) -> (Vec<bool>, Stages) {
    let columns = scene.cell().coordinates().len();
    assert!(columns > 0 && postures.len().is_multiple_of(columns), "a posture has one number per coordinate");
    let blocks = blocks(postures, columns);
    let of_block = |workspace: &mut Workspace, rows: &Vec<u32>| {
        let before = workspace.stages();
        let touches = |row: &u32| scene.touches(&postures[*row as usize * columns..][..columns], workspace);
        let answers: Vec<bool> = rows.iter().map(touches).collect();
        (answers, workspace.stages().since(&before))
    };
    let found: Vec<(Vec<bool>, Stages)> =
        blocks.par_iter().map_init(|| scene.workspace(), of_block).collect();
    let mut answers = vec![true; postures.len() / columns];
    let mut stages = Stages::default();
    for (rows, (of_rows, of_block)) in blocks.iter().zip(found) {
        stages.add(&of_block);
        rows.iter().zip(of_rows).for_each(|(row, answer)| answers[*row as usize] = answer);
    }
    (answers, stages)
}

/// Looks at every posture by spheres, on all threads of the current pool. Nothing is missed; what touches may be a gap of up to
/// [`RoughScene::accuracy`], and gaps are too small by at most that. Of all pairs that touch, one is named.
///
/// # Panics
/// If the numbers are not a whole number of postures.
#[must_use]
pub fn rough_postures(rough: &RoughScene, postures: &[f64], options: &PosturesOptions<'_>) -> Vec<Answer> {
    let columns = rough.scene().cell().coordinates().len();
    assert!(columns > 0 && postures.len().is_multiple_of(columns), "a posture has one number per coordinate");
    let answer = |workspace: &mut RoughWorkspace, posture: &[f64]| {
        if options.is_over() {
            return Answer::Undecided;
        }
        if let Some(done) = options.done {
            done.fetch_add(1, Ordering::Relaxed);
        }
        match options.find {
            Find::First | Find::All => rough
                .first_hit(posture, workspace)
                .map_or(Answer::Free(None), |hit| Answer::Touches(vec![hit.pair], None)),
            Find::Gap => match rough.least_gap(posture, workspace) {
                None => Answer::Free(None),
                Some(RoughGap { gap, pair, points }) => {
                    let found = CellGap { gap, pair, points, on: [On::Surface; 2] };
                    if gap == 0.0 {
                        Answer::Touches(vec![pair], Some(found))
                    } else {
                        Answer::Free(Some(found))
                    }
                }
            },
        }
    };
    postures.par_chunks(columns).map_init(|| rough.workspace(), answer).collect()
}

fn one(
    scene: &Scene,
    posture: &[f64],
    [ranks, listed]: [&Ranks; 2],
    last: &mut Option<PairId>,
    options: &PosturesOptions<'_>,
    workspace: &mut Workspace,
) -> Answer {
    if options.is_over() {
        return Answer::Undecided;
    }
    match options.find {
        Find::First => {
            let hit = if scene.models().is_some() {
                scene.touches(posture, workspace).then_some(None)
            } else {
                let hit = scene.first_hit(posture, ranks, *last, workspace);
                // Once it is free, the standard order holds again.
                *last = hit.filter(|_| options.order.last_first);
                hit.map(Some)
            };
            // Which was found depends on what was looked at before; which is the first of the cell does not.
            hit.map_or(Answer::Free(None), |found| {
                let first = scene.first_hit(posture, listed, None, workspace).or(found);
                Answer::Touches(first.into_iter().collect(), None)
            })
        }
        // Most postures are free, and models tell that sooner.
        Find::All if scene.models().is_some() && !scene.touches(posture, workspace) => Answer::Free(None),
        Find::All => match scene.all_hits(posture, workspace) {
            pairs if pairs.is_empty() => Answer::Free(None),
            pairs => Answer::Touches(pairs, None),
        },
        Find::Gap => match scene.least_gap(posture, f64::INFINITY, workspace) {
            Some(found) if found.gap == 0.0 => Answer::Touches(vec![found.pair], Some(found)),
            found => Answer::Free(found),
        },
    }
}

/// Rows of a block, and columns that are taken together.
const BLOCK: usize = 1024;
const WIDE: usize = 16;

/// Rows in the order in which they are looked at, in blocks: neighbours should be near each other.
///
/// Work paths with many rotations at each point come point by point. A row is then nearer to the row with the same rotation of the next
/// point than to the next row. So rows that come near each other with a period are looked at along it, to and fro.
fn blocks(postures: &[f64], columns: usize) -> Vec<Vec<u32>> {
    let rows = postures.len() / columns;
    let Some(period) = period(postures, columns) else {
        return (0..rows as u32).collect::<Vec<_>>().chunks(BLOCK).map(<[u32]>::to_vec).collect();
    };
    let mut blocks = Vec::new();
    let high = BLOCK / WIDE;
    let turns = rows.div_ceil(period);
    for top in (0..turns).step_by(high) {
        for left in (0..period).step_by(WIDE) {
            let mut block = Vec::with_capacity(BLOCK);
            for column in left..(left + WIDE).min(period) {
                let down = top..(top + high).min(turns);
                let row = |turn: usize| turn * period + column;
                if (column - left).is_multiple_of(2) {
                    block.extend(down.map(row).filter(|row| *row < rows).map(|row| row as u32));
                } else {
                    block.extend(down.rev().map(row).filter(|row| *row < rows).map(|row| row as u32));
                }
            }
            blocks.push(block);
        }
    }
    blocks
}

/// After how many rows postures come back near to where they were: much nearer than the next row is. Only seldom is it wrong, and
/// then it costs time.
fn period(postures: &[f64], columns: usize) -> Option<usize> {
    const LONGEST: usize = 4096;
    let rows = postures.len() / columns;
    let row = |k: usize| &postures[k * columns..(k + 1) * columns];
    let apart = |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(x, y)| (x - y).abs()).sum::<f64>();
    let from = |start: usize| {
        let next = apart(start, start + 1);
        (2..LONGEST.min(rows - start)).find(|far| apart(start, start + far) < 0.25 * next)
    };
    if rows < 64 {
        return None;
    }
    let starts = [0, rows / 7, rows / 5, rows / 3, rows / 2];
    let found: Vec<Option<usize>> = starts.iter().map(|start| from(*start)).collect();
    let first = found.iter().flatten().min().copied()?;
    let agree = found.iter().filter(|period| **period == Some(first)).count();
    (agree >= 3).then_some(first)
}

/// Postures to learn from: at most one in 32 and 256 in all, evenly spread.
fn sample(postures: &[f64], columns: usize) -> impl Iterator<Item = &[f64]> {
    let rows = postures.len() / columns;
    let wanted = (rows / 32).min(256);
    (0..wanted).map(move |k| {
        let row = k * rows / wanted;
        &postures[row * columns..(row + 1) * columns]
    })
}
