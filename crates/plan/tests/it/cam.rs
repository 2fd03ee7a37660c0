//! From a work path to a robot path: on the built-in cell, against brute force.

use kansho_cell::ik::{Followed, Ik, IkOptions, LeftOut, Solutions, Tip};
use kansho_cell::route::{Blend, Law, Laws, PoseCurve};
use kansho_cell::work::{Stroke, ToolAxis, WorkPath, WorkPoint};
use kansho_cell::{
    BodyPiece, Cell, Geometry, JointDraft, JointKind, ObjectDraft, Robot, RobotDraft, builtin,
};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::Scene;
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_plan::cam::{
    EdgeKind, FeasibleMap, MapOptions, PlanOptions, Planned, PlannedPath, PlannedRun, ProvenWay, State,
    WhyNoPath, Work, feasible, plan, tips_inside,
};
use kansho_verify::route::follows;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) struct Setting {
    pub(crate) scene: Scene,
    pub(crate) tip: Tip,
    pub(crate) ik: Ik,
    pub(crate) path: WorkPath,
    pub(crate) axis: ToolAxis,
}

impl Setting {
    /// Every so many points of the built-in path, and rotations in steps of so many degrees.
    pub(crate) fn new(points: usize, step_deg: f64, closed: bool) -> Self {
        let cell = builtin::cell();
        let tip = Tip::tool(&cell, "arm").expect("the arm has a tool");
        let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move it");
        let world_from_sheet = builtin::world_from_sheet();
        let of = |point: &builtin::PathPoint| WorkPoint {
            tip_in_world: world_from_sheet * point.tcp_in_sheet,
            direction_in_world: world_from_sheet.rotate(point.direction_in_sheet),
            line: 0,
        };
        let points = builtin::path(points).iter().map(of).collect();
        let path = WorkPath { strokes: vec![Stroke { points, closed }] };
        let step = step_deg.to_radians();
        let axis = ToolAxis::new([0.0, std::f64::consts::TAU - step, step], DVec3::X, 0.0).expect("good");
        Self { scene: Scene::new(Arc::new(cell)).with_models(), tip, ik, path, axis }
    }

    pub(crate) fn work(&self, clearance: f64) -> Work<'_> {
        Work { tip: self.tip, ik: &self.ik, path: &self.path, axis: &self.axis, clearance }
    }

    pub(crate) fn map(&self) -> FeasibleMap {
        feasible(&self.scene, &self.work(0.0), &MapOptions::default())
    }
}

/// Every cell and branch, each posture by itself and by its shapes alone.
#[test]
fn the_map_is_that_of_every_posture_by_itself() {
    for clearance in [0.0, 0.002] {
        let setting = Setting::new(23, 12.0, true);
        let map = feasible(&setting.scene, &setting.work(clearance), &MapOptions::default());
        let bare = Scene::new(Arc::clone(setting.scene.cell()));
        let mut workspace = bare.workspace();
        let mut posture = bare.cell().zero_posture();
        let mut seen = [0usize; 4];
        for (k, point) in setting.path.points().enumerate() {
            for (stance, cell) in map.point(k).iter().enumerate() {
                let solutions = setting.ik.solve(&setting.axis.world_from_tip(point, stance));
                let mut free = Vec::new();
                let mut bound = f64::INFINITY;
                let mut first_hit = None;
                for solution in solutions.iter() {
                    setting.ik.put(solution.values, &mut posture);
                    let gap = bare.least_gap(&posture, f64::INFINITY, &mut workspace).expect("things move");
                    let name = solution.branch.expect("a closed form").to_string();
                    if gap.gap > clearance {
                        if cell.branch().is_some_and(|branch| branch.to_string() == name) {
                            bound = gap.gap;
                        }
                        free.push(name);
                    } else if first_hit.is_none() {
                        first_hit = Some(gap);
                    }
                }
                free.sort_unstable();
                let mut told: Vec<String> = cell.free_branches().map(|branch| branch.to_string()).collect();
                told.sort_unstable();
                assert_eq!(told, free, "point {k}, stance {stance}, clearance {clearance}");
                let limit = solutions.left_out().iter().any(|left| matches!(left, LeftOut::Limit { .. }));
                let wanted = match (free.is_empty(), solutions.is_empty()) {
                    (false, _) => State::Free,
                    (true, false) => State::Collides,
                    (true, true) if limit => State::Limit,
                    (true, true) => State::OutOfReach,
                };
                assert_eq!(cell.state, wanted);
                seen[wanted as usize - 1] += 1;
                match wanted {
                    State::Free => {
                        let claimed = cell.clearance().expect("it is free");
                        assert!(claimed <= bound, "point {k}, stance {stance}: {claimed} of {bound}");
                    }
                    State::Collides => assert!(cell.pair().is_some() && first_hit.is_some()),
                    _ => assert!(cell.pair().is_none() && cell.clearance().is_none()),
                }
            }
        }
        assert!(seen[2] > 50 && seen[3] > 50, "both kinds are met: {seen:?}");
    }
}

