//! From a cell file and all it names to a [`Cell`].

use super::given::{Given, MAX_BODIES, ObjectGiven, RobotGiven, ShapeGiven, ToolGiven};
use super::toml::{self, Located, Report, Where, shown};
use super::{LengthUnit, UNITS};
use crate::fault::{Fault, ReadError, Warning};
use crate::mesh::{self, MeshFormat, MeshOptions, Up};
use crate::srdf;
use crate::urdf::{self, LoadedRobot, RobotOptions};
use kansho_cell::{
    BodyPiece, Cell, CellDraft, CellFault, Geometry, JointKind, ObjectDraft, RobotDraftInCell, ToolDraft,
    nearest_name,
};
use kansho_geom::primitive::Shape;
use kansho_geom::{Mesh, Pose, Primitive};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest cell file, in bytes: some fifty thousand objects. Parsing takes about a hundred times as much memory.
const MAX_BYTES: usize = 16 << 20;

/// How to read a cell.
#[derive(Clone, Debug, Default)]
pub struct CellOptions {
    /// Folders in which `package://NAME/...` is looked for before those that the cell file names.
    pub packages: Vec<PathBuf>,
}

/// A cell from files.
#[derive(Clone, Debug)]
pub struct LoadedCell {
    /// The cell.
    pub cell: Cell,
    /// Metres in one unit of the cell file.
    pub metres_per_unit: f64,
    /// Where its robots come from, in their order.
    pub robots: Vec<LoadedRobotInfo>,
    /// Mesh files of tools and objects, each once.
    pub meshes: Vec<PathBuf>,
    /// Oddities of all files.
    pub warnings: Vec<Warning>,
}

/// Where a robot of a cell comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedRobotInfo {
    /// Its name in the cell.
    pub name: String,
    /// Its URDF.
    pub urdf: PathBuf,
    /// Its SRDF.
    pub srdf: Option<PathBuf>,
    /// Names of the groups in its SRDF.
    pub groups: Vec<String>,
    /// Mesh files that its URDF refers to.
    pub meshes: Vec<PathBuf>,
    /// Whether the cell file says where the working point of its tool is.
    pub has_tcp: bool,
}

/// Reads a cell and all files that it names.
///
/// # Errors
/// Everything that is wrong with it, file by file, the cell file first.
pub fn read(path: &Path, options: &CellOptions) -> Result<LoadedCell, Vec<ReadError>> {
    let fail = |faults| vec![ReadError { path: path.to_owned(), faults }];
    let text = &toml::text_of(path, "a cell file", MAX_BYTES).map_err(|fault| fail(vec![fault]))?;
    let document = toml::parse_file(text, "this cell").map_err(fail)?;
    let mut report = Report::new(text);
    let given = Given::read(document.get_ref(), &mut report);
    if given.robots.len() + given.objects.len() > MAX_BODIES {
        return Err(fail(report.into_faults()));
    }
    let mut files = Files {
        folder: path.parent().unwrap_or(Path::new("")),
        packages: &options.packages,
        units: given.units,
        report,
        errors: Vec::new(),
        warnings: Vec::new(),
        robots: HashMap::new(),
        has_told_scheme: false,
        meshes: HashMap::new(),
        mesh_paths: Vec::new(),
    };

    let mut draft = CellDraft::default();
    let mut robots = Vec::new();
    let mut failed: HashSet<&str> = HashSet::new();
    for robot in &given.robots {
        match files.robot(robot) {
            Some((in_cell, info)) => {
                draft.robots.push(in_cell);
                robots.push(info);
            }
            None => {
                failed.insert(robot.name.value);
            }
        }
    }
    draft.objects = given.objects.iter().map(|object| files.object(object)).collect();
    draft.allow =
        given.allow.iter().map(|pair| pair.names.each_ref().map(|name| name.value.to_owned())).collect();
    let cell = Cell::new(draft);
    if let Err(faults) = &cell {
        note_cell_faults(faults, &given, &failed, &mut files.report);
    }
    let faults = files.report.into_faults();
    let mut errors = if faults.is_empty() { Vec::new() } else { fail(faults) };
    errors.extend(files.errors);
    match cell {
        Ok(cell) if errors.is_empty() => Ok(LoadedCell {
            cell,
            metres_per_unit: given.units.unwrap_or(UNITS[0]).metres(1.0),
            robots,
            meshes: files.mesh_paths,
            warnings: files.warnings,
        }),
        // Every fault that is left out follows from one that is told; should that fail, none is left out.
        Err(faults) if errors.is_empty() => {
            Err(fail(faults.iter().map(|fault| Fault::of_file(fault.to_string())).collect()))
        }
        _ => Err(errors),
    }
}

