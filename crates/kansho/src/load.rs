//! Robots and cells, as every question takes them.

use kansho_cell::{Cell, CellDraft, CellFault, RobotDraftInCell};
use kansho_geom::Pose;
use kansho_io::cell::{self, CellOptions};
use kansho_io::urdf::{self, RobotOptions};
use kansho_io::{Fault, ReadError, Warning};
use std::path::{Path, PathBuf};

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
