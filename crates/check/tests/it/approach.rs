use kansho_cell::{
    BodyPiece, Cell, CellDraft, Geometry, JointDraft, JointKind, Limits, LinkDraft, MimicDraft, ObjectDraft,
    Robot, RobotDraft, RobotDraftInCell, builtin,
};
use kansho_check::approach::Approach;
use kansho_check::scene::{PairId, Scene};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use std::sync::Arc;

/// Numbers from 0 to 1 that are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }
}

fn piece(shape: Shape, at: DVec3) -> BodyPiece {
    BodyPiece {
        geometry: Geometry::Primitive(Primitive::new(shape).expect("valid sizes")),
        carrier_from_piece: Pose::from_translation(at),
    }
}

/// A chain of joints of every kind, with a joint that follows another. What moves freely hangs on the root, for nothing else
/// has a bound.
fn chain(dice: &mut Dice, free: Option<JointKind>) -> Robot {
    let kinds: Vec<JointKind> = free
        .into_iter()
        .chain((0..4).map(|_| {
            let axis = dice.vector(1.0);
            match (dice.roll() * 3.0) as u32 {
                0 => JointKind::Prismatic { axis },
                1 => JointKind::Continuous { axis },
                _ => JointKind::Revolute { axis },
            }
        }))
        .collect();
    let link = |index: usize, dice: &mut Dice| LinkDraft {
        name: format!("l{index}"),
        pieces: match index % 3 {
            0 => vec![piece(Shape::Box { size: DVec3::new(0.3, 0.1, 0.2) }, dice.vector(0.3))],
            1 => vec![
                piece(Shape::Capsule { radius: 0.05, height: 0.4 }, dice.vector(0.3)),
                piece(Shape::Sphere { radius: 0.1 }, dice.vector(0.3)),
            ],
            _ => vec![piece(Shape::Cylinder { radius: 0.1, height: 0.3 }, dice.vector(0.2))],
        },
    };
    let joints = kinds.iter().enumerate().map(|(index, kind)| JointDraft {
        name: format!("j{index}"),
        kind: *kind,
        parent: format!("l{index}"),
        child: format!("l{}", index + 1),
        parent_from_joint: Pose::from_rpy(dice.vector(0.4), dice.vector(3.0)),
        limits: Some(Limits { lower: dice.between(-1.0, -0.1), upper: dice.between(0.1, 1.0) }),
        max_speed: Some(dice.between(0.2, 2.0)),
        // The last follows the one before it, whatever the two measure.
        mimic: (index + 1 == kinds.len()).then(|| MimicDraft {
            joint: format!("j{}", index - 1),
            multiplier: -1.5,
            offset: 0.2,
        }),
    });
    let joints: Vec<JointDraft> = joints.collect();
    let links = (0..=kinds.len()).map(|index| link(index, dice)).collect();
    Robot::new(RobotDraft { name: "chain".into(), links, joints }).expect("a robot")
}

/// Two chains among obstacles.
fn cell(dice: &mut Dice) -> Cell {
    let free = match (dice.roll() * 3.0) as u32 {
        0 => Some(JointKind::Planar { normal: dice.vector(1.0) }),
        1 => Some(JointKind::Floating),
        _ => None,
    };
    let robots = [("a", None), ("b", free)].map(|(name, free)| RobotDraftInCell {
        name: name.into(),
        robot: chain(dice, free),
        world_from_root: Pose::from_translation(dice.vector(0.8)),
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    });
    let objects = (0..3).map(|index| ObjectDraft {
        name: format!("o{index}"),
        pieces: vec![piece(Shape::Box { size: DVec3::splat(0.3) }, dice.vector(2.5))],
        on: None,
    });
    let objects = objects.collect();
    Cell::new(CellDraft { robots: robots.into(), objects, ..CellDraft::default() }).expect("a cell")
}

/// Runs every coordinate at full speed, this way or that, and says when something touches first.
fn contact_comes_no_earlier(cell: Cell, dice: &mut Dice) -> (usize, usize) {
    let approach = Approach::new(&cell);
    assert_eq!(approach.unlimited().count(), 0);
    let scene = Scene::new(Arc::new(cell));
    let mut workspace = scene.workspace();
    let coordinates = scene.cell().coordinates().to_vec();
    let (mut starts, mut contacts) = (0, 0);
    for _ in 0..60 {
        let mut posture: Vec<f64> = coordinates
            .iter()
            .map(|c| c.limits.unwrap_or(Limits { lower: -3.0, upper: 3.0 }))
            .map(|l| dice.between(l.lower, l.upper))
            .collect();
        let start = approach.look(&scene, &posture, &mut workspace);
        let Some(least) = start.least.filter(|least| least.gap > 0.0) else { continue };
        starts += 1;
        assert!(start.time_to_contact >= approach.time_of(least.gap));
        assert!(start.time_to_contact <= least.gap / approach.speed(least.pair));
        let mut ways: Vec<f64> = coordinates.iter().map(|_| (dice.roll() - 0.5).signum()).collect();
        let step = 2e-3;
        for k in 1..=1000 {
            if dice.roll() < 0.01 {
                ways.iter_mut().for_each(|way| *way = (dice.roll() - 0.5).signum());
            }
            for ((value, way), coordinate) in posture.iter_mut().zip(&mut ways).zip(&coordinates) {
                *value += *way * step * coordinate.max_speed.expect("all have one");
                if let Some(limits) = coordinate.limits
                    && !limits.contain(*value)
                {
                    *value = value.clamp(limits.lower, limits.upper);
                    *way = -*way;
                }
            }
            let now = f64::from(k) * step;
            let look = approach.look(&scene, &posture, &mut workspace);
            let gap = look.least.map_or(0.0, |found| found.gap);
            // What was promised at the start holds: contact no earlier, and no gap that shrank faster.
            let fastest = (0..scene.cell().pairs().checked().len() as u32)
                .map(|pair| approach.speed(PairId(pair)))
                .fold(0.0, f64::max);
            assert!(gap >= least.gap - fastest * now - 1e-9, "{gap} after {now} s, {} before", least.gap);
            if gap == 0.0 {
                assert!(now >= start.time_to_contact, "{now} s instead of {} s", start.time_to_contact);
                contacts += 1;
                break;
            }
        }
    }
    (starts, contacts)
}

