//! What is known of a motion: proven or not, where it touches, and how large the least gap is over time.
//!
//! Each piece of the motion is decided by itself, so that contacts after the first are told, too. Where a contact ends is only looked for
//! at instants; that it begins where it is said to, and that nothing touches in pieces that are free, is proven.

use kansho::cell::{JointMotion, JointPiece};
use kansho::check::motion::{MotionOptions, MotionScene, MotionWitness};
use kansho::check::scene::{CellGap, Scene};
use kansho::check::verdict::Verdict;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Instants at which gaps are measured, about.
const INSTANTS: usize = 480;

/// After this time what is not decided is undecided.
const BUDGET: Duration = Duration::from_secs(120);

/// Steps of halving for the end of a contact.
const HALVINGS: usize = 24;

/// A gap that was measured.
struct Sample {
    t: f64,
    found: Option<CellGap>,
}

impl Sample {
    fn touches(&self) -> bool {
        self.found.is_some_and(|found| found.gap == 0.0)
    }
}

/// A span in which something touches.
struct Mark {
    from: f64,
    to: f64,
    /// An instant at which the bodies have a common point, near the beginning.
    jump: f64,
    /// Whether it is proven that nothing touches right before it.
    exact: bool,
    witness: Witness,
}

struct Witness {
    bodies: [u32; 2],
    points: [[f64; 3]; 2],
}

/// All of it. Where bodies may be off by a margin, they have to stay apart by more than that, and it is taken off what is proven.
pub(crate) fn of(scene: &Scene, motion: &JointMotion, margin: f64, stop: &AtomicBool) -> Value {
    let began = Instant::now();
    let prepared = MotionScene::new(scene);
    let deadline = began.checked_add(BUDGET);
    let options = MotionOptions { clearance: margin, deadline, stop: Some(stop), ..MotionOptions::default() };
    let pieces = motion.pieces();
    let verdicts: Vec<_> = pieces
        .par_iter()
        .map_init(
            || prepared.workspace(),
            |workspace, piece| {
                prepared.motion(&JointMotion::of_piece(JointPiece::clone(piece)), &options, workspace).verdict
            },
        )
        .collect();
    let samples = measured(scene, motion);
    let (mut marks, mut open, mut proven) = (Vec::new(), Vec::new(), f64::INFINITY);
    for (k, verdict) in verdicts.iter().enumerate() {
        let time = |u: f64| motion.time(k, u);
        match verdict {
            Verdict::Free(proof) => proven = proven.min(proof.clearance),
            Verdict::Touches(witness) => add(scene, motion, k, witness, &samples, &mut marks),
            Verdict::Undecided { open: span } => open.push([time(span.start), time(span.end)]),
        }
    }
    rest(scene, motion, &samples, &mut marks);
    let word = if !marks.is_empty() {
        "touches"
    } else if !open.is_empty() {
        "undecided"
    } else {
        "free"
    };
    let mut answer = json!({
        "verdict": word,
        "marks": marks.iter().map(|mark| json!({
            "from": mark.from, "to": mark.to, "jump": mark.jump, "exact": mark.exact,
            "bodies": mark.witness.bodies, "points": mark.witness.points,
        })).collect::<Vec<_>>(),
        "open": open,
        "samples": {
            "t": samples.iter().map(|sample| sample.t).collect::<Vec<_>>(),
            "gap": samples.iter().map(|sample| sample.found.map(|found| found.gap)).collect::<Vec<_>>(),
            "bodies": samples.iter().map(|sample| sample.found.map(|found| scene.bodies(found.pair).map(|body| body.0))).collect::<Vec<_>>(),
        },
    });
    if word == "free" {
        let least = prepared.least_gap(motion, &options, proven, &mut prepared.workspace());
        answer["clearance"] = json!(least.proven.is_finite().then_some((least.proven - margin).max(0.0)));
        answer["nearest"] = json!(least.measured.map(|(t, found)| json!({
            "t": t, "gap": found.gap, "bodies": scene.bodies(found.pair).map(|body| body.0),
        })));
    }
    answer["margin"] = json!(margin);
    answer["seconds"] = json!(began.elapsed().as_secs_f64());
    answer
}

/// Least gaps at instants; as many in each piece.
fn measured(scene: &Scene, motion: &JointMotion) -> Vec<Sample> {
    let pieces = motion.pieces().len();
    let count = pieces * INSTANTS.div_ceil(pieces);
    let look = |workspace: &mut kansho::check::scene::Workspace, k: usize| {
        let t = k as f64 / count as f64;
        Sample { t, found: scene.least_gap(&motion.at(t), f64::INFINITY, workspace) }
    };
    (0..=count).into_par_iter().map_init(|| scene.workspace(), look).collect()
}

