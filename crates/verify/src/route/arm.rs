//! Six joints and the tip that they move: where is it, and how does it move with each joint?

use super::{JointError, Margins};
use kansho_cell::ik::Tip;
use kansho_cell::{Body, BodyId, BodyPiece, Carrier, Cell, Elementary, FrameId, Geometry, Limits, Quantity};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// Joints of an arm: as many as a pose has numbers, so that a pose on one branch fixes them.
pub const JOINTS: usize = 6;

/// Turns and slides of an arm, at most: some joints drive two.
const MOST_AXES: usize = 12;

/// Why a tip cannot be led along curves.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArmFault {
    /// The joints do not follow from a pose.
    #[error(
        "{0} joints move the tool, and a pose of the tool fixes six: hold the others in the cell, as in hold = {{ joint = 0.0 }}"
    )]
    Joints(usize),
    /// There are more turns and slides than are looked at.
    #[error("{0} turns and slides move the tool, more than are looked at")]
    Axes(usize),
    /// A slide that moves bodies has no limits, so nothing bounds how far they get.
    #[error("\"{0}\" is a slide without limits, so nothing bounds what it moves")]
    Unbounded(String),
}

/// A turn or a slide of an arm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// Where it is, after what came before.
    before: Pose,
    slide: Option<DVec3>,
    /// Which of the six joints drives it.
    pub(crate) joint: usize,
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
}

/// Six joints that move a tip, and how far they move bodies.
#[derive(Clone, Debug)]
pub struct Arm {
    axes: Vec<Axis>,
    after: Pose,
    coordinates: [usize; JOINTS],
    limits: [Option<Limits>; JOINTS],
    /// By how many metres a body moves at most, relative to any other, if a joint moves by one unit.
    levers: [f64; JOINTS],
    /// What moves with the tip.
    frame: FrameId,
    /// No point of a body that moves with the tip is farther from it, in metres.
    reach: f64,
    /// No place of the arm is farther from the world's origin.
    size: f64,
    /// For every coordinate of the cell, the largest value with which the two before hold; none for angles.
    slides: Vec<Option<f64>>,
}

/// An arm in a posture.
#[derive(Clone, Copy, Debug)]
pub struct Posed {
    /// Where the tip is.
    pub tip: Pose,
    /// For every axis its direction, and the speed of the tip if it moves at one unit of its own: a turn, then a slide.
    pub axes: [(DVec3, DVec3); MOST_AXES],
    /// The speed of the tip for each joint: metres, then radians.
    pub columns: [[f64; 6]; JOINTS],
}

impl Arm {
    /// The joints that move a tip.
    ///
    /// # Errors
    /// They are not six, or move more than can be bounded.
    pub fn new(cell: &Cell, tip: &Tip) -> Result<Self, ArmFault> {
        let place = cell.in_frame(Carrier::Link(tip.link));
        let mut joints = Vec::new();
        let mut frame = place.frame;
        while let Some(joint) = cell.frame_joint(frame) {
            frame = joint.parent;
            joints.push(joint);
        }
        let mut axes: Vec<Axis> = Vec::new();
        let mut coordinates: Vec<usize> = Vec::new();
        let mut pending = Pose::IDENTITY;
        for joint in joints.iter().rev() {
            let (elements, after) = joint.elements();
            for element in elements {
                let known = coordinates.iter().position(|known| *known == element.coordinate);
                let joint = known.unwrap_or_else(|| {
                    coordinates.push(element.coordinate);
                    coordinates.len() - 1
                });
                let Elementary { before, slide, multiplier, offset, .. } = element;
                axes.push(Axis { before: pending * before, slide, joint, multiplier, offset });
                pending = Pose::IDENTITY;
            }
            pending = pending * after;
        }
        let coordinates: [usize; JOINTS] =
            coordinates.try_into().map_err(|all: Vec<usize>| ArmFault::Joints(all.len()))?;
        if axes.len() > MOST_AXES {
            return Err(ArmFault::Axes(axes.len()));
        }
        let after = pending * place.frame_from_link * tip.link_from_tip;
        let slides = slides(cell, &coordinates)?;
        let levers = levers(cell, &slides)?;
        let lengths = axes.iter().map(|axis| {
            let slid = axis.slide.map_or(0.0, |along| {
                along.length() * (axis.multiplier.abs() * slides[coordinates[axis.joint]] + axis.offset.abs())
            });
            axis.before.translation().length() + slid
        });
        let size = lengths.sum::<f64>() + after.translation().length();
        Ok(Self {
            limits: coordinates.map(|c| cell.coordinates()[c].limits),
            levers: coordinates.map(|c| levers[c]),
            slides: cell
                .coordinates()
                .iter()
                .zip(&slides)
                .map(|(c, most)| (c.quantity == Quantity::Length).then_some(*most))
                .collect(),
            frame: place.frame,
            reach: reach_from_tip(cell, place.frame, place.frame_from_link * tip.link_from_tip),
            axes,
            after,
            coordinates,
            size,
        })
    }