fn path_of(setting: &Setting, options: &PlanOptions<'_>) -> PlannedPath {
    let scene = MotionScene::new(&setting.scene);
    match plan(&scene, &setting.work(0.0), &setting.map(), options) {
        Planned::Path(path) => path,
        other => panic!("there is a path: {other:?}"),
    }
}

#[test]
fn a_closed_path_closes_and_dense_sampling_finds_nothing() {
    let setting = Setting::new(120, 4.0, true);
    let path = path_of(&setting, &PlanOptions::default());
    let stroke = &path.strokes[0];
    assert_eq!(stroke.postures.len(), 120);
    assert!(stroke.branches.windows(2).all(|pair| pair[0] == pair[1]));
    let motion = stroke.motion().expect("a motion");
    assert_eq!(motion.at(0.0), motion.at(1.0), "it ends in the posture in which it began");
    // The tip is where it is wanted.
    for (k, posture) in stroke.postures.iter().enumerate() {
        let wanted = setting.axis.world_from_tip(&setting.path.strokes[0].points[k], stroke.stances[k]);
        let tip = setting.ik.world_from_tip(&setting.ik.values_in(posture));
        assert!(tip.translation().distance(wanted.translation()) < 2e-9);
        assert!(setting.scene.cell().outside_limits(posture).next().is_none());
    }
    // Every 0.01 degree, on the shapes themselves.
    let bare = Scene::new(Arc::clone(setting.scene.cell()));
    let (mut workspace, mut posture) = (bare.workspace(), Vec::new());
    for piece in motion.pieces() {
        let most = piece.controls().iter().map(|c| (c[3] - c[0]).abs()).fold(0.0, f64::max);
        let count = (most / 0.01f64.to_radians()).ceil().clamp(1.0, 3000.0) as usize;
        for k in 0..=count {
            piece.at(k as f64 / count as f64, &mut posture);
            assert!(bare.first_hit(&posture, &bare.listed(), None, &mut workspace).is_none());
        }
    }
}

/// A stance, a branch, joint values, and what it costs to be there.
type Reached = (usize, String, Vec<f64>, f64);

