//! Forward kinematics with cosines and sines at hand.

use super::turn::Turn;
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};

/// A pose on the way along a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    rotation: DMat3,
    place: DVec3,
}

impl Frame {
    #[inline]
    pub(super) fn new(pose: &Pose) -> Self {
        Self { rotation: pose.rotation(), place: pose.translation() }
    }

    /// Turned about its z.
    #[inline]
    pub(super) fn turned(&self, turn: Turn) -> Self {
        let DMat3 { x_axis: x, y_axis: y, z_axis } = self.rotation;
        let rotation = DMat3::from_cols(x * turn.cos + y * turn.sin, y * turn.cos - x * turn.sin, z_axis);
        Self { rotation, place: self.place }
    }

    #[inline]
    pub(super) fn then(&self, next: &Self) -> Self {
        Self { rotation: self.rotation * next.rotation, place: self.place + self.rotation * next.place }
    }

    /// The larger of the distance in metres and the angle in radians (for small angles) between the two.
    #[inline]
    pub(super) fn misfit(&self, other: &Self) -> f64 {
        let turned = self.rotation.x_axis.distance_squared(other.rotation.x_axis)
            + self.rotation.y_axis.distance_squared(other.rotation.y_axis)
            + self.rotation.z_axis.distance_squared(other.rotation.z_axis);
        (turned * 0.5).max(self.place.distance_squared(other.place)).sqrt()
    }
}
