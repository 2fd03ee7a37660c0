//! Where to put the work, or the robot: a box of places, all looked at, the best planned and proven.

use super::Asked;
use super::work::Done;
use crate::progress::Progress;
use clap::ValueEnum;
use kansho::cell::ik::{Ik, IkOptions, Tip};
use kansho::check::scene::Scene;
use kansho::io::ReadError;
use kansho::io::job::{LoadedJob, PlaceGrid, PlaceOf, Placement};
use kansho::io::plan_files::{Fact, read_placements};
use kansho::plan::cam::{MapOptions, Placed, PlanOptions, Planned, Work, placed, tips_inside};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What is placed.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum OfName {
    /// All that stands still, with the path
    Work,
    /// The robot that works
    Robot,
}

/// What is wanted.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) grid: PlaceGrid,
    pub(crate) of: OfName,
    /// Which part of how many is looked at, from 1; nothing is planned then.
    pub(crate) shard: Option<[usize; 2]>,
    /// Files with places that are known.
    pub(crate) known: Vec<PathBuf>,
}

/// Stances of a place that are looked at, at least, where rotations are left out.
const STANCES: usize = 40;

/// Gaps that differ by less are the same, in metres.
const SAME_GAP: f64 = 1e-5;

/// Places that are planned until one is proven, at most.
const TRIES: usize = 5;

/// What became of it.
pub(crate) struct Places {
    pub(crate) grid: PlaceGrid,
    pub(crate) key: String,
    pub(crate) shard: Option<[usize; 2]>,
    pub(crate) rows: BTreeMap<usize, Placed>,
    /// Places of which nobody knows: there was no time.
    pub(crate) unknown: usize,
    pub(crate) best: Option<(usize, Placement, LoadedJob, Box<Done>)>,
    every: usize,
}

/// A part of several: `2/5` is the second of five.
pub(crate) fn shard(text: &str) -> Result<[usize; 2], String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some([k.parse().ok()?, n.parse().ok()?]));
    parts
        .filter(|[k, n]: &[usize; 2]| *k >= 1 && k <= n && *n <= 100_000)
        .ok_or_else(|| format!("{text} is no part of several, as 2/5 is the second of five"))
}

impl Places {
    pub(super) fn of(job: &LoadedJob, asked: &Asked, wanted: &Wanted) -> Result<Self, ReadError> {
        let of = match wanted.of {
            OfName::Work => PlaceOf::Work,
            OfName::Robot => PlaceOf::Robot,
        };
        let key = job.place_key(of, &wanted.grid);
        let mut rows = BTreeMap::new();
        for file in &wanted.known {
            rows.extend(read_placements(file, &wanted.grid, &key)?);
        }
        let all: Vec<Placement> = wanted.grid.places().collect();
        let is_own = |number: &usize| wanted.shard.is_none_or(|[k, n]| number % n == k - 1);
        let open: Vec<usize> =
            (0..all.len()).filter(is_own).filter(|number| !rows.contains_key(number)).collect();
        let (every, coarse) = coarse(job);
        let progress = Progress::labelled("place ", open.len());
        let mut unknown = 0;
        for number in open {
            match look(&coarse, of, &all[number], asked) {
                Some(found) => {
                    rows.insert(number, found);
                }
                None => unknown += 1,
            }
            progress.counter().fetch_add(1, Ordering::Relaxed);
        }
        drop(progress);
        if wanted.shard.is_some() {
            rows.retain(|number, _| is_own(number));
        }
        let mut places =
            Self { grid: wanted.grid.clone(), key, shard: wanted.shard, rows, unknown, best: None, every };
        if places.shard.is_none() {
            places.plan(job, of, &all, asked)?;
        }
        Ok(places)
    }

    /// Plans the best with all rotations, until one is proven: first those with a way, then those where every point is free in some stance, for
    /// with all rotations there may be a way.
    fn plan(
        &mut self,
        job: &LoadedJob,
        of: PlaceOf,
        all: &[Placement],
        asked: &Asked,
    ) -> Result<(), ReadError> {
        let mut order: Vec<(usize, &Placed)> = self
            .rows
            .iter()
            .filter(|(_, placed)| placed.gap.is_some())
            .map(|(k, placed)| (*k, placed))
            .collect();
        let far = |number: usize| all[number].by.length() + all[number].turn.abs();
        // Gaps that differ by less than a hundredth of a millimetre are the same: then more freedom is better, then what is nearer.
        let steps = |placed: &Placed| (placed.gap.unwrap_or(-1.0) / SAME_GAP).round();
        order.sort_by(|(a, of_a), (b, of_b)| {
            let gaps = steps(of_b).total_cmp(&steps(of_a));
            gaps.then(of_b.stances.cmp(&of_a.stances)).then(far(*a).total_cmp(&far(*b)))
        });
        let asked = Asked { certificate: false, intervals: false, depths: false, ..asked.clone() };
        for (number, _) in order.into_iter().take(TRIES) {
            let Ok(there) = job.placed(of, &all[number]) else { continue };
            let done = Done::of(&there, &asked, None)?;
            if matches!(done.planned, Planned::Path(_)) {
                self.best = Some((number, all[number], there, Box::new(done)));
                break;
            }
        }
        Ok(())
    }

