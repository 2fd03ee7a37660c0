use super::{Inside, Scratch, Tree};
use crate::lanes;
use fearless_simd::Simd;
use glam::Vec3;

/// A point of the surface near a given one, and their distance: the nearest, up to the rounding of single precision. Counted
/// from the tree's middle.
///
/// It proves nothing; it gives searches something to start from.
#[inline(always)]
pub(super) fn nearest_point<S: Simd>(
    simd: S,
    tree: &Tree,
    point: Vec3,
    scratch: &mut Scratch,
) -> (f32, Vec3) {
    let mut stack = std::mem::take(&mut scratch.bounded);
    stack.clear();
    stack.push((0.0f32, 0u32, 0u32));
    let mut best = (f32::INFINITY, point);
    while let Some((bound, slot, _)) = stack.pop() {
        if bound >= best.0 {
            continue;
        }
        match tree.slots[slot as usize].content {
            Inside::Leaf(leaf) => {
                let leaf = &tree.leaves[leaf as usize];
                for lane in 0..leaf.used.count_ones() as usize {
                    let found = nearest_on_triangle(point, &leaf.triangles.triangle(lane));
                    let distance = found.distance(point);
                    if distance < best.0 {
                        best = (distance, found);
                    }
                }
            }
            Inside::Node(node) => {
                let bounds = lanes::point_box_distances(simd, &tree.nodes[node as usize], point);
                let base = stack.len();
                for (lane, &bound) in (0u32..).zip(&bounds) {
                    if bound < best.0 {
                        stack.push((bound, 1 + 8 * node + lane, 0));
                        let mut at = stack.len() - 1;
                        while at > base && stack[at - 1].0 < stack[at].0 {
                            stack.swap(at - 1, at);
                            at -= 1;
                        }
                    }
                }
            }
        }
    }
    scratch.bounded = stack;
    best
}

/// The nearest point of a triangle (Ericson 2005, 5.1.5).
#[inline(always)]
fn nearest_on_triangle(p: Vec3, &[a, b, c]: &[Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3)).clamp(0.0, 1.0);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6)).clamp(0.0, 1.0);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))).clamp(0.0, 1.0);
    }
    // Clamped, so that rounding on a sliver cannot lead off the triangle.
    let sum = va + vb + vc;
    let v = (vb / sum).clamp(0.0, 1.0);
    let w = (vc / sum).clamp(0.0, 1.0 - v);
    a + ab * v + ac * w
}