/// Costs as they are defined, over all ways: by dynamic programming from each start by itself.
#[test]
fn no_other_way_over_the_same_states_costs_less() {
    let setting = Setting::new(14, 15.0, true);
    let options = PlanOptions { unchecked: true, ..PlanOptions::default() };
    let weights = options.weights;
    let path = path_of(&setting, &options);
    let map = setting.map();
    let points: Vec<&WorkPoint> = setting.path.points().collect();
    // All postures with all turns, their cost, by layer.
    let layers: Vec<Vec<Reached>> = (0..points.len())
        .map(|k| {
            let mut states = Vec::new();
            for (stance, cell) in map.point(k).iter().enumerate() {
                let free: Vec<String> = cell.free_branches().map(|branch| branch.to_string()).collect();
                for solution in setting.ik.solve(&setting.axis.world_from_tip(points[k], stance)).iter() {
                    let branch = solution.branch.expect("closed form").to_string();
                    if !free.contains(&branch) {
                        continue;
                    }
                    let rotations = setting.axis.rotations().len();
                    let is_free = |s: usize| map.point(k)[s].free_branches().any(|b| b.to_string() == branch);
                    let room = (1..rotations)
                        .find(|d| {
                            !is_free((stance + d) % rotations)
                                || !is_free((stance + rotations - d) % rotations)
                        })
                        .unwrap_or(rotations);
                    let below = |margin: f64, value: f64| ((margin - value) / margin).clamp(0.0, 1.0).powi(2);
                    let border = weights.border
                        * below(weights.border_margin, (room - 1) as f64 * setting.axis.step());
                    for turned in setting.ik.turns(solution.values) {
                        let limit = setting.ik.joints().iter().zip(&turned).map(|(joint, q)| {
                            let limits = joint.limits.expect("all have limits");
                            weights.limit
                                * below(weights.limit_margin, (q - limits.lower).min(limits.upper - q))
                        });
                        let singular =
                            weights.singular * below(weights.singular_margin, solution.nearness.least());
                        let middle = setting.ik.joints().iter().zip(&turned).map(|(joint, q)| {
                            let limits = joint.limits.expect("all have limits");
                            let off = (q - f64::midpoint(limits.lower, limits.upper)) / std::f64::consts::PI;
                            weights.middle * off * off
                        });
                        let middle: f64 = middle.sum();
                        let cost = border + singular + limit.sum::<f64>() + middle;
                        states.push((stance, branch.clone(), turned, cost));
                    }
                }
            }
            states
        })
        .collect();
    let edge = |a: &Reached, b: &Reached| {
        let changes = a.2.iter().zip(&b.2).map(|(x, y)| (x - y).abs());
        let largest = changes.clone().fold(0.0, f64::max);
        if a.1 != b.1 || largest > weights.most { f64::INFINITY } else { changes.map(|d| d * d).sum() }
    };
    let mut best = f64::INFINITY;
    for start in 0..layers[0].len() {
        let mut costs = vec![f64::INFINITY; layers[0].len()];
        costs[start] = layers[0][start].3;
        for k in 1..layers.len() {
            let next = layers[k].iter().map(|to| {
                let from = layers[k - 1].iter().zip(&costs).filter(|(_, cost)| cost.is_finite());
                from.map(|(from, cost)| cost + edge(from, to)).fold(f64::INFINITY, f64::min) + to.3
            });
            costs = next.collect();
        }
        let last = layers[layers.len() - 1].iter().zip(&costs);
        best = best
            .min(last.map(|(from, cost)| cost + edge(from, &layers[0][start])).fold(f64::INFINITY, f64::min));
    }
    let found = path.strokes[0].cost.whole();
    assert!((found - best).abs() < 1e-4 * best, "found {found}, best {best}");
}

/// Whole strokes could stand whole turns of a joint elsewhere: the path is where they are nearest to the middles of their ranges.
#[test]
fn strokes_are_not_wound_up() {
    for (points, degrees, closed) in [(14, 15.0, true), (30, 10.0, false), (21, 12.0, false)] {
        let setting = Setting::new(points, degrees, closed);
        let path = path_of(&setting, &PlanOptions::default());
        for (k, joint) in setting.ik.joints().iter().enumerate() {
            let limits = joint.limits.expect("all have limits");
            let middle = f64::midpoint(limits.lower, limits.upper);
            let stroke = &path.strokes[0];
            let values: Vec<f64> = stroke.way().map(|posture| setting.ik.values_in(posture)[k]).collect();
            let off = |shift: f64| values.iter().map(|q| (q + shift - middle).powi(2)).sum::<f64>();
            for shift in [-std::f64::consts::TAU, std::f64::consts::TAU] {
                let fits = values.iter().all(|q| (limits.lower..=limits.upper).contains(&(q + shift)));
                assert!(!fits || off(shift) >= off(0.0) - 1e-9, "joint {k} could be {shift} elsewhere");
            }
        }
    }
}

#[test]
fn the_same_answer_on_one_thread_and_on_two() {
    let setting = Setting::new(40, 6.0, true);
    let answer = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| (setting.map(), path_of(&setting, &PlanOptions::default())))
    };
    let ((map, path), (other_map, other_path)) = (answer(1), answer(2));
    assert_eq!(map.cells(), other_map.cells());
    assert_eq!(path.strokes[0].postures, other_path.strokes[0].postures);
}

#[test]
fn an_unchecked_path_is_no_proof() {
    let setting = Setting::new(60, 6.0, false);
    let work = setting.work(0.0);
    let scene = MotionScene::new(&setting.scene);
    let unchecked = MapOptions { unchecked: true, ..MapOptions::default() };
    let map = feasible(&setting.scene, &work, &unchecked);
    let options = PlanOptions { unchecked: true, ..PlanOptions::default() };
    let Planned::Path(path) = plan(&scene, &work, &map, &options) else {
        panic!("what is not checked is found")
    };
    assert!(path.links.is_empty() && path.strokes[0].postures.len() == 60);
    let checked = path_of(&setting, &PlanOptions::default());
    let motion = checked.strokes[0].motion().expect("a motion");
    let verdict = scene.motion(&motion, &MotionOptions::default(), &mut scene.workspace()).verdict;
    assert!(matches!(verdict, Verdict::Free(_)));
}

