//! The work itself, step by step, each with its time.

use super::Asked;
use crate::progress::Progress;
use crate::say;
use kansho::cell::ik::{Ik, IkOptions, Tip};
use kansho::cell::route::Law;
use kansho::check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho::check::scene::{PairId, Scene};
use kansho::check::verify::route::Arm;
use kansho::io::job::LoadedJob;
use kansho::io::motion_certificate::{AnyCertificate, CertifiedMotion};
use kansho::io::route_certificate::{CertifiedRoute, OneRoute};
use kansho::io::{Fault, ReadError, Warning};
use kansho::plan::cam::{
    EdgeKind, FeasibleMap, MapOptions, PlanOptions, Planned, PlannedPath, PlannedRun, Work, feasible, plan,
    tips_inside,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Points that are named in a message, at most.
const NAMED: usize = 12;

/// All that came of a job.
pub(crate) struct Done {
    pub(crate) scene: Scene,
    pub(crate) map: FeasibleMap,
    pub(crate) planned: Planned,
    /// Of each run of the path a certificate, or why there is none.
    pub(crate) certificates: Vec<Result<AnyCertificate, String>>,
    /// What took how many seconds.
    pub(crate) times: Vec<(&'static str, f64)>,
}

impl Done {
    pub(super) fn of(job: &LoadedJob, asked: &Asked) -> Result<Self, ReadError> {
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
            return Err(inside_fault(job, &scene, &inside));
        }
        lap("tips", &mut times);
        let progress = Progress::labelled("map: point ", job.path.len());
        let options =
            MapOptions { deadline: asked.deadline, done: Some(progress.counter()), ..MapOptions::default() };
        let map = feasible(&scene, &work, &options);
        drop(progress);
        lap("map", &mut times);
        let prepared = MotionScene::new(&scene);
        let options = PlanOptions {
            kind: if asked.is_lin { EdgeKind::Lin(Law::Slerp) } else { EdgeKind::Ptp },
            zone: job.zone,
            blend: job.blend,
            constant: job.constant,
            change_branch: job.change_branch,
            deadline: asked.deadline,
            ..PlanOptions::default()
        };
        let progress = Progress::labelled("best path: ", 1);
        let planned = plan(&prepared, &work, &map, &options);
        drop(progress);
        lap("path", &mut times);
        let certificates = match &planned {
            Planned::Path(path) => certified(&prepared, tip, job, asked, path),
            _ => Vec::new(),
        };
        lap("certificate", &mut times);
        Ok(Self { scene, map, planned, certificates, times })
    }

    pub(super) fn pair_name(&self, pair: PairId) -> String {
        self.scene.pair_name(pair)
    }
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
        PlannedRun::Tool { pieces, .. } => pieces.len(),
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
            PlannedRun::Tool { law, route, pieces, .. } => {
                let led = RouteScene::new(scene, tip).map_err(|fault| fault.to_string())?;
                let certificate = led.certify(pieces, &options).map_err(|why| why.to_string())?;
                let (law, route, pieces) = (*law, route.clone(), pieces.clone());
                AnyCertificate::Route(Box::new(CertifiedRoute::new(
                    scene.cell(),
                    options.resolution,
                    vec![OneRoute { law, route, pieces, certificate }],
                )))
            }
        };
        progress.counter().fetch_add(pieces(run), std::sync::atomic::Ordering::Relaxed);
        Ok(certified)
    };
    path.runs.iter().map(certify).collect()
}

fn inside_fault(job: &LoadedJob, scene: &Scene, inside: &[(usize, kansho::cell::BodyId)]) -> ReadError {
    let lines: Vec<u32> = job.path.points().map(|point| point.line).collect();
    let named: Vec<String> = inside.iter().take(NAMED).map(|(point, _)| lines[*point].to_string()).collect();
    let more =
        if inside.len() > NAMED { format!(" and {} more", inside.len() - NAMED) } else { String::new() };
    let body = &scene.cell().body(inside[0].1).name;
    let what = format!(
        "{} of {} points are inside \"{body}\" or on its surface, where no tool can be free: lines {}{more}",
        inside.len(),
        lines.len(),
        named.join(", ")
    );
    let help = "offset in [path] of the job lifts the tip off the work; or are units, frame or flip wrong?";
    ReadError {
        path: Path::new(&job.path_file).to_owned(),
        faults: vec![Fault::of_file(what).with_help(help)],
    }
}
