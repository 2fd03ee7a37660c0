//! Circles: three points one after the other, `MOVC`.
//!
//! The tip goes straight to the first point, if it is not there, then on the circle through all three to the second and the third. Each of
//! them is reached as it was taught, its rotation included, so a circle is two arcs. Four points in a row may be understood in two ways,
//! and are refused.

use crate::robot_program::{MotionKind, ProgramMove, Target};
use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// What is wrong with a circle that has not three points.
pub(super) const THREE: &str = "a circle (MOVC) has three points in a row, and then another kind of move";

/// Points of a circle that is begun, or one that has just ended.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Circle {
    points: Vec<ProgramMove>,
    /// Whether the last move was the end of a circle.
    ended: bool,
}

impl Circle {
    /// The line in which a circle was begun that is not at its end.
    pub(super) fn begun(&self) -> Option<u32> {
        self.points.first().map(|point| point.line)
    }

    /// Another move, which is none on a circle.
    pub(super) fn other(&mut self) -> Result<(), String> {
        let is_begun = self.begun().is_some();
        *self = Self::default();
        if is_begun { Err(THREE.into()) } else { Ok(()) }
    }

    /// One more point. With the third one, the moves of the circle.
    pub(super) fn point(&mut self, point: ProgramMove) -> Result<Vec<ProgramMove>, String> {
        if self.ended {
            *self = Self { points: Vec::new(), ended: true };
            return Err(THREE.into());
        }
        self.points.push(point);
        if self.points.len() < 3 {
            return Ok(Vec::new());
        }
        let points = std::mem::take(&mut self.points);
        self.ended = true;
        arcs(&points)
    }
}

fn arcs(points: &[ProgramMove]) -> Result<Vec<ProgramMove>, String> {
    let mut poses = [Pose::IDENTITY; 3];
    for (slot, point) in poses.iter_mut().zip(points) {
        match &point.to {
            Target::Pose(pose, _) => *slot = *pose,
            Target::Joints(_) => return Err("a circle through joint values is not understood".into()),
        }
        if point.tool != points[0].tool || point.work != points[0].work {
            return Err(
                "the points of a circle have different tools or frames: this is not understood".into()
            );
        }
    }
    let [first, second] =
        middles(poses.map(|pose| pose.translation())).ok_or("the three points make no circle")?;
    let arc = |point: &ProgramMove, via: DVec3| ProgramMove {
        kind: MotionKind::Circular(Pose::from_translation(via)),
        ..point.clone()
    };
    let line = ProgramMove { kind: MotionKind::Linear, ..points[0].clone() };
    Ok(vec![line, arc(&points[1], first), arc(&points[2], second)])
}

/// Half-way on the circle from the first of three points to the second, and from there to the third.
pub(in crate::robot_program) fn middles([a, b, c]: [DVec3; 3]) -> Option<[DVec3; 2]> {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let axis = normal.try_normalize()?;
    let to_centre = (normal.cross(ab) * ac.length_squared() + ac.cross(normal) * ab.length_squared())
        / (2.0 * normal.length_squared());
    let centre = a + to_centre;
    if !centre.is_finite() {
        return None;
    }
    let half = |from: DVec3, to: DVec3| {
        let (arm, end) = (from - centre, to - centre);
        let angle = axis.dot(arm.cross(end)).atan2(arm.dot(end)).rem_euclid(TAU);
        centre + DQuat::from_axis_angle(axis, 0.5 * angle) * arm
    };
    Some([half(a, b), half(b, c)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three quarters of a circle of radius 2 about (1, 1).
    #[test]
    fn middles_lie_on_the_circle() {
        let on = |degrees: f64| {
            let (s, c) = degrees.to_radians().sin_cos();
            DVec3::new(1.0 + 2.0 * c, 1.0 + 2.0 * s, 5.0)
        };
        let [first, second] = middles([on(0.0), on(200.0), on(270.0)]).expect("a circle");
        assert!(
            first.abs_diff_eq(on(100.0), 1e-12) && second.abs_diff_eq(on(235.0), 1e-12),
            "{first} {second}"
        );
        let [back, _] = middles([on(0.0), on(-40.0), on(-90.0)]).expect("a circle");
        assert!(back.abs_diff_eq(on(-20.0), 1e-12), "{back}");
        assert_eq!(middles([DVec3::ZERO, DVec3::X, DVec3::X * 2.0]), None);
    }
}
