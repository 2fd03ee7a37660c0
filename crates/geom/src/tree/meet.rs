use super::inside::contains;
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
    if let Some(triangles) = hit(a, b, a_from_b, scratch) {
        return Meeting::Touch(triangles);
    }
    inside(a, b, a_from_b, scratch).map_or(Meeting::Apart, |(meeting, _)| meeting)
}

/// Whether a piece of one lies inside the other, of two whose surfaces do not touch, and a point of it in the frame of
/// `a`.
pub(crate) fn inside(a: &Tree, b: &Tree, a_from_b: Pose, scratch: &mut Scratch) -> Option<(Meeting, DVec3)> {
    // Where surfaces do not touch, each connected piece of one lies wholly inside or outside the other: one corner tells.
    if let Some(&corner) = b.pieces.iter().find(|&&corner| a.encloses(a_from_b * corner, scratch)) {
        return Some((Meeting::SecondInside, a_from_b * corner));
    }
    let b_from_a = a_from_b.inverse();
    let corner = a.pieces.iter().find(|&&corner| b.encloses(b_from_a * corner, scratch))?;
    Some((Meeting::FirstInside, *corner))
}

impl Tree {
    /// Whether a point lies inside the closed pieces. One on which no ray could decide lies on the surface, and so counts.
    pub(crate) fn encloses(&self, point: DVec3, scratch: &mut Scratch) -> bool {
        self.some_closed && contains(self, point, scratch).unwrap_or(true)
    }
}
