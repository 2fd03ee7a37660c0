use crate::body::{Body, BodyId, Carrier};
use crate::cell::Cell;
use crate::joint::{JointKind, LinkId, shortest_turn_from_z};
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DQuat, DVec3};
use kansho_geom::turns::{TURNS, Turns};
use std::sync::Arc;

/// A frame of a cell: the world, or a link that moves, together with all that is rigidly joined to it. What shares a frame never
/// moves relative to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

impl FrameId {
    /// What stands still.
    pub const WORLD: Self = Self(0);
}

/// Where everything is in one posture.
#[derive(Clone, Debug)]
pub struct Placed {
    world_from_frame: Vec<Pose>,
    links: Arc<Vec<InFrame>>,
}

impl Placed {
    /// Where a frame is.
    #[must_use]
    #[inline]
    pub fn world_from_frame(&self, frame: FrameId) -> Pose {
        self.world_from_frame[frame.0 as usize]
    }

    /// Where a link is.
    #[must_use]
    pub fn world_from_link(&self, link: LinkId) -> Pose {
        let InFrame { frame, frame_from_link } = self.links[link.0 as usize];
        self.world_from_frame(frame) * frame_from_link
    }

    /// Where the frame is in which the shapes of a body are placed.
    #[must_use]
    pub fn world_from_carrier(&self, body: &Body) -> Pose {
        match body.carrier {
            Carrier::World => Pose::IDENTITY,
            Carrier::Link(link) => self.world_from_link(link),
        }
    }
}

impl Cell {
    /// Forward kinematics: where everything is.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    #[must_use]
    pub fn place(&self, posture: &[f64]) -> Placed {
        let links = Arc::clone(&self.chain().links);
        let mut placed = Placed { world_from_frame: Vec::new(), links };
        self.place_into(posture, &mut placed);
        placed
    }

    /// As [`Cell::place`], into memory that is used again.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn place_into(&self, posture: &[f64], placed: &mut Placed) {
        assert_eq!(posture.len(), self.coordinates().len(), "a posture has one number per coordinate");
        self.chain().place(posture, &mut placed.world_from_frame);
    }

    /// The frame that a carrier moves with, and where it is in it.
    #[must_use]
    pub fn in_frame(&self, carrier: Carrier) -> InFrame {
        match carrier {
            Carrier::World => InFrame { frame: FrameId::WORLD, frame_from_link: Pose::IDENTITY },
            Carrier::Link(link) => self.chain().links[link.0 as usize],
        }
    }

    /// What moves a frame; nothing moves the world.
    #[must_use]
    pub fn frame_joint(&self, frame: FrameId) -> Option<FrameJoint> {
        let moving = self.chain().frames.get((frame.0 as usize).checked_sub(1)?)?;
        let (first, multiplier, offset) = match moving.value {
            Value::Single { index, multiplier, offset } => (index, multiplier, offset),
            Value::Several { first, .. } => (first, 1.0, 0.0),
        };
        let Moving { parent, parent_from_joint, motion, .. } = *moving;
        let kind = match motion {
            Motion::Turn => JointKind::Continuous { axis: DVec3::Z },
            Motion::Other(kind) => kind,
        };
        Some(FrameJoint { parent, parent_from_joint, kind, first, multiplier, offset })
    }

    /// Where the frame of a body is in a posture.
    #[must_use]
    pub fn world_from_body(&self, placed: &Placed, body: BodyId) -> Pose {
        placed.world_from_carrier(self.body(body))
    }
}

/// A place that does not change: a frame, and where a link is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InFrame {
    /// The frame.
    pub frame: FrameId,
    /// Where in it.
    pub frame_from_link: Pose,
}

/// What moves a frame relative to the one it hangs on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameJoint {
    /// The frame that it hangs on.
    pub parent: FrameId,
    /// Where the joint is in that.
    pub parent_from_joint: Pose,
    /// How it moves. What turns does so about z of its frame, whatever its limits.
    pub kind: JointKind,
    /// The number of the posture that it takes; joints with several coordinates take those that follow, too.
    pub first: usize,
    /// A joint with one coordinate has the value `multiplier · posture[first] + offset`.
    pub multiplier: f64,
    /// See there.
    pub offset: f64,
}

/// A turn about z or a slide, of which all joints are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elementary {
    /// Where it is, after what came before.
    pub before: Pose,
    /// The direction of a slide; none turns.
    pub slide: Option<DVec3>,
    /// The number of the posture that it takes.
    pub coordinate: usize,
    /// Its value is `multiplier · posture[coordinate] + offset`.
    pub multiplier: f64,
    /// See there.
    pub offset: f64,
}

