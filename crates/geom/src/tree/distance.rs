use super::nearest::nearest_point;
use super::placement::{Placement, Step};
use super::{Leaf, Scratch, Slot, Tree, hit};
use crate::lanes;
use crate::pose::Pose;
use crate::triangle::{self, Closest};
use fearless_simd::{Simd, dispatch};
use glam::Vec3;

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
    // The distance of two triangles is one of their sides and corners only if they do not pass through each other: that
    // is asked first.
    if let Some(triangles) = hit(a, b, a_from_b, scratch) {
        let in_a = b.triangle(triangles[1]).map(|p| a_from_b * p);
        return Some(Distance { closest: triangle::closest(&a.triangle(triangles[0]), &in_a), triangles });
    }
    let level = scratch.level;
    dispatch!(level, simd => Search::new(a, b, a_from_b, below).run(simd, below, scratch))
}

struct Search<'a> {
    a: &'a Tree,
    b: &'a Tree,
    a_from_b: Pose,
    placement: Placement,
    /// Nothing farther away than this is of interest: what the caller asks for, or the distance of two points of the
    /// surfaces, as single precision has it with its margin added.
    limit: f32,
}

/// A pair of triangles that single precision does not rule out, and a bound below the square of its distance.
pub(super) type Candidate = (f32, [u32; 2]);

impl<'a> Search<'a> {
    fn new(a: &'a Tree, b: &'a Tree, a_from_b: Pose, below: f64) -> Self {
        let limit = (below as f32) * (1.0 + f32::EPSILON);
        Self { a, b, a_from_b, placement: Placement::of(a, b, a_from_b), limit }
    }

    /// A bound in single precision beyond which nothing can be within the limit.
    #[inline(always)]
    fn cut(&self) -> f32 {
        self.limit + self.placement.margin
    }

    /// Lowers the limit to the distance of two points of the surfaces.
    #[inline(always)]
    fn offer(&mut self, distance: f32) {
        self.limit = self.limit.min(distance + self.placement.margin);
    }

    /// Goes to and fro between the surfaces, each time to the nearest point, for a limit to start from.
    #[inline(always)]
    fn seed<S: Simd>(&mut self, simd: S, scratch: &mut Scratch) {
        let mut on_a = self.placement.into_a.point(Vec3::ZERO);
        for _ in 0..2 {
            on_a = nearest_point(simd, self.a, on_a, scratch).1;
            let (distance, on_b) = nearest_point(simd, self.b, self.placement.into_b.point(on_a), scratch);
            self.offer(distance);
            on_a = self.placement.into_a.point(on_b);
        }
    }

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, below: f64, scratch: &mut Scratch) -> Option<Distance> {
        self.seed(simd, scratch);
        let mut stack = std::mem::take(&mut scratch.bounded);
        scratch.candidates.clear();
        stack.clear();
        stack.push((0.0f32, 0u32, 0u32));
        while let Some((bound, in_a, in_b)) = stack.pop() {
            if bound > self.cut() {
                continue;
            }
            let (slot_a, slot_b) = (&self.a.slots[in_a as usize], &self.b.slots[in_b as usize]);
            let (boxes, single, first, open_a) = match self.placement.step(self.a, self.b, slot_a, slot_b) {
                Step::Open { boxes, single, first, in_a } => (boxes, single, first, in_a),
                Step::Leaves(leaf_a, leaf_b) => {
                    self.leaves(simd, (slot_a, leaf_a), (slot_b, leaf_b), scratch);
                    continue;
                }
            };
            scratch.box_tests += 1;
            let bounds = lanes::box_distances(simd, boxes, &single);
            let cut = self.cut();
            let base = stack.len();
            for (lane, &bound) in (0u32..).zip(&bounds) {
                // Not `bound <= cut`: what is no number proves nothing.
                if !(bound > cut) {
                    // Sorted in, the nearest on top.
                    let entry =
                        if open_a { (bound, first + lane, in_b) } else { (bound, in_a, first + lane) };
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
        self.finish(below, scratch)
    }

    #[inline(always)]
    fn leaves<S: Simd>(
        &mut self,
        simd: S,
        (slot_a, leaf_a): (&Slot, &Leaf),
        (slot_b, leaf_b): (&Slot, &Leaf),
        scratch: &mut Scratch,
    ) {
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
            let one = leaf_a.one(k, &self.placement.into_b);
            let near = near_b & lanes::triangles_within(simd, &leaf_b.triangles, &one, self.cut());
            if near != 0 {
                let squares = lanes::triangle_distances_sq(simd, &leaf_b.triangles, &one);
                self.note(leaf_a, leaf_b, k, near, &squares, scratch);
            }
        }
    }

    /// Notes pairs of one triangle and eight that single precision does not rule out.
    #[inline(always)]
    fn note(
        &mut self,
        leaf_a: &Leaf,
        leaf_b: &Leaf,
        k: usize,
        near_b: u32,
        (below_sq, above_sq): &([f32; 8], [f32; 8]),
        scratch: &mut Scratch,
    ) {
        // What single precision may be off by where sides are nearly parallel, see `triangle_distances_sq`.
        let slack = (leaf_a.longest_sq + leaf_b.longest_sq) * 2f32.powi(-18);
        let mut left = near_b;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let bound_sq = below_sq[lane] - slack;
            let cut = self.cut();
            // NaN, which degenerate triangles may give, counts as near.
            if bound_sq > cut * cut {
                continue;
            }
            if above_sq[lane] >= 0.0 {
                self.offer(above_sq[lane].sqrt());
            }
            scratch.candidates.push((bound_sq, [leaf_a.ids[k], leaf_b.ids[lane]]));
        }
    }

    /// Decides between the candidates in double precision, likely ones first.
    fn finish(&self, below: f64, scratch: &mut Scratch) -> Option<Distance> {
        let mut best: Option<Distance> = None;
        let mut limit = below;
        let within = |bound_sq: f32, limit: f64| {
            let cut = limit as f32 * (1.0 + f32::EPSILON) + self.placement.margin;
            !(bound_sq > cut * cut)
        };
        let cut = self.cut();
        scratch.candidates.retain(|(bound_sq, _)| !(*bound_sq > cut * cut));
        scratch.candidates.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        for &(bound_sq, triangles) in &scratch.candidates {
            if !within(bound_sq, limit) {
                continue;
            }
            scratch.exact_tests += 1;
            let in_a = self.b.triangle(triangles[1]).map(|p| self.a_from_b * p);
            let closest = triangle::closest(&self.a.triangle(triangles[0]), &in_a);
            if closest.distance_sq < limit * limit {
                limit = closest.distance_sq.sqrt();
                best = Some(Distance { closest, triangles });
            }
        }
        best
    }
}

#[inline(always)]
fn within(bounds: &[f32; 8], cut: f32) -> u32 {
    (0..8).fold(0, |bits, lane| bits | u32::from(!(bounds[lane] > cut)) << lane)
}
