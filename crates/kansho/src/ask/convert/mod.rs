//! Meshes, cells, robot programs, motions and toolpaths in another format.

mod programs;

use crate::answer::{FORMAT, Message};
use crate::load;
use kansho_cell::canonical;
use kansho_io::mesh::{self, MeshOptions};
use kansho_io::units::Units;
use kansho_io::{Fault, ReadError, Warning, WriteError};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How files are read and written.
#[derive(Clone, Debug, Default)]
pub struct ConvertOptions {
    /// How meshes are read; the unit is that of toolpaths, too.
    pub mesh: MeshOptions,
    /// Units of columns of tables whose name has no suffix.
    pub units: Units,
    /// What a program needs to be understood and written.
    pub program: ProgramConversion,
}

/// What a program needs to be understood and written.
#[derive(Clone, Debug, Default)]
pub struct ProgramConversion {
    /// The cell that a robot program or a motion is of.
    pub cell: Option<PathBuf>,
    /// The robot that it is for, where the cell has several.
    pub robot: Option<String>,
    /// What the controller does whose program is read.
    pub profile: Option<PathBuf>,
    /// What the controller does whose program is written.
    pub profile_out: Option<PathBuf>,
    /// Whether targets of joint moves are written as joint values or as poses.
    pub targets: Targets,
    /// How rows of a table are joined.
    pub motion: Joined,
    /// The speed of the TCP in a program that is made of a motion, in metres per second.
    pub speed: Option<f64>,
    /// The procedure of a program that is run, instead of its main one.
    pub entry: Option<String>,
    /// Whether a tool that the program does not define is taken to be that of the cell.
    pub tool_of_cell: bool,
    /// How rotary axes of G-code turn the tool: letters in the order in which they are applied; ABC if that is not said.
    pub rotary: Option<String>,
    /// Whether X, Y and Z of G-code without a tool-tip mode are the tip of a tool that stands along z.
    pub three_axis: bool,
}

/// How targets of joint moves are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Targets {
    /// As joint values.
    #[default]
    Joints,
    /// As poses.
    Poses,
}

/// How rows of a table are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joined {
    /// Straight in joint space.
    #[default]
    Ptp,
    /// By straight lines of the TCP.
    Lin,
}

/// Files that were made, and not written yet.
#[derive(Clone, Debug)]
pub struct Converted {
    /// Names and contents; all belong into the folder of the file that was asked for.
    pub files: Vec<(String, Vec<u8>)>,
    /// What is odd.
    pub warnings: Vec<Warning>,
    /// The answer once they are written.
    pub answer: ConvertAnswer,
    what: String,
}

/// What was written.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConvertAnswer {
    /// The version of this answer.
    pub format: u32,
    /// The file, of meshes and cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Names of files, of programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Triangles of a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triangles: Option<usize>,
    /// Triangles that reading left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
    /// Bodies of a cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<usize>,
    /// The size of its encoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// What is odd about the files.
    pub warnings: Vec<Message>,
    /// None: what is refused has no other keys.
    pub errors: Vec<Message>,
}

/// Why nothing was made.
#[derive(Clone, Debug)]
pub enum NotConverted {
    /// A file is not as it should be.
    Read(Vec<ReadError>),
    /// Such a file cannot be written.
    Write(WriteError),
}

impl From<Vec<ReadError>> for NotConverted {
    fn from(errors: Vec<ReadError>) -> Self {
        Self::Read(errors)
    }
}

/// What is asked.
struct Asked<'a> {
    from: &'a Path,
    to: &'a Path,
    options: &'a ConvertOptions,
}

/// Makes a file of another format. Which formats, the names of the files say.
///
/// # Errors
/// Why it cannot be.
pub fn convert(from: &Path, to: &Path, options: &ConvertOptions) -> Result<Converted, NotConverted> {
    let asked = Asked { from, to, options };
    if to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("kcell")) {
        cell(&asked)
    } else if programs::are_meant(from, to) {
        let made = programs::made(&asked)?;
        let names = made.files.iter().map(|(name, _)| name.clone()).collect();
        let answer = ConvertAnswer { files: Some(names), ..answer() };
        Ok(Converted { files: made.files, warnings: made.warnings, answer, what: made.what })
    } else {
        mesh(&asked)
    }
}

fn answer() -> ConvertAnswer {
    ConvertAnswer {
        format: FORMAT,
        file: None,
        files: None,
        triangles: None,
        removed: None,
        bodies: None,
        bytes: None,
        warnings: Vec::new(),
        errors: Vec::new(),
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn mesh(asked: &Asked<'_>) -> Result<Converted, NotConverted> {
    let options = &asked.options.mesh;
    let loaded = mesh::read(asked.from, options).map_err(|error| vec![error])?;
    let (bytes, rounding) = mesh::encode(asked.to, &loaded.mesh, options.up).map_err(NotConverted::Write)?;
    let of = |path: &Path, faults: Vec<Fault>| -> Vec<Warning> {
        faults.into_iter().map(|fault| Warning { path: path.to_owned(), fault }).collect()
    };
    let triangles = loaded.mesh.triangles().len();
    Ok(Converted {
        files: vec![(name_of(asked.to), bytes)],
        warnings: [of(asked.from, loaded.warnings), of(asked.to, rounding)].concat(),
        answer: ConvertAnswer {
            file: Some(asked.to.to_string_lossy().into_owned()),
            triangles: Some(triangles),
            removed: Some(loaded.removed.count()),
            ..answer()
        },
        what: format!("{triangles} triangles"),
    })
}

/// The cell as `kansho-verify` reads it.
fn cell(asked: &Asked<'_>) -> Result<Converted, NotConverted> {
    let (cell, warnings) = load::cell_or_robot(asked.from, &[])?;
    let bytes = canonical::write(&cell);
    let answer = ConvertAnswer {
        file: Some(asked.to.to_string_lossy().into_owned()),
        bodies: Some(cell.bodies().len()),
        bytes: Some(bytes.len()),
        ..answer()
    };
    let what = format!("{} bodies", cell.bodies().len());
    Ok(Converted { files: vec![(name_of(asked.to), bytes)], warnings, answer, what })
}

impl Converted {
    /// What was written, in words.
    #[must_use]
    pub fn text(&self) -> String {
        let files = match (&self.answer.files, &self.answer.file) {
            (Some(names), _) => names.join(", "),
            (None, file) => file.clone().unwrap_or_default(),
        };
        format!("{files}: {} written\n", self.what)
    }
}
