//! Instructions that the kernels take, counted by valgrind: the same in every run, whatever else the machine does.
//!
//! `bench/count` runs them and compares with `counts.txt`. Preparing a job is not counted, nor is dropping it: it is handed
//! back. All shapes are made here, so that no file is needed.
#![expect(missing_docs, reason = "macros of the harness make functions without")]

use gungraun::prelude::*;
use kansho::cell::{Cell, builtin};
use kansho::geom::glam::DVec3;
use kansho::geom::primitive::{Primitive, Shape};
use kansho::geom::tree::{Scratch, Tree, depth, distance, hit, meet};
use kansho::geom::triangle::{Triangle, closest, touch};
use kansho::geom::{Mesh, Pose};
use std::hint::black_box;
use std::sync::Arc;

/// Numbers from 0 to 1, the same in every run.
struct Noise(u64);

impl Noise {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number() - 0.5, self.number() - 0.5, self.number() - 0.5)
    }
}

/// Two bodies in some poses.
struct Job {
    a: Tree,
    b: Tree,
    poses: Vec<Pose>,
    scratch: Scratch,
}

fn mesh(shape: Shape, deviation: f64) -> Mesh {
    Primitive::new(shape).expect("valid sizes").tessellated(deviation).expect("bounded")
}

/// Round, with long triangles along its sides and small ones at its ends.
fn capsule() -> Mesh {
    mesh(Shape::Capsule { radius: 0.06, height: 0.4 }, 6e-5)
}

/// Poses in which two bodies are about to touch, then moved apart by `gap`, or into each other if that is negative.
fn beside(gap: f64) -> Job {
    const POSES: usize = 32;
    let a = Tree::new(Arc::new(capsule()));
    let b = Tree::new(Arc::new(mesh(Shape::Cone { radius: 0.1, height: 0.3 }, 1e-4)));
    let mut scratch = Scratch::default();
    let mut noise = Noise(1);
    let mut poses = Vec::new();
    while poses.len() < POSES {
        let Some(direction) = noise.vector().try_normalize() else {
            continue;
        };
        let turn = Pose::from_rpy(DVec3::ZERO, noise.vector() * 6.0);
        let at = |t: f64| Pose::from_translation(direction * t) * turn;
        let (mut touching, mut free) = (0.0, 1.0);
        for _ in 0..20 {
            let middle = 0.5 * (touching + free);
            // Both are convex: they meet up to some distance, and no farther.
            let met = hit(&a, &b, at(middle), &mut scratch).is_some() || middle < 0.05;
            if met { touching = middle } else { free = middle }
        }
        poses.push(at(free + gap));
    }
    Job { a, b, poses, scratch }
}

fn inside() -> Job {
    let a = Tree::new(Arc::new(mesh(Shape::Sphere { radius: 0.5 }, 3e-4)));
    let b = Tree::new(Arc::new(mesh(Shape::Box { size: DVec3::splat(0.02) }, 1.0)));
    let mut noise = Noise(2);
    let poses = (0..32).map(|_| Pose::from_rpy(noise.vector() * 0.5, noise.vector() * 6.0)).collect();
    Job { a, b, poses, scratch: Scratch::default() }
}

fn triangles(shift: f64) -> Vec<[Triangle; 2]> {
    let mut noise = Noise(3);
    let mut triangle = |shift: DVec3| -> Triangle { std::array::from_fn(|_| noise.vector() + shift) };
    (0..256).map(|_| [triangle(DVec3::ZERO), triangle(DVec3::Z * shift)]).collect()
}

fn postures() -> (Cell, Vec<Vec<f64>>) {
    let home = builtin::home();
    let mut noise = Noise(4);
    let postures = (0..64).map(|_| home.iter().map(|q| q + noise.number()).collect()).collect();
    (builtin::cell(), postures)
}

#[library_benchmark]
#[bench::capsule(Arc::new(capsule()))]
fn build(mesh: Arc<Mesh>) -> (Arc<Mesh>, Tree) {
    let tree = Tree::new(black_box(mesh.clone()));
    (mesh, tree)
}

#[library_benchmark]
#[bench::near_miss(beside(1e-3))]
#[bench::touching(beside(-0.01))]
fn hits(mut job: Job) -> Job {
    for &pose in &job.poses {
        black_box(hit(&job.a, &job.b, black_box(pose), &mut job.scratch));
    }
    job
}

#[library_benchmark]
#[bench::a_millimetre(beside(1e-3))]
#[bench::a_hand(beside(0.1))]
fn distances(mut job: Job) -> Job {
    for &pose in &job.poses {
        black_box(distance(&job.a, &job.b, black_box(pose), f64::INFINITY, &mut job.scratch));
    }
    job
}

#[library_benchmark]
#[bench::one_inside(inside())]
fn meetings(mut job: Job) -> Job {
    for &pose in &job.poses {
        black_box(meet(&job.a, &job.b, black_box(pose), &mut job.scratch));
    }
    job
}

#[library_benchmark]
#[bench::a_centimetre(beside(-0.01))]
fn depths(mut job: Job) -> Job {
    for &pose in &job.poses[..4] {
        black_box(depth(&job.a, &job.b, black_box(pose), 1e-4, &mut job.scratch));
    }
    job
}

#[library_benchmark]
#[bench::mixed(triangles(0.3))]
fn touches(pairs: Vec<[Triangle; 2]>) -> Vec<[Triangle; 2]> {
    for [a, b] in &pairs {
        black_box(touch(black_box(a), black_box(b)));
    }
    pairs
}

#[library_benchmark]
#[bench::apart(triangles(1.5))]
fn closests(pairs: Vec<[Triangle; 2]>) -> Vec<[Triangle; 2]> {
    for [a, b] in &pairs {
        black_box(closest(black_box(a), black_box(b)));
    }
    pairs
}

#[library_benchmark]
#[bench::builtin(postures())]
fn forward_kinematics((cell, postures): (Cell, Vec<Vec<f64>>)) -> (Cell, Vec<Vec<f64>>) {
    let mut placed = cell.place(&postures[0]);
    for posture in &postures {
        cell.place_into(black_box(posture), &mut placed);
    }
    black_box(&placed);
    (cell, postures)
}

library_benchmark_group!(
    name = kernels,
    benchmarks = [build, hits, distances, meetings, depths, touches, closests, forward_kinematics]
);

main!(library_benchmark_groups = kernels);
