//! Models give the answers of the triangles and formulas, in every posture and after every other.

use kansho_cell::{
    BodyPiece, Cell, CellDraft, Geometry, JointDraft, JointKind, Limits, LinkDraft, MimicDraft, ObjectDraft,
    Robot, RobotDraft, RobotDraftInCell, builtin,
};
use kansho_check::sample;
use kansho_check::scene::models::Stages;
use kansho_check::scene::{Scene, Workspace};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::weld;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Mesh, Pose};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Numbers from 0 to 1 that are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> f64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((self.roll() * count as f64) as usize).min(count - 1)
    }

    pub(crate) fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }
}

pub(crate) fn block(size: f64) -> Mesh {
    let shape = Primitive::new(Shape::Box { size: DVec3::splat(size) }).expect("a block");
    shape.tessellated(1.0).expect("a block is bounded")
}

/// Several meshes in one; some turned inside out.
pub(crate) fn together(parts: &[(Mesh, DVec3, bool)]) -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (mesh, shift, turned) in parts {
        let first = points.len() as u32;
        points.extend(mesh.vertices().iter().map(|p| *p + *shift));
        let turn = |&[a, b, c]: &[u32; 3]| if *turned { [a, c, b] } else { [a, b, c] };
        triangles.extend(mesh.triangles().iter().map(|t| turn(t).map(|v| v + first)));
    }
    weld(&points, &triangles, 0.0).expect("meshes").mesh
}

/// Anything of about a size: round, square, hollow, open, in several pieces.
pub(crate) fn geometry(dice: &mut Dice, size: f64) -> Geometry {
    let primitive = |shape| Geometry::Primitive(Primitive::new(shape).expect("valid sizes"));
    let mesh = |mesh: Mesh| Geometry::Mesh(Arc::new(mesh));
    match dice.below(11) {
        0 => primitive(Shape::Box { size: DVec3::new(size, 0.4 * size, 0.2 * size) }),
        1 => primitive(Shape::Sphere { radius: 0.5 * size }),
        2 => primitive(Shape::Cylinder { radius: 0.3 * size, height: size }),
        3 => primitive(Shape::Capsule { radius: 0.2 * size, height: size }),
        4 => primitive(Shape::Cone { radius: 0.4 * size, height: size }),
        5 => mesh(block(size)),
        // A shell.
        6 => mesh(together(&[(block(size), DVec3::ZERO, false), (block(0.9 * size), DVec3::ZERO, true)])),
        // Two crumbs far from each other.
        7 => mesh(together(&[
            (block(0.1 * size), DVec3::ZERO, false),
            (block(0.1 * size), DVec3::X * size, false),
        ])),
        // Open: a sheet, and a box without a lid.
        8 => {
            let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.2), DVec3::Y].map(|p| p * size);
            mesh(weld(&points, &[[0, 1, 2], [0, 2, 3]], 0.0).expect("a sheet").mesh)
        }
        9 => {
            let whole = block(size);
            mesh(weld(whole.vertices(), &whole.triangles()[..10], 0.0).expect("without a lid").mesh)
        }
        _ => {
            let round = Primitive::new(Shape::Sphere { radius: 0.5 * size }).expect("a ball");
            mesh(round.tessellated(0.02 * size).expect("bounded"))
        }
    }
}

pub(crate) fn piece(dice: &mut Dice, size: f64, spread: f64) -> BodyPiece {
    let carrier_from_piece = Pose::from_rpy(dice.vector(spread), dice.vector(3.0));
    BodyPiece { geometry: geometry(dice, size), carrier_from_piece }
}

