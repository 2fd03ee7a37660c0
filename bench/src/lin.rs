//! Lines of a tool: what a proof costs beside that of the joint line between the same ends, and routes against dense sampling.

use crate::clock::thread_secs;
use kansho::cell::ik::{Ik, IkOptions, Solutions, Tip};
use kansho::cell::route::{Blend, Law, Move, Route, RouteMotion};
use kansho::cell::{Cell, JointMotion, JointPiece};
use kansho::check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho::check::scene::Scene;
use kansho::check::verdict::Verdict;
use kansho::geom::Pose;
use kansho::geom::glam::DVec3;
use kansho::io::cell::{self, CellOptions};
use kansho::io::job;
use kansho::plan::cam::{MapOptions, PlanOptions, Planned, Work, feasible, plan};
use kansho::verify::route::follows;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Lines of each length.
const LINES: usize = 300;
/// Runs over all of them; the fastest counts, and the first fills fields.
const RUNS: usize = 3;
/// Routes of each robot that are sampled.
const ROUTES: usize = 2000;
/// Gaps that are measured are right to this, in metres, and so are postures on a curve.
const ROUNDING: f64 = 1e-8;

fn random(state: &mut u64) -> f64 {
    // SplitMix64.
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn vector(state: &mut u64) -> DVec3 {
    DVec3::new(2.0 * random(state) - 1.0, 2.0 * random(state) - 1.0, 2.0 * random(state) - 1.0)
}

fn posture(cell: &Cell, state: &mut u64) -> Vec<f64> {
    let range = |c: &kansho::cell::Coordinate| {
        c.limits.map_or([-3.0, 3.0], |l| [l.lower.max(-3.0), l.upper.min(3.0)])
    };
    cell.coordinates().iter().map(range).map(|[low, high]| low + (high - low) * random(state)).collect()
}

/// A pose some way from another, and turned.
fn moved(from: &Pose, way: f64, turn: f64, state: &mut u64) -> Pose {
    let turned = Pose::from_rpy(DVec3::ZERO, vector(state) * turn);
    Pose::of_rotation(turned.rotation() * from.rotation(), from.translation() + vector(state) * way)
}

/// What a robot is in: its name, its cell, and what is led.
fn cells(bench: &Path, real: &Path) -> Vec<(String, Cell, Tip)> {
    let read = |path: &Path| cell::read(path, &CellOptions::default()).expect("the cell is good").cell;
    let mut all = Vec::new();
    let boxes = read(&bench.join("ur5_boxes.toml"));
    let last = |cell: &Cell, names: &[&str]| {
        let is_one = |link: &&String| names.iter().any(|name| link.ends_with(name));
        let name = cell.link_names().iter().find(is_one).expect("a flange").clone();
        Tip::link(cell, &name).expect("a link")
    };
    let tip = last(&boxes, &["/ee_link", "/tool0", "/wrist_3_link"]);
    all.push(("ur5 among boxes".to_owned(), boxes, tip));
    let windshield = read(&real.join("windshield/M/cell.toml"));
    let tip = Tip::tool(&windshield, "arm").expect("a tool");
    all.push(("m20ia at the windshield".to_owned(), windshield, tip));
    let urdf = real.join("robots/fanuc_m10ia_support/urdf/m10ia.urdf");
    let srdf = real.join("robots/fanuc_m10ia_support/srdf/fanuc_m10ia.srdf");
    let text = format!(
        "units = \"m\"\n[[robot]]\nname = \"r\"\nurdf = {urdf:?}\nsrdf = {srdf:?}\n{}",
        crate::sampled::OBJECTS
    );
    let path = std::env::temp_dir().join(format!("kansho-lin-{}.toml", std::process::id()));
    std::fs::write(&path, text).expect("a folder for passing files");
    let m10ia = read(&path);
    std::fs::remove_file(&path).expect("the file is ours");
    let tip = last(&m10ia, &["/tool0", "/flange", "/link_6"]);
    all.push(("m10ia among objects".to_owned(), m10ia, tip));
    all
}

/// Proofs of lines beside those of the joint lines between the same ends.
pub(crate) fn costs(bench: &Path, real: &Path) {
    println!("lines of the tool beside joint lines between the same ends, on one thread");
    for (name, cell, tip) in cells(bench, real) {
        let scene = Scene::new(Arc::new(cell)).with_models();
        let prepared = MotionScene::new(&scene);
        let led = RouteScene::new(&prepared, tip).expect("six joints");
        let mut workspace = prepared.workspace();
        let mut of_scene = scene.workspace();
        let options = MotionOptions::default();
        for (way, turn) in [(0.05, 0.1), (0.2, 0.4), (0.5, 0.8)] {
            let mut state = 1;
            let (mut lines, mut joints) = (Vec::new(), Vec::new());
            while lines.len() < LINES {
                let start = posture(scene.cell(), &mut state);
                let to = moved(&tip.placed(scene.cell(), &start), way, turn, &mut state);
                if scene.touches(&start, &mut of_scene) {
                    continue;
                }
                let line = [Move::line(to)];
                let Ok(route) =
                    Route::new(scene.cell(), tip, start.clone(), &line, Law::Slerp, Blend::Inside)
                else {
                    continue;
                };
                let Ok(pieces) = led.trace(&route, 1e-3) else { continue };
                let end: Vec<f64> =
                    pieces.last().expect("a piece").piece.controls().iter().map(|c| c[3]).collect();
                joints.push(JointMotion::of_piece(JointPiece::line(&start, &end)));
                lines.push(route);
            }
            let (mut best, mut traced) = ([f64::INFINITY; 2], f64::INFINITY);
            let mut verdicts = [0; 3];
            let mut count = 0;
            for run in 0..RUNS {
                let before = thread_secs();
                let of_joints: Vec<bool> = joints
                    .iter()
                    .map(|motion| prepared.motion(motion, &options, &mut workspace).verdict.is_free())
                    .collect();
                let between = thread_secs();
                for route in &lines {
                    let report = led.route(route, &options, &mut workspace).expect("it was followed");
                    if run == 0 {
                        match &report.verdict {
                            Verdict::Free(proof) => {
                                verdicts[0] += 1;
                                count += proof.pieces.len();
                            }
                            Verdict::Touches(_) => verdicts[1] += 1,
                            Verdict::Undecided { .. } => verdicts[2] += 1,
                        }
                    }
                }
                let after = thread_secs();
                let pieces: usize =
                    lines.iter().map(|route| led.trace(route, 2e-3).map_or(0, |pieces| pieces.len())).sum();
                traced = traced.min(thread_secs() - after);
                best = [best[0].min(between - before), best[1].min(after - between)];
                if run == 0 {
                    let free = of_joints.iter().filter(|free| **free).count();
                    println!("{name}, {way} m and {turn} rad: {free} joint lines free; {pieces} pieces; ");
                }
            }
            let [joint, line] = best.map(|secs| secs * 1e6 / LINES as f64);
            println!(
                "lin {} free ({:.1} pieces), {} touch, {} undecided; ptp {joint:.1} us, lin {line:.1} us (following {:.1}), ratio {:.2}",
                verdicts[0],
                f64::from(count as u32) / f64::from(verdicts[0].max(1)),
                verdicts[1],
                verdicts[2],
                traced * 1e6 / LINES as f64,
                line / joint
            );
        }
    }
}

/// What came out of sampling.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    free: usize,
    touching: usize,
    undecided: usize,
    not_followed: usize,
    samples: usize,
    wrong: usize,
}

