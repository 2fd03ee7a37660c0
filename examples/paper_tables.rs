//! The tables of Shimada, Okano and Kawabe (1987), "Collision detection among moving objects in simulation", ours beside theirs.
//!
//! ```sh
//! cargo run --release -p kansho --example paper_tables
//! ```
#![expect(clippy::print_stdout, reason = "an example prints")]

use kansho::check::moving_bodies::bisect::{BisectOptions, Bisected, Ending, Measured, Rule, collision};
use kansho::check::moving_bodies::{Body, MovingOptions, MovingScratch, bisected, gap, moving, spheres};
use kansho::geom::glam::DVec3;
use kansho::geom::pose_motion::Motion;
use kansho::geom::primitive::Shape;
use kansho::geom::spheres::Goal;
use kansho::geom::tree::Scratch;
use kansho::geom::{Ball, Pose, Primitive};
use std::sync::Arc;

/// Instants of the sampling method, and the length of the way over `D_col`.
const N: u32 = 128;

fn main() {
    figure_7();
    figure_9();
    random_study();
}

/// Fig. 7: how many spans or instants it takes, in the best, the middle and the worst case.
fn figure_7() {
    println!(
        "Fig. 7, no collision, n = {N}: L of the paper, then spans/instants of the paper's rule and of the sum rule"
    );
    let n = f64::from(N);
    let cases: [(&str, &str, f64); 2] =
        [("(A) far apart", "1", 2.0), ("(C) close all the way", "n = 128", 1.5 / n)];
    for (name, theirs, at) in cases {
        let count = |rule| {
            let gap = |_: f64| Measured { at_least: at, at_most: at, overlap: false };
            let options = BisectOptions { rule, contact: 0.0, ..BisectOptions::default() };
            let found = collision(gap, |span| span.length(), &options);
            format!("{}/{}", found.trace.len(), found.instants)
        };
        println!("  {name:24} {theirs:10} {:8} {:8}", count(Rule::Paper), count(Rule::Sum));
    }
    println!("  (B) is the random study below; exactly, the worst case has 2n - 1 spans and n + 1 instants");
}

/// Fig. 9: a hand passes a cube on three trajectories of a metre. The paper gives no coordinates; these come close.
fn figure_9() {
    let cube = block([0.2; 3]);
    let hand = block([0.2, 0.1, 0.1]);
    let goal = Goal::Count(8);
    let balls = [&cube, &hand].map(|body| spheres::cover(body, goal).expect("a box can be covered"));
    println!(
        "Fig. 9, L and I of the paper (precise, rough); ours: spans/instants by the paper's rule, precise and rough; by the sum rule, precise; samples, precise and rough"
    );
    let cases = [
        ("trajectory 1", -0.5, 1.5, 40.0f64, "2, 2; 128, 128"),
        ("trajectory 2", -0.5, 0.5, 40.0, "5, 5; 128, 128"),
        ("trajectory 3", -0.51, 0.1929, 75.0, "15, 19; 58, 53"),
    ];
    for (name, x, y, turn_deg, theirs) in cases {
        let still = Motion::still(Pose::IDENTITY);
        let end = Pose::from_rpy(DVec3::new(x + 1.0, y, 0.0), DVec3::new(0.0, 0.0, turn_deg.to_radians()));
        let pass = Motion::slerp(Pose::from_translation(DVec3::new(x, y, 0.0)), end);
        let motions = [&still, &pass];
        let options = |rule| BisectOptions { rule, contact: 1.0 / f64::from(N), ..BisectOptions::default() };
        let mut scratch = MovingScratch::default();
        let mut precise = |rule| shown(&bisected([&cube, &hand], motions, &options(rule), &mut scratch));
        let rough = spheres::bisected([&balls[0], &balls[1]], motions, &options(Rule::Paper));
        let (paper, sum) = (precise(Rule::Paper), precise(Rule::Sum));
        let sampled = samples([&cube, &hand], motions).unwrap_or(N);
        let rough_sampled = rough_samples([&balls[0], &balls[1]], motions).unwrap_or(N);
        let rough = shown(&rough);
        println!("  {name}  {theirs:16}  {paper:28} {rough:28} {sum:28} {sampled}, {rough_sampled}");
    }
    println!(
        "  The paper says neither where its trajectories run nor how its balls were made; ours are 8 around each box, and how much \
         sooner they touch on trajectory 3 depends on them."
    );
}

