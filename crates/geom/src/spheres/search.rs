//! The search of [`super::paper`] without marks, eight spheres at a time.
//!
//! The same pairs of spheres are required to meet on the way down, so the answers are the same. Nothing is moved into the
//! world: one sphere is placed in the frame of the eight that it is compared with.

use super::paper::{Portions, SphereId};
use super::{Hierarchy, Rank};
use crate::bounds::Ball;
use crate::pose::Pose;
use fearless_simd::{Level, Simd, SimdBase, SimdFloat, SimdMask, dispatch, f64x8};
use glam::DVec3;

/// Lanes.
pub(super) const LANES: usize = 8;

/// A hierarchy laid out for eight at a time: coordinate by coordinate.
#[derive(Clone, Debug)]
pub struct Packed {
    pub(super) ranks: Vec<PackedRank>,
}

#[derive(Clone, Debug)]
pub(super) struct PackedRank {
    /// The largest radius.
    pub(super) radius: f64,
    /// Radii, and seven more.
    pub(super) radii: Vec<f64>,
    /// Coordinates of the centres, and seven more, so that eight can be read anywhere.
    pub(super) centres: [Vec<f64>; 3],
    first_child: Vec<u32>,
}

/// Two spheres to be opened: rank and number of each.
type Pair = [(u32, u32); 2];

/// Memory that searches use again. One for each thread.
#[derive(Debug)]
pub struct SphereScratch {
    pub(super) level: Level,
    stack: Vec<Pair>,
    next: Vec<Pair>,
    /// Spheres with a bound below their distance: bound, rank, number.
    pub(super) bounded: Vec<(f64, u32, u32)>,
    /// The same of two.
    bounded_pairs: Vec<(f64, Pair)>,
    /// For each block of eight children those that meet the other's parent, as bits.
    marked: Vec<u8>,
    /// Spheres placed in the frame of the other body so far.
    pub placed: u64,
    /// Comparisons of one sphere with eight so far.
    pub compared: u64,
}

impl Default for SphereScratch {
    fn default() -> Self {
        Self {
            level: crate::lanes::level(),
            stack: Vec::new(),
            next: Vec::new(),
            bounded: Vec::new(),
            bounded_pairs: Vec::new(),
            marked: Vec::new(),
            placed: 0,
            compared: 0,
        }
    }
}

impl Packed {
    /// Lays out a hierarchy of equal spheres in each rank, as the patent has it.
    #[must_use]
    pub fn new(hierarchy: &Hierarchy) -> Self {
        let equal = |rank: &Rank| {
            PackedRank::of(rank, rank.centres.iter().map(|&centre| Ball::new(centre, rank.radius)))
        };
        Self { ranks: hierarchy.ranks.iter().map(equal).collect() }
    }

    /// Lays out the smaller spheres that fit what is covered. They cover the same and stick out less.
    #[must_use]
    pub fn fitted(hierarchy: &Hierarchy) -> Self {
        if hierarchy.ranks[0].fitted.is_empty() {
            return Self::new(hierarchy); // The spheres are all there is.
        }
        let fitted = |rank: &Rank| PackedRank::of(rank, rank.fitted.iter().copied());
        Self { ranks: hierarchy.ranks.iter().map(fitted).collect() }
    }

    /// The same, placed elsewhere. Spheres grow by what the rounding of their centres may be.
    #[must_use]
    pub fn placed(&self, there_from_here: Pose) -> Self {
        let mut placed = self.clone();
        for rank in &mut placed.ranks {
            let count = rank.centres[0].len() + 1 - LANES;
            let mut farthest = 0f64;
            for k in 0..count {
                let centre = rank.centre(k as u32);
                if centre.is_finite() {
                    let centre = there_from_here * centre;
                    farthest = farthest.max(centre.abs().max_element());
                    centre.to_array().into_iter().zip(&mut rank.centres).for_each(|(x, axis)| axis[k] = x);
                }
            }
            let room = 8.0 * f64::EPSILON * (farthest + there_from_here.translation().length());
            rank.radius += room;
            rank.radii.iter_mut().for_each(|radius| *radius += room);
        }
        placed
    }

