//! The work itself, step by step, each with its time.

use super::Asked;
use crate::progress::Progress;
use crate::say;
use kansho::cell::ik::{Ik, IkOptions, Tip};
use kansho::check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho::check::scene::{PairId, Scene};
use kansho::io::job::LoadedJob;
use kansho::io::plan_files::{LeastDepths, NAMED, PlanResult, PlanTimes, inside_fault, plan_times};
use kansho::io::{Fault, ReadError, Warning};
use kansho::plan::cam::{
    Blocked, EdgeKind, FeasibleMap, FreeInterval, Kept, MapOptions, NoPath, PathGaps, PlanOptions, Planned,
    PlannedPath, PlannedRun, ProvenWay, WhyNoPath, Work, depths, feasible, free_intervals, least_depths,
    path_gaps, plan, tips_inside,
};
use kansho::verify::file::{AnyCertificate, CertifiedMotion};
use kansho::verify::file::{CertifiedRoute, OneRoute};
use kansho::verify::route::Arm;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// How narrow bounds of depths are, in metres.
const DEPTH: f64 = 1e-4;

/// All that came of a job.
pub(crate) struct Done {
    pub(crate) scene: Scene,
    pub(crate) map: FeasibleMap,
    pub(crate) planned: Planned,
    /// Of each run of the path a certificate, or why there is none.
    pub(crate) certificates: Vec<Result<AnyCertificate, String>>,
    /// Of each run of the path its times, or why there are none; nothing if they are not wanted.
    pub(crate) timed: Vec<Result<PlanTimes, String>>,
    /// Of each point, the free intervals of rotation; or why they are not known.
    pub(crate) intervals: Option<Result<Vec<Vec<FreeInterval>>, String>>,
    /// Of points that block the way, where each pair is least deep, and how deep.
    least_depths: LeastDepths,
    gaps: Option<PathGaps>,
    /// Of some points, how deep every stance is.
    pub(crate) depths: BTreeMap<usize, Vec<Option<[f64; 2]>>>,
    /// What took how many seconds.
    pub(crate) times: Vec<(&'static str, f64)>,
}

impl Done {
    /// With what is known of the map, if anything is.
    pub(super) fn of(job: &LoadedJob, asked: &Asked, kept: Option<&dyn Kept>) -> Result<Self, ReadError> {
        let mut times = Vec::new();
        let mut began = Instant::now();
        let mut lap = |what: &'static str, times: &mut Vec<(&'static str, f64)>| {
            times.push((what, began.elapsed().as_secs_f64()));
            began = Instant::now();
        };
        let of_cell =
            |what: String| ReadError { path: job.cell_file.clone(), faults: vec![Fault::of_file(what)] };
        let cell = &job.cell.cell;
        let tip = Tip::tool(cell, &job.robot).ok_or_else(|| of_cell("the robot has no tool".into()))?;
        let ik = Ik::new(cell, &tip, &IkOptions::default()).map_err(|fault| of_cell(fault.to_string()))?;
        if asked.is_lin {
            Arm::new(cell, &tip).map_err(|fault| of_cell(fault.to_string()))?;
        }
        let resting: Vec<String> = (0..cell.coordinates().len())
            .filter(|k| !ik.joints().iter().any(|joint| joint.coordinate == *k))
            .map(|k| cell.coordinates()[k].full_name())
            .collect();
        if !resting.is_empty() {
            let what = format!(
                "joints that do not move the tool stay where they are at zero: {}",
                resting.join(", ")
            );
            say::warnings(&[Warning { path: job.cell_file.clone(), fault: Fault::of_file(what) }]);
        }
        let scene = Scene::new(Arc::new(cell.clone())).with_models();
        let work = Work { tip, ik: &ik, path: &job.path, axis: &job.axis, clearance: job.clearance };
        lap("models", &mut times);
        let inside = tips_inside(&scene, &work);
        if !inside.is_empty() {
            return Err(inside_fault(job, &inside));
        }
        lap("tips", &mut times);
        let progress = Progress::labelled("map: point ", job.path.len());
        let options = MapOptions {
            deadline: asked.deadline,
            done: Some(progress.counter()),
            kept,
            ..MapOptions::default()
        };
        let map = feasible(&scene, &work, &options);
        drop(progress);
        lap("map", &mut times);
        let prepared = MotionScene::new(&scene);
        let options = PlanOptions {
            kind: if asked.is_lin { EdgeKind::Lin(job.laws) } else { EdgeKind::Ptp },
            zone: job.zone,
            blend: job.blend,
            lift: job.lift,
            constant: job.constant,
            change_branch: job.change_branch,
            deadline: asked.deadline,
            ..PlanOptions::default()
        };
        let progress = Progress::labelled("path: motion ", job.path.len());
        let planned =
            plan(&prepared, &work, &map, &PlanOptions { done: Some(progress.counter()), ..options });
        drop(progress);
        lap("path", &mut times);
        let intervals = asked.intervals.then(|| {
            let routes = RouteScene::new(&prepared, tip).map_err(|fault| fault.to_string())?;
            let progress = Progress::labelled("intervals: point ", job.path.len());
            let options = MapOptions {
                deadline: asked.deadline,
                done: Some(progress.counter()),
                ..MapOptions::default()
            };
            Ok(free_intervals(&routes, &work, &map, &options))
        });
        if intervals.is_some() {
            lap("intervals", &mut times);
        }
        let least_depths = match &planned {
            Planned::NoPath(NoPath { why: WhyNoPath::Blocked(blocked), .. }) => {
                let some = &blocked[..blocked.len().min(NAMED)];
                let of = |at: &Blocked| (at.point, least_depths(&scene, &work, &map, at.point, DEPTH));
                some.par_iter().map(of).collect()
            }
            _ => BTreeMap::new(),
        };
        if !least_depths.is_empty() {
            lap("least depths", &mut times);
        }
        let deep = depths_of(&scene, &work, &map, asked);
        if !deep.is_empty() {
            lap("depths", &mut times);
        }
        let certificates = match &planned {
            Planned::Path(path) => certified(&prepared, tip, job, asked, path),
            _ => Vec::new(),
        };
        lap("certificate", &mut times);
        let timed = match &planned {
            Planned::Path(path) => plan_times(job, cell, tip, &ik, path),
            _ => Vec::new(),
        };
        if !timed.is_empty() {
            lap("times", &mut times);
        }
        let gaps = match &planned {
            Planned::Path(path) => {
                let options = MotionOptions { deadline: asked.deadline, ..MotionOptions::default() };
                path_gaps(&prepared, path, &options)
            }
            _ => None,
        };
        if gaps.is_some() {
            lap("least gaps", &mut times);
        }
        Ok(Self {
            scene,
            map,
            planned,
            certificates,
            timed,
            intervals,
            depths: deep,
            least_depths,
            gaps,
            times,
        })
    }