    /// 0 if a place is proven, or a part is done; 1 if there is none; 2 if nobody knows.
    pub(super) fn code(&self) -> u8 {
        match (&self.best, self.unknown, self.shard) {
            (_, 1.., _) => crate::UNDECIDED,
            (Some(_), ..) | (_, _, Some(_)) => 0,
            (None, ..) => 1,
        }
    }

    pub(super) fn verdict(&self) -> String {
        match (&self.best, self.shard) {
            _ if self.unknown > 0 => format!("undecided: there was no time for {} places", self.unknown),
            (_, Some([k, n])) => format!("part {k} of {n}: {} places looked at", self.rows.len()),
            (Some((_, placement, _, done)), _) => {
                let proven = match &done.planned {
                    Planned::Path(path) => path.effort.edges - path.effort.touching - path.effort.undecided,
                    _ => 0,
                };
                format!("the best place: moved {placement}; a path there is proven free, {proven} motions")
            }
            (None, _) if self.every > 1 => format!(
                "no place with a path was found; places were compared over one of {} rotations, and no more than {TRIES} planned with all",
                self.every
            ),
            (None, _) => "no place with a path was found".to_owned(),
        }
    }

    pub(super) fn facts(&self) -> Vec<Fact> {
        let count =
            |which: &dyn Fn(&Placed) -> bool| self.rows.values().filter(|placed| which(placed)).count();
        let mut facts = vec![Fact::new(
            "places",
            format!(
                "{}: {} with a way, {} where every point is free in some stance but none leads through, {} where points are blocked; one of {} rotations looked at",
                self.rows.len(),
                count(&|placed| placed.gap.is_some()),
                count(&|placed| placed.blocked == 0 && placed.gap.is_none()),
                count(&|placed| placed.blocked > 0),
                self.every,
            ),
        )];
        if let Some((number, ..)) = &self.best {
            let Placed { gap, stances, .. } = self.rows[number];
            let gap = gap.map_or(String::new(), |gap| {
                format!("at no point of the best way is anything nearer than {:.3} mm; ", 1e3 * gap)
            });
            let value = format!("{gap}at least {stances} of the stances looked at are free at each point");
            facts.push(Fact::new("room there", value));
        }
        facts
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "verdict": match self.code() { 0 if self.shard.is_some() => "part", 0 => "placed", 1 => "no_place", _ => "undecided" },
            "places": self.rows.len(), "unknown": self.unknown,
            "ways": self.rows.values().filter(|placed| placed.gap.is_some()).count(),
            "best": self.best.as_ref().map(|(number, placement, ..)| json!({
                "number": number, "by": placement.by.to_array(), "turn_deg": placement.turn.to_degrees(),
                "gap": self.rows[number].gap,
            })),
        })
    }
}

/// The job with fewer rotations, and one of how many they are.
fn coarse(job: &LoadedJob) -> (usize, LoadedJob) {
    let most = (job.axis.rotations().len() / STANCES).max(1);
    let fewer = (2..=most).rev().find_map(|every| Some((every, job.with_every_rotation(every)?)));
    fewer.unwrap_or_else(|| (1, job.clone()))
}

/// What is known of a place; nothing if there was no time.
fn look(job: &LoadedJob, of: PlaceOf, placement: &Placement, asked: &Asked) -> Option<Placed> {
    let blocked = Placed { blocked: job.path.len(), stances: 0, gap: None };
    let Ok(there) = job.placed(of, placement) else { return Some(blocked) };
    let cell = &there.cell.cell;
    let (Some(tip), scene) =
        (Tip::tool(cell, &there.robot), Scene::new(Arc::new(cell.clone())).with_models())
    else {
        return Some(blocked);
    };
    let Ok(ik) = Ik::new(cell, &tip, &IkOptions::default()) else { return Some(blocked) };
    let work = Work { tip, ik: &ik, path: &there.path, axis: &there.axis, clearance: there.clearance };
    let inside = tips_inside(&scene, &work).len();
    if inside > 0 {
        return Some(Placed { blocked: inside, ..blocked });
    }
    let map = MapOptions { deadline: asked.deadline, ..MapOptions::default() };
    let options = PlanOptions {
        constant: there.constant,
        change_branch: there.change_branch,
        deadline: asked.deadline,
        ..PlanOptions::default()
    };
    placed(&scene, &work, &map, &options)
}