/// A chain of joints of every kind; the last follows the one before it.
fn chain(dice: &mut Dice, free: Option<JointKind>, scale: f64) -> Robot {
    let mut kinds: Vec<JointKind> = (0..3)
        .map(|_| {
            let axis = dice.vector(1.0);
            match dice.below(3) {
                0 => JointKind::Prismatic { axis },
                1 => JointKind::Continuous { axis },
                _ => JointKind::Revolute { axis },
            }
        })
        .collect();
    let at = dice.below(kinds.len());
    // In the middle, too: then there is no bound on how far what comes before moves it.
    kinds.splice(at..at, free);
    let count = kinds.len();
    let joints: Vec<JointDraft> = kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| JointDraft {
            name: format!("j{index}"),
            kind: *kind,
            parent: format!("l{index}"),
            child: format!("l{}", index + 1),
            parent_from_joint: Pose::from_rpy(dice.vector(0.5 * scale), dice.vector(3.0)),
            limits: match kind {
                JointKind::Prismatic { .. } => Some(Limits { lower: -0.5 * scale, upper: 0.4 * scale }),
                _ => Some(Limits { lower: dice.between(-3.0, -0.1), upper: dice.between(0.1, 3.0) }),
            },
            max_speed: None,
            mimic: (index + 1 == count
                && matches!(kinds[index], JointKind::Revolute { .. } | JointKind::Continuous { .. })
                && matches!(kinds[index - 1], JointKind::Revolute { .. } | JointKind::Continuous { .. }))
            .then(|| MimicDraft {
                joint: format!("j{}", index - 1),
                multiplier: [-1.0, 0.5, 0.0, 1.0, -1.5][dice.below(5)],
                offset: 0.2,
            }),
        })
        .collect();
    let links = (0..=count)
        .map(|index| LinkDraft {
            name: format!("l{index}"),
            pieces: (0..[1, 0, 2, 1][index % 4])
                .map(|_| {
                    let size = dice.between(0.05, 0.35) * scale;
                    piece(dice, size, 0.2 * scale)
                })
                .collect(),
        })
        .collect();
    Robot::new(RobotDraft { name: "chain".into(), links, joints }).expect("a robot")
}

/// Two chains among small and large things, some of which may hold them.
pub(crate) fn cell(dice: &mut Dice, scale: f64, middle: DVec3) -> Cell {
    let free = match dice.below(4) {
        0 => Some(JointKind::Planar { normal: dice.vector(1.0) }),
        1 => Some(JointKind::Floating),
        _ => None,
    };
    let robots = [("a", None), ("b", free)].map(|(name, free)| RobotDraftInCell {
        name: name.into(),
        robot: chain(dice, free, scale),
        world_from_root: Pose::from_rpy(middle + dice.vector(1.2 * scale), dice.vector(3.0)),
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    });
    let mut objects: Vec<ObjectDraft> = (0..3)
        .map(|index| {
            let size = [0.2, 0.6, 1.6][dice.below(3)] * scale;
            let mut piece = piece(dice, size, 1.8 * scale);
            piece.carrier_from_piece = Pose::from_translation(middle) * piece.carrier_from_piece;
            ObjectDraft { name: format!("o{index}"), pieces: vec![piece], on: None }
        })
        .collect();
    if dice.roll() < 0.5 {
        let floor = Shape::HalfSpace { normal: DVec3::Z, offset: -1.5 * scale };
        objects.push(ObjectDraft {
            name: "floor".into(),
            pieces: vec![BodyPiece {
                geometry: Geometry::Primitive(Primitive::new(floor).expect("a plane")),
                carrier_from_piece: Pose::from_translation(middle),
            }],
            on: None,
        });
    }
    Cell::new(CellDraft { robots: robots.into(), objects, ..CellDraft::default() }).expect("a cell")
}

/// A scene without models and with them, each with its memory.
struct Both {
    plain: Scene,
    quick: Scene,
    by_plain: Workspace,
    by_quick: Workspace,
    touching: usize,
    free: usize,
}

impl Both {
    fn new(cell: Cell) -> Self {
        let cell = Arc::new(cell);
        let (plain, quick) = (Scene::new(Arc::clone(&cell)), Scene::new(cell).with_models());
        let (by_plain, by_quick) = (plain.workspace(), quick.workspace());
        Self { plain, quick, by_plain, by_quick, touching: 0, free: 0 }
    }

