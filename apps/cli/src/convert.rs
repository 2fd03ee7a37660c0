//! `kansho convert`: meshes, robot programs and toolpaths between formats.

use crate::say::{self, Refusal};
use crate::units::UnitArguments;
use clap::{Args, ValueEnum};
use kansho::answer::{ExitCode, Message};
use kansho::ask::convert::{self, ConvertOptions, NotConverted, ProgramConversion, convert};
use kansho::io::mesh::MeshFormat;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho convert robot.dae robot.stl\n  kansho convert --units mm part.stl part.glb\n  kansho convert weld.ls weld.mod --cell cell.toml\n  kansho convert motion.csv motion.src --cell cell.toml --motion lin --speed 0.1\n  kansho convert path.apt path.csv\n  kansho convert cell.toml cell.kcell"
)]
pub(crate) struct Arguments {
    /// The mesh, robot program, motion (CSV), toolpath or cell to read
    #[arg(value_name = "IN")]
    from: PathBuf,

    /// What to write: a mesh in metres (.stl, .obj, .ply, .glb), a robot program (.mod, .src, .ls, .script, .jbi), a motion (.csv, .json), or the canonical encoding of a cell, which kansho-verify reads (.kcell)
    #[arg(value_name = "OUT")]
    to: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    units: UnitArguments,

    #[command(flatten)]
    programs: ProgramsArguments,
}

/// What a program needs to be understood and written.
#[derive(Args)]
struct ProgramsArguments {
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
    #[arg(long, value_name = "M/S", value_parser = crate::units::length)]
    speed: Option<f64>,

    /// The procedure of a program that is run, instead of its main one
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    /// Take a tool that a robot program names and does not define to be that of the cell, with a warning, instead of refusing
    #[arg(long)]
    tool_of_cell: bool,

    /// How rotary axes of G-code turn the tool: letters in the order in which they are applied; ABC by default
    #[arg(long, value_name = "LETTERS")]
    rotary: Option<String>,

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

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let to = &arguments.to;
    // A mesh may take the place of another one.
    let refused = match MeshFormat::of_extension(to) {
        Some(_) => say::input(to, &[&arguments.from]),
        None => say::overwritten(to, &[&arguments.from]),
    };
    refused.map_or(Ok(()), Err)?;
    let mut converted = convert(&arguments.from, to, &arguments.options())?;
    say::warnings(&converted.warnings);
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match converted.files.as_slice() {
        [(_, bytes)] if converted.answer.file.is_some() => kansho::io::whole_file(to, bytes)?,
        files => kansho::io::whole_files(folder, files)?,
    }
    converted.answer.warnings = Message::of_warnings(&converted.warnings);
    if arguments.json {
        say::json_of(&converted.answer);
    } else {
        say::answer(&converted.text());
    }
    Ok(ExitCode::Done)
}

impl From<NotConverted> for Refusal {
    fn from(why: NotConverted) -> Self {
        match why {
            NotConverted::Read(errors) => errors.into(),
            NotConverted::Write(error) => error.into(),
        }
    }
}

impl Arguments {
    fn options(&self) -> ConvertOptions {
        let given = &self.programs;
        let program = ProgramConversion {
            cell: given.cell.clone(),
            robot: given.robot.clone(),
            profile: given.profile.clone(),
            profile_out: given.profile_out.clone(),
            targets: match given.targets {
                Targets::Joints => convert::Targets::Joints,
                Targets::Poses => convert::Targets::Poses,
            },
            motion: match given.motion {
                Joined::Ptp => convert::Joined::Ptp,
                Joined::Lin => convert::Joined::Lin,
            },
            speed: given.speed,
            entry: given.entry.clone(),
            tool_of_cell: given.tool_of_cell,
            rotary: given.rotary.clone(),
            three_axis: given.three_axis,
        };
        ConvertOptions { mesh: self.units.mesh_options(), units: self.units.table_units(), program }
    }
}
