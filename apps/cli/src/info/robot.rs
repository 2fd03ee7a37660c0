use super::{Facts, count};
use kansho::cell::{BodyKind, BodyPiece, Coordinate, Geometry, JointKind, Robot};
use kansho::io::cell::{self, CellOptions, LoadedCell};
use kansho::io::srdf;
use kansho::io::urdf::{self, LoadedRobot, RobotOptions};
use kansho::io::{Fault, ReadError, Warning};
use serde_json::json;
use std::path::{Path, PathBuf};

pub(super) fn urdf_facts(path: &Path, packages: &[PathBuf]) -> Result<Facts, Vec<ReadError>> {
    let LoadedRobot { robot, meshes, warnings } =
        urdf::read(path, &RobotOptions { packages: packages.to_vec() })?;
    let (pieces, triangles) = shapes(&robot);
    let moving = robot.joints().iter().filter(|joint| joint.mimic.is_none());
    let axes: usize = moving.map(|joint| joint.kind.coordinates().len()).sum();
    let kinds = joint_kinds(&robot);
    Ok(Facts {
        title: format!(
            "robot \"{}\", {}, {}",
            robot.name(),
            count(robot.links().len(), "link"),
            count(robot.joints().len(), "joint")
        ),
        lines: vec![
            ("axes", format!("{axes} ({kinds})")),
            (
                "shapes",
                format!("{} for collision checks, {}", count(pieces, "shape"), count(triangles, "triangle")),
            ),
            ("meshes", count(meshes.len(), "file")),
        ],
        json: json!({
            "kind": "robot", "name": robot.name(), "links": robot.links().len(), "joints": robot.joints().len(), "axes": axes,
            "shapes": pieces, "triangles": triangles,
            "meshes": meshes.iter().map(|file| file.to_string_lossy()).collect::<Vec<_>>(),
        }),
        warnings,
    })
}

pub(super) fn srdf_facts(
    path: &Path,
    urdf: Option<&Path>,
    packages: &[PathBuf],
) -> Result<Facts, Vec<ReadError>> {
    let Some(urdf) = urdf else {
        let fault =
            Fault::of_file("an SRDF speaks of the links of a robot").with_help("name it: --urdf ROBOT.urdf");
        return Err(vec![ReadError { path: path.to_owned(), faults: vec![fault] }]);
    };
    let LoadedRobot { robot, mut warnings, .. } =
        urdf::read(urdf, &RobotOptions { packages: packages.to_vec() })?;
    let found = srdf::read(path, &robot).map_err(|error| vec![error])?;
    warnings.extend(found.warnings.into_iter().map(|fault| Warning { path: path.to_owned(), fault }));
    Ok(Facts {
        title: format!("SRDF of robot \"{}\"", robot.name()),
        lines: vec![
            ("pairs", format!("{} of links not checked", count(found.disabled.len(), "pair"))),
            ("groups", found.groups.join(", ")),
        ],
        json: json!({
            "kind": "srdf", "links": robot.links().len(), "joints": robot.joints().len(),
            "disabled_pairs": found.disabled.len(), "groups": found.groups,
        }),
        warnings,
    })
}

pub(super) fn cell_facts(path: &Path, packages: &[PathBuf]) -> Result<Facts, Vec<ReadError>> {
    let LoadedCell { cell, warnings, .. } = cell::read(path, &CellOptions { packages: packages.to_vec() })?;
    let of_kind = |kind: BodyKind| cell.bodies().iter().filter(|body| body.kind == kind).count();
    let pieces: Vec<&BodyPiece> = cell.bodies().iter().flat_map(|body| &body.pieces).collect();
    let triangles: usize = pieces.iter().map(|piece| piece.geometry.triangles()).sum();
    let links: usize = cell.robots().iter().map(|robot| robot.robot.links().len()).sum();
    let joints: usize = cell.robots().iter().map(|robot| robot.robot.joints().len()).sum();
    let names: Vec<String> = cell.coordinates().iter().map(Coordinate::full_name).collect();
    let (checked, not_checked) = (cell.pairs().checked().len(), cell.pairs().not_checked().len());
    let objects = of_kind(BodyKind::Object);
    Ok(Facts {
        title: format!("cell, {}, {}", count(cell.robots().len(), "robot"), count(objects, "object")),
        lines: vec![
            (
                "robots",
                format!(
                    "{}, {}, {}",
                    count(links, "link"),
                    count(joints, "joint"),
                    count(of_kind(BodyKind::Tool), "tool")
                ),
            ),
            ("posture", if names.is_empty() { "nothing moves".into() } else { names.join(", ") }),
            ("shapes", format!("{}, {}", count(pieces.len(), "shape"), count(triangles, "triangle"))),
            ("pairs", format!("{checked} checked, {not_checked} not (kansho pairs says why)")),
        ],
        json: json!({
            "kind": "cell", "robots": cell.robots().len(), "objects": objects, "links": links, "joints": joints,
            "coordinates": names, "bodies": cell.bodies().len(), "shapes": pieces.len(), "triangles": triangles,
            "pairs_checked": checked, "pairs_not_checked": not_checked,
        }),
        warnings,
    })
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
