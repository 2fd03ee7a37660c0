use super::placement::{Placement, Step};
use super::{Leaf, Scratch, Slot, Tree};
use crate::lanes::{self, Rigid};
use crate::pose::Pose;
use crate::triangle;
use fearless_simd::{Simd, dispatch};

/// Whether two surfaces have a common point; if so, one pair of triangles that touch. Exact for the coordinates of `b`'s
/// corners in `a`, rounded to double precision.
///
/// Surfaces only: a body wholly inside another does not touch it.
#[must_use]
pub fn hit(a: &Tree, b: &Tree, a_from_b: Pose, scratch: &mut Scratch) -> Option<[u32; 2]> {
    let level = scratch.level;
    let mut first = None;
    let mut is_enough = |found: [u32; 2]| {
        first = Some(found);
        true
    };
    dispatch!(level, simd => search(simd, a, b, a_from_b, scratch, &mut is_enough));
    first
}

/// All pairs of triangles of two surfaces that touch, in ascending order, but `most` of them at most. As exact as [`hit`].
#[must_use]
pub fn hits(a: &Tree, b: &Tree, a_from_b: Pose, most: usize, scratch: &mut Scratch) -> Vec<[u32; 2]> {
    let level = scratch.level;
    let mut all = Vec::new();
    let mut is_enough = |found: [u32; 2]| {
        if all.len() < most {
            all.push(found);
        }
        all.len() >= most
    };
    dispatch!(level, simd => search(simd, a, b, a_from_b, scratch, &mut is_enough));
    all.sort_unstable();
    all
}

/// Tells every pair that touches, until it is enough.
#[inline(always)]
fn search<S: Simd>(
    simd: S,
    a: &Tree,
    b: &Tree,
    a_from_b: Pose,
    scratch: &mut Scratch,
    is_enough: &mut impl FnMut([u32; 2]) -> bool,
) {
    let placement = Placement::of(a, b, a_from_b);
    // Room for poses that a million products have let drift from rigid.
    if placement.distance > (a.reach + b.reach) * (1.0 + 1e-9) {
        return;
    }
    let margin = placement.margin;
    scratch.stack.clear();
    scratch.stack.push((0, 0));
    while let Some((in_a, in_b)) = scratch.stack.pop() {
        let (slot_a, slot_b) = (&a.slots[in_a as usize], &b.slots[in_b as usize]);
        let (boxes, single, first, open_a) = match placement.step(simd, a, b, slot_a, slot_b) {
            Step::Open { boxes, single, first, in_a } => (boxes, single, first, in_a),
            Step::Leaves(leaf_a, leaf_b) => {
                // Triangles leave more of a thick box empty than of a flat one: so they are more likely to miss the other.
                let (near_a, near_b) = if thickness(slot_a) >= thickness(slot_b) {
                    let near_a = near_box(simd, leaf_a, &placement.into_a, slot_b, margin);
                    if near_a == 0 {
                        continue;
                    }
                    (near_a, near_box(simd, leaf_b, &placement.into_b, slot_a, margin))
                } else {
                    let near_b = near_box(simd, leaf_b, &placement.into_b, slot_a, margin);
                    if near_b == 0 {
                        continue;
                    }
                    (near_box(simd, leaf_a, &placement.into_a, slot_b, margin), near_b)
                };
                let near = Near { leaf_a, leaf_b, near_a, near_b };
                if leaves(simd, a, b, &near, &placement, a_from_b, scratch, is_enough) {
                    return;
                }
                continue;
            }
        };
        scratch.box_tests += 1;
        let (mut met, order) = lanes::boxes_met(simd, boxes, &single, margin);
        // The child whose middle is nearest comes last, and so is looked at first.
        let base = scratch.stack.len();
        while met != 0 {
            let lane = met.trailing_zeros();
            met &= met - 1;
            scratch.stack.push(if open_a { (first + lane, in_b) } else { (in_a, first + lane) });
        }
        let pushed = &mut scratch.stack[base..];
        let key = |pair: &(u32, u32)| order[(if open_a { pair.0 } else { pair.1 } - first) as usize];
        for i in 1..pushed.len() {
            let mut j = i;
            while j > 0 && key(&pushed[j - 1]) < key(&pushed[j]) {
                pushed.swap(j - 1, j);
                j -= 1;
            }
        }
    }
}

/// The least edge of a box, halved.
#[inline(always)]
fn thickness(slot: &Slot) -> f32 {
    slot.bounds.half.min_element()
}

/// The triangles of a leaf that are not apart from a box of the other tree, as bits.
#[inline(always)]
fn near_box<S: Simd>(simd: S, leaf: &Leaf, into_tree: &Rigid, other: &Slot, margin: f32) -> u32 {
    lanes::triangles_in_box(simd, &leaf.triangles, &into_tree.box_at(simd, &other.bounds), margin) & leaf.used
}

/// Triangles of two leaves that are near the other leaf's box, as bits.
struct Near<'a> {
    leaf_a: &'a Leaf,
    leaf_b: &'a Leaf,
    near_a: u32,
    near_b: u32,
}

/// Triangles of two leaves: apart in single precision, or decided exactly. Whether it is enough.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "it is one loop of the search, in a function of its own to be read"
)]
fn leaves<S: Simd>(
    simd: S,
    a: &Tree,
    b: &Tree,
    near: &Near,
    placement: &Placement,
    a_from_b: Pose,
    scratch: &mut Scratch,
    is_enough: &mut impl FnMut([u32; 2]) -> bool,
) -> bool {
    let Near { leaf_a, leaf_b, mut near_a, near_b } = *near;
    while near_a != 0 {
        let k = near_a.trailing_zeros() as usize;
        near_a &= near_a - 1;
        let one = placement.into_b.triangle(simd, &leaf_a.triangles, k);
        let mut met = lanes::triangles_met(simd, &leaf_b.triangles, &one, placement.margin) & near_b;
        while met != 0 {
            let lane = met.trailing_zeros() as usize;
            met &= met - 1;
            scratch.exact_tests += 1;
            let ids = [leaf_a.ids[k], leaf_b.ids[lane]];
            let in_a = b.triangle(ids[1]).map(|p| a_from_b * p);
            if triangle::touch(&a.triangle(ids[0]), &in_a) && is_enough(ids) {
                return true;
            }
        }
    }
    false
}
