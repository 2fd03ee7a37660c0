//! The joints between two frames: how fast does one move, seen from the other, and how far can its points get in a span?
//!
//! Seen from the field, a point of the balls is moved by all joints between them, in a row from the balls to the field. In a span of which
//! `h` is half the length, with `d1 = h · max|q'|` and `d2 = h² · max|q''|` of a joint, points are within `m1` of where they are in the
//! middle and their acceleration is at most `m2 / h²`, where each joint of the row makes of the bounds before it
//!
//! ```text
//! m2' = m2 + 2 d1 m1 + (d1² + d2) ρ        m1' = m1 + d1 ρ
//! ```
//!
//! and `ρ` is the largest distance of the points from its axis in the middle, and `m1` more. So a point whose speed in the middle is `v`
//! gets no farther than `h |v| + m2 / 2`.

use super::spans::Moment;
use kansho_cell::{Cell, Elementary, FrameId, JointPiece};
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::pose_motion::{Chain, ChainKind, ChainStep};
use kansho_geom::{Ball, Pose};

/// What rounding of bounds may lose, as a fraction of them: a few hundred operations.
const UP: f64 = 1.0 + 1e-9;

/// The joints between two frames, in a row from the second to the first.
#[derive(Clone, Debug)]
pub(super) struct Axes(Vec<Joint>);

#[derive(Clone, Debug)]
struct Joint {
    /// The frame that it moves, and what that hangs on.
    frame: FrameId,
    parent: FrameId,
    /// In a row from the frame to its parent; or from the parent to the frame if `is_back`.
    elements: Vec<Elementary>,
    /// Seen from the frame that it moves.
    is_back: bool,
}

/// How points of the balls move about the middle of a span, in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twist {
    /// Half the length of the span times the speed: of a point at `x` it is `turn × x + shift`.
    pub(super) turn: DVec3,
    pub(super) shift: DVec3,
    /// The way may be longer by this.
    pub(super) bend: f64,
}

impl Twist {
    /// How far a point gets.
    pub(super) fn travel(&self, point: DVec3) -> f64 {
        // The sum has terms of this size, which may cancel.
        let terms = self.turn.length() * point.length() + self.shift.length();
        ((self.turn.cross(point) + self.shift).length() + self.bend) * UP + 1e-15 * terms
    }

    /// The matrix of the speeds of points in a frame, and its shift.
    pub(super) fn of_frame(&self, world_from_frame: Pose) -> (DMat3, DVec3) {
        let r = world_from_frame.rotation();
        let turn =
            DMat3::from_cols(self.turn.cross(r.x_axis), self.turn.cross(r.y_axis), self.turn.cross(r.z_axis));
        (turn, self.turn.cross(world_from_frame.translation()) + self.shift)
    }
}

/// A frame and those that it hangs on, up to the world.
fn ancestors(cell: &Cell, frame: FrameId) -> Vec<FrameId> {
    std::iter::successors(Some(frame), |frame| cell.frame_joint(*frame).map(|joint| joint.parent)).collect()
}

/// The last frame that carries both, and the frames from each of them up to it, without it.
pub(super) fn between(cell: &Cell, a: FrameId, b: FrameId) -> (FrameId, [Vec<FrameId>; 2]) {
    let (mut of_a, mut of_b) = (ancestors(cell, a), ancestors(cell, b));
    let mut common = FrameId::WORLD;
    while let (Some(x), Some(y)) = (of_a.last(), of_b.last())
        && x == y
    {
        common = *x;
        of_a.pop();
        of_b.pop();
    }
    (common, [of_a, of_b])
}

impl Axes {
    /// Between what is the field and what has the balls.
    pub(super) fn new(cell: &Cell, field: FrameId, balls: FrameId) -> Self {
        let (_, [of_field, of_balls]) = between(cell, field, balls);
        let joint = |frame: FrameId, is_back: bool| {
            let joint = cell.frame_joint(frame).expect("only the world has none");
            let mut elements = joint.elements().0;
            if !is_back {
                elements.reverse();
            }
            Joint { frame, parent: joint.parent, elements, is_back }
        };
        let there = of_balls.iter().map(|frame| joint(*frame, false));
        let back = of_field.iter().rev().map(|frame| joint(*frame, true));
        Self(there.chain(back).collect())
    }

