//! Robots and cells.

use super::{Found, InfoOfKind, count};
use kansho_cell::{BodyKind, BodyPiece, Coordinate, Geometry, JointKind, Robot};
use kansho_io::cell::{self, CellOptions, LoadedCell};
use kansho_io::srdf;
use kansho_io::urdf::{self, LoadedRobot, RobotOptions};
use kansho_io::{Fault, ReadError, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A robot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RobotInfo {
    /// Its name.
    pub name: String,
    /// Coordinates that can be moved.
    pub axes: usize,
    /// Collision shapes.
    pub shapes: usize,
    /// Files of its meshes.
    pub meshes: Vec<String>,
}

/// Which pairs of a robot's links are not checked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SrdfInfo {
    /// How many pairs.
    pub disabled_pairs: usize,
    /// Names of its groups.
    pub groups: Vec<String>,
}

/// A cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CellInfo {
    /// Robots.
    pub robots: usize,
    /// Objects.
    pub objects: usize,
    /// Names of its coordinates, in the order of postures.
    pub coordinates: Vec<String>,
    /// Bodies that can touch.
    pub bodies: usize,
    /// Collision shapes.
    pub shapes: usize,
    /// Pairs of bodies that are checked.
    pub pairs_checked: usize,
    /// Pairs that are not.
    pub pairs_not_checked: usize,
}

pub(super) fn urdf(path: &Path, packages: &[PathBuf]) -> Result<Found, Vec<ReadError>> {
    let LoadedRobot { robot, meshes, warnings } =
        urdf::read(path, &RobotOptions { packages: packages.to_vec() })?;
    let (shapes, triangles) = shapes(&robot);
    let moving = robot.joints().iter().filter(|joint| joint.mimic.is_none());
    let axes: usize = moving.map(|joint| joint.kind.coordinates().len()).sum();
    let (links, joints) = (robot.links().len(), robot.joints().len());
    let title = format!("robot \"{}\", {}, {}", robot.name(), count(links, "link"), count(joints, "joint"));
    let of_shapes =
        format!("{} for collision checks, {}", count(shapes, "shape"), count(triangles, "triangle"));
    let files: Vec<String> = meshes.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    let of_meshes = count(files.len(), "file");
    let info = RobotInfo { name: robot.name().to_owned(), axes, shapes, meshes: files };
    let found = Found {
        triangles: Some(triangles),
        links_and_joints: Some([links, joints]),
        warnings,
        ..Found::new("robot", title, InfoOfKind::Robot(info))
    };
    let axes = format!("{axes} ({})", joint_kinds(&robot));
    Ok(found.line("axes", axes).line("shapes", of_shapes).line("meshes", of_meshes))
}

pub(super) fn srdf(path: &Path, urdf: Option<&Path>, packages: &[PathBuf]) -> Result<Found, Vec<ReadError>> {
    let Some(urdf) = urdf else {
        let fault =
            Fault::of_file("an SRDF speaks of the links of a robot").with_help("name it: ⟦urdf=ROBOT.urdf⟧");
        return Err(vec![ReadError { path: path.to_owned(), faults: vec![fault] }]);
    };
    let LoadedRobot { robot, mut warnings, .. } =
        urdf::read(urdf, &RobotOptions { packages: packages.to_vec() })?;
    let srdf = srdf::read(path, &robot).map_err(|error| vec![error])?;
    warnings.extend(srdf.warnings.into_iter().map(|fault| Warning { path: path.to_owned(), fault }));
    let title = format!("SRDF of robot \"{}\"", robot.name());
    let pairs = format!("{} of links not checked", count(srdf.disabled.len(), "pair"));
    let groups = srdf.groups.join(", ");
    let info = SrdfInfo { disabled_pairs: srdf.disabled.len(), groups: srdf.groups };
    let found = Found {
        links_and_joints: Some([robot.links().len(), robot.joints().len()]),
        warnings,
        ..Found::new("srdf", title, InfoOfKind::Srdf(info))
    };
    Ok(found.line("pairs", pairs).line("groups", groups))
}

pub(super) fn cell(path: &Path, packages: &[PathBuf]) -> Result<Found, Vec<ReadError>> {
    let LoadedCell { cell, warnings, .. } = cell::read(path, &CellOptions { packages: packages.to_vec() })?;
    let of_kind = |kind: BodyKind| cell.bodies().iter().filter(|body| body.kind == kind).count();
    let pieces: Vec<&BodyPiece> = cell.bodies().iter().flat_map(|body| &body.pieces).collect();
    let triangles: usize = pieces.iter().map(|piece| piece.geometry.triangles()).sum();
    let links: usize = cell.robots().iter().map(|robot| robot.robot.links().len()).sum();
    let joints: usize = cell.robots().iter().map(|robot| robot.robot.joints().len()).sum();
    let coordinates: Vec<String> = cell.coordinates().iter().map(Coordinate::full_name).collect();
    let (checked, not_checked) = (cell.pairs().checked().len(), cell.pairs().not_checked().len());
    let (robots, objects) = (cell.robots().len(), of_kind(BodyKind::Object));
    let title = format!("cell, {}, {}", count(robots, "robot"), count(objects, "object"));
    let of_robots = format!(
        "{}, {}, {}",
        count(links, "link"),
        count(joints, "joint"),
        count(of_kind(BodyKind::Tool), "tool")
    );
    let posture = if coordinates.is_empty() { "nothing moves".into() } else { coordinates.join(", ") };
    let info = CellInfo {
        robots,
        objects,
        coordinates,
        bodies: cell.bodies().len(),
        shapes: pieces.len(),
        pairs_checked: checked,
        pairs_not_checked: not_checked,
    };
    let found = Found {
        triangles: Some(triangles),
        links_and_joints: Some([links, joints]),
        warnings,
        ..Found::new("cell", title, InfoOfKind::Cell(info))
    };
    Ok(found
        .line("robots", of_robots)
        .line("posture", posture)
        .line("shapes", format!("{}, {}", count(pieces.len(), "shape"), count(triangles, "triangle")))
        .line("pairs", format!("{checked} checked, {not_checked} not (kansho pairs says why)")))
}

/// Number of collision shapes and of their triangles.
fn shapes(robot: &Robot) -> (usize, usize) {
    let pieces = robot.links().iter().flat_map(|link| &link.pieces);
    pieces.fold((0, 0), |(pieces, triangles), piece| {
        (pieces + 1, triangles + Geometry::triangles(&piece.geometry))
    })
}

fn joint_kinds(robot: &Robot) -> String {
    let name = |kind: &JointKind| match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Continuous { .. } => "continuous",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Planar { .. } => "planar",
        JointKind::Floating => "floating",
    };
    let of_kind = |kind: &str| robot.joints().iter().filter(|joint| name(&joint.kind) == kind).count();
    let kinds = ["revolute", "continuous", "prismatic", "planar", "floating", "fixed"];
    let mimics = robot.joints().iter().filter(|joint| joint.mimic.is_some()).count();
    let counted = kinds.iter().map(|kind| (of_kind(kind), *kind)).chain([(mimics, "mimic")]);
    let shown: Vec<String> = counted.filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}")).collect();
    if shown.is_empty() { "no joints".into() } else { shown.join(", ") }
}
