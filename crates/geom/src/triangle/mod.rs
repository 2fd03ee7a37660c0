//! Two triangles: do they touch, and how far apart are they? And which point of one is nearest to another point?
//!
//! Triangles are closed: a common point of any kind, a corner on a face or two edges that just meet, is a touch. They
//! may be degenerate: three corners on a line are a segment, three equal ones a point.

mod distance;
mod nearest;
mod planar;
mod touch;

pub(crate) use distance::closest_apart;
pub use distance::{Closest, Feature, closest};
pub use nearest::nearest;
pub use touch::{segment_touches, touch};

use glam::DVec3;

/// Three corners.
pub type Triangle = [DVec3; 3];
