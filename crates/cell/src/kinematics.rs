use crate::body::{Body, BodyId, Carrier};
use crate::cell::Cell;
use crate::joint::{JointKind, LinkId};
use kansho_geom::Pose;

/// Where everything is in one posture.
#[derive(Clone, Debug)]
pub struct Placed {
    world_from_link: Vec<Pose>,
}

impl Placed {
    /// Where a link is.
    #[must_use]
    pub fn world_from_link(&self, link: LinkId) -> Pose {
        self.world_from_link[link.0 as usize]
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
        let mut placed = Placed { world_from_link: Vec::new() };
        self.place_into(posture, &mut placed);
        placed
    }

    /// As [`Cell::place`], into memory that is used again.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn place_into(&self, posture: &[f64], placed: &mut Placed) {
        assert_eq!(posture.len(), self.coordinates().len(), "a posture has one number per coordinate");
        self.chain().place(posture, &mut placed.world_from_link);
    }

    /// Where the frame of a body is in a posture.
    #[must_use]
    pub fn world_from_body(&self, placed: &Placed, body: BodyId) -> Pose {
        placed.world_from_carrier(self.body(body))
    }
}

/// All links of a cell, each after the one it hangs on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    links: usize,
    roots: Vec<(LinkId, Pose)>,
    steps: Vec<FlatStep>,
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

/// A step with all that is constant worked out.
#[derive(Clone, Debug)]
struct FlatStep {
    parent: LinkId,
    link: LinkId,
    /// Up to the joint; or, of a rigid step, all the way to the link.
    parent_from_joint: Pose,
    motion: Motion,
}

#[derive(Clone, Copy, Debug)]
enum Motion {
    Rigid,
    Single { kind: JointKind, index: usize, multiplier: f64, offset: f64 },
    Several { kind: JointKind, first: usize, count: usize },
}

impl Chain {
    pub(crate) fn add_root(&mut self, root: LinkId, world_from_root: Pose, links: usize) {
        self.roots.push((root, world_from_root));
        self.links += links;
    }

    pub(crate) fn add_step(&mut self, step: Step) {
        let Step { parent, link, parent_from_joint, kind, source } = step;
        let (parent_from_joint, motion) = match (kind, source) {
            (JointKind::Fixed, _) => (parent_from_joint, Motion::Rigid),
            (_, Source::Constant(value)) => {
                (parent_from_joint * kind.joint_from_child(&[value]), Motion::Rigid)
            }
            (_, Source::Coordinate { index, multiplier, offset }) => {
                (parent_from_joint, Motion::Single { kind, index, multiplier, offset })
            }
            (_, Source::Coordinates { first }) => {
                (parent_from_joint, Motion::Several { kind, first, count: kind.coordinates().len() })
            }
        };
        self.steps.push(FlatStep { parent, link, parent_from_joint, motion });
    }

    fn place(&self, posture: &[f64], world_from_link: &mut Vec<Pose>) {
        world_from_link.resize(self.links, Pose::IDENTITY);
        for &(root, world_from_root) in &self.roots {
            world_from_link[root.0 as usize] = world_from_root;
        }
        for step in &self.steps {
            let world_from_joint = world_from_link[step.parent.0 as usize] * step.parent_from_joint;
            world_from_link[step.link.0 as usize] = match step.motion {
                Motion::Rigid => world_from_joint,
                Motion::Single { kind, index, multiplier, offset } => {
                    world_from_joint * kind.joint_from_child(&[multiplier * posture[index] + offset])
                }
                Motion::Several { kind, first, count } => {
                    world_from_joint * kind.joint_from_child(&posture[first..first + count])
                }
            };
        }
    }
}
