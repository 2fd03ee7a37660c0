//! What is known of a motion: proven or not, where it touches, and how large the least gap is over time.
//!
//! Each piece of the motion is decided by itself, so that contacts after the first are told, too. Where a contact ends, and what else touches
//! before it does, is only looked for at instants; that it begins where it is said to, and that nothing touches in pieces that are free, is proven.

use crate::answer::VerdictWord;
use kansho_cell::{JointMotion, JointPiece};
use kansho_check::motion::{MotionOptions, MotionScene, MotionWitness};
use kansho_check::scene::{CellGap, PairId, Scene, Workspace};
use kansho_check::verdict::Verdict;
use kansho_io::people::gap_between;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Instants at which gaps are measured, about.
const INSTANTS: usize = 480;

/// After this time what is not decided is undecided.
const BUDGET: Duration = Duration::from_secs(120);

/// Instants of a contact at which it is looked what touches, beside those at which gaps are measured anyway.
const INSTANTS_OF_CONTACT: usize = 16;

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

/// What is known of a motion over time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CourseAnswer {
    /// Whether it is proven.
    pub verdict: VerdictWord,
    /// Spans in which something touches.
    pub marks: Vec<ContactMark>,
    /// Spans that are neither proven nor refuted, as fractions of the motion.
    pub open: Vec<[f64; 2]>,
    /// Least gaps at instants.
    pub samples: GapSamples,
    /// Of a free motion, a proven bound below all gaps, in metres; null where nothing can touch.
    pub clearance: Option<f64>,
    /// Of a free motion, where its least gap was measured.
    pub nearest: Option<NearestAt>,
    /// By how much bodies may be off the motion that is shown, in metres.
    pub margin: f64,
    /// How long that took.
    pub seconds: f64,
}

/// A span in which something touches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContactMark {
    /// Where it begins, as a fraction of the motion.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// An instant at which the bodies have a common point, near the beginning.
    pub jump: f64,
    /// Whether it is proven that nothing touches right before it.
    pub exact: bool,
    /// What touches first, by numbers in the cell.
    pub bodies: [u32; 2],
    /// And where.
    pub points: [[f64; 3]; 2],
    /// All pairs that were found to touch in the span, by when that was first.
    pub pairs: Vec<PairInSpan>,
}

/// A pair of bodies that touch in a span.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PairInSpan {
    /// Which, by their numbers in the cell.
    pub bodies: [u32; 2],
    /// The first instant at which they were found to touch.
    pub from: f64,
    /// The last.
    pub to: f64,
}

/// Least gaps at instants.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GapSamples {
    /// The instants, as fractions of the motion.
    pub t: Vec<f64>,
    /// The gaps, in metres; null where nothing can touch.
    pub gap: Vec<Option<f64>>,
    /// Between which bodies.
    pub bodies: Vec<Option<[u32; 2]>>,
}

/// Where the least gap of a motion was measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NearestAt {
    /// When, as a fraction of the motion.
    pub t: f64,
    /// The gap, in metres.
    pub gap: f64,
    /// Between which bodies.
    pub bodies: [u32; 2],
    /// In words, from what is proven to what was measured.
    pub between: String,
}

/// What is known of a motion over time. Where bodies may be off it by a margin, they have to stay apart by more than that, and it is taken off
/// what is proven.
#[must_use]
pub fn course(scene: &Scene, motion: &JointMotion, margin: f64, stop: &AtomicBool) -> CourseAnswer {
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
    let (mut marks, mut open) = (Vec::new(), Vec::new());
    for (k, verdict) in verdicts.iter().enumerate() {
        let time = |u: f64| motion.time(k, u);
        match verdict {
            Verdict::Free(_) => {}
            // As near as the margin may be a contact, or none.
            Verdict::Touches(witness) => {
                if !add(scene, motion, k, witness, &samples, &mut marks) {
                    open.push([motion.time(k, witness.time.end), time(1.0)]);
                }
            }
            Verdict::Undecided { open: span } => open.push([time(span.start), time(span.end)]),
        }
    }
    rest(scene, motion, &samples, &mut marks);
    for mark in &mut marks {
        mark.pairs = touching(scene, motion, mark, &samples);
    }
    let verdict = match (marks.is_empty(), open.is_empty()) {
        (false, _) => VerdictWord::Touches,
        (true, false) => VerdictWord::Undecided,
        (true, true) => VerdictWord::Free,
    };
    let (mut clearance, mut nearest) = (None, None);
    if verdict == VerdictWord::Free {
        // The one enclosure that everybody shows; the report of a plan, too.
        let least = prepared.enclosed_gap(motion, &options, &mut prepared.workspace()).widened(margin);
        clearance = least.proven.is_finite().then_some(least.proven);
        nearest = least.measured.map(|(t, found)| NearestAt {
            t,
            gap: found.gap,
            bodies: numbers(scene, found.pair),
            between: gap_between(least.proven, found.gap),
        });
    }
    CourseAnswer {
        verdict,
        marks,
        open,
        samples: GapSamples {
            t: samples.iter().map(|sample| sample.t).collect(),
            gap: samples.iter().map(|sample| sample.found.map(|found| found.gap)).collect(),
            bodies: samples
                .iter()
                .map(|sample| sample.found.map(|found| numbers(scene, found.pair)))
                .collect(),
        },
        clearance,
        nearest,
        margin,
        seconds: began.elapsed().as_secs_f64(),
    }
}

