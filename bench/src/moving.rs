//! Moving bodies: a thin wall, a bar that turns, a box that hovers. All shapes are made here, and the answers are known.

use crate::clock::thread_secs;
use kansho::check::moving_bodies::{Body, MovingOptions, MovingScratch, Report, moving};
use kansho::check::verdict::Verdict;
use kansho::geom::glam::DVec3;
use kansho::geom::pose_motion::Motion;
use kansho::geom::{Mesh, Pose, mesh};
use kansho::verify::bodies::verify_bodies;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

const CASES: u32 = 1000;

/// All of it.
pub(crate) fn all() {
    wall();
    bar();
    hover();
}

/// Numbers from 0 to 1, the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.next()
    }
}

/// A mesh of 10,000 triangles passes a wall of 3,000 that is a millimetre thick: straight, turning, on a curve.
fn wall() {
    let wall = body(grid_box(DVec3::new(1e-3, 1.0, 1.0), 27));
    let stone = body(stone(50, 100));
    println!("wall of {} triangles, passed by {}", count(&wall), count(&stone));
    let still = Motion::still(Pose::IDENTITY);
    let mut numbers = Numbers(1);
    let mut cases = Vec::new();
    for _ in 0..CASES {
        let side = if numbers.next() < 0.5 { 1.0 } else { -1.0 };
        let mut poses = Vec::new();
        let [y, z] = [0, 1].map(|_| numbers.between(-0.3, 0.3));
        let turn = [0, 1, 2].map(|_| numbers.between(-1.0, 1.0));
        for k in 0..4 {
            let t = f64::from(k) / 3.0;
            let bow = (t - t * t) * numbers.between(-0.2, 0.2);
            let place = DVec3::new(side * (0.5 - t), y + bow, z - bow);
            poses.push(Pose::from_rpy(place, DVec3::from_array(turn) * (1.0 + t)));
        }
        cases.push(Motion::cubic(&poses).expect("four poses"));
    }
    run("wall, cubics", cases.iter().map(|motion| ([&wall, &stone], [&still, motion], true)));
    // Past the wall, a millimetre beside its rim: the stone is within 0.12 m of its middle.
    let beside: Vec<Motion> = (0..CASES)
        .map(|_| {
            let y = 0.5 + 0.12 + 1e-3 + numbers.next() * 0.01;
            let at = |x: f64| Pose::from_translation(DVec3::new(x, y, 0.1));
            Motion::linear(at(0.5), at(-0.5))
        })
        .collect();
    run("wall, beside it", beside.iter().map(|motion| ([&wall, &stone], [&still, motion], false)));
    certify("wall, beside it", beside.iter().map(|motion| ([&wall, &stone], [&still, motion])));
}

/// A bar of a metre turns by 5 degrees to two turns past a post.
fn bar() {
    let (bar, post) =
        (body(grid_box(DVec3::new(1.0, 0.02, 0.02), 1)), body(grid_box(DVec3::new(0.02, 0.02, 0.2), 1)));
    let mut numbers = Numbers(2);
    let mut cases = Vec::new();
    for k in 0..CASES {
        let angle = 5f64.to_radians() + (4.0 * PI - 5f64.to_radians()) * f64::from(k) / f64::from(CASES - 1);
        let reach = numbers.between(0.6, 0.95);
        // Beyond half the width of both at the start, before the end, and not where the bar begins.
        let at = numbers.between(0.05, (angle - 0.02).min(TAU - 0.05));
        let turn = Motion::screw(Pose::from_translation(DVec3::X * 0.5), DVec3::ZERO, DVec3::Z, angle, 0.0);
        let place =
            |reach: f64| Motion::still(Pose::turn(DVec3::Z, at) * Pose::from_translation(DVec3::X * reach));
        cases.push((turn.expect("an axis"), place(reach), place(1.03 + 0.1 * numbers.next())));
    }
    run(
        "bar, posts within reach",
        cases.iter().map(|(turn, post_at, _)| ([&bar, &post], [turn, post_at], true)),
    );
    run(
        "bar, posts out of reach",
        cases.iter().map(|(turn, _, post_at)| ([&bar, &post], [turn, post_at], false)),
    );
    certify(
        "bar, posts out of reach",
        cases.iter().map(|(turn, _, post_at)| ([&bar, &post], [turn, post_at])),
    );
}

/// A box slides a metre, a micrometre over a plane.
fn hover() {
    let (plane, cube) = (body(grid_box(DVec3::new(4.0, 4.0, 0.1), 20)), body(grid_box(DVec3::splat(0.2), 4)));
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.15 + 1e-6));
    let turned = Pose::from_rpy(DVec3::new(0.5, 0.0, 0.15 + 1e-6), DVec3::new(0.0, 0.0, 1.0));
    let still = Motion::still(Pose::IDENTITY);
    for (name, slide) in
        [("straight", Motion::linear(at(-0.5), at(0.5))), ("turning", Motion::slerp(at(-0.5), turned))]
    {
        let report = moving(
            [&plane, &cube],
            [&still, &slide],
            &MovingOptions::default(),
            &mut MovingScratch::default(),
        );
        let word = report.verdict.word();
        println!("hover, {name}: {word} in {} steps (asked: free in 500)", report.counters.regions);
        certify(&format!("hover, {name}"), std::iter::once(([&plane, &cube], [&still, &slide])));
    }
}

