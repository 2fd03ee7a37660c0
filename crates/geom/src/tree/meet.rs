use super::inside::contains;
use super::{Scratch, Tree, hit};
use crate::pose::Pose;

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
    // Where surfaces do not touch, each connected piece of one lies wholly inside or outside the other: one corner tells.
    // A corner on which no ray could decide lies on the surface, and then they touch.
    if a.some_closed && b.pieces.iter().any(|&corner| contains(a, a_from_b * corner, scratch).unwrap_or(true))
    {
        return Meeting::SecondInside;
    }
    let b_from_a = a_from_b.inverse();
    if b.some_closed && a.pieces.iter().any(|&corner| contains(b, b_from_a * corner, scratch).unwrap_or(true))
    {
        return Meeting::FirstInside;
    }
    Meeting::Apart
}
