//! `kansho plan`: from a work path to a proven robot path.

mod answer;
mod files;
mod place;
mod relax;
mod report;
pub(crate) mod work;

use crate::{BAD_INPUT, UNDECIDED, say};
use clap::{Args, ValueEnum};
use kansho::io::cell::CellOptions;
use kansho::io::job::{self, JobMotion, LoadedJob, PlaceGrid, ProgressFile};
use kansho::io::plan_files::{is_plan_table, write_plan};
use kansho::io::{Fault, ReadError, Warning, WriteError, whole_files};
use kansho::plan::cam::Kept;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho plan job.toml --out plan\n  kansho plan job.toml --out plan --resume\n  kansho plan job.toml --place x=-0.2:0.2:5,y=-0.2:0.2:5\n  kansho plan job.toml --motion ptp --json\n  kansho verify plan/certificate.json cell.toml\n\nWrites map.png, map.csv, path.csv, motion.csv (or motion.json, for lines of the tool), certificate.json, robot programs that the job wants, plan.json and report.html into a folder, all of them or none; `kansho view` shows it.\nExit code 1 says that there is no path over these points and rotations; the answer names where and why."
)]
pub(crate) struct Arguments {
    /// The job (TOML); of several, each is planned by itself
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<PathBuf>,

    /// The folder that files are written to, for several jobs one in it for each; by default one beside you that is named after the job
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Keep what is done in a file beside the folder, DIR.progress, and go on from there if it is there: what comes out is the same
    #[arg(long, conflicts_with_all = ["relax", "place"])]
    resume: bool,

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

    /// Where to put the work: look at all places of a box, as x=FROM:TO:COUNT,y=..,z=..,turn=.. in metres and degrees, and plan the best
    #[arg(long, value_name = "BOX", allow_hyphen_values = true, conflicts_with_all = ["relax", "intervals", "depths"])]
    place: Option<PlaceGrid>,

    /// With --place, what is placed
    #[arg(long, value_name = "WHAT", default_value = "work", requires = "place")]
    place_of: place::OfName,

    /// With --place, look only at a part of the places, as 2/5 is the second of five, for --known of another run
    #[arg(long, value_name = "K/N", value_parser = place::shard, requires = "place")]
    shard: Option<[usize; 2]>,

    /// With --place, a file with places that were looked at before (repeatable)
    #[arg(long, value_name = "CSV", requires = "place")]
    known: Vec<PathBuf>,

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

/// Whether files of a plan, or of one of several, are written.
static IS_WRITTEN: AtomicBool = AtomicBool::new(false);

/// Code with which a program ends that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    // Until all is there to be written, nothing is; so it may end at any time.
    let goes_on = if arguments.resume { "; the same call goes on from here" } else { "" };
    let _ = ctrlc::set_handler(move || {
        let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody may read it any more.
        let what = if IS_WRITTEN.load(Ordering::Relaxed) { "" } else { ": nothing was written" };
        let _ = writeln!(std::io::stderr(), "\ninterrupted{what}{goes_on}");
        std::process::exit(INTERRUPTED);
    });
    // The worst that came of any: 3 for what is refused, 2 for what is undecided, 1 for what has no path.
    let each =
        arguments.jobs.iter().zip(outs(arguments)).map(|(job, out)| one(arguments, job, out, deadline));
    each.max().unwrap_or_default()
}

/// Where the files of each job go. Of several, each has a folder that is named after it, with that of its own folder where others have the
/// same name, and a number where even that is the same.
fn outs(arguments: &Arguments) -> Vec<PathBuf> {
    let stem = |job: &Path| job.file_stem().map_or("job".into(), |stem| stem.to_string_lossy().into_owned());
    if let [job] = &arguments.jobs[..] {
        return vec![arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}-plan", stem(job))))];
    }
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from("plans"));
    let mut names: Vec<String> = arguments.jobs.iter().map(|job| stem(job)).collect();
    let is_twice = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let first = names.clone();
    for (name, job) in names.iter_mut().zip(&arguments.jobs).filter(|(name, _)| is_twice(&first, name)) {
        let parent = job.canonicalize().ok().and_then(|job| Some(job.parent()?.file_name()?.to_owned()));
        if let Some(parent) = parent {
            *name = format!("{}-{name}", parent.to_string_lossy());
        }
    }
    let first = names.clone();
    for (k, name) in names.iter_mut().enumerate().filter(|(_, name)| is_twice(&first, name)) {
        *name = format!("{}-{name}", k + 1);
    }
    names.into_iter().map(|name| folder.join(name)).collect()
}

