//! Spheres against the formula of a primitive, whose inside counts as well as its surface.

use super::paper::SphereId;
use super::search::{LANES, Packed, PackedRank, SphereScratch};
use crate::pose::Pose;
use crate::primitive::{Primitive, Shape};
use fearless_simd::{Simd, SimdBase, SimdFloat, dispatch, f64x8};
use glam::DVec3;

/// The least gap between smallest spheres and a primitive, if it is at most `limit`, and that sphere; zero if they meet.
///
/// A bound below the distance of what the spheres cover: what is left out lies in a sphere that is farther away.
pub fn gap_to_primitive(
    spheres: &Packed,
    primitive: &Primitive,
    it_from_spheres: Pose,
    limit: f64,
    scratch: &mut SphereScratch,
) -> Option<(f64, SphereId)> {
    let level = scratch.level;
    dispatch!(level, simd => search(simd, spheres, primitive, it_from_spheres, limit, scratch))
}

#[inline(always)]
fn search<S: Simd>(
    simd: S,
    spheres: &Packed,
    primitive: &Primitive,
    it_from_spheres: Pose,
    limit: f64,
    scratch: &mut SphereScratch,
) -> Option<(f64, SphereId)> {
    let (centre, radius) = spheres.first();
    let top = (primitive.signed_distance(it_from_spheres * centre) - radius).max(0.0);
    if !(top <= limit) {
        return None;
    }
    let mut limit = limit;
    let mut best = None;
    let last = spheres.ranks.len() as u32 - 1;
    scratch.bounded.clear();
    scratch.bounded.push((top, 0, 0));
    while let Some((bound, rank, index)) = scratch.bounded.pop() {
        if !(bound <= limit) {
            continue;
        }
        if rank == last {
            limit = bound;
            best = Some((bound, SphereId { rank: rank as usize, index: index as usize }));
            if bound == 0.0 {
                break;
            }
            continue;
        }
        let (first, end) = spheres.ranks[rank as usize].children(index);
        let below = &spheres.ranks[rank as usize + 1];
        let base = scratch.bounded.len();
        for block in (first..end).step_by(LANES) {
            scratch.compared += 1;
            let gaps = gaps(simd, below, block, primitive, it_from_spheres);
            for (index, gap) in (block..end.min(block + LANES as u32)).zip(gaps) {
                if gap <= limit {
                    // Sorted in, the nearest on top.
                    scratch.bounded.push((gap.max(0.0), rank + 1, index));
                    let mut at = scratch.bounded.len() - 1;
                    while at > base && scratch.bounded[at - 1].0 < scratch.bounded[at].0 {
                        scratch.bounded.swap(at - 1, at);
                        at -= 1;
                    }
                }
            }
        }
    }
    best
}

/// For eight spheres how far they are outside a primitive; negative if they reach into it.
#[inline(always)]
fn gaps<S: Simd>(
    simd: S,
    rank: &PackedRank,
    first: u32,
    primitive: &Primitive,
    it_from_spheres: Pose,
) -> [f64; LANES] {
    let mut gaps = [f64::INFINITY; LANES];
    if let Shape::Box { size } = primitive.shape() {
        let half = size * 0.5;
        let at = first as usize..first as usize + LANES;
        let x = f64x8::from_slice(simd, &rank.centres[0][at.clone()]);
        let y = f64x8::from_slice(simd, &rank.centres[1][at.clone()]);
        let z = f64x8::from_slice(simd, &rank.centres[2][at.clone()]);
        let radii = f64x8::from_slice(simd, &rank.radii[at]);
        let (r, t) = (it_from_spheres.rotation(), it_from_spheres.translation());
        let zero = f64x8::splat(simd, 0.0);
        let mut outside_sq = zero;
        for k in 0..3 {
            let along = x * r.x_axis[k] + y * r.y_axis[k] + z * r.z_axis[k] + t[k];
            let outside = (along.abs() - half[k]).max(zero);
            outside_sq += outside * outside;
        }
        // Inside the box the distance counts as zero: a sphere there meets it.
        (outside_sq.sqrt() - radii).store_slice(&mut gaps);
    } else {
        let count = (rank.centres[0].len() + 1 - LANES - first as usize).min(LANES);
        for (k, gap) in gaps.iter_mut().enumerate().take(count) {
            let centre: DVec3 = rank.centre(first + k as u32);
            if centre.is_finite() {
                *gap = primitive.signed_distance(it_from_spheres * centre) - rank.radii[first as usize + k];
            }
        }
    }
    gaps
}
