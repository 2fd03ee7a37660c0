use kansho_cell::{
    BodyPiece, CellDraft, Geometry, JointDraft, JointKind, Limits, LinkDraft, MimicDraft, ObjectDraft, Robot,
    RobotDraft, RobotDraftInCell,
};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_geom::{Pose, Primitive};

pub(crate) fn ball() -> BodyPiece {
    let primitive = Primitive::new(Shape::Sphere { radius: 0.1 }).expect("a ball");
    BodyPiece { geometry: Geometry::Primitive(primitive), carrier_from_piece: Pose::IDENTITY }
}

pub(crate) fn floor() -> BodyPiece {
    let primitive = Primitive::new(Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 }).expect("a floor");
    BodyPiece { geometry: Geometry::Primitive(primitive), carrier_from_piece: Pose::IDENTITY }
}

pub(crate) fn joint(name: &str, parent: &str, child: &str, kind: JointKind) -> JointDraft {
    JointDraft {
        name: name.into(),
        kind,
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::from_translation(DVec3::X),
        limits: Some(Limits { lower: -3.0, upper: 3.0 }),
        max_speed: Some(1.0),
        mimic: None,
    }
}

pub(crate) fn mimic(of: &str, multiplier: f64, offset: f64) -> Option<MimicDraft> {
    Some(MimicDraft { joint: of.into(), multiplier, offset })
}

/// Links a, b, c, ... with a ball each.
pub(crate) fn robot_draft(links: &str, joints: Vec<JointDraft>) -> RobotDraft {
    let links = links.chars().map(|c| LinkDraft { name: c.into(), pieces: vec![ball()] }).collect();
    RobotDraft { name: "r".into(), links, joints }
}

pub(crate) fn robot(links: &str, joints: Vec<JointDraft>) -> Robot {
    Robot::new(robot_draft(links, joints)).unwrap_or_else(|faults| panic!("{faults:?}"))
}

pub(crate) fn placed_robot(name: &str, robot: Robot) -> RobotDraftInCell {
    RobotDraftInCell {
        name: name.into(),
        robot,
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    }
}

pub(crate) fn object(name: &str, on: Option<&str>) -> ObjectDraft {
    ObjectDraft { name: name.into(), pieces: vec![ball()], on: on.map(Into::into) }
}

/// A chain a - b - c - d with joints j1, j2, j3 about z.
pub(crate) fn chain() -> Robot {
    let turn = JointKind::Revolute { axis: DVec3::Z };
    robot("abcd", vec![joint("j1", "a", "b", turn), joint("j2", "b", "c", turn), joint("j3", "c", "d", turn)])
}

pub(crate) fn cell_of(robot: RobotDraftInCell) -> CellDraft {
    CellDraft { robots: vec![robot], ..CellDraft::default() }
}
