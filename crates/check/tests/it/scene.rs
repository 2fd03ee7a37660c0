use kansho_cell::{
    BodyId, BodyPiece, Cell, CellDraft, FrameId, Geometry, InFrame, JointDraft, JointKind, Limits, LinkDraft,
    ObjectDraft, Placed, Robot, RobotDraft, RobotDraftInCell, builtin,
};
use kansho_check::order::{Order, Then, ranks};
use kansho_check::postures::{Answer, Find, PosturesOptions, postures};
use kansho_check::rough::RoughScene;
use kansho_check::sample;
use kansho_check::scene::{PairId, Scene, Touched};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::solid::{self, Meeting, Solid};
use kansho_geom::tree::Scratch;
use kansho_geom::{Mesh, Pose};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

fn piece(shape: Shape, at: DVec3) -> BodyPiece {
    BodyPiece {
        geometry: Geometry::Primitive(Primitive::new(shape).expect("valid sizes")),
        carrier_from_piece: Pose::from_translation(at),
    }
}

/// A gantry of three slides that carries every kind of shape among every kind of shape. Its hand is rigidly joined to the last
/// slide, and one of its links has two pieces.
fn gantry() -> Cell {
    let cube = Shape::Box { size: DVec3::splat(0.3) };
    let rod = Shape::Capsule { radius: 0.1, height: 0.5 };
    let link = |name: &str, pieces: Vec<BodyPiece>| LinkDraft { name: name.into(), pieces };
    let joint = |name: &str, parent: &str, child: &str, kind| JointDraft {
        name: name.into(),
        kind,
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::IDENTITY,
        limits: Some(Limits { lower: -2.0, upper: 2.0 }),
        max_speed: None,
        mimic: None,
    };
    let draft = RobotDraft {
        name: "gantry".into(),
        links: vec![
            link("base", vec![piece(cube, DVec3::new(0.0, 0.0, 3.0))]),
            link("x", vec![]),
            link("y", vec![piece(rod, DVec3::Z * 0.4), piece(cube, DVec3::Z * 0.9)]),
            link("z", vec![piece(Shape::Cylinder { radius: 0.2, height: 0.3 }, DVec3::Z * 0.1)]),
            link("hand", vec![piece(Shape::Sphere { radius: 0.15 }, DVec3::Z * -0.6)]),
        ],
        joints: vec![
            joint("x", "base", "x", JointKind::Prismatic { axis: DVec3::X }),
            joint("y", "x", "y", JointKind::Prismatic { axis: DVec3::Y }),
            joint("z", "y", "z", JointKind::Revolute { axis: DVec3::X }),
            joint("grip", "z", "hand", JointKind::Fixed),
        ],
    };
    let robot = RobotDraftInCell {
        name: "g".into(),
        robot: Robot::new(draft).expect("a robot"),
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let object =
        |name: &str, shape, at| ObjectDraft { name: name.into(), pieces: vec![piece(shape, at)], on: None };
    let mut gripped = object("gripped", Shape::Cone { radius: 0.1, height: 0.3 }, DVec3::Z * -0.9);
    gripped.on = Some("g/hand".into());
    let objects = vec![
        object("block", Shape::Box { size: DVec3::new(0.5, 0.6, 0.7) }, DVec3::new(1.0, 1.0, 0.0)),
        object("ball", Shape::Sphere { radius: 0.5 }, DVec3::new(-1.0, 1.2, 0.3)),
        object("post", Shape::Cylinder { radius: 0.1, height: 3.0 }, DVec3::new(-1.2, -1.0, 0.0)),
        object("cone", Shape::Cone { radius: 0.4, height: 0.8 }, DVec3::new(1.1, -1.3, -0.4)),
        object("pill", Shape::Capsule { radius: 0.2, height: 0.6 }, DVec3::new(0.1, 1.5, 0.1)),
        object("floor", Shape::HalfSpace { normal: DVec3::Z, offset: -1.05 }, DVec3::ZERO),
        object("wall", Shape::HalfSpace { normal: DVec3::new(-1.0, -0.2, 0.0), offset: -2.2 }, DVec3::ZERO),
        gripped,
    ];
    Cell::new(CellDraft { robots: vec![robot], objects, allow: Vec::new() }).expect("a cell")
}

/// Looks at every pair of pieces, one after the other.
struct Plain {
    cell: Arc<Cell>,
    solids: HashMap<(BodyId, usize), Arc<Solid>>,
}

impl Plain {
    fn new(cell: Arc<Cell>) -> Self {
        let mut meshes: HashMap<*const Mesh, Arc<Solid>> = HashMap::new();
        let mut solids = HashMap::new();
        for (id, body) in (0u32..).zip(cell.bodies()) {
            for (k, piece) in body.pieces.iter().enumerate() {
                let solid = match &piece.geometry {
                    Geometry::Mesh(mesh) => Arc::clone(
                        meshes
                            .entry(Arc::as_ptr(mesh))
                            .or_insert_with(|| Arc::new(Solid::mesh(Arc::clone(mesh)))),
                    ),
                    Geometry::Primitive(primitive) => Arc::new(Solid::primitive(*primitive)),
                };
                solids.insert((BodyId(id), k), solid);
            }
        }
        Self { cell, solids }
    }

    fn pieces(&self, body: BodyId, placed: &Placed) -> Vec<(Arc<Solid>, Pose)> {
        // In the order in which the scene multiplies them: far out, another order rounds to another place.
        let InFrame { frame, frame_from_link } = self.cell.in_frame(self.cell.body(body).carrier);
        let world_from_piece =
            |piece: &BodyPiece| placed.world_from_frame(frame) * (frame_from_link * piece.carrier_from_piece);
        let pieces = self.cell.body(body).pieces.iter().enumerate();
        pieces.map(|(k, piece)| (Arc::clone(&self.solids[&(body, k)]), world_from_piece(piece))).collect()
    }

    /// Every pair of pieces of a pair of bodies, and the pose of the second in the first.
    fn placed(&self, pair: [BodyId; 2], placed: &Placed) -> Vec<(Arc<Solid>, Arc<Solid>, Pose)> {
        // What moves first, as the scene has it.
        let stands = |body: BodyId| self.cell.in_frame(self.cell.body(body).carrier).frame == FrameId::WORLD;
        let pair = if stands(pair[0]) { [pair[1], pair[0]] } else { pair };
        let [a, b] = pair.map(|body| self.pieces(body, placed));
        let each = |(solid, pose): &(Arc<Solid>, Pose)| {
            let (solid, back) = (Arc::clone(solid), pose.inverse());
            b.iter().map(move |(other, world)| (Arc::clone(&solid), Arc::clone(other), back * *world))
        };
        a.iter().flat_map(each).collect()
    }

    fn hits(&self, posture: &[f64], scratch: &mut Scratch) -> Vec<PairId> {
        let placed = self.cell.place(posture);
        let mut met = Vec::new();
        for (id, pair) in (0u32..).zip(self.cell.pairs().checked()) {
            let meet = |(a, b, pose): &(Arc<Solid>, Arc<Solid>, Pose)| {
                solid::meet(a, b, *pose, scratch) != Meeting::Apart
            };
            if self.placed(*pair, &placed).iter().any(meet) {
                met.push(PairId(id));
            }
        }
        met
    }

    /// The gaps of all pairs that move relative to each other, and of those that never do if they touch; the least first.
    fn gaps(&self, posture: &[f64], hits: &[PairId], scratch: &mut Scratch) -> Vec<(f64, PairId)> {
        let placed = self.cell.place(posture);
        let mut gaps = Vec::new();
        for (id, pair) in (0u32..).map(PairId).zip(self.cell.pairs().checked()) {
            let [a, b] = pair.map(|body| self.cell.in_frame(self.cell.body(body).carrier).frame);
            if a != b || hits.contains(&id) {
                let gap = self
                    .placed(*pair, &placed)
                    .iter()
                    .filter_map(|(a, b, pose)| solid::distance(a, b, *pose, f64::INFINITY, scratch))
                    .map(|found| found.gap)
                    .fold(f64::INFINITY, f64::min);
                gaps.push((gap, id));
            }
        }
        gaps.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        gaps
    }

    /// The least gap over pairs that move relative to each other.
    fn gap(&self, posture: &[f64], scratch: &mut Scratch) -> f64 {
        let placed = self.cell.place(posture);
        let mut least = f64::INFINITY;
        for pair in self.cell.pairs().checked() {
            let [a, b] = pair.map(|body| self.cell.in_frame(self.cell.body(body).carrier).frame);
            if a != b {
                for (a, b, pose) in self.placed(*pair, &placed) {
                    if let Some(found) = solid::distance(&a, &b, pose, f64::INFINITY, scratch) {
                        least = least.min(found.gap);
                    }
                }
            }
        }
        least
    }
}

fn agree(cell: Cell, count: usize, gaps: usize) {
    let scene = Scene::new(Arc::new(cell));
    let plain = Plain::new(Arc::clone(scene.cell()));
    let (mut scratch, mut workspace) = (Scratch::default(), scene.workspace());
    let sample: Vec<Vec<f64>> = sample::postures(scene.cell()).take(count).collect();
    let orders: Vec<_> = [Then::Listed, Then::Frequent, Then::Paper]
        .map(|then| ranks(&scene, then, sample.iter().take(50).map(Vec::as_slice)))
        .into_iter()
        .collect();
    let mut last = None;
    let mut touching = 0;
    for (k, posture) in sample.iter().enumerate() {
        let expected = plain.hits(posture, &mut scratch);
        touching += usize::from(!expected.is_empty());
        assert_eq!(scene.all_hits(posture, &mut workspace), expected, "{posture:?}");
        for ranks in &orders {
            for last in [None, last] {
                let first = scene.first_hit(posture, ranks, last, &mut workspace);
                assert_eq!(first.is_some(), !expected.is_empty(), "{posture:?}");
                assert!(first.is_none_or(|pair| expected.contains(&pair)), "{posture:?}");
            }
        }
        last = expected.last().copied();
        if k < gaps {
            let found = scene.least_gap(posture, f64::INFINITY, &mut workspace).expect("something moves");
            let least = plain.gap(posture, &mut scratch);
            assert_eq!(found.gap == 0.0, !expected.is_empty(), "{posture:?}");
            assert!((found.gap - least).abs() <= 1e-12, "{} {least}", found.gap);
            assert!((found.points[0].distance(found.points[1]) - found.gap).abs() <= 1e-12);
            assert!(scene.least_gap(posture, found.gap, &mut workspace).is_none());
            nearest_agree(&scene, &plain, posture, &expected);
        }
    }
    assert!(touching > count / 20 && touching < count * 19 / 20, "{touching} of {count} say little");
}

/// The nearest pairs, and the triangles in which bodies touch, as a plain loop has them.
fn nearest_agree(scene: &Scene, plain: &Plain, posture: &[f64], hits: &[PairId]) {
    let (mut scratch, mut workspace) = (Scratch::default(), scene.workspace());
    let gaps = plain.gaps(posture, hits, &mut scratch);
    for most in [1, 3, 1000] {
        let found = scene.nearest_pairs(posture, most, &mut workspace);
        assert_eq!(found.len(), gaps.len().min(most), "{posture:?}");
        for (found, (gap, _)) in found.iter().zip(&gaps) {
            assert!((found.gap - gap).abs() <= 1e-12, "{found:?} {gap}");
            let (own, _) = gaps.iter().find(|(_, pair)| *pair == found.pair).expect("listed");
            assert!((own - found.gap).abs() <= 1e-12);
            assert!((found.points[0].distance(found.points[1]) - found.gap).abs() <= 1e-12);
        }
    }
    let placed = scene.cell().place(posture);
    for &(gap, pair) in &gaps {
        let touched = scene.touched(posture, pair, usize::MAX, &mut workspace);
        let [a, b] = scene.bodies(pair);
        let [of_a, of_b] = [a, b].map(|body| plain.pieces(body, &placed));
        let mut expected = [Vec::new(), Vec::new()];
        for (i, (x, world_from_x)) in (0u32..).zip(&of_a) {
            for (j, (y, world_from_y)) in (0u32..).zip(&of_b) {
                let (Some(x), Some(y)) = (x.tree(), y.tree()) else { continue };
                let x_from_y = world_from_x.inverse() * *world_from_y;
                for [s, t] in kansho_geom::tree::hits(x, y, x_from_y, usize::MAX, &mut scratch) {
                    expected[0].push(Touched { piece: i, triangle: s });
                    expected[1].push(Touched { piece: j, triangle: t });
                }
            }
        }
        for side in 0..2 {
            expected[side].sort_unstable();
            expected[side].dedup();
            let is_of_meshes =
                [&of_a, &of_b].iter().all(|of| of.iter().all(|(solid, _)| solid.tree().is_some()));
            assert!(!is_of_meshes || touched[side] == expected[side], "{posture:?}");
            assert!(gap == 0.0 || touched[side].is_empty(), "{posture:?}");
        }
    }
}

#[test]
fn the_built_in_cell_agrees_with_a_plain_loop() {
    agree(builtin::cell(), crate::cases(300, 100), crate::cases(40, 12));
}

#[test]
fn every_kind_of_shape_agrees_with_a_plain_loop() {
    agree(gantry(), 3000, 1000);
}

#[test]
fn threads_change_nothing() {
    let scene = Scene::new(Arc::new(builtin::cell()));
    let rows: Vec<f64> = sample::postures(scene.cell()).take(3000).flatten().collect();
    for find in [Find::First, Find::All, Find::Gap] {
        let rows = if find == Find::Gap { &rows[..6 * 300] } else { &rows };
        let options = PosturesOptions { find, ..PosturesOptions::default() };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| postures(&scene, rows, &options))
        };
        let one = on(1);
        assert!(one == on(2) && one == on(7), "{find:?}");
        assert_eq!(one.len(), rows.len() / 6);
    }
}