/// Adds the contact that was found in a piece, unless it is the rest of one that began before.
fn add(
    scene: &Scene,
    motion: &JointMotion,
    piece: usize,
    witness: &MotionWitness,
    samples: &[Sample],
    marks: &mut Vec<Mark>,
) {
    let from = motion.time(piece, witness.time.end);
    if marks.last().is_some_and(|mark| from <= mark.to) {
        return;
    }
    let bodies = scene.bodies(witness.pair).map(|body| body.0);
    let witness = Witness { bodies, points: witness.points.map(|point| point.to_array()) };
    let mut workspace = scene.workspace();
    let mut touches = |t: f64| scene.touches(&motion.at(t), &mut workspace);
    // A contact is proven within a resolution; an eye wants an instant at which shapes have a common point.
    let steps = std::iter::successors(Some(1e-9), |step| Some(step * 2.0));
    let near = steps.take_while(|step| *step < 1e-3).map(|step| (from + step).min(1.0));
    let jump = [from].into_iter().chain(near).find(|t| touches(*t)).unwrap_or(from);
    let to = end(samples, jump, &mut touches);
    marks.push(Mark { from, to, jump, exact: true, witness });
}

/// Where a contact that holds at an instant is over.
fn end(samples: &[Sample], from: f64, touches: &mut impl FnMut(f64) -> bool) -> f64 {
    let mut last = from;
    for sample in samples.iter().filter(|sample| sample.t > from) {
        if !sample.touches() {
            return halved(last, sample.t, touches);
        }
        last = sample.t;
    }
    last.max(from)
}

/// The last instant that was found to touch, between one that does and one that does not.
fn halved(mut touching: f64, mut free: f64, touches: &mut impl FnMut(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(touching, free);
        if touches(middle) { touching = middle } else { free = middle }
    }
    touching
}

/// Adds contacts that were only met at instants: later ones of a piece that has more than one.
fn rest(scene: &Scene, motion: &JointMotion, samples: &[Sample], marks: &mut Vec<Mark>) {
    let mut workspace = scene.workspace();
    for (k, sample) in samples.iter().enumerate() {
        let is_known = marks.iter().any(|mark| mark.from <= sample.t && sample.t <= mark.to);
        let Some(found) = sample.found.filter(|found| found.gap == 0.0 && !is_known) else { continue };
        let mut touches = |t: f64| scene.touches(&motion.at(t), &mut workspace);
        let before = k.checked_sub(1).map_or(0.0, |k| samples[k].t);
        let from = if k == 0 { 0.0 } else { halved(sample.t, before, &mut touches) };
        let to = end(samples, sample.t, &mut touches);
        let bodies = scene.bodies(found.pair).map(|body| body.0);
        let witness = Witness { bodies, points: found.points.map(|point| point.to_array()) };
        marks.push(Mark { from, to, jump: from, exact: false, witness });
    }
    marks.sort_by(|x, y| x.from.total_cmp(&y.from));
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho::cell::builtin;
    use std::sync::Arc;

    #[test]
    fn every_contact_of_a_motion_is_marked_and_nothing_else() {
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let dive = [0.0f64, 20.0, 10.0, 0.0, 60.0, 180.0].map(f64::to_radians).to_vec();
        let there_and_back = [builtin::home(), dive.clone(), builtin::home(), dive, builtin::home()];
        let motion = JointMotion::lines(&there_and_back).expect("five postures");
        let proof = of(&scene, &motion, 0.0, &AtomicBool::new(false));
        assert_eq!(proof["verdict"], "touches");
        let marks = proof["marks"].as_array().expect("a list");
        assert_eq!(marks.len(), 2, "{marks:?}");
        let mut workspace = scene.workspace();
        let mut gap = |t: f64| {
            scene
                .least_gap(&motion.at(t), f64::INFINITY, &mut workspace)
                .map_or(f64::INFINITY, |found| found.gap)
        };
        let number = |mark: &Value, name: &str| mark[name].as_f64().expect("a number");
        for mark in marks {
            let [from, to, jump] = ["from", "to", "jump"].map(|name| number(mark, name));
            assert!(from <= jump && jump < from + 1e-3 && jump < to, "{mark}");
            assert!(gap(from) <= 1e-6 && gap(jump) == 0.0 && gap(to) == 0.0, "{mark}");
            assert!(gap(from - 1e-4) > 0.0 && gap(to + 1e-4) > 0.0, "{mark}");
        }
        // Densely: touching is within a mark, and free is not well inside one.
        for k in 0..=2000 {
            let t = f64::from(k) / 2000.0;
            let is_marked = |slack: f64| {
                marks.iter().any(|m| number(m, "from") - slack <= t && t <= number(m, "to") + slack)
            };
            assert!(if gap(t) == 0.0 { is_marked(1e-6) } else { !is_marked(-1e-3) }, "{t}");
        }
        let samples = proof["samples"]["gap"].as_array().expect("a list");
        assert!(samples.len() > INSTANTS && samples.iter().any(|gap| gap.as_f64() > Some(0.0)));
    }

    #[test]
    fn a_free_motion_has_a_proven_clearance() {
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let mut aside = builtin::home();
        aside[0] += 0.2;
        let motion = JointMotion::lines(&[builtin::home(), aside]).expect("two postures");
        let proof = of(&scene, &motion, 0.0, &AtomicBool::new(false));
        assert_eq!(
            (proof["verdict"].as_str(), proof["marks"].as_array().map(Vec::len)),
            (Some("free"), Some(0))
        );
        let clearance = proof["clearance"].as_f64().expect("a number");
        let least = proof["samples"]["gap"].as_array().expect("a list").iter().filter_map(Value::as_f64);
        assert!(clearance > 0.0 && least.fold(f64::INFINITY, f64::min) >= clearance);
    }
}
