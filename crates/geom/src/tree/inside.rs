use super::{Inside, Scratch, Tree};
use crate::lanes;
use crate::sign::{Side, orient3d};
use fearless_simd::{Simd, dispatch};
use glam::{DVec3, Vec3};

/// Whether the closed pieces of a mesh contain a point; none if no ray from it could be followed, which only happens on the surface itself.
///
/// A ray is followed to the outside, and the surface counted where it leaves the solid or enters it, with exact signs. A
/// ray that meets an edge or a corner says nothing, and another is tried.
pub(super) fn contains(tree: &Tree, point: DVec3, scratch: &mut Scratch) -> Option<bool> {
    // Far outside, with room for all rounding.
    if point.distance(tree.middle) > 1.001 * tree.reach + 1e-12 * point.abs().max_element() {
        return Some(false);
    }
    // Directions along which few parts have edges.
    const DIRECTIONS: [DVec3; 6] = [
        DVec3::new(0.437, 0.613, 0.659),
        DVec3::new(-0.719, 0.251, 0.648),
        DVec3::new(0.183, -0.871, 0.456),
        DVec3::new(0.561, 0.297, -0.773),
        DVec3::new(-0.349, -0.547, -0.761),
        DVec3::new(0.823, -0.491, 0.287),
    ];
    let level = scratch.level;
    DIRECTIONS.iter().find_map(|direction| {
        let end = point + *direction * (4.0 * tree.reach);
        dispatch!(level, simd => winding(simd, tree, point, end, scratch)).map(|winding| winding != 0)
    })
}

/// How often the surface winds round a point, by the segment to a point outside; none if the segment meets an edge.
#[inline(always)]
fn winding<S: Simd>(simd: S, tree: &Tree, from: DVec3, to: DVec3, scratch: &mut Scratch) -> Option<i32> {
    let middle: Vec3 = ((from + to) * 0.5 - tree.middle).as_vec3();
    let half: Vec3 = ((to - from) * 0.5).as_vec3();
    // As in `Placement`, for a segment of four times the reach.
    let coordinates = tree.middle.abs().max_element() + 6.0 * tree.reach;
    let margin = (tree.reach * 6.0 * 64.0 * 2f64.powi(-24) + 16.0 * f64::EPSILON * coordinates) as f32
        * (1.0 + f32::EPSILON);
    let mut sum = 0;
    let mut stack = std::mem::take(&mut scratch.stack);
    stack.clear();
    stack.push((0, 0));
    let mut clear = true;
    while let Some((slot, _)) = stack.pop() {
        match tree.slots[slot as usize].content {
            Inside::Node(node) => {
                let mut met =
                    lanes::boxes_met_by_segment(simd, &tree.nodes[node as usize], middle, half, margin);
                while met != 0 {
                    stack.push((1 + 8 * node + met.trailing_zeros(), 0));
                    met &= met - 1;
                }
            }
            Inside::Leaf(leaf) => {
                let leaf = &tree.leaves[leaf as usize];
                for lane in (0..8).filter(|lane| leaf.closed & (1 << lane) != 0) {
                    match crossing(from, to, &tree.triangle(leaf.ids[lane])) {
                        Some(crossed) => sum += crossed,
                        None => clear = false,
                    }
                }
            }
        }
        if !clear {
            break;
        }
    }
    scratch.stack = stack;
    clear.then_some(sum)
}

/// +1 if a segment passes out through a triangle, -1 if in, 0 if it misses; none if it meets its rim, or ends on it.
fn crossing(from: DVec3, to: DVec3, &[a, b, c]: &[DVec3; 3]) -> Option<i32> {
    let (start, end) = (orient3d(a, b, c, from), orient3d(a, b, c, to));
    if start == end && start != Side::On {
        return Some(0);
    }
    let sides = [orient3d(from, to, a, b), orient3d(from, to, b, c), orient3d(from, to, c, a)];
    if sides.contains(&Side::Above) && sides.contains(&Side::Below) {
        return Some(0);
    }
    if sides.contains(&Side::On) || start == Side::On || end == Side::On {
        return None;
    }
    Some(if start == Side::Below { 1 } else { -1 })
}