fn shown(found: &Bisected) -> String {
    let ending = match found.ending {
        Ending::Free { .. } => "free".into(),
        Ending::Contact(span) => format!("t = {:.4}", span.end),
        Ending::AtStart => "at start".into(),
        Ending::Undecided(_) => "undecided".into(),
    };
    format!("{}/{} {ending}", found.trace.len(), found.instants)
}

/// The first of `N` instants after the start at which they meet.
fn samples(bodies: [&Body; 2], motions: [&Motion; 2]) -> Option<u32> {
    let mut scratch = Scratch::default();
    (1..=N).find(|&k| {
        let t = f64::from(k) / f64::from(N);
        gap(bodies[0], bodies[1], &motions[0].at(t), &motions[1].at(t), &mut scratch).overlap()
    })
}

/// The same of balls.
fn rough_samples(balls: [&[Ball]; 2], motions: [&Motion; 2]) -> Option<u32> {
    (1..=N).find(|&k| {
        let placed = motions.map(|motion| motion.at(f64::from(k) / f64::from(N)));
        balls[0].iter().any(|x| {
            let centre = placed[0] * x.centre();
            balls[1].iter().any(|y| centre.distance(placed[1] * y.centre()) <= x.radius() + y.radius())
        })
    })
}

/// Random trajectories: spans on average, and what sampling misses on thin bodies.
fn random_study() {
    const CASES: u32 = 400;
    let mut numbers = Numbers(7);
    let (a, b) = (block([0.2; 3]), block([0.2, 0.1, 0.1]));
    let mut scratch = MovingScratch::default();
    let [mut paper, mut sum, mut instants] = [0usize; 3];
    for _ in 0..CASES {
        let motions = [numbers.motion(), numbers.motion()];
        let motions = [&motions[0], &motions[1]];
        let options =
            BisectOptions { contact: 1.0 / f64::from(N), rule: Rule::Paper, ..BisectOptions::default() };
        paper += bisected([&a, &b], motions, &options, &mut scratch).trace.len();
        let found = bisected(
            [&a, &b],
            motions,
            &BisectOptions { rule: Rule::Sum, shortest: 1e-3, ..options },
            &mut scratch,
        );
        sum += found.trace.len();
        instants += found.instants;
    }
    let mean = |count: usize| count as f64 / f64::from(CASES);
    println!(
        "random trajectories: {:.1} spans by the paper's rule (log2 {N} = 7); sum rule {:.1} spans, {:.1} instants",
        mean(paper),
        mean(sum),
        mean(instants)
    );
    let (sheet, blade) = (block([0.3, 0.3, 1e-3]), block([0.3, 1e-3, 0.1]));
    let [mut contacts, mut missed, mut ours_missed, mut undecided] = [0u32; 4];
    for _ in 0..CASES {
        let motions = [numbers.motion(), numbers.motion()];
        let motions = [&motions[0], &motions[1]];
        let sampled = samples([&sheet, &blade], motions).is_some();
        let report = moving([&sheet, &blade], motions, &MovingOptions::default(), &mut scratch);
        contacts += u32::from(report.verdict.touches());
        missed += u32::from(report.verdict.touches() && !sampled);
        ours_missed += u32::from(report.verdict.is_free() && sampled);
        undecided += u32::from(!report.verdict.is_free() && !report.verdict.touches());
    }
    println!(
        "thin bodies: {contacts} of {CASES} pairs touch; sampling at n = {N} misses {missed}, ours {ours_missed} ({undecided} undecided)"
    );
}

fn block(size: [f64; 3]) -> Body {
    let shape = Shape::Box { size: DVec3::from_array(size) };
    let mesh = Primitive::new(shape).expect("a box").tessellated(1.0).expect("a box has a mesh");
    Body::new(Arc::new(mesh))
}

/// Numbers that are the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    /// A way of about a metre with a turn.
    fn motion(&mut self) -> Motion {
        let mut pose = || {
            let [x, y, z, r, p, w] = [0; 6].map(|_| self.next());
            Pose::from_rpy(DVec3::new(x, y, z) * 0.8, DVec3::new(r, p, w))
        };
        let (from, to) = (pose(), pose());
        Motion::slerp(from, to)
    }
}
