//! W4: joint-space segments of a robot in its cell, each proven free or shown to touch.

use crate::clock::thread_secs;
use crate::peers::{Peers, compare};
use kansho::cell::JointMotion;
use kansho::check::motion::{MotionCounters, MotionOptions, MotionScene, MotionWorkspace};
use kansho::check::scene::Scene;
use kansho::check::verdict::Verdict;
use kansho::check::verify::motion::verify_motion;
use kansho::io::cell::{self, CellOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Runs over all segments; the first fills fields.
const RUNS: usize = 8;

/// One of so many segments gets a certificate.
const CERTIFIED: usize = 40;

/// 2,000 segments with free ends among 20 boxes.
pub(crate) fn segments(data: &Path, peers: &Peers) {
    let start = thread_secs();
    let read =
        cell::read(&data.join("ur5_boxes.toml"), &CellOptions::default()).expect("the cell is good").cell;
    let scene = Scene::new(Arc::new(read)).with_models();
    let prepared = MotionScene::new(&scene);
    let set_up = thread_secs() - start;
    let text = std::fs::read_to_string(data.join("w4_segments.csv")).expect("the segments can be read");
    let dof = scene.cell().coordinates().len();
    let motions: Vec<JointMotion> = text
        .lines()
        .map(|line| {
            let numbers: Vec<f64> =
                line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
            JointMotion::lines(&[numbers[..dof].to_vec(), numbers[dof..].to_vec()]).expect("two postures")
        })
        .collect();
    let truth = std::fs::read_to_string(data.join("w4_truth_step0.001.csv")).expect("the truth can be read");
    let truth: Vec<bool> = truth.lines().map(|line| line == "1").collect();

    let options = MotionOptions::default();
    let mut workspace = prepared.workspace();
    let (mut means, mut times): (Vec<f64>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let (mut missed, mut more, mut doubtful, mut undecided) = (0, 0, 0, 0);
    let mut all = MotionCounters::default();
    for run in 0..RUNS {
        let mut of_run = Vec::with_capacity(motions.len());
        let begun = thread_secs();
        for (motion, hit) in motions.iter().zip(&truth) {
            // The clock of the thread is too coarse for one.
            let before = Instant::now();
            let report = prepared.motion(motion, &options, &mut workspace);
            of_run.push(before.elapsed().as_secs_f64() * 1e6);
            if run > 0 {
                continue;
            }
            all.instants += report.counters.instants;
            all.nodes += report.counters.nodes;
            all.exact += report.counters.exact;
            all.regions += report.counters.regions;
            match report.verdict {
                Verdict::Free(_) => missed += usize::from(*hit),
                Verdict::Touches(witness) if !hit => {
                    more += 1;
                    doubtful += usize::from(!(witness.gap <= options.clearance + options.resolution));
                }
                Verdict::Touches(_) => {}
                Verdict::Undecided { .. } => undecided += 1,
            }
        }
        means.push((thread_secs() - begun) * 1e6 / motions.len() as f64);
        times.push(of_run);
    }
    let best = means.iter().copied().fold(f64::INFINITY, f64::min);
    // Of each segment its fastest run, so that one interruption is not its time.
    let mut each: Vec<f64> =
        (0..motions.len()).map(|k| times.iter().map(|run| run[k]).fold(f64::INFINITY, f64::min)).collect();
    each.sort_by(f64::total_cmp);
    let at = |share: f64| each[((each.len() - 1) as f64 * share) as usize];
    let wrong = format!(
        "{missed} missed, {more} more than sampled ({doubtful} of them not confirmed), {undecided} undecided"
    );
    compare("W4", best, &wrong, "FCL at 0.01 rad", peers.micros("fcl", data, "W4:0.01"), 0.05);
    println!(
        "    the first time {:.1} us; median {:.1}, 90 % {:.1}, 99 % {:.0}, worst {:.0} us; set-up {:.2} s",
        means[0],
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0),
        set_up
    );
    certificates(&prepared, &motions, &options, &mut workspace);
    let share = |count: u64| count as f64 / motions.len() as f64;
    println!(
        "    a segment: {:.1} instants, {:.1} nodes of eight balls, {:.2} pairs of shapes with {:.0} regions",
        share(all.instants),
        share(all.nodes),
        share(all.exact),
        share(all.regions)
    );
}

/// Certificates of some of the free segments: made, and accepted by the verifier.
fn certificates(
    prepared: &MotionScene<'_>,
    motions: &[JointMotion],
    options: &MotionOptions<'_>,
    workspace: &mut MotionWorkspace,
) {
    let (mut free, mut made, mut accepted, mut regions) = (0, 0, 0, 0);
    let mut secs = [0.0; 2];
    for motion in motions.iter().step_by(CERTIFIED) {
        if !matches!(prepared.motion(motion, options, workspace).verdict, Verdict::Free(_)) {
            continue;
        }
        free += 1;
        let start = thread_secs();
        let certificate = prepared.certify(motion, options);
        let between = thread_secs();
        secs[0] += between - start;
        let Ok(certificate) = certificate.inspect_err(|why| println!("    {why}")) else { continue };
        made += 1;
        match verify_motion(prepared.cell(), motion, &certificate) {
            Ok(verified) => {
                accepted += 1;
                regions += verified.regions;
            }
            Err(why) => println!("    {why}"),
        }
        secs[1] += thread_secs() - between;
    }
    let [making, checking] = secs.map(|secs| secs * 1e3 / f64::from(free));
    println!(
        "    certificates: {made} made and {accepted} accepted of {free} free, {:.0} regions, {making:.0} ms to make and {checking:.0} ms to verify each",
        f64::from(regions as u32) / f64::from(accepted.max(1))
    );
}
