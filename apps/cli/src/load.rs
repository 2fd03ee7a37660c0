//! A robot or a cell, as the commands take it.

use kansho::cell::{Cell, CellDraft, RobotDraftInCell};
use kansho::geom::Pose;
use kansho::io::cell::{self, CellOptions};
use kansho::io::urdf::{self, RobotOptions};
use kansho::io::{Fault, ReadError, Warning};
use std::path::{Path, PathBuf};

/// Whether a path names a robot rather than a cell.
pub(crate) fn is_urdf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        extension.eq_ignore_ascii_case("urdf") || extension.eq_ignore_ascii_case("xacro")
    })
}

/// Reads a cell; or a robot, which then stands alone in one under its own name.
pub(crate) fn cell_or_robot(
    path: &Path,
    packages: &[PathBuf],
) -> Result<(Cell, Vec<Warning>), Vec<ReadError>> {
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
    let refuse = |faults: Vec<kansho::cell::CellFault>| {
        let faults = faults.iter().map(|fault| Fault::of_file(fault.to_string())).collect();
        vec![ReadError { path: path.to_owned(), faults }]
    };
    Ok((Cell::new(draft).map_err(refuse)?, loaded.warnings))
}
