//! Where to put the work, or the robot: a box of places, all looked at, the best planned and proven.

use super::files::path_and_map;
use super::work::{PlanOptions, PlanWork, plan};
use crate::answer::{ExitCode, FORMAT};
use crate::budget::Budget;
use crate::fact::{Fact, lines};
use kansho_cell::ik::{Ik, IkOptions, Tip};
use kansho_check::scene::Scene;
use kansho_io::ReadError;
use kansho_io::fingerprint::of_places;
use kansho_io::job::LoadedJob;
use kansho_io::plan_files::{placements_csv, placements_png, read_placements};
use kansho_plan::cam::{MapOptions, Placed, Planned, Work, placed, tips_inside};
use kansho_plan::job::{Job, PlaceGrid, PlaceOf, Placement};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Rotations of a place that are looked at, at least, where some are left out.
const STANCES: usize = 40;

/// Gaps that differ by less are the same, in metres.
const SAME_GAP: f64 = 1e-5;

/// Places that are planned until one is proven, at most.
const TRIES: usize = 5;

/// What is asked.
#[derive(Clone, Debug)]
pub struct PlaceOptions {
    /// The places.
    pub grid: PlaceGrid,
    /// What is placed.
    pub of: PlaceOf,
    /// Which part of how many is looked at, from 1; nothing is planned then.
    pub shard: Option<[usize; 2]>,
    /// Files with places that are known.
    pub known: Vec<PathBuf>,
}

/// What became of it.
pub struct Places {
    grid: PlaceGrid,
    key: String,
    shard: Option<[usize; 2]>,
    rows: BTreeMap<usize, Placed>,
    /// Places of which nobody knows: there was no time.
    unknown: usize,
    /// The best place whose path is proven.
    pub best: Option<BestPlace>,
    every: usize,
}

/// A place with a path that is proven.
pub struct BestPlace {
    number: usize,
    placement: Placement,
    /// The job there.
    pub job: LoadedJob,
    /// Its cell there.
    pub scene: Scene,
    /// What came of it.
    pub work: Box<PlanWork>,
}

/// Looks at all places of a box, on all threads of the current pool, and plans the best of them.
///
/// # Errors
/// A file with known places is of another job; or the job cannot be planned at the best place.
pub fn places(
    loaded: &LoadedJob,
    asked: &PlaceOptions,
    options: &PlanOptions,
    budget: &Budget<'_>,
) -> Result<Places, ReadError> {
    let key = of_places(loaded, asked.of, &asked.grid);
    let mut rows = BTreeMap::new();
    for file in &asked.known {
        rows.extend(read_placements(file, &asked.grid, &key)?);
    }
    let all: Vec<Placement> = asked.grid.places().collect();
    let is_own = |number: &usize| asked.shard.is_none_or(|[k, n]| number % n == k - 1);
    let open: Vec<usize> =
        (0..all.len()).filter(is_own).filter(|number| !rows.contains_key(number)).collect();
    let (every, coarse) = coarse(&loaded.job);
    let stage = budget.stage("place ", open.len());
    let mut unknown = 0;
    for number in open {
        match look(&coarse, asked.of, &all[number], budget) {
            Some(found) => {
                rows.insert(number, found);
            }
            None => unknown += 1,
        }
        stage.counter().fetch_add(1, Ordering::Relaxed);
    }
    drop(stage);
    if asked.shard.is_some() {
        rows.retain(|number, _| is_own(number));
    }
    let mut places =
        Places { grid: asked.grid.clone(), key, shard: asked.shard, rows, unknown, best: None, every };
    if places.shard.is_none() {
        places.best = places.planned(loaded, asked.of, &all, options, budget)?;
    }
    Ok(places)
}

