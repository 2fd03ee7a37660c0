//! `kansho plan`: from a work path to a proven robot path.

mod answer;
mod files;
mod programs;
mod relax;
mod times;
pub(crate) mod work;

use crate::{BAD_INPUT, moving, say};
use clap::{Args, ValueEnum};
use kansho::io::cell::CellOptions;
use kansho::io::job::{self, JobMotion, LoadedJob};
use kansho::io::{Fault, ReadError};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho plan job.toml --out plan\n  kansho plan job.toml --motion ptp --json\n  kansho verify plan/certificate.json cell.toml\n\nWrites map.png, map.csv, path.csv, motion.csv, certificate.json and report.html into a folder, all of them or none.\nExit code 1 says that there is no path over these points and rotations; the answer names where and why."
)]
pub(crate) struct Arguments {
    /// The job (TOML)
    #[arg(value_name = "JOB")]
    job: PathBuf,

    /// The folder that files are written to; by default one beside you that is named after the job
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// How the controller moves from point to point, instead of what the job says
    #[arg(long, value_name = "KIND")]
    motion: Option<KindName>,

    /// Do not write a certificate, which takes the most time
    #[arg(long)]
    no_certificate: bool,

    /// Write intervals.csv, too: between which rotations the tool can turn at each point, proven at every angle, and what is beyond
    #[arg(long)]
    intervals: bool,

    /// Tell in map.csv how deep what collides is: a bound, with a minus, in the column of the clearance
    #[arg(long)]
    depths: bool,

    /// Where there is no path, try what would have to be let go of for there to be one, of all kinds or of these only
    #[arg(long, value_name = "KINDS", value_delimiter = ',', num_args = 0.., require_equals = true)]
    relax: Option<Vec<relax::KindName>>,

    /// With --relax, how far the work or the robot may be moved
    #[arg(long, value_name = "METRES", default_value = "0.05", value_parser = length, requires = "relax")]
    within: f64,

    /// Say what took how long
    #[arg(long)]
    explain: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    /// Stop after this time; what is not decided by then is undecided
    #[arg(long, value_name = "SECONDS", value_parser = crate::threads::seconds)]
    timeout: Option<Duration>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum KindName {
    /// All joints evenly, arriving together
    Ptp,
    /// Straight lines of the tool
    Lin,
}

/// Held while files are written: whoever wants to end the program waits for it.
static WRITING: Mutex<()> = Mutex::new(());

/// Code with which a program ends that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let options = CellOptions { packages: arguments.packages.clone() };
    let job = match job::read(&arguments.job, &options) {
        Ok(job) => job,
        Err(errors) => return moving::refused(&errors, arguments.json),
    };
    let is_lin = match arguments.motion {
        Some(kind) => kind == KindName::Lin,
        None => job.motion == JobMotion::Lin,
    };
    if !is_lin && job.zone > 0.0 {
        let fault = Fault::of_file("points cannot be rounded off where all joints move evenly (ptp): what they do there is not known")
            .with_help("zone = 0 in [motion] stops at every point; kind = \"lin\" rounds lines of the tool");
        let error = ReadError { path: arguments.job.clone(), faults: vec![fault] };
        return moving::refused(&[error], arguments.json);
    }
    // Until all is there to be written, nothing is; so it may end at any time.
    let _ = ctrlc::set_handler(|| {
        let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        std::process::exit(INTERRUPTED);
    });
    let out = arguments.out.clone().unwrap_or_else(|| {
        let stem = arguments.job.file_stem().map_or("job".into(), |stem| stem.to_string_lossy());
        PathBuf::from(format!("{stem}-plan"))
    });
    let asked = Asked {
        title: arguments.job.display().to_string(),
        out,
        is_lin,
        certificate: !arguments.no_certificate,
        intervals: arguments.intervals,
        depths: arguments.depths,
        relax: arguments.relax.as_ref().map(|kinds| relax::Allowed {
            kinds: if kinds.is_empty() { relax::KindName::value_variants().to_vec() } else { kinds.clone() },
            within: arguments.within,
        }),
        explain: arguments.explain,
        json: arguments.json,
        threads: arguments.threads,
        deadline,
    };
    say::warnings(&job.cell.warnings);
    say::warnings(&job.warnings);
    whole(&job, &asked)
}

/// A length greater than zero, in metres.
fn length(text: &str) -> Result<f64, String> {
    let length = text.parse::<f64>().ok().filter(|length| *length > 0.0 && length.is_finite());
    length.ok_or_else(|| format!("{text} is no length greater than zero"))
}

/// What is asked, beside the job itself.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) title: String,
    pub(crate) out: PathBuf,
    /// Straight lines of the tool from point to point.
    pub(crate) is_lin: bool,
    pub(crate) certificate: bool,
    pub(crate) intervals: bool,
    pub(crate) depths: bool,
    /// What may be let go of where there is no path.
    pub(crate) relax: Option<relax::Allowed>,
    pub(crate) explain: bool,
    pub(crate) json: bool,
    pub(crate) threads: Option<usize>,
    pub(crate) deadline: Option<Instant>,
}

/// Plans, writes and says what came of it.
pub(crate) fn whole(job: &LoadedJob, asked: &Asked) -> u8 {
    let done = match crate::threads::on(asked.threads, || work::Done::of(job, asked)) {
        Ok(done) => done,
        Err(error) => return moving::refused(&[error], asked.json),
    };
    let relaxed = match &asked.relax {
        Some(allowed) => crate::threads::on(asked.threads, || relax::Relaxed::of(job, asked, allowed, &done)),
        None => Ok(None),
    };
    let relaxed = match relaxed {
        Ok(relaxed) => relaxed,
        Err(error) => return moving::refused(&[error], asked.json),
    };
    let answer = answer::Answer::of(job, asked, &done, relaxed.as_ref());
    let files =
        crate::threads::on(asked.threads, || files::all(job, asked, &done, &answer, relaxed.as_ref()));
    let written = {
        let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        kansho::io::whole_files(&asked.out, &files)
    };
    if let Err(error) = written {
        say::write_error(&error);
        return BAD_INPUT;
    }
    answer.say(asked, &files);
    answer.code
}
