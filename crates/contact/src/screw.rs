//! Small motions as people see them: slides, turns, screws.

use crate::set::Twist;
use kansho_geom::glam::DVec3;

/// A small motion as a screw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Screw {
    /// Without turning, along a unit vector.
    Slide(DVec3),
    /// About an axis, and along it.
    Turn {
        /// The point of the axis that is nearest to the origin.
        point: DVec3,
        /// Unit vector along it.
        axis: DVec3,
        /// Way along the axis for each radian.
        pitch: f64,
    },
    /// Not at all.
    Still,
}

impl Screw {
    /// The screw of a motion. Turns that move points at the distance `size` by less than `tolerance` of what the translation
    /// does are no turns.
    #[must_use]
    pub fn of(motion: &Twist, size: f64, tolerance: f64) -> Self {
        let turn = motion.w.length() * size;
        let shift = motion.v.length();
        if turn <= tolerance * shift {
            return motion.v.try_normalize().map_or(Self::Still, Self::Slide);
        }
        let Some(axis) = motion.w.try_normalize() else { return Self::Still };
        let rate = motion.w.length();
        let point = motion.w.cross(motion.v) / (rate * rate);
        let pitch = axis.dot(motion.v) / rate;
        let pitch = if pitch.abs() <= tolerance * size { 0.0 } else { pitch };
        Self::Turn { point, axis, pitch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_about_an_axis_elsewhere() {
        let about = DVec3::new(1.0, 2.0, 0.0);
        let w = DVec3::Z * 0.5;
        let motion = Twist { v: -w.cross(about) + DVec3::Z * 0.1, w };
        let Screw::Turn { point, axis, pitch } = Screw::of(&motion, 1.0, 1e-9) else { panic!("it turns") };
        assert!(point.distance(about) < 1e-15 && axis == DVec3::Z && (pitch - 0.2).abs() < 1e-15);
        assert_eq!(
            Screw::of(&Twist { v: DVec3::X * 3.0, w: DVec3::ZERO }, 1.0, 1e-9),
            Screw::Slide(DVec3::X)
        );
        assert_eq!(Screw::of(&Twist { v: DVec3::ZERO, w: DVec3::ZERO }, 1.0, 1e-9), Screw::Still);
    }
}