/// Lines, arcs, smooth curves and corners against dense sampling.
pub(crate) fn sampled(bench: &Path, real: &Path) {
    println!("routes of a tool against samples on the curve, on all threads");
    for (name, cell, tip) in cells(bench, real) {
        let cell = Arc::new(cell);
        let (plain, quick) = (Scene::new(Arc::clone(&cell)), Scene::new(Arc::clone(&cell)).with_models());
        let prepared = MotionScene::new(&quick);
        let led = RouteScene::new(&prepared, tip).expect("six joints");
        let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move it");
        let memory = || (plain.workspace(), prepared.workspace(), Solutions::default());
        let tallies: Vec<Tally> = (0..ROUTES)
            .into_par_iter()
            .map_init(memory, |(by_plain, by_quick, solutions), k| {
                let mut state = k as u64 + 1;
                let mut start = posture(&cell, &mut state);
                while plain.touches(&start, by_plain) {
                    start = posture(&cell, &mut state);
                }
                let way = 10f64.powf(-2.3 + 2.0 * random(&mut state));
                let here = tip.placed(&cell, &start);
                let mut next = here;
                let turn = if k.is_multiple_of(5) { 0.0 } else { 2.0 * way };
                let mut pose = |state: &mut u64| {
                    next = moved(&next, way, turn, state);
                    next
                };
                let moves = match k % 4 {
                    0 => vec![Move::line(pose(&mut state))],
                    1 => vec![Move::arc(pose(&mut state).translation(), pose(&mut state))],
                    2 => vec![Move::spline(vec![pose(&mut state), pose(&mut state)])],
                    _ => {
                        vec![Move::line(pose(&mut state)).with_zone(0.1 * way), Move::line(pose(&mut state))]
                    }
                };
                let law = [Law::Slerp, Law::SwivelTwist][k / 4 % 2];
                let blend = [Blend::Inside, Blend::Parabola][k / 8 % 2];
                let options = MotionOptions {
                    clearance: [0.0, 0.0, 0.002, 0.02][k / 16 % 4],
                    ..MotionOptions::default()
                };
                let mut tally = Tally::default();
                let Ok(route) = Route::new(&cell, tip, start, &moves, law, blend) else { return tally };
                let Ok(report) = led.route(&route, &options, by_quick) else {
                    tally.not_followed = 1;
                    return tally;
                };
                let until = match &report.verdict {
                    Verdict::Free(proof) => {
                        tally.free = 1;
                        if let Err(why) = follows(&cell, &route, &proof.pieces) {
                            tally.wrong += 1;
                            println!("    {why}");
                        }
                        1.0
                    }
                    Verdict::Touches(witness) => {
                        tally.touching = 1;
                        let gap = plain
                            .least_gap(&witness.posture, f64::INFINITY, by_plain)
                            .map_or(f64::INFINITY, |g| g.gap);
                        if !(gap <= options.clearance + options.resolution + ROUNDING) {
                            tally.wrong += 1;
                            println!("    {gap} at a witness: {witness:?}");
                        }
                        witness.time.start
                    }
                    Verdict::Undecided { open } => {
                        tally.undecided = 1;
                        open.start
                    }
                };
                let traced = led.trace(&route, 1e-3).expect("it was followed");
                let mut near = Vec::new();
                for piece in &traced {
                    let RouteMotion::Tool { curve, part, loose, .. } = &route.legs()[piece.leg].way else {
                        continue;
                    };
                    for _ in 0..40 {
                        let v = random(&mut state);
                        let u = piece.part.at(v);
                        if route.time(piece.leg, (u - part.start) / part.length()) >= until {
                            continue;
                        }
                        // Anywhere that is as near to the curve as the leg allows.
                        let at = curve.at(u);
                        let shift = vector(&mut state).normalize_or_zero() * loose.place * random(&mut state);
                        let axis = vector(&mut state).try_normalize().unwrap_or(DVec3::X);
                        let turned = Pose::turn(axis, loose.turn * random(&mut state));
                        let wanted =
                            Pose::of_rotation(turned.rotation() * at.rotation(), at.translation() + shift);
                        piece.piece.at(v, &mut near);
                        let seed = ik.values_in(&near);
                        ik.solve_into(&wanted, Some(&seed), solutions);
                        let apart =
                            |s: &[f64]| s.iter().zip(&seed).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                        let found =
                            solutions.iter().min_by(|a, b| apart(a.values).total_cmp(&apart(b.values)));
                        let Some(found) = found else {
                            // At a limit of a joint that is passed by less than is told.
                            continue;
                        };
                        ik.put(found.values, &mut near);
                        let below = options.clearance + 0.01;
                        let gap = plain.least_gap(&near, below, by_plain).map_or(below, |gap| gap.gap);
                        tally.samples += 1;
                        if gap < options.clearance - ROUNDING {
                            tally.wrong += 1;
                            println!("    {gap} at {v} of leg {} in {route:?}", piece.leg);
                        }
                    }
                }
                tally
            })
            .collect();
        let sum = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
        println!(
            "{name}: {ROUTES} routes, {} free, {} touching, {} undecided, {} not followed; {} samples, {} contradictions",
            sum(|t| t.free),
            sum(|t| t.touching),
            sum(|t| t.undecided),
            sum(|t| t.not_followed),
            sum(|t| t.samples),
            sum(|t| t.wrong)
        );
    }
}