fn one(arguments: &Arguments, file: &Path, out: PathBuf, deadline: Option<Instant>) -> u8 {
    let options = CellOptions { packages: arguments.packages.clone() };
    let job = match job::read(file, &options) {
        Ok(job) => job,
        Err(errors) => return say::refused(&errors, arguments.json),
    };
    let is_lin = match arguments.motion {
        Some(kind) => kind == KindName::Lin,
        None => job.motion == JobMotion::Lin,
    };
    if !is_lin && job.zone > 0.0 {
        let fault = Fault::of_file("points cannot be rounded off where all joints move evenly (ptp): what they do there is not known")
            .with_help("zone = 0 in [motion] stops at every point; kind = \"lin\" rounds lines of the tool");
        let error = ReadError { path: file.to_owned(), faults: vec![fault] };
        return say::refused(&[error], arguments.json);
    }
    let refused = replaced(&out, &[file, &job.cell_file, &job.path_file]);
    if let Some(error) = refused.or_else(|| kansho::io::folder_can_be_written(&out).err()) {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let asked = Asked {
        title: file.display().to_string(),
        job: file.to_owned(),
        out,
        is_lin,
        certificate: !arguments.no_certificate,
        intervals: arguments.intervals,
        depths: arguments.depths,
        relax: arguments.relax.as_ref().map(|kinds| relax::Allowed {
            kinds: if kinds.is_empty() { relax::KindName::value_variants().to_vec() } else { kinds.clone() },
            within: arguments.within,
        }),
        resume: arguments.resume,
        explain: arguments.explain,
        json: arguments.json,
        threads: arguments.threads,
        deadline,
    };
    say::warnings(&job.cell.warnings);
    say::warnings(&job.warnings);
    match &arguments.place {
        Some(grid) => {
            let wanted = place::Wanted {
                grid: grid.clone(),
                of: arguments.place_of,
                shard: arguments.shard,
                known: arguments.known.clone(),
            };
            placed(&job, &asked, &wanted)
        }
        None => whole(&job, &asked),
    }
}

/// Why a plan is not written into a folder: a file that it is made of is there, and a file of the plan may have its name.
fn replaced(out: &Path, inputs: &[&Path]) -> Option<WriteError> {
    // It may be a link to a file there.
    let is_there = |input: &&&Path| {
        let file = input.canonicalize().unwrap_or_else(|_| input.to_path_buf());
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        is_plan_table(&name) && say::same_file(&file, &out.join(&*name))
    };
    let path = inputs.iter().find(is_there)?;
    let what = "this is an input, and files of the plan would replace it: choose another folder, by --out";
    Some(WriteError { path: path.to_path_buf(), what: what.into() })
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
    /// The file of the job.
    pub(crate) job: PathBuf,
    pub(crate) out: PathBuf,
    /// Straight lines of the tool from point to point.
    pub(crate) is_lin: bool,
    pub(crate) certificate: bool,
    pub(crate) intervals: bool,
    pub(crate) depths: bool,
    /// What may be let go of where there is no path.
    pub(crate) relax: Option<relax::Allowed>,
    /// Whether what is done is kept, so that another run can go on.
    pub(crate) resume: bool,
    pub(crate) explain: bool,
    pub(crate) json: bool,
    pub(crate) threads: Option<usize>,
    pub(crate) deadline: Option<Instant>,
}

/// Plans, writes and says what came of it.
pub(crate) fn whole(job: &LoadedJob, asked: &Asked) -> u8 {
    let progress = match asked.resume.then(|| progress(job, asked)).transpose() {
        Ok(progress) => progress,
        Err(error) => return say::refused(&[error], asked.json),
    };
    let kept = progress.as_ref().map(|progress| progress as &dyn Kept);
    let done = match kansho::threads::on(asked.threads, || work::Done::of(job, asked, kept)) {
        Ok(done) => done,
        Err(error) => return say::refused(&[error], asked.json),
    };
    let relaxed = match &asked.relax {
        Some(allowed) => {
            kansho::threads::on(asked.threads, || relax::Relaxed::of(job, asked, allowed, &done))
        }
        None => Ok(None),
    };
    let relaxed = match relaxed {
        Ok(relaxed) => relaxed,
        Err(error) => return say::refused(&[error], asked.json),
    };
    let answer = answer::Answer::of(job, asked, &done, relaxed.as_ref());
    let files =
        kansho::threads::on(asked.threads, || files::all(job, asked, &done, &answer, relaxed.as_ref()));
    let left = match written(asked, |out| write_plan(out, &files)) {
        Some(left) => left,
        None => return BAD_INPUT,
    };
    if let Some((left, folder)) = left {
        let what = format!("of an earlier plan, and now in the folder \"{folder}\": {}", left.join(", "));
        say::warnings(&[Warning { path: asked.out.clone(), fault: Fault::of_file(what) }]);
    }
    if let Some(progress) = progress {
        let fault = progress.fault();
        // What was not finished may go on later.
        let removed = if answer.code == UNDECIDED { Ok(()) } else { progress.remove() };
        for what in fault.into_iter().chain(removed.err().map(|error| error.to_string())) {
            let path = progress_file(asked);
            say::warnings(&[Warning {
                path,
                fault: Fault::of_file(format!("progress was not kept: {what}")),
            }]);
        }
    }
    answer.say(asked, &files);
    answer.code
}

/// Where progress is kept: beside the folder, so that nothing is in that until all is.
fn progress_file(asked: &Asked) -> PathBuf {
    let mut name = asked.out.as_os_str().to_owned();
    name.push(".progress");
    PathBuf::from(name)
}

fn progress(job: &LoadedJob, asked: &Asked) -> Result<ProgressFile, ReadError> {
    let file = progress_file(asked);
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| ReadError {
            path: folder.to_owned(),
            faults: vec![Fault::of_file(error.to_string())],
        })?;
    }
    ProgressFile::open(&file, job)
}

/// Writes files, all or none; what came of it, if that went well.
fn written<T>(asked: &Asked, write: impl FnOnce(&Path) -> Result<T, WriteError>) -> Option<T> {
    let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let written = write(&asked.out).map_err(|error| say::write_error(&error)).ok()?;
    IS_WRITTEN.store(true, Ordering::Relaxed);
    Some(written)
}

/// Looks for the best place, writes and says what came of it.
fn placed(job: &LoadedJob, asked: &Asked, wanted: &place::Wanted) -> u8 {
    let places = match kansho::threads::on(asked.threads, || place::Places::of(job, asked, wanted)) {
        Ok(places) => places,
        Err(error) => return say::refused(&[error], asked.json),
    };
    let files = files::of_places(asked, &places);
    if written(asked, |out| whole_files(out, &files)).is_none() {
        return BAD_INPUT;
    }
    answer::say_places(asked, &places, &files);
    places.code()
}
