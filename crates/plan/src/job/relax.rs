//! The same job with a little more freedom, for when it has no path.

use super::Job;
use kansho_cell::{BodyPiece, Cell, Geometry};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::fmt;

/// Something that is let go of.
#[derive(Clone, Debug, PartialEq)]
pub enum Relaxation {
    /// Rotations are looked at in steps of so many radians.
    Rotation(f64),
    /// The tool may be tilted by so many radians.
    Tilt(f64),
    /// The branch may change within a stroke.
    Branch,
    /// The least gap is only so many metres.
    Clearance(f64),
    /// The tool comes from the other side: all directions of the path are turned round.
    Flip,
    /// The work is moved by so many metres, in axes of the world.
    Move(DVec3),
    /// The work is turned by so many radians about the vertical through the middle of the path.
    Turn(f64),
    /// The tool is shorter by so many metres: it sits nearer to its link, along that link's z.
    Shorter(f64),
    /// The tool is bent at its link, about x (or else y) of that, by so many radians.
    Bend {
        /// Whether about x.
        about_x: bool,
        /// By how much.
        angle: f64,
    },
    /// The robot stands higher by so many metres.
    Base(f64),
    /// An obstacle is left out.
    Without(String),
}

/// Kinds of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelaxationKind {
    /// Finer rotations.
    Rotation,
    /// A tilt of the tool.
    Tilt,
    /// Changes of branch.
    Branch,
    /// A smaller clearance.
    Clearance,
    /// The other side of the tool axis.
    Flip,
    /// The work elsewhere.
    Move,
    /// The work turned.
    Turn,
    /// A shorter tool.
    Shorter,
    /// A tool that is bent otherwise.
    Bend,
    /// The base of the robot higher or lower.
    Base,
    /// Without an obstacle.
    Without,
}

impl RelaxationKind {
    /// All, in the order in which they are tried: what changes nothing in the cell first.
    pub const ALL: [Self; 11] = [
        Self::Rotation,
        Self::Branch,
        Self::Clearance,
        Self::Flip,
        Self::Tilt,
        Self::Move,
        Self::Turn,
        Self::Shorter,
        Self::Bend,
        Self::Base,
        Self::Without,
    ];
}

/// Tilts that are tried, in degrees.
const TILTS_DEG: [f64; 4] = [2.0, 5.0, 10.0, 15.0];

/// Turns of the work that are tried, in degrees.
const TURNS_DEG: [f64; 4] = [2.0, 5.0, 10.0, 20.0];

/// Bends of the tool that are tried, in degrees.
const BENDS_DEG: [f64; 3] = [5.0, 10.0, 20.0];

/// Parts of the clearance that are tried.
const CLEARANCES: [f64; 6] = [0.75, 0.5, 0.25, 0.1, 0.05, 0.0];

/// Parts of what is allowed that are tried.
const PARTS: [f64; 4] = [0.1, 0.25, 0.5, 1.0];

impl fmt::Display for Relaxation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rotation(step) => write!(f, "rotations in steps of {} deg", tidy(step.to_degrees())),
            Self::Tilt(angle) => write!(f, "tilting the tool by {} deg", tidy(angle.to_degrees())),
            Self::Branch => write!(f, "changing the branch within a stroke"),
            Self::Clearance(gap) => write!(f, "a clearance of {} mm", tidy(1e3 * gap)),
            Self::Flip => write!(f, "the tool from the other side (flip in [path])"),
            Self::Move(by) => {
                let by = [by.x, by.y, by.z].map(|x| tidy(1e3 * x));
                write!(f, "moving the work by ({}, {}, {}) mm", by[0], by[1], by[2])
            }
            Self::Turn(angle) => {
                write!(f, "turning the work by {} deg about the vertical", tidy(angle.to_degrees()))
            }
            Self::Shorter(by) => write!(f, "a tool that is shorter by {} mm", tidy(1e3 * by)),
            Self::Bend { about_x, angle } => {
                let axis = if *about_x { "x" } else { "y" };
                write!(f, "a tool that is bent by {} deg about {axis} of its link", tidy(angle.to_degrees()))
            }
            Self::Base(by) => write!(f, "raising the robot by {} mm", tidy(1e3 * by)),
            Self::Without(name) => write!(f, "leaving out \"{name}\""),
        }
    }
}

