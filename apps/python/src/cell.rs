//! Cells: robots, tools and objects, checked once and read-only afterwards.

use crate::arrays::{matrix, with_posture};
use crate::errors::{bad_cell, refused, texts, value};
use crate::path::FilePath;
use crate::shape::{PyRobot, Shape};
use crate::state::Reduced;
use kansho::cell::{Cell, CellDraft, Geometry, ObjectDraft, RobotDraftInCell};
use kansho::check::scene::Scene;
use kansho::geom::Pose;
use kansho::io::cell::{self, CellOptions};
use kansho::io::problems;
use kansho::io::urdf::{self, RobotOptions};
use kansho::prepared::PreparedCell;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Robots, tools and objects. It is read-only: `vary` makes others of it.
///
/// >>> import kansho
/// >>> robot = kansho.Robot.from_text('''<robot name="lift">
/// ...   <link name="base"/>
/// ...   <link name="plate"><collision><geometry><box size="0.2 0.2 0.02"/></geometry></collision></link>
/// ...   <joint name="up" type="prismatic"><parent link="base"/><child link="plate"/><axis xyz="0 0 1"/>
/// ...     <limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>''')
/// >>> cell = kansho.Cell(robots={"lift": robot}, objects={"shelf": kansho.Shape.box(1, 1, 0.1).at([0, 0, 0.8])})
/// >>> cell.joints
/// ['lift/up']
/// >>> cell.postures([[0.1], [0.8]]).hit.tolist()
/// [0, 1]
/// >>> report = cell.check([[0.1], [0.9]])
/// >>> report.verdict, report.pair, round(report.posture[0], 6)
/// ('touches', 'lift/plate|shelf', 0.74)
#[pyclass(frozen, module = "kansho", name = "Cell")]
pub(crate) struct PyCell {
    pub(crate) cell: Arc<Cell>,
    /// Names of coordinates, for messages.
    pub(crate) names: Vec<String>,
    /// What faults of it are told of: its file, or a word.
    pub(crate) source: PathBuf,
    warnings: Vec<String>,
    pub(crate) prepared: PreparedCell,
}

impl PyCell {
    pub(crate) fn new(cell: Cell, source: PathBuf, warnings: Vec<String>, like: Option<Arc<Scene>>) -> Self {
        let names = cell.coordinates().iter().map(|coordinate| coordinate.full_name()).collect();
        let cell = Arc::new(cell);
        let prepared = match like {
            Some(like) => PreparedCell::like(Arc::clone(&cell), like),
            None => PreparedCell::new(Arc::clone(&cell)),
        };
        Self { cell, names, source, warnings, prepared }
    }

    /// Shapes prepared for questions. Takes some time the first time: not while the interpreter waits.
    pub(crate) fn scene(&self) -> &Arc<Scene> {
        self.prepared.plain()
    }

    /// The same with models.
    pub(crate) fn modelled(&self) -> &Arc<Scene> {
        self.prepared.modelled()
    }

    /// What is odd about its files.
    pub(crate) fn told(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// An exception if nothing in it moves.
    pub(crate) fn moves(&self, what: &str) -> PyResult<()> {
        if self.names.is_empty() {
            return Err(value(format!("nothing in this cell moves, so it has no {what}")));
        }
        Ok(())
    }

    fn from_draft(draft: CellDraft, warnings: Vec<String>, like: Option<Arc<Scene>>) -> PyResult<Self> {
        let cell = Cell::new(draft).map_err(|faults| bad_cell(&faults))?;
        Ok(Self::new(cell, "cell".into(), warnings, like))
    }

    /// This cell with another draft.
    pub(crate) fn redrafted(&self, draft: CellDraft) -> PyResult<Self> {
        let cell = Cell::new(draft).map_err(|faults| bad_cell(&faults))?;
        let like = self.prepared.known();
        Ok(Self::new(cell, self.source.clone(), self.warnings.clone(), like))
    }
}

/// Vertices and corners.
type Triangles<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>);

fn robot(name: &str, robot: &PyRobot) -> RobotDraftInCell {
    RobotDraftInCell { name: name.to_owned(), ..robot.draft.clone() }
}

fn object(name: &str, shape: &Shape) -> ObjectDraft {
    ObjectDraft { name: name.to_owned(), pieces: shape.pieces.clone(), on: shape.on.clone() }
}

fn checked(name: String) -> PyResult<String> {
    match name.chars().find(|c| matches!(c, '|' | '/') || c.is_control()) {
        Some(c) => Err(value(format!(
            "\"{name}\": a name must not contain {c:?}: a link is written robot/link, a pair a|b"
        ))),
        None if name.trim().is_empty() => Err(value("a name must not be empty")),
        None => Ok(name),
    }
}

