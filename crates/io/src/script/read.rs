//! From a script and all it names to a [`LoadedScript`].

use super::keys::{BODY, ROBOT, SCRIPT};
use super::moves::Names;
use super::selector::{pose, selector};
use crate::cell::toml::{self, Located, Report, Table, Value, Where, place_of, shown};
use crate::cell::{LengthUnit, UNITS, up_of};
use crate::fault::{Fault, Place, ReadError, Warning};
use crate::mesh::{self, MeshOptions, Up};
use kansho_cell::{BodyPiece, Geometry, ObjectDraft, nearest_name};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Mesh, Pose};
use kansho_plan::script::{Body, FaceSelector, Script, Selector, Unit, mesh_around};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest script, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Most bodies of a script.
const MAX_BODIES: usize = 1000;

/// How deep features that may touch may overlap if that is not said, as a fraction of the moved body's size: the rounding of
/// coordinates in single precision, over the width of faces.
const TOLERANCE: f64 = 1e-6;

/// The largest tolerance, as a fraction of the moved body's size: what overlaps by more does not touch.
const LARGEST_TOLERANCE: f64 = 0.01;
/// What is said of files that a changed text names, where none may be read.
const NOT_READ: &str = "this file is not read while a script is edited";
const SAVE: &str = "save the script and read it again";

/// A script from files.
#[derive(Clone, Debug)]
pub struct LoadedScript {
    /// What it says.
    pub script: Script,
    /// Metres in one unit of the file.
    pub metres_per_unit: f64,
    /// The name of the unit.
    pub unit: &'static str,
    /// The robot that holds the moved body.
    pub robot: Option<RobotOfScript>,
    /// Oddities of its meshes.
    pub warnings: Vec<Warning>,
    /// Its bodies as objects of a cell, with their own shapes: the moved one last, where it begins.
    pub objects: Vec<ObjectDraft>,
    /// Meshes that were read for it, with the length of a unit.
    meshes: Vec<MeshRead>,
    path: PathBuf,
    text: String,
    /// Where each move stands.
    moves: Vec<Where>,
}

/// A mesh that was read.
#[derive(Clone, Debug)]
struct MeshRead {
    path: PathBuf,
    metres_per_unit: f64,
    up: Up,
    mesh: Arc<Mesh>,
}

/// The robot of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotOfScript {
    /// The file of its cell.
    pub cell: PathBuf,
    /// Its name; none if it is the only one with a tool.
    pub name: Option<String>,
    /// How the tool is turned in the frame of the moved body, at the grasp.
    pub part_from_tip: Pose,
    /// Where the script's world is in that of the cell.
    pub cell_from_script: Pose,
}

