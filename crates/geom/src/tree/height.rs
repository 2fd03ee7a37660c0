use super::{Inside, Scratch, Tree};
use crate::lanes;
use fearless_simd::{Simd, dispatch};
use glam::DVec3;

/// The lowest corner over a plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lowest {
    pub(crate) height: f64,
    pub(crate) triangle: u32,
    pub(crate) corner: u8,
    pub(crate) point: DVec3,
}

impl Tree {
    /// The corner of least `normal · p − offset`, if that is less than `below`; any one that is at most `enough`, once it
    /// is found.
    pub(crate) fn lowest(
        &self,
        normal: DVec3,
        offset: f64,
        below: f64,
        enough: f64,
        scratch: &mut Scratch,
    ) -> Option<Lowest> {
        let level = scratch.level;
        dispatch!(level, simd => search(simd, self, (normal, offset), below, enough, scratch))
    }
}

#[inline(always)]
fn search<S: Simd>(
    simd: S,
    tree: &Tree,
    (normal, offset): (DVec3, f64),
    below: f64,
    enough: f64,
    scratch: &mut Scratch,
) -> Option<Lowest> {
    // Heights over the plane through the middle, so that single precision counts only what the mesh spans.
    let of_middle = normal.dot(tree.middle) - offset;
    if of_middle - tree.reach > below + 1e-12 * (tree.reach + of_middle.abs() + offset.abs()) {
        return None;
    }
    let direction = normal.as_vec3();
    // As in `Placement`.
    let coordinates = tree.middle.abs().max_element() + offset.abs() + tree.reach;
    let margin = (tree.reach * 64.0 * 2f64.powi(-24) + 16.0 * f64::EPSILON * coordinates) as f32
        * (1.0 + f32::EPSILON);
    let cut_of = |limit: f64| {
        let limit = (limit - of_middle) as f32;
        limit + limit.abs() * f32::EPSILON + margin
    };
    let mut limit = below;
    let mut best: Option<Lowest> = None;
    let mut stack = std::mem::take(&mut scratch.bounded);
    stack.clear();
    stack.push((f32::NEG_INFINITY, 0u32));
    'search: while let Some((bound, slot)) = stack.pop() {
        if bound > cut_of(limit) {
            continue;
        }
        match tree.slots[slot as usize].content {
            Inside::Node(node) => {
                scratch.box_tests += 1;
                let boxes = &tree.nodes[node as usize];
                let bounds = lanes::box_heights(simd, boxes, direction);
                let cut = cut_of(limit);
                let base = stack.len();
                for (lane, &bound) in (0u32..).zip(&bounds) {
                    // Not `bound <= cut`: what is no number proves nothing.
                    if !(bound > cut) && boxes.used() & (1 << lane) != 0 {
                        stack.push((bound, 1 + 8 * node + lane));
                        let mut at = stack.len() - 1;
                        while at > base && stack[at - 1].0 < stack[at].0 {
                            stack.swap(at - 1, at);
                            at -= 1;
                        }
                    }
                }
            }
            Inside::Leaf(leaf) => {
                let leaf = &tree.leaves[leaf as usize];
                for &triangle in &leaf.ids[..leaf.used.count_ones() as usize] {
                    for (corner, point) in (0u8..).zip(tree.triangle(triangle)) {
                        let height = normal.dot(point) - offset;
                        // Of corners that are as low, that of the first triangle counts: the order of leaves hangs on the processor.
                        let ties = |known: &Lowest| height == limit && triangle < known.triangle;
                        if height < limit || best.as_ref().is_some_and(ties) {
                            limit = height;
                            best = Some(Lowest { height, triangle, corner, point });
                            if height <= enough {
                                break 'search;
                            }
                        }
                    }
                }
            }
        }
    }
    scratch.bounded = stack;
    best
}
