//! W1 and W2: two real meshes in ten thousand poses.

use crate::clock::thread_secs;
use kansho::geom::tree::{Scratch, Tree, distance, hit};
use kansho::io::mesh::{self, MeshOptions};
use kansho::io::poses;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn tree(path: &Path) -> Tree {
    let mesh = mesh::read(path, &MeshOptions::default()).expect("the mesh is good").mesh;
    let start = Instant::now();
    let triangles = mesh.triangles().len();
    let tree = Tree::new(Arc::new(mesh));
    println!("  {triangles} triangles: tree in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    tree
}

/// W1: do they touch?
pub(crate) fn touching(data: &Path) {
    println!("W1");
    let folder = data.join("w1");
    let (a, b) = (tree(&folder.join("ur3_upperarm.stl")), tree(&folder.join("ur3_forearm.stl")));
    let poses = poses::read(&folder.join("poses.csv"), None).expect("the poses are good");
    let truth = std::fs::read_to_string(folder.join("truth_collide.csv")).expect("the truth can be read");
    let truth: Vec<bool> = truth.lines().map(|line| line == "1").collect();
    let mut scratch = Scratch::default();
    for _ in 0..5 {
        scratch.box_tests = 0;
        scratch.exact_tests = 0;
        let start = thread_secs();
        let found: Vec<bool> = poses.iter().map(|&pose| hit(&a, &b, pose, &mut scratch).is_some()).collect();
        let each = (thread_secs() - start) * 1e6 / poses.len() as f64;
        let wrong = found.iter().zip(&truth).filter(|(a, b)| a != b).count();
        let per = |n: u64| n as f64 / poses.len() as f64;
        println!(
            "  {each:.2} us each, {wrong} wrong of {}, {:.1} box tests, {:.2} exact tests each",
            poses.len(),
            per(scratch.box_tests),
            per(scratch.exact_tests)
        );
    }
}

/// W2: how far apart are they where they do not touch?
pub(crate) fn apart(data: &Path) {
    println!("W2");
    let folder = data.join("w1");
    let (a, b) = (tree(&folder.join("ur3_upperarm.stl")), tree(&folder.join("ur3_forearm.stl")));
    let poses = poses::read(&folder.join("poses.csv"), None).expect("the poses are good");
    let lines = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the truth can be read");
    let free: Vec<_> = poses
        .iter()
        .zip(lines("truth_collide.csv").lines())
        .filter(|(_, hit)| *hit == "0")
        .map(|(p, _)| *p)
        .collect();
    let truth: Vec<f64> =
        lines("truth_distance_fcl.csv").lines().map(|line| line.parse().expect("a number")).collect();
    assert_eq!(free.len(), truth.len());
    let mut scratch = Scratch::default();
    for _ in 0..3 {
        scratch.box_tests = 0;
        scratch.exact_tests = 0;
        let start = thread_secs();
        let found: Vec<f64> = free
            .iter()
            .map(|&pose| distance(&a, &b, pose, f64::INFINITY, &mut scratch).map_or(f64::NAN, |d| d.gap()))
            .collect();
        let each = (thread_secs() - start) * 1e6 / free.len() as f64;
        let off = found.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let wrong = found.iter().zip(&truth).filter(|(a, b)| !((*a - *b).abs() <= 1e-9)).count();
        let per = |n: u64| n as f64 / free.len() as f64;
        println!(
            "  {each:.2} us each, off by {off:.1e} m at most, {wrong} of {} by more than 1e-9, {:.1} box tests, {:.2} exact tests each",
            free.len(),
            per(scratch.box_tests),
            per(scratch.exact_tests)
        );
    }
}
