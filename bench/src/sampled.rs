//! Motions of robots that were proven free, or first contacts, against dense sampling.

use kansho::cell::{Cell, JointMotion, Limits};
use kansho::check::motion::{MotionOptions, MotionScene, MotionWorkspace};
use kansho::check::scene::{Scene, Workspace};
use kansho::check::verdict::Verdict;
use kansho::io::cell::{self, CellOptions};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Motions of each robot.
const MOTIONS: usize = 3400;
/// One of so many ends where a contact just begins.
const GRAZING: usize = 3;
/// Between samples, in radians or metres.
const STEP: f64 = 1e-3;
/// Gaps that are measured are right to this, in metres.
const ROUNDING: f64 = 1e-9;
/// No point of a robot is farther from an axis of its joints, in metres.
const REACH: f64 = 3.0;

/// Robots with objects of every kind around them.
const ROBOTS: [(&str, &str); 2] = [
    (
        "moveit_resources_panda_description/urdf/panda.urdf",
        "moveit_resources_panda_description/srdf/panda.srdf",
    ),
    ("fanuc_m10ia_support/urdf/m10ia.urdf", "fanuc_m10ia_support/srdf/fanuc_m10ia.srdf"),
];

pub(crate) const OBJECTS: &str = r#"
[[object]]
name = "table"
box = [1.0, 2.0, 0.05]
at = { xyz = [0.9, 0.0, 0.05] }
[[object]]
name = "ball"
sphere = 0.15
at = { xyz = [0.5, 0.4, 0.6] }
[[object]]
name = "post"
cylinder = [0.05, 1.5]
at = { xyz = [0.3, -0.5, 0.75] }
[[object]]
name = "wall"
box = [0.02, 2.0, 1.0]
at = { xyz = [-0.6, 0.0, 0.7] }
[[object]]
name = "floor"
plane = [0, 0, 1, -0.3]
"#;

/// What came out.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    free: usize,
    touching: usize,
    undecided: usize,
    samples: usize,
    /// Samples that contradict a proof, and witnesses that are no contacts.
    wrong: usize,
}

/// All robots.
pub(crate) fn all(bench: &Path, real: &Path) {
    println!("motions against samples at {STEP} rad, on all threads");
    let read = |path: &Path| cell::read(path, &CellOptions::default()).expect("the cell is good").cell;
    one("ur5 among boxes", read(&bench.join("ur5_boxes.toml")));
    for (urdf, srdf) in ROBOTS {
        let [urdf, srdf] = [urdf, srdf].map(|file| real.join("robots").join(file));
        let text =
            format!("units = \"m\"\n[[robot]]\nname = \"r\"\nurdf = {urdf:?}\nsrdf = {srdf:?}\n{OBJECTS}");
        let path = std::env::temp_dir().join(format!("kansho-sampled-{}.toml", std::process::id()));
        std::fs::write(&path, text).expect("a folder for passing files");
        let cell = read(&path);
        std::fs::remove_file(&path).expect("the file is ours");
        one(&urdf.file_stem().unwrap_or_default().to_string_lossy(), cell);
    }
}

fn one(name: &str, cell: Cell) {
    let cell = Arc::new(cell);
    let (plain, quick) = (Scene::new(Arc::clone(&cell)), Scene::new(cell).with_models());
    let prepared = MotionScene::new(&quick);
    let memory = || (plain.workspace(), prepared.workspace());
    let tallies: Vec<Tally> = (0..MOTIONS)
        .into_par_iter()
        .map_init(memory, |(by_plain, by_quick), k| {
            let mut state = k as u64 + 1;
            let options = MotionOptions {
                clearance: [0.0, 0.0, 0.002, 0.02][k % 4],
                resolution: [1e-6, 1e-6, 1e-8][k % 3],
                ..MotionOptions::default()
            };
            let motion = motion(&plain, &prepared, &options, k, &mut state, by_plain, by_quick);
            sampled(&plain, &prepared, &motion, &options, by_plain, by_quick)
        })
        .collect();
    let mut sum = Tally::default();
    for tally in tallies {
        sum.free += tally.free;
        sum.touching += tally.touching;
        sum.undecided += tally.undecided;
        sum.samples += tally.samples;
        sum.wrong += tally.wrong;
    }
    println!(
        "{name}: {MOTIONS} motions, {} free, {} touching, {} undecided; {} samples, {} contradictions",
        sum.free, sum.touching, sum.undecided, sum.samples, sum.wrong
    );
}

