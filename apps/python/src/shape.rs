//! Shapes and robots, before they are in a cell.

use crate::arrays::{Table, pose};
use crate::errors::{refused, texts, value};
use crate::path::FilePath;
use crate::state::Reduced;
use kansho::cell::{
    BodyPiece, CellDraft, DisabledPair, Geometry, ObjectDraft, Robot, RobotDraftInCell, ToolDraft,
};
use kansho::check::spheres as links;
use kansho::geom::glam::DVec3;
use kansho::geom::primitive::{Primitive, Shape as Sizes};
use kansho::geom::spheres::Goal;
use kansho::geom::{Ball, Pose};
use kansho::io::mesh::{self, MeshOptions};
use kansho::io::urdf::{self, RobotOptions};
use kansho::io::{Fault, ReadError, Warning, srdf};
use numpy::{PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a body is made of, and where: one shape or several.
///
/// >>> import kansho
/// >>> table = kansho.Shape.box(1.2, 0.8, 0.04).at([0, 0, -0.02])
/// >>> table.pieces
/// 1
#[pyclass(frozen, module = "kansho")]
#[derive(Clone)]
pub(crate) struct Shape {
    pub(crate) pieces: Vec<BodyPiece>,
    /// The link that carries it, as `robot/link`.
    pub(crate) on: Option<String>,
    pub(crate) warnings: Vec<String>,
}

impl Shape {
    pub(crate) fn of_pieces(pieces: Vec<BodyPiece>) -> Self {
        Self { pieces, on: None, warnings: Vec::new() }
    }

    fn of_sizes(sizes: Sizes) -> PyResult<Self> {
        let primitive = Primitive::new(sizes).map_err(|fault| value(fault.to_string()))?;
        Ok(Self::of_geometry(Geometry::Primitive(primitive)))
    }

    fn of_geometry(geometry: Geometry) -> Self {
        Self::of_pieces(vec![BodyPiece { geometry, carrier_from_piece: Pose::IDENTITY }])
    }
}

#[pymethods]
impl Shape {
    /// A block with these lengths of edges in metres, around the origin.
    #[staticmethod]
    #[pyo3(name = "box")]
    fn block(x: f64, y: f64, z: f64) -> PyResult<Self> {
        Self::of_sizes(Sizes::Box { size: DVec3::new(x, y, z) })
    }

    /// A ball around the origin.
    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<Self> {
        Self::of_sizes(Sizes::Sphere { radius })
    }

    /// A cylinder along z, around the origin.
    #[staticmethod]
    fn cylinder(radius: f64, height: f64) -> PyResult<Self> {
        Self::of_sizes(Sizes::Cylinder { radius, height })
    }

    /// All points within the radius of a segment along z; height is the distance of its ends.
    #[staticmethod]
    fn capsule(radius: f64, height: f64) -> PyResult<Self> {
        Self::of_sizes(Sizes::Capsule { radius, height })
    }

    /// A cone along z, its base at -height/2 and its tip at height/2.
    #[staticmethod]
    fn cone(radius: f64, height: f64) -> PyResult<Self> {
        Self::of_sizes(Sizes::Cone { radius, height })
    }

    /// All below a plane: solid where normal . x < offset. Only what stands still can be one.
    #[staticmethod]
    fn plane(normal: [f64; 3], offset: f64) -> PyResult<Self> {
        Self::of_sizes(Sizes::HalfSpace { normal: DVec3::from_array(normal), offset })
    }

    /// Many blocks: rows of centre and lengths of edges (x, y, z, dx, dy, dz), along the axes.
    #[staticmethod]
    fn boxes(rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        let table = Table::of(rows, "boxes", &["x", "y", "z", "dx", "dy", "dz"].map(String::from))?;
        let piece = |(row, numbers): (usize, &[f64])| {
            let sizes = Sizes::Box { size: DVec3::from_slice(&numbers[3..]) };
            let primitive =
                Primitive::new(sizes).map_err(|fault| value(format!("boxes: row {row}: {fault}")))?;
            Ok(BodyPiece {
                geometry: Geometry::Primitive(primitive),
                carrier_from_piece: Pose::from_translation(DVec3::from_slice(&numbers[..3])),
            })
        };
        let pieces: PyResult<Vec<BodyPiece>> =
            table.values().chunks_exact(6).enumerate().map(piece).collect();
        match pieces? {
            pieces if pieces.is_empty() => Err(value("boxes: there is none")),
            pieces => Ok(Self::of_pieces(pieces)),
        }
    }

    /// Triangles: vertices of shape (n, 3) in metres, and for each triangle the numbers of its corners, of shape (m, 3).
    ///
    /// What is odd about them is in `warnings`: open edges, triangles without area and the like.
    #[staticmethod]
    fn mesh(vertices: &Bound<'_, PyAny>, triangles: &Bound<'_, PyAny>) -> PyResult<Self> {
        let points = Table::of(vertices, "vertices", &["x", "y", "z"].map(String::from))?;
        let corners = triangle_numbers(triangles)?;
        let points: Vec<DVec3> = points.values().chunks_exact(3).map(DVec3::from_slice).collect();
        let path = Path::new("mesh");
        let (mesh, _, odd) = triangles
            .py()
            .detach(|| mesh::of_triangles(points, corners))
            .map_err(|faults| refused(&[ReadError { path: path.to_owned(), faults }]))?;
        let warning = |fault| Warning { path: path.to_owned(), fault };
        let warnings: Vec<Warning> = odd.into_iter().map(warning).collect();
        Ok(Self { warnings: texts(&warnings), ..Self::of_geometry(Geometry::Mesh(Arc::new(mesh))) })
    }

    /// A mesh from a file (STL, OBJ, PLY, OFF, glTF, COLLADA). `scale` is metres in one unit of the file, 0.001 for millimetres.
    #[staticmethod]
    #[pyo3(signature = (path, scale=None))]
    fn load(py: Python<'_>, path: FilePath, scale: Option<f64>) -> PyResult<Self> {
        let FilePath(path) = path;
        if scale.is_some_and(|scale| !(scale > 0.0 && scale.is_finite())) {
            return Err(value("scale: metres in one unit of the file, a number greater than zero"));
        }
        let options = MeshOptions { metres_per_unit: scale, ..MeshOptions::default() };
        let loaded = py.detach(|| mesh::read(&path, &options)).map_err(|error| refused(&[error]))?;
        let warning = |fault| Warning { path: path.clone(), fault };
        let warnings: Vec<Warning> = loaded.warnings.into_iter().map(warning).collect();
        Ok(Self { warnings: texts(&warnings), ..Self::of_geometry(Geometry::Mesh(Arc::new(loaded.mesh))) })
    }

    /// Several shapes as one body.
    #[staticmethod]
    fn union(shapes: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        if shapes.is_empty() {
            return Err(value("union: there is no shape"));
        }
        Ok(Self {
            pieces: shapes.iter().flat_map(|shape| shape.pieces.clone()).collect(),
            on: None,
            warnings: shapes.iter().flat_map(|shape| shape.warnings.clone()).collect(),
        })
    }

    /// The same shape elsewhere: moved from where it is by a pose.
    fn at(&self, pose: &Bound<'_, PyAny>) -> PyResult<Self> {
        let moved = crate::arrays::pose(pose)?;
        let place = |piece: &BodyPiece| BodyPiece {
            geometry: piece.geometry.clone(),
            carrier_from_piece: moved * piece.carrier_from_piece,
        };
        Ok(Self { pieces: self.pieces.iter().map(place).collect(), ..self.clone() })
    }

    /// The same shape, carried by a link (`robot/link`); where it is, is then relative to that.
    fn on(&self, link: String) -> Self {
        Self { on: Some(link), ..self.clone() }
    }

    /// Spheres that cover the surface: centres (n, 3) and radii (n,), none larger than `radius`, or at most `count` of them.
    ///
    /// >>> import kansho
    /// >>> centres, radii = kansho.Shape.box(0.1, 0.1, 0.1).spheres(count=8)
    /// >>> len(radii) <= 8
    /// True
    #[pyo3(signature = (*, radius=None, count=None))]
    fn spheres<'py>(
        &self,
        py: Python<'py>,
        radius: Option<f64>,
        count: Option<usize>,
    ) -> PyResult<Covered<'py>> {
        let goal = goal(radius, count)?;
        let balls = py.detach(|| links::pieces(&self.pieces, goal));
        covered(py, &balls.map_err(|fault| value(fault.to_string()))?)
    }

    /// How many shapes it is made of.
    #[getter]
    fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Its triangles; primitives have none.
    #[getter]
    fn triangles(&self) -> usize {
        self.pieces.iter().map(|piece| piece.geometry.triangles()).sum()
    }

    /// What is odd about it.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Bound<'py, PyDict>, Vec<String>)> {
        let object = ObjectDraft { name: "shape".into(), pieces: self.pieces.clone(), on: self.on.clone() };
        let state = crate::state::of_draft(py, &CellDraft { objects: vec![object], ..CellDraft::default() })?;
        let make = py.import("kansho._kansho")?.getattr("_shape_of_state")?;
        Ok((make, (state, self.warnings.clone())))
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Shape of {} pieces, {} triangles>", self.pieces.len(), self.triangles())
    }
}

