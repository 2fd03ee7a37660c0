use super::placement::Placement;
use super::{Inside, Leaf, Scratch, Tree};
use crate::lanes;
use crate::pose::Pose;
use crate::triangle::{self, Closest};
use fearless_simd::{Simd, dispatch};

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
    let level = scratch.level;
    dispatch!(level, simd => Search::new(a, b, a_from_b, below).run(simd, scratch))
}

struct Search<'a> {
    a: &'a Tree,
    b: &'a Tree,
    a_from_b: Pose,
    placement: Placement,
    best: Option<Distance>,
    /// What must be beaten.
    limit: f64,
}

impl<'a> Search<'a> {
    fn new(a: &'a Tree, b: &'a Tree, a_from_b: Pose, below: f64) -> Self {
        Self { a, b, a_from_b, placement: Placement::of(a, b, a_from_b), best: None, limit: below }
    }

    /// A bound in single precision beyond which nothing can be nearer than the limit.
    #[inline(always)]
    fn cut(&self) -> f32 {
        // Rounded up, and the margin of the bounds added.
        (self.limit as f32) * (1.0 + f32::EPSILON) + self.placement.margin
    }

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, scratch: &mut Scratch) -> Option<Distance> {
        let mut stack = std::mem::take(&mut scratch.bounded);
        stack.clear();
        stack.push((0.0f32, 0u32, 0u32));
        while let Some((bound, in_a, in_b)) = stack.pop() {
            if bound > self.cut() {
                continue;
            }
            let (slot_a, slot_b) = (&self.a.slots[in_a as usize], &self.b.slots[in_b as usize]);
            let descend_a = match (slot_a.content, slot_b.content) {
                (Inside::Leaf(leaf_a), Inside::Leaf(leaf_b)) => {
                    self.leaves(simd, in_a, in_b, leaf_a, leaf_b, scratch);
                    if self.limit == 0.0 {
                        break; // They touch: nothing is nearer.
                    }
                    continue;
                }
                (Inside::Node(_), Inside::Leaf(_)) => true,
                (Inside::Leaf(_), Inside::Node(_)) => false,
                (Inside::Node(_), Inside::Node(_)) => slot_a.bounds.size() > slot_b.bounds.size(),
            };
            scratch.box_tests += 1;
            let (node, single, first) = match (descend_a, slot_a.content, slot_b.content) {
                (true, Inside::Node(node), _) => {
                    (&self.a.nodes[node as usize], self.placement.into_a.place(&slot_b.bounds), 1 + 8 * node)
                }
                (false, _, Inside::Node(node)) => {
                    (&self.b.nodes[node as usize], self.placement.into_b.place(&slot_a.bounds), 1 + 8 * node)
                }
                _ => unreachable!("the side to descend is a node"),
            };
            let bounds = lanes::box_distances(simd, node, &single);
            let cut = self.cut();
            let base = stack.len();
            for (lane, &bound) in (0u32..).zip(&bounds) {
                if bound <= cut {
                    // Sorted in, the nearest on top.
                    let entry =
                        if descend_a { (bound, first + lane, in_b) } else { (bound, in_a, first + lane) };
                    stack.push(entry);
                    let mut at = stack.len() - 1;
                    while at > base && stack[at - 1].0 < stack[at].0 {
                        stack.swap(at - 1, at);
                        at -= 1;
                    }
                }
            }
        }
        scratch.bounded = stack;
        self.best
    }

    #[inline(always)]
    fn leaves<S: Simd>(
        &mut self,
        simd: S,
        in_a: u32,
        in_b: u32,
        leaf_a: u32,
        leaf_b: u32,
        scratch: &mut Scratch,
    ) {
        let (slot_a, slot_b) = (&self.a.slots[in_a as usize], &self.b.slots[in_b as usize]);
        let (leaf_a, leaf_b) = (&self.a.leaves[leaf_a as usize], &self.b.leaves[leaf_b as usize]);
        let cut = self.cut();
        let to_box_a = lanes::triangle_box_distances(
            simd,
            &leaf_b.triangles,
            &self.placement.into_b.place(&slot_a.bounds),
        );
        let near_b = within(&to_box_a, cut) & leaf_b.used;
        if near_b == 0 {
            return;
        }
        let to_box_b = lanes::triangle_box_distances(
            simd,
            &leaf_a.triangles,
            &self.placement.into_a.place(&slot_b.bounds),
        );
        let mut near_a = within(&to_box_b, cut) & leaf_a.used;
        while near_a != 0 {
            let k = near_a.trailing_zeros() as usize;
            near_a &= near_a - 1;
            let corners = leaf_a.triangles.triangle(k).map(|p| self.placement.into_b.point(p));
            let squares = lanes::triangle_distances_sq(simd, &leaf_b.triangles, &corners);
            self.finish(leaf_a, leaf_b, k, near_b, &squares, scratch);
        }
    }

    /// Pairs of one triangle and eight that single precision does not rule out, nearest first, in double precision.
    #[inline(always)]
    fn finish(
        &mut self,
        leaf_a: &Leaf,
        leaf_b: &Leaf,
        k: usize,
        near_b: u32,
        squares: &[f32; 8],
        scratch: &mut Scratch,
    ) {
        let mut left = near_b;
        while left != 0 {
            let mut nearest = (f32::INFINITY, 0usize);
            let mut bits = left;
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // NaN, which degenerate triangles may give, counts as near.
                if !(squares[lane] >= nearest.0) {
                    nearest = (squares[lane], lane);
                }
            }
            let (square, lane) = nearest;
            left &= !(1 << lane);
            let cut = self.cut();
            // What single precision may be off by where sides are nearly parallel, see `triangle_distances_sq`.
            let slack = (leaf_a.longest_sq + leaf_b.longest_sq) * 2f32.powi(-18);
            if square - slack > cut * cut {
                return;
            }
            scratch.exact_tests += 1;
            let triangles = [leaf_a.ids[k], leaf_b.ids[lane]];
            let in_a = self.b.triangle(triangles[1]).map(|p| self.a_from_b * p);
            let closest = triangle::closest(&self.a.triangle(triangles[0]), &in_a);
            if closest.distance_sq < self.limit * self.limit {
                self.limit = closest.distance_sq.sqrt();
                self.best = Some(Distance { closest, triangles });
            }
        }
    }
}

#[inline(always)]
fn within(bounds: &[f32; 8], cut: f32) -> u32 {
    (0..8).fold(0, |bits, lane| bits | u32::from(bounds[lane] <= cut) << lane)
}
