//! Cells and motions at the edges: every kind of shape, joint, size and place, and no motion at all.

use super::oracle::{Ready, Scenes, Tally};
use super::random::motion;
use super::{SLIDE, TURN, at, cell_of, formula, mesh, object, of_mesh, row};
use crate::models::{Dice, block};
use kansho_cell::{
    JointDraft, JointKind, JointMotion, Limits, LinkDraft, MimicDraft, Robot, RobotDraft, RobotDraftInCell,
};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::{PairId, Scene};
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use std::sync::Arc;

const SLIDE_Z: JointKind = JointKind::Prismatic { axis: DVec3::Z };

fn kinds(size: f64) -> [Shape; 5] {
    [
        Shape::Box { size: DVec3::new(size, 0.7 * size, 0.4 * size) },
        Shape::Sphere { radius: 0.5 * size },
        Shape::Cylinder { radius: 0.3 * size, height: size },
        Shape::Capsule { radius: 0.2 * size, height: size },
        Shape::Cone { radius: 0.4 * size, height: size },
    ]
}

/// How high the tool must be to pass over: by halving.
fn just_free(is_free: &mut dyn FnMut(f64) -> bool, mut low: f64, mut high: f64) -> [f64; 2] {
    assert!(!is_free(low) && is_free(high));
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        *if is_free(middle) { &mut high } else { &mut low } = middle;
    }
    [low, high]
}

/// Every kind of tool on a rail and a turn passes over every kind of object, and over a floor, as low as it can; where the whole is far
/// away, tiny or huge.
#[test]
fn every_shape_passes_over_every_other() {
    let mut tally = Tally::default();
    let mut dice = Dice(51);
    let places = [(1.0, 1e4), (1e-4, 0.0), (1.0, 0.0), (1e3, 0.0)];
    let count = crate::cases(4, 2);
    for (scale, far) in places.into_iter().take(count) {
        for (i, tool) in kinds(0.3 * scale).into_iter().enumerate() {
            for (j, thing) in kinds(0.4 * scale).into_iter().map(Some).chain([None]).enumerate() {
                let tilt = Pose::from_rpy(DVec3::ZERO, dice.vector(3.0));
                let pose = |p: Pose| Pose::from_translation(DVec3::splat(far)) * p;
                let tool = if (i + j) % 2 == 0 { formula(tool, tilt) } else { mesh_of(tool, tilt, scale) };
                let thing = match thing {
                    Some(shape) if j % 3 == 2 => mesh_of(shape, pose(at(0.0, 0.0, 0.0)), scale),
                    Some(shape) => formula(shape, pose(at(0.0, 0.0, 0.0))),
                    None => formula(
                        Shape::HalfSpace { normal: DVec3::Z, offset: 0.1 * scale },
                        pose(at(0.0, 0.0, 0.0)),
                    ),
                };
                let robot = row(
                    &[(SLIDE, at(0.0, 0.0, 0.0)), (SLIDE_Z, at(0.0, 0.0, 0.0)), (TURN, at(0.0, 0.0, 0.0))],
                    vec![vec![], vec![], vec![], vec![tool]],
                    pose(at(0.0, 0.0, 0.0)),
                );
                let (scenes, mut oracle) = Scenes::new(cell_of(vec![robot], vec![object("o", vec![thing])]));
                let mut ready = Ready::new(&scenes);
                let clearance = [0.0, 1e-3][(i + j) % 2] * scale;
                let options =
                    MotionOptions { clearance, resolution: 1e-6 * scale, ..MotionOptions::default() };
                let pass = |z: f64| {
                    let [x, turn] = [0.5 * scale, 0.8];
                    JointMotion::lines(&[vec![-x, z, -turn], vec![x, z, turn]]).expect("two postures")
                };
                let mut workspace = ready.quick.workspace();
                let mut is_free = |z: f64| {
                    let report = MotionScene::new(&scenes.quick).motion(&pass(z), &options, &mut workspace);
                    assert!(!matches!(report.verdict, Verdict::Undecided { .. }), "{i} {j} {z}: {report:?}");
                    matches!(report.verdict, Verdict::Free(_))
                };
                let [low, high] = just_free(&mut is_free, 0.0, scale);
                for z in [low, high, high + 1e-7 * scale, low - 1e-6 * scale] {
                    ready.ask(&mut oracle, &pass(z), &options, 40, &mut tally);
                }
            }
        }
    }
    assert!(tally.free > 50 * count && tally.touching > 50 * count && tally.undecided == 0, "{tally:?}");
}

