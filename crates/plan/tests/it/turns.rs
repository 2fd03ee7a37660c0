//! Joints that turn without end.

use crate::verified;
use kansho_cell::{
    BodyPiece, Cell, CellDraft, Geometry, JointDraft, JointKind, Limits, LinkDraft, MimicDraft, ObjectDraft,
    Robot, RobotDraft, RobotDraftInCell,
};
use kansho_check::motion::MotionScene;
use kansho_check::scene::Scene;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_plan::transfer::{Transfer, TransferOptions, find_transfer};
use std::f64::consts::TAU;
use std::sync::Arc;

fn block(size: DVec3, at: DVec3) -> BodyPiece {
    BodyPiece {
        geometry: Geometry::Primitive(Primitive::new(Shape::Box { size }).expect("a block")),
        carrier_from_piece: Pose::from_translation(at),
    }
}

/// A hand of a clock that can also slide outward, and a post beside it.
fn clock(post_deg: f64, kind: JointKind, follower: Option<f64>) -> Cell {
    let joint = |name: &str, kind: JointKind, parent: &str, child: &str| JointDraft {
        name: name.into(),
        kind,
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::IDENTITY,
        limits: Some(Limits { lower: -0.8, upper: 0.5 })
            .filter(|_| matches!(kind, JointKind::Prismatic { .. })),
        max_speed: None,
        mimic: None,
    };
    let link = |name: &str, pieces: Vec<BodyPiece>| LinkDraft { name: name.into(), pieces };
    let hand = block(DVec3::new(1.0, 0.1, 0.1), DVec3::new(0.6, 0.0, 0.0));
    let mut links = vec![link("base", Vec::new()), link("hub", Vec::new()), link("hand", vec![hand])];
    let mut joints = vec![
        joint("turn", kind, "base", "hub"),
        joint("out", JointKind::Prismatic { axis: DVec3::X }, "hub", "hand"),
    ];
    if let Some(multiplier) = follower {
        links.push(link("other", vec![block(DVec3::new(0.1, 0.1, 0.5), DVec3::new(0.0, 0.3, 5.0))]));
        joints.push(JointDraft {
            mimic: Some(MimicDraft { joint: "turn".into(), multiplier, offset: 0.0 }),
            ..joint("follows", kind, "base", "other")
        });
    }
    let robot = RobotDraftInCell {
        name: "clock".into(),
        robot: Robot::new(RobotDraft { name: "clock".into(), links, joints }).expect("a robot"),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let (sin, cos) = post_deg.to_radians().sin_cos();
    let post = ObjectDraft {
        name: "post".into(),
        pieces: vec![block(DVec3::new(0.1, 0.1, 1.0), DVec3::new(0.9 * cos, 0.9 * sin, 0.0))],
        on: None,
    };
    Cell::new(CellDraft { robots: vec![robot], objects: vec![post], allow: Vec::new() }).expect("a cell")
}

const CONTINUOUS: JointKind = JointKind::Continuous { axis: DVec3::Z };

#[test]
fn the_shorter_turn_is_taken() {
    let scene = Scene::new(Arc::new(clock(180.0, CONTINUOUS, None))).with_models();
    let scene = MotionScene::new(&scene);
    // By -60 degrees, not by 300; and with many turns in between.
    for turns in [0.0, 1.0, -7.0] {
        let (start, goal) = ([30f64.to_radians(), 0.0], [330f64.to_radians() + turns * TAU, 0.0]);
        let way = find_transfer(&scene, &start, &goal, &TransferOptions::default());
        let (motion, length) = verified(&scene, way, [&start, &goal], 0.0);
        assert_eq!(motion.pieces().len(), 1);
        assert!((length - TAU / 6.0).abs() < 1e-12, "{length}");
    }
}

#[test]
fn a_post_on_the_shorter_turn_is_avoided_somehow() {
    let scene = Scene::new(Arc::new(clock(0.0, CONTINUOUS, None))).with_models();
    let scene = MotionScene::new(&scene);
    for seed in 0..20 {
        let (start, goal) = ([30f64.to_radians(), 0.3], [330f64.to_radians() + 3.0 * TAU, 0.3]);
        let way =
            find_transfer(&scene, &start, &goal, &TransferOptions { seed, ..TransferOptions::default() });
        let (motion, _) = verified(&scene, way, [&start, &goal], 0.0);
        // No line takes the longer turn.
        for piece in motion.pieces() {
            let [from, .., to] = piece.controls()[0];
            assert!((to - from).abs() <= TAU / 2.0);
        }
    }
}

#[test]
fn where_another_joint_follows_a_whole_turn_is_not_nothing() {
    let scene = Scene::new(Arc::new(clock(180.0, CONTINUOUS, Some(0.5)))).with_models();
    let scene = MotionScene::new(&scene);
    let (start, goal) = ([0.0, 0.0], [TAU, 0.0]);
    match find_transfer(&scene, &start, &goal, &TransferOptions::default()) {
        Transfer::Found { motion, .. } => assert_eq!(motion.at(1.0), goal),
        Transfer::NotFound { why, .. } => panic!("{why:?}"),
    }
}
