//! Ways through free space: two robots in a thousand rooms.

use crate::clock::thread_secs;
use kansho::cell::Cell;
use kansho::check::motion::MotionScene;
use kansho::check::scene::Scene;
use kansho::io::problems::{self, Problem};
use kansho::io::srdf;
use kansho::io::urdf::{self, RobotOptions};
use kansho::plan::transfer::{Transfer, TransferOptions, WhyNot, find_transfer};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What is asked: a way in so many seconds of one processor.
const ASKED: f64 = 1.0;

/// The time on the wall that ends a search, on a machine with other work.
const LIMIT: Duration = Duration::from_secs(30);

/// Both robots; of each kind of room the first so many, all unless `KANSHO_FIRST` says otherwise.
pub(crate) fn rooms(data: &Path) {
    let first = std::env::var("KANSHO_FIRST").ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX);
    for name in ["ur5", "panda"] {
        robot(data, name, first);
    }
}

/// What became of the problems of one kind.
#[derive(Default)]
struct Tally {
    free: usize,
    in_contact: usize,
    millis: Vec<f64>,
    set_up: Vec<f64>,
    edges: Vec<f64>,
    lengths: Vec<f64>,
    direct: Vec<f64>,
    late: usize,
    gave_up: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.free += other.free;
        self.in_contact += other.in_contact;
        self.late += other.late;
        self.gave_up += other.gave_up;
        self.millis.extend(other.millis);
        self.set_up.extend(other.set_up);
        self.edges.extend(other.edges);
        self.lengths.extend(other.lengths);
        self.direct.extend(other.direct);
    }

    fn print(&mut self, title: &str) {
        // One that was not solved takes for ever.
        let mut all = self.millis.clone();
        all.resize(self.free, f64::INFINITY);
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
        println!(
            "    {title:22} {:3} of {:3} solved ({:.1} %), median {:6.1} ms, 95 % {:6.1} ms, worst solved {:6.1} ms; {:4.0} lines; {:.2} times the straight line; set-up {:.0} ms; {} late, {} gave up; {} with an end in contact",
            self.millis.len(),
            self.free,
            100.0 * self.millis.len() as f64 / self.free.max(1) as f64,
            share(&mut all, 0.5),
            share(&mut all, 0.95),
            share(&mut self.millis, 1.0),
            share(&mut self.edges, 0.5),
            mean(&self.lengths) / mean(&self.direct),
            if self.set_up.is_empty() { 0.0 } else { share(&mut self.set_up, 0.5) },
            self.late,
            self.gave_up,
            self.in_contact,
        );
    }
}

fn share(of: &mut [f64], share: f64) -> f64 {
    of.sort_by(f64::total_cmp);
    if of.is_empty() { f64::NAN } else { of[((of.len() - 1) as f64 * share).round() as usize] }
}

fn robot(data: &Path, name: &str, first: usize) {
    let problems = problems::read(&data.join(format!("problems/{name}_problems.json"))).expect("problems");
    let path = data.join(&problems.urdf);
    let robot = urdf::read(&path, &RobotOptions::default()).expect("a robot").robot;
    let srdf = srdf::read(&path.with_extension("srdf"), &robot).expect("an SRDF");
    let (mut all, mut again) = (Tally::default(), Tally::default());
    let mut before: Option<Scene> = None;
    println!("{name}: processor time of one thread");
    for of_kind in problems.list.chunk_by(|a, b| a.category == b.category) {
        let (mut tally, mut warm) = (Tally::default(), Tally::default());
        for problem in of_kind.iter().take(first) {
            let begun = thread_secs();
            let cell = Arc::new(Cell::new(problem.draft(&robot, &srdf.disabled)).expect("a cell"));
            let plain = match &before {
                Some(before) => before.with_cell(cell),
                None => Scene::new(cell),
            };
            let scene = plain.clone().with_models();
            let prepared = MotionScene::new(&scene);
            tally.set_up.push((thread_secs() - begun) * 1e3);
            solve(&prepared, problem, &mut tally);
            solve(&prepared, problem, &mut warm);
            before = Some(plain);
        }
        tally.print(&of_kind[0].category);
        all.add(tally);
        again.add(warm);
    }
    all.print("all");
    again.print("all, asked again");
}

fn solve(scene: &MotionScene<'_>, problem: &Problem, tally: &mut Tally) {
    let Problem { start, goal, .. } = problem;
    let options = TransferOptions { time_limit: Some(LIMIT), ..TransferOptions::default() };
    let begun = thread_secs();
    let answer = find_transfer(scene, start, goal, &options);
    let millis = (thread_secs() - begun) * 1e3;
    tally.free += 1;
    match answer {
        Transfer::Found { length, effort, .. } if millis <= ASKED * 1e3 => {
            tally.millis.push(millis);
            tally.edges.push(effort.edges as f64);
            tally.lengths.push(length);
            let direct: f64 = start.iter().zip(goal).map(|(a, b)| (a - b) * (a - b)).sum();
            tally.direct.push(direct.sqrt());
        }
        Transfer::Found { effort, .. } | Transfer::NotFound { why: WhyNot::OutOfTime, effort } => {
            tally.late += 1;
            println!("      late, {millis:.0} ms: {} {effort:?}", problem.index);
        }
        Transfer::NotFound { why: WhyNot::TriedEnough | WhyNot::Undecided { .. }, .. } => tally.gave_up += 1,
        Transfer::NotFound { why: WhyNot::Touches { .. } | WhyNot::Outside { .. }, .. } => {
            tally.free -= 1;
            tally.in_contact += 1;
        }
    }
}
