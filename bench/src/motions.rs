//! W4: joint-space segments of a robot in its cell, each proven free or shown to touch.

use crate::clock::thread_secs;
use crate::peers::{Peers, compare};
use kansho::cell::JointMotion;
use kansho::check::motion::{Contact, MotionCounters, MotionOptions, MotionScene, MotionWorkspace};
use kansho::check::scene::Scene;
use kansho::check::verdict::Verdict;
use kansho::io::cell::{self, CellOptions};
use kansho::verify::motion::{CellTrees, verify_on_trees};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Runs over all segments; the first fills fields.
const RUNS: usize = 8;

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

    let mut workspace = prepared.workspace();
    let micros = peers.micros("fcl", data, "W4:0.01");
    for (contact, name) in [(Contact::Any, "W4"), (Contact::First, "W4, first contact")] {
        let options = MotionOptions { contact, ..MotionOptions::default() };
        let Asked { means, each, wrong, counters } =
            ask(&prepared, &motions, &truth, &options, &mut workspace);
        let best = means.iter().copied().fold(f64::INFINITY, f64::min);
        compare(name, best, &wrong, "FCL at 0.01 rad", micros, 0.05);
        let of_kind = |hit: bool| -> f64 {
            let of_kind: Vec<f64> =
                each.iter().zip(&truth).filter(|(_, truth)| **truth == hit).map(|(each, _)| *each).collect();
            of_kind.iter().sum::<f64>() / of_kind.len() as f64
        };
        let (free, hits) = (of_kind(false), of_kind(true));
        let mut each = each;
        each.sort_by(f64::total_cmp);
        let at = |share: f64| each[((each.len() - 1) as f64 * share) as usize];
        println!(
            "    the first time {:.1} us; free {free:.1}, hits {hits:.1}; median {:.1}, 90 % {:.1}, 99 % {:.0}, worst {:.0} us; set-up {set_up:.2} s",
            means[0],
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0),
        );
        let share = |count: u64| count as f64 / motions.len() as f64;
        println!(
            "    a segment: {:.1} instants, {:.1} nodes of eight balls, {:.2} pairs of shapes with {:.0} regions",
            share(counters.instants),
            share(counters.nodes),
            share(counters.exact),
            share(counters.regions)
        );
    }
    certificates(&prepared, &motions, &MotionOptions::default(), &mut workspace);
}

/// What came of asking for all segments again and again.
struct Asked {
    /// Mean times of the runs.
    means: Vec<f64>,
    /// Of each segment its fastest run, so that one interruption is not its time.
    each: Vec<f64>,
    wrong: String,
    counters: MotionCounters,
}

fn ask(
    prepared: &MotionScene<'_>,
    motions: &[JointMotion],
    truth: &[bool],
    options: &MotionOptions<'_>,
    workspace: &mut MotionWorkspace,
) -> Asked {
    let (mut means, mut each) = (Vec::new(), vec![f64::INFINITY; motions.len()]);
    let (mut missed, mut more, mut doubtful, mut undecided) = (0, 0, 0, 0);
    let mut counters = MotionCounters::default();
    for run in 0..RUNS {
        let begun = thread_secs();
        for ((motion, hit), each) in motions.iter().zip(truth).zip(&mut each) {
            // The clock of the thread is too coarse for one.
            let before = Instant::now();
            let report = prepared.motion(motion, options, workspace);
            *each = each.min(before.elapsed().as_secs_f64() * 1e6);
            if run > 0 {
                continue;
            }
            counters.instants += report.counters.instants;
            counters.nodes += report.counters.nodes;
            counters.exact += report.counters.exact;
            counters.regions += report.counters.regions;
            match report.verdict {
                Verdict::Free(_) => missed += usize::from(*hit),
                Verdict::Touches(witness) => {
                    more += usize::from(!hit);
                    doubtful += usize::from(!(witness.gap <= options.clearance + options.resolution));
                }
                Verdict::Undecided { .. } => undecided += 1,
            }
        }
        means.push((thread_secs() - begun) * 1e6 / motions.len() as f64);
    }
    let wrong = format!(
        "{missed} missed, {more} more than sampled ({doubtful} hits not confirmed), {undecided} undecided"
    );
    Asked { means, each, wrong, counters }
}

/// Certificates of all free segments: made, and accepted by the verifier, with trees that are made once.
fn certificates(
    prepared: &MotionScene<'_>,
    motions: &[JointMotion],
    options: &MotionOptions<'_>,
    workspace: &mut MotionWorkspace,
) {
    let (mut free, mut made, mut accepted, mut regions) = (0, 0, 0, 0);
    let start = thread_secs();
    let trees = CellTrees::new(prepared.cell());
    let of_trees = thread_secs() - start;
    let _ = prepared.trees();
    let (mut making, mut checking, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for motion in motions {
        if !matches!(prepared.motion(motion, options, workspace).verdict, Verdict::Free(_)) {
            continue;
        }
        free += 1;
        let start = Instant::now();
        let certificate = prepared.certify(motion, options);
        making.push(start.elapsed().as_secs_f64() * 1e3);
        let Ok(certificate) = certificate.inspect_err(|why| println!("    {why}")) else { continue };
        made += 1;
        sizes.push(certificate.pieces.iter().map(String::len).sum::<usize>() as f64);
        let start = Instant::now();
        match verify_on_trees(prepared.cell(), &trees, motion, &certificate) {
            Ok(verified) => {
                accepted += 1;
                regions += verified.regions;
            }
            Err(why) => println!("    {why}"),
        }
        checking.push(start.elapsed().as_secs_f64() * 1e3);
    }
    println!(
        "    certificates: {made} made and {accepted} accepted of {free} free, {:.0} regions; trees {:.1} ms, once",
        f64::from(regions as u32) / f64::from(accepted.max(1)),
        of_trees * 1e3
    );
    for (what, unit, mut each) in
        [("make", "ms", making), ("verify", "ms", checking), ("steps", "letters", sizes)]
    {
        each.sort_by(f64::total_cmp);
        let at = |share: f64| each[((each.len() - 1) as f64 * share) as usize];
        println!(
            "    {what}: mean {:.3} {unit}; median {:.3}, 90 % {:.3}, 99 % {:.2}, worst {:.1}",
            each.iter().sum::<f64>() / each.len() as f64,
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        );
    }
}