impl FrameJoint {
    /// The same as turns and slides one after the other, and the pose of the frame after the last of them.
    #[must_use]
    pub fn elements(&self) -> (Vec<Elementary>, Pose) {
        let Self { parent_from_joint, kind, first, multiplier, offset, .. } = *self;
        let element = |before: Pose, slide: Option<DVec3>, k: usize| Elementary {
            before,
            slide,
            coordinate: first + k,
            multiplier,
            offset,
        };
        let turned =
            |rotation: DMat3| Pose::from_quat(DQuat::from_mat3(&rotation), DVec3::ZERO).expect("a rotation");
        match kind {
            JointKind::Fixed => (Vec::new(), parent_from_joint),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                let joint_from_z = if axis == DVec3::Z { Pose::IDENTITY } else { z_to(axis) };
                (vec![element(parent_from_joint * joint_from_z, None, 0)], joint_from_z.inverse())
            }
            JointKind::Prismatic { axis } => {
                (vec![element(parent_from_joint, Some(axis), 0)], Pose::IDENTITY)
            }
            JointKind::Planar { normal } => {
                let plane = turned(shortest_turn_from_z(normal));
                let elements = vec![
                    element(parent_from_joint * plane, Some(DVec3::X), 0),
                    element(Pose::IDENTITY, Some(DVec3::Y), 1),
                    element(Pose::IDENTITY, None, 2),
                ];
                (elements, plane.inverse())
            }
            JointKind::Floating => {
                // Rz(yaw) Ry(pitch) Rx(roll) with turns about z: what takes z to y, and z to x, around them.
                let to_y = turned(DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y));
                let to_x = turned(DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X));
                let elements = vec![
                    element(parent_from_joint, Some(DVec3::X), 0),
                    element(Pose::IDENTITY, Some(DVec3::Y), 1),
                    element(Pose::IDENTITY, Some(DVec3::Z), 2),
                    element(Pose::IDENTITY, None, 5),
                    element(to_y, None, 4),
                    element(to_y.inverse() * to_x, None, 3),
                ];
                (elements, to_x.inverse())
            }
        }
    }
}

/// All frames of a cell, each after the one it hangs on, and the links in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// Frames 1 and on.
    frames: Vec<Moving>,
    /// For those that turn, in their order: which number of the posture, times what, and more by what.
    turns: Vec<(usize, f64, f64)>,
    sin_cos: Turns,
    links: Arc<Vec<InFrame>>,
}

/// A link, its joint, and where the joint's value comes from.
pub(crate) struct Step {
    pub(crate) parent: LinkId,
    pub(crate) link: LinkId,
    pub(crate) parent_from_joint: Pose,
    pub(crate) kind: JointKind,
    pub(crate) source: Source,
}

/// Where the value of a joint comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// From nowhere: it is held or fixed.
    Constant(f64),
    /// `multiplier · posture[index] + offset`.
    Coordinate { index: usize, multiplier: f64, offset: f64 },
    /// Several numbers of the posture.
    Coordinates { first: usize },
}

/// A frame and how it moves, with all that is constant worked out.
#[derive(Clone, Debug)]
struct Moving {
    parent: FrameId,
    parent_from_joint: Pose,
    motion: Motion,
    value: Value,
}

/// How a frame moves in the frame of its joint.
#[derive(Clone, Copy, Debug)]
enum Motion {
    /// Turns about z.
    Turn,
    Other(JointKind),
}

/// Which numbers of a posture a joint takes.
#[derive(Clone, Copy, Debug)]
enum Value {
    /// `multiplier · posture[index] + offset`.
    Single {
        index: usize,
        multiplier: f64,
        offset: f64,
    },
    Several {
        first: usize,
        count: usize,
    },
}

impl Chain {
    pub(crate) fn add_root(&mut self, root: LinkId, world_from_root: Pose, links: usize) {
        let place = InFrame { frame: FrameId::WORLD, frame_from_link: Pose::IDENTITY };
        let all = Arc::make_mut(&mut self.links);
        all.resize(all.len() + links, place);
        all[root.0 as usize].frame_from_link = world_from_root;
    }