fn mesh_of(shape: Shape, pose: Pose, scale: f64) -> kansho_cell::BodyPiece {
    let mesh = kansho_geom::Primitive::new(shape).expect("valid").tessellated(0.01 * scale).expect("bounded");
    of_mesh(mesh, pose)
}

/// Whole turns again and again, slowly and in a piece that stands still.
#[test]
fn many_turns() {
    let arm = Shape::Box { size: DVec3::new(1.0, 0.05, 0.05) };
    for (z, is_hit) in [(0.2, false), (0.04, true)] {
        let robot = row(
            &[(TURN, at(0.0, 0.0, 0.0))],
            vec![vec![], vec![mesh(arm, at(0.5, 0.0, z))]],
            at(0.0, 0.0, 0.0),
        );
        let thing = object("o", vec![mesh(Shape::Box { size: DVec3::splat(0.1) }, at(0.7, 0.0, 0.0))]);
        let (scenes, mut oracle) = Scenes::new(cell_of(vec![robot], vec![thing]));
        let mut ready = Ready::new(&scenes);
        for turns in [1e3, 1e2, -1e2] {
            let motion = JointMotion::lines(&[vec![1.0], vec![1.0 + turns]]).expect("two postures");
            let mut tally = Tally::default();
            let report = ready.ask(&mut oracle, &motion, &MotionOptions::default(), 100, &mut tally);
            assert_eq!(matches!(report.verdict, Verdict::Touches(_)), is_hit, "{report:?}");
            assert!(tally.undecided == 0);
        }
    }
}

/// A rail that carries a turn that carries fingers of which one follows the other, and a part between them; a second robot in the way.
#[test]
fn rails_fingers_and_grasped_parts() {
    let link = |name: &str, pieces| LinkDraft { name: name.into(), pieces };
    let finger = || vec![of_mesh(block(0.05), at(0.0, 0.0, 0.0))];
    let joint = |name: &str, parent: &str, child: &str, kind, from, mimic| JointDraft {
        name: name.into(),
        kind,
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: from,
        limits: Some(Limits { lower: -1.0, upper: 1.0 }),
        max_speed: None,
        mimic,
    };
    let along_y = JointKind::Prismatic { axis: DVec3::Y };
    let follow = MimicDraft { joint: "left".into(), multiplier: -1.0, offset: 0.0 };
    let draft = RobotDraft {
        name: "gripper".into(),
        links: vec![
            link("rail", vec![of_mesh(block(0.1), at(0.0, 0.0, -0.5))]),
            link("car", vec![formula(Shape::Cylinder { radius: 0.1, height: 0.3 }, at(0.0, 0.0, 0.0))]),
            link("arm", vec![mesh(Shape::Box { size: DVec3::new(0.6, 0.05, 0.05) }, at(0.35, 0.0, 0.3))]),
            link("left", finger()),
            link("right", finger()),
        ],
        joints: vec![
            joint("x", "rail", "car", SLIDE, at(0.0, 0.0, 0.0), None),
            joint("turn", "car", "arm", TURN, at(0.0, 0.0, 0.0), None),
            joint("left", "arm", "left", along_y, at(0.7, 0.1, 0.3), None),
            joint("right", "arm", "right", along_y, at(0.7, -0.1, 0.3), Some(follow)),
        ],
    };
    let robot = RobotDraftInCell {
        name: "r".into(),
        robot: Robot::new(draft).expect("a robot"),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let mut other = row(
        &[(TURN, at(0.0, 0.0, 0.0)), (TURN, at(0.4, 0.0, 0.0))],
        vec![
            vec![],
            vec![mesh(Shape::Capsule { radius: 0.04, height: 0.3 }, at(0.2, 0.0, 0.0))],
            vec![formula(Shape::Cone { radius: 0.1, height: 0.2 }, at(0.2, 0.0, 0.0))],
        ],
        at(1.0, 0.6, 0.3),
    );
    other.name = "s".into();
    let mut part = object("part", vec![formula(Shape::Sphere { radius: 0.03 }, at(0.7, 0.0, 0.3))]);
    part.on = Some("r/arm".into());
    let post =
        object("post", vec![formula(Shape::Cylinder { radius: 0.05, height: 1.0 }, at(0.3, -0.7, 0.3))]);
    let (scenes, mut oracle) = Scenes::new(cell_of(vec![robot, other], vec![part, post]));
    let mut ready = Ready::new(&scenes);
    let mut dice = Dice(52);
    let mut tally = Tally::default();
    for k in 0..120 {
        let clearance = [0.0, 0.005, 0.02][k % 3];
        let special = [(PairId((k % 5) as u32), 0.0), (PairId(7), 0.05)];
        let of_pairs = if k % 2 == 0 { &special[..] } else { &[] };
        let options = MotionOptions { clearance, of_pairs, ..MotionOptions::default() };
        let motion = motion(scenes.quick.cell(), &mut dice);
        ready.ask(&mut oracle, &motion, &options, 60, &mut tally);
    }
    assert!(tally.free > 20 && tally.touching > 20 && tally.undecided == 0, "{tally:?}");
}

/// Nothing that moves, nothing to check, motions without a way, and options that are no lengths.
#[test]
fn nothing_much() {
    let options = MotionOptions::default();
    let alone = row(
        &[(TURN, at(0.0, 0.0, 0.0))],
        vec![vec![], vec![of_mesh(block(0.1), at(1.0, 0.0, 0.0))]],
        at(0.0, 0.0, 0.0),
    );
    let empty = cell_of(vec![alone], Vec::new());
    assert!(empty.pairs().checked().is_empty());
    let turn = JointMotion::lines(&[vec![0.0], vec![3.0]]).expect("two postures");
    for scene in [Scene::new(Arc::new(empty.clone())), Scene::new(Arc::new(empty)).with_models()] {
        let prepared = MotionScene::new(&scene);
        let report = prepared.motion(&turn, &options, &mut prepared.workspace());
        assert!(
            matches!(report.verdict, Verdict::Free(proof) if proof.clearance == f64::INFINITY),
            "{report:?}"
        );
        let certificate = prepared.certify(&turn, &options).expect("there is nothing to show");
        assert!(kansho_verify::motion::verify_motion(scene.cell(), &turn, &certificate).is_ok());
    }
    let robot = row(
        &[(TURN, at(0.0, 0.0, 0.0))],
        vec![vec![], vec![of_mesh(block(0.1), at(1.0, 0.0, 0.0))]],
        at(0.0, 0.0, 0.0),
    );
    let near = object("o", vec![of_mesh(block(0.1), at(1.0, 0.0, 0.101))]);
    let (scenes, mut oracle) = Scenes::new(cell_of(vec![robot], vec![near]));
    let mut ready = Ready::new(&scenes);
    let mut tally = Tally::default();
    let still = JointMotion::lines(&[vec![0.1], vec![0.1], vec![0.1]]).expect("postures");
    for (clearance, is_free) in [(0.0, true), (0.0009, true), (0.0011, false), (f64::INFINITY, false)] {
        let options = MotionOptions { clearance, ..options };
        for motion in [&still, &turn] {
            let report = ready.ask(&mut oracle, motion, &options, 30, &mut tally);
            assert_eq!(matches!(report.verdict, Verdict::Free(_)), is_free, "{clearance}: {report:?}");
        }
    }
    for length in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        let pairs = [(PairId(0), length)];
        for options in [
            MotionOptions { clearance: length, ..options },
            MotionOptions { resolution: length, ..options },
            MotionOptions { of_pairs: &pairs, ..options },
        ] {
            for prepared in [&ready.plain, &ready.quick] {
                let report = prepared.motion(&turn, &options, &mut prepared.workspace());
                assert!(!matches!(report.verdict, Verdict::Free(_)), "{options:?}");
            }
        }
    }
}

