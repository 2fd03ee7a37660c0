use super::{Inside, Scratch, Tree};
use crate::lanes::{self, One};
use crate::pose::Pose;
use crate::sign::{Side, orient3d};
use fearless_simd::{Simd, dispatch};
use glam::{DVec3, Vec3};

/// Whether the closed pieces of a mesh contain a point; none if no ray from it could be followed, which next to never happens
/// but on the surface itself.
pub(super) fn contains(tree: &Tree, point: DVec3, scratch: &mut Scratch) -> Option<bool> {
    let asked = Asked { point, near: point, place: |p| p, off: 0.0 };
    asked.contained(tree, scratch)
}

/// The same of a mesh that is placed elsewhere: of its corners as they are rounded there, as the tests of surfaces have them. A point that
/// is brought into the frame of the mesh instead is rounded otherwise, and may come to lie on the other side of a face.
pub(super) fn contains_placed(
    tree: &Tree,
    there_from_tree: Pose,
    point: DVec3,
    scratch: &mut Scratch,
) -> Option<bool> {
    let near = there_from_tree.inverse() * point;
    let place = |p: DVec3| there_from_tree * p;
    // What rounding, and a pose that is not quite rigid, have made of it.
    let numbers = point.abs().max_element() + there_from_tree.translation().abs().max_element();
    let off = 2.0 * place(near).distance(point) + 64.0 * f64::EPSILON * numbers;
    Asked { point, near, place, off }.contained(tree, scratch)
}

/// A point, where it is in the frame of a tree, how corners of the tree get to where the point is, and how far off a segment
/// from it may be in the frame of the tree.
#[derive(Clone, Copy)]
struct Asked<P> {
    point: DVec3,
    near: DVec3,
    place: P,
    off: f64,
}

impl<P: Fn(DVec3) -> DVec3 + Copy> Asked<P> {
    /// A ray is followed to the outside, and the surface counted where it leaves the solid or enters it, with exact signs. A
    /// ray that meets an edge or a corner says nothing, and another is tried.
    fn contained(self, tree: &Tree, scratch: &mut Scratch) -> Option<bool> {
        let root = &tree.slots[0].bounds;
        let (axes, half) = (root.axes.as_dmat3(), root.half.as_dvec3());
        let in_root = axes.transpose() * (self.near - tree.middle - root.centre.as_dvec3());
        if !tree.box_may_hold(self.near) {
            return Some(false);
        }
        // To the nearest sides of the box first, where the ray is short; a little aslant, for parts have faces along the box.
        let mut exits: [(f64, DVec3); 6] = std::array::from_fn(|k| {
            let (axis, sign) = (k % 3, if k < 3 { 1.0 } else { -1.0 });
            (half[axis] - sign * in_root[axis], axes.col(axis) * sign)
        });
        exits.sort_by(|x, y| x.0.total_cmp(&y.0));
        const ASLANT: [DVec3; 3] = [
            DVec3::new(0.043, 0.061, -0.037),
            DVec3::new(-0.119, 0.083, 0.101),
            DVec3::new(0.31, -0.23, 0.27),
        ];
        let level = scratch.level;
        ASLANT.iter().flat_map(|aslant| exits.iter().map(move |exit| (aslant, exit))).find_map(
            |(aslant, (exit, axis))| {
                // Room for all rounding, and for the slant, which takes away less than half.
                let length = 2.0 * (exit + 0.02 * tree.reach);
                let end = self.near + (*axis + *aslant) * length;
                dispatch!(level, simd => winding(simd, tree, &self, end, scratch)).map(|winding| winding != 0)
            },
        )
    }
}

impl Tree {
    /// Whether a point may lie in the box around all triangles. Says no only if it does not.
    pub(super) fn box_may_hold(&self, point: DVec3) -> bool {
        let root = &self.slots[0].bounds;
        let from_centre = point - self.middle - root.centre.as_dvec3();
        // Single precision has rounded the box by some 1e-7 of the reach, double precision the point by 1e-16 of itself.
        let room = 1e-5 * self.reach + 1e-12 * point.abs().max_element();
        !(from_centre.length() > 2.0 * self.reach + room)
            && !(((root.axes.as_dmat3().transpose() * from_centre).abs() - root.half.as_dvec3())
                .max_element()
                > room)
    }
}

/// How often the surface winds round a point, by the segment to a point outside, which is given in the frame of the tree; none if the
/// segment meets an edge.
#[inline(always)]
fn winding<S: Simd>(
    simd: S,
    tree: &Tree,
    asked: &Asked<impl Fn(DVec3) -> DVec3>,
    to: DVec3,
    scratch: &mut Scratch,
) -> Option<i32> {
    let from = asked.near;
    let (point, end) = (asked.point, (asked.place)(to));
    let middle: Vec3 = ((from + to) * 0.5 - tree.middle).as_vec3();
    let half: Vec3 = ((to - from) * 0.5).as_vec3();
    // As in `Placement`, for a segment that stays within eight times the reach.
    let coordinates = tree.middle.abs().max_element() + 8.0 * tree.reach;
    let rounding = 16.0 * f64::EPSILON * coordinates + asked.off;
    let margin = (tree.reach * 8.0 * 64.0 * 2f64.powi(-24) + rounding) as f32 * (1.0 + f32::EPSILON);
    let ends = [from - tree.middle, to - tree.middle].map(|p| p.as_vec3());
    // A triangle without area.
    let segment = One { corners: [ends[0], ends[1], ends[1]], normal: Vec3::ZERO, is_fat: false };
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
                let mut met = lanes::triangles_met(simd, &leaf.triangles, &segment, margin) & leaf.closed;
                while met != 0 {
                    let lane = met.trailing_zeros() as usize;
                    met &= met - 1;
                    let triangle = tree.triangle(leaf.ids[lane]).map(&asked.place);
                    match crossing(point, end, &triangle) {
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