/// A mesh file, the name of its own unit, and whether it is turned so that Z is up.
type MeshKey = (PathBuf, Option<&'static str>, bool);

/// The files that a cell names: each is read once, and its faults are told once.
struct Files<'a> {
    folder: &'a Path,
    packages: &'a [PathBuf],
    /// As the cell file says.
    units: Option<LengthUnit>,
    report: Report<'a>,
    errors: Vec<ReadError>,
    warnings: Vec<Warning>,
    /// By URDF and package folders; none if it was faulty.
    robots: HashMap<(PathBuf, Vec<PathBuf>), Option<LoadedRobot>>,
    /// Whether a file that is named as an address (`package://`) has been told.
    has_told_scheme: bool,
    /// By file and its own unit; none if it was faulty.
    meshes: HashMap<MeshKey, Option<Arc<Mesh>>>,
    mesh_paths: Vec<PathBuf>,
}

impl Files<'_> {
    fn robot(&mut self, given: &RobotGiven) -> Option<(RobotDraftInCell, LoadedRobotInfo)> {
        let mut packages = self.packages.to_vec();
        for package in &given.packages {
            let folder = self.folder.join(package.value);
            if folder.is_dir() {
                packages.push(folder);
            } else {
                let what = format!("there is no folder \"{}\"", folder.display());
                self.report.note(&package.at, what);
            }
        }
        let urdf = given.urdf.as_ref().and_then(|urdf| self.present(urdf));
        let srdf = given.srdf.as_ref().and_then(|srdf| self.present(srdf));
        let tool = given.tool.as_ref().map(|tool| self.tool(tool));
        let urdf = urdf?;
        let loaded = self.urdf(&urdf, packages)?;
        let robot = loaded.robot;
        let (mut disabled, mut groups) = (Vec::new(), Vec::new());
        if let Some(path) = &srdf {
            match srdf::read(path, &robot) {
                Ok(found) => {
                    self.warn(path, found.warnings);
                    (disabled, groups) = (found.disabled, found.groups);
                }
                Err(error) => self.errors.push(error),
            }
        }
        let units = self.units.unwrap_or(UNITS[0]);
        let hold = given.hold.iter().map(|hold| {
            let (joint, value) = (hold.joint.value, hold.value.value);
            let kind = robot.joint(joint).map(|id| robot.joints()[id.0 as usize].kind);
            let slides = matches!(kind, Some(JointKind::Prismatic { .. }));
            (joint.to_owned(), if slides { units.metres(value) } else { value })
        });
        let name = given.name.value.to_owned();
        let has_tcp = given.tool.as_ref().is_some_and(|tool| tool.has_tcp);
        let info = LoadedRobotInfo { name: name.clone(), urdf, srdf, groups, meshes: loaded.meshes, has_tcp };
        let hold = hold.collect();
        let world_from_root = given.world_from_root;
        Some((RobotDraftInCell { name, robot, world_from_root, hold, tool, disabled }, info))
    }

    fn urdf(&mut self, path: &Path, packages: Vec<PathBuf>) -> Option<LoadedRobot> {
        let key = (path.to_owned(), packages);
        if let Some(known) = self.robots.get(&key) {
            return known.clone();
        }
        let options = RobotOptions { packages: key.1.clone() };
        let robot = match urdf::read(path, &options) {
            Ok(mut robot) => {
                self.warnings.append(&mut robot.warnings);
                Some(robot)
            }
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        };
        self.robots.insert(key, robot.clone());
        robot
    }

    fn tool(&mut self, given: &ToolGiven) -> ToolDraft {
        let shape = given.shape.as_ref();
        ToolDraft {
            on: given.on.as_ref().map_or(String::new(), |on| on.value.to_owned()),
            pieces: shape.map_or(Vec::new(), |shape| self.pieces(shape, given.link_from_shape)),
            link_from_tcp: given.link_from_tcp,
        }
    }

    fn object(&mut self, given: &ObjectGiven) -> ObjectDraft {
        ObjectDraft {
            name: given.name.value.to_owned(),
            pieces: self.pieces(&given.shape, given.carrier_from_shape),
            on: given.on.as_ref().map(|on| on.value.to_owned()),
        }
    }

    /// The shape, or after a fault any other, so that the names in the file still mean something.
    fn pieces(&mut self, given: &ShapeGiven, carrier_from_piece: Pose) -> Vec<BodyPiece> {
        let ball = || Primitive::new(Shape::Sphere { radius: 1.0 }).expect("a ball of one metre is a shape");
        let found: Vec<Option<Geometry>> = match given {
            ShapeGiven::Primitive(primitive) => vec![Some(Geometry::Primitive(*primitive))],
            ShapeGiven::Meshes { files, units, up } => {
                files.iter().map(|file| self.mesh(file, *units, *up).map(Geometry::Mesh)).collect()
            }
            ShapeGiven::Faulty => vec![None],
        };
        let geometries = found.into_iter().map(|found| found.unwrap_or_else(|| Geometry::Primitive(ball())));
        geometries.map(|geometry| BodyPiece { geometry, carrier_from_piece }).collect()
    }

    fn mesh(&mut self, file: &Located<&str>, own_units: Option<LengthUnit>, up: Up) -> Option<Arc<Mesh>> {
        let path = self.present(file)?;
        let at = file.at.clone();
        let file = std::fs::canonicalize(&path).unwrap_or(path.clone());
        let key = (file, own_units.map(|unit| unit.name), up == Up::TurnToZ);
        if let Some(known) = self.meshes.get(&key) {
            return known.clone();
        }
        let mesh = match self.read_mesh(&path, own_units, up) {
            Ok(loaded) if up == Up::TurnToZ && loaded.up_in_file.is_none() => {
                let what = format!(
                    "up = \"z\" has no effect on this file: {} names no axis that is up",
                    loaded.format
                );
                self.report.note(&at, what).help =
                    Some("leave it out, and turn the body with rpy_deg in at".into());
                None
            }
            Ok(loaded) => {
                self.warn(&path, loaded.warnings);
                Some(Arc::new(loaded.mesh))
            }
            Err(error) => {
                self.errors.push(error);
                None
            }
        };
        if !self.mesh_paths.contains(&path) {
            self.mesh_paths.push(path);
        }
        self.meshes.insert(key, mesh.clone());
        mesh
    }

    /// A mesh says its own unit in the cell file, or in its own (glTF and COLLADA do), or has that of the cell file.
    fn read_mesh(
        &self,
        path: &Path,
        own_units: Option<LengthUnit>,
        up: Up,
    ) -> Result<mesh::LoadedMesh, ReadError> {
        let says_units = |format| matches!(format, Some(MeshFormat::Gltf | MeshFormat::Collada));
        let options = |format| {
            let given = own_units.or(self.units.filter(|_| !says_units(format)));
            MeshOptions { metres_per_unit: given.map(|unit| unit.metres(1.0)), up, ..MeshOptions::default() }
        };
        let expected = MeshFormat::of_extension(path);
        let loaded = mesh::read(path, &options(expected))?;
        let found = Some(loaded.format);
        if options(found) == options(expected) {
            return Ok(loaded);
        }
        // The content is not what the extension says.
        mesh::read(path, &options(found))
    }

    /// The path of a file that the cell names, if it can be opened.
    fn present(&mut self, file: &Located<&str>) -> Option<PathBuf> {
        if let Some((scheme, _)) = file.value.split_once("://") {
            // Of many files like that, one is told.
            if !std::mem::replace(&mut self.has_told_scheme, true) {
                let what = format!(
                    "\"{}\" is no file name: kansho looks {scheme}:// up in URDFs only",
                    shown(file.value)
                );
                self.report.note(&file.at, what).help =
                    Some("write the path of the file, relative to the cell file or absolute".into());
            }
            return None;
        }
        let path = self.folder.join(file.value);
        let what = match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => format!("\"{}\" is a folder", path.display()),
            Ok(_) => return Some(path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("there is no file \"{}\"", path.display())
            }
            Err(error) => format!("\"{}\" cannot be read: {error}", path.display()),
        };
        self.report.note(&file.at, what).help = neighbour(&path);
        None
    }

    fn warn(&mut self, path: &Path, faults: Vec<Fault>) {
        self.warnings.extend(faults.into_iter().map(|fault| Warning { path: path.to_owned(), fault }));
    }
}