    /// Which numbers of a posture are its joints, from the base on.
    #[must_use]
    pub fn coordinates(&self) -> [usize; JOINTS] {
        self.coordinates
    }

    /// The ranges of its joints.
    #[must_use]
    pub fn limits(&self) -> [Option<Limits>; JOINTS] {
        self.limits
    }

    /// How far bodies move relative to each other at most if joints are off by so much, in metres, rounded up.
    #[must_use]
    pub fn margin(&self, off: &[f64; JOINTS]) -> f64 {
        self.levers.iter().zip(off).map(|(lever, off)| lever * off).sum::<f64>() * (1.0 + 1e-12)
    }

    /// How far bodies may be off, where joints and tip are by no more than this; rounded up.
    #[must_use]
    pub fn margins(&self, error: &JointError) -> Margins {
        let [place, turn] = error.tip;
        let of_joints = self.margin(&error.most);
        Margins { of_tip: of_joints.min((place + turn * self.reach) * (1.0 + 1e-9)), of_joints }
    }

    /// Whether of two frames one moves with the tip and the other stands still.
    #[must_use]
    pub fn is_of_tip(&self, frames: [FrameId; 2]) -> bool {
        frames == [self.frame, FrameId::WORLD] || frames == [FrameId::WORLD, self.frame]
    }

    /// The values of its joints in a posture of the cell.
    #[must_use]
    pub fn values(&self, posture: &[f64]) -> [f64; JOINTS] {
        self.coordinates.map(|c| posture[c])
    }

    /// Whether all that slides is within its limits, so that what is said about sizes holds.
    #[must_use]
    pub fn bounds(&self, posture: impl IntoIterator<Item = f64>) -> bool {
        let is_within = |(value, most): (f64, &Option<f64>)| most.is_none_or(|most| value.abs() <= most);
        posture.into_iter().zip(&self.slides).all(is_within)
    }

    /// No place of it is farther from the world's origin, in metres.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    pub(crate) fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Where the tip is.
    #[must_use]
    pub fn tip(&self, values: &[f64; JOINTS]) -> Pose {
        self.axes.iter().fold(Pose::IDENTITY, |pose, axis| axis.moved(pose * axis.before, values))
            * self.after
    }

    /// Where the tip is and how it moves.
    #[must_use]
    pub fn posed(&self, values: &[f64; JOINTS]) -> Posed {
        let mut axes = [(DVec3::ZERO, DVec3::ZERO); MOST_AXES];
        let mut pose = Pose::IDENTITY;
        for (axis, line) in self.axes.iter().zip(&mut axes) {
            let here = pose * axis.before;
            *line = (here.rotate(axis.slide.unwrap_or(DVec3::Z)), here.translation());
            pose = axis.moved(here, values);
        }
        let tip = pose * self.after;
        let mut columns = [[0.0; 6]; JOINTS];
        for (axis, line) in self.axes.iter().zip(&mut axes) {
            let (direction, origin) = *line;
            *line = match axis.slide {
                None => (direction, direction.cross(tip.translation() - origin)),
                Some(_) => (DVec3::ZERO, direction),
            };
            let column = &mut columns[axis.joint];
            for k in 0..3 {
                column[k] += line.1[k] * axis.multiplier;
                column[k + 3] += line.0[k] * axis.multiplier;
            }
        }
        Posed { tip, axes, columns }
    }
}

impl Axis {
    fn moved(&self, here: Pose, values: &[f64; JOINTS]) -> Pose {
        let value = self.multiplier * values[self.joint] + self.offset;
        match self.slide {
            None => here.turned_about_z(value),
            Some(along) => here * Pose::from_translation(along * value),
        }
    }

