use crate::tolerance;
use glam::{DMat3, DQuat, DVec3};
use std::ops::Mul;

/// A rigid placement: a rotation, then a translation. Never a shear, a scale or a mirror.
///
/// Named `a_from_b`: it takes coordinates in `b` to coordinates in `a`.
///
/// ```
/// use kansho_geom::{Pose, glam::DVec3};
/// let world_from_table = Pose::from_rpy(DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
/// let corner_in_world = world_from_table * DVec3::X;
/// assert!(corner_in_world.abs_diff_eq(DVec3::new(0.0, 1.0, 1.0), 1e-15));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: DMat3,
    translation: DVec3,
}

/// Why twelve numbers (or a quaternion) are not a rigid placement.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NotRigid {
    /// A number is NaN or infinite.
    #[error("a number of the pose is not finite")]
    NotFinite,
    /// A translation is farther out than [`tolerance::COORDINATE_LIMIT`].
    #[error("the translation reaches {0:e} m, beyond the limit of {limit:e} m", limit = tolerance::COORDINATE_LIMIT)]
    TooFar(f64),
    /// The matrix shears or scales: largest entry of `RᵀR − I`.
    #[error("the matrix is not a rotation: its rows miss being orthonormal by {0:.3e}")]
    Sheared(f64),
    /// The matrix has determinant −1.
    #[error("the matrix mirrors (determinant -1)")]
    Mirrored,
    /// The quaternion is not of unit length.
    #[error("the quaternion has length {0:.6}, not 1")]
    NotUnit(f64),
}

impl Pose {
    /// The frame itself.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// A shift without rotation.
    #[must_use]
    pub const fn from_translation(translation: DVec3) -> Self {
        Self { rotation: DMat3::IDENTITY, translation }
    }

    /// The pose of URDF's `<origin xyz rpy>`: roll about x, then pitch about y, then yaw about z, all fixed axes.
    #[must_use]
    pub fn from_rpy(xyz: DVec3, rpy: DVec3) -> Self {
        let rotation =
            DMat3::from_rotation_z(rpy.z) * DMat3::from_rotation_y(rpy.y) * DMat3::from_rotation_x(rpy.x);
        Self { rotation, translation: xyz }
    }

    /// A turn by `angle` about the line through the origin along `axis`; `None` if the axis has no direction.
    #[must_use]
    pub fn from_axis_angle(axis: DVec3, angle: f64) -> Option<Self> {
        Some(Self::turn(axis.try_normalize()?, angle))
    }

    /// A turn by `angle` about the line through the origin along a unit vector.
    #[must_use]
    pub fn turn(unit_axis: DVec3, angle: f64) -> Self {
        debug_assert!((unit_axis.length_squared() - 1.0).abs() < 1e-9, "the axis is a unit vector");
        Self { rotation: DMat3::from_axis_angle(unit_axis, angle), translation: DVec3::ZERO }
    }

    /// A pose from a matrix that is known to be a rotation, as products of rotations are.
    #[must_use]
    pub fn of_rotation(rotation: DMat3, translation: DVec3) -> Self {
        debug_assert!(!(shear(&rotation) > 1e-9), "the matrix is a rotation");
        Self { rotation, translation }
    }

    /// A pose from a unit quaternion, normalised if it is within [`tolerance::UNIT_QUATERNION`] of unit length.
    ///
    /// # Errors
    /// Numbers that are not finite or out of range, or a quaternion that is not a unit.
    pub fn from_quat(rotation: DQuat, translation: DVec3) -> Result<Self, NotRigid> {
        if !rotation.is_finite() {
            return Err(NotRigid::NotFinite);
        }
        let length = rotation.length();
        if (length - 1.0).abs() > tolerance::UNIT_QUATERNION {
            return Err(NotRigid::NotUnit(length));
        }
        Ok(Self {
            rotation: DMat3::from_quat(rotation / length),
            translation: checked_translation(translation)?,
        })
    }

