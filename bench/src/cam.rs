//! The CAM paper's job, re-created: the whole map and the best path through it; its speed-ups one by one; and its experiment.

use crate::clock::thread_secs;
use kansho::cell::ik::{Ik, IkOptions, Tip};
use kansho::cell::route::Laws;
use kansho::cell::work::{Stroke, WorkPath, WorkPoint};
use kansho::cell::{JointMotion, JointPiece};
use kansho::check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho::check::order::{Order, Then};
use kansho::check::postures::{Answer, PosturesOptions, postures};
use kansho::check::scene::Scene;
use kansho::check::verdict::Verdict;
use kansho::geom::glam::DVec3;
use kansho::geom::{Mesh, Pose};
use kansho::io::cell::CellOptions;
use kansho::io::job::{self, LoadedJob};
use kansho::plan::cam::{
    EdgeKind, FreeInterval, IntervalEnd, MapOptions, PlanOptions, Planned, PlannedRun, State, Work, feasible,
    free_intervals, plan,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Of the map, every so many points and stances are asked again, one strategy after the other.
const EVERY: [usize; 2] = [50, 6];

/// Postures that every edge against every triangle is tried with.
const BRUTE: usize = 3;

pub(crate) fn windshield(data: &Path) {
    let read = job::read(&data.join("windshield/M/job.toml"), &CellOptions::default());
    let job = match read {
        Ok(job) => job,
        Err(errors) => {
            errors.iter().for_each(|error| println!("{error}"));
            return;
        }
    };
    let cell = &job.job.cell;
    let tip = Tip::tool(cell, &job.job.robot).expect("the job has a tool");
    let ik = Ik::new(cell, &tip, &IkOptions::default()).expect("joints move it");
    let work = Work { tip, ik: &ik, path: &job.job.path, axis: &job.job.axis, clearance: job.job.clearance };
    let scene = Scene::new(Arc::new(cell.clone())).with_models();
    println!(
        "cam: windshield M, {} points, {} stances, {} threads",
        job.job.path.len(),
        job.job.axis.stances(),
        rayon::current_num_threads()
    );
    let began = Instant::now();
    let map = feasible(&scene, &work, &MapOptions::default());
    let free = map.cells().iter().filter(|cell| cell.state == State::Free).count();
    println!(
        "    map      {:6.2} s on the wall, {} cells, {} postures, {free} cells free, {:.0} MB",
        began.elapsed().as_secs_f64(),
        map.cells().len(),
        map.postures,
        map.bytes() as f64 / 1e6
    );
    let prepared = MotionScene::new(&scene);
    let began = Instant::now();
    let planned = plan(&prepared, &work, &map, &PlanOptions::default());
    let secs = began.elapsed().as_secs_f64();
    let Planned::Path(path) = planned else {
        println!("    no path: {planned:?}");
        return;
    };
    println!("    path     {secs:6.2} s on the wall, {:?}", path.effort);
    experiment(&prepared, &work, &path.strokes[0].motion().expect("more than a point"));
    strategies(&job, &ik, cell, &scene);
    refusals(cell);
}

/// Steps of joints in which planned paths are sampled, in radians: 0.01 degree.
const FINE: f64 = 1.745e-4;

/// The paths of the same job, by joints and by lines of the tool, sampled finely on the curves themselves.
pub(crate) fn sampled(data: &Path) {
    let read = job::read(&data.join("windshield/M/job.toml"), &CellOptions::default());
    let job = read.unwrap_or_else(|errors| panic!("{errors:?}"));
    let cell = Arc::new(job.job.cell.clone());
    let tip = Tip::tool(&cell, &job.job.robot).expect("the job has a tool");
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move it");
    let work = Work { tip, ik: &ik, path: &job.job.path, axis: &job.job.axis, clearance: job.job.clearance };
    let (plain, scene) = (Scene::new(Arc::clone(&cell)), Scene::new(Arc::clone(&cell)).with_models());
    let map = feasible(&scene, &work, &MapOptions::default());
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    for (name, kind) in [("ptp", EdgeKind::Ptp), ("lin", EdgeKind::Lin(Laws::Both))] {
        let options = PlanOptions { kind, ..PlanOptions::default() };
        let Planned::Path(path) = plan(&prepared, &work, &map, &options) else { panic!("there is a path") };
        let mut samples: Vec<f64> = Vec::new();
        let mut row = Vec::new();
        let steps = |piece: &JointPiece| {
            let most = piece
                .controls()
                .iter()
                .map(|c| (1..4).map(|k| (c[k] - c[k - 1]).abs()).fold(0.0, f64::max) * 3.0);
            (most.fold(0.0, f64::max) / FINE).ceil().max(1.0) as u32
        };
        for run in &path.runs {
            match run {
                PlannedRun::Joints(motion) => {
                    for piece in motion.pieces() {
                        let count = steps(piece);
                        for k in 0..=count {
                            piece.at(f64::from(k) / f64::from(count), &mut row);
                            samples.extend_from_slice(&row);
                        }
                    }
                }
                PlannedRun::Tool { ways, .. } => {
                    for (route, piece) in
                        ways.iter().flat_map(|way| way.pieces.iter().map(move |piece| (&way.route, piece)))
                    {
                        let count = steps(&piece.piece);
                        for k in 0..=count {
                            let posture = routes.posture(route, piece, f64::from(k) / f64::from(count));
                            samples.extend_from_slice(&posture.expect("it is followed"));
                        }
                    }
                }
            }
        }
        let answers = postures(&plain, &samples, &PosturesOptions::default());
        let hits = answers.iter().filter(|answer| matches!(answer, Answer::Touches(..))).count();
        println!("    {name}: {} postures every 0.01 degree, {hits} touch", answers.len());
    }
}

/// The paper's: a path that was planned without a check collides, one that was planned with it does not.
fn experiment(scene: &MotionScene<'_>, work: &Work<'_>, checked: &JointMotion) {
    let map = feasible(scene.scene(), work, &MapOptions { unchecked: true, ..MapOptions::default() });
    let options = PlanOptions { unchecked: true, ..PlanOptions::default() };
    let Planned::Path(path) = plan(scene, work, &map, &options) else {
        println!("    not even without a check is there a path");
        return;
    };
    let unchecked = path.strokes[0].motion().expect("more than a point");
    for (name, motion) in [("off", &unchecked), ("on", checked)] {
        match scene.motion(motion, &MotionOptions::default(), &mut scene.workspace()).verdict {
            Verdict::Free(_) => println!("    planned with the check {name}: proven free"),
            Verdict::Touches(found) => println!(
                "    planned with the check {name}: {} touch, first between points {} and {}",
                scene.scene().pair_name(found.pair),
                found.piece,
                found.piece + 1
            ),
            Verdict::Undecided { .. } => println!("    planned with the check {name}: undecided"),
        }
    }
}

/// Orders of pairs and models, each on and off, on the same postures.
fn strategies(job: &LoadedJob, ik: &Ik, cell: &kansho::cell::Cell, with_models: &Scene) {
    let mut all = Vec::new();
    let mut posture = cell.zero_posture();
    for point in job.job.path.points().step_by(EVERY[0]) {
        for stance in (0..job.job.axis.stances()).step_by(EVERY[1]) {
            for solution in ik.solve(&job.job.axis.world_from_tip(point, stance)).iter() {
                ik.put(solution.values, &mut posture);
                all.extend_from_slice(&posture);
            }
        }
    }
    let count = all.len() / posture.len();
    let bare = Scene::new(Arc::clone(with_models.cell()));
    let order = |last_first: bool, then: Then| Order { last_first, then };
    println!("    {count} of these postures, one thread, microseconds each and how many touch:");
    let mut first: Option<Vec<bool>> = None;
    for (name, scene, order) in [
        ("pairs as listed", &bare, order(false, Then::Listed)),
        ("last hit first", &bare, order(true, Then::Listed)),
        ("paper's order of pairs", &bare, order(false, Then::Paper)),
        ("both, as in the paper", &bare, order(true, Then::Paper)),
        ("most frequent first, last hit first", &bare, order(true, Then::Frequent)),
    ] {
        let began = thread_secs();
        let answers =
            one_thread(|| postures(scene, &all, &PosturesOptions { order, ..PosturesOptions::default() }));
        let micros = (thread_secs() - began) * 1e6 / count as f64;
        let hits: Vec<bool> = answers.iter().map(|answer| matches!(answer, Answer::Touches(..))).collect();
        println!("      {name:38} {micros:8.2}   {}", hits.iter().filter(|hit| **hit).count());
        assert!(first.as_ref().is_none_or(|first| *first == hits), "the order changes no answer");
        first = Some(hits);
    }
    let began = thread_secs();
    let (hits, _) = one_thread(|| kansho::check::postures::touches(with_models, &all));
    let micros = (thread_secs() - began) * 1e6 / count as f64;
    println!(
        "      {:38} {micros:8.2}   {}",
        "models, inner and outer",
        hits.iter().filter(|hit| **hit).count()
    );
    assert_eq!(first, Some(hits), "models change no answer");
}

/// On this thread alone, so that its processor time is all there is.
fn one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    match pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// The paper's way to decide a pair, every edge of one against every triangle of the other, without and with its refusals.
fn refusals(cell: &kansho::cell::Cell) {
    let mesh = |name: &str| {
        let body = cell.bodies().iter().find(|body| body.name == name)?;
        match &body.pieces.first()?.geometry {
            kansho::cell::Geometry::Mesh(mesh) => Some((Arc::clone(mesh), body)),
            kansho::cell::Geometry::Primitive(_) => None,
        }
    };
    let (Some((tool, of_tool)), Some((sheet, of_sheet))) = (mesh("arm/tool"), mesh("sheet")) else { return };
    let mut times = [0.0; 2];
    let mut hits = [0; 2];
    for k in 0..BRUTE {
        let posture: Vec<f64> = [0.2, 0.1 + 0.1 * k as f64, -0.5, 0.0, 0.5, 1.0].into();
        let placed = cell.place(&posture);
        let world_from_tool = placed.world_from_carrier(of_tool) * of_tool.pieces[0].carrier_from_piece;
        let world_from_sheet = placed.world_from_carrier(of_sheet) * of_sheet.pieces[0].carrier_from_piece;
        let sheet_from_tool = world_from_sheet.inverse() * world_from_tool;
        for (way, refuse) in [false, true].into_iter().enumerate() {
            let began = thread_secs();
            hits[way] += brute(&tool, &sheet, sheet_from_tool, refuse);
            times[way] += thread_secs() - began;
        }
    }
    assert_eq!(hits[0], hits[1], "refusals change no answer");
    println!(
        "    every edge against every triangle, tool and sheet: {:.0} ms a posture, with the paper's refusals {:.0} ms ({:.2} times)",
        times[0] * 1e3 / BRUTE as f64,
        times[1] * 1e3 / BRUTE as f64,
        times[1] / times[0]
    );
}

/// Crossings of edges of one with triangles of the other.
fn brute(edges_of: &Mesh, triangles_of: &Mesh, b_from_a: Pose, refuse: bool) -> usize {
    let points: Vec<DVec3> = edges_of.vertices().iter().map(|p| b_from_a * *p).collect();
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for &[a, b, c] in edges_of.triangles() {
        edges.extend([[a, b], [b, c], [c, a]].into_iter().filter(|[x, y]| x < y));
    }
    let lengths: Vec<f64> =
        edges.iter().map(|[a, b]| points[*a as usize].distance(points[*b as usize])).collect();
    let mut heights = vec![0.0; points.len()];
    let mut crossings = 0;
    for &[o, a, b] in triangles_of.triangles() {
        let corner = |k: u32| triangles_of.vertices()[k as usize];
        let (origin, side_a, side_b) = (corner(o), corner(a) - corner(o), corner(b) - corner(o));
        let normal = side_a.cross(side_b).normalize_or_zero();
        if refuse {
            // Once for each point, and shared by all edges that end there.
            heights
                .iter_mut()
                .zip(&points)
                .for_each(|(height, point)| *height = (*point - origin).dot(normal));
        }
        for (k, &[p, q]) in edges.iter().enumerate() {
            let [from, to] = [p, q].map(|end| points[end as usize] - origin);
            let (w, w_to) = if refuse {
                (heights[p as usize], heights[q as usize])
            } else {
                (from.dot(normal), to.dot(normal))
            };
            if refuse && (w.abs() > lengths[k] || w * w_to > 0.0) {
                continue;
            }
            let t = w / (w - w_to);
            let x = from + (to - from) * t;
            let (aa, ab, bb) = (side_a.dot(side_a), side_a.dot(side_b), side_b.dot(side_b));
            let (xa, xb) = (x.dot(side_a), x.dot(side_b));
            let whole = aa * bb - ab * ab;
            let (u, v) = ((bb * xa - ab * xb) / whole, (aa * xb - ab * xa) / whole);
            crossings += usize::from(u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t));
        }
    }
    crossings
}

