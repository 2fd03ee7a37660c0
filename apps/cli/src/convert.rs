//! `kansho convert`: meshes, robot programs and toolpaths between formats.

mod programs;

use crate::units::UnitArguments;
use crate::{BAD_INPUT, moving, say};
use clap::Args;
use kansho::cell::canonical;
use kansho::io::{Fault, Warning, WriteError, mesh};
use kansho::load;
use serde_json::{Value, json};
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
    programs: programs::ProgramsArguments,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    if arguments.to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("kcell")) {
        return cell(arguments);
    }
    if programs::are_meant(&arguments.from, &arguments.to) {
        return programs::run(arguments);
    }
    let failed = |file: &Path, errors: Value| {
        if arguments.json {
            say::json_answer(&json!({ "file": file.to_string_lossy(), "errors": errors }));
        }
        BAD_INPUT
    };
    let options = arguments.units.mesh_options();
    let loaded = match mesh::read(&arguments.from, &options) {
        Ok(loaded) => loaded,
        Err(error) => {
            let errors = [error];
            say::errors(&errors);
            return failed(&arguments.from, say::errors_json(&errors));
        }
    };
    let written = if say::same_file(&arguments.from, &arguments.to) {
        let what = "this is the input, and is not overwritten".into();
        Err(WriteError { path: arguments.to.clone(), what })
    } else {
        mesh::write_as(&arguments.to, &loaded.mesh, options.up)
    };
    let rounding = match written {
        Ok(rounding) => rounding,
        Err(error) => {
            say::write_error(&error);
            return failed(&arguments.to, say::write_error_json(&error));
        }
    };
    let of = |path: &Path, faults: Vec<Fault>| -> Vec<Warning> {
        faults.into_iter().map(|fault| Warning { path: path.to_owned(), fault }).collect()
    };
    let warnings = [of(&arguments.from, loaded.warnings), of(&arguments.to, rounding)].concat();
    say::warnings(&warnings);
    let triangles = loaded.mesh.triangles().len();
    let removed = loaded.removed.count();
    if arguments.json {
        say::json_answer(&json!({
            "file": arguments.to.to_string_lossy(), "triangles": triangles, "removed": removed,
            "warnings": say::warnings_json(&warnings), "errors": [],
        }));
    } else {
        say::answer(&format!("{}: {triangles} triangles written\n", arguments.to.display()));
    }
    0
}

/// The cell as `kansho-verify` reads it.
fn cell(arguments: &Arguments) -> u8 {
    if let Some(error) = say::overwritten(&arguments.to, &[&arguments.from]) {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let (cell, warnings) = match load::cell_or_robot(&arguments.from, &[]) {
        Ok(found) => found,
        Err(errors) => return moving::refused(&errors, arguments.json),
    };
    say::warnings(&warnings);
    let bytes = canonical::write(&cell);
    if let Err(error) = kansho::io::whole_file(&arguments.to, &bytes) {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let bodies = cell.bodies().len();
    if arguments.json {
        say::json_answer(&json!({
            "file": arguments.to.to_string_lossy(), "bodies": bodies, "bytes": bytes.len(),
            "warnings": say::warnings_json(&warnings), "errors": [],
        }));
    } else {
        say::answer(&format!("{}: {bodies} bodies written\n", arguments.to.display()));
    }
    0
}