    /// A pose from nine numbers of the rotation, row by row, and three of the translation.
    ///
    /// A matrix within [`tolerance::RIGID`] of a rotation becomes the nearest rotation.
    ///
    /// # Errors
    /// Numbers that are not finite or out of range; a matrix that shears, scales or mirrors.
    pub fn from_rows(numbers: &[f64; 12]) -> Result<Self, NotRigid> {
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz, x, y, z] = *numbers;
        let given = DMat3::from_cols(DVec3::new(xx, yx, zx), DVec3::new(xy, yy, zy), DVec3::new(xz, yz, zz));
        if !given.is_finite() {
            return Err(NotRigid::NotFinite);
        }
        let shear = shear(&given);
        if !(shear <= tolerance::RIGID) {
            return Err(NotRigid::Sheared(shear));
        }
        if given.determinant() < 0.0 {
            return Err(NotRigid::Mirrored);
        }
        Ok(Self { rotation: nearest_rotation(given), translation: checked_translation(DVec3::new(x, y, z))? })
    }

    /// The pose of which [`Pose::to_rows`] gave these numbers, to the last bit.
    ///
    /// # Errors
    /// Numbers that no pose gives: not finite, out of range, or no rotation within [`tolerance::STORED`].
    pub fn from_stored(numbers: &[f64; 12]) -> Result<Self, NotRigid> {
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz, x, y, z] = *numbers;
        let rotation =
            DMat3::from_cols(DVec3::new(xx, yx, zx), DVec3::new(xy, yy, zy), DVec3::new(xz, yz, zz));
        Self::from_rows(numbers)?;
        let shear = shear(&rotation);
        if !(shear <= tolerance::STORED) {
            return Err(NotRigid::Sheared(shear));
        }
        Ok(Self { rotation, translation: checked_translation(DVec3::new(x, y, z))? })
    }

    /// The numbers that [`Pose::from_rows`] takes.
    #[must_use]
    pub fn to_rows(&self) -> [f64; 12] {
        let (r, t) = (self.rotation.transpose(), self.translation);
        let (x, y, z) = (r.x_axis, r.y_axis, r.z_axis);
        [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z, t.x, t.y, t.z]
    }

    /// The rotation as a matrix.
    #[must_use]
    #[inline]
    pub fn rotation(&self) -> DMat3 {
        self.rotation
    }

    /// The rotation as a unit quaternion.
    #[must_use]
    pub fn quat(&self) -> DQuat {
        DQuat::from_mat3(&self.rotation)
    }

    /// The translation: the origin of `b` in `a`.
    #[must_use]
    #[inline]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// `self * Pose::turn(DVec3::Z, angle)` with half the products.
    #[must_use]
    #[inline]
    pub fn turned_about_z(&self, angle: f64) -> Self {
        self.turned_by(angle.sin_cos().into())
    }

    /// As [`Pose::turned_about_z`], by the sine and the cosine of the angle.
    #[must_use]
    #[inline]
    pub fn turned_by(&self, [sin, cos]: [f64; 2]) -> Self {
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = self.rotation;
        Self {
            rotation: DMat3::from_cols(x * cos + y * sin, y * cos - x * sin, z),
            translation: self.translation,
        }
    }

    /// `b_from_a` of an `a_from_b`.
    #[must_use]
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// Turns a direction, which has no place and so is not shifted.
    #[must_use]
    #[inline]
    pub fn rotate(&self, direction: DVec3) -> DVec3 {
        self.rotation * direction
    }
}

impl Mul for Pose {
    type Output = Self;

    #[inline]
    fn mul(self, b_from_c: Self) -> Self {
        Self {
            rotation: self.rotation * b_from_c.rotation,
            translation: self.rotation * b_from_c.translation + self.translation,
        }
    }
}

impl Mul<DVec3> for Pose {
    type Output = DVec3;

