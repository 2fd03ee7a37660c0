use super::search::{Outcome, Search};
use super::{Scratch, Tree};
use crate::pose::Pose;
use fearless_simd::dispatch;

/// Whether two surfaces are no farther apart than a clearance; with a clearance of zero, whether they [touch](super::hit()).
///
/// The same as comparing [`distance`](super::distance()) with the clearance, but sooner: the first two points that are near
/// enough end the search, and nothing beyond the clearance is looked at.
///
/// Surfaces only: a body wholly inside another is as far away as its surface.
#[must_use]
pub fn within(a: &Tree, b: &Tree, a_from_b: Pose, clearance: f64, scratch: &mut Scratch) -> bool {
    if !(clearance >= 0.0) {
        return false;
    }
    let mut search = Search::new(a, b, a_from_b, clearance, clearance);
    let level = scratch.level;
    match dispatch!(level, simd => search.run(simd, scratch)) {
        Outcome::Touch(_) | Outcome::Enough => true,
        // What single precision could not decide: within its margin of the clearance.
        Outcome::Candidates => scratch.candidates.iter().any(|&(_, triangles)| {
            scratch.exact_tests += 1;
            search.closest_apart(triangles).distance_sq.sqrt() <= clearance
        }),
    }
}