/// Corners of triangles.
fn triangle_numbers(given: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "i" | "u") {
        return Err(PyTypeError::new_err(format!(
            "triangles: whole numbers are wanted, not dtype {}",
            array.getattr("dtype")?
        )));
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
    let array: PyReadonlyArray2<'_, i64> =
        array.extract().map_err(|_| value("triangles: shape (m, 3) is wanted"))?;
    if array.shape()[1] != 3 {
        return Err(value(format!("triangles: shape (m, 3) is wanted; this has shape {:?}", array.shape())));
    }
    let corner = |row: usize, k: i64| {
        u32::try_from(k)
            .map_err(|_| value(format!("triangles: row {row} names vertex {k}, which there is not")))
    };
    let numbers = array.as_slice().map_err(|_| value("triangles: shape (m, 3) is wanted"))?;
    let rows = numbers.chunks_exact(3).enumerate();
    rows.map(|(row, t)| Ok([corner(row, t[0])?, corner(row, t[1])?, corner(row, t[2])?])).collect()
}

/// Centres and radii.
type Covered<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, numpy::PyArray1<f64>>);

fn goal(radius: Option<f64>, count: Option<usize>) -> PyResult<Goal> {
    match (radius, count) {
        (Some(radius), None) => Ok(Goal::Radius(radius)),
        (None, Some(count)) => Ok(Goal::Count(count)),
        _ => Err(value("one of radius and count is wanted")),
    }
}