/// A pair as answers have it.
fn numbers(scene: &Scene, pair: PairId) -> [u32; 2] {
    scene.bodies(pair).map(|body| body.0)
}

/// Least gaps at instants; as many in each piece.
fn measured(scene: &Scene, motion: &JointMotion) -> Vec<Sample> {
    let pieces = motion.pieces().len();
    let count = pieces * INSTANTS.div_ceil(pieces);
    let look = |workspace: &mut Workspace, k: usize| {
        let t = k as f64 / count as f64;
        Sample { t, found: scene.least_gap(&motion.at(t), f64::INFINITY, workspace) }
    };
    (0..=count).into_par_iter().map_init(|| scene.workspace(), look).collect()
}

/// Adds the contact that was found in a piece, unless it is the rest of one that began before. Where bodies only come nearer than what they
/// may be off the motion, that is no contact that is known: then it is not added.
fn add(
    scene: &Scene,
    motion: &JointMotion,
    piece: usize,
    witness: &MotionWitness,
    samples: &[Sample],
    marks: &mut Vec<ContactMark>,
) -> bool {
    let from = motion.time(piece, witness.time.end);
    if marks.last().is_some_and(|mark| from <= mark.to) {
        return true;
    }
    let gap = witness.gap;
    let (bodies, points) = (numbers(scene, witness.pair), witness.points.map(|point| point.to_array()));
    let mut workspace = scene.workspace();
    let mut touches = |t: f64| scene.touches(&motion.at(t), &mut workspace);
    // A contact is proven within a resolution; an eye wants an instant at which shapes have a common point.
    let steps = std::iter::successors(Some(1e-9), |step| Some(step * 2.0));
    let near = steps.take_while(|step| *step < 1e-3).map(|step| (from + step).min(1.0));
    let found = [from].into_iter().chain(near).find(|t| touches(*t));
    if found.is_none() && gap > MotionOptions::default().resolution {
        return false;
    }
    let jump = found.unwrap_or(from);
    let to = end(samples, jump, &mut touches);
    marks.push(ContactMark { from, to, jump, exact: true, bodies, points, pairs: Vec::new() });
    true
}