/// A motion from a posture in which nothing touches: straight or a spline, short or long, some that graze.
fn motion(
    plain: &Scene,
    prepared: &MotionScene<'_>,
    options: &MotionOptions<'_>,
    k: usize,
    state: &mut u64,
    by_plain: &mut Workspace,
    by_quick: &mut MotionWorkspace,
) -> JointMotion {
    let posture = |state: &mut u64| -> Vec<f64> {
        let range = |c: &kansho::cell::Coordinate| c.limits.unwrap_or(Limits { lower: -3.0, upper: 3.0 });
        plain
            .cell()
            .coordinates()
            .iter()
            .map(range)
            .map(|l| l.lower + (l.upper - l.lower) * random(state))
            .collect()
    };
    let mut from = posture(state);
    for _ in 0..200 {
        if !plain.touches(&from, by_plain) {
            break;
        }
        from = posture(state);
    }
    let (a, b) = (posture(state), posture(state));
    let far = 10f64.powf(-2.0 * random(state));
    let mixed = |p: &[f64], q: &[f64], u: f64| -> Vec<f64> {
        p.iter().zip(q).map(|(x, y)| x + (y - x) * u).collect()
    };
    let line = |to: Vec<f64>| JointMotion::lines(&[from.clone(), to]).expect("two postures");
    if k % 5 == 1 {
        let way = [from.clone(), mixed(&from, &a, far), mixed(&from, &b, far)];
        return JointMotion::spline(&way).expect("three postures");
    }
    if !k.is_multiple_of(GRAZING) {
        return line(mixed(&from, &a, far));
    }
    // Between an end that is free and one that is not.
    let (mut low, mut high) = (0.0, 1.0);
    let mut is_free = |u: f64| {
        let report = prepared.motion(&line(mixed(&a, &b, u)), options, by_quick);
        matches!(report.verdict, Verdict::Free(_))
    };
    let first = is_free(low);
    if first == is_free(high) {
        return line(mixed(&from, &a, far));
    }
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        *if is_free(middle) == first { &mut low } else { &mut high } = middle;
    }
    line(mixed(&a, &b, if k.is_multiple_of(2) { low } else { high }))
}

fn sampled(
    plain: &Scene,
    prepared: &MotionScene<'_>,
    motion: &JointMotion,
    options: &MotionOptions<'_>,
    by_plain: &mut Workspace,
    by_quick: &mut MotionWorkspace,
) -> Tally {
    let mut tally = Tally::default();
    let report = prepared.motion(motion, options, by_quick);
    let until = match &report.verdict {
        Verdict::Free(_) => {
            tally.free = 1;
            1.0
        }
        Verdict::Touches(witness) => {
            tally.touching = 1;
            let gap = plain
                .least_gap(&witness.posture, f64::INFINITY, by_plain)
                .map_or(f64::INFINITY, |gap| gap.gap);
            if !(gap <= options.clearance + options.resolution + ROUNDING) {
                tally.wrong += 1;
                println!("    {gap} at a witness: {witness:?}");
            }
            witness.time.start - 1e-12
        }
        Verdict::Undecided { open } => {
            tally.undecided = 1;
            println!("    undecided: {open:?} {options:?} {:?}", report.counters);
            open.start
        }
    };
    // Coordinates change no faster than three times the largest difference of their coefficients.
    let rates = motion.pieces().iter().map(|piece| {
        let rate =
            |c: &[f64; 4]| 3.0 * c.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        let all: Vec<f64> = piece.controls().iter().map(rate).collect();
        (all.iter().sum::<f64>(), all.iter().copied().fold(0.0, f64::max))
    });
    let (sum, most) = rates.fold((0.0f64, 0.0f64), |(s, m), (sum, most)| (s.max(sum), m.max(most)));
    let pieces = motion.pieces().len() as f64;
    let step = STEP / (most * pieces).max(1e-9);
    let mut t = 0.0;
    while t < until {
        let below = options.clearance + 0.15;
        let gap = plain.least_gap(&motion.at(t), below, by_plain).map_or(below, |gap| gap.gap);
        tally.samples += 1;
        if gap < options.clearance - ROUNDING {
            tally.wrong += 1;
            println!("    {gap} at {t} of {until}: {:?} of {motion:?}", report.verdict);
            break;
        }
        // Nothing can come closer before that.
        t += step.max((gap - options.clearance) / (REACH * sum * pieces).max(1e-9));
    }
    tally
}

fn random(state: &mut u64) -> f64 {
    // SplitMix64.
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}
