//! The search of [`super::paper`] without marks, eight spheres at a time.
//!
//! The same pairs of spheres are required to meet on the way down, so the answers are the same. Nothing is moved into the
//! world: one sphere is placed in the frame of the eight that it is compared with.

use super::Hierarchy;
use super::paper::{Portions, SphereId};
use crate::pose::Pose;
use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, f64x8};
use glam::DVec3;

/// Lanes.
const LANES: usize = 8;

/// A hierarchy laid out for eight at a time: coordinate by coordinate.
#[derive(Clone, Debug)]
pub struct Packed {
    ranks: Vec<PackedRank>,
}

#[derive(Clone, Debug)]
struct PackedRank {
    radius: f64,
    /// Coordinates of the centres, and seven more, so that eight can be read anywhere.
    centres: [Vec<f64>; 3],
    first_child: Vec<u32>,
}

/// Two spheres to be opened: rank and number of each.
type Pair = [(u32, u32); 2];

/// Memory that searches use again. One for each thread.
#[derive(Debug)]
pub struct SphereScratch {
    level: Level,
    stack: Vec<Pair>,
    next: Vec<Pair>,
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
            level: Level::new(),
            stack: Vec::new(),
            next: Vec::new(),
            marked: Vec::new(),
            placed: 0,
            compared: 0,
        }
    }
}

impl Packed {
    /// Lays out a hierarchy.
    #[must_use]
    pub fn new(hierarchy: &Hierarchy) -> Self {
        let rank = |rank: &super::Rank| PackedRank {
            radius: rank.radius,
            centres: [0, 1, 2].map(|axis| {
                let padding = [f64::INFINITY; LANES - 1];
                rank.centres.iter().map(|centre| centre[axis]).chain(padding).collect()
            }),
            first_child: rank.first_child.clone(),
        };
        Self { ranks: hierarchy.ranks.iter().map(rank).collect() }
    }

    /// The sphere around it all: centre and radius.
    #[must_use]
    pub fn first(&self) -> (DVec3, f64) {
        (self.ranks[0].centre(0), self.ranks[0].radius)
    }

    /// Memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_rank = |rank: &PackedRank| {
            rank.centres.iter().map(|axis| size_of_val(&axis[..])).sum::<usize>()
                + size_of_val(&rank.first_child[..])
        };
        self.ranks.iter().map(of_rank).sum()
    }
}

impl PackedRank {
    #[inline(always)]
    fn centre(&self, index: u32) -> DVec3 {
        let k = index as usize;
        DVec3::new(self.centres[0][k], self.centres[1][k], self.centres[2][k])
    }

    /// The children of a sphere; none in the last rank.
    #[inline(always)]
    fn children(&self, index: u32) -> (u32, u32) {
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

/// Whether some smallest spheres meet.
#[must_use]
pub fn meet(x: &Packed, y: &Packed, x_from_y: Pose, scratch: &mut SphereScratch) -> bool {
    let mut found = Vec::new();
    let level = scratch.level;
    dispatch!(level, simd => run(simd, x, y, x_from_y, Portions::First, scratch, &mut found))
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
                let one = Ball::of(y_from_x, in_x, i, below.radius, scratch);
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
                let one = Ball::of(x_from_y, in_y, j, below.radius, scratch);
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
                let parent_x = Ball::of(y_from_x, in_x, i, below_y.radius, scratch);
                let mut marked = std::mem::take(&mut scratch.marked);
                marked.clear();
                for block in (children_y.0..children_y.1).step_by(LANES) {
                    marked.push(parent_x.meets(simd, below_y, block, children_y.1, scratch) as u8);
                }
                if marked.iter().any(|bits| *bits != 0) {
                    let parent_y = Ball::of(x_from_y, in_y, j, below_x.radius, scratch);
                    for block_x in (children_x.0..children_x.1).step_by(LANES) {
                        let mut met_x = parent_y.meets(simd, below_x, block_x, children_x.1, scratch);
                        while met_x != 0 {
                            let child = block_x + met_x.trailing_zeros();
                            met_x &= met_x - 1;
                            let one = Ball::of(y_from_x, below_x, child, below_y.radius, scratch);
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

fn sphere(rank: u32, index: u32) -> SphereId {
    SphereId { rank: rank as usize, index: index as usize }
}

/// A sphere placed in the frame of others, and how near their centres are where they meet.
struct Ball {
    centre: DVec3,
    reach_sq: f64,
}

impl Ball {
    #[inline(always)]
    fn of(
        there_from_here: Pose,
        rank: &PackedRank,
        index: u32,
        radius: f64,
        scratch: &mut SphereScratch,
    ) -> Self {
        scratch.placed += 1;
        let reach = rank.radius + radius;
        Self { centre: there_from_here * rank.centre(index), reach_sq: reach * reach }
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
        let z = f64x8::from_slice(simd, &rank.centres[2][at]) - self.centre.z;
        let within = (x * x + y * y + z * z).simd_le(f64x8::splat(simd, self.reach_sq)).to_bitmask() as u32;
        let used = if end - first >= LANES as u32 { 0xff } else { (1 << (end - first)) - 1 };
        within & used
    }
}
