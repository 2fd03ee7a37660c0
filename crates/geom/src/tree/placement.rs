use super::{Inside, Leaf, Slot, Tree};
use crate::lanes::{Boxes, Rigid, Single};
use crate::pose::Pose;
use crate::tolerance;
use fearless_simd::Simd;
use glam::DVec3;

/// Two trees placed relative to each other: the way from each middle to the other in single precision, and the margin
/// that its rounding needs.
pub(super) struct Placement {
    pub(super) into_a: Rigid,
    pub(super) into_b: Rigid,
    /// A bound below the distance of the middles.
    pub(super) distance: f64,
    /// A distance within which everything lies.
    pub(super) size: f32,
    /// Distance that covers every rounding of single precision on the way to "apart", in metres.
    ///
    /// Every number that enters a comparison is a sum of at most a dozen products of coordinates within `size` of the
    /// origin and of entries of rotations, each rounded with a relative error of 2⁻²⁴; boxes are rounded once more when
    /// they are stored. Together that stays below 64 · 2⁻²⁴ · size. Far from the origin the corners themselves, and the way
    /// between the middles, are rounded in double precision, by less than 16 · 2⁻⁵³ of the coordinates: that is added.
    pub(super) margin: f32,
}

/// What to look at next for two boxes that may meet.
pub(super) enum Step<'a> {
    /// The triangles of two leaves.
    Leaves(&'a Leaf, &'a Leaf),
    /// The eight boxes inside one, against the other placed in their frame.
    Open {
        boxes: &'a Boxes,
        single: Single,
        /// The slot of the first of the eight.
        first: u32,
        /// Whether they are those of the first tree.
        in_a: bool,
    },
}

impl Placement {
    /// Opens the larger of two boxes, as long as there is something to open.
    #[inline(always)]
    pub(super) fn step<'a, S: Simd>(
        &self,
        simd: S,
        a: &'a Tree,
        b: &'a Tree,
        slot_a: &Slot,
        slot_b: &Slot,
    ) -> Step<'a> {
        match (slot_a.content, slot_b.content) {
            (Inside::Leaf(leaf_a), Inside::Leaf(leaf_b)) => {
                Step::Leaves(&a.leaves[leaf_a as usize], &b.leaves[leaf_b as usize])
            }
            (Inside::Leaf(_), Inside::Node(node)) => self.open_b(simd, b, node, slot_a),
            (Inside::Node(_), Inside::Node(node)) if slot_b.bounds.size() >= slot_a.bounds.size() => {
                self.open_b(simd, b, node, slot_a)
            }
            (Inside::Node(node), _) => Step::Open {
                boxes: &a.nodes[node as usize],
                single: self.into_a.box_at(simd, &slot_b.bounds),
                first: 1 + 8 * node,
                in_a: true,
            },
        }
    }

    #[inline(always)]
    fn open_b<'a, S: Simd>(&self, simd: S, b: &'a Tree, node: u32, slot_a: &Slot) -> Step<'a> {
        let single = self.into_b.box_at(simd, &slot_a.bounds);
        Step::Open { boxes: &b.nodes[node as usize], single, first: 1 + 8 * node, in_a: false }
    }

    /// Whether the boxes around all of both are proven apart: then neither lies inside the other either.
    pub(super) fn roots_apart(&self, a: &Tree, b: &Tree) -> bool {
        !a.slots[0].bounds.meets(&self.into_a.place(&b.slots[0].bounds), self.margin)
    }

    pub(super) fn of(a: &Tree, b: &Tree, a_from_b: Pose) -> Self {
        Self::among((a.middle, a.reach), (b.middle, b.reach), a_from_b)
    }

    /// As `of`, for two things by their middles and how far they reach from there.
    pub(super) fn among(
        (a_middle, a_reach): (DVec3, f64),
        (b_middle, b_reach): (DVec3, f64),
        a_from_b: Pose,
    ) -> Self {
        let rotation = a_from_b.rotation();
        let shift: DVec3 = a_from_b * b_middle - a_middle;
        let back = rotation.transpose();
        let distance = shift.length();
        let size = distance + a_reach + b_reach;
        let farthest = |p: DVec3| p.abs().max_element();
        let coordinates = farthest(a_middle) + farthest(b_middle) + farthest(a_from_b.translation()) + size;
        let rounding = 16.0 * f64::EPSILON * coordinates;
        let is_tiny = size < tolerance::SINGLE;
        let margin = (size * 64.0 * 2f64.powi(-24) + rounding) as f32 * (1.0 + f32::EPSILON);
        Self {
            into_a: Rigid::new(rotation, shift),
            into_b: Rigid::new(back, -(back * shift)),
            distance: distance - rounding,
            size: size as f32,
            margin: if is_tiny { f32::INFINITY } else { margin },
        }
    }
}