    fn agree(&mut self, posture: &[f64]) -> bool {
        let exact = self.plain.first_hit(posture, &self.plain.listed(), None, &mut self.by_plain).is_some();
        let before = self.by_quick.stages();
        let quick = self.quick.touches(posture, &mut self.by_quick);
        if quick != exact {
            let gap = self.plain.least_gap(posture, f64::INFINITY, &mut self.by_plain);
            let cell = self.plain.cell();
            let of = gap.as_ref().map(|gap| self.plain.bodies(gap.pair).map(|b| cell.body(b).clone().pieces));
            panic!(
                "{quick} instead of {exact} in {posture:?}: {gap:?} {of:?} {before:?} {:?}",
                self.by_quick.stages()
            );
        }
        *if exact { &mut self.touching } else { &mut self.free } += 1;
        exact
    }

    /// A posture within the limits, or a little beyond them.
    fn posture(&self, dice: &mut Dice, beyond: f64) -> Vec<f64> {
        let range = |coordinate: &kansho_cell::Coordinate| {
            coordinate.limits.unwrap_or(Limits { lower: -1.0, upper: 1.0 })
        };
        let limits: Vec<Limits> = self.plain.cell().coordinates().iter().map(range).collect();
        limits.iter().map(|l| dice.between(l.lower - beyond, l.upper + beyond)).collect()
    }

    /// Goes on in small steps, with whole turns and jumps back in between.
    fn walk(&mut self, dice: &mut Dice, steps: usize, step: f64) {
        let mut posture = self.posture(dice, 0.0);
        let mut way: Vec<f64> = posture.iter().map(|_| dice.between(-1.0, 1.0)).collect();
        let mut before: Vec<Vec<f64>> = Vec::new();
        for _ in 0..steps {
            if dice.roll() < 0.05 {
                way.iter_mut().for_each(|way| *way = dice.between(-1.0, 1.0));
            }
            let size = step * 10f64.powf(dice.between(-3.0, 0.0));
            posture.iter_mut().zip(&way).for_each(|(value, way)| *value += way * size);
            match dice.below(40) {
                // Whole turns change nothing but for joints that follow by a fraction, and for slides.
                0 => {
                    let k = dice.below(posture.len());
                    posture[k] += TAU * [-3.0, -1.0, 1.0, 2.0][dice.below(4)];
                }
                1 => posture = before.get(dice.below(before.len().max(1))).cloned().unwrap_or(posture),
                2 => posture = self.posture(dice, 0.3),
                _ => {}
            }
            self.agree(&posture);
            before.push(posture.clone());
        }
    }

    /// Between a posture that is free and one that is not, closer and closer until they are neighbours.
    fn bisect(&mut self, dice: &mut Dice) -> bool {
        let (mut free, mut hit) = (self.posture(dice, 0.0), self.posture(dice, 0.0));
        if self.agree(&free) || !self.agree(&hit) {
            return false;
        }
        let (mut low, mut high) = (0.0f64, 1.0f64);
        while high - low > f64::EPSILON * high {
            let middle = 0.5 * (low + high);
            if middle == low || middle == high {
                break;
            }
            let at: Vec<f64> = free.iter().zip(&hit).map(|(x, y)| x + (y - x) * middle).collect();
            *if self.agree(&at) { &mut high } else { &mut low } = middle;
        }
        std::mem::swap(&mut free, &mut hit);
        true
    }
}

