//! `kansho watch`: postures in, gaps and times to contact out.

mod show;

use crate::units::TableUnits;
use crate::{BAD_INPUT, say};
use clap::Args;
use kansho::ask::watch::{Stream, StreamEnds, StreamNotice, StreamOptions, Watch, WatchOptions};
use kansho::check::scene::Scene;
use kansho::io::live::LiveReader;
use kansho::io::{ReadError, Warning};
use kansho::load;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  robot-log | kansho watch cell.toml\n  kansho watch cell.toml --listen 127.0.0.1:7000\n  robot-log | kansho watch cell.toml --view > answers.jsonl\n  kansho watch examples/vehicle/cell.toml --every < examples/vehicle/postures.jsonl\n\nOne line in, one line out, both JSON. A posture is [q1, ...] in the order of the cell's coordinates, or {\"q\": [...], \"t\": seconds,\n\"id\": anything}, or {\"q\": {\"robot/joint\": 0.1}}, where joints that are not named stay where they were. The answer:\n  line, id          which line it belongs to\n  gap, hit, pair    the least gap in metres, whether something touches, and what\n  points            where: a point on each of the two, in the world\n  time_to_contact   proven: whatever the joints do within their limits of speed, nothing touches sooner (null: never)\n  estimate          not proven: when it would touch if the joints went on as they do now\n  outside           coordinates that are outside their limits, if any\n  latency_us        from the line in to this answer\n  dropped           lines that were dropped before this one, if any\nA line that is no posture is answered with line and error. If lines come faster than they can be answered, those that wait are\ndropped, and the newest is answered. At the end, or when it is stopped (SIGINT, SIGTERM), the latencies are told on standard error.\nExit code 1 says that some posture touched."
)]
pub(crate) struct Arguments {
    /// A cell (TOML), or a robot that stands alone (URDF)
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// Listen on this loopback address instead of reading standard input, for one caller at a time; port 0 takes a free one, which
    /// is told on standard error
    #[arg(long, value_name = "ADDR", value_parser = loopback)]
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

    /// Show the cell in the browser while it moves, with gap and time to contact; the address is told on standard error
    #[arg(long)]
    view: bool,

    /// With --view, the port to listen on; any free one by default. Only browsers on this machine are answered
    #[arg(long, value_name = "N", default_value_t = 0, requires = "view")]
    port: u16,

    /// With --view, do not open a browser
    #[arg(long, requires = "view")]
    no_open: bool,

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
    let options = WatchOptions { spheres: arguments.spheres };
    let (scene, watch) = kansho::threads::on(arguments.threads, || {
        let scene = Arc::new(Scene::new(Arc::new(cell)));
        let watch = Watch::new(Arc::clone(&scene), &options);
        (scene, watch)
    });
    let watch = match watch {
        Ok(watch) => watch,
        Err(fault) => {
            say::fault("--spheres", fault.to_string());
            return BAD_INPUT;
        }
    };
    warnings
        .extend(kansho::scene::warnings(&scene).map(|fault| Warning { path: arguments.cell.clone(), fault }));
    say::warnings(&warnings);
    watch.notes().iter().for_each(|note| say::note(&format!("note: {note}")));

    let reader = LiveReader::new(scene.cell(), &arguments.units.units());
    let ends = match arguments.listen.map(TcpListener::bind).transpose() {
        Err(error) => {
            say::fault("--listen", error.to_string());
            return BAD_INPUT;
        }
        Ok(Some(listener)) => {
            if let Ok(address) = listener.local_addr() {
                say::note(&format!("listening on {address}"));
            }
            StreamEnds::Callers(listener)
        }
        Ok(None) => {
            StreamEnds::One { input: Box::new(std::io::stdin()), output: Box::new(std::io::stdout()) }
        }
    };
    let on_answer = match arguments.view.then(|| show::start(arguments, &scene)).transpose() {
        Ok(on_answer) => on_answer,
        Err(fault) => {
            say::fault("--view", fault);
            return BAD_INPUT;
        }
    };
    let options = StreamOptions { queue: arguments.queue.into(), every: arguments.every };
    let stream = Stream::new(watch, reader, ends, &options, on_answer, notice);
    let end = Arc::new(End { stream, told: AtomicBool::new(false), json: arguments.summary });
    if let Err(error) = stop_on_signals(&end) {
        say::fault("signals", error.to_string());
        return BAD_INPUT;
    }
    let lost = end.stream.run();
    let code = end.tell(true);
    match lost {
        Ok(()) => code,
        Err(error) => {
            say::fault("standard output", error.to_string());
            BAD_INPUT
        }
    }
}

fn notice(of: StreamNotice) {
    match of {
        StreamNotice::Connection(error) => say::note(&format!("a connection failed: {error}")),
        StreamNotice::Input(error) => say::fault("standard input", error.to_string()),
    }
}

/// The address to listen on. Nobody from outside may reach it: there is no password.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    // Names are not looked up, but for the one that everybody knows.
    let number = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    match number.as_deref().unwrap_or(text).parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(address),
        Ok(address) => Err(format!("{} is not a loopback address; use 127.0.0.1:PORT", address.ip())),
        Err(_) => Err("an address and a port are wanted, as in 127.0.0.1:7000".into()),
    }
}

fn radius(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(radius) if radius > 0.0 && f64::is_finite(radius) => Ok(radius),
        _ => Err("a radius in metres, above zero".into()),
    }
}

/// What is told at the end, by whoever comes there first: the main thread, or the one that takes signals.
struct End {
    stream: Stream,
    told: AtomicBool,
    json: bool,
}

impl End {
    /// Tells the summary on standard error, once; on standard output too where that is wanted. Says the exit code.
    fn tell(&self, on_output: bool) -> u8 {
        let (code, text, json) =
            self.stream.tally(|tally| (tally.exit_code().number(), tally.text(), tally.json()));
        if !self.told.swap(true, Ordering::SeqCst) {
            say::note(text.trim_end());
            if self.json && on_output {
                let _ = writeln!(std::io::stdout(), "{json}");
            }
        }
        code
    }
}

/// The answer that is being written is finished, unless nobody takes it.
fn stop_on_signals(end: &Arc<End>) -> Result<(), ctrlc::Error> {
    let end = Arc::clone(end);
    ctrlc::set_handler(move || {
        end.stream.stop();
        std::thread::sleep(GRACE);
        // We are still here, so an answer is stuck in a pipe that nobody reads.
        std::process::exit(end.tell(false).into());
    })
}
