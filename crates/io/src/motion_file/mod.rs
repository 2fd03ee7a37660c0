//! Motions from files of every kind: waypoints, lists of moves, robot programs, trajectories of ROS.
//!
//! What a file leaves open (how waypoints are joined, how a tool turns, what corners look like) is said by [`MotionFileOptions`]. Faults name
//! what would have to be said as the command line has it.

mod lead;
mod program;
mod trajectory;

#[cfg(test)]
mod tests;

pub use lead::{BlendName, Laws, LeadOptions, tip};
pub use program::{NoStretch, ProgramParts, ProgramText, RobotProgramOptions};

use crate::fault::{Fault, ReadError};
use crate::limits;
use crate::load::bytes_of;
use crate::move_list::leads_the_tool;
use crate::robot_program::Language;
use crate::units::Units;
use crate::waypoints::{self, Waypoints};
use kansho_cell::route::{Law, Route};
use kansho_cell::{Cell, JointMotion, JointMotionFault};
pub use kansho_check::motion::JointCorner;
use std::path::Path;

/// What a file leaves open.
#[derive(Clone, Debug, Default)]
pub struct MotionFileOptions {
    /// How waypoints are joined.
    pub join: Join,
    /// How a tool is led.
    pub lead: LeadOptions,
    /// How a robot program is understood.
    pub program: RobotProgramOptions,
    /// Units of numbers that say nothing about it.
    pub units: Units,
    /// Whether joints may be outside their limits in joint moves: otherwise such a motion is refused. (A tool is never led along a line on
    /// which they would be.)
    pub outside_limits: bool,
}

/// How waypoints are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Straight in joint space.
    #[default]
    Ptp,
    /// Smoothly through all of them, at equal times.
    Spline,
    /// By straight lines of the tool.
    Lin,
}

/// A motion that was read, and what is odd about it.
#[derive(Clone, Debug)]
pub struct LoadedMotion {
    /// What moves how.
    pub motion: Moved,
    /// For every coordinate of a posture that is outside its limits, where; there are none unless the options allow them.
    pub outside: Vec<Fault>,
    /// What was taken otherwise than a list of moves says, because the options ask for it.
    pub notes: Vec<Fault>,
    /// Where the moves stand, if this is a robot program or a trajectory.
    pub program: Option<ProgramText>,
    /// Rounded corners between two moves of all joints: the motion stops in them, the robot does not. They are there only if the caller said that it proves
    /// them.
    pub joint_corners: Vec<JointCorner>,
}

/// What moves how.
#[derive(Clone, Debug)]
pub enum Moved {
    /// All joints.
    Joints(JointMotion),
    /// A tool is led; one route for each law.
    Tool(Vec<(Law, Route)>),
}

/// Reads a motion; what kind of file it is, its name and its first letters tell.
///
/// # Errors
/// Everything that does not fit the cell or is not understood, with its place.
pub fn read(path: &Path, cell: &Cell, options: &MotionFileOptions) -> Result<LoadedMotion, ReadError> {
    let loaded = read_all(path, cell, options)?;
    limits::refuse(path, &loaded.outside, options.outside_limits)?;
    Ok(loaded)
}

/// Reads those parts of a robot program whose motion is known, although something in it is not understood.
///
/// # Errors
/// A file that is no robot program, and a robot that it is not for.
pub fn read_parts(path: &Path, cell: &Cell, options: &MotionFileOptions) -> Result<ProgramParts, ReadError> {
    if Language::of_file(path).is_some() {
        options.refuse_unused(path, MotionFileKind::Program)?;
    }
    options.program.read_parts(path, cell, &options.lead, options.outside_limits)
}

/// What kind of file a motion stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionFileKind {
    /// A table of waypoints.
    Table,
    /// A JSON list of moves.
    Moves,
    /// A robot program.
    Program,
    /// A trajectory or a sequence of ROS.
    Trajectory,
    /// A table with a motion in each row.
    Segments,
}

impl MotionFileOptions {
    /// The first option that was given and means nothing for such a file, as a setting, and why.
    #[must_use]
    pub fn unused(&self, kind: MotionFileKind) -> Option<(&'static str, &'static str)> {
        use MotionFileKind::{Moves, Program, Segments, Trajectory};
        let Self { join, lead, program, units, .. } = self;
        let of_controller = "what a controller does is a matter of robot programs";
        let (in_file, in_si) = (
            "the file says it move by move",
            "such a file is in radians and metres, or says its units itself",
        );
        let is_of_joints = "it goes straight in joint space in every row";
        let all = [
            (*join != Join::Ptp && matches!(kind, Program | Trajectory), "⟦motion⟧", in_file),
            (*join == Join::Spline && kind == Moves, "⟦motion⟧", in_file),
            (*join != Join::Ptp && kind == Segments, "⟦motion⟧", is_of_joints),
            (*units != Units::default() && matches!(kind, Program | Trajectory), "⟦units⟧", in_si),
            (program.profile.is_some() && kind != Program, "⟦profile⟧", of_controller),
            (program.robot.is_some() && !matches!(kind, Program | Trajectory), "⟦robot⟧", of_controller),
            (program.entry.is_some() && !matches!(kind, Program | Trajectory), "⟦entry⟧", of_controller),
            (program.once && kind != Program, "⟦once⟧", of_controller),
            (program.fine && !matches!(kind, Program | Trajectory | Moves), "⟦fine⟧", of_controller),
        ];
        let found = all.into_iter().find(|(is_given, ..)| *is_given);
        let of_tool = || lead.given().filter(|_| kind == Segments).map(|name| (name, is_of_joints));
        found.map(|(_, name, why)| (name, why)).or_else(of_tool)
    }

