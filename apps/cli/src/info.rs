//! What a file holds.

use crate::units::UnitArguments;
use crate::{BAD_INPUT, say};
use clap::Args;
use kansho::ask::info::{InfoAnswer, InfoOptions, info};
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho info bracket.stl\n  kansho info --json --units mm *.stl\n  kansho info cell.toml robot.urdf poses.csv\n  kansho info robot.srdf --urdf robot.urdf"
)]
pub(crate) struct Arguments {
    /// Files to look into: meshes (STL, OBJ, PLY, OFF, glTF, GLB, COLLADA), robots (URDF, SRDF), cells (TOML), tables (CSV)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// The robot that an SRDF speaks of
    #[arg(long, value_name = "URDF")]
    urdf: Option<PathBuf>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,

    #[command(flatten)]
    units: UnitArguments,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let options = InfoOptions {
        urdf: arguments.urdf.clone(),
        packages: arguments.packages.clone(),
        mesh: arguments.units.mesh_options(),
        metres_per_unit: arguments.units.metres_per_unit(),
    };
    let mut files = Vec::new();
    let mut bad = false;
    for file in &arguments.files {
        let found = info(file, &options);
        if !arguments.json {
            say::answer(&found.info.text(&say::styled()));
            say::warnings(&found.warnings);
        }
        say::errors(&found.errors);
        bad |= !found.errors.is_empty();
        files.push(found.info);
    }
    if arguments.json {
        say::json_of(&InfoAnswer::of(files));
    }
    if bad { BAD_INPUT } else { 0 }
}