#[pymethods]
impl PyCell {
    #[new]
    #[pyo3(signature = (robots=None, objects=None, allow=Vec::new()))]
    fn py_new(
        py: Python<'_>,
        robots: Option<&Bound<'_, PyDict>>,
        objects: Option<&Bound<'_, PyDict>>,
        allow: Vec<[String; 2]>,
    ) -> PyResult<Self> {
        let mut draft = CellDraft { allow, ..CellDraft::default() };
        let mut warnings = Vec::new();
        for (name, given) in robots.iter().flat_map(|robots| robots.iter()) {
            let given: PyRef<'_, PyRobot> = given.extract()?;
            draft.robots.push(robot(&checked(name.extract()?)?, &given));
            warnings.extend(given.warnings.clone());
        }
        for (name, given) in objects.iter().flat_map(|objects| objects.iter()) {
            let name = checked(name.extract()?)?;
            let shape = crate::shape_of(py, &given).map_err(|error| named(py, &name, error))?;
            let shape = shape.get();
            draft.objects.push(object(&name, shape));
            warnings.extend(shape.warnings.clone());
        }
        Self::from_draft(draft, warnings, None)
    }

    /// A cell from `cell.toml`, or a robot that stands alone from a URDF; every fault is told at once.
    #[staticmethod]
    #[pyo3(signature = (path, *, packages=Vec::new()))]
    fn load(py: Python<'_>, path: FilePath, packages: Vec<PathBuf>) -> PyResult<Self> {
        let FilePath(path) = path;
        py.detach(|| {
            if !is_urdf(&path) {
                let loaded =
                    cell::read(&path, &CellOptions { packages }).map_err(|errors| refused(&errors))?;
                let warnings = texts(&loaded.warnings);
                return Ok(Self::new(loaded.cell, path, warnings, None));
            }
            let loaded = urdf::read(&path, &RobotOptions { packages }).map_err(|errors| refused(&errors))?;
            let robot = RobotDraftInCell {
                name: loaded.robot.name().to_owned(),
                robot: loaded.robot,
                world_from_root: Pose::IDENTITY,
                hold: Vec::new(),
                tool: None,
                disabled: Vec::new(),
            };
            let draft = CellDraft { robots: vec![robot], ..CellDraft::default() };
            let made = Self::from_draft(draft, texts(&loaded.warnings), None)?;
            Ok(Self { source: path, ..made })
        })
    }

    /// This cell with something else: robots or objects replaced or added, others left out, things moved (`at`: name to pose), more
    /// pairs that may touch. What has been prepared of meshes is shared.
    #[pyo3(signature = (*, robots=None, objects=None, without=Vec::new(), at=None, allow=Vec::new()))]
    fn vary(
        &self,
        py: Python<'_>,
        robots: Option<&Bound<'_, PyDict>>,
        objects: Option<&Bound<'_, PyDict>>,
        without: Vec<String>,
        at: Option<&Bound<'_, PyDict>>,
        allow: Vec<[String; 2]>,
    ) -> PyResult<Self> {
        let mut draft = self.cell.draft().clone();
        for name in &without {
            let before = draft.robots.len() + draft.objects.len();
            draft.robots.retain(|robot| robot.name != *name);
            draft.objects.retain(|object| object.name != *name);
            if before == draft.robots.len() + draft.objects.len() {
                return Err(self.unknown(name));
            }
            // What is not there needs no leave.
            let is_of = |body: &String| body == name || body.split('/').next() == Some(name.as_str());
            draft.allow.retain(|pair| !pair.iter().any(is_of));
        }
        for (name, given) in robots.iter().flat_map(|robots| robots.iter()) {
            let name = checked(name.extract()?)?;
            let given: PyRef<'_, PyRobot> = given.extract()?;
            let new = robot(&name, &given);
            match draft.robots.iter_mut().find(|robot| robot.name == name) {
                Some(old) => *old = new,
                None => draft.robots.push(new),
            }
        }
        for (name, given) in objects.iter().flat_map(|objects| objects.iter()) {
            let name = checked(name.extract()?)?;
            let shape = crate::shape_of(py, &given).map_err(|error| named(py, &name, error))?;
            let new = object(&name, shape.get());
            match draft.objects.iter_mut().find(|object| object.name == name) {
                Some(old) => *old = new,
                None => draft.objects.push(new),
            }
        }
        for (name, given) in at.iter().flat_map(|at| at.iter()) {
            let name: String = name.extract()?;
            let pose = crate::arrays::pose(&given)?;
            self.place(&mut draft, &name, pose)?;
        }
        draft.allow.extend(allow);
        self.redrafted(draft)
    }