#[test]
fn without_time_nothing_is_decided() {
    let scene = Scene::new(Arc::new(builtin::cell()));
    let rows = builtin::home();
    let options = PosturesOptions { deadline: Some(Instant::now()), ..PosturesOptions::default() };
    assert_eq!(postures(&scene, &rows, &options), [Answer::Undecided]);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let options = PosturesOptions { stop: Some(&stop), ..PosturesOptions::default() };
    assert_eq!(postures(&scene, &rows, &options), [Answer::Undecided]);
    let options = PosturesOptions {
        order: Order { last_first: false, then: Then::Paper },
        ..PosturesOptions::default()
    };
    assert_eq!(postures(&scene, &rows, &options), [Answer::Free(None)]);
}

#[test]
fn what_never_moves_is_decided_once() {
    let mut draft = builtin::draft();
    let flange = draft.robots[0].robot.links().iter().map(|link| link.name.clone()).next().expect("a base");
    let block = Shape::Box { size: DVec3::splat(0.1) };
    draft.objects.push(ObjectDraft {
        name: "stuck".into(),
        pieces: vec![piece(block, DVec3::ZERO)],
        on: None,
    });
    let scene = Scene::new(Arc::new(Cell::new(draft).expect("a cell")));
    let names: Vec<String> = scene.always().map(|pair| scene.pair_name(pair)).collect();
    assert_eq!(names, [format!("arm/{flange}|stuck")]);
    let mut workspace = scene.workspace();
    let hit = scene.first_hit(&builtin::home(), &scene.listed(), None, &mut workspace);
    assert_eq!(hit, scene.always().next());
    let gap = scene.least_gap(&builtin::home(), f64::INFINITY, &mut workspace).expect("they touch");
    assert_eq!((gap.gap, Some(gap.pair)), (0.0, hit));
}