    pub(crate) fn add_step(&mut self, step: Step) {
        let Step { parent, link, parent_from_joint, kind, source } = step;
        let InFrame { frame, frame_from_link: frame_from_parent } = self.links[parent.0 as usize];
        let frame_from_joint = frame_from_parent * parent_from_joint;
        let value = match (kind, source) {
            (JointKind::Fixed, _) => Err(Pose::IDENTITY),
            (_, Source::Constant(value)) => Err(kind.joint_from_child(&[value])),
            (_, Source::Coordinate { index, multiplier, offset }) => {
                Ok(Value::Single { index, multiplier, offset })
            }
            (_, Source::Coordinates { first }) => {
                Ok(Value::Several { first, count: kind.coordinates().len() })
            }
        };
        let place = match value {
            Err(joint_from_link) => InFrame { frame, frame_from_link: frame_from_joint * joint_from_link },
            Ok(value) => {
                // A frame that turns does so about its z: that takes half the products.
                let (motion, joint_from_frame) = match kind {
                    JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                        (Motion::Turn, z_to(axis))
                    }
                    _ => (Motion::Other(kind), Pose::IDENTITY),
                };
                let parent_from_joint = frame_from_joint * joint_from_frame;
                if let (Motion::Turn, Value::Single { index, multiplier, offset }) = (motion, value) {
                    self.turns.push((index, multiplier, offset));
                }
                self.frames.push(Moving { parent: frame, parent_from_joint, motion, value });
                InFrame {
                    frame: FrameId(self.frames.len() as u32),
                    frame_from_link: joint_from_frame.inverse(),
                }
            }
        };
        Arc::make_mut(&mut self.links)[link.0 as usize] = place;
    }

    fn place(&self, posture: &[f64], world_from_frame: &mut Vec<Pose>) {
        world_from_frame.clear();
        world_from_frame.push(Pose::IDENTITY);
        let mut turns = self.turns.chunks(TURNS);
        let (mut some, mut next) = ([[0.0; 2]; TURNS], TURNS);
        for frame in &self.frames {
            let world_from_joint = world_from_frame[frame.parent.0 as usize] * frame.parent_from_joint;
            let world_from_moved = match (frame.motion, frame.value) {
                (Motion::Turn, _) => {
                    if next == TURNS {
                        let mut angles = [0.0; TURNS];
                        let of_some = turns.next().into_iter().flatten();
                        for (angle, (index, multiplier, offset)) in angles.iter_mut().zip(of_some) {
                            *angle = multiplier * posture[*index] + offset;
                        }
                        (some, next) = (self.sin_cos.sin_cos(&angles), 0);
                    }
                    next += 1;
                    world_from_joint.turned_by(some[next - 1])
                }
                (Motion::Other(kind), Value::Single { index, multiplier, offset }) => {
                    world_from_joint * kind.joint_from_child(&[multiplier * posture[index] + offset])
                }
                (Motion::Other(kind), Value::Several { first, count }) => {
                    world_from_joint * kind.joint_from_child(&posture[first..first + count])
                }
            };
            world_from_frame.push(world_from_moved);
        }
    }
}

/// A rotation that takes z to a unit vector. Exact for the coordinate axes.
fn z_to(axis: DVec3) -> Pose {
    let along = axis.abs();
    // From the coordinate axis that is nearest, by a shortest turn that is small.
    let (nearest, unit) = match (along.x >= along.y && along.x >= along.z, along.y >= along.z) {
        (true, _) => (DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X), DVec3::X),
        (false, true) => (DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y), DVec3::Y),
        (false, false) => (DMat3::IDENTITY, DVec3::Z),
    };
    let (nearest, unit) = if axis.dot(unit) < 0.0 {
        // The other way: turned over about its x.
        (DMat3::from_cols(nearest.x_axis, -nearest.y_axis, -nearest.z_axis), -unit)
    } else {
        (nearest, unit)
    };
    let turn = DMat3::from_quat(DQuat::from_rotation_arc(unit, axis));
    let turn = if axis == unit { DMat3::IDENTITY } else { turn };
    Pose::from_quat(DQuat::from_mat3(&(turn * nearest)), DVec3::ZERO).expect("a rotation")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_and_slides_make_the_same_as_the_joint() {
        let axis = DVec3::new(0.3, -0.5, 0.8).normalize();
        let kinds = [
            (JointKind::Fixed, vec![]),
            (JointKind::Continuous { axis }, vec![0.7]),
            (JointKind::Continuous { axis: DVec3::Z }, vec![-2.0]),
            (JointKind::Prismatic { axis }, vec![0.4]),
            (JointKind::Planar { normal: axis }, vec![0.3, -0.2, 1.1]),
            (JointKind::Planar { normal: -DVec3::Z }, vec![0.3, -0.2, 1.1]),
            (JointKind::Floating, vec![0.1, 0.2, 0.3, 0.5, -0.9, 2.0]),
        ];
        for (kind, posture) in kinds {
            let parent_from_joint = Pose::from_rpy(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.1, 0.2, 0.3));
            let parent = FrameId::WORLD;
            let joint =
                FrameJoint { parent, parent_from_joint, kind, first: 0, multiplier: 1.0, offset: 0.0 };
            let (elements, after) = joint.elements();
            let moved = elements.iter().fold(Pose::IDENTITY, |pose, element| {
                let value = element.multiplier * posture[element.coordinate] + element.offset;
                let here = pose * element.before;
                match element.slide {
                    None => here.turned_about_z(value),
                    Some(along) => here * Pose::from_translation(along * value),
                }
            }) * after;
            let direct = parent_from_joint * kind.joint_from_child(&posture);
            assert!(moved.translation().abs_diff_eq(direct.translation(), 1e-14), "{kind:?}");
            assert!(moved.rotation().abs_diff_eq(direct.rotation(), 1e-14), "{kind:?}");
        }
    }
}
