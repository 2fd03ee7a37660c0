//! When there is no path: what of the job would have to be let go of? Tried, not guessed.

use super::Asked;
use super::work::Done;
use clap::ValueEnum;
use kansho::cell::ik::{Ik, IkOptions, Tip};
use kansho::check::scene::Scene;
use kansho::io::ReadError;
use kansho::io::job::{LoadedJob, Relaxation, RelaxationKind};
use kansho::io::plan_files::Fact;
use kansho::plan::cam::{NoPath, Planned, WhyNoPath, Work, all_free_somewhere};
use serde_json::{Value, json};
use std::sync::Arc;

/// What may be let go of.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum KindName {
    /// Finer rotations
    Rotation,
    /// Changes of branch within a stroke
    Branch,
    /// A smaller clearance
    Clearance,
    /// A tilt of the tool
    Tilt,
    /// The work elsewhere
    Move,
    /// The work turned about the vertical
    Turn,
    /// A shorter tool
    Shorter,
    /// A tool that is bent otherwise
    Bend,
    /// The robot higher or lower
    Base,
    /// One obstacle left out
    Without,
}

impl KindName {
    fn kind(self) -> RelaxationKind {
        match self {
            Self::Rotation => RelaxationKind::Rotation,
            Self::Branch => RelaxationKind::Branch,
            Self::Clearance => RelaxationKind::Clearance,
            Self::Tilt => RelaxationKind::Tilt,
            Self::Move => RelaxationKind::Move,
            Self::Turn => RelaxationKind::Turn,
            Self::Shorter => RelaxationKind::Shorter,
            Self::Bend => RelaxationKind::Bend,
            Self::Base => RelaxationKind::Base,
            Self::Without => RelaxationKind::Without,
        }
    }
}

/// What is allowed.
#[derive(Clone)]
pub(crate) struct Allowed {
    pub(crate) kinds: Vec<KindName>,
    /// How far things may be moved, in metres.
    pub(crate) within: f64,
}

/// Of rotations, one of so many is looked at first.
const EVERY_ROTATION: usize = 4;

/// What became of it.
pub(crate) struct Relaxed {
    /// The smallest of each kind with which every point is free in some stance; those of other kinds do not free all.
    pub(crate) frees: Vec<Relaxation>,
    /// How many were tried.
    pub(crate) tried: usize,
    /// What took how many seconds: to see which free all points, and to plan.
    pub(crate) times: [f64; 2],
    /// One with which there is a path, proven.
    pub(crate) helps: Option<(Relaxation, LoadedJob, Box<Done>)>,
}

impl Relaxed {
    /// Of a job that has no path; nothing, if it has one or nobody knows.
    pub(super) fn of(
        job: &LoadedJob,
        asked: &Asked,
        allowed: &Allowed,
        done: &Done,
    ) -> Result<Option<Self>, ReadError> {
        let Planned::NoPath(NoPath { why, .. }) = &done.planned else { return Ok(None) };
        let blocked: Vec<usize> = match why {
            WhyNoPath::Blocked(blocked) => blocked.iter().map(|blocked| blocked.point).collect(),
            WhyNoPath::Between { .. } | WhyNoPath::NotClosed => Vec::new(),
        };
        let kinds = RelaxationKind::ALL.into_iter();
        let kinds = kinds.filter(|kind| allowed.kinds.iter().any(|name| name.kind() == *kind));
        let all: Vec<usize> = (0..job.path.len()).collect();
        let is_late = || asked.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline);
        let began = std::time::Instant::now();
        let (mut found, mut tried) = (Vec::new(), 0);
        for kind in kinds {
            for relaxation in job.relaxations(kind, allowed.within) {
                if is_late() {
                    break;
                }
                tried += 1;
                let Ok(relaxed) = job.relaxed(&relaxation) else { continue };
                // What helps there must not harm elsewhere.
                if frees(&relaxed, [&blocked, &all], &done.scene) {
                    found.push((relaxation, relaxed));
                    break;
                }
            }
        }
        let frees = found.iter().map(|(relaxation, _)| relaxation.clone()).collect();
        let screened = began.elapsed().as_secs_f64();
        // A path is looked for where that is soonest done: a path over some rotations is one over all of them.
        found.sort_by_key(|(_, relaxed)| relaxed.axis.stances());
        let asked = Asked { certificate: false, intervals: false, depths: false, ..asked.clone() };
        for every in [EVERY_ROTATION, 1] {
            for (relaxation, relaxed) in &found {
                let Some(relaxed) = relaxed.with_every_rotation(every).filter(|_| !is_late()) else {
                    continue;
                };
                let done = Done::of(&relaxed, &asked, None)?;
                if matches!(done.planned, Planned::Path(_)) {
                    let helps = Some((relaxation.clone(), relaxed, Box::new(done)));
                    let times = [screened, began.elapsed().as_secs_f64() - screened];
                    return Ok(Some(Self { frees, tried, times, helps }));
                }
            }
        }
        let times = [screened, began.elapsed().as_secs_f64() - screened];
        Ok(Some(Self { frees, tried, times, helps: None }))
    }

    /// In words, one line each.
    pub(super) fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        match &self.helps {
            Some((relaxation, ..)) => {
                facts.push(Fact::new("helps", format!("{relaxation}: then there is a path, proven free")));
            }
            None => facts.push(Fact::new("helps", format!("none of {} that were tried", self.tried))),
        }
        let is_other = |other: &&Relaxation| self.helps.as_ref().is_none_or(|(helps, ..)| helps != *other);
        for relaxation in self.frees.iter().filter(is_other) {
            facts.push(Fact::new("may help", format!("{relaxation}: every point is free in some stance")));
        }
        facts
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "tried": self.tried,
            "helps": self.helps.as_ref().map(|(relaxation, ..)| relaxation.to_string()),
            "frees_points": self.frees.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

/// Whether every one of some points is free in a stance: of a few, and if so of more.
fn frees(job: &LoadedJob, lists: [&[usize]; 2], like: &Scene) -> bool {
    let cell = Arc::new(job.cell.cell.clone());
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
