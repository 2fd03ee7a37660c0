use super::placement::{Placement, Step};
use super::{Leaf, Scratch, Slot, Tree};
use crate::lanes::{self, One, Pairs};
use crate::pose::Pose;
use crate::triangle::{self, Closest, Triangle};
use fearless_simd::Simd;

/// A search for the nearest triangles of two trees in single precision, the nearest boxes first.
///
/// It leaves candidates for double precision: every pair of triangles that may be the nearest within the limit is among
/// them. Triangles that may touch are decided on the way, exactly; so whatever is left does not touch.
pub(super) struct Search<'a> {
    a: &'a Tree,
    b: &'a Tree,
    a_from_b: Pose,
    placement: Placement,
    /// Nothing farther away than this is of interest: what the caller asks for, or what is proven.
    limit: f32,
    /// The surfaces are at most this far apart: the distance of two of their points as single precision has it, with its
    /// margin added.
    proven: f32,
    /// Once the distance is proven to be no more than this, the search is over.
    enough: f32,
    /// Pairs of triangles that wait until all lanes are filled.
    pairs: Pairs,
    waiting: [Waiting; 8],
    filled: usize,
}

/// What is known of a pair of triangles in a lane.
#[derive(Clone, Copy)]
struct Waiting {
    triangles: [u32; 2],
    /// What the square of their distance may be off by where sides are nearly parallel.
    slack: f32,
}

/// A pair of triangles that single precision does not rule out, and a bound below the square of its distance.
pub(super) type Candidate = (f32, [u32; 2]);

/// How a search ends.
pub(super) enum Outcome {
    /// Two triangles touch.
    Touch([u32; 2]),
    /// The surfaces are as near as is enough.
    Enough,
    /// No triangles touch, and those that may be nearest are among the candidates.
    Candidates,
}

impl<'a> Search<'a> {
    /// Looks for what is no farther than `limit`, until the surfaces are proven to be as near as `enough`.
    pub(super) fn new(a: &'a Tree, b: &'a Tree, a_from_b: Pose, limit: f64, enough: f64) -> Self {
        Self {
            a,
            b,
            a_from_b,
            placement: Placement::of(a, b, a_from_b),
            limit: (limit as f32) * (1.0 + f32::EPSILON),
            proven: f32::INFINITY,
            enough: (enough as f32) * (1.0 - f32::EPSILON),
            pairs: Pairs::EMPTY,
            waiting: [Waiting { triangles: [0; 2], slack: 0.0 }; 8],
            filled: 0,
        }
    }

    /// A bound in single precision beyond which nothing can be within the limit.
    #[inline(always)]
    fn cut(&self) -> f32 {
        self.limit + self.placement.margin
    }

    #[inline(always)]
    pub(super) fn run<S: Simd>(&mut self, simd: S, scratch: &mut Scratch) -> Outcome {
        let Scratch { queue, candidates, box_tests, exact_tests, .. } = scratch;
        candidates.clear();
        queue.start(self.placement.size);
        queue.push((0.0, 0, 0));
        while let Some((_, in_a, in_b)) = queue.pop(self.cut()) {
            let (slot_a, slot_b) = (&self.a.slots[in_a as usize], &self.b.slots[in_b as usize]);
            let (boxes, single, first, open_a) =
                match self.placement.step(simd, self.a, self.b, slot_a, slot_b) {
                    Step::Open { boxes, single, first, in_a } => (boxes, single, first, in_a),
                    Step::Leaves(leaf_a, leaf_b) => {
                        let (a, b) = ((slot_a, leaf_a), (slot_b, leaf_b));
                        if let Some(triangles) = self.leaves(simd, a, b, candidates, exact_tests) {
                            return Outcome::Touch(triangles);
                        }
                        if self.proven <= self.enough {
                            return Outcome::Enough;
                        }
                        continue;
                    }
                };
            *box_tests += 1;
            let (bounds, mut near) = lanes::box_distances(simd, boxes, &single, self.cut());
            while near != 0 {
                let lane = near.trailing_zeros();
                near &= near - 1;
                let bound = bounds[lane as usize % 8];
                queue.push(if open_a { (bound, first + lane, in_b) } else { (bound, in_a, first + lane) });
            }
        }
        self.flush(simd, candidates);
        if self.proven <= self.enough { Outcome::Enough } else { Outcome::Candidates }
    }

