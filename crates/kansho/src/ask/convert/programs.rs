//! Robot programs, motions and toolpaths.

use super::{Asked, Joined, Targets};
use crate::load;
use kansho_cell::Cell;
use kansho_cell::ik::Tip;
use kansho_cell::route::MoveKind;
use kansho_io::move_list::{self, ProgramOptions, leads_the_tool};
use kansho_io::robot_program::resolve::{ResolveOptions, resolve};
use kansho_io::robot_program::write::{self, OutKind, OutMove, WriteOptions};
use kansho_io::robot_program::{self, ControlArm, Language, MotionKind, Profile, Run, Speed, Zone, fault_at};
use kansho_io::toolpath::{self, GivenUnit, ToolpathKind, ToolpathOptions};
use kansho_io::trajectory::{self, Between, Sequences, Trajectory};
use kansho_io::{Fault, ReadError, Warning, waypoints};
use std::path::{Path, PathBuf};

/// Warnings that are listed, at most.
const LISTED: usize = 20;

/// Whether this is about programs rather than meshes.
pub(super) fn are_meant(from: &Path, to: &Path) -> bool {
    let is_program = |path: &Path| Language::of_file(path).is_some();
    // No mesh is written as a table or as JSON.
    let is_motion =
        |path: &Path| trajectory::is_meant(path) || ["csv", "json"].contains(&ending(path).as_str());
    is_program(from)
        || is_program(to)
        || ToolpathKind::of_file(from).is_some()
        || (is_motion(from) && is_motion(to))
}

/// Files that are to be written, by their names.
pub(super) struct Made {
    pub(super) files: Vec<(String, Vec<u8>)>,
    pub(super) warnings: Vec<Warning>,
    pub(super) what: String,
}

