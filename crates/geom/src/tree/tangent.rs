//! How far is a mesh from everywhere near a point? A bound by tangents.

use super::faces::{nearest_face, rounding};
use super::{Inside, Scratch, Tree, inside};
use crate::lanes::{self, Tangent};
use crate::{tolerance, triangle};
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
    let size = from_middle.length() + tree.reach;
    let margin = size * 64.0 * 2f64.powi(-24) + rounding;
    // Where squares vanish in single precision, it proves nothing.
    let margin = if size < tolerance::SINGLE { f64::INFINITY } else { margin };
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
    let asked = Tangent { point: one, radius: r, slope: g1, margin: margin as f32 };
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
                let mut below =
                    lanes::tangents_below(simd, &leaf.triangles, &asked, least as f32) & leaf.used;
                while below != 0 {
                    let corners = tree.triangle(leaf.ids[below.trailing_zeros() as usize]);
                    below &= below - 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::weld;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Triangles of all shapes: round ones, slivers, and nearly a line.
    fn triangles() -> impl Strategy<Value = Vec<[DVec3; 3]>> {
        let number = || prop_oneof![-1.0..1.0f64, (-4i32..=4).prop_map(|n| f64::from(n) * 0.25)];
        let point = || (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z));
        let thin = prop::sample::select(vec![1.0, 1.0, 0.1, 1e-2, 1e-4, 1e-7, 1e-10]);
        let one = (point(), point(), point(), 0.02..1.0f64, thin).prop_map(|(a, b, c, size, thin)| {
            let along = (b - a) * size;
            [a, a + along, a + along * 0.4 + (c - a) * (size * thin)]
        });
        prop::collection::vec(one, 1..80)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// What boxes and single precision leave out is never the least.
        #[test]
        fn a_tangent_is_that_of_all_triangles(
            triangles in triangles(),
            from in prop::array::uniform3(-1.5..1.5f64),
            direction in prop::array::uniform3(-1.0..1.0f64),
            of_nearest in any::<bool>(),
            radius in prop::sample::select(vec![1e-3, 0.02, 0.2, 1.0]),
            scale in prop::sample::select(vec![1e-21, 1e-19, 1e-8, 1e-3, 1.0, 1e3]),
            far in prop::sample::select(vec![0.0, 1.0, 1e4]),
            portable in any::<bool>(),
        ) {
            let place = |p: DVec3| (p + DVec3::new(far, -far, 0.5 * far)) * scale;
            let corners: Vec<DVec3> = triangles.iter().flatten().map(|p| place(*p)).collect();
            let ids: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
            // What has no area is left out, and then there may be nothing.
            let Ok(welded) = weld(&corners, &ids, 0.0) else { return Ok(()) };
            let tree = Tree::new(Arc::new(welded.mesh));
            let mut scratch = if portable { Scratch::portable() } else { Scratch::default() };
            let point = place(DVec3::from_array(from));
            let radius = radius * scale;
            let nearest = tree.nearest_point(point, &mut scratch);
            let direction = if of_nearest { point - nearest } else { DVec3::from_array(direction) };
            let g = direction.normalize_or_zero();
            let rounding = rounding(&tree, point);
            let of_all = tree.mesh.corners().map(|corners| {
                term(point - triangle::nearest(point, &corners), radius, g, rounding)
            });
            let least = of_all.fold(f64::INFINITY, |least, x| if x.is_nan() { f64::NEG_INFINITY } else { least.min(x) });
            // A little above, so that to leave out the least one shows.
            for begun in [f64::INFINITY, least + 1e-9 * radius, least] {
                let found = tree.tangent(point, radius, g, begun, &mut scratch);
                prop_assert_eq!(found, least);
            }
            let found = tree.tangent(point, radius, g, least - 1e-3 * radius, &mut scratch);
            prop_assert_eq!(found, least - 1e-3 * radius);
        }
    }
}
