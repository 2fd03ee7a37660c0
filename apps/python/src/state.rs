//! A cell as plain Python data and back, bit by bit: for pickle, and so for other processes and machines.

use crate::errors::value;
use kansho::cell::{
    BodyPiece, CellDraft, DisabledPair, Geometry, JointDraft, JointKind, Limits, Link, MimicDraft,
    ObjectDraft, Robot, RobotDraft, RobotDraftInCell, ToolDraft,
};
use kansho::geom::glam::{DMat3, DVec3};
use kansho::geom::primitive::{Primitive, Shape};
use kansho::geom::{Mesh, Pose, mesh};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::HashMap;
use std::sync::Arc;

/// What `__reduce__` gives: what makes it again, and of what.
pub(crate) type Reduced<'py, T> = PyResult<(Bound<'py, PyAny>, T)>;

/// A draft as lists, dicts and arrays. A mesh that stands several times is one array.
pub(crate) fn of_draft<'py>(py: Python<'py>, draft: &CellDraft) -> PyResult<Bound<'py, PyDict>> {
    let mut meshes = Meshes { py, list: PyList::empty(py), known: HashMap::new() };
    let robots = PyList::empty(py);
    for robot in &draft.robots {
        robots.append(of_robot(py, robot, &mut meshes)?)?;
    }
    let objects = PyList::empty(py);
    for object in &draft.objects {
        objects.append((&object.name, &object.on, meshes.pieces(&object.pieces)?))?;
    }
    let state = PyDict::new(py);
    state.set_item("version", VERSION)?;
    state.set_item("robots", robots)?;
    state.set_item("objects", objects)?;
    state.set_item("allow", draft.allow.iter().map(|[a, b]| (a.clone(), b.clone())).collect::<Vec<_>>())?;
    state.set_item("meshes", meshes.list)?;
    Ok(state)
}

const VERSION: u32 = 1;

struct Meshes<'py> {
    py: Python<'py>,
    list: Bound<'py, PyList>,
    known: HashMap<*const Mesh, usize>,
}

type PieceState = (String, Vec<f64>, Vec<f64>);

impl Meshes<'_> {
    fn pieces(&mut self, pieces: &[BodyPiece]) -> PyResult<Vec<PieceState>> {
        pieces.iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&mut self, piece: &BodyPiece) -> PyResult<PieceState> {
        let (kind, numbers) = match &piece.geometry {
            Geometry::Mesh(mesh) => ("mesh", vec![self.mesh(mesh)? as f64]),
            Geometry::Primitive(primitive) => match primitive.shape() {
                Shape::Box { size } => ("box", size.to_array().to_vec()),
                Shape::Sphere { radius } => ("sphere", vec![radius]),
                Shape::Cylinder { radius, height } => ("cylinder", vec![radius, height]),
                Shape::Capsule { radius, height } => ("capsule", vec![radius, height]),
                Shape::Cone { radius, height } => ("cone", vec![radius, height]),
                Shape::HalfSpace { normal, offset } => ("plane", vec![normal.x, normal.y, normal.z, offset]),
            },
        };
        Ok((kind.to_owned(), numbers, piece.carrier_from_piece.to_rows().to_vec()))
    }

    fn mesh(&mut self, mesh: &Arc<Mesh>) -> PyResult<usize> {
        if let Some(number) = self.known.get(&Arc::as_ptr(mesh)) {
            return Ok(*number);
        }
        let points = mesh.vertices().iter().flat_map(|p| p.to_array());
        let corners = mesh.triangles().iter().flatten().copied();
        let number = self.list.len();
        self.list.append((PyArray1::from_iter(self.py, points), PyArray1::from_iter(self.py, corners)))?;
        self.known.insert(Arc::as_ptr(mesh), number);
        Ok(number)
    }
}