    /// How points in a ball of the world move about the middle of a span.
    pub(super) fn twist(&self, moment: &Moment, around: &Ball) -> Twist {
        let half = 0.5 * moment.span.length();
        let (mut turn, mut shift) = (DVec3::ZERO, DVec3::ZERO);
        let (mut m1, mut m2) = (0.0, 0.0);
        let mut add = |element: &Elementary, is_back: bool, origin: DVec3, along: DVec3| {
            let k = element.coordinate;
            let factor = element.multiplier * half;
            let rate = moment.rates[k] * if is_back { -factor } else { factor };
            let [d1, d2] = moment.most[k];
            let (d1, d2) = (d1 * factor.abs(), d2 * element.multiplier.abs() * half * half);
            if element.slide.is_some() {
                shift += along * rate;
                m2 += d2;
                m1 += d1;
            } else {
                turn += along * rate;
                shift += origin.cross(along) * rate;
                let arm = around.centre() - origin;
                let reach = arm.cross(along).length() + 1e-15 * arm.length() + around.radius() + m1;
                m2 += 2.0 * d1 * m1 + (d1 * d1 + d2) * reach;
                m1 += d1 * reach;
            }
        };
        for joint in &self.0 {
            // Mostly one turn, about the z of the frame.
            if let [only] = &joint.elements[..]
                && only.slide.is_none()
            {
                let world_from_frame = moment.placed.world_from_frame(joint.frame);
                add(only, joint.is_back, world_from_frame.translation(), world_from_frame.rotation().z_axis);
                continue;
            }
            let mut here = moment.placed.world_from_frame(joint.parent);
            let mut place = |element: &Elementary| {
                here = here * element.before;
                let placed = match element.slide {
                    None => (here.translation(), here.rotation().z_axis),
                    Some(along) => (here.translation(), here.rotate(along)),
                };
                let value = element.multiplier * moment.posture[element.coordinate] + element.offset;
                here = match element.slide {
                    None => here.turned_about_z(value),
                    Some(along) => here * Pose::from_translation(along * value),
                };
                placed
            };
            if joint.is_back {
                for element in &joint.elements {
                    let (origin, along) = place(element);
                    add(element, true, origin, along);
                }
            } else {
                // They are placed from the parent on, and looked at from the frame on.
                let placed: Vec<(DVec3, DVec3)> = joint.elements.iter().rev().map(place).collect();
                for (element, (origin, along)) in joint.elements.iter().zip(placed.into_iter().rev()) {
                    add(element, false, origin, along);
                }
            }
        }
        Twist { turn, shift, bend: 0.5 * m2 * UP }
    }
}

/// A part of a frame on the joints from another frame that carries it.
pub(super) fn chain(
    cell: &Cell,
    piece: &JointPiece,
    from_frame: &[FrameId],
    frame_from_part: Pose,
    about: DVec3,
) -> Chain {
    let mut steps = Vec::new();
    let mut after = Pose::IDENTITY;
    for frame in from_frame.iter().rev() {
        let (elements, end) = cell.frame_joint(*frame).expect("only the world has none").elements();
        for element in elements {
            let controls = &piece.controls()[element.coordinate];
            let value = controls.map(|v| element.multiplier * v + element.offset);
            let most = controls.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            let largest = element.multiplier.abs() * most + element.offset.abs();
            let kind = element.slide.map_or(ChainKind::Turn, ChainKind::Slide);
            steps.push(ChainStep { parent_from_joint: after * element.before, kind, value, largest });
            after = Pose::IDENTITY;
        }
        after = after * end;
    }
    Chain::new(steps, after * frame_from_part, about)
}