    fn refuse_unused(&self, path: &Path, kind: MotionFileKind) -> Result<(), ReadError> {
        self.unused(kind).map_or(Ok(()), |(name, why)| {
            let fault = Fault::of_file(format!("{name} means nothing for this file: {why}"));
            Err(ReadError { path: path.to_owned(), faults: vec![fault] })
        })
    }
}

fn read_all(path: &Path, cell: &Cell, options: &MotionFileOptions) -> Result<LoadedMotion, ReadError> {
    if Language::of_file(path).is_some() {
        options.refuse_unused(path, MotionFileKind::Program)?;
        return options.program.read(path, cell, &options.lead, options.outside_limits);
    }
    if crate::trajectory::is_meant(path) {
        options.refuse_unused(path, MotionFileKind::Trajectory)?;
        return options.program.trajectory(path, cell, &options.lead);
    }
    let refuse = |faults: Vec<Fault>| ReadError { path: path.to_owned(), faults };
    // Cells and robots read as tables would give a fault for every word of them.
    let is_other =
        |end: &std::ffi::OsStr| ["toml", "urdf", "srdf"].iter().any(|is| end.eq_ignore_ascii_case(is));
    if path.is_file() && path.extension().is_some_and(is_other) {
        let what = "this is no motion: a motion is a table (CSV), a list of moves (JSON), a robot program or a trajectory of ROS";
        return Err(refuse(vec![Fault::of_file(what)]));
    }
    let bytes = bytes_of(path).map_err(|what| refuse(vec![Fault::of_file(what)]))?;
    parse_all(&bytes, path, cell, options)
}

/// Reads a table of waypoints or a list of moves from memory; `path` is what faults call it.
///
/// # Errors
/// As [`read`].
pub fn parse(
    bytes: &[u8],
    path: &Path,
    cell: &Cell,
    options: &MotionFileOptions,
) -> Result<LoadedMotion, ReadError> {
    let loaded = parse_all(bytes, path, cell, options)?;
    limits::refuse(path, &loaded.outside, options.outside_limits)?;
    Ok(loaded)
}

fn parse_all(
    bytes: &[u8],
    path: &Path,
    cell: &Cell,
    options: &MotionFileOptions,
) -> Result<LoadedMotion, ReadError> {
    let refuse = |faults: Vec<Fault>| ReadError { path: path.to_owned(), faults };
    let is_list = bytes.iter().find(|c| !c.is_ascii_whitespace()).is_some_and(|c| b"[{".contains(c));
    options.refuse_unused(path, if is_list { MotionFileKind::Moves } else { MotionFileKind::Table })?;
    if options.join == Join::Lin || leads_the_tool(bytes) {
        return options.lead.parse(bytes, path, cell, &options.units, options.program.fine);
    }
    if let Some(name) = options.lead.given() {
        let what = format!(
            "no tool is led in this motion, which {name} is about; ⟦motion=lin⟧ leads it along straight lines"
        );
        return Err(refuse(vec![Fault::of_file(what)]));
    }
    let Waypoints { postures, outside_limits } =
        waypoints::parse(bytes, cell, &options.units).map_err(refuse)?;
    joined(&postures, outside_limits, cell, options.join)
        .map_err(|fault| refuse(vec![Fault::of_file(fault.to_string())]))
}

/// A motion of all joints through postures that come from no file; rows count from 1. Whether it may leave limits is up to the caller
/// ([`limits::refuse`]).
///
/// # Errors
/// There are too few of them, or they make no motion.
pub fn through(postures: &[Vec<f64>], cell: &Cell, join: Join) -> Result<LoadedMotion, JointMotionFault> {
    let of_row = |(k, row): (usize, &Vec<f64>)| waypoints::outside(cell, row, &format!("row {}", k + 1));
    let outside = postures.iter().enumerate().flat_map(of_row).take(SHOWN).collect();
    joined(postures, outside, cell, join)
}

/// Postures outside their limits that are told, at most.
const SHOWN: usize = 20;

fn joined(
    postures: &[Vec<f64>],
    mut outside: Vec<Fault>,
    cell: &Cell,
    join: Join,
) -> Result<LoadedMotion, JointMotionFault> {
    let motion = match join {
        Join::Spline => JointMotion::spline(postures),
        Join::Ptp | Join::Lin => JointMotion::lines(postures),
    }?;
    outside.extend(waypoints::outside_between(cell, &motion));
    Ok(LoadedMotion {
        motion: Moved::Joints(motion),
        outside,
        notes: Vec::new(),
        program: None,
        joint_corners: Vec::new(),
    })
}