/// Within a shell, touching nothing; and in a hall that has no lid.
#[test]
fn hollows() {
    let hollow =
        crate::models::together(&[(block(2.0), DVec3::ZERO, false), (block(1.8), DVec3::ZERO, true)]);
    let robot = row(
        &[(SLIDE, at(0.0, 0.0, 0.0)), (TURN, at(0.0, 0.0, 0.0))],
        vec![vec![], vec![], vec![of_mesh(block(0.3), at(0.2, 0.0, 0.0))]],
        at(0.0, 0.0, 0.0),
    );
    let (scenes, mut oracle) =
        Scenes::new(cell_of(vec![robot], vec![object("shell", vec![of_mesh(hollow, at(0.0, 0.0, 0.0))])]));
    let mut ready = Ready::new(&scenes);
    let mut tally = Tally::default();
    let options = MotionOptions::default();
    for (end, is_free) in [(0.3, true), (2.0, false)] {
        let motion = JointMotion::lines(&[vec![0.0, 0.0], vec![end, 0.5]]).expect("two postures");
        let report = ready.ask(&mut oracle, &motion, &options, 60, &mut tally);
        assert_eq!(matches!(report.verdict, Verdict::Free(_)), is_free, "{report:?}");
        if is_free {
            let certificate = ready.quick.certify(&motion, &options).expect("a certificate");
            kansho_verify::motion::verify_motion(&oracle.cell, &motion, &certificate).expect("it is true");
        }
    }
}
