//! Pairs that a cell might allow to touch.

use crate::sample;
use crate::scene::{PairId, Scene};
use rayon::prelude::*;

/// Why a pair is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// It touches in every posture that was looked at.
    Always,
    /// It touches in none that was looked at. That is no proof.
    Never,
}

/// Looks at some postures all over the range, and proposes pairs that touch in all of them or in none.
#[must_use]
pub fn propose(scene: &Scene, postures: usize) -> Vec<(PairId, Why)> {
    let pairs = scene.cell().pairs().checked().len();
    let sample: Vec<Vec<f64>> = sample::postures(scene.cell()).take(postures).collect();
    let all: Vec<Vec<PairId>> = sample
        .par_iter()
        .map_init(|| scene.workspace(), |workspace, posture| scene.all_hits(posture, workspace))
        .collect();
    let mut hits = vec![0usize; pairs];
    all.iter().flatten().for_each(|pair| hits[pair.0 as usize] += 1);
    let why = |hits: usize| match hits {
        0 => Some(Why::Never),
        hits if hits == sample.len() => Some(Why::Always),
        _ => None,
    };
    (0u32..).zip(hits).filter_map(|(id, hits)| Some((PairId(id), why(hits)?))).collect()
}
