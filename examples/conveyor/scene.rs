//! The robot, the conveyor and what is on it, and how they move.

use kansho::cell::builtin::{self, ArmDimensions, Nozzle};
use kansho::cell::{
    BodyId, BodyPiece, Cell, CellDraft, Geometry, JointDraft, JointKind, Limits, Link, MimicDraft, Robot,
    RobotDraft, RobotDraftInCell, ToolDraft,
};
use kansho::geom::glam::DVec3;
use kansho::geom::primitive::{Primitive, Shape};
use kansho::geom::{Mesh, Pose};
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// The belt runs along y at this x, and its upper side is this high.
const BELT: (f64, f64) = (1.15, 0.5);

/// How fast the belt is, in metres per second.
const BELT_SPEED: f64 = 0.2;

/// Where the work pieces are on the belt when it starts, their names and shapes. One is higher than the robot was told.
fn work() -> [(&'static str, f64, Shape, f64); 4] {
    [
        ("crate", 0.55, Shape::Box { size: DVec3::new(0.26, 0.2, 0.14) }, 0.14),
        ("can", 0.1, Shape::Cylinder { radius: 0.09, height: 0.16 }, 0.16),
        ("tower", -0.3, Shape::Box { size: DVec3::new(0.14, 0.14, 0.46) }, 0.46),
        ("cone", -0.9, Shape::Cone { radius: 0.11, height: 0.22 }, 0.22),
    ]
}

fn piece(shape: Shape, at: Pose) -> BodyPiece {
    let primitive = Primitive::new(shape).expect("sizes are positive");
    BodyPiece { geometry: Geometry::Primitive(primitive), carrier_from_piece: at }
}

/// Bed, rollers and legs.
fn bed() -> Vec<BodyPiece> {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let mut pieces = vec![piece(Shape::Box { size: DVec3::new(0.44, 2.2, 0.06) }, at(0.0, 0.0, -0.05))];
    for y in [-1.0, 1.0] {
        for x in [-0.18, 0.18] {
            let leg = Shape::Box { size: DVec3::new(0.05, 0.05, 0.42) };
            pieces.push(piece(leg, at(x, y, -0.29)));
        }
        let roller = Shape::Cylinder { radius: 0.05, height: 0.44 };
        let across = DVec3::new(0.0, FRAC_PI_2, 0.0);
        pieces.push(piece(roller, Pose::from_rpy(DVec3::new(0.0, 1.1 * y, -0.05), across)));
    }
    pieces
}

/// A conveyor is a robot whose only coordinate is how far the belt has run; all work pieces follow it.
fn conveyor() -> Robot {
    let slide = |name: &str, child: &str, mimic: Option<MimicDraft>| JointDraft {
        name: name.into(),
        kind: JointKind::Prismatic { axis: DVec3::Y },
        parent: "bed".into(),
        child: child.into(),
        parent_from_joint: Pose::IDENTITY,
        limits: Some(Limits { lower: -5.0, upper: 5.0 }),
        max_speed: Some(1.0),
        mimic,
    };
    let mut links =
        vec![Link { name: "bed".into(), pieces: bed() }, Link { name: "belt".into(), pieces: Vec::new() }];
    let mut joints = vec![slide("run", "belt", None)];
    for (name, offset, shape, height) in work() {
        // A little above the belt: what stands on it does not collide with it.
        let on_belt = Pose::from_translation(DVec3::new(0.0, 0.0, 0.5 * height + 0.002));
        links.push(Link { name: name.into(), pieces: vec![piece(shape, on_belt)] });
        let mimic = MimicDraft { joint: "run".into(), multiplier: 1.0, offset };
        joints.push(slide(&format!("{name}_on_belt"), name, Some(mimic)));
    }
    Robot::new(RobotDraft { name: "conveyor".into(), links, joints }).expect("it is a tree")
}

/// An arm with a nozzle beside the conveyor.
pub(crate) fn cell() -> Cell {
    let nozzle = Nozzle::default();
    let mesh = |mesh: Mesh| BodyPiece {
        geometry: Geometry::Mesh(Arc::new(mesh)),
        carrier_from_piece: Pose::IDENTITY,
    };
    let tool = ToolDraft {
        on: "tool0".into(),
        pieces: builtin::nozzle(&nozzle).into_iter().map(mesh).collect(),
        link_from_tcp: nozzle.tool0_from_tcp(),
    };
    let robot = |name: &str, robot: Robot, at: DVec3, tool: Option<ToolDraft>| RobotDraftInCell {
        name: name.into(),
        robot,
        world_from_root: Pose::from_translation(at),
        hold: Vec::new(),
        tool,
        disabled: Vec::new(),
    };
    let arm = builtin::arm(&ArmDimensions::default());
    let draft = CellDraft {
        robots: vec![
            robot("arm", arm, DVec3::ZERO, Some(tool)),
            robot("conveyor", conveyor(), DVec3::new(BELT.0, 0.0, BELT.1), None),
        ],
        objects: Vec::new(),
        allow: vec![["arm/tool".into(), "arm/link_6".into()]],
    };
    Cell::new(draft).expect("names are right")
}

/// The pairs that are looked at: the arm against the conveyor and what is on it. The rest cannot meet.
pub(crate) fn designated(cell: &Cell) -> Vec<[BodyId; 2]> {
    let is_arm = |body: BodyId| cell.body(body).name.starts_with("arm/");
    // The foot stands too far away.
    let is_foot = |body: BodyId| cell.body(body).name == "arm/base_link";
    let checked = cell.pairs().checked().iter().copied();
    let apart =
        checked.filter(|pair| is_arm(pair[0]) != is_arm(pair[1]) && !pair.iter().any(|body| is_foot(*body)));
    apart.map(|pair| if is_arm(pair[0]) { pair } else { [pair[1], pair[0]] }).collect()
}

/// The arm waits over the belt, and works close to it, in degrees.
const WAITING_DEG: [f64; 6] = [0.0, -20.0, 20.0, 0.0, 15.0, 0.0];
const WORKING_DEG: [f64; 6] = [0.0, -5.0, 45.0, 0.0, -25.0, 0.0];

/// The arm dips to the belt and sweeps along it, and goes back above it, while the belt runs.
pub(crate) fn postures(steps: usize, step_secs: f64) -> Vec<Vec<f64>> {
    let posture = |k: usize| {
        let phase = k as f64 / steps as f64 * TAU;
        let dip = phase.sin().max(0.0).sqrt();
        let between =
            WAITING_DEG.iter().zip(WORKING_DEG).map(|(up, down)| (up + (down - up) * dip).to_radians());
        let mut posture: Vec<f64> = between.collect();
        posture[0] -= 0.35 * phase.cos();
        posture.push(BELT_SPEED * k as f64 * step_secs);
        posture
    };
    (0..steps).map(posture).collect()
}