fn covered<'py>(py: Python<'py>, balls: &[Ball]) -> PyResult<Covered<'py>> {
    let centres: Vec<Vec<f64>> = balls.iter().map(|ball| ball.centre().to_array().to_vec()).collect();
    let centres = if centres.is_empty() {
        PyArray2::zeros(py, [0, 3], false)
    } else {
        PyArray2::from_vec2(py, &centres).map_err(|error| value(error.to_string()))?
    };
    Ok((centres, numpy::PyArray1::from_iter(py, balls.iter().map(Ball::radius))))
}

/// A robot from a URDF, with its place, held joints and tool.
#[pyclass(frozen, module = "kansho", name = "Robot")]
#[derive(Clone)]
pub(crate) struct PyRobot {
    pub(crate) draft: RobotDraftInCell,
    pub(crate) warnings: Vec<String>,
}

impl PyRobot {
    fn of(robot: Robot, disabled: Vec<DisabledPair>, warnings: &[Warning]) -> Self {
        let draft = RobotDraftInCell {
            name: robot.name().to_owned(),
            robot,
            world_from_root: Pose::IDENTITY,
            hold: Vec::new(),
            tool: None,
            disabled,
        };
        Self { draft, warnings: texts(warnings) }
    }

    fn changed(&self, change: impl FnOnce(&mut RobotDraftInCell)) -> Self {
        let mut changed = self.clone();
        change(&mut changed.draft);
        changed
    }
}