#[test]
fn models_of_random_cells_agree() {
    let mut dice = Dice(11);
    let (mut touching, mut free, mut bisected) = (0, 0, 0);
    let mut stages = Stages::default();
    for k in 0..40 {
        let scale = [1.0, 1.0, 1e-3, 100.0][k % 4];
        let middle = [DVec3::ZERO, DVec3::new(3e4, -2e4, 500.0)][usize::from(k % 5 == 4)];
        let mut both = Both::new(cell(&mut dice, scale, middle));
        // Before postures that are far from each other, after which what was proven for one is not kept for the next for a while.
        both.walk(&mut dice, 150, 0.1 * scale.min(1.0));
        for _ in 0..40 {
            let posture = both.posture(&mut dice, 0.0);
            both.agree(&posture);
            let posture = both.posture(&mut dice, 0.5);
            both.agree(&posture);
        }
        bisected += (0..10).filter(|_| both.bisect(&mut dice)).count();
        (touching, free) = (touching + both.touching, free + both.free);
        stages.add(&both.by_quick.stages());
    }
    assert!(touching > 1000 && free > 1000 && bisected > 30, "{touching} {free} {bisected}");
    // All ways to an answer were taken.
    let ways = [stages.kept, stages.inner, stages.spheres, stages.exact_free, stages.exact_hit];
    assert!(ways.iter().all(|way| *way > 100), "{stages:?}");
}

/// Bodies of all sizes that move freely through each other: small ones in large ones, whichever is the field, and in hollows.
pub(crate) fn nested(dice: &mut Dice) -> Cell {
    let robot = |name: &str, dice: &mut Dice| {
        let link = |name: &str, pieces| LinkDraft { name: name.into(), pieces };
        let size = [0.05, 0.3, 1.0][dice.below(3)];
        let mut pieces = vec![piece(dice, size, 0.2)];
        if dice.roll() < 0.3 {
            pieces.push(piece(dice, 0.1, 0.5));
        }
        let draft = RobotDraft {
            name: name.into(),
            links: vec![link("root", vec![]), link("body", pieces)],
            joints: vec![JointDraft {
                name: "free".into(),
                kind: JointKind::Floating,
                parent: "root".into(),
                child: "body".into(),
                parent_from_joint: Pose::IDENTITY,
                limits: None,
                max_speed: None,
                mimic: None,
            }],
        };
        RobotDraftInCell {
            name: name.into(),
            robot: Robot::new(draft).expect("a robot"),
            world_from_root: Pose::IDENTITY,
            hold: Vec::new(),
            tool: None,
            disabled: Vec::new(),
        }
    };
    let robots = vec![robot("a", dice), robot("b", dice)];
    let objects = (0..2)
        .map(|index| {
            let size = [0.05, 0.3, 2.0][dice.below(3)];
            ObjectDraft { name: format!("o{index}"), pieces: vec![piece(dice, size, 1.0)], on: None }
        })
        .collect();
    Cell::new(CellDraft { robots, objects, ..CellDraft::default() }).expect("a cell")
}

#[test]
fn models_of_bodies_in_bodies_agree() {
    let mut dice = Dice(5);
    let (mut touching, mut free) = (0, 0);
    for _ in 0..50 {
        let mut both = Both::new(nested(&mut dice));
        for _ in 0..60 {
            let posture = both.posture(&mut dice, 0.0);
            both.agree(&posture);
        }
        both.walk(&mut dice, 100, 0.1);
        (0..4).for_each(|_| {
            both.bisect(&mut dice);
        });
        (touching, free) = (touching + both.touching, free + both.free);
    }
    assert!(touching > 1000 && free > 1000, "{touching} {free}");
}

#[test]
fn models_of_the_built_in_cell_agree() {
    let mut both = Both::new(builtin::cell());
    let mut dice = Dice(2);
    let postures: Vec<Vec<f64>> = sample::postures(both.plain.cell()).take(1000).collect();
    postures.iter().for_each(|posture| {
        both.agree(posture);
    });
    both.walk(&mut dice, 1000, 0.1);
    let bisected = (0..40).filter(|_| both.bisect(&mut dice)).count();
    assert!(both.touching > 200 && both.free > 200 && bisected > 5, "{} {}", both.touching, both.free);
}