fn of_robot<'py>(
    py: Python<'py>,
    in_cell: &RobotDraftInCell,
    meshes: &mut Meshes<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let robot = &in_cell.robot;
    let state = PyDict::new(py);
    state.set_item("name", &in_cell.name)?;
    state.set_item("model", robot.name())?;
    state.set_item("at", in_cell.world_from_root.to_rows().to_vec())?;
    state.set_item("hold", &in_cell.hold)?;
    let disabled: Vec<(String, String, String)> = in_cell
        .disabled
        .iter()
        .map(|pair| (pair.links[0].clone(), pair.links[1].clone(), pair.reason.clone()))
        .collect();
    state.set_item("disabled", disabled)?;
    if let Some(tool) = &in_cell.tool {
        let pieces = meshes.pieces(&tool.pieces)?;
        state.set_item("tool", (&tool.on, pieces, tool.link_from_tcp.to_rows().to_vec()))?;
    }
    let links = PyList::empty(py);
    for link in robot.links() {
        links.append((&link.name, meshes.pieces(&link.pieces)?))?;
    }
    state.set_item("links", links)?;
    let joints = PyList::empty(py);
    let link_name = |link: kansho::cell::LinkId| robot.links()[link.0 as usize].name.clone();
    for joint in robot.joints() {
        let (kind, axis) = match joint.kind {
            JointKind::Fixed => ("fixed", DVec3::ZERO),
            JointKind::Revolute { axis } => ("revolute", axis),
            JointKind::Continuous { axis } => ("continuous", axis),
            JointKind::Prismatic { axis } => ("prismatic", axis),
            JointKind::Planar { normal } => ("planar", normal),
            JointKind::Floating => ("floating", DVec3::ZERO),
        };
        let mimic = joint.mimic.map(|mimic| {
            (robot.joints()[mimic.joint.0 as usize].name.clone(), mimic.multiplier, mimic.offset)
        });
        joints.append((
            (&joint.name, kind, axis.to_array().to_vec()),
            (link_name(joint.parent), link_name(joint.child)),
            joint.parent_from_joint.to_rows().to_vec(),
            joint.limits.map(|limits| (limits.lower, limits.upper)),
            joint.max_speed,
            mimic,
        ))?;
    }
    state.set_item("joints", joints)?;
    Ok(state)
}

/// The draft that was put into plain data.
pub(crate) fn draft(state: &Bound<'_, PyDict>) -> PyResult<CellDraft> {
    let version: u32 = item(state, "version")?.extract()?;
    if version != VERSION {
        return Err(value(format!(
            "this cell was pickled by another version of kansho ({version}, not {VERSION})"
        )));
    }
    let mut meshes = Vec::new();
    for mesh in item(state, "meshes")?.try_iter()? {
        meshes.push(Arc::new(mesh_of(&mesh?)?));
    }
    let mut draft = CellDraft::default();
    for robot in item(state, "robots")?.try_iter()? {
        draft.robots.push(robot_of(robot?.cast::<PyDict>()?, &meshes)?);
    }
    for object in item(state, "objects")?.try_iter()? {
        let (name, on, pieces): (String, Option<String>, Vec<PieceState>) = object?.extract()?;
        draft.objects.push(ObjectDraft { name, pieces: pieces_of(&pieces, &meshes)?, on });
    }
    let allow: Vec<(String, String)> = item(state, "allow")?.extract()?;
    draft.allow = allow.into_iter().map(|(a, b)| [a, b]).collect();
    Ok(draft)
}

fn item<'py>(state: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    state.get_item(name)?.ok_or_else(|| value(format!("a pickled cell has \"{name}\"")))
}

/// The same mesh, which is as welded as it was.
fn mesh_of(state: &Bound<'_, PyAny>) -> PyResult<Mesh> {
    let (points, corners): (PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, u32>) = state.extract()?;
    let bad = || value("a pickled mesh is not whole");
    let points: Vec<DVec3> =
        points.as_slice().map_err(|_| bad())?.chunks_exact(3).map(DVec3::from_slice).collect();
    let corners = corners.as_slice().map_err(|_| bad())?;
    let triangles: Vec<[u32; 3]> = corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    let mesh = mesh::weld(&points, &triangles, 0.0).map_err(|fault| value(fault.to_string()))?.mesh;
    if mesh.vertices() == points.as_slice() && mesh.triangles() == triangles.as_slice() {
        Ok(mesh)
    } else {
        Err(bad())
    }
}

