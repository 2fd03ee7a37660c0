//! Watches a cell: one thread reads, one answers, and a queue between them that never grows.

mod engine;
mod queue;
mod source;
mod tally;

use crate::units::TableUnits;
use crate::{BAD_INPUT, load, say};
use clap::Args;
use engine::{Engine, Found};
use kansho::cell::{Cell, Coordinate, Limits, Quantity};
use kansho::check::approach::{self, Approach};
use kansho::check::rough::RoughScene;
use kansho::check::scene::Scene;
use kansho::geom::tolerance::COORDINATE_LIMIT;
use kansho::io::live::{LivePosture, LiveReader};
use kansho::io::{ReadError, Warning};
use queue::{Item, Queue};
use serde::Serialize;
use serde_json::value::RawValue;
use std::f64::consts::TAU;
use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tally::Tally;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  robot-log | kansho monitor cell.toml\n  kansho monitor cell.toml --listen 127.0.0.1:7000\n  kansho monitor examples/vehicle/cell.toml --every < examples/vehicle/postures.jsonl\n\nOne line in, one line out, both JSON. A posture is [q1, ...] in the order of the cell's coordinates, or {\"q\": [...], \"t\": seconds,\n\"id\": anything}, or {\"q\": {\"robot/joint\": 0.1}}, where joints that are not named stay where they were. The answer:\n  line, id          which line it belongs to\n  gap, hit, pair    the least gap in metres, whether something touches, and what\n  points            where: a point on each of the two, in the world\n  time_to_contact   proven: whatever the joints do within their limits of speed, nothing touches sooner (null: never)\n  estimate          not proven: when it would touch if the joints went on as they do now\n  outside           coordinates that are outside their limits, if any\n  latency_us        from the line in to this answer\n  dropped           lines that were dropped before this one, if any\nA line that is no posture is answered with line and error. If lines come faster than they can be answered, those that wait are\ndropped, and the newest is answered. At the end, or when it is stopped (SIGINT, SIGTERM), the latencies are told on standard error.\nExit code 1 says that some posture touched."
)]
pub(crate) struct Arguments {
    /// A cell (TOML), or a robot that stands alone (URDF)
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// Listen on this loopback address instead of reading standard input, for one caller at a time; port 0 takes a free one, which
    /// is told on standard error
    #[arg(long, value_name = "ADDR", value_parser = source::loopback)]
    listen: Option<SocketAddr>,

    /// Look at spheres of this radius in metres around the meshes instead of the meshes: faster, never farther apart than they
    /// are, and nearer by at most four times the radius
    #[arg(long, value_name = "RADIUS", num_args = 0..=1, default_missing_value = "0.01", value_parser = radius)]
    spheres: Option<f64>,

    /// Answer every posture, as for a recording: who sends them waits, and nothing is dropped
    #[arg(long)]
    every: bool,

    /// How many lines may wait; when there are more, all postures but the newest are dropped
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    queue: u16,

    /// Print the summary as a last JSON line on standard output, too
    #[arg(long)]
    summary: bool,

    /// Threads to prepare the cell with; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,

    #[command(flatten)]
    units: TableUnits,
}

/// How long a stop waits for the answer that is being written.
const GRACE: Duration = Duration::from_secs(1);

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let (cell, mut warnings) = match load::cell_or_robot(&arguments.cell, &arguments.packages) {
        Ok(loaded) => loaded,
        Err(errors) => {
            say::errors(&errors);
            return BAD_INPUT;
        }
    };
    if cell.coordinates().is_empty() {
        let fault = kansho::io::Fault::of_file("nothing in this cell moves, so there is nothing to watch");
        say::errors(&[ReadError { path: arguments.cell.clone(), faults: vec![fault] }]);
        return BAD_INPUT;
    }
    let (scene, approach) = crate::threads::on(arguments.threads, || {
        let scene = Scene::new(Arc::new(cell));
        let approach = Approach::new(scene.cell());
        (Arc::new(scene), approach)
    });
    let engine = match arguments.spheres {
        None => Engine::exact(Arc::clone(&scene), approach.clone()),
        Some(radius) => {
            match crate::threads::on(arguments.threads, || RoughScene::new(Arc::clone(&scene), radius)) {
                Ok(rough) => {
                    say::note(&format!("note: gaps are rough, too small by at most {} m", rough.accuracy()));
                    Engine::rough(Arc::new(rough), approach.clone())
                }
                Err(fault) => {
                    say::fault("--spheres", fault.to_string());
                    return BAD_INPUT;
                }
            }
        }
    };
    warnings
        .extend(crate::postures::about(&scene).map(|fault| Warning { path: arguments.cell.clone(), fault }));
    say::warnings(&warnings);
    tell_unlimited(scene.cell(), &approach);

    let queue = Arc::new(Queue::new(arguments.queue.into(), arguments.every));
    let end =
        Arc::new(End { tally: Mutex::default(), told: AtomicBool::new(false), json: arguments.summary });
    let reader = LiveReader::new(scene.cell(), &arguments.units.units());
    if let Err(error) = stop_on_signals(&queue, &end) {
        say::fault("signals", error.to_string());
        return BAD_INPUT;
    }
    let source = Arc::clone(&queue);
    match arguments.listen.map(TcpListener::bind).transpose() {
        Err(error) => {
            say::fault("--listen", error.to_string());
            return BAD_INPUT;
        }
        Ok(Some(listener)) => {
            if let Ok(address) = listener.local_addr() {
                say::note(&format!("listening on {address}"));
            }
            std::thread::spawn(move || source::callers(&listener, &reader, &source));
        }
        Ok(None) => {
            std::thread::spawn(move || source::standard_input(reader, &source));
        }
    }
    let mut watch = Watch::new(scene, engine);
    let lost = answer_all(&mut watch, &queue, &end.tally, arguments.listen.is_some());
    queue.stop(); // Whoever reads must not wait for room any more.
    let code = end.tell(&queue, true);
    match lost {
        Ok(()) => code,
        Err(error) => {
            say::fault("standard output", error.to_string());
            BAD_INPUT
        }
    }
}