    #[inline]
    fn mul(self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

fn checked_translation(translation: DVec3) -> Result<DVec3, NotRigid> {
    if !translation.is_finite() {
        return Err(NotRigid::NotFinite);
    }
    let farthest = translation.abs().max_element();
    if farthest > tolerance::COORDINATE_LIMIT { Err(NotRigid::TooFar(farthest)) } else { Ok(translation) }
}

/// Largest entry of `RᵀR − I`.
fn shear(matrix: &DMat3) -> f64 {
    let excess = matrix.transpose() * *matrix - DMat3::IDENTITY;
    excess.to_cols_array().iter().fold(0.0, |most, entry| entry.abs().max(most))
}

/// The orthogonal factor of the polar decomposition, by Newton's iteration `X ← (X + X⁻ᵀ)/2` (Higham 1986).
///
/// It converges quadratically: from an error of at most 1e-5, two steps reach 1e-20.
fn nearest_rotation(matrix: DMat3) -> DMat3 {
    (0..2).fold(matrix, |x, _| (x + x.inverse().transpose()) * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn poses() -> impl Strategy<Value = Pose> {
        let number = || -3.2..3.2f64;
        (number(), number(), number(), number(), number(), number())
            .prop_map(|(x, y, z, r, p, w)| Pose::from_rpy(DVec3::new(x, y, z), DVec3::new(r, p, w)))
    }

    proptest! {
        #[test]
        fn inverse_undoes(a_from_b in poses(), x in -9.0..9.0f64) {
            let p = DVec3::new(x, 1.0, -2.0);
            prop_assert!((a_from_b.inverse() * (a_from_b * p)).abs_diff_eq(p, 1e-13));
        }

        #[test]
        fn composing_is_applying_in_turn(a_from_b in poses(), b_from_c in poses()) {
            let p = DVec3::new(0.3, 1.0, -2.0);
            prop_assert!((a_from_b * b_from_c * p).abs_diff_eq(a_from_b * (b_from_c * p), 1e-13));
        }

        #[test]
        fn rows_and_quaternions_round_trip(pose in poses()) {
            let rows = Pose::from_rows(&pose.to_rows()).expect("a pose is rigid");
            let quat = Pose::from_quat(pose.quat(), pose.translation()).expect("a pose is rigid");
            for other in [rows, quat] {
                prop_assert!(other.rotation.abs_diff_eq(pose.rotation, 1e-14));
                prop_assert_eq!(other.translation, pose.translation);
            }
        }

        #[test]
        fn printed_digits_become_the_nearest_rotation(pose in poses()) {
            let printed = pose.to_rows().map(|number| (number * 1e6).round() / 1e6);
            let read = Pose::from_rows(&printed).expect("six digits are enough");
            prop_assert!(shear(&read.rotation) < 1e-14);
            prop_assert!(read.rotation.abs_diff_eq(pose.rotation, 2e-6));
        }
    }

    #[test]
    fn what_is_not_rigid_is_refused() {
        let rows = |diagonal: [f64; 3], x: f64| {
            let [a, b, c] = diagonal;
            Pose::from_rows(&[a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c, x, 0.0, 0.0])
        };
        assert!(rows([1.0, 1.0, 1.0], 0.0).is_ok());
        assert_eq!(rows([1.0, 1.0, -1.0], 0.0), Err(NotRigid::Mirrored));
        assert!(matches!(rows([1.0, 1.0, 1.1], 0.0), Err(NotRigid::Sheared(_))));
        assert_eq!(rows([1.0, f64::NAN, 1.0], 0.0), Err(NotRigid::NotFinite));
        assert_eq!(rows([1.0, 1.0, 1.0], f64::INFINITY), Err(NotRigid::NotFinite));
        assert_eq!(rows([1.0, 1.0, 1.0], 1e7), Err(NotRigid::TooFar(1e7)));
        assert_eq!(Pose::from_quat(DQuat::IDENTITY * 2.0, DVec3::ZERO), Err(NotRigid::NotUnit(2.0)));
        assert_eq!(Pose::from_axis_angle(DVec3::ZERO, 1.0), None);
    }
}
