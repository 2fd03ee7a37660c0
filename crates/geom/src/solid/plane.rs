use super::core::Round;
use crate::pose::Pose;
use glam::DVec3;

/// A half-space: everything below a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Unit vector out of the solid.
    pub(super) normal: DVec3,
    pub(super) offset: f64,
}

impl Plane {
    pub(super) fn placed(&self, a_from_b: Pose) -> Self {
        let normal = a_from_b.rotate(self.normal);
        Self { normal, offset: self.offset + normal.dot(a_from_b.translation()) }
    }

    pub(super) fn turned(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }

    pub(super) fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }

    /// The foot of a point.
    pub(super) fn foot(&self, p: DVec3) -> DVec3 {
        p - self.normal * self.height(p)
    }

    /// The lowest point of a round body, and its height; both in the body's frame.
    pub(super) fn lowest(&self, round: &Round) -> (DVec3, f64) {
        let point = round.core.support(-self.normal) - self.normal * round.radius;
        (point, self.height(round.core.support(-self.normal)) - round.radius)
    }

    /// The gap to another half-space in the same frame: none if they meet, as all do whose normals are not exactly
    /// opposite.
    pub(super) fn gap(&self, other: &Self) -> Option<f64> {
        let gap = -self.offset - other.offset;
        (self.normal == -other.normal && gap > 0.0).then_some(gap)
    }

    /// A point of two half-spaces that meet, in the same frame.
    pub(super) fn common(&self, other: &Self) -> DVec3 {
        let feet = [self.normal * self.offset, other.normal * other.offset];
        if other.height(feet[0]) <= 0.0 {
            return feet[0];
        }
        if self.height(feet[1]) <= 0.0 {
            return feet[1];
        }
        // The point of the line where the planes cross that is nearest to the origin.
        let cosine = self.normal.dot(other.normal);
        let sine_sq = self.normal.cross(other.normal).length_squared();
        let along = |mine: f64, theirs: f64| (mine - cosine * theirs) / sine_sq;
        self.normal * along(self.offset, other.offset) + other.normal * along(other.offset, self.offset)
    }
}
