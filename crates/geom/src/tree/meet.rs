use super::inside::contains;
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
    if let Some(corner) = piece_inside(a, b, a_from_b, scratch) {
        return Some((Meeting::SecondInside, a_from_b * corner));
    }
    let corner = piece_inside(b, a, a_from_b.inverse(), scratch)?;
    Some((Meeting::FirstInside, corner))
}

/// A corner of a piece of `b` inside the closed pieces of `a`, if their surfaces do not touch.
///
/// Then each connected piece of `b` lies wholly inside or outside: one corner tells, and two that are far apart most often
/// rule it out.
fn piece_inside(a: &Tree, b: &Tree, a_from_b: Pose, scratch: &mut Scratch) -> Option<DVec3> {
    let mut near = b.pieces.iter().filter(|ends| ends.iter().all(|&end| a.box_may_hold(a_from_b * end)));
    near.find(|ends| a.encloses(a_from_b * ends[0], scratch)).map(|ends| ends[0])
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
