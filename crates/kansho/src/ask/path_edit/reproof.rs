//! A path that was dragged: where its points are now, and which of its motions are proven.
//!
//! What is proven of a motion depends on its two postures alone, so it is kept, bit by bit, and only motions that have changed are asked for.

use super::task::{Task, ends, nearest_turn};
use kansho_check::motion::{MotionOptions, MotionScene, MotionWitness, MotionWorkspace, RouteScene};
use kansho_check::scene::Scene;
use kansho_plan::cam::{Between, EdgeKind, between, turned};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Motions that are kept, at most; beyond it all are forgotten.
const KEPT: usize = 100_000;

/// Longest time that one question may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// How far the tool may be turned from where it was planned, in degrees: three turns.
const FARTHEST_DEG: f64 = 1080.0;

/// Marks that are told with all that is known of them, at most.
const TOLD: usize = 200;

/// Of motions that are asked for, every so many come first: so that what is told early is about all of them.
const SPREAD: usize = 16;

/// A path as the page has it: points whose rotation is not that of the plan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedPath {
    /// Which points.
    pub points: Vec<usize>,
    /// Their rotations, in degrees; not wrapped, so that it is known which way they were turned.
    pub rotations_deg: Vec<f64>,
    /// How long to prove, in milliseconds.
    pub patience_ms: u32,
}

/// What is known of a path that was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathEditAnswer {
    /// Whether all of it is proven.
    pub verdict: PathVerdict,
    /// Motions from point to point.
    pub motions: usize,
    /// Of these, those that are proven free.
    pub proven: usize,
    /// Those that are still to be proven.
    pub waiting: usize,
    /// Those that cannot be proven.
    pub broken: usize,
    /// Motions that had to be proven for this answer.
    pub asked: usize,
    /// Whether ends of strokes moved, so that transfer paths to them are not proven.
    pub loose: bool,
    /// Where the path is not free.
    pub marks: Vec<PathMark>,
    /// Postures of the points that were asked about; null where they are not reached.
    pub postures: Vec<Option<Vec<f64>>>,
    /// How long that took.
    pub seconds: f64,
}

/// Whether a path that was changed is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathVerdict {
    /// All of it.
    Free,
    /// Something touches.
    Touches,
    /// A point or a motion is not reached.
    Unreached,
    /// Something is neither proven nor refuted.
    Undecided,
    /// Some motions are still to be proven.
    Proving,
}

/// Where a path is not free: at a point, or on the way to the next.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathMark {
    /// What is wrong there.
    pub kind: PathMarkKind,
    /// The number of the point.
    pub point: usize,
    /// The point that the motion leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// How far along the motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<f64>,
    /// Why the point is not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What touches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<String>,
    /// The same by numbers in the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<[u32; 2]>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 3]; 2]>,
    /// The posture there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posture: Option<Vec<f64>>,
    /// The gap, in metres: more than zero where bodies only come nearer than the clearance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
}

/// What is wrong with a point of a path, or with a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathMarkKind {
    /// Something touches, or comes nearer than the clearance.
    Touches,
    /// The point is not reached.
    Unreached,
    /// The motion cannot be made to its end.
    Ends,
    /// Neither proven nor refuted.
    Undecided,
}

impl PathMark {
    fn at(kind: PathMarkKind, point: usize) -> Self {
        Self {
            kind,
            point,
            to: None,
            part: None,
            why: None,
            pair: None,
            bodies: None,
            points: None,
            posture: None,
            gap: None,
        }
    }
}

/// What is known of motions that were asked for before.
#[derive(Debug, Default)]
pub struct KnownMotions(Mutex<HashMap<Vec<u64>, Between>>);

/// A motion and what is known of it.
enum Asked {
    Known(Between),
    /// There was no time for it.
    NotYet,
    /// One of its ends is not reached.
    NoPosture,
}

