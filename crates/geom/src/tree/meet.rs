use super::inside::{contains, contains_placed};
use super::placement::Placement;
use super::{Scratch, Tree, hit};
use crate::pose::Pose;
use glam::DVec3;

/// How two bodies meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Not at all: no common point.
    Apart,
    /// Their surfaces touch, for instance in these two triangles.
    Touch([u32; 2]),
    /// Their surfaces do not touch, but a piece of the second lies inside the first.
    SecondInside,
    /// Their surfaces do not touch, but a piece of the first lies inside the second.
    FirstInside,
}

/// Whether two bodies have a common point: surfaces that touch, or a piece of one inside the closed pieces of the other.
///
/// What is [open](Tree::is_closed) has no inside: nothing is inside it.
#[must_use]
pub fn meet(a: &Tree, b: &Tree, a_from_b: Pose, scratch: &mut Scratch) -> Meeting {
    let placement = Placement::of(a, b, a_from_b);
    if placement.roots_apart(a, b) {
        return Meeting::Apart;
    }
    if let Some(triangles) = hit(a, b, a_from_b, scratch) {
        return Meeting::Touch(triangles);
    }
    inside(a, b, a_from_b, scratch).map_or(Meeting::Apart, |(meeting, _)| meeting)
}

/// Whether a piece of one lies inside the other, of two whose surfaces do not touch, and a point of it in the frame of
/// `a`.
pub(crate) fn inside(a: &Tree, b: &Tree, a_from_b: Pose, scratch: &mut Scratch) -> Option<(Meeting, DVec3)> {
    // Each connected piece lies wholly inside or outside: one corner tells, and two that are far apart most often rule it out. Both are
    // asked of the corners of `b` as they are rounded in the frame of `a`, of which it is known that surfaces do not touch.
    let placed = |end: &DVec3| a_from_b * *end;
    let mut near = b.pieces.iter().filter(|ends| ends.iter().all(|end| a.box_may_hold(placed(end))));
    if let Some([corner, _]) = near.find(|ends| a.encloses(placed(&ends[0]), scratch)) {
        return Some((Meeting::SecondInside, placed(corner)));
    }
    if !b.some_closed {
        return None;
    }
    let b_from_a = a_from_b.inverse();
    let mut near = a.pieces.iter().filter(|ends| ends.iter().all(|end| b.box_may_hold(b_from_a * *end)));
    let mut is_inside = |corner: DVec3| contains_placed(b, a_from_b, corner, scratch).unwrap_or(true);
    let [corner, _] = near.find(|ends| is_inside(ends[0]))?;
    Some((Meeting::FirstInside, *corner))
}

impl Tree {
    /// Whether a point lies inside the closed pieces, or on the surface where no ray could tell.
    #[must_use]
    pub fn holds(&self, point: DVec3, scratch: &mut Scratch) -> bool {
        self.encloses(point, scratch)
    }

    /// A corner of each connected piece.
    pub fn piece_corners(&self) -> impl Iterator<Item = DVec3> {
        self.pieces.iter().map(|ends| ends[0])
    }

    /// Whether a point lies inside the closed pieces. One on which no ray could decide lies on the surface, and so counts.
    pub(crate) fn encloses(&self, point: DVec3, scratch: &mut Scratch) -> bool {
        self.some_closed && contains(self, point, scratch).unwrap_or(true)
    }
}
