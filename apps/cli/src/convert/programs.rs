//! Robot programs, motions and toolpaths.

use super::Arguments;
use crate::{BAD_INPUT, load, moving, say};
use clap::{Args, ValueEnum};
use kansho::cell::Cell;
use kansho::cell::ik::Tip;
use kansho::cell::route::{Blend, Law, Move, MoveKind, Route, Way};
use kansho::check::motion::{MotionScene, RouteScene};
use kansho::check::scene::Scene;
use kansho::geom::Pose;
use kansho::io::program::{self, ProgramOptions};
use kansho::io::robot_program::resolve::{ResolveOptions, resolve};
use kansho::io::robot_program::write::{self, OutKind, OutMove, WriteOptions};
use kansho::io::robot_program::{self, ControlArm, Language, MotionKind, Profile, Speed, Zone, fault_at};
use kansho::io::toolpath::{self, ToolpathKind, ToolpathOptions};
use kansho::io::{Fault, ReadError, Warning, waypoints};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a program needs to be understood and written.
#[derive(Args)]
pub(super) struct ProgramsArguments {
    /// The cell that a robot program or a motion is of
    #[arg(long, value_name = "CELL")]
    cell: Option<PathBuf>,

    /// The robot that it is for, where the cell has several
    #[arg(long, value_name = "NAME")]
    robot: Option<String>,

    /// What the controller does whose program is read (TOML)
    #[arg(long, value_name = "TOML")]
    profile: Option<PathBuf>,

    /// What the controller does whose program is written (TOML)
    #[arg(long, value_name = "TOML")]
    profile_out: Option<PathBuf>,

    /// Whether targets of moves of joints are written as joint values or as poses
    #[arg(long, value_name = "KIND", default_value = "joints")]
    targets: Targets,

    /// How rows of a motion (CSV) are joined
    #[arg(long, value_name = "KIND", default_value = "ptp")]
    motion: Joined,

    /// Speed of the tip in a program that is made of a motion, in metres per second
    #[arg(long, value_name = "M/S", value_parser = moving::length)]
    speed: Option<f64>,

    /// The procedure of a program that is run, instead of its main one
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    /// How rotary axes of G-code turn the tool: letters in the order in which they are applied
    #[arg(long, value_name = "LETTERS", default_value = "ABC")]
    rotary: String,