/// Every so many points of the path make steps of 6.65 mm.
const EVERY: usize = 5;

/// How far joint lines are from lines of the tool on the path of the windshield.
pub(crate) fn windshield(real: &Path) {
    let folder = real.join("windshield/M");
    let cell = cell::read(&folder.join("cell.toml"), &CellOptions::default()).expect("the cell is good").cell;
    let tip = Tip::tool(&cell, "arm").expect("a tool");
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move it");
    let text = std::fs::read_to_string(folder.join("path.csv")).expect("the path can be read");
    let world_from_sheet = Pose::from_rpy(DVec3::new(1.1, 0.0, 0.75), DVec3::Z * std::f64::consts::FRAC_PI_2);
    let points: Vec<(DVec3, DVec3)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let n: Vec<f64> = line.split(',').map(|word| word.parse().expect("a number")).collect();
            (
                world_from_sheet * (DVec3::new(n[0], n[1], n[2]) * 1e-3),
                world_from_sheet.rotate(DVec3::new(n[3], n[4], n[5])),
            )
        })
        .step_by(EVERY)
        .collect();
    println!("joint lines beside lines of the tool, {} steps of the windshield's path", points.len() - 1);
    // Constant rotations, and some that change by ten degrees in one step here and there, as plans do that avoid contacts.
    for (rotation, change) in [(80f64, 0.0), (100.0, 0.0), (120.0, 0.0), (140.0, 0.0), (100.0, 10.0)] {
        let pose = |(k, &(at, along)): (usize, &(DVec3, DVec3))| {
            let rotation = rotation + if k / 40 % 2 == 1 { change } else { 0.0 };
            let z = along.normalize();
            let zero = (DVec3::X - z * z.x).normalize();
            let (sin, cos) = rotation.to_radians().sin_cos();
            let x = zero * cos + z.cross(zero) * sin;
            Pose::of_rotation(kansho::geom::glam::DMat3::from_cols(x, z.cross(x), z), at)
        };
        let poses: Vec<Pose> = points.iter().enumerate().map(pose).collect();
        let mut scratch = Solutions::default();
        for first in ik.solve(&poses[0]).iter() {
            let mut rows = vec![first.values.to_vec()];
            for pose in &poses[1..] {
                match ik.follow(pose, &rows[rows.len() - 1], &mut scratch) {
                    kansho::cell::ik::Followed::On { values, .. } => rows.push(values),
                    kansho::cell::ik::Followed::Ends(_) => break,
                }
            }
            if rows.len() < poses.len() {
                continue;
            }
            let branch = first.branch.map_or(String::new(), |branch| branch.to_string());
            println!("rotation {rotation}, changes of {change}, branch {branch}: {}", chords(&ik, &rows));
        }
    }
    // And as planned, with rotations that avoid contacts.
    let job = job::read(&folder.join("job.toml"), &CellOptions::default()).expect("the job is good");
    let work = Work { tip, ik: &ik, path: &job.job.path, axis: &job.job.axis, clearance: job.job.clearance };
    let scene = Scene::new(Arc::new(cell)).with_models();
    let map = feasible(&scene, &work, &MapOptions::default());
    let planned = plan(&MotionScene::new(&scene), &work, &map, &PlanOptions::default());
    let Planned::Path(path) = planned else { panic!("the job has a path") };
    let postures = &path.strokes[0].postures;
    for every in [1, EVERY] {
        let rows: Vec<Vec<f64>> = postures.iter().step_by(every).map(|row| ik.values_in(row)).collect();
        println!("as planned, every {every}: {}", chords(&ik, &rows));
    }
}