#[test]
fn where_there_is_no_path_it_is_said_why() {
    let mut setting = Setting::new(30, 10.0, false);
    // Three points far away, and one in the sheet.
    for k in [4, 5, 20] {
        setting.path.strokes[0].points[k].tip_in_world += DVec3::X * 5.0;
    }
    let scene = MotionScene::new(&setting.scene);
    let Planned::NoPath(none) = plan(&scene, &setting.work(0.0), &setting.map(), &PlanOptions::default())
    else {
        panic!("nobody reaches that far")
    };
    let WhyNoPath::Blocked(blocked) = none.why else { panic!("points are blocked: {:?}", none.why) };
    let points: Vec<usize> = blocked.iter().map(|blocked| blocked.point).collect();
    assert_eq!(points, [4, 5, 20]);
    assert!(blocked.iter().all(|b| b.out_of_reach == 36 && b.pairs.is_empty()));
    // Points inside are found, with what they are in.
    let point = &mut setting.path.strokes[0].points[9];
    point.tip_in_world += point.direction_in_world * (builtin::STANDOFF + 0.5 * builtin::THICKNESS);
    let inside = tips_inside(&setting.scene, &setting.work(0.0));
    let named: Vec<(usize, &str)> =
        inside.iter().map(|(point, body)| (*point, setting.scene.cell().body(*body).name.as_str())).collect();
    assert_eq!(named, [(9, "sheet")]);
}

#[test]
fn who_stops_gets_no_answer() {
    let setting = Setting::new(10, 30.0, true);
    let stop = AtomicBool::new(true);
    let work = setting.work(0.0);
    let map = feasible(&setting.scene, &work, &MapOptions { stop: Some(&stop), ..MapOptions::default() });
    assert!(!map.complete && map.cells().iter().all(|cell| cell.state == State::Unknown));
    let scene = MotionScene::new(&setting.scene);
    assert!(matches!(plan(&scene, &work, &map, &PlanOptions::default()), Planned::Undecided(_)));
    let options = PlanOptions { stop: Some(&stop), ..PlanOptions::default() };
    assert!(matches!(plan(&scene, &work, &setting.map(), &options), Planned::Undecided(_)));
}

/// The built-in cell with wrists that turn without end, and two strokes.
fn endless(points: usize, step_deg: f64, closed: bool) -> Setting {
    let mut draft = builtin::draft();
    let robot = &draft.robots[0].robot;
    let name = |link: kansho_cell::LinkId| robot.links()[link.0 as usize].name.clone();
    let joint = |joint: &kansho_cell::Joint| {
        let (kind, limits) = match joint.kind {
            JointKind::Revolute { axis } if ["joint_4", "joint_6"].contains(&joint.name.as_str()) => {
                (JointKind::Continuous { axis }, None)
            }
            kind => (kind, joint.limits),
        };
        JointDraft {
            name: joint.name.clone(),
            kind,
            parent: name(joint.parent),
            child: name(joint.child),
            parent_from_joint: joint.parent_from_joint,
            limits,
            max_speed: None,
            mimic: None,
        }
    };
    let joints: Vec<JointDraft> = robot.joints().iter().map(joint).collect();
    assert_eq!(joints.iter().filter(|joint| matches!(joint.kind, JointKind::Continuous { .. })).count(), 2);
    let (name, links) = (robot.name().to_owned(), robot.links().to_vec());
    draft.robots[0].robot = Robot::new(RobotDraft { name, links, joints }).expect("a robot");
    let cell = Cell::new(draft).expect("a cell");
    let setting = Setting::new(points, step_deg, closed);
    let all = &setting.path.strokes[0].points;
    let strokes = [&all[..points / 3], &all[points / 2..]]
        .map(|points| Stroke { points: points.to_vec(), closed: false })
        .to_vec();
    let path = if closed { setting.path.clone() } else { WorkPath { strokes } };
    let tip = Tip::tool(&cell, "arm").expect("the arm has a tool");
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move it");
    Setting { scene: Scene::new(Arc::new(cell)).with_models(), tip, ik, path, ..setting }
}

