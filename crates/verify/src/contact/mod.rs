//! Is a certificate of bodies that move in contact true?
//!
//! | part | answers |
//! |---|---|
//! | [`way`] | where is a body on a straight line or a turn, and how low is a height in a span? |
//! | [`tree`] | which boxes hold the triangles of a body? |
//! | [`steps`] | what does a certificate say, letter by letter? |
//! | [`region`] | how far is one node above another along a direction, at least? |
//! | [`claim`] | which bodies go which ways, and why nothing but named features touches |
//! | `solid` | is one body inside another where a way begins? |
//! | `interval` | numbers between bounds, rounded outward |
//!
//! # The theorem
//!
//! A certificate names features of the moving body A and of a fixed body B, as sets of vertices, and which of them may touch which. For some
//! vertices of features of A it gives another place, no farther away than the tolerance ε: this makes the *inset* A′, the same triangles
//! with these vertices moved. What it proves, at every instant of a way:
//!
//! 1. **Nothing else touches.** A triangle of A and one of B have a common point only if, for two features that may touch, each has a
//!    corner of its feature. Along some direction all corners of the first are then above those corners of the second that are not of
//!    its feature, and all other corners of the first, and the features' corners moved by at most ε, are above all of the second. So what the
//!    two have in common lies in a slab across that direction, no thicker than ε.
//! 2. **No body gets into the other by more than ε.** The surface of A′ never meets that of B. Neither is inside the other at the start, so
//!    the solids of A′ and B (their closed pieces) have no point in common, ever. And a point of A that is not in A′ is no farther than ε from the
//!    surface of A: as vertices go to their new places in a straight line, the surface passes it.
//!
//! *Proof.* The steps divide all pairs of triangles and all times into regions, whatever they are ([`steps`]). Of a region that is called
//! free, a height of every point of A and of A′ stays above that of every point of B, so neither meets B there. Of two triangles that
//! are called kept, points 1 and 2 are what is checked of their corners ([`region`]), and heights of triangles are between
//! those of their corners. (2) follows, for the number of times that a closed surface winds around a point changes only when it passes the point;
//! and common points of two solids with disjoint surfaces would fill a part of space that has no border.
//!
//! Heights are sines and cosines of the angle with known factors, or linear. Their bounds are worked out with every operation
//! rounded outward ([`way`]): no tolerance, no estimate of roundings. What is believed: that sums, products and roots are rounded to the
//! nearest number, and that the library's sine and cosine are off by less than 1e-15.

pub mod claim;
mod interval;
pub mod region;
mod solid;
pub mod steps;
pub mod tree;
mod verify;
pub mod way;

pub use claim::{
    ContactBody, ContactCertificate, ContactInset, ContactMove, ContactPair, VerifiedContact, VerifiedPair,
};
pub use verify::{RefusedContact, verify_contact};