impl Places {
    /// Plans the best with all rotations, until one is proven: first those with a way, then those where every point is free in some rotation, for
    /// with all rotations there may be a way.
    fn planned(
        &self,
        loaded: &LoadedJob,
        of: PlaceOf,
        all: &[Placement],
        options: &PlanOptions,
        budget: &Budget<'_>,
    ) -> Result<Option<BestPlace>, ReadError> {
        let rows = self.rows.iter().filter(|(_, placed)| placed.gap.is_some());
        let mut order: Vec<(usize, &Placed)> = rows.map(|(k, placed)| (*k, placed)).collect();
        let far = |number: usize| all[number].by.length() + all[number].turn.abs();
        // Gaps that differ by less than a hundredth of a millimetre are the same: then more freedom is better, then what is nearer.
        let steps = |placed: &Placed| (placed.gap.unwrap_or(-1.0) / SAME_GAP).round();
        order.sort_by(|(a, of_a), (b, of_b)| {
            let gaps = steps(of_b).total_cmp(&steps(of_a));
            gaps.then(of_b.stances.cmp(&of_a.stances)).then(far(*a).total_cmp(&far(*b)))
        });
        let options = PlanOptions { motion: options.motion, ..PlanOptions::default() };
        for (number, _) in order.into_iter().take(TRIES) {
            let Ok(there) = loaded.job.placed(of, &all[number]) else { continue };
            let job = loaded.with(there);
            let scene = Scene::new(Arc::new(job.job.cell.clone())).with_models();
            let work = plan(&job, &scene, &options, None, budget)?;
            if matches!(work.planned, Planned::Path(_)) {
                let (placement, work) = (all[number], Box::new(work));
                return Ok(Some(BestPlace { number, placement, job, scene, work }));
            }
        }
        Ok(None)
    }

    /// The table, the pictures and the path of the best place; of a part, its table alone.
    #[must_use]
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let table = placements_csv(&self.grid, &self.rows, &self.key);
        if let Some([k, n]) = self.shard {
            return vec![(format!("placements_{k}_of_{n}.csv"), table)];
        }
        let best = self.best.as_ref();
        let picture = placements_png(&self.grid, &self.rows, best.map(|best| best.number));
        let mut files = vec![("placements.csv".to_owned(), table), ("placements.png".to_owned(), picture)];
        if let Some(best) = best {
            let name = |pair| best.scene.pair_name(pair);
            files.extend(path_and_map(&best.job, &best.work, "placed", &name));
        }
        files
    }

    /// The answer; files are added by whoever writes them.
    #[must_use]
    pub fn answer(&self) -> PlacesAnswer {
        let count =
            |which: &dyn Fn(&Placed) -> bool| self.rows.values().filter(|placed| which(placed)).count();
        let best = self.best.as_ref().map(|best| {
            let Placed { gap, stances, .. } = self.rows[&best.number];
            let motions = match &best.work.planned {
                Planned::Path(path) => path.effort.edges - path.effort.touching - path.effort.undecided,
                _ => 0,
            };
            PlaceAnswer {
                number: best.number,
                by: best.placement.by.to_array(),
                turn_deg: best.placement.turn.to_degrees(),
                gap,
                stances,
                motions,
                moved: best.placement.to_string(),
            }
        });
        PlacesAnswer {
            format: FORMAT,
            verdict: match (&self.best, self.unknown, self.shard) {
                (_, 1.., _) => PlacesVerdict::Undecided,
                (_, _, Some(_)) => PlacesVerdict::Part,
                (Some(_), ..) => PlacesVerdict::Placed,
                (None, ..) => PlacesVerdict::NoPlace,
            },
            part: self.shard,
            places: self.rows.len(),
            unknown: self.unknown,
            ways: count(&|placed| placed.gap.is_some()),
            free_points_only: count(&|placed| placed.blocked == 0 && placed.gap.is_none()),
            blocked: count(&|placed| placed.blocked > 0),
            every_rotation: self.every,
            best,
            out: None,
            files: Vec::new(),
        }
    }
}

/// Whether a place was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlacesVerdict {
    /// A path is proven free at a place.
    Placed,
    /// A part of the places was looked at.
    Part,
    /// There is none.
    NoPlace,
    /// There was no time for some.
    Undecided,
}

/// Where the work, or the robot, should stand.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlacesAnswer {
    /// The version of this answer.
    pub format: u32,
    /// Whether a place was found.
    pub verdict: PlacesVerdict,
    /// Which part of how many was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<[usize; 2]>,
    /// How many places were looked at.
    pub places: usize,
    /// Places for which there was no time.
    pub unknown: usize,
    /// Places with a way over the rotations that were looked at.
    pub ways: usize,
    /// Places where every point is free in some rotation, but no way leads through.
    pub free_points_only: usize,
    /// Places where points are blocked.
    pub blocked: usize,
    /// One of so many rotations was looked at.
    pub every_rotation: usize,
    /// The best place, whose path is proven free with all rotations.
    pub best: Option<PlaceAnswer>,
    /// The folder that files were written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The files in it.
    pub files: Vec<String>,
}