/// A program, a motion or a toolpath as another one.
pub(super) fn made(asked: &Asked<'_>) -> Result<Made, Vec<ReadError>> {
    match ToolpathKind::of_file(asked.from) {
        Some(kind) => of_toolpath(asked, kind),
        None => of_motion(asked),
    }
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

fn of_toolpath(asked: &Asked<'_>, kind: ToolpathKind) -> Result<Made, Vec<ReadError>> {
    if ending(asked.to) != "csv" {
        return Err(of_file(
            asked.to,
            "toolpaths are written as tables (.csv), which jobs take; robot programs come from kansho plan",
        ));
    }
    let programs = &asked.options.program;
    if kind != ToolpathKind::GCode && (programs.three_axis || programs.rotary.is_some()) {
        return Err(of_file(
            asked.from,
            "⟦rotary⟧ and ⟦three-axis⟧ are of G-code, and this file is none: leave them out",
        ));
    }
    let unit = asked.options.mesh.metres_per_unit;
    let mut options = ToolpathOptions {
        unit: unit.map(|metres| GivenUnit { metres, overrides: true, by: "⟦units⟧" }),
        three_axis: programs.three_axis,
        ..ToolpathOptions::default()
    };
    if let Some(rotary) = &programs.rotary {
        options.rotary.clone_from(rotary);
    }
    let path = toolpath::read(asked.from, kind, &options).map_err(|error| vec![error])?;
    let warning = |fault: &Fault| Warning { path: asked.from.to_owned(), fault: fault.clone() };
    let warnings = path.warnings.iter().map(warning).collect();
    let files = vec![(name_of(asked.to), toolpath::csv(&path))];
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

fn of_motion(asked: &Asked<'_>) -> Result<Made, Vec<ReadError>> {
    let programs = &asked.options.program;
    let Some(cell_file) = &programs.cell else {
        return Err(of_file(
            asked.from,
            "a program means something for a robot only: name its cell (⟦cell⟧)",
        ));
    };
    let (cell, mut warnings) = load::cell_or_robot(cell_file, &[])?;
    let (moves, tip) = match Language::of_file(asked.from) {
        Some(language) => of_program(asked, language, &cell, &mut warnings)?,
        None if trajectory::is_meant(asked.from) => of_trajectory(asked, &cell, &mut warnings)?,
        None if std::fs::read(asked.from).is_ok_and(|bytes| leads_the_tool(&bytes)) => {
            of_moves(asked, &cell)?
        }
        None => (of_rows(asked, &cell)?, None),
    };
    let robot = programs.robot.as_deref();
    let stem = asked.to.file_stem().map_or("program".into(), |stem| stem.to_string_lossy().into_owned());
    let files = match (Language::of_file(asked.to), ending(asked.to).as_str()) {
        (Some(language), _) => {
            let profile = profile(programs.profile_out.as_ref(), language)?;
            let arm = ControlArm::new(&cell, robot, profile)
                .map_err(|fault| of_file(cell_file, fault.to_string()))?;
            let mut options = WriteOptions::new(&stem, &arm);
            options.poses = programs.targets == Targets::Poses;
            if let Some(Tip { link_from_tip, .. }) = tip {
                options.flange_from_tip = link_from_tip;
            }
            let written = write::program(&arm, &moves, &options).map_err(|what| of_file(asked.from, what))?;
            warnings.extend(
                written
                    .notes
                    .into_iter()
                    .map(|note| Warning { path: asked.to.to_owned(), fault: Fault::of_file(note) }),
            );
            // Named as was asked for, whatever the program itself is called.
            let made = write::file_stem(&stem);
            let named = |(name, bytes): (String, Vec<u8>)| match name.strip_prefix(&made) {
                Some(rest) => (format!("{stem}{rest}"), bytes),
                None => (name, bytes),
            };
            written.files.into_iter().map(named).collect()
        }
        (None, "csv") => vec![(name_of(asked.to), write::csv(&cell, &moves))],
        (None, "json") => {
            let tip = match tip {
                Some(tip) => tip,
                None => kansho_io::motion_file::tip(&cell, robot).map_err(|what| of_file(cell_file, what))?,
            };
            vec![(name_of(asked.to), write::json(&cell, &tip, &moves))]
        }
        _ => {
            return Err(of_file(
                asked.to,
                "this is no format that motions are written in: .mod, .src, .ls, .script, .jbi, .csv and .json are",
            ));
        }
    };
    Ok(Made { files, warnings, what: format!("{} moves", moves.len()) })
}

fn of_program(
    asked: &Asked<'_>,
    language: Language,
    cell: &Cell,
    warnings: &mut Vec<Warning>,
) -> Result<(Vec<OutMove>, Option<Tip>), Vec<ReadError>> {
    let programs = &asked.options.program;
    let profile = profile(programs.profile.as_ref(), language)?;
    let run = Run { entry: programs.entry.as_deref(), once: true, with: &[] };
    let program = robot_program::read(asked.from, &profile, run).map_err(|error| vec![error])?;
    let arm = ControlArm::new(cell, programs.robot.as_deref(), profile)
        .map_err(|fault| of_file(asked.from, fault.to_string()))?;
    let text = std::fs::read(asked.from).unwrap_or_default();
    let place = |line: u32, what: String| fault_at(&text, line, what);
    // Corners are written as they were, so nothing has to be known of them here.
    let options = ResolveOptions {
        fine: true,
        tool_of_cell: programs.tool_of_cell,
        postures: true,
        ..ResolveOptions::default()
    };
    let resolved = resolve(&program, &arm, &options).map_err(|notes| {
        let faults = kansho_io::fault::listed(notes.iter(), |note| place(note.line, note.what.clone()));
        vec![ReadError { path: asked.from.to_owned(), faults }]
    })?;
    let is_told = |what: &str| !what.contains("⟦fine⟧");
    warnings.extend(
        resolved
            .notes
            .iter()
            .filter(|note| is_told(&note.what))
            .take(LISTED)
            .map(|note| Warning { path: asked.from.to_owned(), fault: place(note.line, note.what.clone()) }),
    );
    let mut moves = Vec::new();
    for (one, posture) in program.moves.iter().zip(resolved.postures) {
        let Some(posture) = posture else {
            let fault = place(one.line, "in which posture this target is reached is not known".into());
            return Err(vec![ReadError { path: asked.from.to_owned(), faults: vec![fault] }]);
        };
        let kind = match &one.kind {
            MotionKind::Joint => OutKind::Joint,
            MotionKind::Linear => OutKind::Linear,
            MotionKind::Circular(via) => {
                let base_from_work = one.work.at.unwrap_or(kansho_geom::Pose::IDENTITY);
                OutKind::Circular(arm.world_from_targets(&one.external) * base_from_work * *via)
            }
        };
        moves.push(OutMove { kind, posture, speed: one.speed, zone: one.zone });
    }
    Ok((moves, Some(resolved.tip)))
}

/// A list of moves in which the tool is led.
fn of_moves(asked: &Asked<'_>, cell: &Cell) -> Result<(Vec<OutMove>, Option<Tip>), Vec<ReadError>> {
    let programs = &asked.options.program;
    let robot = programs.robot.as_deref();
    let tip = kansho_io::motion_file::tip(cell, robot).map_err(|what| of_file(asked.from, what))?;
    let options = ProgramOptions { tip, branch: None, zone: 0.0, units: asked.options.units };
    let list = move_list::read(asked.from, cell, &options).map_err(|error| vec![error])?;
    if !list.outside_limits.is_empty() {
        return Err(vec![ReadError { path: asked.from.to_owned(), faults: list.outside_limits }]);
    }
    // Which language is written does not matter for how a tool is followed.
    let arm = ControlArm::new(cell, robot, Profile::of(Language::Rapid))
        .map_err(|fault| of_file(asked.from, fault.to_string()))?;
    let speed = programs.speed.map_or(Speed::Unsaid, Speed::Tip);
    let moves = write::of_moves(&arm, &tip, &list.start, &list.moves, speed)
        .map_err(|what| of_file(asked.from, what))?;
    Ok((moves, Some(arm.tip(&arm.flange_from(&tip, &list.start)))))
}

/// A joint trajectory of ROS that goes straight from point to point, or a sequence of Pilz.
fn of_trajectory(
    asked: &Asked<'_>,
    cell: &Cell,
    warnings: &mut Vec<Warning>,
) -> Result<(Vec<OutMove>, Option<Tip>), Vec<ReadError>> {
    let entry = asked.options.program.entry.as_deref();
    let (found, text) = trajectory::read(asked.from, entry).map_err(|error| vec![error])?;
    let joints = match found {
        Trajectory::Joints(joints) => joints,
        Trajectory::Sequences(all) => return of_sequence(asked, cell, &all, &text, warnings),
    };
    let fail = |faults| vec![ReadError { path: asked.from.to_owned(), faults }];
    if joints.between() != Ok(Between::Lines) {
        return Err(of_file(
            asked.from,
            "between the points of this trajectory joints do not go straight: programs have no such moves",
        ));
    }
    let (motion, outside) = joints.motion(cell, &text).map_err(fail)?;
    if !outside.is_empty() {
        return Err(fail(outside));
    }
    let times: Vec<f64> = joints.points.iter().map(|point| point.seconds).collect();
    let one = |k: usize| OutMove {
        kind: OutKind::Joint,
        posture: motion.at(motion.time(k.saturating_sub(1), if k == 0 { 0.0 } else { 1.0 })),
        speed: if k > 0 { Speed::Seconds(times[k] - times[k - 1]) } else { Speed::Unsaid },
        zone: Zone::Fine,
    };
    Ok(((0..times.len()).map(one).collect(), None))
}

/// A sequence of Pilz, whose blend radii become zones.
fn of_sequence(
    asked: &Asked<'_>,
    cell: &Cell,
    all: &Sequences,
    text: &[u8],
    warnings: &mut Vec<Warning>,
) -> Result<(Vec<OutMove>, Option<Tip>), Vec<ReadError>> {
    let programs = &asked.options.program;
    let robot = programs.robot.as_deref();
    let fail = |faults| vec![ReadError { path: asked.from.to_owned(), faults }];
    let made = all.motion(cell, robot, programs.entry.as_deref()).map_err(|faults| {
        fail(faults.into_iter().map(|(line, what)| fault_at(text, line, what)).collect())
    })?;
    let mut outside = waypoints::outside(cell, &made.start, &format!("line {}", made.lines[0]));
    for (one, line) in made.moves.iter().zip(&made.lines[1..]) {
        if let MoveKind::Joints(to) = &one.kind {
            outside.extend(waypoints::outside(cell, to, &format!("line {line}")));
        }
    }
    if !outside.is_empty() {
        return Err(fail(outside));
    }
    let mut warn = |line: u32, what: String| {
        warnings.push(Warning { path: asked.from.to_owned(), fault: fault_at(text, line, what) });
    };
    for (line, name) in &made.grippers {
        warn(*line, format!("the gripper command '{name}' is not written into the new file"));
    }
    if let Some(k) = made.moves.iter().position(|one| one.zone > 0.0) {
        let what =
            "blend radii become zones of the new file, and its controller rounds corners in its own way";
        warn(made.lines[k + 1], what.into());
    }
    let arm = ControlArm::new(cell, robot, Profile::of(Language::Rapid))
        .map_err(|fault| of_file(asked.from, fault.to_string()))?;
    let speed = programs.speed.map_or(Speed::Unsaid, Speed::Tip);
    let moves = write::of_moves(&arm, &made.tip, &made.start, &made.moves, speed)
        .map_err(|what| of_file(asked.from, what))?;
    Ok((moves, Some(arm.tip(&arm.flange_from(&made.tip, &made.start)))))
}

/// A table of postures, or a list of moves of joints.
fn of_rows(asked: &Asked<'_>, cell: &Cell) -> Result<Vec<OutMove>, Vec<ReadError>> {
    let programs = &asked.options.program;
    let rows = waypoints::read(asked.from, cell, &asked.options.units).map_err(|error| vec![error])?;
    if !rows.outside_limits.is_empty() {
        return Err(vec![ReadError { path: asked.from.to_owned(), faults: rows.outside_limits }]);
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
