//! What is in a file, and what is odd about it?

mod mesh;
mod program;
mod robot;
mod table;

pub use mesh::{BendCounts, MeshInfo};
pub use program::{ProgramInfo, SequencesInfo, ToolpathInfo, TrajectoryInfo};
pub use robot::{CellInfo, RobotInfo, SrdfInfo};
pub use table::{PosesInfo, TableInfo};

use crate::answer::{FORMAT, Message};
use crate::fact::Fact;
use kansho_geom::bounds::Aabb;
use kansho_geom::glam::DVec3;
use kansho_io::fault::Paint;
use kansho_io::mesh::MeshOptions;
use kansho_io::robot_program::Language;
use kansho_io::toolpath::ToolpathKind;
use kansho_io::{ReadError, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How to read files.
#[derive(Clone, Debug, Default)]
pub struct InfoOptions {
    /// The robot that an SRDF is about.
    pub urdf: Option<PathBuf>,
    /// Folders in which `package://NAME/...` is looked for first.
    pub packages: Vec<PathBuf>,
    /// How to read meshes.
    pub mesh: MeshOptions,
    /// Metres in one unit of tables and toolpaths, instead of what they say.
    pub metres_per_unit: Option<f64>,
}

/// What is in some files.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InfoAnswer {
    /// The version of this answer.
    pub format: u32,
    /// One row a file.
    pub files: Vec<FileInfo>,
}

/// What is in a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FileInfo {
    /// The file.
    pub file: String,
    /// What kind of file it is; null where it cannot be read.
    pub kind: Option<&'static str>,
    /// Triangles, of meshes, robots and cells.
    pub triangles: Option<usize>,
    /// Triangles that were removed, of meshes.
    pub removed: Option<usize>,
    /// Whether the surface of a mesh has no border.
    pub watertight: Option<bool>,
    /// Links, of robots and cells.
    pub links: Option<usize>,
    /// Joints, of robots and cells.
    pub joints: Option<usize>,
    /// What else its kind has.
    #[serde(flatten)]
    pub more: Option<InfoOfKind>,
    /// What is odd about it.
    pub warnings: Vec<Message>,
    /// Why it cannot be read.
    pub errors: Vec<Message>,
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    lines: Vec<Fact>,
}

/// What only files of a kind have.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(missing_docs, reason = "each kind has a type of its name")]
pub enum InfoOfKind {
    Mesh(MeshInfo),
    Robot(RobotInfo),
    Cell(CellInfo),
    Srdf(SrdfInfo),
    Program(ProgramInfo),
    Toolpath(ToolpathInfo),
    Trajectory(TrajectoryInfo),
    Sequences(SequencesInfo),
    Poses(PosesInfo),
    Table(TableInfo),
}

/// A file that was read.
struct Found {
    kind: &'static str,
    title: String,
    lines: Vec<Fact>,
    triangles: Option<usize>,
    removed: Option<usize>,
    watertight: Option<bool>,
    links_and_joints: Option<[usize; 2]>,
    more: InfoOfKind,
    warnings: Vec<Warning>,
}

impl Found {
    fn new(kind: &'static str, title: String, more: InfoOfKind) -> Self {
        Self {
            kind,
            title,
            lines: Vec::new(),
            triangles: None,
            removed: None,
            watertight: None,
            links_and_joints: None,
            more,
            warnings: Vec::new(),
        }
    }

    fn line(mut self, name: &str, value: impl Into<String>) -> Self {
        self.lines.push(Fact::new(name, value));
        self
    }
}

/// A file that was looked into, with its oddities or faults as they were found.
pub struct LookedInto {
    /// What is in it.
    pub info: FileInfo,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
    /// Why it cannot be read.
    pub errors: Vec<ReadError>,
}

/// Looks into a file.
#[must_use]
pub fn info(file: &Path, options: &InfoOptions) -> LookedInto {
    let (found, errors) = match look_into(file, options) {
        Ok(found) => (Some(found), Vec::new()),
        Err(errors) => (None, errors),
    };
    let name = file.to_string_lossy().into_owned();
    let Some(found) = found else {
        let info = FileInfo {
            file: name,
            kind: None,
            triangles: None,
            removed: None,
            watertight: None,
            links: None,
            joints: None,
            more: None,
            warnings: Vec::new(),
            errors: Message::of_errors(&errors),
            title: String::new(),
            lines: Vec::new(),
        };
        return LookedInto { info, warnings: Vec::new(), errors };
    };
    let info = FileInfo {
        file: name,
        kind: Some(found.kind),
        triangles: found.triangles,
        removed: found.removed,
        watertight: found.watertight,
        links: found.links_and_joints.map(|[links, _]| links),
        joints: found.links_and_joints.map(|[_, joints]| joints),
        more: Some(found.more),
        warnings: Message::of_warnings(&found.warnings),
        errors: Vec::new(),
        title: found.title,
        lines: found.lines,
    };
    LookedInto { info, warnings: found.warnings, errors }
}

fn look_into(file: &Path, options: &InfoOptions) -> Result<Found, Vec<ReadError>> {
    if let Some(language) = Language::of_file(file) {
        return program::program(file, language);
    }
    if let Some(kind) = ToolpathKind::of_file(file) {
        return program::toolpath(file, kind, options.metres_per_unit);
    }
    if kansho_io::trajectory::is_meant(file) {
        return program::trajectory(file);
    }
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("urdf" | "xacro") => robot::urdf(file, &options.packages),
        Some("srdf") => robot::srdf(file, options.urdf.as_deref(), &options.packages),
        Some("toml") => robot::cell(file, &options.packages),
        Some("csv") => table::table(file, options.metres_per_unit),
        _ => mesh::mesh(file, &options.mesh),
    }
}

impl InfoAnswer {
    /// The answer about some files.
    #[must_use]
    pub fn of(files: Vec<FileInfo>) -> Self {
        Self { format: FORMAT, files }
    }
}

impl FileInfo {
    /// What is in it, in words; nothing where it cannot be read.
    #[must_use]
    pub fn text(&self, paint: &impl Paint) -> String {
        if self.kind.is_none() {
            return String::new();
        }
        let line = |Fact { name, value }: &Fact| format!("  {}{value}\n", paint.dim(&format!("{name:<9}")));
        let lines: String = self.lines.iter().map(line).collect();
        format!("{}: {}\n{lines}", paint.strong(&self.file), self.title)
    }
}

/// The least and the largest corner of a box.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct BoundsInfo {
    /// The least.
    pub min: [f64; 3],
    /// The largest.
    pub max: [f64; 3],
}

impl BoundsInfo {
    fn of(aabb: &Aabb) -> Self {
        Self { min: aabb.min().to_array(), max: aabb.max().to_array() }
    }
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
