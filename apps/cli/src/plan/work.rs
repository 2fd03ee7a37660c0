//! The work itself, step by step, each with its time.

use super::Asked;
use crate::progress::Progress;
use kansho::cell::JointMotion;
use kansho::cell::ik::{Ik, IkOptions, Tip};
use kansho::cell::route::Law;
use kansho::check::motion::{MotionOptions, MotionScene};
use kansho::check::scene::{PairId, Scene};
use kansho::io::job::LoadedJob;
use kansho::io::motion_certificate::CertifiedMotion;
use kansho::io::{Fault, ReadError};
use kansho::plan::cam::{
    EdgeKind, FeasibleMap, MapOptions, PlanOptions, Planned, PlannedPath, Work, feasible, plan, tips_inside,
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
    /// The whole path as motions, and what is known of their proofs.
    pub(crate) motions: Vec<(JointMotion, Result<CertifiedMotion, String>)>,
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
            constant: job.constant,
            change_branch: job.change_branch,
            deadline: asked.deadline,
            ..PlanOptions::default()
        };
        let progress = Progress::labelled("best path: ", 1);
        let planned = plan(&prepared, &work, &map, &options);
        drop(progress);
        lap("path", &mut times);
        let motions = match &planned {
            Planned::Path(path) => certified(&prepared, job, asked, path),
            _ => Vec::new(),
        };
        lap("certificate", &mut times);
        Ok(Self { scene, map, planned, motions, times })
    }

    pub(super) fn pair_name(&self, pair: PairId) -> String {
        self.scene.pair_name(pair)
    }
}

/// The strokes and the ways between them, joined where there are such ways, and a certificate of each.
fn certified(
    scene: &MotionScene<'_>,
    job: &LoadedJob,
    asked: &Asked,
    path: &PlannedPath,
) -> Vec<(JointMotion, Result<CertifiedMotion, String>)> {
    let joined = path.motions();
    let options =
        MotionOptions { clearance: job.clearance, deadline: asked.deadline, ..MotionOptions::default() };
    let pieces = joined.iter().map(|motion| motion.pieces().len()).sum();
    let progress = Progress::labelled("certificate: motion ", pieces);
    let certify = |motion: JointMotion| {
        if !asked.certificate {
            return (motion, Err("it was not wanted".into()));
        }
        if asked.is_lin {
            let how = "kansho check CELL motion.csv --motion lin --certificate C.json makes one";
            return (motion, Err(format!("not of lines of the tool; {how}")));
        }
        let certificate = scene.certify(&motion, &options).map_err(|why| why.to_string());
        progress.counter().fetch_add(motion.pieces().len(), std::sync::atomic::Ordering::Relaxed);
        let certified = certificate.map(|certificate| {
            CertifiedMotion::new(scene.cell(), motion.clone(), options.resolution, certificate)
        });
        (motion, certified)
    };
    joined.into_iter().map(certify).collect()
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
