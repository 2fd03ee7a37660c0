//! W3 and W5: a robot in its cell, in many postures.

use crate::clock::thread_secs;
use crate::peers::{Peers, compare};
use crate::two_meshes::wrong_of;
use kansho::check::order::{Order, Then, ranks};
use kansho::check::postures::touches;
use kansho::check::rough::RoughScene;
use kansho::check::scene::Scene;
use kansho::check::scene::models::Stages;
use kansho::io::cell::{self, CellOptions};
use kansho::io::postures;
use kansho::io::units::Units;
use std::path::Path;
use std::sync::Arc;

const ORDERS: [(&str, Order); 6] = [
    ("listed", Order { last_first: false, then: Then::Listed }),
    ("frequent", Order { last_first: false, then: Then::Frequent }),
    ("paper", Order { last_first: false, then: Then::Paper }),
    ("last, then listed", Order { last_first: true, then: Then::Listed }),
    ("last, then frequent", Order { last_first: true, then: Then::Frequent }),
    ("last, then paper", Order { last_first: true, then: Then::Paper }),
];

/// Passes over all postures that are timed together.
const TOGETHER: usize = 5;

/// A scene with its postures and what is known of them.
pub(crate) struct Job {
    pub(crate) scene: Scene,
    pub(crate) rows: Vec<f64>,
    truth: Vec<bool>,
    /// Seconds to read the cell, to prepare it, and to make models.
    set_up: [f64; 3],
}

impl Job {
    fn read(data: &Path, cell: &str, truth: &str) -> Self {
        let start = thread_secs();
        let read = cell::read(&data.join(cell), &CellOptions::default()).expect("the cell is good").cell;
        let middle = thread_secs();
        let scene = Scene::new(Arc::new(read));
        let prepared = thread_secs();
        let scene = scene.with_models();
        let set_up = [middle - start, prepared - middle, thread_secs() - prepared];
        let truth = std::fs::read_to_string(data.join(truth)).expect("the truth can be read");
        Self { scene, rows: Vec::new(), truth: truth.lines().map(|line| line == "1").collect(), set_up }
    }

    pub(crate) fn random(data: &Path, kind: &str) -> Self {
        let mut job = Self::read(data, &format!("ur5_{kind}.toml"), &format!("w3_truth_{kind}.csv"));
        let rows = postures::read(&data.join("w3_configs.csv"), job.scene.cell(), &Units::default());
        job.rows = rows.expect("the postures are good").values().to_vec();
        job
    }

    pub(crate) fn work_path(data: &Path) -> Self {
        let mut job = Self::read(data, "ur5_plate.toml", "w5/truth_collide.csv");
        let bytes = std::fs::read(data.join("w5/configs.f32")).expect("the postures can be read");
        let number = |four: &[u8]| f64::from(f32::from_le_bytes(four.try_into().expect("four bytes")));
        job.rows = bytes.chunks_exact(4).map(number).collect();
        job
    }

    /// With models: microseconds a posture and wrong answers, the first time, when fields are filled, and the fastest of some; and
    /// how postures were decided. The clock ticks seldom, so several passes are taken together.
    fn with_models(&self, runs: usize) -> ([f64; 2], String, Stages) {
        let mut worst = 0;
        let mut stages = Stages::default();
        let mut pass = |count: usize| {
            let start = thread_secs();
            for _ in 0..count {
                let (touches, found) = touches(&self.scene, &self.rows);
                let wrong = touches.iter().zip(&self.truth).filter(|(ours, truth)| ours != truth).count();
                (worst, stages) = (worst.max(wrong), found);
            }
            (thread_secs() - start) * 1e6 / (count * self.truth.len()) as f64
        };
        let first = pass(1);
        let best = (1..runs).map(|_| pass(TOGETHER)).fold(f64::INFINITY, f64::min);
        ([first, best], wrong_of(worst, self.truth.len()), stages)
    }

    /// Without models: microseconds a posture, wrong answers, and pairs of shapes that boxes did not tell apart.
    fn run(&self, order: Order) -> (f64, usize, f64) {
        let start = thread_secs();
        let columns = self.scene.cell().coordinates().len();
        let every = (self.truth.len() / 256).max(1);
        let ranks = ranks(&self.scene, order.then, self.rows.chunks_exact(columns).step_by(every));
        let mut workspace = self.scene.workspace();
        let mut last = None;
        let mut wrong = 0;
        for (posture, truth) in self.rows.chunks_exact(columns).zip(&self.truth) {
            let hit = self.scene.first_hit(posture, &ranks, last, &mut workspace);
            last = hit.filter(|_| order.last_first);
            wrong += usize::from(hit.is_some() != *truth);
        }
        let n = self.truth.len() as f64;
        ((thread_secs() - start) * 1e6 / n, wrong, workspace.narrow as f64 / n)
    }