/// A whole turn of what follows by a fraction, and values far out, lead elsewhere: nothing is kept that does not hold there.
#[test]
fn far_turns_agree() {
    let mut dice = Dice(3);
    for _ in 0..10 {
        let mut both = Both::new(cell(&mut dice, 1.0, DVec3::ZERO));
        for _ in 0..30 {
            let posture = both.posture(&mut dice, 0.0);
            for turns in [0.0, 1.0, -4.0, 1e3, 1e6] {
                let far: Vec<f64> = posture.iter().map(|value| value + TAU * turns).collect();
                both.agree(&posture);
                both.agree(&far);
            }
        }
    }
}

/// What is no number proves nothing.
#[test]
fn postures_that_are_no_numbers_touch() {
    let mut both = Both::new(builtin::cell());
    let mut posture = builtin::home();
    both.agree(&posture);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for k in 0..posture.len() {
            let before = std::mem::replace(&mut posture[k], value);
            assert!(both.agree(&posture), "{k} {value}");
            posture[k] = before;
            both.agree(&posture);
        }
    }
}

/// An arm of two joints that carries a ball, and a ball that stands.
fn two_joints(kinds: [JointKind; 2], follows: Option<MimicDraft>, at: DVec3, stands: DVec3) -> Both {
    let ball = |at: DVec3| BodyPiece {
        geometry: Geometry::Primitive(Primitive::new(Shape::Sphere { radius: 0.1 }).expect("a ball")),
        carrier_from_piece: Pose::from_translation(at),
    };
    let joint = |index: usize, mimic| JointDraft {
        name: format!("j{index}"),
        kind: kinds[index],
        parent: format!("l{index}"),
        child: format!("l{}", index + 1),
        parent_from_joint: Pose::IDENTITY,
        limits: Some(Limits { lower: -0.1, upper: 0.1 }),
        max_speed: None,
        mimic,
    };
    let link = |index: usize, pieces| LinkDraft { name: format!("l{index}"), pieces };
    let draft = RobotDraft {
        name: "arm".into(),
        links: vec![link(0, vec![]), link(1, vec![]), link(2, vec![ball(at)])],
        joints: vec![joint(0, None), joint(1, follows)],
    };
    let robot = RobotDraftInCell {
        name: "arm".into(),
        robot: Robot::new(draft).expect("a robot"),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let objects = vec![ObjectDraft { name: "stands".into(), pieces: vec![ball(stands)], on: None }];
    let draft = CellDraft { robots: vec![robot], objects, ..CellDraft::default() };
    Both::new(Cell::new(draft).expect("a cell"))
}

/// A whole turn of a joint is half a turn of one that follows it by a half.
#[test]
fn a_whole_turn_is_half_a_turn_of_what_follows() {
    let kinds = [JointKind::Continuous { axis: DVec3::X }, JointKind::Continuous { axis: DVec3::Z }];
    for (multiplier, hits) in [(0.5, true), (-0.5, true), (1.0, false), (-1.0, false)] {
        let follows = MimicDraft { joint: "j0".into(), multiplier, offset: 0.0 };
        let mut both = two_joints(kinds, Some(follows), DVec3::X, -DVec3::X);
        assert!(!both.agree(&[0.0]));
        assert_eq!(both.agree(&[TAU]), hits);
        assert!(!both.agree(&[2.0 * TAU]));
    }
}

/// Beyond the limits of a slide, what it carries reaches farther than any bound knew.
#[test]
fn beyond_its_limits_a_slide_reaches_farther() {
    let kinds = [JointKind::Revolute { axis: DVec3::Z }, JointKind::Prismatic { axis: DVec3::X }];
    // At 5 m, a gap of 5 cm is 0.01 rad.
    let mut both = two_joints(kinds, None, DVec3::ZERO, DVec3::new(5.0, 0.25, 0.0));
    for angle in [1e-4, 0.005, 0.02, 0.03] {
        assert!(!both.agree(&[0.0, 5.0]));
        assert_eq!(both.agree(&[angle, 5.0]), angle > 0.01);
        assert!(!both.agree(&[angle, 0.05]));
    }
}