fn radius(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(radius) if radius > 0.0 && f64::is_finite(radius) => Ok(radius),
        _ => Err("a radius in metres, above zero".into()),
    }
}

/// Says once why no time to contact can be proven.
fn tell_unlimited(cell: &Cell, approach: &Approach) {
    /// Names that are listed.
    const NAMED: usize = 6;
    let names: Vec<String> =
        approach.unlimited().map(|index| format!("\"{}\"", cell.coordinates()[index].full_name())).collect();
    if !names.is_empty() {
        let more = if names.len() > NAMED { ", ..." } else { "" };
        say::note(&format!(
            "note: without a limit of speed, what a joint moves can be anywhere at once, and time_to_contact is 0: {}{more}",
            names[..names.len().min(NAMED)].join(", ")
        ));
    }
}

/// What is told at the end, by whoever comes there first: the thread that answers, or the one that takes signals.
struct End {
    tally: Mutex<Tally>,
    told: AtomicBool,
    json: bool,
}

impl End {
    /// Tells the summary on standard error, once; on standard output too where that is wanted. Says the exit code.
    fn tell(&self, queue: &Queue, on_output: bool) -> u8 {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let code = tally.code();
        if !self.told.swap(true, Ordering::SeqCst) {
            tally.dropped += queue.left();
            let (text, json) = (tally.text(), tally.json());
            drop(tally); // Writing may take for ever, and must not keep others from the exit code.
            say::note(text.trim_end());
            if self.json && on_output {
                let _ = writeln!(std::io::stdout(), "{json}");
            }
        }
        code
    }
}

/// The answer that is being written is finished, unless nobody takes it.
fn stop_on_signals(queue: &Arc<Queue>, end: &Arc<End>) -> Result<(), ctrlc::Error> {
    let (queue, end) = (Arc::clone(queue), Arc::clone(end));
    ctrlc::set_handler(move || {
        queue.stop();
        std::thread::sleep(GRACE);
        // We are still here, so an answer is stuck in a pipe that nobody reads.
        std::process::exit(end.tell(&queue, false).into());
    })
}

/// Answers until there is nothing more. A reader that has gone away ends standard output, and is no fault; callers come and go.
fn answer_all(watch: &mut Watch, queue: &Queue, tally: &Mutex<Tally>, listens: bool) -> std::io::Result<()> {
    let mut out: Option<Box<dyn Write>> = if listens { None } else { Some(Box::new(std::io::stdout())) };
    let mut text = Vec::new();
    while let Some((item, dropped)) = queue.pop() {
        let (number, arrived, said) = match item {
            Item::Line { number, arrived, said } => (number, arrived, said),
            Item::Caller(stream) => {
                out = Some(Box::new(stream));
                watch.before = None;
                continue;
            }
        };
        text.clear();
        let outcome = watch.answer(number, arrived, &said, dropped, &mut text);
        text.push(b'\n');
        let wrote = match &mut out {
            Some(out) => out.write_all(&text).and_then(|()| out.flush()),
            None => Ok(()), // A caller that did not take its answers.
        };
        let latency = arrived.elapsed();
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.dropped += dropped;
        match outcome {
            Outcome::Wrong => tally.errors += 1,
            Outcome::Free | Outcome::Touches => {
                tally.postures += 1;
                tally.hits += u64::from(outcome == Outcome::Touches);
                tally.latency.add(latency);
            }
        }
        match wrote {
            Err(_) if listens => out = None,
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            wrote => wrote?,
        }
    }
    Ok(())
}

/// How a line was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Wrong,
    Free,
    Touches,
}

