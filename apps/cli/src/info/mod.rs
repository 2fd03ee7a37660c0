//! What a file holds.

mod mesh;
mod program;
mod robot;
mod table;

use crate::BAD_INPUT;
use crate::say::{self, DIM, STRONG};
use crate::units::UnitArguments;
use clap::Args;
use kansho::geom::bounds::Aabb;
use kansho::geom::glam::DVec3;
use kansho::io::robot_program::Language;
use kansho::io::toolpath::ToolpathKind;
use kansho::io::{ReadError, Warning};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

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

/// What is to be said about a file.
struct Facts {
    title: String,
    lines: Vec<(&'static str, String)>,
    json: Value,
    warnings: Vec<Warning>,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let mut rows = Vec::new();
    let mut bad = false;
    for file in &arguments.files {
        let found = look_into(file, arguments);
        if arguments.json {
            rows.push(as_json(file, &found));
        }
        match &found {
            Ok(facts) if !arguments.json => {
                say::answer(&as_text(file, facts));
                say::warnings(&facts.warnings);
            }
            Ok(_) => {}
            Err(errors) => {
                say::errors(errors);
                bad = true;
            }
        }
    }
    if arguments.json {
        say::json_answer(&json!({ "files": rows }));
    }
    if bad { BAD_INPUT } else { 0 }
}

fn look_into(file: &Path, arguments: &Arguments) -> Result<Facts, Vec<ReadError>> {
    if let Some(language) = Language::of_file(file) {
        return program::facts(file, language);
    }
    if let Some(kind) = ToolpathKind::of_file(file) {
        return program::toolpath_facts(file, kind, arguments.units.metres_per_unit());
    }
    if kansho::io::trajectory::is_meant(file) {
        return program::trajectory_facts(file);
    }
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("urdf" | "xacro") => robot::urdf_facts(file, &arguments.packages),
        Some("srdf") => robot::srdf_facts(file, arguments.urdf.as_deref(), &arguments.packages),
        Some("toml") => robot::cell_facts(file, &arguments.packages),
        Some("csv") => table::facts(file, arguments.units.metres_per_unit()),
        _ => mesh::facts(file, &arguments.units.mesh_options()),
    }
}

fn as_json(file: &Path, found: &Result<Facts, Vec<ReadError>>) -> Value {
    let mut row = json!({
        "file": file.to_string_lossy(), "kind": null, "triangles": null, "removed": null, "watertight": null,
        "links": null, "joints": null, "warnings": [], "errors": [],
    });
    match found {
        Err(errors) => row["errors"] = say::errors_json(errors),
        Ok(facts) => {
            row["warnings"] = say::warnings_json(&facts.warnings);
            let row = row.as_object_mut().expect("a row is an object");
            row.extend(facts.json.as_object().expect("facts are an object").clone());
        }
    }
    row
}

fn as_text(file: &Path, facts: &Facts) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}: {}\n", file.display(), facts.title);
    for (name, value) in &facts.lines {
        writeln!(text, "  {DIM}{name:<9}{DIM:#}{value}").expect("writing to a string succeeds");
    }
    text
}

fn bounds_json(aabb: &Aabb) -> Value {
    json!({ "min": aabb.min().to_array(), "max": aabb.max().to_array() })
}

fn extent_text(aabb: &Aabb) -> String {
    let numbers = |v: DVec3, gap: &str| v.to_array().map(short).join(gap);
    format!(
        "{} m, from ({}) to ({})",
        numbers(aabb.extent(), " x "),
        numbers(aabb.min(), ", "),
        numbers(aabb.max(), ", ")
    )
}

/// Six significant digits, without trailing zeros.
fn short(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let digits = (5 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    if number.abs() >= 1e7 || number.abs() < 1e-4 {
        return format!("{number:.5e}");
    }
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