/// A place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaceAnswer {
    /// Its number in the box.
    pub number: usize,
    /// How far it is moved, in metres.
    pub by: [f64; 3],
    /// How far it is turned about the vertical, in degrees.
    pub turn_deg: f64,
    /// The least gap at any point of the best way there, in metres.
    pub gap: Option<f64>,
    /// How many rotations are free at the worst point.
    pub stances: usize,
    /// How many motions are proven.
    pub motions: usize,
    /// The place in words.
    pub moved: String,
}

impl PlacesAnswer {
    /// 0 if a path is proven at a place, or a part is done; 1 if there is none; 2 if nobody knows.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self.verdict {
            PlacesVerdict::Placed | PlacesVerdict::Part => ExitCode::Done,
            PlacesVerdict::NoPlace => ExitCode::No,
            PlacesVerdict::Undecided => ExitCode::Undecided,
        }
    }

    /// The answer in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match (&self.best, self.part) {
            _ if self.unknown > 0 => format!("undecided: there was no time for {} places", self.unknown),
            (_, Some([k, n])) => format!("part {k} of {n}: {} places looked at", self.places),
            (Some(best), _) => {
                let PlaceAnswer { moved, motions, .. } = best;
                format!("the best place: moved {moved}; a path there is proven free, {motions} motions")
            }
            (None, _) if self.every_rotation > 1 => format!(
                "no place with a path was found; places were compared over one of {} rotations, and no more than {TRIES} planned with all",
                self.every_rotation
            ),
            (None, _) => "no place with a path was found".to_owned(),
        }
    }

    /// Lines below it.
    #[must_use]
    pub fn facts(&self) -> Vec<Fact> {
        let mut facts = vec![Fact::new(
            "places",
            format!(
                "{}: {} with a way, {} where every point is free in some stance but none leads through, {} where points are blocked; one of {} rotations looked at",
                self.places, self.ways, self.free_points_only, self.blocked, self.every_rotation,
            ),
        )];
        if let Some(best) = &self.best {
            let gap = best.gap.map_or(String::new(), |gap| {
                format!("at no point of the best way is anything nearer than {:.3} mm; ", 1e3 * gap)
            });
            let stances = best.stances;
            let value = format!("{gap}at least {stances} of the stances looked at are free at each point");
            facts.push(Fact::new("room there", value));
        }
        facts
    }

    /// Sentence and facts as lines.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n{}", self.sentence(), lines(&self.facts()))
    }
}

/// The job with fewer rotations, and one of how many they are.
fn coarse(job: &Job) -> (usize, Job) {
    let most = (job.axis.rotations().len() / STANCES).max(1);
    let fewer = (2..=most).rev().find_map(|every| Some((every, job.with_every_rotation(every)?)));
    fewer.unwrap_or_else(|| (1, job.clone()))
}

/// What is known of a place; nothing if there was no time.
fn look(job: &Job, of: PlaceOf, placement: &Placement, budget: &Budget<'_>) -> Option<Placed> {
    let blocked = Placed { blocked: job.path.len(), stances: 0, gap: None };
    let Ok(there) = job.placed(of, placement) else { return Some(blocked) };
    let (Some(tip), scene) =
        (Tip::tool(&there.cell, &there.robot), Scene::new(Arc::new(there.cell.clone())).with_models())
    else {
        return Some(blocked);
    };
    let Ok(ik) = Ik::new(&there.cell, &tip, &IkOptions::default()) else { return Some(blocked) };
    let work = Work { tip, ik: &ik, path: &there.path, axis: &there.axis, clearance: there.clearance };
    let inside = tips_inside(&scene, &work).len();
    if inside > 0 {
        return Some(Placed { blocked: inside, ..blocked });
    }
    let Budget { deadline, stop, .. } = *budget;
    let map = MapOptions { deadline, stop, ..MapOptions::default() };
    let options = kansho_plan::cam::PlanOptions {
        constant: there.constant,
        change_branch: there.change_branch,
        deadline,
        stop,
        ..kansho_plan::cam::PlanOptions::default()
    };
    placed(&scene, &work, &map, &options)
}