/// What leaves begins where the last piece ended, to the bit, never spins, and is proven once more from outside.
#[test]
fn runs_are_what_the_robot_does() {
    for setting in [endless(90, 6.0, false), endless(60, 6.0, true)] {
        let path = path_of(&setting, &PlanOptions::default());
        assert_eq!((path.runs.len(), path.links.len()), (1, path.strokes.len() - 1));
        let PlannedRun::Joints(motion) = &path.runs[0] else { panic!("joints move evenly") };
        let (mut pieces, mut moved) = (0, vec![0.0; 6]);
        for piece in motion.pieces() {
            let turned = piece.controls().iter().map(|c| c[3] - c[0]);
            // Ways between strokes have long lines, but none is a whole turn.
            assert!(turned.clone().all(|turned| turned.abs() <= std::f64::consts::PI), "{piece:?}");
            turned.zip(&mut moved).for_each(|(turned, moved)| *moved += turned);
            pieces += 1;
        }
        let links: usize = path.links.iter().flatten().map(|link| link.pieces().len()).sum();
        let edges: usize = path.strokes.iter().map(|stroke| stroke.way().count() - 1).sum();
        assert_eq!(pieces, links + edges);
        for stroke in path.strokes.iter().filter(|stroke| stroke.closed) {
            let turns =
                stroke.end.iter().zip(&stroke.postures[0]).map(|(a, b)| (a - b) / std::f64::consts::TAU);
            assert!(turns.clone().all(|turns| (turns - turns.round()).abs() < 1e-9), "it closes: {turns:?}");
            assert_eq!(motion.at(1.0), stroke.end);
        }
        let scene = MotionScene::new(&setting.scene);
        match scene.motion(motion, &MotionOptions::default(), &mut scene.workspace()).verdict {
            Verdict::Free(proof) => assert!(proof.clearance >= path.clearance),
            other => panic!("{other:?}"),
        }
    }
}

/// Lines of the tool in several strokes, with corners that are rounded, are one route, which the verifier can follow.
#[test]
fn lines_of_the_tool_are_joined_and_followed() {
    let mut setting = Setting::new(90, 6.0, false);
    let all = setting.path.strokes[0].points.clone();
    let stroke = |points: &[WorkPoint]| Stroke { points: points.to_vec(), closed: false };
    setting.path.strokes = vec![stroke(&all[..20]), stroke(&all[30..50])];
    for zone in [0.0, 0.0005] {
        let options = PlanOptions {
            kind: EdgeKind::Lin(Laws::Both),
            zone,
            blend: Blend::Parabola,
            ..PlanOptions::default()
        };
        let path = path_of(&setting, &options);
        let [PlannedRun::Tool { moves, ways, .. }] = &path.runs[..] else { panic!("one route") };
        let link = path.links[0].as_ref().map_or(0, |link| link.pieces().len());
        assert_eq!(moves.len(), 19 + link + 19);
        assert_eq!(ways.iter().map(|way| way.law).collect::<Vec<_>>(), [Law::Slerp, Law::SwivelTwist]);
        for ProvenWay { route, pieces, .. } in ways {
            // Eighteen corners in each stroke, some of them looked at several times.
            assert!(if zone > 0.0 {
                route.legs().len() >= moves.len() + 36
            } else {
                route.legs().len() == moves.len()
            });
            follows(setting.scene.cell(), route, pieces).expect("it is followed");
        }
    }
    // What joints do in rounded corners of their own is not known.
    let options = PlanOptions { zone: 0.002, ..PlanOptions::default() };
    let scene = MotionScene::new(&setting.scene);
    assert!(matches!(plan(&scene, &setting.work(0.0), &setting.map(), &options), Planned::Undecided(_)));
}

/// Whether dense samples of a line of the tool by a law touch, where the robot can follow it.
fn samples_touch(setting: &Setting, scene: &Scene, [from, to]: [&Vec<f64>; 2], law: Law) -> bool {
    let cell = scene.cell();
    let [start, end] = [from, to].map(|posture| setting.tip.placed(cell, posture));
    let curve = PoseCurve::line(&start, &end, law).expect("less than half a turn");
    let (mut workspace, mut scratch) = (scene.workspace(), Solutions::default());
    let (mut values, mut posture) = (setting.ik.values_in(from), from.clone());
    (0..=400).any(|k| {
        let Followed::On { values: next, .. } =
            setting.ik.follow(&curve.at(f64::from(k) / 400.0), &values, &mut scratch)
        else {
            panic!("it is followed")
        };
        values = next;
        setting.ik.put(&values, &mut posture);
        scene.touches(&posture, &mut workspace)
    })
}

