//! Robot programs, toolpaths and trajectories.

use super::{Found, InfoOfKind, count};
use kansho_io::robot_program::{self, Language, Profile, notes_of};
use kansho_io::toolpath::{self, GivenUnit, ToolpathKind, ToolpathOptions};
use kansho_io::trajectory::{self, Trajectory};
use kansho_io::{Fault, ReadError, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// Moves that are never reached and listed, at most.
const UNREACHED: usize = 20;

/// A robot program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProgramInfo {
    /// Its language.
    pub language: &'static str,
    /// Its name.
    pub name: String,
    /// Statements in the file.
    pub statements: usize,
    /// Moves that it makes.
    pub moves: usize,
    /// Motion statements in the file.
    pub motion_statements: usize,
    /// Of these, those that are reached.
    pub reached: usize,
    /// Statements that are not understood and could move the robot.
    pub could_move: usize,
    /// Other statements that are not understood.
    pub others: usize,
}

/// A toolpath of a CAM system.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolpathInfo {
    /// Statements in the file.
    pub statements: usize,
    /// Points.
    pub points: usize,
    /// Strokes.
    pub strokes: usize,
    /// Statements that mean nothing for the path.
    pub passed_over: usize,
}

/// A trajectory of joints.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrajectoryInfo {
    /// Points.
    pub points: usize,
    /// Names of its joints.
    pub joint_names: Vec<String>,
    /// When the last point is reached.
    pub seconds: f64,
}

/// Sequences of Pilz.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SequencesInfo {
    /// Positions.
    pub positions: usize,
    /// Moves.
    pub moves: usize,
    /// Names of the sequences.
    pub sequences: Vec<String>,
}

pub(super) fn program(file: &Path, language: Language) -> Result<Found, Vec<ReadError>> {
    let program = robot_program::read(file, &Profile::of(language), None).map_err(|error| vec![error])?;
    let text = std::fs::read(file).unwrap_or_default();
    let could_move = program.notes.iter().filter(|note| note.moves).count();
    let others = program.notes.len() - could_move;
    let unreached = program.unreached.iter().take(UNREACHED);
    let unreached: Vec<Fault> =
        unreached.map(|note| robot_program::fault_at(&text, note.line, note.what.clone())).collect();
    let faults = [unreached, notes_of(&program, &text, true), notes_of(&program, &text, false)].concat();
    let (moves, statements) = (program.moves.len(), program.statements);
    let title = format!(
        "program in {}, {} in {}",
        language.name(),
        count(moves, "move"),
        count(statements, "statement")
    );
    let info = ProgramInfo {
        language: language.name(),
        name: program.name.clone(),
        statements,
        moves,
        motion_statements: program.motions,
        reached: program.reached,
        could_move,
        others,
    };
    let reached = format!("{} of {}", program.reached, count(program.motions, "motion statement"));
    let listed = format!("{could_move} not understood that could move the robot, {others} others");
    let mut found = Found::new("program", title, InfoOfKind::Program(info))
        .line("name", program.name)
        .line("reached", reached)
        .line("listed", listed);
    found.warnings = faults.into_iter().map(|fault| Warning { path: file.to_owned(), fault }).collect();
    Ok(found)
}

pub(super) fn toolpath(
    file: &Path,
    kind: ToolpathKind,
    metres_per_unit: Option<f64>,
) -> Result<Found, Vec<ReadError>> {
    let unit = metres_per_unit.map(|metres| GivenUnit { metres, overrides: true, by: "⟦units⟧" });
    let options = ToolpathOptions { unit, ..ToolpathOptions::default() };
    let path = toolpath::read(file, kind, &options).map_err(|error| vec![error])?;
    let (points, statements) = (path.points.len(), path.statements);
    let strokes = path.points.last().map_or(0, |point| point.stroke as usize + 1);
    let title = format!("toolpath, {} in {}", count(points, "point"), count(strokes, "stroke"));
    let info = ToolpathInfo { statements, points, strokes, passed_over: path.notes.len() };
    let mut found = Found::new("toolpath", title, InfoOfKind::Toolpath(info));
    let warning = |fault: Fault| Warning { path: file.to_owned(), fault };
    found.warnings = path.warnings.into_iter().map(warning).collect();
    Ok(found)
}

pub(super) fn trajectory(file: &Path) -> Result<Found, Vec<ReadError>> {
    let (found, _) = trajectory::read(file, None).map_err(|error| vec![error])?;
    Ok(match found {
        Trajectory::Joints(joints) => {
            let seconds = joints.points.last().map_or(0.0, |point| point.seconds);
            let (points, joint_names) = (joints.points.len(), joints.names);
            let title = format!(
                "joint trajectory, {} of {}, {seconds} s",
                count(points, "point"),
                count(joint_names.len(), "joint")
            );
            let info = TrajectoryInfo { points, joint_names, seconds };
            Found::new("trajectory", title, InfoOfKind::Trajectory(info))
        }
        Trajectory::Sequences(all) => {
            let sequences: Vec<String> = all.sequences.into_iter().map(|sequence| sequence.name).collect();
            let (positions, moves) = (all.positions.len(), all.commands.len());
            let title = format!(
                "{} of {}, {}",
                count(sequences.len(), "sequence"),
                count(moves, "move"),
                count(positions, "position")
            );
            let info = SequencesInfo { positions, moves, sequences };
            Found::new("sequences", title, InfoOfKind::Sequences(info))
        }
    })
}
