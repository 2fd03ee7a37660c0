//! Which faces are near a point? Boxes in single precision rule out, double precision decides.

use super::{Inside, Scratch, Tree};
use crate::lanes::{self, One};
use crate::triangle;
use fearless_simd::{Simd, dispatch};
use glam::{DVec3, Vec3};

/// The face that is nearest to a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// Accurate to some 1e-15 of the size of the coordinates.
    pub(super) distance: f64,
    pub(super) face: u32,
}

/// The face that is nearest to a point. `likely` is any face: the search is short if it is near.
pub(super) fn nearest_face(tree: &Tree, point: DVec3, likely: u32, scratch: &mut Scratch) -> Nearest {
    let mut best = Nearest { distance: distance_to(tree, point, likely), face: likely };
    let level = scratch.level;
    dispatch!(level, simd => look(simd, tree, point, scratch, best.distance, |face, distance| {
        if distance < best.distance {
            best = Nearest { distance, face };
        }
        Some(best.distance)
    }));
    best
}

/// Gathers the faces that come within `radius` of a point, or some more where that is decided by rounding; false if they are
/// more than `most`.
pub(super) fn faces_within(
    tree: &Tree,
    point: DVec3,
    radius: f64,
    most: usize,
    scratch: &mut Scratch,
    into: &mut Vec<u32>,
) -> bool {
    into.clear();
    let level = scratch.level;
    let wide = radius + rounding(tree, point);
    dispatch!(level, simd => look(simd, tree, point, scratch, wide, |face, distance| {
        if distance <= wide {
            into.push(face);
        }
        (into.len() <= most).then_some(wide)
    }));
    into.len() <= most
}

/// The distance from a point to a face.
pub(super) fn distance_to(tree: &Tree, point: DVec3, face: u32) -> f64 {
    triangle::nearest(point, &tree.triangle(face)).distance(point)
}

/// What distances in double precision may be off by.
pub(super) fn rounding(tree: &Tree, point: DVec3) -> f64 {
    let coordinates = point.abs().max_element() + tree.middle.abs().max_element() + tree.reach;
    16.0 * f64::EPSILON * coordinates
}

/// Shows faces with their distances, near boxes first, leaving out only what is farther away than the limit. For each face
/// it is told the limit from there on, or none to end.
#[inline(always)]
fn look<S: Simd>(
    simd: S,
    tree: &Tree,
    point: DVec3,
    scratch: &mut Scratch,
    mut limit: f64,
    mut show: impl FnMut(u32, f64) -> Option<f64>,
) {
    let from_middle = point - tree.middle;
    // As in `Placement`: whatever single precision does to a distance is less.
    let size = from_middle.length() + tree.reach;
    let margin = size * 64.0 * 2f64.powi(-24) + rounding(tree, point);
    let cut = |limit: f64| (limit + margin) as f32 * (1.0 + f32::EPSILON);
    // A point is a triangle too.
    let one = One { corners: [from_middle.as_vec3(); 3], normal: Vec3::ZERO, is_fat: false };
    let mut stack = std::mem::take(&mut scratch.bounded);
    stack.clear();
    stack.push((0.0f32, 0u32));
    'all: while let Some((bound, slot)) = stack.pop() {
        if bound > cut(limit) {
            continue;
        }
        match tree.slots[slot as usize].content {
            Inside::Leaf(leaf) => {
                let leaf = &tree.leaves[leaf as usize];
                let mut near = lanes::triangles_within(simd, &leaf.triangles, &one, cut(limit)) & leaf.used;
                while near != 0 {
                    let face = leaf.ids[near.trailing_zeros() as usize];
                    near &= near - 1;
                    match show(face, distance_to(tree, point, face)) {
                        Some(narrower) => limit = narrower,
                        None => break 'all,
                    }
                }
            }
            Inside::Node(node) => {
                let boxes = &tree.nodes[node as usize];
                let bounds = lanes::point_box_distances(simd, boxes, from_middle.as_vec3());
                let base = stack.len();
                for (lane, &bound) in (0u32..).zip(&bounds) {
                    // Not `bound <= cut`: what is no number proves nothing.
                    if boxes.used() & (1 << lane) == 0 || bound > cut(limit) {
                        continue;
                    }
                    // Sorted in, the nearest on top.
                    stack.push((bound, 1 + 8 * node + lane));
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
}
