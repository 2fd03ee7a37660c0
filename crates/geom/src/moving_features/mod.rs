//! When do moving features first touch? Decided exactly.
//!
//! Every point of a feature runs along a Bézier curve over the time `t` in `[0, 1]`, and the answer is exact for the motion in
//! which the given `f64` control points are exact. Touching counts. [`vertex_face`] and [`edge_edge`] together see every first
//! contact of two polyhedral surfaces.

//!
//! # How
//!
//! The points of a triangle minus a point are a triangle, those of a segment minus those of a segment a parallelogram: features
//! touch when a moving flat convex polygon with corners `c_j` holds the origin. At that time
//!
//! ```text
//! det(c_1, c_last, c_0) = 0     the origin is in the plane, and
//! c_j × c_(j+1)                 are all of one direction (some may be zero): it is inside, or
//! c_j × c_(j+1) = 0, c_j · c_(j+1) ≤ 0    it is on a side, whatever the polygon is: flat, a segment, a point
//! ```
//!
//! The first is a polynomial of three times the degree of the paths (nine for cubics), in Bernstein form; each component of
//! the others has twice that degree. In `f64` only signs beyond all rounding count; they decide nearly everything. Where they
//! do not, the same polynomials in whole numbers decide: roots isolated by Descartes' rule, multiple ones made simple, and
//! signs at a root by halving, or by the common factor where they are zero. A determinant that is zero at all times says
//! nothing; then the sides are looked at, and the start.

mod exact;
mod rounded;
mod search;
#[cfg(test)]
mod tests;

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
///
/// ```
/// use kansho_geom::glam::DVec3;
/// use kansho_geom::moving_features::{First, Path, Scratch, Wanted, vertex_face};
///
/// let face = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| Path([corner; 2]));
/// let vertex = Path([DVec3::new(0.25, 0.25, 1.0), DVec3::new(0.25, 0.25, -3.0)]);
/// match vertex_face(&vertex, &face, &Wanted::default(), &mut Scratch::default()) {
///     First::At { time: [early, late] } => assert!(early <= 0.25 && 0.25 <= late),
///     other => panic!("{other:?}"),
/// }
/// ```
#[must_use]
pub fn vertex_face<const N: usize>(
    vertex: &Path<N>,
    face: &[Path<N>; 3],
    wanted: &Wanted,
    scratch: &mut Scratch,
) -> First {
    first(&face.each_ref().map(|corner| [corner, vertex]), wanted, scratch)
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
    // Around the parallelogram.
    first(&[[&b[0], &a[0]], [&b[0], &a[1]], [&b[1], &a[1]], [&b[1], &a[0]]], wanted, scratch)
}

fn first<const N: usize, const M: usize>(
    corners: &search::Corners<N, M>,
    wanted: &Wanted,
    scratch: &mut Scratch,
) -> First {
    const { assert!(N >= 1 && N <= 4, "paths have one to four control points") };
    let tolerance = wanted.tolerance.max(1.0 / (1_u64 << 48) as f64);
    let wanted = Wanted { tolerance, ..*wanted };
    match N {
        1 => search::first::<N, 1, 1, M>(corners, &wanted, scratch),
        2 => search::first::<N, 3, 4, M>(corners, &wanted, scratch),
        3 => search::first::<N, 5, 7, M>(corners, &wanted, scratch),
        _ => search::first::<N, 7, 10, M>(corners, &wanted, scratch),
    }
}