/// Of the intervals of rotation, those of every so many points.
const EVERY_POINT: usize = 40;

/// Free intervals of rotation at some points of the job, in all branches.
pub(crate) fn intervals(data: &Path) {
    let read = job::read(&data.join("windshield/M/job.toml"), &CellOptions::default());
    let job = read.unwrap_or_else(|errors| panic!("{errors:?}"));
    let cell = Arc::new(job.job.cell.clone());
    let tip = Tip::tool(&cell, &job.job.robot).expect("the job has a tool");
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move it");
    let points: Vec<WorkPoint> = job.job.path.points().copied().step_by(EVERY_POINT).collect();
    let path = WorkPath { strokes: vec![Stroke { points, closed: true }] };
    let work = Work { tip, ik: &ik, path: &path, axis: &job.job.axis, clearance: job.job.clearance };
    let scene = Scene::new(Arc::clone(&cell)).with_models();
    let map = feasible(&scene, &work, &MapOptions::default());
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let began = Instant::now();
    let found = free_intervals(&routes, &work, &map, &MapOptions::default());
    let secs = began.elapsed().as_secs_f64();
    let all: Vec<FreeInterval> = found.concat();
    let angle: f64 = all.iter().map(|found| found.to - found.from).sum();
    let ends =
        |is: fn(&IntervalEnd) -> bool| all.iter().flat_map(|found| &found.ends).filter(|end| is(end)).count();
    let free: usize = map.cells().iter().map(|cell| cell.free_branches().count()).sum();
    println!(
        "    {} points: {} intervals, {:.0} degrees in all ({free} free rotations of the map); they end in {} contacts, {} ends of branches, {} open; {secs:.2} s on the wall",
        map.points(),
        all.len(),
        angle.to_degrees(),
        ends(|end| matches!(end, IntervalEnd::Touches(_))),
        ends(|end| matches!(end, IntervalEnd::Branch(_))),
        ends(|end| matches!(end, IntervalEnd::Open)),
    );
}
