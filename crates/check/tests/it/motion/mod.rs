//! Motions of whole cells against dense sampling, and certificates against corruption.

mod bounds;
mod bundles;
mod certificates;
mod extremes;
mod fixed;
mod hovering;
mod mutations;
mod oracle;
mod random;
mod special;

use kansho_cell::{
    BodyPiece, Cell, CellDraft, Geometry, JointDraft, JointKind, Limits, LinkDraft, ObjectDraft, Robot,
    RobotDraft, RobotDraftInCell,
};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Mesh, Pose};
use std::sync::Arc;

pub(super) fn formula(shape: Shape, at: Pose) -> BodyPiece {
    BodyPiece {
        geometry: Geometry::Primitive(Primitive::new(shape).expect("valid sizes")),
        carrier_from_piece: at,
    }
}

pub(super) fn mesh(shape: Shape, at: Pose) -> BodyPiece {
    let mesh = Primitive::new(shape).expect("valid sizes").tessellated(1e-3).expect("bounded");
    BodyPiece { geometry: Geometry::Mesh(Arc::new(mesh)), carrier_from_piece: at }
}

pub(super) fn of_mesh(mesh: Mesh, at: Pose) -> BodyPiece {
    BodyPiece { geometry: Geometry::Mesh(Arc::new(mesh)), carrier_from_piece: at }
}

pub(super) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

pub(super) fn object(name: &str, pieces: Vec<BodyPiece>) -> ObjectDraft {
    ObjectDraft { name: name.into(), pieces, on: None }
}

/// Joints in a row, and what hangs on each; the first pieces are those of the base.
pub(super) fn row(
    joints: &[(JointKind, Pose)],
    pieces: Vec<Vec<BodyPiece>>,
    world_from_root: Pose,
) -> RobotDraftInCell {
    let links = pieces
        .into_iter()
        .enumerate()
        .map(|(k, pieces)| LinkDraft { name: format!("l{k}"), pieces })
        .collect();
    let joints = joints
        .iter()
        .enumerate()
        .map(|(k, (kind, parent_from_joint))| JointDraft {
            name: format!("j{k}"),
            kind: *kind,
            parent: format!("l{k}"),
            child: format!("l{}", k + 1),
            parent_from_joint: *parent_from_joint,
            limits: Some(Limits { lower: -4.0, upper: 4.0 }),
            max_speed: None,
            mimic: None,
        })
        .collect();
    RobotDraftInCell {
        name: "r".into(),
        robot: Robot::new(RobotDraft { name: "row".into(), links, joints }).expect("a robot"),
        world_from_root,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    }
}

pub(super) fn cell_of(robots: Vec<RobotDraftInCell>, objects: Vec<ObjectDraft>) -> Cell {
    Cell::new(CellDraft { robots, objects, ..CellDraft::default() }).expect("a cell")
}

pub(super) const SLIDE: JointKind = JointKind::Prismatic { axis: DVec3::X };
pub(super) const TURN: JointKind = JointKind::Continuous { axis: DVec3::Z };
