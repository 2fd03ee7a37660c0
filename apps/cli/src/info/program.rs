//! What a robot program or a toolpath holds.

use super::{Facts, count};
use kansho::io::robot_program::{self, Language, Profile, notes_of};
use kansho::io::toolpath::{self, GivenUnit, ToolpathKind, ToolpathOptions};
use kansho::io::trajectory::{self, Trajectory};
use kansho::io::{Fault, ReadError, Warning};
use serde_json::json;
use std::path::Path;

pub(super) fn facts(file: &Path, language: Language) -> Result<Facts, Vec<ReadError>> {
    let program = robot_program::read(file, &Profile::of(language), None).map_err(|error| vec![error])?;
    let text = std::fs::read(file).unwrap_or_default();
    let strange = program.notes.iter().filter(|note| note.moves).count();
    let unreached = program.unreached.iter().take(20);
    let unreached: Vec<Fault> =
        unreached.map(|note| robot_program::fault_at(&text, note.line, note.what.clone())).collect();
    let faults = [unreached, notes_of(&program, &text, true), notes_of(&program, &text, false)].concat();
    let warnings = faults.into_iter().map(|fault| Warning { path: file.to_owned(), fault }).collect();
    Ok(Facts {
        title: format!(
            "program in {}, {} in {}",
            language.name(),
            count(program.moves.len(), "move"),
            count(program.statements, "statement")
        ),
        lines: vec![
            ("name", program.name.clone()),
            ("reached", format!("{} of {}", program.reached, count(program.motions, "motion statement"))),
            (
                "listed",
                format!(
                    "{} not understood that could move the robot, {} others",
                    strange,
                    program.notes.len() - strange
                ),
            ),
        ],
        warnings,
        json: json!({
            "kind": "program", "language": language.name(), "name": program.name, "statements": program.statements,
            "moves": program.moves.len(), "motion_statements": program.motions, "reached": program.reached, "could_move": strange, "others": program.notes.len() - strange,
        }),
    })
}

pub(super) fn toolpath_facts(
    file: &Path,
    kind: ToolpathKind,
    metres_per_unit: Option<f64>,
) -> Result<Facts, Vec<ReadError>> {
    let unit = metres_per_unit.map(|metres| GivenUnit { metres, overrides: true, by: "--units" });
    let options = ToolpathOptions { unit, ..ToolpathOptions::default() };
    let path = toolpath::read(file, kind, &options).map_err(|error| vec![error])?;
    let strokes = path.points.last().map_or(0, |point| point.stroke as usize + 1);
    let warning = |fault: &Fault| Warning { path: file.to_owned(), fault: fault.clone() };
    Ok(Facts {
        title: format!("toolpath, {} in {}", count(path.points.len(), "point"), count(strokes, "stroke")),
        lines: Vec::new(),
        warnings: path.warnings.iter().map(warning).collect(),
        json: json!({
            "kind": "toolpath", "statements": path.statements, "points": path.points.len(), "strokes": strokes,
            "passed_over": path.notes.len(),
        }),
    })
}

pub(super) fn trajectory_facts(file: &Path) -> Result<Facts, Vec<ReadError>> {
    let (found, _) = trajectory::read(file, None).map_err(|error| vec![error])?;
    let (title, json) = match found {
        Trajectory::Joints(joints) => {
            let seconds = joints.points.last().map_or(0.0, |point| point.seconds);
            let (points, names) = (joints.points.len(), joints.names.len());
            (
                format!(
                    "joint trajectory, {} of {}, {seconds} s",
                    count(points, "point"),
                    count(names, "joint")
                ),
                json!({ "kind": "trajectory", "points": points, "joint_names": joints.names, "seconds": seconds }),
            )
        }
        Trajectory::Sequences(all) => {
            let names: Vec<&str> = all.sequences.iter().map(|sequence| sequence.name.as_str()).collect();
            let (positions, moves) = (all.positions.len(), all.commands.len());
            (
                format!(
                    "{} of {}, {}",
                    count(names.len(), "sequence"),
                    count(moves, "move"),
                    count(positions, "position")
                ),
                json!({ "kind": "sequences", "positions": positions, "moves": moves, "sequences": names }),
            )
        }
    };
    Ok(Facts { title, lines: Vec::new(), warnings: Vec::new(), json })
}