/// A file in the same folder whose name is nearly the same, as advice.
fn neighbour(path: &Path) -> Option<String> {
    /// Enough for folders made by hand; a huge one must not cost time.
    const LOOKED_AT: usize = 1000;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.take(LOOKED_AT).flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let near = nearest_name(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(format!("there is \"{}\" in that folder", shown(&near)))
}

/// Notes what is wrong with the cell as a whole at the words of the file that say it.
///
/// Faults that only follow from others (a link of a robot that could not be read) are left out.
fn note_cell_faults(faults: &[CellFault], given: &Given, failed: &HashSet<&str>, report: &mut Report) {
    let nameless = given.robots.iter().any(|robot| robot.name.value.is_empty())
        || given.objects.iter().any(|object| object.name.value.is_empty());
    let of_failed = |name: &str| name.split('/').next().is_some_and(|robot| failed.contains(robot));
    // A cell leaves out what hangs on an unknown link, which is noted where that is said.
    let hangs_wrong = |name: &str| {
        given.objects.iter().any(|object| object.name.value == name)
            || name.strip_suffix("/tool").is_some_and(|robot| {
                let mut tools = robots_named(given, robot).filter_map(|robot| robot.tool.as_ref());
                tools.any(|tool| tool.shape.is_some())
            })
    };
    let mut told = HashSet::new();
    // Each walks the whole file, and of so many only a few are told.
    for fault in faults.iter().take(1000) {
        let skipped = match fault {
            // Noted with both places; what is left is the tool of a robot that has a link of that name.
            CellFault::DuplicateName { name, .. } => !name.contains('/'),
            CellFault::UnknownCarrier { link, .. } => nameless || of_failed(link),
            CellFault::UnknownAllowed { name, .. } => nameless || of_failed(name) || hangs_wrong(name),
            // That it says no link has been noted.
            CellFault::UnknownToolLink { robot, .. } => {
                let mut tools = robots_named(given, robot).filter_map(|robot| robot.tool.as_ref());
                tools.any(|tool| tool.on.is_none())
            }
            _ => false,
        };
        if skipped {
            continue;
        }
        // Several faults may read the same: each takes the next place that has not been told.
        match places_of(fault, given).into_iter().find(|at| told.insert((at.start, fault.to_string()))) {
            Some(at) => report.note(&at, fault.to_string()),
            None => report.note_file(fault.to_string()),
        };
    }
}

/// Where the file says what a fault speaks of.
fn places_of(fault: &CellFault, given: &Given) -> Vec<Where> {
    let held = |robot: &str, joint: &str| {
        let holds = robots_named(given, robot).flat_map(|robot| &robot.hold);
        holds.filter(|hold| hold.joint.value == joint).collect::<Vec<_>>()
    };
    let tools =
        |name: &str| robots_named(given, name).filter_map(|robot| robot.tool.as_ref()).collect::<Vec<_>>();
    let carried = |object: &str, link: Option<&str>| -> Vec<Where> {
        let objects = given.objects.iter().filter(|known| known.name.value == object);
        let on = objects.filter_map(|object| object.on.as_ref());
        on.filter(|on| link.is_none_or(|link| on.value == link)).map(|on| on.at.clone()).collect()
    };
    match fault {
        CellFault::TooManyBodies { .. } => Vec::new(),
        CellFault::DuplicateName { name, .. } => {
            let robot = name.split('/').next().unwrap_or(name);
            tools(robot).into_iter().map(|tool| tool.at.clone()).collect()
        }
        CellFault::UnknownHeldJoint { robot, joint, .. } => {
            held(robot, joint).into_iter().map(|hold| hold.joint.at.clone()).collect()
        }
        CellFault::BadHold { robot, joint, .. } => {
            held(robot, joint).into_iter().map(|hold| hold.value.at.clone()).collect()
        }
        CellFault::UnknownToolLink { robot, .. } => {
            tools(robot).into_iter().filter_map(|tool| tool.on.as_ref()).map(|on| on.at.clone()).collect()
        }
        CellFault::UnknownCarrier { object, link, .. } => carried(object, Some(link)),
        CellFault::CarriedPlane { object } => carried(object, None),
        CellFault::UnknownAllowed { name, .. } => {
            let names = given.allow.iter().flat_map(|pair| &pair.names);
            names.filter(|known| known.value == name).map(|name| name.at.clone()).collect()
        }
        CellFault::AllowedWithItself { name } => {
            let pairs = given.allow.iter().filter(|pair| pair.names.iter().all(|known| known.value == name));
            pairs.map(|pair| pair.at.clone()).collect()
        }
        CellFault::UnknownDisabled { robot, .. } => {
            let files = robots_named(given, robot).filter_map(|robot| robot.srdf.as_ref());
            files.map(|srdf| srdf.at.clone()).collect()
        }
    }
}

fn robots_named<'g, 'a>(given: &'g Given<'a>, name: &str) -> std::vec::IntoIter<&'g RobotGiven<'a>> {
    let robots = given.robots.iter().filter(|robot| robot.name.value == name);
    robots.collect::<Vec<_>>().into_iter()
}
