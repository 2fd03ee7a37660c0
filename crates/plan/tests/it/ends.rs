//! Ends that are no good, and a goal that cannot be reached.

use kansho_cell::{
    BodyPiece, Cell, CellDraft, Geometry, JointDraft, JointKind, Limits, LinkDraft, ObjectDraft, Robot,
    RobotDraft, RobotDraftInCell, builtin,
};
use kansho_check::motion::MotionScene;
use kansho_check::sample;
use kansho_check::scene::Scene;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_plan::transfer::{End, Transfer, TransferOptions, WhyNot, find_transfer};
use std::sync::Arc;

fn why(way: Transfer) -> WhyNot {
    match way {
        Transfer::NotFound { why, .. } => why,
        Transfer::Found { motion, .. } => panic!("a way was found: {motion:?}"),
    }
}

#[test]
fn ends_in_contact_are_named_with_their_pair() {
    let scene = Scene::new(Arc::new(builtin::cell())).with_models();
    let prepared = MotionScene::new(&scene);
    let mut workspace = scene.workspace();
    let options = TransferOptions::default();
    let home = builtin::home();
    let bad: Vec<Vec<f64>> = sample::postures(scene.cell())
        .filter(|posture| scene.touches(posture, &mut workspace))
        .take(20)
        .collect();
    for posture in bad {
        let hits = scene.all_hits(&posture, &mut workspace);
        for (end, [start, goal]) in [(End::Start, [&posture, &home]), (End::Goal, [&home, &posture])] {
            match why(find_transfer(&prepared, start, goal, &options)) {
                WhyNot::Touches { end: told, pair, gap } => {
                    assert!(told == end && hits.contains(&pair) && gap == 0.0);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn ends_outside_limits_are_named_with_their_joint() {
    let scene = Scene::new(Arc::new(builtin::cell())).with_models();
    let scene = MotionScene::new(&scene);
    let home = builtin::home();
    for coordinate in 0..6 {
        let upper = scene.cell().coordinates()[coordinate].limits.expect("an arm with limits").upper;
        for value in [upper + 1e-9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut bad = home.clone();
            bad[coordinate] = value;
            let start = find_transfer(&scene, &bad, &home, &TransferOptions::default());
            assert_eq!(why(start), WhyNot::Outside { end: End::Start, coordinate });
            let goal = find_transfer(&scene, &home, &bad, &TransferOptions::default());
            assert_eq!(why(goal), WhyNot::Outside { end: End::Goal, coordinate });
        }
    }
}

#[test]
fn from_a_posture_to_itself_is_no_way_at_all() {
    let scene = Scene::new(Arc::new(builtin::cell())).with_models();
    let scene = MotionScene::new(&scene);
    let home = builtin::home();
    let Transfer::Found { motion, length, .. } =
        find_transfer(&scene, &home, &home, &TransferOptions::default())
    else {
        panic!("it is there already")
    };
    assert_eq!((motion.at(0.0), motion.at(0.7), length), (home.clone(), home, 0.0));
}

/// A ball that slides in a plane, and walls around the origin: closed, or with a gap on the far side.
fn pen(gap: f64) -> Cell {
    let piece = |shape: Shape, at: DVec3| BodyPiece {
        geometry: Geometry::Primitive(Primitive::new(shape).expect("a shape")),
        carrier_from_piece: Pose::from_translation(at),
    };
    let link = |name: &str, pieces: Vec<BodyPiece>| LinkDraft { name: name.into(), pieces };
    let slide = |name: &str, parent: &str, child: &str, axis: DVec3| JointDraft {
        name: name.into(),
        kind: JointKind::Prismatic { axis },
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::IDENTITY,
        limits: Some(Limits { lower: -3.0, upper: 3.0 }),
        max_speed: None,
        mimic: None,
    };
    let robot = Robot::new(RobotDraft {
        name: "ball".into(),
        links: vec![
            link("base", Vec::new()),
            link("cross", Vec::new()),
            link("ball", vec![piece(Shape::Sphere { radius: 0.1 }, DVec3::ZERO)]),
        ],
        joints: vec![slide("x", "base", "cross", DVec3::X), slide("y", "cross", "ball", DVec3::Y)],
    })
    .expect("a robot");
    let wall = |name: &str, at: DVec3, size: DVec3| ObjectDraft {
        name: name.into(),
        pieces: vec![piece(Shape::Box { size }, at)],
        on: None,
    };
    let length = 2.0 - gap;
    let robot = RobotDraftInCell {
        name: "robot".into(),
        robot,
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let objects = vec![
        wall("right", DVec3::X, DVec3::new(0.1, 2.1, 1.0)),
        wall("left", -DVec3::X, DVec3::new(0.1, 2.1, 1.0)),
        wall("top", DVec3::Y, DVec3::new(2.1, 0.1, 1.0)),
        wall("bottom", DVec3::new(-1.0 + 0.5 * length, -1.0, 0.0), DVec3::new(length, 0.1, 1.0)),
    ];
    Cell::new(CellDraft { robots: vec![robot], objects, allow: Vec::new() }).expect("a cell")
}

#[test]
fn a_goal_behind_walls_ends_by_its_limits() {
    for start in [[0.0, 0.0], [0.0, 2.0]] {
        let goal = [start[0], 2.0 - start[1]];
        let scene = Scene::new(Arc::new(pen(0.0))).with_models();
        let prepared = MotionScene::new(&scene);
        for (most_samples, most_edges) in [(500, 1_000_000), (1_000_000, 200)] {
            let options = TransferOptions { most_samples, most_edges, ..TransferOptions::default() };
            let Transfer::NotFound { why, effort } = find_transfer(&prepared, &start, &goal, &options) else {
                panic!("through a wall")
            };
            assert_eq!(why, WhyNot::TriedEnough);
            assert!(effort.samples <= most_samples && effort.edges <= most_edges + 2, "{effort:?}");
            assert!(effort.samples == most_samples || effort.edges >= most_edges);
        }
        // The same with a way out, at the far side: 0.3 m for a ball of 0.2 m.
        let scene = Scene::new(Arc::new(pen(0.3))).with_models();
        let prepared = MotionScene::new(&scene);
        let way = find_transfer(&prepared, &start, &goal, &TransferOptions::default());
        crate::verified(&prepared, way, [&start, &goal], 0.0);
    }
}
