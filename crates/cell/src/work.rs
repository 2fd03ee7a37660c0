//! Work paths: where a tool is wanted, and which freedom its axis has.

use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DQuat, DVec3};
use std::f64::consts::TAU;

/// A point of a work path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkPoint {
    /// Where the tip of the tool is wanted.
    pub tip_in_world: DVec3,
    /// Where the z of the tool is to point: into the work. A unit vector.
    pub direction_in_world: DVec3,
    /// The line of the file that it stands in, for messages; 0 if it comes from no file.
    pub line: u32,
}

/// Points that are worked one after the other without leaving the work.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    /// Its points, at least one.
    pub points: Vec<WorkPoint>,
    /// Whether the way from the last point back to the first belongs to it.
    pub closed: bool,
}

/// All strokes of a job, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkPath {
    /// At least one.
    pub strokes: Vec<Stroke>,
}

impl WorkPath {
    /// All points, stroke after stroke.
    pub fn points(&self) -> impl Iterator<Item = &WorkPoint> {
        self.strokes.iter().flat_map(|stroke| &stroke.points)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.strokes.iter().map(|stroke| stroke.points.len()).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.strokes.iter().all(|stroke| stroke.points.is_empty())
    }
}

/// How the tool may stand at a point: turned about its z, and tilted.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAxis {
    rotations: Vec<f64>,
    step: f64,
    wraps: bool,
    /// A direction; rotation 0 has tool x as its projection.
    toward_in_world: DVec3,
    tilt: f64,
}

/// Directions in which a tool may be tilted.
pub const TILT_DIRECTIONS: usize = 8;

/// Why a freedom is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ToolAxisFault {
    /// Rotations cannot be counted so.
    #[error("rotations go from a number up to another that is not less, in steps greater than zero")]
    Range,
    /// Too many.
    #[error("{0} rotations are more than the {MOST_ROTATIONS} that are looked at")]
    TooMany(usize),
    /// No direction.
    #[error("the direction of rotation zero has no length")]
    NoDirection,
    /// No cone.
    #[error("a tilt is an angle of 0 up to less than 90 degrees")]
    Tilt,
}

/// Rotations of a point, at most.
pub const MOST_ROTATIONS: usize = 7200;

impl ToolAxis {
    /// Rotations `from`, `from + step`, .. up to `to`, in radians; if they go once round, the last is a neighbour of the first.
    ///
    /// # Errors
    /// What makes no sense.
    pub fn new([from, to, step]: [f64; 3], toward_in_world: DVec3, tilt: f64) -> Result<Self, ToolAxisFault> {
        if ![from, to, step].iter().all(|angle| angle.is_finite()) || to < from || !(step > 0.0) {
            return Err(ToolAxisFault::Range);
        }
        // Degrees that became radians are rounded.
        let count = ((to - from) / step + 1e-6).floor() as usize + 1;
        if count > MOST_ROTATIONS {
            return Err(ToolAxisFault::TooMany(count));
        }
        if !(0.0..TAU / 4.0).contains(&tilt) {
            return Err(ToolAxisFault::Tilt);
        }
        let toward_in_world = toward_in_world.try_normalize().ok_or(ToolAxisFault::NoDirection)?;
        let once_round = (count as f64 * step - TAU).abs() < 1e-6 * step;
        // 0 to 360 names the same rotation twice.
        let count = if (((count - 1) as f64) * step - TAU).abs() < 1e-6 * step { count - 1 } else { count };
        let wraps = once_round || (count as f64 * step - TAU).abs() < 1e-6 * step;
        let rotations = (0..count).map(|k| from + k as f64 * step).collect();
        Ok(Self { rotations, step, wraps, toward_in_world, tilt })
    }

    /// The rotations, in radians.
    #[must_use]
    pub fn rotations(&self) -> &[f64] {
        &self.rotations
    }

    /// From one rotation to the next, in radians.
    #[must_use]
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Whether the last rotation is a neighbour of the first.
    #[must_use]
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// How many ways of tilting there are: upright, and if tilting is allowed, [`TILT_DIRECTIONS`] at its full angle.
    #[must_use]
    pub fn tilts(&self) -> usize {
        if self.tilt > 0.0 { 1 + TILT_DIRECTIONS } else { 1 }
    }

    /// Ways in which the tool may stand at a point: all rotations upright, then all in the first tilt, ..
    #[must_use]
    pub fn stances(&self) -> usize {
        self.rotations.len() * self.tilts()
    }

    /// The rotation of a stance.
    #[must_use]
    pub fn rotation(&self, stance: usize) -> f64 {
        self.rotations[stance % self.rotations.len()]
    }