#[pymethods]
impl PyRobot {
    /// A robot from a URDF file and, where there is one, an SRDF, which says which links are not checked against each other.
    #[staticmethod]
    #[pyo3(signature = (urdf, srdf=None, *, packages=Vec::new()))]
    fn load(
        py: Python<'_>,
        urdf: FilePath,
        srdf: Option<FilePath>,
        packages: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let FilePath(urdf) = urdf;
        py.detach(|| {
            let mut loaded =
                urdf::read(&urdf, &RobotOptions { packages }).map_err(|errors| refused(&errors))?;
            let mut disabled = Vec::new();
            if let Some(FilePath(path)) = srdf {
                let found = srdf::read(&path, &loaded.robot).map_err(|error| refused(&[error]))?;
                disabled = found.disabled;
                let warning = |fault: Fault| Warning { path: path.clone(), fault };
                loaded.warnings.extend(found.warnings.into_iter().map(warning));
            }
            Ok(Self::of(loaded.robot, disabled, &loaded.warnings))
        })
    }

    /// A robot from the text of a URDF. Meshes are looked for as if that stood in the folder `base`.
    ///
    /// >>> import kansho
    /// >>> robot = kansho.Robot.from_text('<robot name="r"><link name="a"/></robot>')
    /// >>> robot.name, robot.links
    /// ('r', ['a'])
    #[staticmethod]
    #[pyo3(signature = (urdf, srdf=None, *, base=PathBuf::from("."), packages=Vec::new()))]
    fn from_text(
        py: Python<'_>,
        urdf: &Bound<'_, PyAny>,
        srdf: Option<&Bound<'_, PyAny>>,
        base: PathBuf,
        packages: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let (urdf, srdf) = (text(urdf, "urdf")?, srdf.map(|srdf| text(srdf, "srdf")).transpose()?);
        py.detach(|| {
            let path = base.join("robot.urdf");
            let mut loaded = urdf::parse(urdf.as_bytes(), &path, &RobotOptions { packages })
                .map_err(|errors| refused(&errors))?;
            let mut disabled = Vec::new();
            if let Some(text) = srdf {
                let path = base.join("robot.srdf");
                let found =
                    srdf::parse(text.as_bytes(), &path, &loaded.robot).map_err(|error| refused(&[error]))?;
                disabled = found.disabled;
                let warning = |fault: Fault| Warning { path: path.clone(), fault };
                loaded.warnings.extend(found.warnings.into_iter().map(warning));
            }
            Ok(Self::of(loaded.robot, disabled, &loaded.warnings))
        })
    }

    /// The same robot with its root elsewhere in the world.
    fn at(&self, pose: &Bound<'_, PyAny>) -> PyResult<Self> {
        let world_from_root = crate::arrays::pose(pose)?;
        Ok(self.changed(|draft| draft.world_from_root = world_from_root))
    }

    /// The same robot with some joints held at values.
    fn holding(&self, joints: std::collections::BTreeMap<String, f64>) -> Self {
        self.changed(|draft| draft.hold = joints.into_iter().collect())
    }

