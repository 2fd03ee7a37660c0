//! When there is no path: what of the job would have to be let go of? Tried, not guessed.

use super::work::{PlanOptions, PlanWork, plan};
use crate::budget::Budget;
use crate::fact::Fact;
use kansho_cell::ik::{Ik, IkOptions, Tip};
use kansho_check::scene::Scene;
use kansho_io::ReadError;
use kansho_io::job::LoadedJob;
use kansho_plan::cam::{NoPath, Planned, WhyNoPath, Work, all_free_somewhere};
use kansho_plan::job::{Job, Relaxation, RelaxationKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// Of rotations, one of so many is looked at first.
const EVERY_ROTATION: usize = 4;

/// What may be let go of.
#[derive(Clone, Debug)]
pub struct RelaxOptions {
    /// Which kinds.
    pub kinds: Vec<RelaxationKind>,
    /// How far things may be moved, in metres.
    pub within: f64,
}

/// What became of it.
pub struct Relaxed {
    /// The smallest of each kind with which every point is free in some rotation; those of other kinds do not free all.
    pub frees: Vec<Relaxation>,
    /// How many were tried.
    pub tried: usize,
    /// What took how many seconds: to see which free all points, and to plan.
    pub seconds: [f64; 2],
    /// One with which there is a path, proven.
    pub helps: Option<(Relaxation, LoadedJob, Box<PlanWork>)>,
}

/// The same, as the answer of a plan has it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RelaxedAnswer {
    /// How many changes were tried.
    pub tried: usize,
    /// One with which there is a path, proven free.
    pub helps: Option<String>,
    /// The smallest of each kind with which every point is free in some rotation.
    pub frees_points: Vec<String>,
}

/// Tries what would help a job that has no path; nothing, if it has one or nobody knows.
///
/// # Errors
/// The job cannot be planned where something stands elsewhere.
pub fn relax(
    loaded: &LoadedJob,
    scene: &Scene,
    work: &PlanWork,
    allowed: &RelaxOptions,
    options: &PlanOptions,
    budget: &Budget<'_>,
) -> Result<Option<Relaxed>, ReadError> {
    let Planned::NoPath(NoPath { why, .. }) = &work.planned else { return Ok(None) };
    let blocked: Vec<usize> = match why {
        WhyNoPath::Blocked(blocked) => blocked.iter().map(|blocked| blocked.point).collect(),
        WhyNoPath::Between { .. } | WhyNoPath::NotClosed => Vec::new(),
    };
    let job = &loaded.job;
    let all: Vec<usize> = (0..job.path.len()).collect();
    let began = Instant::now();
    let (mut found, mut tried) = (Vec::new(), 0);
    for kind in RelaxationKind::ALL.into_iter().filter(|kind| allowed.kinds.contains(kind)) {
        for relaxation in job.relaxations(kind, allowed.within) {
            if budget.is_used_up() {
                break;
            }
            tried += 1;
            let Ok(relaxed) = job.relaxed(&relaxation) else { continue };
            // What helps there must not harm elsewhere.
            if frees(&relaxed, [&blocked, &all], scene) {
                found.push((relaxation, relaxed));
                break;
            }
        }
    }
    let frees = found.iter().map(|(relaxation, _)| relaxation.clone()).collect();
    let screened = began.elapsed().as_secs_f64();
    // A path is looked for where that is soonest done: a path over some rotations is one over all of them.
    found.sort_by_key(|(_, relaxed)| relaxed.axis.stances());
    let options = PlanOptions { motion: options.motion, ..PlanOptions::default() };
    for every in [EVERY_ROTATION, 1] {
        for (relaxation, relaxed) in &found {
            let some = relaxed.with_every_rotation(every).filter(|_| !budget.is_used_up());
            let Some(some) = some.map(|some| loaded.with(some)) else { continue };
            let own = scene_of(&some.job, scene);
            let done = plan(&some, &own, &options, None, budget)?;
            if matches!(done.planned, Planned::Path(_)) {
                let helps = Some((relaxation.clone(), some, Box::new(done)));
                let seconds = [screened, began.elapsed().as_secs_f64() - screened];
                return Ok(Some(Relaxed { frees, tried, seconds, helps }));
            }
        }
    }
    let seconds = [screened, began.elapsed().as_secs_f64() - screened];
    Ok(Some(Relaxed { frees, tried, seconds, helps: None }))
}

/// The cell of a job, prepared with what is prepared of another.
fn scene_of(job: &Job, like: &Scene) -> Scene {
    like.with_cell(Arc::new(job.cell.clone())).with_models()
}

/// Whether every one of some points is free in some rotation: of a few, and if so of more.
fn frees(job: &Job, lists: [&[usize]; 2], like: &Scene) -> bool {
    let cell = Arc::new(job.cell.clone());
    let Some(tip) = Tip::tool(&cell, &job.robot) else { return false };
    let Ok(ik) = Ik::new(&cell, &tip, &IkOptions::default()) else { return false };
    let scene = like.with_cell(cell);
    let work = Work { tip, ik: &ik, path: &job.path, axis: &job.axis, clearance: job.clearance };
    let all: Vec<_> = job.path.points().copied().collect();
    lists.iter().all(|points| {
        let some: Vec<_> = points.iter().map(|point| all[*point]).collect();
        all_free_somewhere(&scene, &work, &some)
    })
}

impl Relaxed {
    /// As the answer of a plan has it.
    #[must_use]
    pub fn answer(&self) -> RelaxedAnswer {
        RelaxedAnswer {
            tried: self.tried,
            helps: self.helps.as_ref().map(|(relaxation, ..)| relaxation.to_string()),
            frees_points: self.frees.iter().map(ToString::to_string).collect(),
        }
    }
}

impl RelaxedAnswer {
    /// In words, one line each.
    pub(super) fn facts(&self) -> Vec<Fact> {
        let helps = match &self.helps {
            Some(helps) => format!("{helps}: then there is a path, proven free"),
            None => format!("none of {} that were tried", self.tried),
        };
        let others = self.frees_points.iter().filter(|other| self.helps.as_ref() != Some(other));
        let others =
            others.map(|other| Fact::new("may help", format!("{other}: every point is free in some stance")));
        std::iter::once(Fact::new("helps", helps)).chain(others).collect()
    }
}