    /// Puts the pairs of triangles of two leaves that may be within the limit into lanes; answers with a pair that
    /// touches.
    #[inline(always)]
    fn leaves<S: Simd>(
        &mut self,
        simd: S,
        (slot_a, leaf_a): (&Slot, &Leaf),
        (slot_b, leaf_b): (&Slot, &Leaf),
        candidates: &mut Vec<Candidate>,
        exact_tests: &mut u64,
    ) -> Option<[u32; 2]> {
        let distances = [self.cut(), self.placement.margin];
        let placed = leaf_a.triangles.placed(simd, &self.placement.into_b);
        let [near_a, touch_a] = lanes::triangles_near_box(simd, &placed, &slot_b.bounds, distances);
        let mut near_a = near_a & leaf_a.used;
        if near_a == 0 {
            return None;
        }
        let [mut near_b, mut touch_b] = [leaf_b.used; 2];
        // The box of a single triangle says little more than the triangle does below.
        if near_a.count_ones() > 1 {
            let box_a = self.placement.into_b.box_at(simd, &slot_a.bounds);
            let [near, touch] = lanes::triangles_near_box(simd, &leaf_b.triangles, &box_a, distances);
            near_b &= near;
            touch_b &= touch;
        }
        let slack = (leaf_a.longest_sq + leaf_b.longest_sq) * 2f32.powi(-18);
        while near_a != 0 && near_b != 0 {
            let k = near_a.trailing_zeros() as usize;
            near_a &= near_a - 1;
            let one = placed.one(k);
            if touch_a & (1 << k) != 0 && touch_b != 0 {
                let touching = self.touching(simd, (leaf_a.ids[k], &one), leaf_b, touch_b, exact_tests);
                if touching.is_some() {
                    return touching;
                }
            }
            let mut near = near_b & lanes::triangles_within(simd, &leaf_b.triangles, &one, self.cut());
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                self.pairs.set(self.filled, &one, &leaf_b.triangles, lane);
                self.waiting[self.filled] = Waiting { triangles: [leaf_a.ids[k], leaf_b.ids[lane]], slack };
                self.filled += 1;
                if self.filled == self.waiting.len() {
                    self.flush(simd, candidates);
                }
            }
        }
        if self.proven == f32::INFINITY {
            self.flush(simd, candidates); // Any limit is better than none.
        }
        None
    }

    /// A pair of one triangle and some of eight that touch.
    #[inline(always)]
    fn touching<S: Simd>(
        &self,
        simd: S,
        (id, one): (u32, &One),
        leaf_b: &Leaf,
        touch_b: u32,
        exact_tests: &mut u64,
    ) -> Option<[u32; 2]> {
        let mut met = touch_b & lanes::triangles_met(simd, &leaf_b.triangles, one, self.placement.margin);
        while met != 0 {
            let triangles = [id, leaf_b.ids[met.trailing_zeros() as usize]];
            met &= met - 1;
            *exact_tests += 1;
            if triangle::touch(&self.a.triangle(triangles[0]), &self.in_a(triangles[1])) {
                return Some(triangles);
            }
        }
        None
    }

    /// Lowers the limit by the pairs that wait, and notes those that single precision does not rule out.
    #[inline(always)]
    fn flush<S: Simd>(&mut self, simd: S, candidates: &mut Vec<Candidate>) {
        let filled = std::mem::take(&mut self.filled);
        if filled == 0 {
            return;
        }
        let (below_sq, above_sq) = lanes::pair_distances_sq(simd, &self.pairs);
        for (lane, waiting) in self.waiting[..filled].iter().enumerate() {
            let bound_sq = below_sq[lane] - waiting.slack;
            let cut = self.limit + self.placement.margin;
            // NaN, which degenerate triangles may give, counts as near.
            if bound_sq > cut * cut {
                continue;
            }
            if above_sq[lane] >= 0.0 {
                self.proven = self.proven.min(above_sq[lane].sqrt() + self.placement.margin);
                self.limit = self.limit.min(self.proven);
            }
            candidates.push((bound_sq, waiting.triangles));
        }
    }

    /// A triangle of `b` in the frame of `a`.
    fn in_a(&self, triangle: u32) -> Triangle {
        self.b.triangle(triangle).map(|p| self.a_from_b * p)
    }

    /// The closest points of two triangles that do not touch.
    pub(super) fn closest_apart(&self, triangles: [u32; 2]) -> Closest {
        triangle::closest_apart(&self.a.triangle(triangles[0]), &self.in_a(triangles[1]))
    }

    /// The closest points of two triangles.
    pub(super) fn closest(&self, triangles: [u32; 2]) -> Closest {
        triangle::closest(&self.a.triangle(triangles[0]), &self.in_a(triangles[1]))
    }

    /// Whether two triangles whose distance is bounded below by a square may be as near as `limit`.
    pub(super) fn may_be_within(&self, bound_sq: f32, limit: f64) -> bool {
        let cut = self.limit.min(limit as f32 * (1.0 + f32::EPSILON)) + self.placement.margin;
        !(bound_sq > cut * cut)
    }
}