    /// Names of the joints that move, as `robot/joint`: the columns of postures.
    #[getter]
    fn joints(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Limits of joints, (n, 2); infinite where there are none.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows: Vec<Vec<f64>> = self
            .cell
            .coordinates()
            .iter()
            .map(|c| c.limits.map_or(vec![f64::NEG_INFINITY, f64::INFINITY], |l| vec![l.lower, l.upper]))
            .collect();
        if rows.is_empty() {
            return Ok(PyArray2::zeros(py, [0, 2], false));
        }
        PyArray2::from_vec2(py, &rows).map_err(|error| value(error.to_string()))
    }

    /// Names of the bodies: `robot/link`, `robot/tool` and objects.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.cell.bodies().iter().map(|body| body.name.clone()).collect()
    }

    /// Names of the links, as `robot/link`.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.cell.link_names().to_vec()
    }

    /// Pairs that are checked, as `a|b`.
    #[getter]
    fn pairs(&self) -> Vec<String> {
        let name = |bodies: &[kansho::cell::BodyId; 2]| {
            let [a, b] = bodies.map(|body| &self.cell.body(body).name);
            format!("{a}|{b}")
        };
        self.cell.pairs().checked().iter().map(name).collect()
    }

    /// Pairs that are not checked, and why: a dict of `a|b` to words.
    #[getter]
    fn pairs_not_checked<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (bodies, why) in self.cell.pairs().not_checked() {
            let [a, b] = bodies.map(|body| &self.cell.body(body).name);
            dict.set_item(format!("{a}|{b}"), why.to_string())?;
        }
        Ok(dict)
    }

    /// What is odd about its files and shapes.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// What tells it from others, as text.
    pub(crate) fn _print(&self, py: Python<'_>) -> String {
        py.detach(|| kansho::io::fingerprint::of_cell(&self.cell))
    }

    /// Where all links are in a posture: matrices of shape (links, 4, 4), in the order of `links`.
    fn place_links<'py>(
        &self,
        py: Python<'py>,
        posture: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let placed = with_posture(posture, &self.names, |posture| self.cell.place(posture))?;
        let of_link = |link: u32| matrix(&placed.world_from_link(kansho::cell::LinkId(link)));
        let all: Vec<Vec<Vec<f64>>> = (0..self.cell.link_names().len() as u32)
            .map(|link| of_link(link).iter().map(|row| row.to_vec()).collect())
            .collect();
        PyArray3::from_vec3(py, &all).map_err(|error| value(error.to_string()))
    }

    /// Where all bodies are in a posture: matrices of shape (bodies, 4, 4), in the order of `bodies`.
    fn place_bodies<'py>(
        &self,
        py: Python<'py>,
        posture: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let placed = with_posture(posture, &self.names, |posture| self.cell.place(posture))?;
        let all: Vec<Vec<Vec<f64>>> = self
            .cell
            .bodies()
            .iter()
            .map(|body| matrix(&placed.world_from_carrier(body)).iter().map(|row| row.to_vec()).collect())
            .collect();
        PyArray3::from_vec3(py, &all).map_err(|error| value(error.to_string()))
    }

    /// A body as triangles, in its own frame: vertices (n, 3) and corners (m, 3). Round shapes are cut into flat ones that leave them by at most
    /// `deviation` metres; a plane has none.
    #[pyo3(signature = (name, *, deviation=1e-4))]
    fn body_mesh<'py>(&self, py: Python<'py>, name: &str, deviation: f64) -> PyResult<Triangles<'py>> {
        let body = self.cell.bodies().iter().find(|body| body.name == name).ok_or_else(|| {
            let near =
                kansho::cell::nearest_name(name, self.cell.bodies().iter().map(|body| body.name.as_str()));
            value(format!(
                "there is no body \"{name}\"{}",
                near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"))
            ))
        })?;
        if !(deviation > 0.0 && deviation.is_finite()) {
            return Err(value("deviation: a length greater than zero"));
        }
        let (mut points, mut corners) = (Vec::new(), Vec::new());
        for piece in &body.pieces {
            let flat;
            let mesh = match &piece.geometry {
                Geometry::Mesh(mesh) => &**mesh,
                Geometry::Primitive(primitive) => {
                    flat =
                        primitive.tessellated(deviation).ok_or_else(|| value("a plane has no triangles"))?;
                    &flat
                }
            };
            let first = (points.len() / 3) as u32;
            points.extend(mesh.vertices().iter().flat_map(|&p| (piece.carrier_from_piece * p).to_array()));
            corners.extend(mesh.triangles().iter().flatten().map(|k| first + k));
        }
        let [rows, triangles] = [points.len() / 3, corners.len() / 3];
        Ok((
            PyArray1::from_vec(py, points).reshape([rows, 3])?,
            PyArray1::from_vec(py, corners).reshape([triangles, 3])?,
        ))
    }

    /// The posture in which all joints are zero, or as near to it as their limits allow.
    fn zero<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.cell.zero_posture())
    }

    /// Prepares it for questions now rather than at the first one.
    fn prepare(&self, py: Python<'_>) {
        py.detach(|| {
            self.modelled();
        });
    }

    /// Writes it into a folder: `cell.toml` and all that it names.
    fn save(&self, py: Python<'_>, folder: FilePath) -> PyResult<()> {
        let FilePath(folder) = folder;
        py.detach(|| cell::write(&folder, &self.cell)).map_err(|error| crate::errors::not_written(&error))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::state::of_draft(py, self.cell.draft())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyDict>,)> {
        let py = slf.py();
        let make = py.import("kansho._kansho")?.getattr("_cell_of_state")?;
        Ok((make, (slf.get().__getstate__(py)?,)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<kansho.Cell of {} robots, {} bodies, {} joints, {} pairs>",
            self.cell.robots().len(),
            self.cell.bodies().len(),
            self.names.len(),
            self.cell.pairs().checked().len()
        )
    }
}