impl LoadedScript {
    /// A fault of a move, with its line.
    #[must_use]
    pub fn fault(&self, number: usize, what: impl Into<String>) -> ReadError {
        let place = self.moves.get(number).map_or(Place::File, |at| place_of(self.text.as_bytes(), at));
        ReadError { path: self.path.clone(), faults: vec![Fault { place, what: what.into(), help: None }] }
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Another text of this script, with meshes that were read for it: no file is read or looked for.
    ///
    /// # Errors
    /// Everything that is wrong with the text; also if it names other files.
    pub fn with_text(&self, text: &str) -> Result<Self, Vec<ReadError>> {
        if text.len() > MAX_BYTES {
            let what = format!("a script has at most {MAX_BYTES} bytes");
            return Err(vec![ReadError { path: self.path.clone(), faults: vec![Fault::of_file(what)] }]);
        }
        read_text(&self.path, text, Some(self))
    }
}

/// Whether a file looks like a script, rather than a cell or a job: it has a body that is moved.
#[must_use]
pub fn is_script(path: &Path) -> bool {
    toml::text_of(path, "a script", MAX_BYTES)
        .is_ok_and(|text| text.lines().any(|line| line.trim_start().starts_with("[moved.")))
}

/// Reads a script and its meshes.
///
/// # Errors
/// Everything that is wrong with them, file by file, the script first.
pub fn read(path: &Path) -> Result<LoadedScript, Vec<ReadError>> {
    let fail = |fault| vec![ReadError { path: path.to_owned(), faults: vec![fault] }];
    let text = toml::text_of(path, "a script", MAX_BYTES).map_err(fail)?;
    read_text(path, &text, None)
}

/// Reads a script from its text; `known` has the meshes where no files may be read.
fn read_text(path: &Path, text: &str, known: Option<&LoadedScript>) -> Result<LoadedScript, Vec<ReadError>> {
    let fail = |faults| vec![ReadError { path: path.to_owned(), faults }];
    let document = toml::parse_file(text, "this script").map_err(fail)?;
    let mut report = Report::new(text);
    let table = Table::new(document.get_ref(), 0..0, "a script", SCRIPT, &mut report);
    let units = table.get("units").and_then(|value| unit(value, &mut report)).unwrap_or(UNITS[0]);
    let mut reader = Reader {
        folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        units,
        errors: Vec::new(),
        warnings: Vec::new(),
        broken: Vec::new(),
        meshes: Vec::new(),
        known,
    };
    let bodies =
        |key: &str, report: &mut Report| table.get(key).map_or(Vec::new(), |value| value.entries(report));
    let moved_entries = bodies("moved", &mut report);
    if let [_, second, ..] = &moved_entries[..] {
        report.note(&second.0.at, "one body is moved, and this is a second");
    }
    let fixed_entries = bodies("fixed", &mut report);
    if fixed_entries.len() > MAX_BODIES {
        return Err(fail(vec![Fault::of_file(format!("a script has at most {MAX_BODIES} bodies"))]));
    }
    let moved_given: Option<Given> = moved_entries
        .into_iter()
        .next()
        .and_then(|(name, value)| reader.body(name, value, true, &mut report));
    let mut fixed_given: Vec<Given> = Vec::new();
    for (name, value) in fixed_entries {
        let own = moved_given.as_ref().map(|given| given.name.as_str());
        if own == Some(name.value) {
            report.note(&name.at, format!("\"{}\" is already the name of the moved body", shown(name.value)));
        }
        fixed_given.extend(reader.body(name, value, false, &mut report));
    }
    // Half-spaces reach beyond everything else.
    let (near, reach) = extent(moved_given.as_ref(), &fixed_given);
    let fixed: Vec<Body> =
        fixed_given.iter().filter_map(|given| reader.finish(given, near, reach, &mut report)).collect();
    let moved = moved_given.as_ref().and_then(|given| reader.finish(given, near, reach, &mut report));
    if moved.is_none()
        && let Some(given) = &moved_given
    {
        reader.broken.push(given.name.clone());
    }
    let robot = table.get("robot").and_then(|value| reader.robot(value, &mut report));
    let tolerance = table.get("tol").and_then(|value| {
        let number = value.number(&mut report)?;
        if !(number > 0.0) {
            report.note(&value.at(), "tol is greater than zero");
        }
        let size = moved.as_ref().map(Body::size);
        if size.is_some_and(|size| units.metres(number) > LARGEST_TOLERANCE * size) {
            report.note(&value.at(), "tol is at most a hundredth of the moved body's size");
        }
        Some(units.metres(number))
    });
    let mut loaded = None;
    if let (Some(moved), Some(given)) = (moved, &moved_given) {
        let mut names =
            Names { moved: &moved, fixed: &fixed, broken: &reader.broken, units, touches: Vec::new() };
        let allow = table.get("allow").map_or(Vec::new(), |value| names.contacts(value, &[], &mut report).0);
        let list = table.get("move").and_then(|value| value.list("a list of moves", &mut report));
        let list = list.unwrap_or_default();
        if list.is_empty() && table.get("move").is_some() {
            report.note(&table.key_at("move"), "there is nothing to do: the list of moves is empty");
        }
        let spans: Vec<Where> = list.iter().map(|value| value.at()).collect();
        let moves: Vec<_> = list
            .into_iter()
            .filter_map(|value| {
                let line = match place_of(text.as_bytes(), &value.at()) {
                    Place::Line { line, .. } => line,
                    _ => 0,
                };
                names.one(value, line, &mut report)
            })
            .collect();
        let touches = names.touches;
        let tolerance = tolerance.unwrap_or(TOLERANCE * moved.size());
        loaded = Some(LoadedScript {
            script: Script {
                fixed,
                grasp: given.grasp,
                start: given.start,
                tolerance,
                unit: unit_of(units),
                touches,
                allow,
                moves,
                moved,
            },
            metres_per_unit: units.metres(1.0),
            unit: units.name,
            robot,
            warnings: reader.warnings,
            objects: fixed_given.iter().chain([given]).map(Given::object).collect(),
            meshes: reader.meshes,
            path: path.to_owned(),
            text: text.to_owned(),
            moves: spans,
        });
    }
    let faults = report.into_faults();
    let mut errors = if faults.is_empty() { Vec::new() } else { fail(faults) };
    errors.extend(reader.errors);
    match loaded {
        Some(loaded) if errors.is_empty() => Ok(loaded),
        _ if errors.is_empty() => Err(fail(vec![Fault::of_file("no body is moved: add [moved.NAME]")])),
        _ => Err(errors),
    }
}

/// A point in the middle of what has an end, and how far to go beyond it.
fn extent(moved: Option<&Given>, fixed: &[Given]) -> (DVec3, f64) {
    let near = moved.map_or(DVec3::ZERO, |given| given.start.translation());
    let all = moved.into_iter().chain(fixed);
    let far = all
        .filter_map(|given| match &given.shape {
            ShapeGiven::Mesh(mesh) => {
                Some((given.at * mesh.aabb().centre()).distance(near) + mesh.aabb().diagonal())
            }
            ShapeGiven::Primitive(primitive) => {
                primitive.aabb().map(|aabb| given.at.translation().distance(near) + aabb.diagonal())
            }
        })
        .fold(1e-3, f64::max);
    (near, 8.0 * far)
}

/// What a body's table says.
struct Given {
    name: String,
    name_at: Where,
    shape: ShapeGiven,
    at: Pose,
    grasp: DVec3,
    start: Pose,
    features: Vec<(String, Where, Selector)>,
}

enum ShapeGiven {
    Mesh(Arc<Mesh>),
    Primitive(Primitive),
}

impl Given {
    /// As it is drawn: where it stands, or begins.
    fn object(&self) -> ObjectDraft {
        let geometry = match &self.shape {
            ShapeGiven::Mesh(mesh) => Geometry::Mesh(Arc::clone(mesh)),
            ShapeGiven::Primitive(primitive) => Geometry::Primitive(*primitive),
        };
        let piece = BodyPiece { geometry, carrier_from_piece: self.at * self.start };
        ObjectDraft { name: self.name.clone(), pieces: vec![piece], on: None }
    }
}

struct Reader<'a> {
    folder: PathBuf,
    units: LengthUnit,
    errors: Vec<ReadError>,
    warnings: Vec<Warning>,
    /// Bodies that could not be read.
    broken: Vec<String>,
    meshes: Vec<MeshRead>,
    /// Where no files may be read: what was read before.
    known: Option<&'a LoadedScript>,
}

