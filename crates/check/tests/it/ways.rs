//! Motions of cells that carry things: a rail, a turn on it, a part in its grip; and how near anything comes on the way.

use kansho_cell::{
    BodyPiece, Cell, CellDraft, Geometry, JointDraft, JointKind, JointMotion, Limits, LinkDraft, ObjectDraft,
    Robot, RobotDraft, RobotDraftInCell, builtin,
};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::Scene;
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_verify::motion::verify_motion;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

fn block(size: [f64; 3], at: [f64; 3]) -> BodyPiece {
    let shape = Shape::Box { size: DVec3::from_array(size) };
    BodyPiece {
        geometry: Geometry::Primitive(Primitive::new(shape).expect("valid sizes")),
        carrier_from_piece: Pose::from_translation(DVec3::from_array(at)),
    }
}

/// A carriage on a rail along x, on it a turn about z, and a part that is gripped 1 m from its axis. A wall stands at x = 3, and `objects`.
fn carried(objects: Vec<ObjectDraft>) -> Cell {
    let link = |name: &str, pieces| LinkDraft { name: name.into(), pieces };
    let joint = |name: &str, parent: &str, child: &str, kind| JointDraft {
        name: name.into(),
        kind,
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::IDENTITY,
        limits: matches!(kind, JointKind::Prismatic { .. }).then_some(Limits { lower: -9.0, upper: 9.0 }),
        max_speed: None,
        mimic: None,
    };
    let draft = RobotDraft {
        name: "railed".into(),
        links: vec![
            link("rail", vec![block([5.6, 0.1, 0.1], [0.0, 0.0, -0.5])]),
            link("carriage", vec![block([0.2, 0.2, 0.2], [0.0; 3])]),
            link("arm", vec![block([0.8, 0.05, 0.05], [0.5, 0.0, 0.3])]),
        ],
        joints: vec![
            joint("slide", "rail", "carriage", JointKind::Prismatic { axis: DVec3::X }),
            joint("turn", "carriage", "arm", JointKind::Continuous { axis: DVec3::Z }),
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
    let object = |name: &str, piece, on: Option<&str>| ObjectDraft {
        name: name.into(),
        pieces: vec![piece],
        on: on.map(str::to_owned),
    };
    let mut all = vec![
        object("part", block([0.2, 0.2, 0.2], [1.0, 0.0, 0.3]), Some("r/arm")),
        object("wall", block([0.2, 4.0, 4.0], [3.1, 0.0, 0.0]), None),
    ];
    all.extend(objects);
    Cell::new(CellDraft { robots: vec![robot], objects: all, allow: Vec::new() }).expect("a cell")
}

fn line(from: &[f64], to: &[f64]) -> JointMotion {
    JointMotion::lines(&[from.to_vec(), to.to_vec()]).expect("two postures")
}

#[test]
fn a_gripped_part_on_a_rail_meets_the_wall_first() {
    let scene = Scene::new(Arc::new(carried(Vec::new())));
    for scene in [scene.clone(), scene.with_models()] {
        let prepared = MotionScene::new(&scene);
        let mut workspace = prepared.workspace();
        let options = MotionOptions::default();
        // Along the rail alone: the part ends at 1.1 before the axis, so it touches at 1.9 of 4.
        let report = prepared.motion(&line(&[0.0, 0.0], &[4.0, 0.0]), &options, &mut workspace);
        let Verdict::Touches(found) = report.verdict else { panic!("{report:?}") };
        assert_eq!(scene.pair_name(found.pair), "part|wall");
        assert!((found.time.end - 1.9 / 4.0).abs() < 1e-6 && found.gap < 1e-6, "{found:?}");
        assert!((found.points[0].x - 3.0).abs() < 1e-6, "{found:?}");
        // Turned away while it drives, it stays behind its carriage: that ends at 0.1 before the axis.
        let away = line(&[0.0, 2.0 * FRAC_PI_2], &[2.5, 2.0 * FRAC_PI_2]);
        let report = prepared.motion(&away, &options, &mut workspace);
        let Verdict::Free(proof) = report.verdict else { panic!("{report:?}") };
        let least = prepared.least_gap(&away, &options, proof.clearance, &mut workspace);
        let (t, gap) = least.measured.expect("there are gaps");
        // The least gap is that of the arm over its carriage or under the part: constant while nothing turns.
        assert!(
            (0.0..=1.0).contains(&t) && least.proven <= gap.gap && least.proven >= 0.8 * gap.gap,
            "{least:?}"
        );
        // Turning at x = 2 sweeps the far corner of the part, at hypot(1.1, 0.1) from the axis, into the wall: where its x is 1.
        let swing = line(&[2.0, FRAC_PI_2], &[2.0, 0.0]);
        let report = prepared.motion(&swing, &options, &mut workspace);
        let Verdict::Touches(found) = report.verdict else { panic!("{report:?}") };
        let corner = (1.0 / 1.1_f64.hypot(0.1)).acos() + (0.1_f64 / 1.1).atan();
        assert!((found.posture[1] - corner).abs() < 1e-5, "{} {corner}", found.posture[1]);
        // Both at once, certified and verified.
        let both = line(&[0.0, 0.0], &[1.5, 6.0]);
        assert!(prepared.motion(&both, &options, &mut workspace).verdict.is_free());
        let certificate = prepared.certify(&both, &options).expect("a certificate");
        let cell = scene.cell();
        verify_motion(cell, &both, &certificate).expect("it is true");
        assert!(verify_motion(cell, &line(&[0.0, 0.0], &[4.0, 6.0]), &certificate).is_err());
    }
}

#[test]
fn what_always_touches_is_a_contact_at_the_start() {
    let on = |name: &str, at: [f64; 3]| ObjectDraft {
        name: name.into(),
        pieces: vec![block([0.1, 0.1, 0.1], at)],
        on: Some("r/carriage".into()),
    };
    // Held still on the carriage is one thing (never checked); bolted to it by a joint that is held is another.
    let cell = carried(vec![on("box", [0.0, 0.0, 0.12])]);
    assert!(Scene::new(Arc::new(cell)).always().next().is_none(), "bodies on one link are not checked");
    let link = |name: &str, pieces| LinkDraft { name: name.into(), pieces };
    let joint = |name: &str, parent: &str, child: &str, kind| JointDraft {
        name: name.into(),
        kind,
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::IDENTITY,
        limits: matches!(kind, JointKind::Prismatic { .. }).then_some(Limits { lower: -9.0, upper: 9.0 }),
        max_speed: None,
        mimic: None,
    };
    let draft = RobotDraft {
        name: "bolted".into(),
        links: vec![
            link("rail", Vec::new()),
            link("car", vec![block([0.2, 0.2, 0.2], [0.0; 3])]),
            link("between", Vec::new()),
            link("hand", vec![block([0.2, 0.2, 0.2], [0.15, 0.0, 0.0])]),
        ],
        joints: vec![
            joint("slide", "rail", "car", JointKind::Prismatic { axis: DVec3::X }),
            joint("bolt", "car", "between", JointKind::Fixed),
            joint("more", "between", "hand", JointKind::Fixed),
        ],
    };
    let robot = RobotDraftInCell {
        name: "b".into(),
        robot: Robot::new(draft).expect("a robot"),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    for objects in [
        Vec::new(),
        vec![ObjectDraft { name: "far".into(), pieces: vec![block([0.1; 3], [9.0, 0.0, 0.0])], on: None }],
    ] {
        let draft = CellDraft { robots: vec![robot.clone()], objects, allow: Vec::new() };
        let scene = Scene::new(Arc::new(Cell::new(draft).expect("a cell")));
        for scene in [scene.clone(), scene.with_models()] {
            assert_eq!(scene.always().len(), 1);
            let prepared = MotionScene::new(&scene);
            let mut workspace = prepared.workspace();
            let motion = line(&[0.0], &[1.0]);
            let report = prepared.motion(&motion, &MotionOptions::default(), &mut workspace);
            let Verdict::Touches(found) = report.verdict else { panic!("{report:?}") };
            assert!(found.at_start && found.gap == 0.0 && found.time.end == 0.0, "{found:?}");
            assert_eq!(scene.pair_name(found.pair), "b/car|b/hand");
            let depth = scene.depth(&[0.3], found.pair, 1e-6, &mut scene.workspace()).expect("boxes");
            assert!(
                depth[0] <= 0.05 + 1e-9 && 0.05 - 1e-9 <= depth[1] && depth[1] - depth[0] < 1e-5,
                "{depth:?}"
            );
        }
    }
}

/// What is said to be proven is never more than what dense sampling sees, and what is measured is seen.
#[test]
fn the_least_gap_of_random_motions_is_enclosed() {
    let scene = Scene::new(Arc::new(builtin::cell())).with_models();
    let prepared = MotionScene::new(&scene);
    let (mut workspace, mut of_scene) = (prepared.workspace(), scene.workspace());
    let mut seed = 7_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut free, mut near) = (0, 0);
    for k in 0..40 {
        let mut posture = || builtin::home().iter().map(|q| q + 0.8 * (random() - 0.5)).collect::<Vec<f64>>();
        let postures: Vec<Vec<f64>> = (0..2 + k % 3).map(|_| posture()).collect();
        let motion = if k % 2 == 0 { JointMotion::lines(&postures) } else { JointMotion::spline(&postures) };
        let motion = motion.expect("postures");
        let options = MotionOptions::default();
        let Verdict::Free(proof) = prepared.motion(&motion, &options, &mut workspace).verdict else {
            continue;
        };
        free += 1;
        let least = prepared.least_gap(&motion, &options, proof.clearance, &mut workspace);
        let (t, measured) = least.measured.expect("there are gaps");
        let there = scene.least_gap(&motion.at(t), f64::INFINITY, &mut of_scene).expect("a gap");
        assert_eq!(there.gap, measured.gap, "{k}");
        let seen = (0..=400)
            .map(|i| scene.least_gap(&motion.at(f64::from(i) / 400.0), f64::INFINITY, &mut of_scene))
            .map(|found| found.expect("a gap").gap)
            .fold(f64::INFINITY, f64::min);
        assert!(proof.clearance <= seen && least.proven <= seen, "{k}: {proof:?} {least:?} {seen}");
        near += usize::from(least.proven >= 0.75 * measured.gap);
        // Who is stopped knows nothing, and never says free.
        let stop = std::sync::atomic::AtomicBool::new(true);
        let stopped = MotionOptions { stop: Some(&stop), ..options };
        let verdict = prepared.motion(&motion, &stopped, &mut workspace).verdict;
        assert!(matches!(verdict, Verdict::Undecided { .. }), "{k}: {verdict:?}");
        assert!(prepared.certify(&motion, &stopped).is_err() || proof.clearance.is_infinite());
        // Without time nothing is lost that was proven before.
        let late = MotionOptions { deadline: Some(std::time::Instant::now()), ..options };
        let least = prepared.least_gap(&motion, &late, proof.clearance, &mut workspace);
        assert!(least.proven <= seen && least.proven >= proof.clearance.min(seen), "{k}: {least:?}");
    }
    assert!(free > 10 && near * 10 >= free * 9, "{free} are free, of {near} the bounds are near each other");
}
