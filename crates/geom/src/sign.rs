//! On which side? Signs of orientation determinants, decided exactly.
//!
//! The adaptive predicates of Shewchuk (1997) answer without rounding error for every coordinate that a [`crate::Mesh`]
//! admits (see [`crate::tolerance::COORDINATE_FLOOR`]).

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D, orient2d as robust_orient2d, orient3d as robust_orient3d};

/// The side of an oriented plane or line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// On the side that the normal points to; for a line in the plane, to its left.
    Above,
    /// Exactly on it.
    On,
    /// On the other side.
    Below,
}

impl Side {
    /// The other side.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Above => Self::Below,
            Self::On => Self::On,
            Self::Below => Self::Above,
        }
    }

    fn of(determinant: f64) -> Self {
        if determinant > 0.0 {
            Self::Above
        } else if determinant < 0.0 {
            Self::Below
        } else {
            Self::On
        }
    }
}

/// Side of `p` with respect to the plane through `a`, `b`, `c`, which seen from above run counter-clockwise.
///
/// ```
/// use kansho_geom::{glam::DVec3, sign::{Side, orient3d}};
/// assert_eq!(orient3d(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z), Side::Above);
/// ```
#[must_use]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> Side {
    let coord = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    // The crate's determinant is positive when `p` lies below.
    Side::of(-robust_orient3d(coord(a), coord(b), coord(c), coord(p)))
}

/// Side of `p` with respect to the line from `a` to `b` in the plane: `Above` is left.
#[must_use]
pub fn orient2d(a: DVec2, b: DVec2, p: DVec2) -> Side {
    let coord = |v: DVec2| Coord { x: v.x, y: v.y };
    Side::of(robust_orient2d(coord(a), coord(b), coord(p)))
}

/// Whether three points lie on one line (or coincide), exactly.
///
/// They do if and only if their shadows on all three coordinate planes do.
#[must_use]
pub fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    let flat = |a: DVec2, b: DVec2, c: DVec2| orient2d(a, b, c) == Side::On;
    flat(a.truncate(), b.truncate(), c.truncate())
        && flat(DVec2::new(a.y, a.z), DVec2::new(b.y, b.z), DVec2::new(c.y, c.z))
        && flat(DVec2::new(a.z, a.x), DVec2::new(b.z, b.x), DVec2::new(c.z, c.x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sliver_of_one_ulp_is_not_collinear() {
        let a = DVec3::new(0.1, 0.1, 0.1);
        let b = DVec3::new(0.7, 0.7, 0.7);
        let on = DVec3::splat(0.3);
        let off = DVec3::new(0.3, 0.3, 0.3_f64.next_up());
        assert!(collinear(a, b, on));
        assert!(!collinear(a, b, off));
    }

    #[test]
    fn the_smallest_admitted_coordinates_do_not_underflow() {
        let tiny = crate::tolerance::COORDINATE_FLOOR;
        let (a, b, c) = (DVec3::ZERO, DVec3::X * tiny, DVec3::Y * tiny);
        assert!(!collinear(a, b, c));
        assert_eq!(orient3d(a, b, c, DVec3::Z * tiny), Side::Above);
        assert_eq!(orient3d(a, b, c, DVec3::new(tiny, tiny, -tiny)), Side::Below);
    }

    #[test]
    fn orientation_is_antisymmetric_near_the_plane() {
        // Points of a nearly flat grid: naive arithmetic gets many of these wrong.
        let point =
            |i: u32| DVec3::new(f64::from(i % 7) * 0.1, f64::from(i / 7) * 0.3, f64::from(i % 3) * 1e-17);
        for i in 0..40 {
            for j in 0..40 {
                let (a, b, c, p) = (point(i), point(j), point(i + 5), point(j + 9));
                assert_eq!(orient3d(a, b, c, p), orient3d(b, a, c, p).opposite());
                assert_eq!(orient3d(a, b, c, p), orient3d(b, c, a, p));
            }
        }
    }
}
