//! The work itself, step by step, each with its time.

use super::times::{PlanTimes, plan_times};
use crate::budget::Budget;
use kansho_cell::ik::{Ik, IkOptions, Tip};
use kansho_cell::work::WorkPoint;
use kansho_check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho_check::scene::{PairId, Scene};
use kansho_io::job::LoadedJob;
use kansho_io::{Fault, ReadError, Warning};
use kansho_plan::cam::{
    Blocked, EdgeKind, FeasibleMap, FreeInterval, Kept, MapOptions, NoPath, PathGaps, Planned, PlannedPath,
    PlannedRun, ProvenWay, WhyNoPath, Work, all_free_somewhere, depths, feasible, free_intervals,
    least_depths, path_gaps, tips_inside,
};
use kansho_plan::job::JobMotion;
use kansho_verify::file::{AnyCertificate, CertifiedMotion, CertifiedRoute, OneRoute};
use kansho_verify::route::Arm;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// How narrow bounds of depths are, in metres.
const DEPTH: f64 = 1e-4;

/// Points at which the tool is tried from the other side, at most.
const FLIPPED: usize = 9;

/// Points that an answer names, at most.
pub(super) const NAMED: usize = 20;

/// What is asked beside the job.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanOptions {
    /// How the controller moves from point to point, instead of what the job says.
    pub motion: Option<JobMotion>,
    /// Whether certificates are wanted.
    pub certificate: bool,
    /// Whether free intervals of rotation are wanted.
    pub intervals: bool,
    /// Whether all depths of what collides are wanted.
    pub depths: bool,
}

/// Of some points, of each pair the tool rotation in which it is least deep, and how deep: a bound below and one above, in metres.
pub(super) type LeastDepths = BTreeMap<usize, Vec<(PairId, usize, [f64; 2])>>;

/// All that came of a job.
pub struct PlanWork {
    /// Whether the tool goes straight from point to point, instead of all joints moving evenly.
    pub is_lin: bool,
    /// Where the tool is free.
    pub map: FeasibleMap,
    /// The path.
    pub planned: Planned,
    /// Of each run of the path a certificate, or why there is none.
    pub certificates: Vec<Result<AnyCertificate, String>>,
    /// Of each run of the path its times, or why there are none; nothing if the job does not ask for them.
    pub timed: Vec<Result<PlanTimes, String>>,
    /// Of each point, the free intervals of rotation; or why they are not known.
    pub intervals: Option<Result<Vec<Vec<FreeInterval>>, String>>,
    /// Of points that block the path, where each pair is least deep, and how deep.
    pub(super) least_depths: LeastDepths,
    /// Whether most points that are blocked would be free in some rotation if the tool came from the other side.
    pub(super) flip_helps: bool,
    /// How near bodies come on the path, if there is one.
    pub gaps: Option<PathGaps>,
    /// Of some points, how deep the tool is in every rotation.
    pub depths: BTreeMap<usize, Vec<Option<[f64; 2]>>>,
    /// What took how many seconds, in order.
    pub seconds: Vec<(&'static str, f64)>,
    /// What users should know of the job in this cell.
    pub warnings: Vec<Warning>,
}

/// Measures what took how long.
struct Laps {
    began: Instant,
    seconds: Vec<(&'static str, f64)>,
}

impl Laps {
    fn end(&mut self, what: &'static str) {
        self.seconds.push((what, self.began.elapsed().as_secs_f64()));
        self.began = Instant::now();
    }

