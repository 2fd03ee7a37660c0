use super::Tree;
use crate::lanes::Single;
use crate::pose::Pose;
use glam::{DVec3, Mat3, Vec3};

/// Two trees placed relative to each other: the way from each middle to the other in single precision, and the margin
/// that its rounding needs.
pub(super) struct Placement {
    pub(super) into_a: Rigid,
    pub(super) into_b: Rigid,
    /// Distance of the middles.
    pub(super) distance: f64,
    /// Distance that covers every rounding of single precision on the way to "apart", in metres.
    ///
    /// Every number that enters a comparison is a sum of at most a dozen products of coordinates within `size` of the
    /// origin and of entries of rotations, each rounded with a relative error of 2⁻²⁴; boxes are rounded once more when
    /// they are stored. Together that stays below 64 · 2⁻²⁴ · size.
    pub(super) margin: f32,
}

/// A rigid placement in single precision.
#[derive(Clone, Copy)]
pub(super) struct Rigid {
    pub(super) rotation: Mat3,
    pub(super) shift: Vec3,
}

impl Rigid {
    #[inline(always)]
    pub(super) fn place(&self, b: &Single) -> Single {
        Single { axes: self.rotation * b.axes, centre: self.rotation * b.centre + self.shift, half: b.half }
    }

    #[inline(always)]
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.rotation * p + self.shift
    }
}

impl Placement {
    pub(super) fn of(a: &Tree, b: &Tree, a_from_b: Pose) -> Self {
        let rotation = a_from_b.rotation();
        let shift: DVec3 = a_from_b * b.middle - a.middle;
        let back = rotation.transpose();
        let distance = shift.length();
        let size = distance + a.reach + b.reach;
        Self {
            into_a: Rigid { rotation: rotation.as_mat3(), shift: shift.as_vec3() },
            into_b: Rigid { rotation: back.as_mat3(), shift: (-(back * shift)).as_vec3() },
            distance,
            margin: (size * 64.0 * 2f64.powi(-24)) as f32,
        }
    }
}
