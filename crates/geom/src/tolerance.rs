//! Every tolerance and limit of this crate: its name, its unit, its reason.

/// Largest coordinate of a shape, in metres.
///
/// Differences, products and cubes of such numbers stay far from overflow, also in `f32` bounds, and a
/// kilometre-sized cell still resolves 1e-10 m in `f64`.
pub const COORDINATE_LIMIT: f64 = 1e6;

/// Smallest coordinate that is told apart from zero, in metres: 2⁻¹⁰⁰, about 8e-31.
///
/// The exact predicates expand products of three differences without underflow only while the least bit of every
/// coordinate is above 2⁻³⁰⁰ or so; with 53 bits below 2⁻¹⁰⁰ it is at least 2⁻¹⁵³. An atom is 1e-10 m wide.
pub const COORDINATE_FLOOR: f64 = 7.888_609_052_210_118e-31;

/// Largest entry of `RᵀR − I` with which a 3×3 matrix still counts as a rotation; no unit.
///
/// Six printed digits leave about 1e-6. A matrix within the tolerance is replaced by the nearest rotation, which
/// moves a point one metre out by at most that much; beyond it the pose is refused.
pub const RIGID: f64 = 1e-5;

/// How far a rotation or a unit vector that was stored may be from one; no unit.
///
/// A few roundings of 2⁻⁵³ are all that products and normalised vectors are off by. What verifiers allow placements to round by is as much.
pub const STORED: f64 = 1e-13;

/// How far the norm of a quaternion may be from 1 before it is refused instead of normalised; no unit.
///
/// Four printed digits leave about 1e-4.
pub const UNIT_QUATERNION: f64 = 1e-3;

/// Distance at which two vertices on the rims of an open surface count as one, as a fraction of the mesh's size.
///
/// A CAD kernel that computes both sides of a seam in double precision leaves some 1e-16 of the size between them, which
/// single precision hides except near zero. Real features, and the resolution of single precision, are far larger.
pub const CRACK: f64 = 1e-12;

/// Distance at which a vertex counts as lying on an open edge (a T-junction), as a fraction of the mesh's size.
///
/// Single precision leaves about 1e-7 of the largest coordinate.
pub const T_JUNCTION: f64 = 1e-6;

/// Default of [`crate::polyhedron::MergeOptions::tolerance`], as a fraction of the mesh's size.
///
/// Ten times what single precision leaves, far below any feature that a machine makes.
pub const MERGE: f64 = 1e-6;

/// Most that the default of [`crate::polyhedron::MergeOptions::tolerance`] may be, as a fraction of the size of a
/// connected piece.
///
/// A crumb in a large file, or a small part far from another, keeps its faces.
pub const MERGE_PIECE: f64 = 1e-3;

/// Least volume of a solid, as a fraction of the power 3/2 of its area.
///
/// Rounding leaves some 1e-16 to a sheet with two sides, which has none. A foil as thin as a hundred atoms and ten
/// metres long has hundreds of times as much.
pub const SOLID: f64 = 1e-12;

/// Gap below which bodies with round faces touch, as a fraction of the coordinates: of both bodies, each from the origin of
/// its frame, and of the way between the origins.
///
/// Placing a point and the formula of a round face take some twenty roundings of 2⁻⁵³ each, together less than 1e-14. What
/// is farther apart than this is apart.
pub const ROUND: f64 = 1e-13;

/// Size of two bodies together, in metres, below which single precision proves nothing about them.
///
/// Margins are some 1e-6 of the size; products of two sides and a margin stay above the least normal number of 1e-38 down to
/// about 1e-9 m. Bodies of a thousand atoms are decided in double precision alone.
pub const SINGLE: f64 = 1e-7;