    fn facts(&self) {
        let triangles: usize = self
            .scene
            .cell()
            .bodies()
            .iter()
            .flat_map(|body| &body.pieces)
            .map(|piece| piece.geometry.triangles())
            .sum();
        let [read, prepared, models] = self.set_up.map(|seconds| seconds * 1e3);
        let bytes = self.scene.bytes();
        let of_models = self.scene.models().map_or(0, |models| models.bytes());
        println!(
            "    {triangles} triangles read in {read:.0} ms, prepared in {prepared:.0} ms, {:.0} bytes each; models made in {models:.0} ms, {:.0} MB in all",
            bytes as f64 / triangles as f64,
            (bytes + of_models) as f64 / 1e6
        );
    }

    fn stages(&self, stages: &Stages) {
        let share = |count: u64| 100.0 * count as f64 / stages.postures() as f64;
        println!(
            "    decided by gaps of earlier postures {:.1} %, balls inside {:.1} %, balls around {:.1} %; exactly free {:.1} %, touching {:.1} %; {:.3} exact pairs each",
            share(stages.kept),
            share(stages.inner),
            share(stages.spheres),
            share(stages.exact_free),
            share(stages.exact_hit),
            stages.exact_pairs as f64 / stages.postures() as f64
        );
    }

    fn orders(&self) {
        println!("    without models:");
        for (name, order) in ORDERS {
            let (each, wrong, narrow) = self.run(order);
            let wrong = wrong_of(wrong, self.truth.len());
            println!("    order {name}: {each:.2} us each, {narrow:.2} pairs of shapes each, {wrong}");
        }
    }
}

/// W3: 20,000 random postures among 20 obstacles.
pub(crate) fn random(data: &Path, kind: &str, peers: &Peers) {
    let job = Job::random(data, kind);
    let ([first, best], wrong, stages) = job.with_models(10);
    let theirs = peers.micros("fcl_float", data, if kind == "boxes" { "W3box_prim" } else { "W3mixed" });
    compare(&format!("W3 {kind}"), best, &wrong, "FCL float", theirs, 0.08);
    println!("    the first time, when fields are filled: {first:.2} us each");
    job.stages(&stages);
    job.facts();
    job.orders();
}

/// The postures of W3 by spheres: nothing may be missed, and how much is a false alarm?
pub(crate) fn rough(data: &Path, kind: &str) {
    let job = Job::random(data, kind);
    let scene = Arc::new(job.scene);
    let columns = scene.cell().coordinates().len();
    for radius in [0.005, 0.01, 0.02, 0.03] {
        let start = thread_secs();
        let rough = RoughScene::new(Arc::clone(&scene), radius).expect("it can be covered");
        let set_up = thread_secs() - start;
        let mut workspace = rough.workspace();
        let (mut missed, mut alarms) = (0, 0);
        let mut pass = |count: usize| {
            let start = thread_secs();
            for _ in 0..count {
                (missed, alarms) = (0, 0);
                for (posture, truth) in job.rows.chunks_exact(columns).zip(&job.truth) {
                    let hit = rough.may_touch(posture, &mut workspace);
                    missed += usize::from(*truth && !hit);
                    alarms += usize::from(hit && !*truth);
                }
            }
            (thread_secs() - start) * 1e6 / (count * job.truth.len()) as f64
        };
        // Fields are filled first.
        pass(1);
        let best = (0..8).map(|_| pass(TOGETHER)).fold(f64::INFINITY, f64::min);
        println!(
            "rough {kind}, radius {radius} m: {best:.2} us each, {missed} missed, {alarms} false alarms within {:.3} m, set-up {:.0} ms",
            rough.quick_accuracy(),
            set_up * 1e3
        );
    }
}

/// W5: the postures of a work path, 360 rotations at each of 2,791 points; what it takes to prepare is shared out among them.
pub(crate) fn work_path(data: &Path, peers: &Peers) {
    let job = Job::work_path(data);
    // The first time, so that filling fields counts.
    let ([first, _], wrong, stages) = job.with_models(1);
    let set_up = job.set_up.iter().sum::<f64>() * 1e6 / job.truth.len() as f64;
    compare(
        "W5, set-up included",
        first + set_up,
        &wrong,
        "FCL float",
        peers.micros("fcl_float", data, "W5"),
        0.2,
    );
    println!("    of that {set_up:.2} us set-up");
    job.stages(&stages);
    job.facts();
    job.orders();
}
