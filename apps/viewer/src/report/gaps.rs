//! How near bodies come, as one enclosure for each motion and each pair.

use super::escaped;
use crate::NamedMotion;
use kansho::check::motion::{LeastGap, MotionOptions, MotionScene, PairGap};
use kansho::check::scene::{PairId, Scene};
use kansho::io::people::gap_between;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Pairs that are listed.
const LISTED: usize = 12;

/// What is known of the gaps of a motion that was proven free.
pub(super) struct Enclosed {
    pub(super) name: String,
    /// Of all pairs.
    pub(super) whole: LeastGap,
    /// Of the pairs that come nearest.
    pairs: Vec<PairGap>,
}

/// Encloses the gaps of a motion: the numbers that `kansho view` shows of it.
pub(super) fn enclosed(scene: &Scene, named: &NamedMotion) -> Enclosed {
    let prepared = MotionScene::new(scene);
    let (options, mut workspace) = (MotionOptions::default(), prepared.workspace());
    let plain = prepared.enclosed_gap(&named.motion, &options, &mut workspace);
    let pairs = prepared.enclosed_gaps_of_pairs(&named.motion, &plain, LISTED, &options, &mut workspace);
    let off = |pair: PairGap| PairGap {
        proven: (pair.proven - named.margin).max(0.0),
        measured: pair.measured + named.margin,
        ..pair
    };
    Enclosed {
        name: named.name.clone(),
        whole: plain.widened(named.margin),
        pairs: pairs.into_iter().map(off).collect(),
    }
}

/// The motion that comes nearest, and its number.
pub(super) fn nearest(all: &[Enclosed]) -> Option<(usize, &Enclosed)> {
    let gap = |enclosed: &Enclosed| enclosed.whole.measured.map_or(f64::INFINITY, |(_, found)| found.gap);
    all.iter().enumerate().min_by(|(_, a), (_, b)| gap(a).total_cmp(&gap(b)))
}

/// A sentence for each motion, and a table of pairs over all of them.
pub(super) fn told(scene: &Scene, all: &[Enclosed]) -> String {
    let mut page = "<h2>Pairs and clearances</h2>\n".to_owned();
    for Enclosed { name, whole, .. } in all {
        let _ = match &whole.measured {
            Some((t, found)) => writeln!(
                page,
                "<p class=\"least-gap\">Least gap of {}: <strong>{}</strong>, {}, near {:.1} %.</p>",
                escaped(name),
                gap_between(whole.proven, found.gap),
                pair_words(scene, found.pair),
                100.0 * t
            ),
            None => writeln!(page, "<p class=\"least-gap\">In {} nothing can touch.</p>", escaped(name)),
        };
    }
    let mut rows: BTreeMap<PairId, (PairGap, usize)> = BTreeMap::new();
    for (k, pair) in all.iter().enumerate().flat_map(|(k, one)| one.pairs.iter().map(move |pair| (k, pair))) {
        let row = rows.entry(pair.pair).or_insert((*pair, k));
        let proven = row.0.proven.min(pair.proven);
        if pair.measured < row.0.measured {
            *row = (*pair, k);
        }
        row.0.proven = proven;
    }
    // What a motion does not list is at least as far away as all that it lists; its bound is that of the motion.
    for (row, _) in rows.values_mut() {
        let unlisted = |one: &&Enclosed| one.pairs.iter().all(|pair| pair.pair != row.pair);
        let bound = all.iter().filter(unlisted).map(|one| one.whole.proven).fold(f64::INFINITY, f64::min);
        row.proven = row.proven.min(bound);
    }
    let mut rows: Vec<(PairGap, usize)> = rows.into_values().collect();
    rows.sort_by(|(a, _), (b, _)| a.measured.total_cmp(&b.measured).then(a.pair.cmp(&b.pair)));
    page += "<p>The pairs of bodies that come nearest. The first number is proven: at no instant are they nearer. The second was measured at the instant that is named.</p>\n\
             <table class=\"pairs\">\n<tr><th>pair</th><th>least gap</th><th>where</th></tr>\n";
    for (row, k) in rows.iter().take(LISTED) {
        let of = if all.len() > 1 { format!("{}, ", escaped(&all[*k].name)) } else { String::new() };
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{of}{:.1} %</td></tr>",
            pair_words(scene, row.pair),
            gap_between(row.proven, row.measured),
            100.0 * row.t
        );
    }
    page + "</table>\n"
}

fn pair_words(scene: &Scene, pair: PairId) -> String {
    escaped(&scene.pair_name(pair).replace('|', " | "))
}