/// What is kept from one posture to the next.
struct Watch {
    scene: Arc<Scene>,
    engine: Engine,
    pairs: Vec<String>,
    coordinates: Vec<String>,
    courses: Vec<Course>,
    before: Option<Before>,
    ahead: Vec<f64>,
}

/// How a coordinate may go on.
struct Course {
    /// It comes round again after a whole turn.
    endless: bool,
    range: Limits,
}

impl Course {
    fn of(coordinate: &Coordinate) -> Self {
        let anywhere = Limits { lower: -COORDINATE_LIMIT, upper: COORDINATE_LIMIT };
        let endless = coordinate.quantity == Quantity::Angle && coordinate.limits.is_none();
        Self { endless, range: coordinate.limits.unwrap_or(anywhere) }
    }

    /// Where it is after so many more steps like the last. At its limit it stays, unless it is already beyond.
    fn after(&self, before: f64, now: f64, steps: f64) -> f64 {
        let step = now - before;
        let turns = if self.endless { (step / TAU).round() } else { 0.0 };
        (now + (step - turns * TAU) * steps).clamp(self.range.lower.min(now), self.range.upper.max(now))
    }
}

/// The posture before.
struct Before {
    posture: Vec<f64>,
    time: Option<f64>,
    arrived: Instant,
    gap: f64,
}

#[derive(Serialize)]
struct Answer<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    gap: Option<f64>,
    hit: bool,
    pair: Option<&'a str>,
    points: Option<[[f64; 3]; 2]>,
    time_to_contact: Option<f64>,
    estimate: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outside: Vec<&'a str>,
    latency_us: f64,
    #[serde(skip_serializing_if = "is_zero")]
    dropped: u64,
}

#[derive(Serialize)]
struct Wrong<'a> {
    line: u64,
    error: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    dropped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Watch {
    fn new(scene: Arc<Scene>, engine: Engine) -> Self {
        let cell = scene.cell();
        let pairs = (0..cell.pairs().checked().len() as u32)
            .map(|pair| scene.pair_name(kansho::check::scene::PairId(pair)))
            .collect();
        let coordinates = cell.coordinates().iter().map(|c| c.full_name()).collect();
        let courses = cell.coordinates().iter().map(Course::of).collect();
        Self { scene, engine, pairs, coordinates, courses, before: None, ahead: Vec::new() }
    }

    /// Writes the answer to a line as JSON.
    fn answer(
        &mut self,
        line: u64,
        arrived: Instant,
        said: &Result<LivePosture, String>,
        dropped: u64,
        text: &mut Vec<u8>,
    ) -> Outcome {
        let LivePosture { posture, time, id } = match said {
            Ok(live) => live,
            Err(error) => {
                serde_json::to_writer(text, &Wrong { line, error, dropped })
                    .expect("writing to memory succeeds");
                return Outcome::Wrong;
            }
        };
        let Found { nearest, time_to_contact } = self.engine.look(posture);
        let gap = nearest.map_or(f64::INFINITY, |nearest| nearest.gap);
        let estimate = self.estimate(posture, *time, arrived, gap);
        self.before = Some(Before { posture: posture.clone(), time: *time, arrived, gap });
        let outside = self.scene.cell().outside_limits(posture);
        let answer = Answer {
            line,
            id: id.as_deref().and_then(|id| serde_json::from_str(id).ok()),
            gap: nearest.map(|nearest| nearest.gap),
            hit: gap == 0.0,
            pair: nearest.map(|nearest| self.pairs[nearest.pair.0 as usize].as_str()),
            points: nearest.map(|nearest| nearest.points),
            time_to_contact: time_to_contact.is_finite().then_some(time_to_contact),
            estimate,
            outside: outside.map(|index| self.coordinates[index].as_str()).collect(),
            latency_us: arrived.elapsed().as_nanos() as f64 / 1e3,
            dropped,
        };
        serde_json::to_writer(text, &answer).expect("writing to memory succeeds");
        if answer.hit { Outcome::Touches } else { Outcome::Free }
    }

    /// When something would touch if all went on as between the last posture and this one.
    fn estimate(&mut self, posture: &[f64], time: Option<f64>, arrived: Instant, gap: f64) -> Option<f64> {
        if gap == 0.0 {
            return Some(0.0);
        }
        let Self { engine, before, courses, ahead, .. } = self;
        let before = before.as_ref()?;
        let seconds = match (before.time, time) {
            (Some(before), Some(now)) => now - before,
            _ => arrived.duration_since(before.arrived).as_secs_f64(),
        };
        if !(seconds > 0.0) {
            return None;
        }
        let closing = (before.gap - gap) / seconds;
        approach::estimate(gap, closing, |after| {
            ahead.clear();
            let values = before.posture.iter().zip(posture).zip(courses.iter());
            ahead.extend(values.map(|((before, now), course)| course.after(*before, *now, after / seconds)));
            engine.gap(ahead)
        })
    }
}