impl Reader<'_> {
    fn body(
        &mut self,
        name: Located<&str>,
        value: Value,
        is_moved: bool,
        report: &mut Report,
    ) -> Option<Given> {
        let broken = |reader: &mut Self| reader.broken.push(name.value.to_owned());
        if name.value.is_empty()
            || name.value.chars().any(|c| c.is_whitespace() || matches!(c, '.' | '|' | '/'))
        {
            report.note(&name.at, "a name of a body has no blanks, dots, bars or slashes");
            broken(self);
            return None;
        }
        let mut given = Given {
            name: name.value.to_owned(),
            name_at: name.at.clone(),
            shape: ShapeGiven::Primitive(Primitive::new(Shape::Sphere { radius: 1.0 }).expect("a ball")),
            at: Pose::IDENTITY,
            grasp: DVec3::ZERO,
            start: Pose::IDENTITY,
            features: Vec::new(),
        };
        let entries = value.entries(report);
        let own_units = entries.iter().find(|(key, _)| key.value == "units");
        if let Some((key, _)) = own_units
            && !entries.iter().any(|(key, _)| key.value == "mesh")
        {
            let what = "\"units\" is the unit of a mesh file, and this body has none";
            report.note(&key.at, what).help =
                Some("leave it out: other lengths are in the units of the script".into());
        }
        let own_up = entries.iter().find(|(key, _)| key.value == "up");
        if let Some((key, _)) = own_up
            && !entries.iter().any(|(key, _)| key.value == "mesh")
        {
            report.note(&key.at, "this is about a mesh file, and there is no mesh");
        }
        let up = own_up.map_or(Up::AsInFile, |(_, value)| up_of(value, report));
        let own_units = own_units.and_then(|(_, value)| unit(*value, report)).unwrap_or(self.units);
        let mut shape: Option<Option<ShapeGiven>> = None;
        let mut has_start = false;
        for (key, value) in entries {
            match key.value {
                "units" | "up" => {}
                "mesh" | "box" | "cylinder" | "sphere" | "plane" => {
                    if shape.is_some() {
                        report.note(&key.at, "a body has one shape, and this is a second");
                        continue;
                    }
                    shape = Some(self.shape(key.value, value, (own_units, up), report));
                }
                "at" if !is_moved => given.at = pose(value, self.units, report).unwrap_or(given.at),
                "start" if is_moved => {
                    has_start = true;
                    given.start = pose(value, self.units, report).unwrap_or(given.start);
                }
                "grasp" if is_moved => {
                    if let Some(numbers) = value.numbers::<3>(report) {
                        given.grasp = DVec3::from_array(numbers.map(|x| self.units.metres(x)));
                    }
                }
                "at" | "start" | "grasp" => {
                    let whose = if is_moved { "fixed bodies" } else { "the moved body" };
                    report.note(&key.at, format!("\"{}\" is a key of {whose}", key.value));
                }
                _ if value.is_table() => match selector(value, self.units, report) {
                    Some(found) => given.features.push((key.value.to_owned(), value.at(), found)),
                    None => broken(self),
                },
                other => {
                    let near = nearest_name(other, BODY.iter().map(|(name, _)| *name));
                    let question = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
                    let what =
                        format!("\"{}\" is neither a key of a body nor a feature{question}", shown(other));
                    report.note(&key.at, what).help = Some("a feature is a table: { face = \"+z\" }".into());
                }
            }
        }
        if is_moved && !has_start {
            report.note(&name.at, "the moved body needs the key \"start\"");
        }
        match shape {
            Some(Some(shape)) => given.shape = shape,
            Some(None) => {
                broken(self);
                return None;
            }
            None => {
                report.note(&name.at, format!("\"{}\" has no shape", shown(name.value))).help =
                    Some("give it one of mesh, box, cylinder, sphere, plane".into());
                broken(self);
                return None;
            }
        }
        Some(given)
    }

    fn shape(
        &mut self,
        kind: &str,
        value: Value,
        (units, up): (LengthUnit, Up),
        report: &mut Report,
    ) -> Option<ShapeGiven> {
        let own = self.units;
        let shape = match kind {
            "mesh" => {
                let file = value.text("the name of a file", report)?;
                let path = self.folder.join(file.value);
                let metres_per_unit = units.metres(1.0);
                if let Some(known) = self.known {
                    let same = |read: &&MeshRead| {
                        read.path == path && read.metres_per_unit == metres_per_unit && read.up == up
                    };
                    let Some(read) = known.meshes.iter().find(same) else {
                        report.note(&file.at, NOT_READ).help = Some(SAVE.into());
                        return None;
                    };
                    self.meshes.push(read.clone());
                    return Some(ShapeGiven::Mesh(Arc::clone(&read.mesh)));
                }
                if !path.is_file() {
                    report.note(&file.at, format!("there is no file \"{}\"", path.display()));
                    return None;
                }
                let options =
                    MeshOptions { metres_per_unit: Some(metres_per_unit), up, ..MeshOptions::default() };
                let loaded = match mesh::read(&path, &options) {
                    Ok(loaded) => loaded,
                    Err(error) => {
                        self.errors.push(error);
                        return None;
                    }
                };
                if up == Up::TurnToZ && loaded.up_in_file.is_none() {
                    let what = format!(
                        "up = \"z\" has no effect on this file: {} names no axis that is up",
                        loaded.format
                    );
                    report.note(&file.at, what).help = Some("leave it out".into());
                    return None;
                }
                let warnings = loaded.warnings.into_iter();
                self.warnings.extend(warnings.map(|fault| Warning { path: path.clone(), fault }));
                let mesh = Arc::new(loaded.mesh);
                self.meshes.push(MeshRead { path, metres_per_unit, up, mesh: Arc::clone(&mesh) });
                return Some(ShapeGiven::Mesh(mesh));
            }
            "box" => Shape::Box { size: value.numbers::<3>(report)?.map(|x| own.metres(x)).into() },
            "cylinder" => {
                let [radius, height] = value.numbers(report)?;
                Shape::Cylinder { radius: own.metres(radius), height: own.metres(height) }
            }
            "sphere" => Shape::Sphere { radius: own.metres(value.number(report)?) },
            _ => {
                let [x, y, z, d] = value.numbers(report)?;
                Shape::HalfSpace { normal: DVec3::new(x, y, z), offset: own.metres(d) }
            }
        };
        match Primitive::new(shape) {
            Ok(primitive) => Some(ShapeGiven::Primitive(primitive)),
            Err(fault) => {
                report.note(&value.at(), fault.to_string());
                None
            }
        }
    }

    /// The body in its place, with its features.
    fn finish(&mut self, given: &Given, near: DVec3, reach: f64, report: &mut Report) -> Option<Body> {
        let broken = |reader: &mut Self| reader.broken.push(given.name.clone());
        let mesh = match &given.shape {
            ShapeGiven::Mesh(mesh) => Some(Arc::clone(mesh)),
            ShapeGiven::Primitive(primitive) => {
                mesh_around(primitive, given.at.inverse() * near, reach).map(Arc::new)
            }
        };
        let placed = mesh.and_then(|mesh| {
            if given.at == Pose::IDENTITY {
                Some(mesh)
            } else {
                Some(Arc::new(mesh.placed(given.at).ok()?.mesh))
            }
        });
        let Some(mut body) = placed.and_then(|mesh| Body::new(given.name.clone(), mesh)) else {
            let what =
                format!("the surface of \"{}\" is open or inside out: nothing is inside", shown(&given.name));
            report.note(&given.name_at, what).help = Some("close it first; kansho info says where".into());
            broken(self);
            return None;
        };
        for (name, at, selector) in &given.features {
            if let Err(fault) = body.name_feature(name.clone(), &placed_selector(selector, given.at)) {
                let several = matches!(fault, kansho_plan::script::SelectorFault::Several { .. });
                // As the file has them: in its unit, and in the frame of the body.
                report.note(at, fault.words(unit_of(self.units), given.at.inverse())).help =
                    several.then(|| "say which one: at = [x, y, z], a point on it".into());
                // Names that follow from it are not held against the script.
                broken(self);
            }
        }
        Some(body)
    }

    fn robot(&mut self, value: Value, report: &mut Report) -> Option<RobotOfScript> {
        let table = value.table("[robot]", ROBOT, report)?;
        let file = table.get("cell")?.text("the name of a file", report)?;
        let cell = self.folder.join(file.value);
        if let Some(known) = self.known {
            if known.robot.as_ref().is_none_or(|robot| robot.cell != cell) {
                report.note(&file.at, NOT_READ).help = Some(SAVE.into());
                return None;
            }
        } else if !cell.is_file() {
            report.note(&file.at, format!("there is no file \"{}\"", cell.display()));
            return None;
        }
        let name = table.get("name").and_then(|value| value.text("a name", report));
        let rpy =
            table.get("grasp_rpy_deg").map_or(Some([180.0, 0.0, 0.0]), |value| value.numbers::<3>(report));
        let at = table.get("at").map_or(Some(Pose::IDENTITY), |value| pose(value, self.units, report));
        Some(RobotOfScript {
            cell,
            name: name.map(|name| name.value.to_owned()),
            part_from_tip: Pose::from_rpy(DVec3::ZERO, DVec3::from_array(rpy?).map(f64::to_radians)),
            cell_from_script: at?,
        })
    }
}

