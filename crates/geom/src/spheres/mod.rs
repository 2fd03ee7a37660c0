//! Surfaces covered by spheres of a few sizes: the rough shape.
//!
//! | part | answers |
//! |---|---|
//! | [`radii`] | how large are the spheres of each rank? |
//! | [`cover()`] | which spheres of each rank cover the surface? |
//! | [`fit()`] | which few balls of different sizes cover a surface? |
//! | [`measure`] | what does a sphere model leave uncovered, and how much does it add? |
//! | [`paper`] | do two hierarchies meet? Rank by rank with marks, as the paper has it |
//! | [`search`] | the same without marks, eight spheres at a time; and how far apart are they? |
//! | [`against`] | a hierarchy against a primitive |
//!
//! After the Toyota patent on hierarchical spheres (spec B). Only the surface is covered: what lies inside a body and touches no
//! surface meets no sphere, and must be found otherwise.

pub mod against;
mod fit;
mod generate;
pub mod measure;
pub mod paper;
pub mod radii;
pub mod search;
mod surface;

pub use fit::{Goal, MOST, fit};
pub use generate::{CoverOptions, Keep, cover, cover_by_count};
pub use surface::Surface;

use crate::bounds::Ball;
use glam::DVec3;
use radii::RadiiFault;

/// A surface covered by spheres, rank by rank, the largest first.
///
/// Every point of the surface lies in a smallest sphere, and in all spheres that this one belongs to, up to the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Hierarchy {
    ranks: Vec<Rank>,
}

/// Spheres of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Rank {
    radius: f64,
    centres: Vec<DVec3>,
    /// For each, a smaller ball around what of the surface lies in its cell; empty if cells are kept that hold none.
    fitted: Vec<Ball>,
    /// Where the children of each sphere begin in the next rank, and one more for the end of the last; empty in the last rank.
    first_child: Vec<u32>,
}

impl Hierarchy {
    /// All ranks, the largest spheres first. The first has one sphere.
    #[must_use]
    pub fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// The smallest spheres.
    #[must_use]
    pub fn smallest(&self) -> &Rank {
        self.ranks.last().expect("there is a rank")
    }

    /// Spheres of all ranks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranks.iter().map(|rank| rank.centres.len()).sum()
    }

    /// Never: a surface takes one sphere at least.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }
}

impl Rank {
    /// The radius of its spheres.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Their centres.
    #[must_use]
    pub fn centres(&self) -> &[DVec3] {
        &self.centres
    }

    /// For each sphere a smaller one around what of the surface lies in its cell; empty unless only such cells were kept
    /// ([`Keep::Holding`]).
    ///
    /// These cover the surface as well, and stick out of it less: about 0.8 of the radius over a flat face, where the others
    /// reach up to twice the radius.
    #[must_use]
    pub fn fitted(&self) -> &[Ball] {
        &self.fitted
    }

    /// The spheres of the next rank that belong to one, by number; none in the last rank.
    #[must_use]
    pub fn children(&self, sphere: usize) -> std::ops::Range<usize> {
        match self.first_child.get(sphere..sphere + 2) {
            Some(ends) => ends[0] as usize..ends[1] as usize,
            None => 0..0,
        }
    }
}

/// Why a surface cannot be covered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CoverFault {
    /// The radii make no sense.
    #[error(transparent)]
    Radii(#[from] RadiiFault),
    /// It would take too many spheres.
    #[error("spheres of radius {radius} m would be about {count:.1e}, more than the limit of {limit}")]
    TooMany {
        /// The smallest radius.
        radius: f64,
        /// How many it would take, roughly.
        count: f64,
        /// How many are allowed.
        limit: usize,
    },
    /// Coordinates are too large for spheres so small.
    #[error(
        "spheres of radius {radius} m are too small for coordinates of {coordinate:e} m, which are not that exact"
    )]
    TooFine {
        /// The smallest radius.
        radius: f64,
        /// The largest coordinate.
        coordinate: f64,
    },
    /// No spheres cover nothing.
    #[error("a surface takes one sphere at least, and none are allowed")]
    NoSpheres,
    /// A half-space has no end.
    #[error("a half-space is infinite, and no number of spheres covers it")]
    Infinite,
}