/// Where the points of a changed path are, and what of it is proven.
///
/// # Errors
/// The job has no path, its path cannot be changed, or the points are not those of the path.
pub fn path_edit(
    task: &Task,
    scene: &Scene,
    asked: &ChangedPath,
    known: &KnownMotions,
    stop: &AtomicBool,
) -> Result<PathEditAnswer, String> {
    let began = Instant::now();
    if task.path.is_empty() {
        return Err("this job has no path".into());
    }
    if let Some(why) = &task.fixed {
        return Err(why.clone());
    }
    let fits = |(point, rotation): (&usize, &f64)| {
        task.path.get(*point).is_some_and(|row| (rotation - row.rotation_deg).abs() <= FARTHEST_DEG)
    };
    let are_ordered = asked.points.is_sorted_by(|a, b| a < b);
    let are_as_many = asked.points.len() == asked.rotations_deg.len();
    if !are_ordered || !are_as_many || !asked.points.iter().zip(&asked.rotations_deg).all(fits) {
        return Err(
            "points of the path in their order are wanted, with rotations near those of the plan".into()
        );
    }
    let patience = Duration::from_millis(asked.patience_ms.into()).min(PATIENCE);
    let cell = scene.cell();
    let mut postures: Vec<Option<Vec<f64>>> = task.path.iter().map(|row| Some(row.posture.clone())).collect();
    let moved: Vec<_> = asked
        .points
        .par_iter()
        .zip(&asked.rotations_deg)
        .map(|(point, to)| {
            let row = &task.path[*point];
            let turn = [row.rotation_deg.to_radians(), to.to_radians()];
            turned(&task.ik, &task.axis, &task.points[*point], row.tilt, turn, &row.posture)
        })
        .collect();
    let mut marks: Vec<PathMark> = Vec::new();
    for (point, result) in asked.points.iter().zip(&moved) {
        if let Err((why, last)) = result {
            let (why, posture) = (Some(ends(cell, why)), Some(last.clone()));
            marks.push(PathMark { why, posture, ..PathMark::at(PathMarkKind::Unreached, *point) });
        }
        postures[*point] = result.as_ref().ok().cloned();
    }
    let motions = task.motions();
    let two: Vec<Option<[Vec<f64>; 2]>> = motions
        .iter()
        .map(|[from, to]| {
            let (from, to) = (postures[*from].clone()?, postures[*to].as_ref()?);
            let to = nearest_turn(cell, to, &from);
            Some([from, to])
        })
        .collect();
    let mut found: Vec<Asked> = look_up(&two, known);
    let mut open: Vec<usize> = (0..found.len()).filter(|k| matches!(found[*k], Asked::NotYet)).collect();
    open.sort_by_key(|k| (k % SPREAD != 0, k % (SPREAD / 4) != 0));
    let asked_for = open.len();
    let deadline = began.checked_add(patience);
    let fresh = prove(task, scene, &two, &open, deadline, stop)?;
    let mut kept = known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() + fresh.len() > KEPT {
        kept.clear();
    }
    for (k, between) in fresh {
        if let Some(two) = &two[k] {
            kept.insert(key(two), between.clone());
        }
        found[k] = Asked::Known(between);
    }
    drop(kept);
    let (mut proven, mut waiting, mut broken) = (0, 0, 0);
    for (motion, found) in motions.iter().zip(&found) {
        match found {
            Asked::Known(Between::Free) => proven += 1,
            Asked::NotYet => waiting += 1,
            Asked::NoPosture => broken += 1,
            Asked::Known(other) => {
                broken += 1;
                if marks.len() < TOLD {
                    marks.push(mark(scene, *motion, other));
                }
            }
        }
    }
    let is_end = |point: &usize| {
        task.strokes
            .iter()
            .any(|(first, count, closed)| *point == *first || !closed && *point + 1 == first + count)
    };
    // Ways from stroke to stroke are not proven here.
    let loose = task.strokes.len() > 1 && asked.points.iter().any(is_end);
    let is_any = |kinds: &[PathMarkKind]| marks.iter().any(|mark| kinds.contains(&mark.kind));
    let verdict = if is_any(&[PathMarkKind::Touches]) {
        PathVerdict::Touches
    } else if is_any(&[PathMarkKind::Unreached, PathMarkKind::Ends]) {
        PathVerdict::Unreached
    } else if waiting > 0 {
        PathVerdict::Proving
    } else if broken > 0 || loose {
        PathVerdict::Undecided
    } else {
        PathVerdict::Free
    };
    Ok(PathEditAnswer {
        verdict,
        motions: motions.len(),
        proven,
        waiting,
        broken,
        asked: asked_for,
        loose,
        marks,
        postures: asked.points.iter().map(|point| postures[*point].clone()).collect(),
        seconds: began.elapsed().as_secs_f64(),
    })
}

fn key(two: &[Vec<f64>; 2]) -> Vec<u64> {
    two.iter().flatten().map(|value| value.to_bits()).collect()
}

fn look_up(two: &[Option<[Vec<f64>; 2]>], known: &KnownMotions) -> Vec<Asked> {
    let kept = known.0.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |two: &Option<[Vec<f64>; 2]>| match two {
        None => Asked::NoPosture,
        Some(two) => kept.get(&key(two)).map_or(Asked::NotYet, |between| Asked::Known(between.clone())),
    };
    two.iter().map(of).collect()
}

