use crate::pose::Pose;
use glam::{DMat3, DVec3};
use std::ops::Mul;

/// A placement whose matrix need not be a rotation: what a cubic between rotations passes through.
///
/// Named `a_from_b`, as poses are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// What directions are multiplied by.
    pub linear: DMat3,
    /// Where the origin of `b` goes.
    pub shift: DVec3,
}

impl Affine {
    /// The frame itself.
    pub const IDENTITY: Self = Self { linear: DMat3::IDENTITY, shift: DVec3::ZERO };

    /// Largest entry of `LᵀL − I`: zero of a rotation.
    #[must_use]
    pub fn shear(&self) -> f64 {
        let excess = self.linear.transpose() * self.linear - DMat3::IDENTITY;
        excess.to_cols_array().iter().fold(0.0, |most, entry| entry.abs().max(most))
    }

    /// A bound above the factor by which it stretches a direction, rounded up: the Frobenius norm, or the bound of Gershgorin on
    /// `LᵀL` where that is less.
    #[must_use]
    pub fn stretch(&self) -> f64 {
        let gram = self.linear.transpose() * self.linear;
        let row = |k: usize| gram.col(k).abs().element_sum();
        let gershgorin = row(0).max(row(1)).max(row(2));
        let frobenius = gram.x_axis.x + gram.y_axis.y + gram.z_axis.z;
        gershgorin.min(frobenius).sqrt() * (1.0 + 32.0 * f64::EPSILON)
    }

    /// A weighted sum of two.
    #[must_use]
    #[inline]
    pub(super) fn mixed(&self, of_self: f64, other: &Self, of_other: f64) -> Self {
        Self {
            linear: self.linear * of_self + other.linear * of_other,
            shift: self.shift * of_self + other.shift * of_other,
        }
    }

    /// The point that goes to `point`, if the matrix can be inverted.
    #[must_use]
    pub fn back(&self, point: DVec3) -> Option<DVec3> {
        let inverse = self.linear.inverse();
        inverse.is_finite().then(|| inverse * (point - self.shift))
    }

    /// The twelve numbers: the matrix row by row, then the shift.
    #[must_use]
    pub fn to_rows(&self) -> [f64; 12] {
        let r = self.linear.transpose();
        let (x, y, z, t) = (r.x_axis, r.y_axis, r.z_axis, self.shift);
        [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z, t.x, t.y, t.z]
    }

    /// The placement of twelve numbers.
    #[must_use]
    pub fn from_rows(numbers: &[f64; 12]) -> Self {
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz, x, y, z] = *numbers;
        let linear = DMat3::from_cols(DVec3::new(xx, yx, zx), DVec3::new(xy, yy, zy), DVec3::new(xz, yz, zz));
        Self { linear, shift: DVec3::new(x, y, z) }
    }

    /// Whether all numbers are.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.shift.is_finite()
    }
}

impl From<Pose> for Affine {
    fn from(pose: Pose) -> Self {
        Self { linear: pose.rotation(), shift: pose.translation() }
    }
}

impl Mul<DVec3> for Affine {
    type Output = DVec3;

    #[inline]
    fn mul(self, point: DVec3) -> DVec3 {
        self.linear * point + self.shift
    }
}