fn run<'a>(name: &str, cases: impl Iterator<Item = ([&'a Body; 2], [&'a Motion; 2], bool)>) {
    let mut scratch = MovingScratch::default();
    let options = MovingOptions::default();
    let (mut wrong, mut undecided, mut most, mut regions, mut count) = (0, 0, 0, 0, 0u32);
    // The clock ticks slowly: all cases together are timed.
    let start = thread_secs();
    for (bodies, motions, touches) in cases {
        let Report { verdict, counters, .. } = moving(bodies, motions, &options, &mut scratch);
        most = most.max(counters.regions);
        regions += counters.regions;
        count += 1;
        match verdict {
            Verdict::Undecided { .. } => undecided += 1,
            Verdict::Touches(found) if found.at_start.is_some() => wrong += 1,
            verdict => wrong += u32::from(verdict.touches() != touches),
        }
    }
    let each = 1e3 / f64::from(count);
    println!(
        "{name}: {:.4} ms a case; {wrong} wrong and {undecided} undecided of {count} (asked: 0, 1 ms, aim 0.1 ms); {:.0} regions a \
         case, at most {most}",
        (thread_secs() - start) * each,
        f64::from(u32::try_from(regions).unwrap_or(u32::MAX)) / f64::from(count)
    );
}

/// Certificates of what is free, and whether they are accepted.
fn certify<'a>(name: &str, cases: impl Iterator<Item = ([&'a Body; 2], [&'a Motion; 2])>) {
    let options = MovingOptions { certificate: true, ..MovingOptions::default() };
    let mut scratch = MovingScratch::default();
    let (mut count, mut accepted) = (0, 0);
    for (bodies, motions) in cases {
        count += 1;
        if let Verdict::Free(proof) = moving(bodies, motions, &options, &mut scratch).verdict {
            let meshes = bodies.map(|body| &**body.mesh());
            let holds = |certificate| verify_bodies(meshes, motions, &certificate).is_ok();
            accepted += u32::from(proof.certificate.is_some_and(holds));
        }
    }
    println!("{name}: {accepted} of {count} certificates accepted");
}

fn body(mesh: Mesh) -> Body {
    Body::new(Arc::new(mesh))
}

fn count(body: &Body) -> usize {
    body.mesh().triangles().len()
}

/// A box whose faces are cut into squares: `cuts` along each long side, one along a side of less than a tenth.
fn grid_box(size: DVec3, cuts: u32) -> Mesh {
    let longest = size.max_element();
    let cuts: [u32; 3] = size.to_array().map(|side| if side < 0.1 * longest { 1 } else { cuts });
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3usize {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [-0.5, 0.5] {
            for i in 0..cuts[u] {
                for j in 0..cuts[v] {
                    let first = corners.len() as u32;
                    for (di, dj) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                        let mut p = DVec3::ZERO;
                        p[axis] = side * size[axis];
                        p[u] = (f64::from(i + di) / f64::from(cuts[u]) - 0.5) * size[u];
                        p[v] = (f64::from(j + dj) / f64::from(cuts[v]) - 0.5) * size[v];
                        corners.push(p);
                    }
                    let faces = if side > 0.0 { [[0, 1, 2], [0, 2, 3]] } else { [[0, 2, 1], [0, 3, 2]] };
                    triangles.extend(faces.map(|t| t.map(|k: u32| first + k)));
                }
            }
        }
    }
    mesh::weld(&corners, &triangles, 0.0).expect("a box").mesh
}

/// A ball with bumps, at most 0.12 m from its middle.
fn stone(rings: u32, around: u32) -> Mesh {
    let mut corners = Vec::new();
    for i in 0..=rings {
        let polar = PI * f64::from(i) / f64::from(rings);
        for j in 0..around {
            let turn = TAU * f64::from(j) / f64::from(around);
            let radius = 0.1 + 0.02 * polar.sin() * (5.0 * turn).cos() * (7.0 * polar).cos();
            let (sin, cos) = polar.sin_cos();
            corners.push(DVec3::new(sin * turn.cos(), sin * turn.sin(), cos) * radius);
        }
    }
    let mut triangles = Vec::new();
    for i in 0..rings {
        for j in 0..around {
            let (a, b) = (i * around + j, i * around + (j + 1) % around);
            let (c, d) = (a + around, b + around);
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    // The poles are many times the same: welding leaves out what collapses.
    mesh::weld(&corners, &triangles, 1e-9).expect("a ball").mesh
}
