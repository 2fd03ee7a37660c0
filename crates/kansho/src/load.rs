//! Robots and cells, as every question takes them.

use kansho_cell::{Cell, CellDraft, CellFault, RobotDraftInCell};
use kansho_check::moving_bodies::Body;
use kansho_geom::{Mesh, Pose, Solid};
use kansho_io::cell::{self, CellOptions};
use kansho_io::mesh::{self, MeshOptions};
use kansho_io::urdf::{self, RobotOptions};
use kansho_io::{Fault, ReadError, Warning};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether a path names a robot rather than a cell.
#[must_use]
pub fn is_urdf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        extension.eq_ignore_ascii_case("urdf") || extension.eq_ignore_ascii_case("xacro")
    })
}

/// Reads a cell; or a robot, which then stands alone in one under its own name.
///
/// # Errors
/// Every fault that was found.
pub fn cell_or_robot(path: &Path, packages: &[PathBuf]) -> Result<(Cell, Vec<Warning>), Vec<ReadError>> {
    if !is_urdf(path) {
        let loaded = cell::read(path, &CellOptions { packages: packages.to_vec() })?;
        return Ok((loaded.cell, loaded.warnings));
    }
    let loaded = urdf::read(path, &RobotOptions { packages: packages.to_vec() })?;
    let robot = RobotDraftInCell {
        name: loaded.robot.name().to_owned(),
        robot: loaded.robot,
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let draft = CellDraft { robots: vec![robot], ..CellDraft::default() };
    let refuse = |faults: Vec<CellFault>| {
        let faults = faults.iter().map(|fault| Fault::of_file(fault.to_string())).collect();
        vec![ReadError { path: path.to_owned(), faults }]
    };
    Ok((Cell::new(draft).map_err(refuse)?, loaded.warnings))
}

/// Reads a mesh as a body of which points may be inside.
///
/// # Errors
/// The file cannot be read, and why.
pub fn solid(path: &Path, options: &MeshOptions) -> Result<(Solid, Vec<Warning>), ReadError> {
    let open = "open pieces have no inside: a body inside one does not count as a hit";
    closed(path, options, Solid::mesh, Solid::is_closed, open)
}

/// Reads a mesh as a body that moves.
///
/// # Errors
/// The file cannot be read, and why.
pub fn moving_body(path: &Path, options: &MeshOptions) -> Result<(Body, Vec<Warning>), ReadError> {
    let open = "open pieces have no inside: a body inside one at the start is not found";
    closed(path, options, Body::new, |body| body.tree().is_closed(), open)
}

/// Reads a mesh, makes a body of it, and warns if that is not closed.
fn closed<T>(
    path: &Path,
    options: &MeshOptions,
    make: impl Fn(Arc<Mesh>) -> T,
    is_closed: impl Fn(&T) -> bool,
    open: &str,
) -> Result<(T, Vec<Warning>), ReadError> {
    let loaded = mesh::read(path, options)?;
    let body = make(Arc::new(loaded.mesh));
    let open = (!is_closed(&body)).then(|| Fault::of_file(open));
    let faults = loaded.warnings.into_iter().chain(open);
    Ok((body, faults.map(|fault| Warning { path: path.to_owned(), fault }).collect()))
}