    /// X, Y and Z of G-code without a tool-tip mode are the tip of a tool that stands along z
    #[arg(long)]
    three_axis: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Targets {
    Joints,
    Poses,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Joined {
    Ptp,
    Lin,
}

/// Whether this is about programs rather than meshes.
pub(super) fn are_meant(from: &Path, to: &Path) -> bool {
    let is_program = |path: &Path| Language::of_file(path).is_some();
    is_program(from) || is_program(to) || ToolpathKind::of_file(from).is_some()
}

pub(super) fn run(arguments: &Arguments) -> u8 {
    if let Some(error) = say::refused_output(&arguments.to, &[&arguments.from]) {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let made = match ToolpathKind::of_file(&arguments.from) {
        Some(kind) => of_toolpath(arguments, kind),
        None => of_motion(arguments),
    };
    let Made { files, warnings, what } = match made {
        Ok(made) => made,
        Err(errors) => return moving::refused(&errors, arguments.json),
    };
    say::warnings(&warnings);
    let folder =
        arguments.to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Err(error) = kansho::io::whole_files(folder, &files) {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    if arguments.json {
        say::json_answer(&json!({ "files": names, "warnings": say::warnings_json(&warnings), "errors": [] }));
    } else {
        say::answer(&format!("{}: {what} written\n", names.join(", ")));
    }
    0
}

struct Made {
    files: Vec<(String, Vec<u8>)>,
    warnings: Vec<Warning>,
    what: String,
}

fn of_file(path: &Path, what: impl Into<String>) -> Vec<ReadError> {
    vec![ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] }]
}

fn ending(path: &Path) -> String {
    path.extension().map_or(String::new(), |end| end.to_string_lossy().to_ascii_lowercase())
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or("out".into(), |name| name.to_string_lossy().into_owned())
}

fn of_toolpath(arguments: &Arguments, kind: ToolpathKind) -> Result<Made, Vec<ReadError>> {
    if ending(&arguments.to) != "csv" {
        return Err(of_file(
            &arguments.to,
            "toolpaths are written as tables (.csv), which jobs take; robot programs come from kansho plan",
        ));
    }
    let programs = &arguments.programs;
    let options = ToolpathOptions { three_axis: programs.three_axis, rotary: programs.rotary.clone() };
    let path = toolpath::read(&arguments.from, kind, &options).map_err(|error| vec![error])?;
    let warning = |(line, what): &(u32, String)| Warning {
        path: arguments.from.clone(),
        fault: Fault::of_part(format!("line {line}"), what.clone()),
    };
    let warnings = path.notes.iter().take(20).map(warning).collect();
    let files = vec![(name_of(&arguments.to), toolpath::csv(&path))];
    Ok(Made { files, warnings, what: format!("{} points", path.points.len()) })
}

fn profile(path: Option<&PathBuf>, language: Language) -> Result<Profile, Vec<ReadError>> {
    let Some(path) = path else { return Ok(Profile::of(language)) };
    let profile = Profile::read(path).map_err(|error| vec![error])?;
    if profile.language != language {
        return Err(of_file(
            path,
            format!("this profile is of {}, and {} is wanted", profile.language.name(), language.name()),
        ));
    }
    Ok(profile)
}

fn of_motion(arguments: &Arguments) -> Result<Made, Vec<ReadError>> {
    let programs = &arguments.programs;
    let Some(cell_file) = &programs.cell else {
        return Err(of_file(
            &arguments.from,
            "a program means something for a robot only: name its cell by --cell",
        ));
    };
    let (cell, mut warnings) = load::cell_or_robot(cell_file, &[])?;
    let (moves, tip) = match Language::of_file(&arguments.from) {
        Some(language) => of_program(arguments, language, &cell, &mut warnings)?,
        None if leads_the_tool(&arguments.from) => of_list(arguments, cell_file, &cell)?,
        None => (of_rows(arguments, &cell)?, None),
    };
    let robot = programs.robot.as_deref();
    let stem = arguments.to.file_stem().map_or("program".into(), |stem| stem.to_string_lossy().into_owned());
    let files = match (Language::of_file(&arguments.to), ending(&arguments.to).as_str()) {
        (Some(language), _) => {
            let profile = profile(programs.profile_out.as_ref(), language)?;
            let arm = ControlArm::new(&cell, robot, profile)
                .map_err(|fault| of_file(cell_file, fault.to_string()))?;
            let mut options = WriteOptions::new(&stem, &arm);
            options.poses = programs.targets == Targets::Poses;
            if let Some(Tip { link_from_tip, .. }) = tip {
                options.flange_from_tip = link_from_tip;
            }
            let written =
                write::program(&arm, &moves, &options).map_err(|what| of_file(&arguments.from, what))?;
            warnings.extend(
                written
                    .notes
                    .into_iter()
                    .map(|note| Warning { path: arguments.to.clone(), fault: Fault::of_file(note) }),
            );
            // Named as was asked for, whatever the program itself is called.
            let made = write::file_stem(&stem);
            let named = |(name, bytes): (String, Vec<u8>)| match name.strip_prefix(&made) {
                Some(rest) => (format!("{stem}{rest}"), bytes),
                None => (name, bytes),
            };
            written.files.into_iter().map(named).collect()
        }
        (None, "csv") => vec![(name_of(&arguments.to), write::csv(&cell, &moves))],
        (None, "json") => {
            let tip = match tip {
                Some(tip) => tip,
                None => crate::check::lead::tip(&cell, robot).map_err(|what| of_file(cell_file, what))?,
            };
            vec![(name_of(&arguments.to), write::json(&cell, &tip, &moves))]
        }
        _ => {
            return Err(of_file(
                &arguments.to,
                "this is no format that motions are written in: .mod, .src, .ls, .script, .jbi, .csv and .json are",
            ));
        }
    };
    Ok(Made { files, warnings, what: format!("{} moves", moves.len()) })
}

fn of_program(
    arguments: &Arguments,
    language: Language,
    cell: &Cell,
    warnings: &mut Vec<Warning>,
) -> Result<(Vec<OutMove>, Option<Tip>), Vec<ReadError>> {
    let programs = &arguments.programs;
    let profile = profile(programs.profile.as_ref(), language)?;
    let program = robot_program::read(&arguments.from, &profile, programs.entry.as_deref())
        .map_err(|error| vec![error])?;
    let arm = ControlArm::new(cell, programs.robot.as_deref(), profile)
        .map_err(|fault| of_file(&arguments.from, fault.to_string()))?;
    let text = std::fs::read(&arguments.from).unwrap_or_default();
    let place = |line: u32, what: String| fault_at(&text, line, what);
    // Corners are written as they were, so nothing has to be known of them here.
    let options = ResolveOptions { fine: true, smooth: None, branch: None, postures: true };
    let resolved = resolve(&program, &arm, &options).map_err(|notes| {
        let faults = notes.iter().take(20).map(|note| place(note.line, note.what.clone())).collect();
        vec![ReadError { path: arguments.from.clone(), faults }]
    })?;
    let is_told = |what: &str| !what.contains("--fine");
    warnings.extend(
        resolved
            .notes
            .iter()
            .filter(|note| is_told(&note.what))
            .take(20)
            .map(|note| Warning { path: arguments.from.clone(), fault: place(note.line, note.what.clone()) }),
    );
    let mut moves = Vec::new();
    for (one, posture) in program.moves.iter().zip(resolved.postures) {
        let Some(posture) = posture else {
            let fault = place(one.line, "in which posture this target is reached is not known".into());
            return Err(vec![ReadError { path: arguments.from.clone(), faults: vec![fault] }]);
        };
        let kind = match &one.kind {
            MotionKind::Joint => OutKind::Joint,
            MotionKind::Linear => OutKind::Linear,
            MotionKind::Circular(via) => {
                let base_from_work = one.work.at.unwrap_or(Pose::IDENTITY);
                OutKind::Circular(arm.world_from_base() * base_from_work * *via)
            }
        };
        moves.push(OutMove { kind, posture, speed: one.speed, zone: one.zone });
    }
    Ok((moves, Some(resolved.tip)))
}

/// A table of postures, or a list of moves of joints.
fn of_rows(arguments: &Arguments, cell: &Cell) -> Result<Vec<OutMove>, Vec<ReadError>> {
    let programs = &arguments.programs;
    let rows = waypoints::read(&arguments.from, cell, &arguments.units.table_units())
        .map_err(|error| vec![error])?;
    if !rows.outside_limits.is_empty() {
        return Err(vec![ReadError { path: arguments.from.clone(), faults: rows.outside_limits }]);
    }
    let speed = programs.speed.map_or(Speed::Unsaid, Speed::Tip);
    let one = |(k, posture): (usize, Vec<f64>)| OutMove {
        kind: if k > 0 && programs.motion == Joined::Lin { OutKind::Linear } else { OutKind::Joint },
        posture,
        speed: if k > 0 { speed } else { Speed::Unsaid },
        zone: Zone::Fine,
    };
    Ok(rows.postures.into_iter().enumerate().map(one).collect())
}

/// Whether a file is a list of moves in which the tool is led.
fn leads_the_tool(path: &Path) -> bool {
    ending(path) == "json" && std::fs::read(path).is_ok_and(|bytes| program::leads_the_tool(&bytes))
}

/// How near the joints are to those that follow a curve while postures are looked for, in metres of bodies; postures themselves are on it.
const TRACED: f64 = 1e-4;

/// A list of moves that lead the tool, each with the posture in which it ends.
fn of_list(
    arguments: &Arguments,
    cell_file: &Path,
    cell: &Cell,
) -> Result<(Vec<OutMove>, Option<Tip>), Vec<ReadError>> {
    let refuse = |what: String| of_file(&arguments.from, what);
    let tip = crate::check::lead::tip(cell, arguments.programs.robot.as_deref())
        .map_err(|what| of_file(cell_file, what))?;
    let options = ProgramOptions { tip, branch: None, zone: 0.0, units: arguments.units.table_units() };
    let program = program::read(&arguments.from, cell, &options).map_err(|error| vec![error])?;
    if !program.outside_limits.is_empty() {
        return Err(vec![ReadError { path: arguments.from.clone(), faults: program.outside_limits }]);
    }
    // Targets are wanted, not corners.
    let sharp: Vec<Move> = program.moves.iter().map(|one| Move { zone: 0.0, ..one.clone() }).collect();
    let route = Route::new(cell, tip, program.start.clone(), &sharp, Law::Slerp, Blend::Inside)
        .map_err(|fault| refuse(format!("move {}: {}", fault.number + 2, fault.fault)))?;
    let scene = Scene::new(Arc::new(cell.clone()));
    let prepared = MotionScene::new(&scene);
    let led = RouteScene::new(&prepared, tip).map_err(|fault| refuse(fault.to_string()))?;
    let pieces = led.trace(&route, TRACED).map_err(|stopped| {
        refuse(format!(
            "move {}: the tool cannot be led there on one branch within limits",
            stopped.of_move + 2
        ))
    })?;
    let speed = arguments.programs.speed.map_or(Speed::Unsaid, Speed::Tip);
    let mut moves = vec![OutMove {
        kind: OutKind::Joint,
        posture: program.start,
        speed: Speed::Unsaid,
        zone: Zone::Fine,
    }];
    for (number, one) in program.moves.iter().enumerate() {
        let is_of_it = |leg: usize| route.legs()[leg].of_move == number;
        let kind = match &one.kind {
            MoveKind::Joints(_) => OutKind::Joint,
            MoveKind::Line(_) => OutKind::Linear,
            MoveKind::Arc { via, .. } => {
                let leg =
                    (0..route.legs().len()).find(|&leg| is_of_it(leg)).map(|leg| &route.legs()[leg].way);
                let Some(Way::Tool { curve, .. }) = leg else {
                    return Err(refuse(format!("move {}: this circle has no length", number + 2)));
                };
                OutKind::Circular(Pose::of_rotation(curve.at(0.5).rotation(), *via))
            }
            MoveKind::Spline(_) => {
                let what = "robot programs have no common spline: write lines and circles instead";
                return Err(refuse(format!("move {}: {what}", number + 2)));
            }
        };
        // A move without a length ends where the one before did.
        let piece = pieces.iter().rev().find(|piece| is_of_it(piece.leg));
        let posture = match piece {
            None => moves.last().map(|before| before.posture.clone()),
            Some(piece) => led.posture(&route, piece, 1.0),
        };
        let posture =
            posture.ok_or_else(|| refuse(format!("move {}: its target is not reached", number + 2)))?;
        let zone = if one.zone > 0.0 { Zone::Radius(one.zone) } else { Zone::Fine };
        moves.push(OutMove { kind, posture, speed, zone });
    }
    Ok((moves, Some(tip)))
}
