//! A path that was dragged: where its points are now, and which of its motions are proven.
//!
//! What is proven of a motion depends on its two postures alone, so it is kept, bit by bit, and only motions that have changed are asked for.

use crate::task::{Task, ends, nearest_turn};
use kansho::check::motion::{MotionOptions, MotionScene, MotionWitness, RouteScene};
use kansho::check::scene::Scene;
use kansho::plan::cam::{Between, between, turned};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Motions that are kept, at most; beyond it all are forgotten.
const KEPT: usize = 100_000;

/// Longest time that one question may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Marks that are told with all that is known of them, at most.
const TOLD: usize = 200;

/// Of motions that are asked for, every so many come first: so that what is told early is about all of them.
const SPREAD: usize = 16;

/// A path as the page has it: points whose rotation is not that of the plan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changed {
    /// Which points.
    points: Vec<usize>,
    /// Their rotations, in degrees; not wrapped, so that it is known which way they were turned.
    rotations_deg: Vec<f64>,
    /// How long to prove, in milliseconds.
    patience_ms: u32,
}

/// What is known of motions that were asked for before.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<HashMap<Vec<u64>, Between>>);

/// A motion and what is known of it.
enum Found {
    Known(Between),
    /// There was no time for it.
    NotYet,
    /// One of its ends is not reached.
    NoPosture,
}

/// Where the points are, and what is proven.
pub(crate) fn of(
    task: &Task,
    scene: &Scene,
    asked: &Changed,
    known: &Known,
    stop: &AtomicBool,
) -> Result<Value, String> {
    let began = Instant::now();
    if task.path.is_empty() {
        return Err("this job has no path".into());
    }
    if let Some(why) = task.fixed.as_ref().filter(|_| !asked.points.is_empty()) {
        return Err(why.clone());
    }
    let fits = |(point, rotation): (&usize, &f64)| *point < task.points.len() && rotation.abs() <= 36_000.0;
    if asked.points.len() != asked.rotations_deg.len()
        || !asked.points.iter().zip(&asked.rotations_deg).all(fits)
    {
        return Err("points of the path and their rotations are wanted".into());
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
    let mut marks: Vec<Value> = Vec::new();
    for (point, result) in asked.points.iter().zip(&moved) {
        if let Err((why, last)) = result {
            marks.push(
                json!({ "kind": "unreached", "point": point, "why": ends(cell, why), "posture": last }),
            );
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
    let mut found: Vec<Found> = look_up(&two, known);
    let mut open: Vec<usize> = (0..found.len()).filter(|k| matches!(found[*k], Found::NotYet)).collect();
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
        found[k] = Found::Known(between);
    }
    drop(kept);
    let (mut proven, mut waiting, mut broken) = (0, 0, 0);
    for (motion, found) in motions.iter().zip(&found) {
        match found {
            Found::Known(Between::Free) => proven += 1,
            Found::NotYet => waiting += 1,
            Found::NoPosture => broken += 1,
            Found::Known(other) => {
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
    let verdict = if marks.iter().any(|mark| mark["kind"] == "touches") {
        "touches"
    } else if marks.iter().any(|mark| mark["kind"] == "unreached" || mark["kind"] == "ends") {
        "unreached"
    } else if waiting > 0 {
        "proving"
    } else if broken > 0 || loose {
        "undecided"
    } else {
        "free"
    };
    let of_points: Vec<Option<&Vec<f64>>> =
        asked.points.iter().map(|point| postures[*point].as_ref()).collect();
    Ok(json!({
        "verdict": verdict, "motions": motions.len(), "proven": proven, "waiting": waiting, "broken": broken,
        "asked": asked_for, "loose": loose, "marks": marks, "postures": of_points,
        "seconds": began.elapsed().as_secs_f64(),
    }))
}

fn key(two: &[Vec<f64>; 2]) -> Vec<u64> {
    two.iter().flatten().map(|value| value.to_bits()).collect()
}

fn look_up(two: &[Option<[Vec<f64>; 2]>], known: &Known) -> Vec<Found> {
    let kept = known.0.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |two: &Option<[Vec<f64>; 2]>| match two {
        None => Found::NoPosture,
        Some(two) => kept.get(&key(two)).map_or(Found::NotYet, |between| Found::Known(between.clone())),
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
        kansho::plan::cam::EdgeKind::Ptp => None,
        kansho::plan::cam::EdgeKind::Lin(_) => {
            Some(RouteScene::new(&prepared, task.tip).map_err(|fault| fault.to_string())?)
        }
    };
    let options =
        MotionOptions { clearance: task.clearance, deadline, stop: Some(stop), ..MotionOptions::default() };
    let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let decide = |workspace: &mut kansho::check::motion::MotionWorkspace, k: &usize| {
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

fn mark(scene: &Scene, [from, to]: [usize; 2], between: &Between) -> Value {
    let at = json!({ "point": from, "to": to });
    let mut told = match between {
        Between::Touches(witness) => {
            let MotionWitness { pair, points, posture, gap, in_piece, .. } = &**witness;
            json!({
                "kind": "touches", "bodies": scene.bodies(*pair).map(|body| body.0), "pair": scene.pair_name(*pair),
                "points": points.map(|point| point.to_array()), "posture": posture, "gap": gap, "part": in_piece,
            })
        }
        Between::Ends(stopped) => {
            json!({ "kind": "ends", "posture": stopped.posture, "part": stopped.fraction })
        }
        Between::Undecided | Between::Free => json!({ "kind": "undecided" }),
    };
    told["point"] = at["point"].clone();
    told["to"] = at["to"].clone();
    told
}
