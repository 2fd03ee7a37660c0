//! What is in a file, and what is odd about it.

use crate::errors::{refused, value};
use crate::path::FilePath;
use crate::plain::plain;
use kansho::ask::info::{InfoOptions, info};
use kansho::io::units::Unit;
use pyo3::prelude::*;
use std::path::PathBuf;

/// What is in a file, with the keys of `kansho info --json`: a mesh, robot, SRDF, cell, table, robot program, toolpath or trajectory.
///
/// `units` is that of meshes, tables and toolpaths that say none ("mm"); `urdf` the robot that an SRDF is about.
///
/// >>> import kansho, tempfile
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     job = kansho.demo_files(folder)
/// ...     facts = kansho.info(job.parent / "cell.toml")
/// >>> facts["kind"], facts["robots"], facts["objects"]
/// ('cell', 1, 3)
#[pyfunction]
#[pyo3(name = "info", signature = (path, *, units=None, urdf=None, packages=Vec::new()))]
pub(crate) fn of_file(
    py: Python<'_>,
    path: FilePath,
    units: Option<&str>,
    urdf: Option<PathBuf>,
    packages: Vec<PathBuf>,
) -> PyResult<Py<PyAny>> {
    let FilePath(path) = path;
    let metres_per_unit = units.map(|name| match Unit::named(name) {
        Some(Unit::Metres(metres)) => Ok(metres),
        _ => Err(value(format!("units: \"{name}\" is no unit of length; m, cm, mm, um, in and ft are"))),
    });
    let metres_per_unit = metres_per_unit.transpose()?;
    let mut options = InfoOptions { urdf, packages, metres_per_unit, ..InfoOptions::default() };
    options.mesh.metres_per_unit = metres_per_unit;
    let found = py.detach(|| info(&path, &options));
    if !found.errors.is_empty() {
        return Err(refused(&found.errors));
    }
    plain(py, &found.info)
}