    fn end_if(&mut self, is_done: bool, what: &'static str) {
        if is_done {
            self.end(what);
        }
    }
}

/// Plans a job in its cell, on all threads of the current pool: the map of where the tool is free, the best path through it, and proofs. What is
/// known of the map from an earlier run is taken from `kept`.
///
/// # Errors
/// Why the job cannot be planned: its robot has no tool or no joint solutions, its options contradict each other, or points lie inside bodies.
pub fn plan(
    loaded: &LoadedJob,
    scene: &Scene,
    options: &PlanOptions,
    kept: Option<&dyn Kept>,
    budget: &Budget<'_>,
) -> Result<PlanWork, ReadError> {
    let job = &loaded.job;
    let mut laps = Laps { began: Instant::now(), seconds: Vec::new() };
    let is_lin = options.motion.unwrap_or(job.motion) == JobMotion::Lin;
    if !is_lin && job.zone > 0.0 {
        let fault = Fault::of_file("points cannot be rounded off where all joints move evenly (ptp): what they do there is not known")
            .with_help("zone = 0 in [motion] stops at every point; kind = \"lin\" rounds lines of the tool");
        return Err(ReadError { path: loaded.file.clone(), faults: vec![fault] });
    }
    let of_cell =
        |what: String| ReadError { path: loaded.cell_file.clone(), faults: vec![Fault::of_file(what)] };
    let cell = scene.cell();
    let tip = Tip::tool(cell, &job.robot).ok_or_else(|| of_cell("the robot has no tool".into()))?;
    let ik = Ik::new(cell, &tip, &IkOptions::default()).map_err(|fault| of_cell(fault.to_string()))?;
    if is_lin {
        Arm::new(cell, &tip).map_err(|fault| of_cell(fault.to_string()))?;
    }
    let warnings = resting(loaded, &ik);
    let work = Work { tip, ik: &ik, path: &job.path, axis: &job.axis, clearance: job.clearance };
    laps.end("models");
    let inside = tips_inside(scene, &work);
    if !inside.is_empty() {
        return Err(super::text::inside_fault(loaded, &inside));
    }
    laps.end("tips");
    let Budget { deadline, stop, .. } = *budget;
    let map = {
        let stage = budget.stage("map: point ", job.path.len());
        let done = Some(stage.counter());
        feasible(scene, &work, &MapOptions { deadline, stop, done, kept, ..MapOptions::default() })
    };
    laps.end("map");
    let prepared = MotionScene::new(scene);
    let planned = {
        let stage = budget.stage("path: motion ", job.path.len());
        let options = kansho_plan::cam::PlanOptions {
            kind: if is_lin { EdgeKind::Lin(job.laws) } else { EdgeKind::Ptp },
            zone: job.zone,
            blend: job.blend,
            lift: job.lift,
            constant: job.constant,
            change_branch: job.change_branch,
            deadline,
            stop,
            done: Some(stage.counter()),
            ..kansho_plan::cam::PlanOptions::default()
        };
        kansho_plan::cam::plan(&prepared, &work, &map, &options)
    };
    laps.end("path");
    let intervals = options.intervals.then(|| {
        let routes = RouteScene::new(&prepared, tip).map_err(|fault| fault.to_string())?;
        let stage = budget.stage("intervals: point ", job.path.len());
        let done = Some(stage.counter());
        Ok(free_intervals(
            &routes,
            &work,
            &map,
            &MapOptions { deadline, stop, done, ..MapOptions::default() },
        ))
    });
    laps.end_if(intervals.is_some(), "intervals");
    let least_depths = match &planned {
        Planned::NoPath(NoPath { why: WhyNoPath::Blocked(blocked), .. }) if !budget.is_stopped() => {
            let some = &blocked[..blocked.len().min(NAMED)];
            let of = |at: &Blocked| (at.point, least_depths(scene, &work, &map, at.point, DEPTH));
            some.par_iter().map(of).collect()
        }
        _ => BTreeMap::new(),
    };
    laps.end_if(!least_depths.is_empty(), "least depths");
    let flip_helps = match &planned {
        Planned::NoPath(NoPath { why: WhyNoPath::Blocked(blocked), .. }) => flip_helps(scene, &work, blocked),
        _ => false,
    };
    let deep = if options.depths { depths_of(scene, &work, &map, budget) } else { BTreeMap::new() };
    laps.end_if(!deep.is_empty(), "depths");
    let certificates = match &planned {
        Planned::Path(path) if options.certificate => certified(&prepared, tip, job.clearance, path, budget),
        Planned::Path(path) => path.runs.iter().map(|_| Err("it was not wanted".to_owned())).collect(),
        _ => Vec::new(),
    };
    laps.end("certificate");
    let timed = match &planned {
        Planned::Path(path) if !budget.is_stopped() => plan_times(job, cell, tip, &ik, path),
        _ => Vec::new(),
    };
    laps.end_if(!timed.is_empty(), "times");
    let gaps = match &planned {
        Planned::Path(path) if !budget.is_stopped() => {
            path_gaps(&prepared, path, &MotionOptions { deadline, stop, ..MotionOptions::default() })
        }
        _ => None,
    };
    laps.end_if(gaps.is_some(), "least gaps");
    Ok(PlanWork {
        is_lin,
        map,
        planned,
        certificates,
        timed,
        intervals,
        least_depths,
        flip_helps,
        gaps,
        depths: deep,
        seconds: laps.seconds,
        warnings,
    })
}

/// Joints that do not move the tool, and are not moved.
fn resting(loaded: &LoadedJob, ik: &Ik) -> Vec<Warning> {
    let coordinates = loaded.job.cell.coordinates();
    let is_used = |k: usize| ik.joints().iter().any(|joint| joint.coordinate == k);
    let names: Vec<String> =
        (0..coordinates.len()).filter(|k| !is_used(*k)).map(|k| coordinates[k].full_name()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let what = format!("joints that do not move the tool stay where they are at zero: {}", names.join(", "));
    vec![Warning { path: loaded.cell_file.clone(), fault: Fault::of_file(what) }]
}

/// Tries the tool from the other side at some of the points that are blocked, if these are half of the path or more: perhaps its directions
/// point out of the work.
fn flip_helps(scene: &Scene, work: &Work<'_>, blocked: &[Blocked]) -> bool {
    if 2 * blocked.len() < work.path.len() {
        return false;
    }
    let all: Vec<&WorkPoint> = work.path.points().collect();
    let tried = blocked.len().min(FLIPPED);
    let is_free = |k: usize| {
        let point = all[blocked[k * blocked.len() / tried].point];
        let flipped = WorkPoint { direction_in_world: -point.direction_in_world, ..*point };
        all_free_somewhere(scene, work, &[flipped])
    };
    2 * (0..tried).filter(|k| is_free(*k)).count() > tried
}

/// How deep all that collides is.
fn depths_of(
    scene: &Scene,
    work: &Work<'_>,
    map: &FeasibleMap,
    budget: &Budget<'_>,
) -> BTreeMap<usize, Vec<Option<[f64; 2]>>> {
    let points: Vec<usize> = (0..map.points()).collect();
    let stage = budget.stage("depths: point ", points.len());
    let Budget { deadline, stop, .. } = *budget;
    let options = MapOptions { deadline, stop, done: Some(stage.counter()), ..MapOptions::default() };
    let found = depths(scene, work, map, &points, DEPTH, &options);
    points.into_iter().zip(found).collect()
}

/// A certificate of each run, or why there is none.
fn certified(
    scene: &MotionScene<'_>,
    tip: Tip,
    clearance: f64,
    path: &PlannedPath,
    budget: &Budget<'_>,
) -> Vec<Result<AnyCertificate, String>> {
    let options =
        MotionOptions { clearance, deadline: budget.deadline, stop: budget.stop, ..MotionOptions::default() };
    let pieces = |run: &PlannedRun| match run {
        PlannedRun::Joints(motion) => motion.pieces().len(),
        PlannedRun::Tool { ways, .. } => ways.iter().map(|way| way.pieces.len()).sum(),
    };
    let stage = budget.stage("certificate: motion ", path.runs.iter().map(pieces).sum());
    let certify = |run: &PlannedRun| {
        let certified = match run {
            PlannedRun::Joints(motion) => {
                let certificate = scene.certify(motion, &options).map_err(|why| why.to_string())?;
                AnyCertificate::Cell(Box::new(CertifiedMotion::new(
                    scene.cell(),
                    motion.clone(),
                    options.resolution,
                    certificate,
                )))
            }
            PlannedRun::Tool { ways, .. } => {
                let led = RouteScene::new(scene, tip).map_err(|fault| fault.to_string())?;
                let certified = ways.iter().map(|way| {
                    let certificate = led.certify(&way.pieces, &options).map_err(|why| why.to_string())?;
                    let ProvenWay { law, route, pieces } = way.clone();
                    Ok(OneRoute { law, route, pieces, certificate })
                });
                let routes = certified.collect::<Result<_, String>>()?;
                AnyCertificate::Route(Box::new(CertifiedRoute::new(scene.cell(), options.resolution, routes)))
            }
        };
        stage.counter().fetch_add(pieces(run), Ordering::Relaxed);
        Ok(certified)
    };
    path.runs.iter().map(certify).collect()
}