    /// What is told and written of it.
    pub(super) fn with<T>(
        &self,
        job: &LoadedJob,
        asked: &Asked,
        work: impl FnOnce(&PlanResult<'_>) -> T,
    ) -> T {
        work(&PlanResult {
            job,
            is_lin: asked.is_lin,
            map: &self.map,
            planned: &self.planned,
            certificates: &self.certificates,
            times: &self.timed,
            intervals: self.intervals.as_ref(),
            least_depths: &self.least_depths,
            gaps: self.gaps.as_ref(),
            depths: &self.depths,
            scene: &self.scene,
            pair_name: &|pair| self.pair_name(pair),
        })
    }

    pub(super) fn pair_name(&self, pair: PairId) -> String {
        self.scene.pair_name(pair)
    }
}

/// How deep all that collides is, if that is wanted.
fn depths_of(
    scene: &Scene,
    work: &Work<'_>,
    map: &FeasibleMap,
    asked: &Asked,
) -> BTreeMap<usize, Vec<Option<[f64; 2]>>> {
    if !asked.depths {
        return BTreeMap::new();
    }
    let points: Vec<usize> = (0..map.points()).collect();
    let progress = Progress::labelled("depths: point ", points.len());
    let options =
        MapOptions { deadline: asked.deadline, done: Some(progress.counter()), ..MapOptions::default() };
    let found = depths(scene, work, map, &points, DEPTH, &options);
    points.into_iter().zip(found).collect()
}

/// A certificate of each run.
fn certified(
    scene: &MotionScene<'_>,
    tip: Tip,
    job: &LoadedJob,
    asked: &Asked,
    path: &PlannedPath,
) -> Vec<Result<AnyCertificate, String>> {
    let options =
        MotionOptions { clearance: job.clearance, deadline: asked.deadline, ..MotionOptions::default() };
    let pieces = |run: &PlannedRun| match run {
        PlannedRun::Joints(motion) => motion.pieces().len(),
        PlannedRun::Tool { ways, .. } => ways.iter().map(|way| way.pieces.len()).sum(),
    };
    let progress = Progress::labelled("certificate: motion ", path.runs.iter().map(pieces).sum());
    let certify = |run: &PlannedRun| {
        if !asked.certificate {
            return Err("it was not wanted".into());
        }
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
        progress.counter().fetch_add(pieces(run), std::sync::atomic::Ordering::Relaxed);
        Ok(certified)
    };
    path.runs.iter().map(certify).collect()
}