/// All pairs that touch in the span of a contact, at some instants of it.
fn touching(scene: &Scene, motion: &JointMotion, mark: &ContactMark, samples: &[Sample]) -> Vec<PairInSpan> {
    let evenly = (0..=INSTANTS_OF_CONTACT).map(|k| {
        let part = k as f64 / INSTANTS_OF_CONTACT as f64;
        mark.jump + part * (mark.to - mark.jump)
    });
    let known = samples.iter().map(|sample| sample.t).filter(|t| mark.jump < *t && *t < mark.to);
    let mut instants: Vec<f64> = evenly.chain(known).collect();
    instants.sort_by(f64::total_cmp);
    let look = |workspace: &mut Workspace, t: &f64| scene.all_hits(&motion.at(*t), workspace);
    let hits: Vec<Vec<PairId>> = instants.par_iter().map_init(|| scene.workspace(), look).collect();
    let first = PairInSpan { bodies: mark.bodies, from: mark.from, to: mark.from };
    let mut found: Vec<PairInSpan> = if mark.exact { vec![first] } else { Vec::new() };
    for (t, pair) in instants.iter().zip(&hits).flat_map(|(t, hits)| hits.iter().map(move |pair| (*t, *pair)))
    {
        let bodies = numbers(scene, pair);
        match found.iter_mut().find(|known| known.bodies == bodies) {
            Some(known) => known.to = t,
            None => found.push(PairInSpan { bodies, from: t, to: t }),
        }
    }
    found
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
fn rest(scene: &Scene, motion: &JointMotion, samples: &[Sample], marks: &mut Vec<ContactMark>) {
    let mut workspace = scene.workspace();
    for (k, sample) in samples.iter().enumerate() {
        let is_known = marks.iter().any(|mark| mark.from <= sample.t && sample.t <= mark.to);
        let Some(found) = sample.found.filter(|found| found.gap == 0.0 && !is_known) else { continue };
        let mut touches = |t: f64| scene.touches(&motion.at(t), &mut workspace);
        let before = k.checked_sub(1).map_or(0.0, |k| samples[k].t);
        let from = if k == 0 { 0.0 } else { halved(sample.t, before, &mut touches) };
        let to = end(samples, sample.t, &mut touches);
        let (bodies, points) = (numbers(scene, found.pair), found.points.map(|point| point.to_array()));
        marks.push(ContactMark { from, to, jump: from, exact: false, bodies, points, pairs: Vec::new() });
    }
    marks.sort_by(|x, y| x.from.total_cmp(&y.from));
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_cell::builtin;
    use serde_json::{Value, json};
    use std::sync::Arc;

    #[test]
    fn every_contact_of_a_motion_is_marked_and_nothing_else() {
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let dive = [0.0f64, 20.0, 10.0, 0.0, 60.0, 180.0].map(f64::to_radians).to_vec();
        let there_and_back = [builtin::home(), dive.clone(), builtin::home(), dive, builtin::home()];
        let motion = JointMotion::lines(&there_and_back).expect("five postures");
        let proof = json!(course(&scene, &motion, 0.0, &AtomicBool::new(false)));
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
    fn a_contact_names_every_pair_that_touches_in_its_span() {
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        // Deep into what stands there: first one pair, then more of them.
        let dive = [0.0f64, 60.0, 40.0, 0.0, 60.0, 180.0].map(f64::to_radians).to_vec();
        let motion = JointMotion::lines(&[builtin::home(), dive]).expect("two postures");
        let proof = json!(course(&scene, &motion, 0.0, &AtomicBool::new(false)));
        let marks = proof["marks"].as_array().expect("a list");
        let mut workspace = scene.workspace();
        let mut most = 0;
        for mark in marks {
            let pairs = mark["pairs"].as_array().expect("a list");
            assert!(pairs.iter().any(|pair| pair["bodies"] == mark["bodies"]), "{mark}");
            let [from, to] = ["from", "to"].map(|name| mark[name].as_f64().expect("a number"));
            for k in 0..=100 {
                let t = from + (to - from) * f64::from(k) / 100.0;
                for pair in scene.all_hits(&motion.at(t), &mut workspace) {
                    let bodies = json!(scene.bodies(pair).map(|body| body.0));
                    // Briefer contacts than from instant to instant may be missing.
                    let near = |t: f64| scene_hits(&scene, &motion, pair, t);
                    let lasts = near(t - 0.003) && near(t + 0.003);
                    assert!(
                        !lasts || pairs.iter().any(|pair| pair["bodies"] == bodies),
                        "{bodies} at {t}: {mark}"
                    );
                }
            }
            most = most.max(pairs.len());
        }
        assert!(most > 1, "{marks:?}");
    }

    fn scene_hits(scene: &Scene, motion: &JointMotion, pair: PairId, t: f64) -> bool {
        scene.all_hits(&motion.at(t.clamp(0.0, 1.0)), &mut scene.workspace()).contains(&pair)
    }

    #[test]
    fn a_free_motion_has_a_proven_clearance() {
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let mut aside = builtin::home();
        aside[0] += 0.2;
        let motion = JointMotion::lines(&[builtin::home(), aside]).expect("two postures");
        let proof = json!(course(&scene, &motion, 0.0, &AtomicBool::new(false)));
        assert_eq!(
            (proof["verdict"].as_str(), proof["marks"].as_array().map(Vec::len)),
            (Some("free"), Some(0))
        );
        let clearance = proof["clearance"].as_f64().expect("a number");
        let least = proof["samples"]["gap"].as_array().expect("a list").iter().filter_map(Value::as_f64);
        assert!(clearance > 0.0 && least.fold(f64::INFINITY, f64::min) >= clearance);
        // Off by a margin, it is less below and more above.
        let wide = json!(course(&scene, &motion, 1e-4, &AtomicBool::new(false)));
        let number = |proof: &Value| (proof["clearance"].as_f64(), proof["nearest"]["gap"].as_f64());
        let ((low, high), (lower, higher)) = (number(&proof), number(&wide));
        assert_eq!((lower, higher), (low.map(|gap| gap - 1e-4), high.map(|gap| gap + 1e-4)));
    }
}