    /// The same robot with a tool on a link: its shape and the point that works (`tcp`), both in the frame of that link.
    #[pyo3(signature = (on, shape=None, tcp=None))]
    fn with_tool(
        &self,
        on: String,
        shape: Option<PyRef<'_, Shape>>,
        tcp: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let link_from_tcp = tcp.map(pose).transpose()?.unwrap_or(Pose::IDENTITY);
        let pieces = shape.map_or(Vec::new(), |shape| shape.pieces.clone());
        Ok(self.changed(|draft| draft.tool = Some(ToolDraft { on, pieces, link_from_tcp })))
    }

    /// Spheres that cover each link: a dict of name to centres (n, 3) and radii (n,) in the frame of the link.
    #[pyo3(signature = (*, radius=None, count=None))]
    fn spheres<'py>(
        &self,
        py: Python<'py>,
        radius: Option<f64>,
        count: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let goal = goal(radius, count)?;
        let found = py.detach(|| links::robot(&self.draft.robot, goal));
        let found = found.map_err(|(link, fault)| value(format!("link \"{link}\": {fault}")))?;
        let dict = PyDict::new(py);
        for (link, balls) in
            self.draft.robot.links().iter().zip(&found).filter(|(_, balls)| !balls.is_empty())
        {
            dict.set_item(&link.name, covered(py, balls)?)?;
        }
        Ok(dict)
    }

    /// Its name in the URDF.
    #[getter]
    fn name(&self) -> &str {
        self.draft.robot.name()
    }

    /// Names of its links.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.draft.robot.links().iter().map(|link| link.name.clone()).collect()
    }

    /// What is odd about its files.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Bound<'py, PyDict>, Vec<String>)> {
        let state = crate::state::of_draft(
            py,
            &CellDraft { robots: vec![self.draft.clone()], ..CellDraft::default() },
        )?;
        let make = py.import("kansho._kansho")?.getattr("_robot_of_state")?;
        Ok((make, (state, self.warnings.clone())))
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Robot \"{}\" of {} links>", self.name(), self.draft.robot.links().len())
    }
}

/// A shape from what was pickled.
#[pyfunction]
#[pyo3(name = "_shape_of_state")]
pub(crate) fn shape_of_state(state: &Bound<'_, PyDict>, warnings: Vec<String>) -> PyResult<Shape> {
    let object =
        crate::state::draft(state)?.objects.pop().ok_or_else(|| value("a pickled shape is not whole"))?;
    Ok(Shape { pieces: object.pieces, on: object.on, warnings })
}

/// A robot from what was pickled.
#[pyfunction]
#[pyo3(name = "_robot_of_state")]
pub(crate) fn robot_of_state(state: &Bound<'_, PyDict>, warnings: Vec<String>) -> PyResult<PyRobot> {
    let draft =
        crate::state::draft(state)?.robots.pop().ok_or_else(|| value("a pickled robot is not whole"))?;
    Ok(PyRobot { draft, warnings })
}

/// A text; a file that was opened is none.
fn text(given: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    crate::path::opened(given)?;
    given.extract().map_err(|_| PyTypeError::new_err(format!("{name}: the text itself is wanted")))
}

/// A URDF with spheres for its collision shapes, as text: none larger than `radius`, or at most `count` for each link. All else stays as
/// it is.
#[pyfunction]
#[pyo3(signature = (urdf, *, radius=None, count=None, packages=Vec::new()))]
pub(crate) fn spherized_urdf(
    py: Python<'_>,
    urdf: FilePath,
    radius: Option<f64>,
    count: Option<usize>,
    packages: Vec<PathBuf>,
) -> PyResult<String> {
    let FilePath(urdf) = urdf;
    let goal = goal(radius, count)?;
    py.detach(|| {
        let loaded = urdf::read(&urdf, &RobotOptions { packages }).map_err(|errors| refused(&errors))?;
        let balls = links::robot(&loaded.robot, goal)
            .map_err(|(link, fault)| value(format!("link \"{link}\": {fault}")))?;
        urdf::with_spheres(&urdf, &balls).map_err(|error| refused(&[error]))
    })
}
