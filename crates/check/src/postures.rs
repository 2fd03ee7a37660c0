//! Many postures of a cell.

use crate::order::{Order, Ranks, ranks};
use crate::rough::{RoughGap, RoughScene, RoughWorkspace};
use crate::scene::{CellGap, PairId, Scene, Workspace};
use kansho_geom::solid::On;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    /// Counts the postures that are done, for whoever waits.
    pub done: Option<&'a AtomicUsize>,
}

impl Default for PosturesOptions<'_> {
    fn default() -> Self {
        Self { find: Find::First, order: Order::default(), deadline: None, done: None }
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

/// Rows that share a history of last hits. A block begins without one, so the answers do not depend on which thread took
/// which block.
const BLOCK: usize = 512;

/// Looks at every posture, on all threads of the current pool. `postures` holds them one after the other.
///
/// The answers are the same for any number of threads.
///
/// # Panics
/// If the numbers are not a whole number of postures.
#[must_use]
pub fn postures(scene: &Scene, postures: &[f64], options: &PosturesOptions<'_>) -> Vec<Answer> {
    let columns = scene.cell().coordinates().len();
    assert!(columns > 0 && postures.len().is_multiple_of(columns), "a posture has one number per coordinate");
    let ranks = ranks(scene, options.order.then, sample(postures, columns));
    let answers = |workspace: &mut Workspace, block: &[f64]| {
        let mut last = None;
        let answer = |posture: &[f64]| one(scene, posture, &ranks, &mut last, options, workspace);
        let answers: Vec<Answer> = block.chunks_exact(columns).map(answer).collect();
        if let Some(done) = options.done {
            done.fetch_add(answers.len(), Ordering::Relaxed);
        }
        answers
    };
    let blocks: Vec<Vec<Answer>> =
        postures.par_chunks(BLOCK * columns).map_init(|| scene.workspace(), answers).collect();
    blocks.into_iter().flatten().collect()
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
        if options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
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
    ranks: &Ranks,
    last: &mut Option<PairId>,
    options: &PosturesOptions<'_>,
    workspace: &mut Workspace,
) -> Answer {
    if options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        return Answer::Undecided;
    }
    match options.find {
        Find::First => {
            let hit = scene.first_hit(posture, ranks, *last, workspace);
            // Once it is free, the standard order holds again.
            *last = hit.filter(|_| options.order.last_first);
            hit.map_or(Answer::Free(None), |pair| Answer::Touches(vec![pair], None))
        }
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

/// Postures to learn from: at most one in 32 and 256 in all, evenly spread.
fn sample(postures: &[f64], columns: usize) -> impl Iterator<Item = &[f64]> {
    let rows = postures.len() / columns;
    let wanted = (rows / 32).min(256);
    (0..wanted).map(move |k| {
        let row = k * rows / wanted;
        &postures[row * columns..(row + 1) * columns]
    })
}