    /// Radius of the largest of the smallest spheres.
    #[must_use]
    pub fn smallest_radius(&self) -> f64 {
        self.ranks.last().expect("there is a rank").radius
    }

    /// The radius of a sphere.
    #[must_use]
    pub fn radius(&self, sphere: SphereId) -> f64 {
        self.ranks[sphere.rank].radii[sphere.index]
    }

    /// The centre of a sphere.
    #[must_use]
    pub fn centre(&self, sphere: SphereId) -> DVec3 {
        self.ranks[sphere.rank].centre(sphere.index as u32)
    }

    /// The sphere around it all: centre and radius.
    #[must_use]
    pub fn first(&self) -> (DVec3, f64) {
        (self.ranks[0].centre(0), self.ranks[0].radii[0])
    }

    /// Memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_rank =
            |rank: &PackedRank| 4 * size_of_val(&rank.radii[..]) + size_of_val(&rank.first_child[..]);
        self.ranks.iter().map(of_rank).sum()
    }
}

impl PackedRank {
    fn of(rank: &Rank, balls: impl Iterator<Item = Ball> + Clone) -> Self {
        let padding = [f64::INFINITY; LANES - 1];
        let list = |number: fn(Ball) -> f64| balls.clone().map(number).chain(padding).collect::<Vec<f64>>();
        Self {
            radius: balls.clone().map(|ball| ball.radius()).fold(0.0, f64::max),
            radii: balls.clone().map(|ball| ball.radius()).chain([0.0; LANES - 1]).collect(),
            centres: [
                list(|ball| ball.centre().x),
                list(|ball| ball.centre().y),
                list(|ball| ball.centre().z),
            ],
            first_child: rank.first_child.clone(),
        }
    }

    #[inline(always)]
    pub(super) fn centre(&self, index: u32) -> DVec3 {
        let k = index as usize;
        DVec3::new(self.centres[0][k], self.centres[1][k], self.centres[2][k])
    }

    /// The children of a sphere; none in the last rank.
    #[inline(always)]
    pub(super) fn children(&self, index: u32) -> (u32, u32) {
        match self.first_child.get(index as usize..index as usize + 2) {
            Some(ends) => (ends[0], ends[1]),
            None => (0, 0),
        }
    }
}

/// Pairs of smallest spheres that meet, in the order of [`super::paper::search`]. Touching counts.
pub fn search(
    x: &Packed,
    y: &Packed,
    x_from_y: Pose,
    portions: Portions,
    scratch: &mut SphereScratch,
) -> Vec<[SphereId; 2]> {
    let mut found = Vec::new();
    let level = scratch.level;
    dispatch!(level, simd => run(simd, x, y, x_from_y, portions, scratch, &mut found));
    found
}

/// The first pair of smallest spheres that meet, if some do.
#[must_use]
pub fn first(x: &Packed, y: &Packed, x_from_y: Pose, scratch: &mut SphereScratch) -> Option<[SphereId; 2]> {
    let mut found = Vec::new();
    let level = scratch.level;
    dispatch!(level, simd => run(simd, x, y, x_from_y, Portions::First, scratch, &mut found));
    found.pop()
}

/// Whether some smallest spheres meet.
#[must_use]
pub fn meet(x: &Packed, y: &Packed, x_from_y: Pose, scratch: &mut SphereScratch) -> bool {
    first(x, y, x_from_y, scratch).is_some()
}