/// Without the last digits, and without the sign of nothing.
fn tidy(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}

impl Job {
    /// What could be let go of, of one kind, the smallest first. Things are moved by no more than `within`, in metres.
    #[must_use]
    pub fn relaxations(&self, kind: RelaxationKind, within: f64) -> Vec<Relaxation> {
        match kind {
            RelaxationKind::Rotation => {
                let step = self.frames.rotations[2];
                [0.5, 0.25].map(|part| Relaxation::Rotation(part * step)).to_vec()
            }
            RelaxationKind::Branch if self.change_branch => Vec::new(),
            RelaxationKind::Branch => vec![Relaxation::Branch],
            RelaxationKind::Clearance if self.clearance > 0.0 => {
                CLEARANCES.map(|part| Relaxation::Clearance(part * self.clearance)).to_vec()
            }
            RelaxationKind::Clearance => Vec::new(),
            RelaxationKind::Flip => vec![Relaxation::Flip],
            RelaxationKind::Tilt => {
                let more = TILTS_DEG.map(f64::to_radians).into_iter().filter(|tilt| *tilt > self.frames.tilt);
                more.map(Relaxation::Tilt).collect()
            }
            RelaxationKind::Move => {
                let ways = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
                PARTS
                    .into_iter()
                    .flat_map(|part| ways.map(|way| Relaxation::Move(way * part * within)))
                    .collect()
            }
            RelaxationKind::Turn => TURNS_DEG
                .into_iter()
                .flat_map(|degrees| [degrees, -degrees].map(|degrees| Relaxation::Turn(degrees.to_radians())))
                .collect(),
            RelaxationKind::Shorter => PARTS.map(|part| Relaxation::Shorter(part * within)).to_vec(),
            RelaxationKind::Bend => BENDS_DEG
                .into_iter()
                .flat_map(|degrees| [degrees, -degrees].map(f64::to_radians))
                .flat_map(|angle| [true, false].map(|about_x| Relaxation::Bend { about_x, angle }))
                .collect(),
            RelaxationKind::Base => PARTS
                .into_iter()
                .flat_map(|part| [part, -part].map(|part| Relaxation::Base(part * within)))
                .collect(),
            RelaxationKind::Without => {
                // What the working robot carries is its tool, or what it holds: without that there is no job.
                let own = format!("{}/", self.robot);
                let is_carried = |object: &&kansho_cell::ObjectDraft| {
                    object.on.as_ref().is_some_and(|link| link.starts_with(&own))
                };
                let objects = self.cell.draft().objects.iter().filter(|object| !is_carried(object));
                let names = objects.map(|object| &object.name);
                let others = names.filter(|name| self.frames.path.as_ref() != Some(name));
                others.map(|name| Relaxation::Without(name.clone())).collect()
            }
        }
    }

