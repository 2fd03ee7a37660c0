//! The joints between the world and a tip, as turns and slides one after the other.

use super::jacobian::Twist;
use crate::cell::Cell;
use crate::joint::{Limits, LinkId};
use crate::kinematics::{Elementary, InFrame};
use crate::{Carrier, FrameId};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::f64::consts::TAU;

/// The joints that move a tip. What comes before the first of them is kept apart: inside, all is in the frame of the first
/// axis, so that a base far from the origin of the world costs no digits.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The frame in which the first axis moves.
    pub(super) world_from_root: Pose,
    /// Turns and slides; the first stands in the root itself. `coordinate` counts the joints of this chain.
    pub(super) axes: Vec<Elementary>,
    /// The tip after the last of them.
    pub(super) after: Pose,
    /// What the numbers of a posture of the chain are.
    pub(super) joints: Vec<ChainJoint>,
}

/// A number of a chain's posture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainJoint {
    /// Which number of the cell's posture it is.
    pub coordinate: usize,
    /// Its range, if it has one.
    pub limits: Option<Limits>,
    /// After how much the tip is where it was: a whole turn. None where it slides.
    pub period: Option<f64>,
}

impl Chain {
    /// The chain of a tip; none if nothing moves it.
    pub(super) fn new(cell: &Cell, link: LinkId, link_from_tip: Pose) -> Option<Self> {
        let InFrame { mut frame, frame_from_link } = cell.in_frame(Carrier::Link(link));
        let mut frames = Vec::new();
        while frame != FrameId::WORLD {
            let joint = cell.frame_joint(frame)?;
            frame = joint.parent;
            frames.push(joint);
        }
        let mut axes: Vec<Elementary> = Vec::new();
        let mut pending = Pose::IDENTITY;
        for joint in frames.iter().rev() {
            let (elements, after) = joint.elements();
            for element in elements {
                axes.push(Elementary { before: pending * element.before, ..element });
                pending = Pose::IDENTITY;
            }
            pending = pending * after;
        }
        let mut joints: Vec<ChainJoint> = Vec::new();
        for axis in &mut axes {
            let known = joints.iter().position(|joint| joint.coordinate == axis.coordinate);
            let index = known.unwrap_or_else(|| {
                let limits = cell.coordinates()[axis.coordinate].limits;
                joints.push(ChainJoint { coordinate: axis.coordinate, limits, period: None });
                joints.len() - 1
            });
            axis.coordinate = index;
        }
        let mut chain = Self {
            world_from_root: Pose::IDENTITY,
            axes,
            after: pending * frame_from_link * link_from_tip,
            joints,
        };
        for index in 0..chain.joints.len() {
            chain.joints[index].period = chain.period(index);
        }
        chain.split_root().then_some(chain)
    }

    /// The same with one number held at a value; none if nothing is left.
    pub(super) fn with_held(&self, index: usize, value: f64) -> Option<Self> {
        let mut chain = Self { axes: Vec::new(), ..self.clone() };
        let mut pending = self.world_from_root;
        for axis in &self.axes {
            let here = pending * axis.before;
            if axis.coordinate == index {
                pending = here * moved(axis, axis.multiplier * value + axis.offset);
            } else {
                let coordinate = axis.coordinate - usize::from(axis.coordinate > index);
                chain.axes.push(Elementary { before: here, coordinate, ..*axis });
                pending = Pose::IDENTITY;
            }
        }
        chain.after = pending * self.after;
        chain.joints.remove(index);
        chain.split_root().then_some(chain)
    }

    /// Takes what is before the first axis out of it. Whether there is one.
    fn split_root(&mut self) -> bool {
        let Some(first) = self.axes.first_mut() else { return false };
        self.world_from_root = std::mem::replace(&mut first.before, Pose::IDENTITY);
        true
    }

    /// A whole turn of all axes that take a number, if they turn and agree.
    fn period(&self, index: usize) -> Option<f64> {
        let mut rates = self
            .axes
            .iter()
            .filter(|axis| axis.coordinate == index)
            .map(|axis| axis.slide.is_none().then_some(axis.multiplier.abs()));
        let first = rates.next()??;
        (first > 0.0 && rates.all(|rate| rate == Some(first))).then_some(TAU / first)
    }

    /// Forward kinematics, from the root.
    pub(super) fn root_from_tip(&self, values: &[f64]) -> Pose {
        let step = |pose: Pose, axis: &Elementary| {
            let value = axis.multiplier * values[axis.coordinate] + axis.offset;
            match axis.slide {
                None => (pose * axis.before).turned_about_z(value),
                Some(along) => pose * axis.before * Pose::from_translation(along * value),
            }
        };
        self.axes.iter().fold(Pose::IDENTITY, step) * self.after
    }

    /// Forward kinematics and the twist of the tip for every number, in the axes of the root.
    pub(super) fn with_twists(&self, values: &[f64], twists: &mut Vec<Twist>) -> Pose {
        twists.clear();
        twists.resize(self.joints.len(), Twist { linear: DVec3::ZERO, angular: DVec3::ZERO });
        // Turns as axis and origin for the present: how the tip moves is known when it is known where it is.
        let mut pose = Pose::IDENTITY;
        let mut lines = [(DVec3::ZERO, DVec3::ZERO); 16];
        let mut more = Vec::new();
        for (k, axis) in self.axes.iter().enumerate() {
            let value = axis.multiplier * values[axis.coordinate] + axis.offset;
            let here = pose * axis.before;
            let line = (here.rotate(axis.slide.unwrap_or(DVec3::Z)), here.translation());
            match lines.get_mut(k) {
                Some(slot) => *slot = line,
                None => more.push(line),
            }
            pose = match axis.slide {
                None => here.turned_about_z(value),
                Some(along) => here * Pose::from_translation(along * value),
            };
        }
        let root_from_tip = pose * self.after;
        for (axis, (direction, origin)) in self.axes.iter().zip(lines.iter().chain(&more)) {
            let twist = &mut twists[axis.coordinate];
            if axis.slide.is_some() {
                twist.linear += *direction * axis.multiplier;
            } else {
                twist.angular += *direction * axis.multiplier;
                twist.linear += direction.cross(root_from_tip.translation() - *origin) * axis.multiplier;
            }
        }
        root_from_tip
    }

    /// A length to compare with angles: how far the tip can be from the root if all is stretched; slides not counted.
    pub(super) fn size(&self) -> f64 {
        let lengths = self.axes.iter().skip(1).map(|axis| axis.before.translation().length());
        let size = lengths.sum::<f64>() + self.after.translation().length();
        if size > 0.0 { size } else { 1.0 }
    }
}

fn moved(axis: &Elementary, value: f64) -> Pose {
    match axis.slide {
        None => Pose::IDENTITY.turned_about_z(value),
        Some(along) => Pose::from_translation(along * value),
    }
}