    pub(crate) fn is_slide(&self) -> bool {
        self.slide.is_some()
    }
}

/// For every coordinate that is a length, the largest value that it may have. Only those of the arm may be without limits if nothing
/// slides; others stand still or are looked at as they are.
fn slides(cell: &Cell, of_arm: &[usize; JOINTS]) -> Result<Vec<f64>, ArmFault> {
    cell.coordinates()
        .iter()
        .enumerate()
        .map(|(k, coordinate)| match (coordinate.quantity, coordinate.limits) {
            (Quantity::Angle, _) => Ok(0.0),
            (Quantity::Length, Some(limits)) => Ok(limits.lower.abs().max(limits.upper.abs())),
            (Quantity::Length, None) if of_arm.contains(&k) => {
                Err(ArmFault::Unbounded(coordinate.full_name()))
            }
            (Quantity::Length, None) => Ok(f64::INFINITY),
        })
        .collect()
}

/// No point of a body that moves with a tip is farther from the tip.
fn reach_from_tip(cell: &Cell, frame: FrameId, frame_from_tip: Pose) -> f64 {
    let tip_in_frame = frame_from_tip.translation();
    let of_body = |body: &Body| {
        let place = cell.in_frame(body.carrier);
        let pieces = body.pieces.iter().filter(|_| place.frame == frame);
        pieces.map(|piece| reach(piece, place.frame_from_link, tip_in_frame)).fold(0.0, f64::max)
    };
    cell.bodies().iter().map(of_body).fold(0.0, f64::max) * (1.0 + 1e-9)
}

/// No point of a piece is farther from a point of its frame; infinite if it has no end.
fn reach(piece: &BodyPiece, frame_from_link: Pose, from: DVec3) -> f64 {
    let frame_from_piece = frame_from_link * piece.carrier_from_piece;
    match &piece.geometry {
        Geometry::Mesh(mesh) => {
            let ball = mesh.ball();
            (frame_from_piece * ball.centre()).distance(from) + ball.radius()
        }
        Geometry::Primitive(primitive) => primitive.aabb().map_or(f64::INFINITY, |aabb| {
            (frame_from_piece * aabb.centre()).distance(from) + 0.5 * aabb.diagonal()
        }),
    }
}

/// For every coordinate, by how much bodies move relative to each other at most if it changes by one unit.
///
/// Each turn or slide on the way from a body to the world moves it by its distance from the axis, at most the length of all that lies
/// between. Of two bodies that a joint lies between, it moves one; so the largest of all bodies beyond a joint counts, and those of
/// several joints with the same coordinate add up.
fn levers(cell: &Cell, slides: &[f64]) -> Result<Vec<f64>, ArmFault> {
    // For every frame but the world, for each of its elements.
    let mut most: Vec<Vec<(Elementary, f64)>> = (1..)
        .map_while(|frame| cell.frame_joint(FrameId(frame)))
        .map(|joint| joint.elements().0.into_iter().map(|element| (element, 0.0)).collect())
        .collect();
    for id in (0..cell.bodies().len()).map(|k| BodyId(k as u32)) {
        let body = cell.body(id);
        let place = cell.in_frame(body.carrier);
        let reach = |piece: &BodyPiece| reach(piece, place.frame_from_link, DVec3::ZERO);
        let mut reach = body.pieces.iter().map(reach).fold(0.0, f64::max);
        let mut frame = place.frame;
        while let Some(joint) = cell.frame_joint(frame) {
            let (elements, after) = joint.elements();
            reach += after.translation().length();
            let of_frame = &mut most[frame.0 as usize - 1];
            for (element, (_, most)) in elements.iter().zip(of_frame).rev() {
                if let Some(along) = element.slide {
                    *most = most.max(along.length());
                    // Nothing of something without end is nothing.
                    let slid = match element.multiplier.abs() {
                        0.0 => 0.0,
                        size => size * slides[element.coordinate],
                    };
                    let value = slid + element.offset.abs();
                    reach += along.length() * value;
                } else {
                    *most = most.max(reach);
                }
                reach += element.before.translation().length();
            }
            frame = joint.parent;
        }
    }
    let mut levers = vec![0.0; cell.coordinates().len()];
    for (element, most) in most.iter().flatten() {
        levers[element.coordinate] += most * element.multiplier.abs() * (1.0 + 1e-9);
    }
    Ok(levers)
}
