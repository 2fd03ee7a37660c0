use super::placement::{Placement, Rigid};
use super::{Inside, Leaf, Scratch, Tree};
use crate::lanes;
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
    dispatch!(level, simd => search(simd, a, b, a_from_b, scratch))
}

#[inline(always)]
fn search<S: Simd>(simd: S, a: &Tree, b: &Tree, a_from_b: Pose, scratch: &mut Scratch) -> Option<[u32; 2]> {
    let Placement { into_a, into_b, distance, margin } = Placement::of(a, b, a_from_b);
    if distance > (a.reach + b.reach) * (1.0 + 1e-12) {
        return None;
    }
    scratch.stack.clear();
    scratch.stack.push((0, 0));
    while let Some((in_a, in_b)) = scratch.stack.pop() {
        let (slot_a, slot_b) = (&a.slots[in_a as usize], &b.slots[in_b as usize]);
        let descend_a = match (slot_a.content, slot_b.content) {
            (Inside::Leaf(leaf_a), Inside::Leaf(leaf_b)) => {
                let (leaf_a, leaf_b) = (&a.leaves[leaf_a as usize], &b.leaves[leaf_b as usize]);
                let box_a = into_b.place(&slot_a.bounds);
                let near_b = lanes::triangles_in_box(simd, &leaf_b.triangles, &box_a, margin) & leaf_b.used;
                if near_b == 0 {
                    continue;
                }
                let box_b = into_a.place(&slot_b.bounds);
                let near_a = lanes::triangles_in_box(simd, &leaf_a.triangles, &box_b, margin) & leaf_a.used;
                let pairs = Near { leaf_a, leaf_b, near_a, near_b };
                if let Some(found) = leaves(simd, a, b, &pairs, &into_b, a_from_b, margin, scratch) {
                    return Some(found);
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
                (&a.nodes[node as usize], into_a.place(&slot_b.bounds), 1 + 8 * node)
            }
            (false, _, Inside::Node(node)) => {
                (&b.nodes[node as usize], into_b.place(&slot_a.bounds), 1 + 8 * node)
            }
            _ => unreachable!("the side to descend is a node"),
        };
        let (mut met, order) = lanes::boxes_met(simd, node, &single, margin);
        // The child whose middle is nearest comes last, and so is looked at first.
        let base = scratch.stack.len();
        while met != 0 {
            let lane = met.trailing_zeros();
            met &= met - 1;
            scratch.stack.push(if descend_a { (first + lane, in_b) } else { (in_a, first + lane) });
        }
        let pushed = &mut scratch.stack[base..];
        let key = |pair: &(u32, u32)| {
            let lane = if descend_a { pair.0 } else { pair.1 } - first;
            order[lane as usize]
        };
        for i in 1..pushed.len() {
            let mut j = i;
            while j > 0 && key(&pushed[j - 1]) < key(&pushed[j]) {
                pushed.swap(j - 1, j);
                j -= 1;
            }
        }
    }
    None
}

/// Triangles of two leaves that are near the other leaf's box, as bits.
struct Near<'a> {
    leaf_a: &'a Leaf,
    leaf_b: &'a Leaf,
    near_a: u32,
    near_b: u32,
}

/// Triangles of two leaves: apart in single precision, or decided exactly.
#[expect(clippy::too_many_arguments, reason = "the inner loop of `search`, split off to be read")]
#[inline(always)]
fn leaves<S: Simd>(
    simd: S,
    a: &Tree,
    b: &Tree,
    pairs: &Near,
    into_b: &Rigid,
    a_from_b: Pose,
    margin: f32,
    scratch: &mut Scratch,
) -> Option<[u32; 2]> {
    let Near { leaf_a, leaf_b, mut near_a, near_b } = *pairs;
    while near_a != 0 {
        let k = near_a.trailing_zeros() as usize;
        near_a &= near_a - 1;
        let corners = leaf_a.triangles.triangle(k).map(|p| into_b.point(p));
        let mut met = lanes::triangles_met(simd, &leaf_b.triangles, &corners, margin) & near_b;
        while met != 0 {
            let lane = met.trailing_zeros() as usize;
            met &= met - 1;
            scratch.exact_tests += 1;
            let ids = [leaf_a.ids[k], leaf_b.ids[lane]];
            let in_a = b.triangle(ids[1]).map(|p| a_from_b * p);
            if triangle::touch(&a.triangle(ids[0]), &in_a) {
                return Some(ids);
            }
        }
    }
    None
}