#[inline(always)]
fn run<S: Simd>(
    simd: S,
    x: &Packed,
    y: &Packed,
    x_from_y: Pose,
    portions: Portions,
    scratch: &mut SphereScratch,
    found: &mut Vec<[SphereId; 2]>,
) -> bool {
    let (a, b) = (x.first(), y.first());
    let reach = a.1 + b.1;
    scratch.placed += 1;
    if !(a.0.distance_squared(x_from_y * b.0) <= reach * reach) {
        return false;
    }
    let y_from_x = x_from_y.inverse();
    scratch.stack.clear();
    scratch.stack.push([(0, 0), (0, 0)]);
    while let Some([(rank_x, i), (rank_y, j)]) = scratch.stack.pop() {
        let (in_x, in_y) = (&x.ranks[rank_x as usize], &y.ranks[rank_y as usize]);
        let (children_x, children_y) = (in_x.children(i), in_y.children(j));
        scratch.next.clear();
        match (rank_x as usize + 1 < x.ranks.len(), rank_y as usize + 1 < y.ranks.len()) {
            (false, false) => {
                found.push([sphere(rank_x, i), sphere(rank_y, j)]);
                if portions == Portions::First {
                    return true;
                }
            }
            (false, true) => {
                let below = &y.ranks[rank_y as usize + 1];
                let one = One::of(y_from_x, in_x, i, scratch);
                for block in (children_y.0..children_y.1).step_by(LANES) {
                    let mut met = one.meets(simd, below, block, children_y.1, scratch);
                    while met != 0 {
                        scratch.next.push([(rank_x, i), (rank_y + 1, block + met.trailing_zeros())]);
                        met &= met - 1;
                    }
                }
            }
            (true, false) => {
                let below = &x.ranks[rank_x as usize + 1];
                let one = One::of(x_from_y, in_y, j, scratch);
                for block in (children_x.0..children_x.1).step_by(LANES) {
                    let mut met = one.meets(simd, below, block, children_x.1, scratch);
                    while met != 0 {
                        scratch.next.push([(rank_x + 1, block + met.trailing_zeros()), (rank_y, j)]);
                        met &= met - 1;
                    }
                }
            }
            (true, true) => {
                let (below_x, below_y) = (&x.ranks[rank_x as usize + 1], &y.ranks[rank_y as usize + 1]);
                let parent_x = One::of(y_from_x, in_x, i, scratch);
                let mut marked = std::mem::take(&mut scratch.marked);
                marked.clear();
                for block in (children_y.0..children_y.1).step_by(LANES) {
                    marked.push(parent_x.meets(simd, below_y, block, children_y.1, scratch) as u8);
                }
                if marked.iter().any(|bits| *bits != 0) {
                    let parent_y = One::of(x_from_y, in_y, j, scratch);
                    for block_x in (children_x.0..children_x.1).step_by(LANES) {
                        let mut met_x = parent_y.meets(simd, below_x, block_x, children_x.1, scratch);
                        while met_x != 0 {
                            let child = block_x + met_x.trailing_zeros();
                            met_x &= met_x - 1;
                            let one = One::of(y_from_x, below_x, child, scratch);
                            for (k, &bits) in (0u32..).zip(&marked).filter(|(_, bits)| **bits != 0) {
                                let block = children_y.0 + k * LANES as u32;
                                let mut met =
                                    one.meets(simd, below_y, block, children_y.1, scratch) & u32::from(bits);
                                while met != 0 {
                                    let other = block + met.trailing_zeros();
                                    met &= met - 1;
                                    scratch.next.push([(rank_x + 1, child), (rank_y + 1, other)]);
                                }
                            }
                        }
                    }
                }
                scratch.marked = marked;
            }
        }
        // The first of them on top.
        while let Some(pair) = scratch.next.pop() {
            scratch.stack.push(pair);
        }
    }
    !found.is_empty()
}

/// The least gap between smallest spheres of two hierarchies, if it is at most `limit`, and which they are; zero if they meet.
///
/// A bound below the distance of what the spheres cover, and above it by at most twice both smallest radii.
pub fn gap(
    x: &Packed,
    y: &Packed,
    x_from_y: Pose,
    limit: f64,
    scratch: &mut SphereScratch,
) -> Option<(f64, [SphereId; 2])> {
    let level = scratch.level;
    dispatch!(level, simd => nearest(simd, x, y, x_from_y, limit, scratch))
}

