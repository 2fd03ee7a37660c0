//! The same job in a cell in which something else stands elsewhere.

use super::Job;
use kansho_cell::work::ToolAxis;
use kansho_cell::{Body, BodyKind, Cell, FrameId};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// Where a job's own frames come from, so that it can follow what they are named after.
#[derive(Clone, Debug, PartialEq)]
pub struct JobFrames {
    /// The robot or object in whose frame the path is; none for the world.
    pub path: Option<String>,
    /// The robot or object in whose frame the direction of rotation zero is; none for the world.
    pub toward: Option<String>,
    /// That direction, in that frame.
    pub toward_in_frame: DVec3,
    /// Rotations: from, to, step, in radians.
    pub rotations: [f64; 3],
    /// The tilt, in radians.
    pub tilt: f64,
}

impl Job {
    /// The same job in another cell, which has the same robot with its tool and the same things that the job names. The path goes with the frame that it is in, as
    /// does the direction of rotation zero.
    ///
    /// # Errors
    /// What the job needs and the cell does not have.
    pub fn in_cell(&self, cell: Cell) -> Result<Self, String> {
        let tool = cell.robots().iter().find(|robot| robot.name == self.robot);
        if tool.is_none_or(|robot| robot.tool.is_none()) {
            return Err(format!("the cell has no robot \"{}\" with a tool", self.robot));
        }
        let [before, after] = [&self.cell, &cell].map(|cell| pose_of(cell, &self.frames.path));
        let (before, after) = (before?, after?);
        let mut job = self.clone();
        // What has not moved stays as it is, to the last bit.
        if before != after {
            let moved = after * before.inverse();
            for point in job.path.strokes.iter_mut().flat_map(|stroke| &mut stroke.points) {
                point.tip_in_world = moved * point.tip_in_world;
                point.direction_in_world = moved.rotate(point.direction_in_world);
            }
        }
        job.cell = cell;
        job.turn()?;
        Ok(job)
    }

    /// Works the freedom of the tool's axis out again, after its numbers were changed.
    ///
    /// # Errors
    /// What makes no sense.
    pub fn turn(&mut self) -> Result<(), String> {
        let world_from_toward = pose_of(&self.cell, &self.frames.toward)?;
        let toward_in_world = world_from_toward.rotate(self.frames.toward_in_frame);
        let axis = ToolAxis::new(self.frames.rotations, toward_in_world, self.frames.tilt);
        self.axis = axis.map_err(|fault| fault.to_string())?;
        Ok(())
    }
}

/// Whether nothing moves a body: it stands in the world, or on links whose joints are all held.
#[must_use]
pub fn stands_still(cell: &Cell, body: &Body) -> bool {
    cell.in_frame(body.carrier).frame == FrameId::WORLD
}

/// Where a robot or an object is.
fn pose_of(cell: &Cell, name: &Option<String>) -> Result<Pose, String> {
    let Some(name) = name else { return Ok(Pose::IDENTITY) };
    if let Some(robot) = cell.robots().iter().find(|robot| robot.name == *name) {
        return Ok(robot.world_from_root);
    }
    let is_it =
        |body: &&Body| body.name == *name && body.kind == BodyKind::Object && stands_still(cell, body);
    let found = cell.bodies().iter().find(is_it).and_then(|body| Some((body, body.pieces.first()?)));
    found
        .map(|(body, piece)| cell.in_frame(body.carrier).frame_from_link * piece.carrier_from_piece)
        .ok_or_else(|| format!("the cell has no \"{name}\" that stands still, in whose frame the job is"))
}