#[test]
fn contact_never_comes_before_the_bound() {
    let mut dice = Dice(5);
    let (mut starts, mut contacts) = (0, 0);
    for _ in 0..40 {
        let cell = cell(&mut dice);
        let (more_starts, more_contacts) = contact_comes_no_earlier(cell, &mut dice);
        (starts, contacts) = (starts + more_starts, contacts + more_contacts);
    }
    assert!(starts > 200 && contacts > 50, "{starts} starts, {contacts} contacts");
}

#[test]
fn a_slide_before_a_wall_has_the_bound_of_the_formula() {
    let link = |name: &str, pieces| LinkDraft { name: name.into(), pieces };
    let draft = RobotDraft {
        name: "slide".into(),
        links: vec![
            link("rail", vec![]),
            link("car", vec![piece(Shape::Sphere { radius: 0.25 }, DVec3::ZERO)]),
        ],
        joints: vec![JointDraft {
            name: "x".into(),
            kind: JointKind::Prismatic { axis: DVec3::X },
            parent: "rail".into(),
            child: "car".into(),
            parent_from_joint: Pose::IDENTITY,
            limits: Some(Limits { lower: -3.0, upper: 3.0 }),
            max_speed: Some(0.5),
            mimic: None,
        }],
    };
    let robot = RobotDraftInCell {
        name: "s".into(),
        robot: Robot::new(draft).expect("a robot"),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let wall = ObjectDraft {
        name: "wall".into(),
        pieces: vec![piece(Shape::HalfSpace { normal: DVec3::NEG_X, offset: -1.25 }, DVec3::ZERO)],
        on: None,
    };
    let cell = Cell::new(CellDraft { robots: vec![robot], objects: vec![wall], ..CellDraft::default() });
    let scene = Scene::new(Arc::new(cell.expect("a cell")));
    let approach = Approach::new(scene.cell());
    let mut workspace = scene.workspace();
    for (x, expected) in [(0.0, 2.0), (0.5, 1.0), (1.0, 0.0), (1.5, 0.0), (-3.5, 0.0)] {
        let look = approach.look(&scene, &[x], &mut workspace);
        let found = look.time_to_contact;
        assert!(found <= expected && found > expected - 1e-4, "{found} at {x}");
    }
}

#[test]
fn without_speed_limits_there_is_no_bound() {
    let draft_of = |speed: Option<f64>| {
        let link = |name: &str| LinkDraft {
            name: name.into(),
            pieces: vec![piece(Shape::Sphere { radius: 0.1 }, DVec3::X)],
        };
        let joint = |name: &str, parent: &str, child: &str, max_speed| JointDraft {
            name: name.into(),
            kind: JointKind::Continuous { axis: DVec3::Z },
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::from_translation(DVec3::X),
            limits: None,
            max_speed,
            mimic: None,
        };
        let draft = RobotDraft {
            name: "r".into(),
            links: vec![link("a"), link("b"), link("c")],
            joints: vec![joint("j", "a", "b", Some(1.0)), joint("k", "b", "c", speed)],
        };
        let robot = RobotDraftInCell {
            name: "r".into(),
            robot: Robot::new(draft).expect("a robot"),
            world_from_root: Pose::IDENTITY,
            hold: Vec::new(),
            tool: None,
            disabled: Vec::new(),
        };
        Cell::new(CellDraft { robots: vec![robot], ..CellDraft::default() }).expect("a cell")
    };
    for (speed, unlimited, bounded) in
        [(None, vec![1], false), (Some(0.0), vec![1], false), (Some(1.0), vec![], true)]
    {
        let scene = Scene::new(Arc::new(draft_of(speed)));
        let approach = Approach::new(scene.cell());
        assert_eq!(approach.unlimited().collect::<Vec<usize>>(), unlimited);
        let look = approach.look(&scene, &[0.0, 0.0], &mut scene.workspace());
        assert_eq!(look.time_to_contact > 0.0, bounded, "{look:?}");
    }
    // The arm that is built in has its limits.
    assert_eq!(Approach::new(&builtin::cell()).unlimited().count(), 0);
}