    /// The same job with something let go of. Of the cell, the work is all that stands still and has an end; it is moved as one, and the path
    /// with it if it is in the frame of something that moves.
    ///
    /// # Errors
    /// What the job needs and does not have any more.
    pub fn relaxed(&self, relaxation: &Relaxation) -> Result<Self, String> {
        let mut job = self.clone();
        match relaxation {
            Relaxation::Rotation(step) => {
                job.frames.rotations[2] = *step;
                // Up to where it was before: 359.5 follows 359 where it goes round.
                if self.axis.wraps() {
                    job.frames.rotations[1] = job.frames.rotations[0] + std::f64::consts::TAU - step;
                }
                job.turn()?;
                Ok(job)
            }
            Relaxation::Tilt(angle) => {
                job.frames.tilt = *angle;
                job.turn()?;
                Ok(job)
            }
            Relaxation::Branch => {
                job.change_branch = true;
                Ok(job)
            }
            Relaxation::Clearance(gap) => {
                job.clearance = *gap;
                Ok(job)
            }
            Relaxation::Flip => {
                let points = job.path.strokes.iter_mut().flat_map(|stroke| &mut stroke.points);
                points.for_each(|point| point.direction_in_world = -point.direction_in_world);
                Ok(job)
            }
            Relaxation::Move(by) => self.moved(Pose::from_translation(*by)),
            Relaxation::Turn(angle) => {
                let there = Pose::from_translation(self.middle());
                self.moved(there * Pose::turn(DVec3::Z, *angle) * there.inverse())
            }
            Relaxation::Shorter(by) => self.with_tool(|link_from_tcp| {
                let out = link_from_tcp.translation().z;
                if out.abs() <= *by {
                    return Err("the tool is not that long".into());
                }
                Ok(Pose::from_translation(DVec3::NEG_Z * *by * out.signum()))
            }),
            Relaxation::Bend { about_x, angle } => {
                self.with_tool(|_| Ok(Pose::turn(if *about_x { DVec3::X } else { DVec3::Y }, *angle)))
            }
            Relaxation::Base(by) => {
                let mut draft = self.cell.draft().clone();
                let robot = draft.robots.iter_mut().find(|robot| robot.name == self.robot);
                let robot = robot.ok_or("the cell has no such robot")?;
                robot.world_from_root = Pose::from_translation(DVec3::Z * *by) * robot.world_from_root;
                self.redrafted(draft)
            }
            Relaxation::Without(name) => {
                let mut draft = self.cell.draft().clone();
                draft.objects.retain(|object| object.name != *name);
                draft.allow.retain(|pair| !pair.contains(name));
                self.redrafted(draft)
            }
        }
    }

    /// The same job with one of so many rotations; none if that leaves out a part of where they go round.
    #[must_use]
    pub fn with_every_rotation(&self, every: usize) -> Option<Self> {
        let mut job = self.clone();
        if every == 1 {
            return Some(job);
        }
        if self.axis.wraps() {
            if !self.axis.rotations().len().is_multiple_of(every) {
                return None;
            }
            job.frames.rotations[1] =
                job.frames.rotations[0] + std::f64::consts::TAU - every as f64 * job.frames.rotations[2];
        }
        job.frames.rotations[2] *= every as f64;
        job.turn().ok()?;
        Some(job)
    }

    /// The same with its tool, and the point that works, moved in the frame of the link that carries it.
    fn with_tool(&self, by: impl Fn(Pose) -> Result<Pose, String>) -> Result<Self, String> {
        let mut draft = self.cell.draft().clone();
        let robot = draft.robots.iter_mut().find(|robot| robot.name == self.robot);
        let tool = robot.and_then(|robot| robot.tool.as_mut()).ok_or("the robot has no tool")?;
        let by = by(tool.link_from_tcp)?;
        tool.link_from_tcp = by * tool.link_from_tcp;
        tool.pieces.iter_mut().for_each(|piece| piece.carrier_from_piece = by * piece.carrier_from_piece);
        self.redrafted(draft)
    }

    /// The middle of the path's points.
    pub(super) fn middle(&self) -> DVec3 {
        self.path.points().map(|point| point.tip_in_world).sum::<DVec3>() / self.path.len() as f64
    }

    pub(super) fn moved(&self, by: Pose) -> Result<Self, String> {
        let mut draft = self.cell.draft().clone();
        let has_end = |piece: &BodyPiece| match &piece.geometry {
            Geometry::Mesh(_) => true,
            Geometry::Primitive(primitive) => primitive.aabb().is_some(),
        };
        let stands =
            |object: &&mut kansho_cell::ObjectDraft| object.on.is_none() && object.pieces.iter().all(has_end);
        for piece in draft.objects.iter_mut().filter(stands).flat_map(|object| &mut object.pieces) {
            piece.carrier_from_piece = by * piece.carrier_from_piece;
        }
        let follows = self.frames.path.is_some();
        let mut job = self.redrafted(draft)?;
        // A path in the world is the work's, too.
        if !follows {
            for point in job.path.strokes.iter_mut().flat_map(|stroke| &mut stroke.points) {
                point.tip_in_world = by * point.tip_in_world;
                point.direction_in_world = by.rotate(point.direction_in_world);
            }
        }
        Ok(job)
    }

    pub(super) fn redrafted(&self, draft: kansho_cell::CellDraft) -> Result<Self, String> {
        let cell = Cell::new(draft)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        self.in_cell(cell)
    }
}
