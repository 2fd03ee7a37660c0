use super::search::{Outcome, Search};
use super::{Scratch, Tree};
use crate::pose::Pose;
use crate::triangle::Closest;
use fearless_simd::dispatch;

/// The least distance of two surfaces and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The closest points in the frame of `a`, their features, and the square of the distance; zero if and only if the
    /// surfaces touch.
    pub closest: Closest,
    /// The triangles that they lie on.
    pub triangles: [u32; 2],
}

impl Distance {
    /// The distance.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.closest.distance_sq.sqrt()
    }
}

/// The least distance of two surfaces, if it is less than `below`.
///
/// Surfaces only: a body wholly inside another is as far away as its surface.
#[must_use]
pub fn distance(a: &Tree, b: &Tree, a_from_b: Pose, below: f64, scratch: &mut Scratch) -> Option<Distance> {
    if !(below > 0.0) {
        return None;
    }
    let mut search = Search::new(a, b, a_from_b, below, 0.0);
    let level = scratch.level;
    match dispatch!(level, simd => search.run(simd, scratch)) {
        Outcome::Touch(triangles) => Some(Distance { closest: search.closest(triangles), triangles }),
        // Single precision never proves zero, which is enough, but for touching.
        Outcome::Enough | Outcome::Candidates => finish(&search, below, scratch),
    }
}

/// Decides between the candidates in double precision, likely ones first; between equals by their numbers, so that the
/// answer does not depend on the instructions that found them.
fn finish(search: &Search, below: f64, scratch: &mut Scratch) -> Option<Distance> {
    let mut best: Option<Distance> = None;
    let mut limit = below;
    scratch.candidates.retain(|&(bound_sq, _)| search.may_be_within(bound_sq, below));
    scratch.candidates.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
    for &(bound_sq, triangles) in &scratch.candidates {
        if !search.may_be_within(bound_sq, limit) {
            continue;
        }
        scratch.exact_tests += 1;
        let found = Distance { closest: search.closest_apart(triangles), triangles };
        let rank = |d: &Distance| (d.closest.distance_sq, d.triangles);
        let better = best.as_ref().map_or(found.gap() < below, |best| rank(&found) < rank(best));
        if better {
            limit = found.gap();
            best = Some(found);
        }
    }
    best
}