#[test]
fn a_scene_shares_what_another_prepared() {
    let cell = builtin::cell();
    let scene = Scene::new(Arc::new(cell.clone()));
    let other = scene.with_cell(Arc::new(cell));
    let mut workspaces = (scene.workspace(), other.workspace());
    for posture in sample::postures(scene.cell()).take(50) {
        assert_eq!(scene.all_hits(&posture, &mut workspaces.0), other.all_hits(&posture, &mut workspaces.1));
    }
}

/// Blocks stacked face to face on links that a fixed joint joins touch in every posture, however their places are rounded in it.
#[test]
fn what_always_touches_is_never_lost_by_rounding() {
    let block = Shape::Box { size: DVec3::splat(0.125) };
    let link = |name: &str, pieces: Vec<BodyPiece>| LinkDraft { name: name.into(), pieces };
    let joint = |name: &str, parent: &str, child: &str, kind, z: f64| JointDraft {
        name: name.into(),
        kind,
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::from_rpy(DVec3::new(0.1, 0.3, z), DVec3::new(0.3, 0.2, 0.7)),
        limits: None,
        max_speed: None,
        mimic: None,
    };
    let draft = RobotDraft {
        name: "r".into(),
        links: vec![
            link("base", vec![]),
            link("a", vec![piece(block, DVec3::ZERO)]),
            link("b", vec![]),
            link("c", vec![piece(block, DVec3::ZERO)]),
        ],
        joints: vec![
            joint("turn", "base", "a", JointKind::Continuous { axis: DVec3::Z }, 0.4),
            JointDraft {
                parent_from_joint: Pose::from_translation(DVec3::Z * 0.0625),
                ..joint("f", "a", "b", JointKind::Fixed, 0.0)
            },
            JointDraft {
                parent_from_joint: Pose::from_translation(DVec3::Z * 0.0625),
                ..joint("g", "b", "c", JointKind::Fixed, 0.0)
            },
        ],
    };
    let robot = RobotDraftInCell {
        name: "r".into(),
        robot: Robot::new(draft).expect("a robot"),
        world_from_root: Pose::from_rpy(DVec3::new(3.0, 0.7, 0.1), DVec3::new(0.1, 0.2, 0.3)),
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let draft = CellDraft { robots: vec![robot], ..CellDraft::default() };
    let scene = Scene::new(Arc::new(Cell::new(draft).expect("a cell")));
    assert_eq!(scene.always().len(), 1);
    let mut workspace = scene.workspace();
    for posture in sample::postures(scene.cell()).take(500) {
        assert_eq!(scene.all_hits(&posture, &mut workspace).len(), 1);
        assert!(scene.first_hit(&posture, &scene.listed(), None, &mut workspace).is_some());
        assert_eq!(
            scene.least_gap(&posture, f64::INFINITY, &mut workspace).map(|found| found.gap),
            Some(0.0)
        );
    }
}

/// Own coordinates that are far out and placed back: boxes in the world must leave room for their rounding.
#[test]
fn far_coordinates_placed_back_lose_nothing() {
    let far = 5.5e5;
    let plain = builtin::cell();
    let arm = &plain.robots()[0];
    let tip = arm.robot.links().last().expect("a link").name.clone();
    let link = arm.link(arm.robot.link(&tip).expect("its last link"));
    let world_from_tip = plain.place(&builtin::home()).world_from_link(link);
    let size = 1e-5;
    let block = Shape::Box { size: DVec3::splat(size) };
    let mesh = Primitive::new(block).expect("a block").tessellated(1.0).expect("bounded");
    let mesh = mesh.placed(Pose::from_translation(DVec3::splat(far))).expect("a mesh").mesh;
    let back = BodyPiece {
        geometry: Geometry::Mesh(Arc::new(mesh)),
        carrier_from_piece: world_from_tip * Pose::from_translation(DVec3::splat(-far)),
    };
    let mut scene: Option<Scene> = None;
    let (mut touching, mut apart) = (0, 0);
    for k in 0..60 {
        // From 6e-10 m of overlap to as much of a gap, where rounding far out decides.
        let shift = size + f64::from(k - 30) * 2e-11;
        let mut draft = builtin::draft();
        draft.objects.clear();
        draft.allow.clear();
        draft.objects.push(ObjectDraft { name: "near".into(), pieces: vec![back.clone()], on: None });
        draft.objects.push(ObjectDraft {
            name: "carried".into(),
            pieces: vec![piece(block, DVec3::new(0.0, 0.0, shift))],
            on: Some(format!("arm/{tip}")),
        });
        let cell = Arc::new(Cell::new(draft).expect("a cell"));
        let now =
            scene.as_ref().map_or_else(|| Scene::new(Arc::clone(&cell)), |s| s.with_cell(Arc::clone(&cell)));
        let mut workspace = now.workspace();
        let pair = |pair: PairId| now.pair_name(pair) == "near|carried";
        let hits = now.all_hits(&builtin::home(), &mut workspace).into_iter().any(pair);
        let plain = Plain::new(cell).hits(&builtin::home(), &mut Scratch::default()).into_iter().any(pair);
        assert_eq!(hits, plain, "{k}");
        *if hits { &mut touching } else { &mut apart } += 1;
        scene = Some(now);
    }
    assert!(touching > 5 && apart > 5, "{touching} {apart}");
}

/// Spheres miss nothing, and are rough by no more than they say.
fn rough_agrees(cell: Cell, radius: f64, count: usize) {
    let scene = Arc::new(Scene::new(Arc::new(cell)));
    let rough = RoughScene::new(Arc::clone(&scene), radius).expect("it can be covered");
    // Up to the rounding of coordinates of some metres.
    let most = rough.accuracy() + 1e-11;
    let most_quick = rough.quick_accuracy() + 1e-11;
    let (mut exact, mut quick) = (scene.workspace(), rough.workspace());
    for posture in sample::postures(scene.cell()).take(count) {
        let gap = scene.least_gap(&posture, f64::INFINITY, &mut exact).expect("something moves").gap;
        let hit = rough.first_hit(&posture, &mut quick);
        assert!(hit.is_some() || gap > 0.0, "{posture:?}");
        assert!(hit.is_none() || gap <= most, "{gap} {posture:?}");
        let may_touch = rough.may_touch(&posture, &mut quick);
        assert!(may_touch || gap > 0.0, "{posture:?}");
        assert!(!may_touch || gap <= most_quick, "{gap} {posture:?}");
        let found = rough.least_gap(&posture, &mut quick).expect("something moves");
        assert!(found.gap <= gap * (1.0 + 1e-12) + 1e-12, "{} {gap} {posture:?}", found.gap);
        assert!(gap <= found.gap + most, "{} {gap} {posture:?}", found.gap);
    }
}

#[test]
fn spheres_of_the_built_in_cell_miss_nothing() {
    rough_agrees(builtin::cell(), 0.02, 150);
}

#[test]
fn spheres_of_every_kind_of_shape_miss_nothing() {
    rough_agrees(gantry(), 0.03, 500);
}

/// One of two pieces of a mesh lies inside a block, near a corner, where the balls around both meshes hardly overlap.
#[test]
fn spheres_find_a_piece_inside_another_body() {
    let block = |size: f64| {
        let shape = Primitive::new(Shape::Box { size: DVec3::splat(size) }).expect("a block");
        shape.tessellated(1.0).expect("a block is bounded")
    };
    let (mut points, mut ids) = (Vec::new(), Vec::new());
    for x in [0.0, 3.0] {
        let first = points.len() as u32;
        let crumb = block(0.05);
        points.extend(crumb.vertices().iter().map(|p| *p + DVec3::X * x));
        ids.extend(crumb.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    let crumbs = kansho_geom::mesh::weld(&points, &ids, 0.0).expect("a mesh").mesh;
    let mesh = |mesh: Mesh| {
        vec![BodyPiece { geometry: Geometry::Mesh(Arc::new(mesh)), carrier_from_piece: Pose::IDENTITY }]
    };
    let slide = JointDraft {
        name: "x".into(),
        kind: JointKind::Prismatic { axis: DVec3::X },
        parent: "rail".into(),
        child: "car".into(),
        parent_from_joint: Pose::IDENTITY,
        limits: Some(Limits { lower: -9.0, upper: 9.0 }),
        max_speed: None,
        mimic: None,
    };
    let links = vec![
        LinkDraft { name: "rail".into(), pieces: Vec::new() },
        LinkDraft { name: "car".into(), pieces: mesh(crumbs) },
    ];
    let robot = RobotDraft { name: "r".into(), links, joints: vec![slide] };
    let robot = RobotDraftInCell {
        name: "r".into(),
        robot: Robot::new(robot).expect("a robot"),
        world_from_root: Pose::from_translation(DVec3::new(0.0, 0.4, 0.4)),
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let objects = vec![ObjectDraft { name: "block".into(), pieces: mesh(block(1.0)), on: None }];
    let cell = Cell::new(CellDraft { robots: vec![robot], objects, allow: Vec::new() }).expect("a cell");
    let scene = Arc::new(Scene::new(Arc::new(cell)));
    let rough = RoughScene::new(Arc::clone(&scene), 0.005).expect("it can be covered");
    let (mut exact, mut quick) = (scene.workspace(), rough.workspace());
    for x in [-3.4, -2.6, 0.4, -0.4] {
        assert_eq!(scene.all_hits(&[x], &mut exact).len(), 1, "{x}");
        assert!(rough.first_hit(&[x], &mut quick).is_some(), "{x}");
        assert_eq!(rough.least_gap(&[x], &mut quick).map(|found| found.gap), Some(0.0), "{x}");
    }
    assert!(rough.first_hit(&[-1.5], &mut quick).is_none());
}
