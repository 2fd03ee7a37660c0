//! How deep are two bodies in each other?
//!
//! | part | answers |
//! |---|---|
//! | `search` | which piece of a surface is looked at next, and when is it enough? |
//! | `bound` | how deep can a piece be, and where probably is it? |
//! | `cover` | do the triangles of a flat face cover what lies over it? |
//! | `game` | which mixture of distances bounds that best? |

mod bound;
mod cover;
mod game;
mod search;

use super::{Meeting, Scratch, Tree, distance, meet};
use crate::pose::Pose;
use glam::DVec3;
use search::Search;

/// Pieces of surfaces looked at before a search ends with what it has, so that hostile bodies take bounded time: some
/// seconds for ten thousand triangles. Blocks take some dozens, round parts some thousands.
pub const MOST_PIECES: usize = 1 << 16;

/// How deep two bodies are in each other: the largest distance from a point of one body's surface that lies inside the other
/// to the other's surface, either way round.
///
/// So a peg is as deep as its tip is away from every wall. Two equal bodies in the same place are at depth zero: no point of
/// either surface is inside the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// It is this deep at [`Depth::point`].
    pub at_least: f64,
    /// Nowhere is it deeper.
    pub at_most: f64,
    /// A point of one surface inside the other body, in the frame of `a`. Means nothing if `at_least` is zero.
    pub point: DVec3,
    /// Whether the point is one of `a`'s surface.
    pub of_first: bool,
}

/// How deep two bodies are in each other; none if a piece of either is [open](Tree::is_closed) and so has no inside.
///
/// Exactly zero if they have no common point; if they only touch, `at_least` is zero and `at_most` within the tolerance.
/// Otherwise the bounds are at most `tolerance` apart, or some last digits of the coordinates if that is more; after
/// [`MOST_PIECES`] they are farther apart, and hold still.
///
/// Pieces of both surfaces, halved again and again, are bounded by their distances to some faces of the other: the distance
/// to a face is a convex function, so a mixture of some is largest at a corner of the piece.
///
/// ```
/// use kansho_geom::{Pose, glam::DVec3, primitive::{Primitive, Shape}, tree::{Scratch, Tree, depth}};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = Primitive::new(Shape::Box { size: DVec3::ONE })?.tessellated(1.0).ok_or("bounded")?;
/// let cube = Tree::new(std::sync::Arc::new(cube));
/// let shifted = Pose::from_translation(DVec3::new(0.9, 0.2, 0.0));
/// let found = depth(&cube, &cube, shifted, 1e-6, &mut Scratch::default()).ok_or("closed")?;
/// assert!((found.at_least - 0.1).abs() < 1e-6 && (found.at_most - 0.1).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn depth(a: &Tree, b: &Tree, a_from_b: Pose, tolerance: f64, scratch: &mut Scratch) -> Option<Depth> {
    if !(a.all_closed && b.all_closed) {
        return None;
    }
    if meet(a, b, a_from_b, scratch) == Meeting::Apart {
        let point = a.mesh.vertices()[0];
        return Some(Depth { at_least: 0.0, at_most: 0.0, point, of_first: true });
    }
    Some(Search::new(a, b, a_from_b, tolerance, scratch).run(MOST_PIECES))
}

/// Bounds below and above the signed distance of two bodies: their gap if they have no common point, else minus their
/// [depth](depth()). None if they have one and a piece of either is open.
#[must_use]
pub fn signed_distance(
    a: &Tree,
    b: &Tree,
    a_from_b: Pose,
    tolerance: f64,
    scratch: &mut Scratch,
) -> Option<[f64; 2]> {
    if meet(a, b, a_from_b, scratch) == Meeting::Apart {
        return distance(a, b, a_from_b, f64::INFINITY, scratch).map(|found| [found.gap(); 2]);
    }
    depth(a, b, a_from_b, tolerance, scratch).map(|found| [-found.at_most, -found.at_least])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::{Primitive, Shape};
    use std::sync::Arc;

    /// Two balls in nearly the same place, whose facets cross everywhere: whenever the search is ended, its bounds hold.
    #[test]
    fn bounds_hold_however_early_a_search_ends() {
        let ball = Primitive::new(Shape::Sphere { radius: 1.0 })
            .expect("a ball")
            .tessellated(0.02)
            .expect("bounded");
        let ball = Tree::new(Arc::new(ball));
        let turned = Pose::from_rpy(DVec3::new(0.01, 0.0, 0.0), DVec3::new(0.1, 0.2, 0.3));
        let mut scratch = Scratch::default();
        let mut after = |pieces: usize| Search::new(&ball, &ball, turned, 1e-3, &mut scratch).run(pieces);
        let full = after(MOST_PIECES);
        assert!(full.at_least > 0.01 && full.at_most - full.at_least <= 1e-3, "{full:?}");
        let mut before = f64::INFINITY;
        for pieces in [0, 1, 2, 5, 10, 100, 1000] {
            let part = after(pieces);
            assert!(
                part.at_least <= full.at_most && full.at_least <= part.at_most,
                "{pieces}: {part:?} {full:?}"
            );
            assert!(part.at_most <= before, "more work never widens them");
            before = part.at_most;
        }
    }
}