/// Decides motions until the time is over; what was not decided by then is left out.
fn prove(
    task: &Task,
    scene: &Scene,
    two: &[Option<[Vec<f64>; 2]>],
    open: &[usize],
    deadline: Option<Instant>,
    stop: &AtomicBool,
) -> Result<Vec<(usize, Between)>, String> {
    let prepared = MotionScene::new(scene);
    let routes = match task.kind {
        EdgeKind::Ptp => None,
        EdgeKind::Lin(_) => Some(RouteScene::new(&prepared, task.tip).map_err(|fault| fault.to_string())?),
    };
    let options =
        MotionOptions { clearance: task.clearance, deadline, stop: Some(stop), ..MotionOptions::default() };
    let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let decide = |workspace: &mut MotionWorkspace, k: &usize| {
        let [from, to] = two[*k].as_ref()?;
        if is_over() {
            return None;
        }
        let found = between(&prepared, routes.as_ref(), task.kind, [from, to], &options, workspace);
        // What ran out of time is not undecided: it is asked for again.
        (found != Between::Undecided || !is_over()).then_some((*k, found))
    };
    Ok(open.par_iter().map_init(|| prepared.workspace(), decide).flatten().collect())
}

fn mark(scene: &Scene, [from, to]: [usize; 2], between: &Between) -> PathMark {
    let at = |kind| PathMark { to: Some(to), ..PathMark::at(kind, from) };
    match between {
        Between::Touches(witness) => {
            let MotionWitness { pair, points, posture, gap, in_piece, .. } = &**witness;
            PathMark {
                bodies: Some(scene.bodies(*pair).map(|body| body.0)),
                pair: Some(scene.pair_name(*pair)),
                points: Some(points.map(|point| point.to_array())),
                posture: Some(posture.clone()),
                gap: Some(*gap),
                part: Some(*in_piece),
                ..at(PathMarkKind::Touches)
            }
        }
        Between::Ends(stopped) => PathMark {
            posture: Some(stopped.posture.clone()),
            part: Some(stopped.fraction),
            ..at(PathMarkKind::Ends)
        },
        Between::Undecided | Between::Free => at(PathMarkKind::Undecided),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::path_edit::TaskParts;
    use kansho_cell::builtin;
    use kansho_io::cell::CellOptions;
    use kansho_io::job;
    use kansho_io::plan_files::{MapTable, PathRow, Plotted};
    use kansho_plan::cam::{MapOptions, PlanOptions, Planned, Work, feasible, plan};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    /// The demo's job, planned with few points and rotations.
    fn planned() -> (TaskParts, Scene) {
        let folder = tempfile::tempdir().expect("a folder");
        kansho_io::demo::write(folder.path(), [140, 10]).expect("written");
        let read = job::read(&folder.path().join("job.toml"), &CellOptions::default());
        let job = read.expect("the demo's own job");
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let cell = scene.cell();
        let tip = kansho_cell::ik::Tip::tool(cell, "arm").expect("a tool");
        let ik =
            kansho_cell::ik::Ik::new(cell, &tip, &kansho_cell::ik::IkOptions::default()).expect("it moves");
        let work = Work { tip, ik: &ik, path: &job.job.path, axis: &job.job.axis, clearance: 0.0 };
        let map = feasible(&scene, &work, &MapOptions::default());
        let prepared = MotionScene::new(&scene);
        let Planned::Path(path) = plan(&prepared, &work, &map, &PlanOptions::default()) else {
            panic!("the demo has a path")
        };
        let stroke = &path.strokes[0];
        let rotations_deg: Vec<f64> =
            job.job.axis.rotations().iter().map(|angle| angle.to_degrees()).collect();
        let rows = stroke.postures.iter().enumerate().map(|(k, posture)| PathRow {
            stroke: 0,
            point: k,
            rotation_deg: rotations_deg[stroke.stances[k]],
            tilt: 0,
            posture: posture.clone(),
        });
        let depths = BTreeMap::new();
        let plotted = Plotted {
            map: &map,
            rotations_deg: rotations_deg.clone(),
            path: Vec::new(),
            depths: &depths,
            pair_name: &|pair| scene.pair_name(pair),
        };
        let parts = TaskParts {
            robot: "arm".into(),
            work: job.job.path.clone(),
            axis: job.job.axis.clone(),
            clearance: 0.0,
            kind: EdgeKind::Ptp,
            zone: 0.0,
            map: MapTable::of(&plotted),
            path: rows.collect(),
        };
        (parts, scene)
    }

    fn ask(
        task: &Task,
        scene: &Scene,
        known: &KnownMotions,
        points: &[usize],
        by: f64,
    ) -> Result<Value, String> {
        let rotations_deg = points.iter().map(|point| task.path[*point].rotation_deg + by).collect();
        let changed = ChangedPath { points: points.to_vec(), rotations_deg, patience_ms: 3000 };
        Ok(json!(path_edit(task, scene, &changed, known, &AtomicBool::new(false))?))
    }

    #[test]
    fn only_what_has_changed_is_asked_for_and_free_is_what_samples_find_free() {
        let (parts, scene) = planned();
        let task = Task::new(scene.cell(), parts.clone()).expect("they belong together");
        let known = KnownMotions::default();
        let count = task.points.len();
        let mut first = ask(&task, &scene, &known, &[], 0.0).expect("an answer");
        while first["waiting"] != 0 {
            first = ask(&task, &scene, &known, &[], 0.0).expect("an answer");
        }
        assert_eq!((&first["verdict"], first["proven"].as_u64()), (&json!("free"), Some(count as u64)));
        assert_eq!(ask(&task, &scene, &known, &[], 0.0).expect("an answer")["asked"], 0);
        let mut workspace = scene.workspace();
        let mut verdicts = std::collections::BTreeSet::new();
        for point in (0..count).step_by(5) {
            for by in [-160.0, -70.0, -25.0, -8.0, 5.0, 14.0, 40.0, 120.0] {
                let mut found = ask(&task, &scene, &known, &[point], by).expect("an answer");
                assert!(found["asked"].as_u64() <= Some(2), "{found}");
                while found["waiting"] != 0 {
                    found = ask(&task, &scene, &known, &[point], by).expect("an answer");
                }
                let verdict = found["verdict"].as_str().expect("a word").to_owned();
                let posture: Option<Vec<f64>> = found["postures"][0]
                    .as_array()
                    .map(|list| list.iter().filter_map(Value::as_f64).collect());
                // Densely from the neighbours to it: nothing that is called free touches.
                if let Some(posture) = posture.filter(|_| verdict == "free") {
                    for other in [(point + 1) % count, (point + count - 1) % count] {
                        let from = &task.path[other].posture;
                        let motion = kansho_cell::JointMotion::lines(&[from.clone(), posture.clone()])
                            .expect("a line");
                        let hit = (0..=200)
                            .any(|k| scene.touches(&motion.at(f64::from(k) / 200.0), &mut workspace));
                        assert!(!hit, "{point} by {by}");
                    }
                }
                if verdict == "touches" {
                    let marks = found["marks"].as_array().expect("a list").iter();
                    for mark in marks.filter(|mark| mark["kind"] == "touches") {
                        let at: Vec<f64> = mark["posture"]
                            .as_array()
                            .expect("a posture")
                            .iter()
                            .filter_map(Value::as_f64)
                            .collect();
                        let gap = scene.least_gap(&at, f64::INFINITY, &mut workspace).map(|found| found.gap);
                        assert!(gap.is_some_and(|gap| gap <= 1e-6), "{mark}");
                    }
                }
                verdicts.insert(verdict);
            }
        }
        let wanted = ["free", "touches", "unreached"];
        assert!(wanted.iter().all(|word| verdicts.contains(*word)), "{verdicts:?}");
    }

    #[test]
    fn nothing_is_proven_without_time_and_nonsense_is_refused() {
        let (parts, scene) = planned();
        let task = Task::new(scene.cell(), parts.clone()).expect("they belong together");
        let stopped = AtomicBool::new(false);
        let hurried = ChangedPath {
            points: vec![3],
            rotations_deg: vec![task.path[3].rotation_deg + 4.0],
            patience_ms: 0,
        };
        let found = path_edit(&task, &scene, &hurried, &KnownMotions::default(), &stopped);
        let found = json!(found.expect("an answer"));
        assert_eq!((&found["verdict"], found["proven"].as_u64()), (&json!("proving"), Some(0)));
        for (points, rotations_deg) in [
            (vec![0], vec![]),
            (vec![9999], vec![0.0]),
            (vec![1, 1], vec![0.0, 0.0]),
            (vec![2, 1], vec![0.0, 0.0]),
            (vec![0], vec![f64::NAN]),
            (vec![0], vec![1e9]),
        ] {
            let asked = ChangedPath { points, rotations_deg, patience_ms: 10 };
            assert!(
                path_edit(&task, &scene, &asked, &KnownMotions::default(), &stopped).is_err(),
                "{asked:?}"
            );
        }
        let rounded =
            Task::new(scene.cell(), TaskParts { zone: 0.01, ..parts }).expect("they belong together");
        assert!(
            ask(&rounded, &scene, &KnownMotions::default(), &[], 0.0).is_err_and(|why| why.contains("zone"))
        );
    }
}