impl PyCell {
    fn unknown(&self, name: &str) -> PyErr {
        let names = self.cell.draft().robots.iter().map(|robot| robot.name.as_str());
        let names = names.chain(self.cell.draft().objects.iter().map(|object| object.name.as_str()));
        let near = kansho::cell::nearest_name(name, names)
            .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        value(format!("no robot and no object is named \"{name}\"{near}"))
    }

    /// Puts a robot or an object elsewhere.
    fn place(&self, draft: &mut CellDraft, name: &str, pose: Pose) -> PyResult<()> {
        if let Some(robot) = draft.robots.iter_mut().find(|robot| robot.name == name) {
            robot.world_from_root = pose;
            return Ok(());
        }
        let Some(object) = draft.objects.iter_mut().find(|object| object.name == name) else {
            return Err(self.unknown(name));
        };
        // The frame of an object is that of its first shape: what a cell file says with `at`.
        let Some(first) = object.pieces.first().map(|piece| piece.carrier_from_piece) else { return Ok(()) };
        for piece in &mut object.pieces {
            piece.carrier_from_piece = if piece.carrier_from_piece == first {
                pose
            } else {
                pose * (first.inverse() * piece.carrier_from_piece)
            };
        }
        Ok(())
    }
}

/// A cell from what was pickled.
#[pyfunction]
#[pyo3(name = "_cell_of_state")]
pub(crate) fn of_state(state: &Bound<'_, PyDict>) -> PyResult<PyCell> {
    PyCell::from_draft(crate::state::draft(state)?, Vec::new(), None)
}

/// Rooms of a file of problems: dicts with `category`, `index`, `start`, `goal`, `joints` and, for the given robot, `cell`.
#[pyfunction]
#[pyo3(signature = (path, robot))]
pub(crate) fn load_problems<'py>(
    py: Python<'py>,
    path: FilePath,
    robot: PyRef<'_, PyRobot>,
) -> PyResult<Bound<'py, PyList>> {
    let FilePath(path) = path;
    let problems = problems::read(&path).map_err(|error| refused(&[error]))?;
    let list = PyList::empty(py);
    for problem in &problems.list {
        let mut draft = problem.draft(&robot.draft.robot, &robot.draft.disabled);
        for in_cell in &mut draft.robots {
            in_cell.world_from_root = robot.draft.world_from_root;
            in_cell.tool.clone_from(&robot.draft.tool);
        }
        let dict = PyDict::new(py);
        dict.set_item("category", &problem.category)?;
        dict.set_item("index", problem.index)?;
        dict.set_item("joints", &problem.joints)?;
        dict.set_item("start", PyArray1::from_slice(py, &problem.start))?;
        dict.set_item("goal", PyArray1::from_slice(py, &problem.goal))?;
        dict.set_item("cell", PyCell::from_draft(draft, Vec::new(), None)?)?;
        list.append(dict)?;
    }
    Ok(list)
}

/// An error about an object, with its name.
fn named(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let text = format!("object \"{name}\": {}", error.value(py));
    let class = error.get_type(py);
    class.call1((text,)).map_or(error, PyErr::from_value)
}

fn is_urdf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        extension.eq_ignore_ascii_case("urdf") || extension.eq_ignore_ascii_case("xacro")
    })
}