    /// The pose of the tip at a point, for a stance.
    #[must_use]
    pub fn world_from_tip(&self, point: &WorkPoint, stance: usize) -> Pose {
        let tilt = stance / self.rotations.len();
        self.upright(point, tilt).turned_about_z(self.rotation(stance))
    }

    /// The pose of the tip at a point, tilted in one of its ways, at any rotation.
    #[must_use]
    pub fn world_from_tip_at(&self, point: &WorkPoint, tilt: usize, rotation: f64) -> Pose {
        self.upright(point, tilt).turned_about_z(rotation)
    }

    /// At rotation zero.
    fn upright(&self, point: &WorkPoint, tilt: usize) -> Pose {
        let z = point.direction_in_world;
        let toward = self.toward_in_world;
        // Where that direction is the tool's own, another must do.
        let flat = |v: DVec3| (v - z * v.dot(z)).try_normalize().filter(|_| v.cross(z).length() > 1e-9);
        let x = flat(toward).unwrap_or_else(|| z.any_orthonormal_vector());
        let turn = DMat3::from_cols(x, z.cross(x), z);
        let pose = Pose::from_quat(DQuat::from_mat3(&turn).normalize(), point.tip_in_world)
            .expect("three directions at right angles are a rotation");
        if tilt == 0 {
            return pose;
        }
        let azimuth = TAU * (tilt - 1) as f64 / TILT_DIRECTIONS as f64;
        let axis = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        pose * Pose::turn(axis, self.tilt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    const DEGREE: f64 = PI / 180.0;

    fn axis(from: f64, to: f64, step: f64, tilt: f64) -> Result<ToolAxis, ToolAxisFault> {
        ToolAxis::new([from * DEGREE, to * DEGREE, step * DEGREE], DVec3::X, tilt * DEGREE)
    }

    #[test]
    fn rotations_are_counted_and_go_round() {
        for (from, to, step, count, wraps) in [
            (0.0, 359.0, 1.0, 360, true),
            (0.0, 360.0, 1.0, 360, true),
            (-180.0, 180.0, 5.0, 72, true),
            (0.0, 90.0, 1.0, 91, false),
            (10.0, 10.0, 1.0, 1, false),
            (0.0, 359.0, 0.25, 1437, false),
        ] {
            let axis = axis(from, to, step, 0.0).expect("good");
            assert_eq!((axis.rotations().len(), axis.wraps()), (count, wraps), "{from} {to} {step}");
        }
        assert_eq!(axis(0.0, -1.0, 1.0, 0.0), Err(ToolAxisFault::Range));
        assert_eq!(axis(0.0, 10.0, 0.0, 0.0), Err(ToolAxisFault::Range));
        assert_eq!(axis(0.0, f64::NAN, 1.0, 0.0), Err(ToolAxisFault::Range));
        assert_eq!(axis(0.0, 359.0, 0.001, 0.0), Err(ToolAxisFault::TooMany(359_001)));
        assert_eq!(axis(0.0, 359.0, 1.0, 90.0), Err(ToolAxisFault::Tilt));
    }

    #[test]
    fn the_tool_points_where_it_should_and_turns_about_that() {
        let axis = axis(0.0, 359.0, 1.0, 10.0).expect("good");
        let down = DVec3::new(0.3, -0.2, -0.9).normalize();
        let point = WorkPoint { tip_in_world: DVec3::new(1.0, 2.0, 3.0), direction_in_world: down, line: 0 };
        for stance in 0..axis.stances() {
            let pose = axis.world_from_tip(&point, stance);
            assert!(pose.translation().abs_diff_eq(point.tip_in_world, 1e-15));
            let tilted = pose.rotate(DVec3::Z).angle_between(down);
            let wanted = if stance < 360 { 0.0 } else { 10.0 * DEGREE };
            assert!((tilted - wanted).abs() < 1e-7, "{stance}: {tilted}");
        }
        // Rotation zero: x is the projection of the direction; k turns about z.
        let zero = axis.world_from_tip(&point, 0);
        let x = zero.rotate(DVec3::X);
        assert!(x.dot(DVec3::X) > 0.0 && x.cross(down).dot(DVec3::X.cross(down).normalize()) > 1.0 - 1e-12);
        let turned = axis.world_from_tip(&point, 90).rotate(DVec3::X);
        assert!(turned.abs_diff_eq(zero.rotate(DVec3::Y), 1e-12));
        // Straight along the direction there is still some pose.
        let along = WorkPoint { direction_in_world: DVec3::X, ..point };
        assert!(axis.world_from_tip(&along, 7).rotate(DVec3::Z).abs_diff_eq(DVec3::X, 1e-12));
    }
}
