use super::placement::Placement;
use super::{Inside, Scratch, Tree, WIDTH};
use crate::lanes::{self, Single};
use crate::pose::Pose;
use crate::triangle::Triangle;
use fearless_simd::{Simd, dispatch};
use glam::{DVec3, Mat3, Vec3};

/// Something else than a tree, convex, and a box around the origin of its own frame that holds it.
pub(crate) struct Around<F> {
    /// How it is placed.
    pub(crate) tree_from_it: Pose,
    /// Half the size of the box.
    pub(crate) half: DVec3,
    /// How far outside the box the thing may still be: a radius.
    pub(crate) radius: f64,
    /// Its distance from a point in its frame, without the radius, and the unit vector away from it; zero inside.
    pub(crate) nearest: F,
}

impl Tree {
    /// Shows triangles that may be within `limit` of a thing, likely nearest ones first; each time the answer is the limit
    /// from then on. Negative infinity ends it.
    ///
    /// Triangles that are not shown are farther away than the last limit, by proof.
    pub(crate) fn near(
        &self,
        around: &Around<impl Fn(DVec3) -> (f64, DVec3)>,
        limit: f64,
        scratch: &mut Scratch,
        show: &mut impl FnMut(u32, &Triangle) -> f64,
    ) {
        let level = scratch.level;
        dispatch!(level, simd => search(simd, self, around, limit, scratch, show))
    }
}

#[inline(always)]
fn search<S: Simd>(
    simd: S,
    tree: &Tree,
    around: &Around<impl Fn(DVec3) -> (f64, DVec3)>,
    limit: f64,
    scratch: &mut Scratch,
    show: &mut impl FnMut(u32, &Triangle) -> f64,
) {
    let reach = around.half.length();
    let placement = Placement::among(
        (tree.middle, tree.reach),
        (DVec3::ZERO, reach + around.radius),
        around.tree_from_it,
    );
    if placement.distance > (limit + around.radius + tree.reach + reach) * (1.0 + 1e-9) {
        return;
    }
    let in_place = Single { axes: Mat3::IDENTITY, centre: Vec3::ZERO, half: around.half.as_vec3() };
    let single = placement.into_a.box_at(simd, &in_place);
    // A bound in single precision beyond which nothing can be within the limit.
    let cut_of = |limit: f64| ((limit + around.radius) as f32) * (1.0 + f32::EPSILON) + placement.margin;
    let mut cut = cut_of(limit);
    // The plane across the way to the middle of a box has the thing beyond it: a bound that gets tight as boxes get small,
    // where the box around a thing with slanted faces stays loose. In double precision, so the margin covers it.
    let it_from_middle = around.tree_from_it.inverse() * Pose::from_translation(tree.middle);
    let beyond = |bounds: &Single| {
        let (distance, away) = (around.nearest)(it_from_middle * bounds.centre.as_dvec3());
        let away = (around.tree_from_it.rotate(away)).as_vec3();
        let reach =
            [bounds.axes.x_axis, bounds.axes.y_axis, bounds.axes.z_axis].map(|axis| axis.dot(away).abs());
        distance as f32 - Vec3::from_array(reach).dot(bounds.half)
    };
    let mut stack = std::mem::take(&mut scratch.bounded);
    stack.clear();
    stack.push((0.0f32, 0u32));
    'search: while let Some((bound, slot)) = stack.pop() {
        if bound > cut {
            continue;
        }
        match tree.slots[slot as usize].content {
            Inside::Node(node) => {
                scratch.box_tests += 1;
                let boxes = &tree.nodes[node as usize];
                let (bounds, mut near) = lanes::box_distances(simd, boxes, &single, cut);
                let base = stack.len();
                while near != 0 {
                    let lane = near.trailing_zeros();
                    near &= near - 1;
                    let slot = 1 + 8 * node + lane;
                    let bound = bounds[lane as usize].max(beyond(&tree.slots[slot as usize].bounds));
                    if bound > cut {
                        continue;
                    }
                    stack.push((bound, slot));
                    let mut at = stack.len() - 1;
                    while at > base && stack[at - 1].0 < stack[at].0 {
                        stack.swap(at - 1, at);
                        at -= 1;
                    }
                }
            }
            Inside::Leaf(leaf) => {
                let leaf = &tree.leaves[leaf as usize];
                let bounds = lanes::triangle_box_distances(simd, &leaf.triangles, &single);
                let mut left = leaf.used;
                while left != 0 {
                    let lane = nearest(&bounds, left);
                    left &= !(1 << lane);
                    if bounds[lane] > cut {
                        continue;
                    }
                    scratch.exact_tests += 1;
                    let id = leaf.ids[lane];
                    let limit = show(id, &tree.triangle(id));
                    if limit == f64::NEG_INFINITY {
                        break 'search;
                    }
                    cut = cut_of(limit);
                }
            }
        }
    }
    scratch.bounded = stack;
}

/// The lane with the least bound of some; there must be one.
#[inline(always)]
fn nearest(bounds: &[f32; WIDTH], lanes: u32) -> usize {
    let mut left = lanes;
    let mut best = lanes.trailing_zeros() as usize;
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        // What is no number comes first: nothing is known about it.
        if bounds[lane] < bounds[best] || bounds[lane].is_nan() {
            best = lane;
        }
    }
    best
}
