//! W1 and W2: two real meshes in ten thousand poses.

use crate::clock::thread_secs;
use crate::peers::{Peers, compare};
use kansho::geom::Pose;
use kansho::geom::tree::{Scratch, Tree, distance, hit};
use kansho::io::mesh::{self, MeshOptions};
use kansho::io::poses;
use std::path::Path;
use std::sync::Arc;

/// Runs of which the fastest counts: on a machine with other work, the least disturbed.
const RUNS: usize = 5;

struct Job {
    a: Tree,
    b: Tree,
    poses: Vec<Pose>,
    touch: Vec<bool>,
}

impl Job {
    fn read(data: &Path) -> Self {
        let folder = data.join("w1");
        let truth = std::fs::read_to_string(folder.join("truth_collide.csv")).expect("the truth can be read");
        Self {
            a: tree(&folder.join("ur3_upperarm.stl")),
            b: tree(&folder.join("ur3_forearm.stl")),
            poses: poses::read(&folder.join("poses.csv"), None).expect("the poses are good"),
            touch: truth.lines().map(|line| line == "1").collect(),
        }
    }
}

fn tree(path: &Path) -> Tree {
    let mesh = mesh::read(path, &MeshOptions::default()).expect("the mesh is good").mesh;
    Tree::new(Arc::new(mesh))
}

/// W1: do they touch?
pub(crate) fn touching(data: &Path, peers: &Peers) {
    let Job { a, b, poses, touch } = Job::read(data);
    let mut scratch = Scratch::default();
    let mut best = f64::INFINITY;
    let mut wrong = 0;
    for _ in 0..RUNS {
        (scratch.box_tests, scratch.exact_tests) = (0, 0);
        let start = thread_secs();
        let found: Vec<bool> = poses.iter().map(|&pose| hit(&a, &b, pose, &mut scratch).is_some()).collect();
        best = best.min((thread_secs() - start) * 1e6 / poses.len() as f64);
        wrong = found.iter().zip(&touch).filter(|(found, truth)| found != truth).count();
    }
    let theirs = peers.micros("fcl_float", data, "W1");
    compare("W1 two meshes touch", best, &wrong_of(wrong, poses.len()), "FCL float", theirs, 0.1);
    tests(&scratch, poses.len());
}

/// W2: how far apart are they where they do not touch?
pub(crate) fn apart(data: &Path, peers: &Peers) {
    let Job { a, b, poses, touch } = Job::read(data);
    let free: Vec<Pose> =
        poses.into_iter().zip(touch).filter(|(_, touch)| !touch).map(|(pose, _)| pose).collect();
    let truth =
        std::fs::read_to_string(data.join("w1/truth_distance_fcl.csv")).expect("the truth can be read");
    let truth: Vec<f64> = truth.lines().map(|line| line.parse().expect("a number")).collect();
    assert_eq!(free.len(), truth.len());
    let mut scratch = Scratch::default();
    let mut best = f64::INFINITY;
    let mut found = Vec::new();
    for _ in 0..RUNS {
        (scratch.box_tests, scratch.exact_tests) = (0, 0);
        let start = thread_secs();
        let gap =
            |&pose: &Pose| distance(&a, &b, pose, f64::INFINITY, &mut scratch).map_or(f64::NAN, |d| d.gap());
        found = free.iter().map(gap).collect::<Vec<f64>>();
        best = best.min((thread_secs() - start) * 1e6 / free.len() as f64);
    }
    let off = |(found, truth): (&f64, &f64)| (found - truth).abs();
    let most = found.iter().zip(&truth).map(off).fold(0.0, f64::max);
    let wrong = found.iter().zip(&truth).filter(|pair| !(off(*pair) <= 1e-9)).count();
    let wrong = format!("{} beyond 1e-9 m (off by {most:.0e} at most)", wrong_of(wrong, free.len()));
    compare("W2 two meshes apart", best, &wrong, "FCL", peers.micros("fcl", data, "W2"), 0.06);
    tests(&scratch, free.len());
}

pub(crate) fn wrong_of(wrong: usize, all: usize) -> String {
    format!("{wrong} wrong of {all}")
}

fn tests(scratch: &Scratch, queries: usize) {
    let per = |n: u64| n as f64 / queries as f64;
    println!("    {:.1} box tests, {:.2} exact tests each", per(scratch.box_tests), per(scratch.exact_tests));
}