/// A selector of a body that stands elsewhere.
fn placed_selector(selector: &Selector, at: Pose) -> Selector {
    let face = |f: &FaceSelector| FaceSelector { normal: at.rotate(f.normal), at: f.at.map(|p| at * p) };
    match selector {
        Selector::Faces(faces) => Selector::Faces(faces.iter().map(face).collect()),
        Selector::EdgeBetween(normals, p) => {
            Selector::EdgeBetween(normals.map(|n| at.rotate(n)), p.map(|p| at * p))
        }
        Selector::EdgeAt(points) => Selector::EdgeAt(points.map(|p| at * p)),
        Selector::Rim(of, ends) => Selector::Rim(face(of), ends.map(|ends| ends.map(|p| at * p))),
        Selector::VertexToward(d, p) => Selector::VertexToward(at.rotate(*d), p.map(|p| at * p)),
        Selector::VertexAt(p) => Selector::VertexAt(at * *p),
        Selector::Axis(points) => Selector::Axis(points.map(|p| at * p)),
    }
}

fn unit_of(units: LengthUnit) -> Unit {
    Unit { name: units.name, metres: units.metres(1.0) }
}

fn unit(value: Value, report: &mut Report) -> Option<LengthUnit> {
    let name = value.text("a unit", report)?;
    let found = UNITS.iter().find(|unit| unit.name == name.value).copied();
    if found.is_none() {
        let names = UNITS.map(|unit| unit.name);
        report.note(&name.at, format!("\"{}\" is no unit of length", shown(name.value))).help =
            Some(format!("known are {}", names.join(", ")));
    }
    found
}