fn pieces_of(states: &[PieceState], meshes: &[Arc<Mesh>]) -> PyResult<Vec<BodyPiece>> {
    let piece = |(kind, numbers, rows): &PieceState| {
        let shape = match (kind.as_str(), numbers.as_slice()) {
            ("mesh", &[number]) => {
                let mesh = meshes.get(number as usize).ok_or_else(|| value("a pickled mesh is missing"))?;
                return Ok(BodyPiece {
                    geometry: Geometry::Mesh(Arc::clone(mesh)),
                    carrier_from_piece: pose(rows)?,
                });
            }
            ("box", &[x, y, z]) => Shape::Box { size: DVec3::new(x, y, z) },
            ("sphere", &[radius]) => Shape::Sphere { radius },
            ("cylinder", &[radius, height]) => Shape::Cylinder { radius, height },
            ("capsule", &[radius, height]) => Shape::Capsule { radius, height },
            ("cone", &[radius, height]) => Shape::Cone { radius, height },
            ("plane", &[x, y, z, offset]) => Shape::HalfSpace { normal: DVec3::new(x, y, z), offset },
            _ => return Err(value(format!("a pickled shape \"{kind}\" is not known"))),
        };
        let primitive = Primitive::new(shape).map_err(|fault| value(fault.to_string()))?;
        Ok(BodyPiece { geometry: Geometry::Primitive(primitive), carrier_from_piece: pose(rows)? })
    };
    states.iter().map(piece).collect()
}

/// The same pose to the last bit, which was a rotation when it was pickled.
fn pose(rows: &[f64]) -> PyResult<Pose> {
    let rows: &[f64; 12] = rows.try_into().map_err(|_| value("a pickled pose has 12 numbers"))?;
    // Whether it is one is asked, and what rounding would change is left.
    let checked = Pose::from_rows(rows).map_err(|fault| value(fault.to_string()))?;
    let rotation = DMat3::from_cols_array(rows[..9].try_into().expect("nine of twelve")).transpose();
    Ok(Pose::of_rotation(rotation, checked.translation()))
}

type JointState = (
    (String, String, [f64; 3]),
    (String, String),
    Vec<f64>,
    Option<(f64, f64)>,
    Option<f64>,
    Option<(String, f64, f64)>,
);

fn robot_of(state: &Bound<'_, PyDict>, meshes: &[Arc<Mesh>]) -> PyResult<RobotDraftInCell> {
    let links: Vec<(String, Vec<PieceState>)> = item(state, "links")?.extract()?;
    let link =
        |(name, pieces): (String, Vec<PieceState>)| Ok(Link { name, pieces: pieces_of(&pieces, meshes)? });
    let joints: Vec<JointState> = item(state, "joints")?.extract()?;
    let joint = |((name, kind, axis), (parent, child), rows, limits, max_speed, mimic): JointState| {
        let axis = DVec3::from_array(axis);
        let kind = match kind.as_str() {
            "fixed" => JointKind::Fixed,
            "revolute" => JointKind::Revolute { axis },
            "continuous" => JointKind::Continuous { axis },
            "prismatic" => JointKind::Prismatic { axis },
            "planar" => JointKind::Planar { normal: axis },
            "floating" => JointKind::Floating,
            other => return Err(value(format!("a pickled joint \"{other}\" is not known"))),
        };
        Ok(JointDraft {
            name,
            kind,
            parent,
            child,
            parent_from_joint: pose(&rows)?,
            limits: limits.map(|(lower, upper)| Limits { lower, upper }),
            max_speed,
            mimic: mimic.map(|(joint, multiplier, offset)| MimicDraft { joint, multiplier, offset }),
        })
    };
    let draft = RobotDraft {
        name: item(state, "model")?.extract()?,
        links: links.into_iter().map(link).collect::<PyResult<_>>()?,
        joints: joints.into_iter().map(joint).collect::<PyResult<_>>()?,
    };
    let robot = Robot::new(draft)
        .map_err(|faults| value(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))?;
    let tool = match state.get_item("tool")? {
        Some(tool) => {
            let (on, pieces, rows): (String, Vec<PieceState>, Vec<f64>) = tool.extract()?;
            Some(ToolDraft { on, pieces: pieces_of(&pieces, meshes)?, link_from_tcp: pose(&rows)? })
        }
        None => None,
    };
    let disabled: Vec<(String, String, String)> = item(state, "disabled")?.extract()?;
    Ok(RobotDraftInCell {
        name: item(state, "name")?.extract()?,
        robot,
        world_from_root: pose(&item(state, "at")?.extract::<Vec<f64>>()?)?,
        hold: item(state, "hold")?.extract()?,
        tool,
        disabled: disabled.into_iter().map(|(a, b, reason)| DisabledPair { links: [a, b], reason }).collect(),
    })
}
