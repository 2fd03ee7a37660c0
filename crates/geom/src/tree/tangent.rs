//! How far is a mesh from everywhere near a point? A bound by tangents.

use super::faces::{nearest_face, rounding};
use super::{Inside, Scratch, Tree, inside};
use crate::lanes;
use crate::triangle;
use fearless_simd::{Simd, dispatch};
use glam::{DVec3, Vec3};

/// Whether a point is in a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// In a closed piece.
    Inside,
    /// In none.
    Outside,
    /// On the surface, or so near to edges that no ray could be followed.
    Unknown,
}

impl Tree {
    /// The point of the surface that is nearest to a given one.
    pub(crate) fn nearest_point(&self, point: DVec3, scratch: &mut Scratch) -> DVec3 {
        // Any face will do to begin with.
        let found = nearest_face(self, point, 0, scratch);
        triangle::nearest(point, &self.triangle(found.face))
    }

    /// Whether a point lies in the closed pieces.
    pub(crate) fn side(&self, point: DVec3, scratch: &mut Scratch) -> Side {
        if !self.some_closed {
            return Side::Outside;
        }
        match inside::contains(self, point, scratch) {
            Some(true) => Side::Inside,
            Some(false) => Side::Outside,
            None => Side::Unknown,
        }
    }

    /// The least of `least` and, over all triangles `k`,
    ///
    /// ```text
    /// d_k - radius · |n_k - g|
    /// ```
    ///
    /// where `d_k` is the distance from a point to the triangle and `n_k` the unit vector from it to the point. A little less where
    /// rounding matters.
    ///
    /// The distance to a triangle is a convex function with the gradient `n_k`, so at `p` within the radius of the point `c` it is no
    /// less than `d_k + n_k · (p - c)`, and that is no less than the answer plus `g · (p - c)`.
    pub(crate) fn tangent(
        &self,
        point: DVec3,
        radius: f64,
        g: DVec3,
        least: f64,
        scratch: &mut Scratch,
    ) -> f64 {
        let level = scratch.level;
        dispatch!(level, simd => search(simd, self, point, radius, g, least, scratch))
    }
}

/// The part of a triangle, or of anything whose nearest point is `away` from the point, in [`Tree::tangent`].
fn term(away: DVec3, radius: f64, g: DVec3, rounding: f64) -> f64 {
    let distance = away.length();
    // The direction is as exact as the distance is long beside what rounds it. A point on the triangle has none.
    let lost = rounding * (1.0 + radius / distance);
    if lost < 1e-3 * radius {
        distance - radius * (away / distance - g).length() - lost
    } else {
        distance - radius * (1.0 + g.length()) - rounding
    }
}

#[inline(always)]
fn search<S: Simd>(
    simd: S,
    tree: &Tree,
    point: DVec3,
    radius: f64,
    g: DVec3,
    least: f64,
    scratch: &mut Scratch,
) -> f64 {
    let from_middle = point - tree.middle;
    let rounding = rounding(tree, point);
    // As in `Placement`: whatever single precision does to a distance is less. Directions are off by as much of the distance.
    let margin = (from_middle.length() + tree.reach) * 64.0 * 2f64.powi(-24) + rounding;
    let one = from_middle.as_vec3();
    let (r, g1) = (radius as f32, g.as_vec3());
    let most = 1.0 + g1.length() * (1.0 + 1e-6);
    // What everything in a box is no less than.
    let beyond = |slot: u32, bound: f32| {
        let bounds = &tree.slots[slot as usize].bounds;
        let low = bound - margin as f32;
        let (between, reach): (Vec3, f32) = (one - bounds.centre, bounds.half.length());
        let far = between.length();
        // Of two vectors, the unit vectors differ by at most twice their difference over the sum of their lengths.
        let turned = (between / far - g1).length() + 2.0 * (reach + margin as f32) / (far + low.max(0.0));
        // `min` takes the number if the other is none.
        low - r * turned.min(most) * (1.0 + 1e-5)
    };
    let mut least = least;
    let mut stack = std::mem::take(&mut scratch.bounded);
    stack.clear();
    stack.push((f32::NEG_INFINITY, 0));
    while let Some((bound, slot)) = stack.pop() {
        if f64::from(bound) > least {
            continue;
        }
        match tree.slots[slot as usize].content {
            Inside::Leaf(leaf) => {
                let leaf = &tree.leaves[leaf as usize];
                for lane in (0..8).filter(|lane| leaf.used & (1 << lane) != 0) {
                    let corners = tree.triangle(leaf.ids[lane]);
                    let away = point - triangle::nearest(point, &corners);
                    let term = term(away, radius, g, rounding);
                    // What is no number counts as near: `min` would leave it out.
                    least = if term.is_nan() { f64::NEG_INFINITY } else { least.min(term) };
                }
            }
            Inside::Node(node) => {
                let boxes = &tree.nodes[node as usize];
                let bounds = lanes::point_box_distances(simd, boxes, one);
                let base = stack.len();
                for (lane, &bound) in
                    (0u32..).zip(&bounds).filter(|(lane, _)| boxes.used() & (1 << lane) != 0)
                {
                    let slot = 1 + 8 * node + lane;
                    let bound = beyond(slot, bound);
                    // Not `bound <= least`: what is no number proves nothing.
                    if f64::from(bound) > least {
                        continue;
                    }
                    stack.push((bound, slot));
                    let mut at = stack.len() - 1;
                    while at > base && stack[at - 1].0 < stack[at].0 {
                        stack.swap(at - 1, at);
                        at -= 1;
                    }
                }
            }
        }
    }
    scratch.bounded = stack;
    least
}