/// A tool that turns from one point to the next turns otherwise by one law than by the other. A pin beside the way is hit by one of them, by
/// both or by none: a path is found only if it is free by all laws that are asked for.
#[test]
fn a_path_is_free_by_every_law_that_is_asked_for() {
    let mut setting = Setting::new(1, 1.0, false);
    let home = setting.tip.placed(setting.scene.cell(), &builtin::home());
    let point = |x: f64, direction: DVec3| WorkPoint {
        tip_in_world: home.translation() + DVec3::new(0.0, x, 0.1),
        direction_in_world: direction.normalize(),
        line: 0,
    };
    let points = vec![point(-0.05, DVec3::new(0.8, 0.0, -1.0)), point(0.05, DVec3::new(0.0, 0.8, -1.0))];
    setting.path.strokes = vec![Stroke { points, closed: false }];
    let found = |setting: &Setting, scene: &Scene, laws: Laws| {
        let work = Work {
            tip: setting.tip,
            ik: &setting.ik,
            path: &setting.path,
            axis: &setting.axis,
            clearance: 0.0,
        };
        let map = feasible(scene, &work, &MapOptions::default());
        let options = PlanOptions { kind: EdgeKind::Lin(laws), constant: true, ..PlanOptions::default() };
        plan(&MotionScene::new(scene), &work, &map, &options)
    };
    setting.axis = ToolAxis::new([0.0, 6.0, 0.5], DVec3::X, 0.0).expect("some rotations");
    let Planned::Path(path) = found(&setting, &setting.scene, Laws::Both) else {
        panic!("nothing is in the way")
    };
    let rotation = 0.5 * path.strokes[0].stances[0] as f64;
    setting.axis = ToolAxis::new([rotation, rotation, 1.0], DVec3::X, 0.0).expect("one rotation");
    let ends = [&path.strokes[0].postures[0], &path.strokes[0].postures[1]];
    let [start, end] = ends.map(|posture| setting.tip.placed(setting.scene.cell(), posture));
    let curves = [Law::Slerp, Law::SwivelTwist]
        .map(|law| PoseCurve::line(&start, &end, law).expect("less than half a turn"));
    let tool0_from_tcp = builtin::Nozzle::default().tool0_from_tcp();
    let mut seen = [[0; 2]; 2];
    for k in 70..145 {
        // Around the tool, half-way, by one law or the other: along a spiral.
        let (sin, cos) = (2.4 * f64::from(k)).sin_cos();
        let radius = 0.03 + 4e-4 * f64::from(k);
        let beside = DVec3::new(radius * cos, radius * sin, 0.01 * f64::from(k % 12));
        let at = curves[k as usize % 2].at(0.5) * (tool0_from_tcp.inverse() * beside);
        let mut draft = builtin::draft();
        let ball = Primitive::new(Shape::Sphere { radius: 0.002 }).expect("a ball");
        let piece =
            BodyPiece { geometry: Geometry::Primitive(ball), carrier_from_piece: Pose::from_translation(at) };
        draft.objects.push(ObjectDraft { name: "pin".into(), pieces: vec![piece], on: None });
        let cell = Cell::new(draft).expect("a pin more");
        let scene = Scene::new(Arc::new(cell));
        let hits = [Law::Slerp, Law::SwivelTwist].map(|law| samples_touch(&setting, &scene, ends, law));
        seen[usize::from(hits[0])][usize::from(hits[1])] += 1;
        if hits[0] == hits[1] && k % 10 > 0 {
            continue;
        }
        for (laws, hit) in
            [(Laws::Slerp, hits[0]), (Laws::SwivelTwist, hits[1]), (Laws::Both, hits[0] || hits[1])]
        {
            // Where samples just miss there may be a contact all the same, but not the other way round.
            match found(&setting, &scene, laws) {
                Planned::Path(path) => {
                    let posture = &path.strokes[0].postures;
                    let same = [&posture[0], &posture[1]] == ends;
                    assert!(!(hit && same), "{k}: {laws}");
                }
                Planned::NoPath(_) | Planned::Undecided(_) => assert!(hit, "{k}: {laws}"),
            }
        }
    }
    assert!(seen[0][1] > 0 && seen[1][0] > 0, "pins tell the laws apart: {seen:?}");
}