/// How far joint lines through postures leave lines of the tool.
fn chords(ik: &Ik, rows: &[Vec<f64>]) -> String {
    let (mut off, mut tilt, mut most) = (Vec::new(), 0.0f64, 0.0f64);
    for pair in rows.windows(2) {
        let ends = [&pair[0], &pair[1]].map(|row| ik.world_from_tip(row));
        let line = kansho::cell::route::PoseCurve::line(&ends[0], &ends[1], Law::Slerp).expect("short");
        let (a, b) = (ends[0].translation(), ends[1].translation());
        let along = (b - a).normalize();
        let mut worst = 0.0f64;
        for k in 0..=100 {
            let u = f64::from(k) / 100.0;
            let q: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(x, y)| x + (y - x) * u).collect();
            let there = ik.world_from_tip(&q);
            let from_start = there.translation() - a;
            worst = worst.max((from_start - along * from_start.dot(along)).length());
            tilt = tilt.max(there.rotation().z_axis.angle_between(line.at(u).rotation().z_axis));
        }
        off.push(worst * 1e3);
        most = pair[0].iter().zip(&pair[1]).map(|(x, y)| (x - y).abs()).fold(most, f64::max);
    }
    off.sort_by(f64::total_cmp);
    let at = |share: f64| off[((off.len() - 1) as f64 * share) as usize];
    format!(
        "off the chord by median {:.4} mm, 99 % {:.3}, most {:.3}; tilt {:.3} deg; a joint turns by {:.1} deg in one step",
        at(0.5),
        at(0.99),
        at(1.0),
        tilt.to_degrees(),
        most.to_degrees()
    )
}
