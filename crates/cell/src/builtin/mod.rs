//! A cell of our own that needs no files: an arm, a curved sheet in a fixture, a bent nozzle, and the bead to lay.
//!
//! | part | holds |
//! |---|---|
//! | [`arm()`] | a six-axis arm of the 20 kg class, with a spherical wrist |
//! | [`sheet()`], [`fixture()`], [`nozzle()`] | the work, what holds it, and the tool |
//! | [`path()`] | the closed work path |
//! | [`cell()`] | all of it in its place |
//!
//! Every shape is drawn here, none comes from a manufacturer. Vertices are numbers that `f32` can hold, so files of
//! meshes carry them exactly.

mod arm;
mod fixture;
mod housings;
mod nozzle;
mod path;
mod sheet;
mod solids;
#[cfg(test)]
mod tests;

pub use arm::{ArmDimensions, arm};
pub use fixture::fixture;
pub use nozzle::{Nozzle, nozzle};
pub use path::{MARGIN, POINTS, PathPoint, STANDOFF, path};
pub use sheet::{GRID, THICKNESS, face, face_normal, sheet};

use crate::body::{BodyPiece, Geometry};
use crate::cell::{Cell, CellDraft, ObjectDraft, RobotDraftInCell, ToolDraft};
use arm::{pieces, pieces_at};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Mesh, Pose};
use std::f64::consts::FRAC_PI_2;

/// The cell.
///
/// ```
/// use kansho_cell::builtin;
/// let cell = builtin::cell();
/// let placed = cell.place(&builtin::home());
/// assert_eq!(cell.coordinates().len(), 6);
/// # let _ = placed;
/// ```
#[must_use]
pub fn cell() -> Cell {
    Cell::new(draft()).expect("the names of the draft are right")
}

/// The cell before it is checked, to change it.
///
/// The arm, `arm`, stands at the origin on the half-space `floor`. In front of it is `sheet`, in `fixture`.
#[must_use]
pub fn draft() -> CellDraft {
    let tool = Nozzle::default();
    let robot = RobotDraftInCell {
        name: "arm".to_owned(),
        robot: arm(&ArmDimensions::default()),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: Some(ToolDraft {
            on: "tool0".to_owned(),
            pieces: pieces(nozzle(&tool)),
            link_from_tcp: tool.tool0_from_tcp(),
        }),
        disabled: Vec::new(),
    };
    let object = |name: &str, meshes: Vec<Mesh>| ObjectDraft {
        name: name.to_owned(),
        pieces: pieces_at(world_from_sheet(), meshes),
        on: None,
    };
    let ground =
        Primitive::new(Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 }).expect("z is a direction");
    let floor = ObjectDraft {
        name: "floor".to_owned(),
        pieces: vec![BodyPiece { geometry: Geometry::Primitive(ground), carrier_from_piece: Pose::IDENTITY }],
        on: None,
    };
    CellDraft {
        robots: vec![robot],
        objects: vec![object("sheet", vec![sheet(GRID)]), object("fixture", fixture()), floor],
        // The base stands on the floor, and the tool is screwed to the flange.
        allow: [["arm/base_link", "floor"], ["arm/tool", "arm/link_6"]]
            .map(|pair| pair.map(str::to_owned))
            .into(),
    }
}

/// Height of the frame of the sheet over the floor.
const SHEET_HEIGHT: f64 = 0.75;

/// Where the sheet is: its x along the y of the arm, its y toward the arm.
#[must_use]
pub fn world_from_sheet() -> Pose {
    Pose::from_rpy(DVec3::new(1.10, 0.0, SHEET_HEIGHT), DVec3::new(0.0, 0.0, FRAC_PI_2))
}

/// A posture in which the arm waits over the sheet, clear of everything, the nozzle pointing straight down.
#[must_use]
pub fn home() -> Vec<f64> {
    [0.0, -35.0, 15.0, 0.0, 35.0, 0.0].map(f64::to_radians).into()
}