#[inline(always)]
fn nearest<S: Simd>(
    simd: S,
    x: &Packed,
    y: &Packed,
    x_from_y: Pose,
    limit: f64,
    scratch: &mut SphereScratch,
) -> Option<(f64, [SphereId; 2])> {
    let (a, b) = (x.first(), y.first());
    let top = (a.0.distance(x_from_y * b.0) - a.1 - b.1).max(0.0);
    let y_from_x = x_from_y.inverse();
    let mut limit = limit;
    let mut best = None;
    let mut stack = std::mem::take(&mut scratch.bounded_pairs);
    stack.clear();
    stack.push((top, [(0, 0), (0, 0)]));
    while let Some((bound, [(rank_x, i), (rank_y, j)])) = stack.pop() {
        if !(bound <= limit) {
            continue;
        }
        let last = [x, y].map(|spheres| spheres.ranks.len() as u32 - 1);
        if rank_x == last[0] && rank_y == last[1] {
            limit = bound;
            best = Some((bound, [sphere(rank_x, i), sphere(rank_y, j)]));
            if bound == 0.0 {
                break;
            }
            continue;
        }
        let (in_x, in_y) = (&x.ranks[rank_x as usize], &y.ranks[rank_y as usize]);
        // Opens the larger one, as long as there is something to open.
        let open_x = rank_y == last[1] || (rank_x < last[0] && in_x.radius > in_y.radius);
        let (below, (first, end), one) = if open_x {
            let below = &x.ranks[rank_x as usize + 1];
            (below, in_x.children(i), One::of(x_from_y, in_y, j, scratch))
        } else {
            let below = &y.ranks[rank_y as usize + 1];
            (below, in_y.children(j), One::of(y_from_x, in_x, i, scratch))
        };
        let base = stack.len();
        for block in (first..end).step_by(LANES) {
            scratch.compared += 1;
            let gaps = one.gaps(simd, below, block);
            for (index, gap) in (block..end.min(block + LANES as u32)).zip(gaps) {
                if gap <= limit {
                    let pair = if open_x {
                        [(rank_x + 1, index), (rank_y, j)]
                    } else {
                        [(rank_x, i), (rank_y + 1, index)]
                    };
                    stack.push((gap.max(0.0), pair));
                    let mut at = stack.len() - 1;
                    while at > base && stack[at - 1].0 < stack[at].0 {
                        stack.swap(at - 1, at);
                        at -= 1;
                    }
                }
            }
        }
    }
    scratch.bounded_pairs = stack;
    best
}

fn sphere(rank: u32, index: u32) -> SphereId {
    SphereId { rank: rank as usize, index: index as usize }
}

/// A sphere placed in the frame of others.
struct One {
    centre: DVec3,
    radius: f64,
}

impl One {
    #[inline(always)]
    fn of(there_from_here: Pose, rank: &PackedRank, index: u32, scratch: &mut SphereScratch) -> Self {
        scratch.placed += 1;
        Self { centre: there_from_here * rank.centre(index), radius: rank.radii[index as usize] }
    }

    /// Gaps to eight spheres; negative where they meet.
    #[inline(always)]
    fn gaps<S: Simd>(&self, simd: S, rank: &PackedRank, first: u32) -> [f64; LANES] {
        let at = first as usize..first as usize + LANES;
        let x = f64x8::from_slice(simd, &rank.centres[0][at.clone()]) - self.centre.x;
        let y = f64x8::from_slice(simd, &rank.centres[1][at.clone()]) - self.centre.y;
        let z = f64x8::from_slice(simd, &rank.centres[2][at.clone()]) - self.centre.z;
        let mut gaps = [0.0; LANES];
        let reach = f64x8::from_slice(simd, &rank.radii[at]) + self.radius;
        ((x * x + y * y + z * z).sqrt() - reach).store_slice(&mut gaps);
        gaps
    }

    /// Which of eight spheres meet it, as bits.
    #[inline(always)]
    fn meets<S: Simd>(
        &self,
        simd: S,
        rank: &PackedRank,
        first: u32,
        end: u32,
        scratch: &mut SphereScratch,
    ) -> u32 {
        scratch.compared += 1;
        let at = first as usize..first as usize + LANES;
        let x = f64x8::from_slice(simd, &rank.centres[0][at.clone()]) - self.centre.x;
        let y = f64x8::from_slice(simd, &rank.centres[1][at.clone()]) - self.centre.y;
        let z = f64x8::from_slice(simd, &rank.centres[2][at.clone()]) - self.centre.z;
        let reach = f64x8::from_slice(simd, &rank.radii[at]) + self.radius;
        let within = (x * x + y * y + z * z).simd_le(reach * reach).to_bitmask() as u32;
        let used = if end - first >= LANES as u32 { 0xff } else { (1 << (end - first)) - 1 };
        within & used
    }
}
