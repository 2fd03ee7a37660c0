//! `kansho plan`: from a work path to a proven robot path.

mod names;

use crate::progress::Shown;
use crate::say::{self, Refusal};
use clap::Args;
use kansho::answer::ExitCode;
use kansho::ask::plan::{
    PlaceOptions, PlanAnswer, PlanFiles, PlanOptions, PlanWork, Planned, RelaxOptions, places, plan, relax,
};
use kansho::budget::Budget;
use kansho::check::scene::Scene;
use kansho::io::cell::CellOptions;
use kansho::io::job::{self, LoadedJob, ProgressFile};
use kansho::io::plan_files::{is_plan_table, write_plan};
use kansho::io::{Fault, ReadError, Warning, WriteError, whole_files};
use kansho::plan::cam::Kept;
use kansho::plan::job::PlaceGrid;
use kansho_viewer::{places_report, plan_report};
use names::{KindName, OfName, RelaxName, longer_than_zero, shard};
use serde_json::json;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
    relax: Option<Vec<RelaxName>>,

    /// With --relax, how far the work or the robot may be moved
    #[arg(long, value_name = "METRES", default_value = "0.05", value_parser = longer_than_zero, requires = "relax")]
    within: f64,

    /// Where to put the work: look at all places of a box, as x=FROM:TO:COUNT,y=..,z=..,turn=.. in metres and degrees, and plan the best
    #[arg(long, value_name = "BOX", allow_hyphen_values = true, conflicts_with_all = ["relax", "intervals", "depths"])]
    place: Option<PlaceGrid>,

    /// With --place, what is placed
    #[arg(long, value_name = "WHAT", default_value = "work", requires = "place")]
    place_of: OfName,

    /// With --place, look only at a part of the places, as 2/5 is the second of five, for --known of another run
    #[arg(long, value_name = "K/N", value_parser = shard, requires = "place")]
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

/// Held while files are written: whoever wants to end the program waits for it.
static WRITING: Mutex<()> = Mutex::new(());

/// Whether files of a plan, or of one of several, are written.
static IS_WRITTEN: AtomicBool = AtomicBool::new(false);

/// Code with which a program ends that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let deadline = Budget::deadline_after(arguments.timeout);
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
    let each = arguments.jobs.iter().zip(outs(arguments));
    let each = each.map(|(job, out)| say::ended(one(arguments, job, out, deadline), arguments.json));
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

fn one(
    arguments: &Arguments,
    file: &Path,
    out: PathBuf,
    deadline: Option<Instant>,
) -> Result<ExitCode, Refusal> {
    let loaded = job::read(file, &CellOptions { packages: arguments.packages.clone() })?;
    if let Some(error) = replaced(&out, &[file, &loaded.cell_file, &loaded.path_file]) {
        return Err(error.into());
    }
    kansho::io::folder_can_be_written(&out)?;
    let asked = Asked {
        title: file.display().to_string(),
        out,
        options: PlanOptions {
            motion: arguments.motion.map(KindName::motion),
            certificate: !arguments.no_certificate,
            intervals: arguments.intervals,
            depths: arguments.depths,
        },
        relax: arguments
            .relax
            .as_ref()
            .map(|kinds| RelaxOptions { kinds: RelaxName::kinds(kinds), within: arguments.within }),
        resume: arguments.resume,
        explain: arguments.explain,
        json: arguments.json,
        threads: arguments.threads,
        deadline,
    };
    say::warnings(&loaded.cell_warnings);
    say::warnings(&loaded.warnings);
    match &arguments.place {
        Some(grid) => {
            let wanted = PlaceOptions {
                grid: grid.clone(),
                of: arguments.place_of.place(),
                shard: arguments.shard,
                known: arguments.known.clone(),
            };
            placed(&loaded, &asked, &wanted)
        }
        None => whole(&loaded, &asked),
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

/// What is asked, beside the job itself.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) title: String,
    pub(crate) out: PathBuf,
    pub(crate) options: PlanOptions,
    /// What may be let go of where there is no path.
    pub(crate) relax: Option<RelaxOptions>,
    /// Whether what is done is kept, so that another run can go on.
    pub(crate) resume: bool,
    pub(crate) explain: bool,
    pub(crate) json: bool,
    pub(crate) threads: Option<usize>,
    pub(crate) deadline: Option<Instant>,
}

impl Asked {
    fn budget(&self) -> Budget<'static> {
        Budget { deadline: self.deadline, stages: Some(&Shown), ..Budget::default() }
    }
}

/// Plans, writes and says what came of it.
pub(crate) fn whole(loaded: &LoadedJob, asked: &Asked) -> Result<ExitCode, Refusal> {
    let progress = asked.resume.then(|| progress(loaded, &asked.out)).transpose()?;
    let kept = progress.as_ref().map(|progress| progress as &dyn Kept);
    let (answer, files, work) = kansho::threads::on(asked.threads, || planned(loaded, asked, kept))?;
    say::warnings(&work.warnings);
    let note = |what: &String| Warning { path: asked.out.clone(), fault: Fault::of_file(what) };
    say::warnings(&files.notes.iter().map(note).collect::<Vec<_>>());
    if let Some((left, folder)) = written(asked, |out| write_plan(out, &files.files))? {
        let what = format!("of an earlier plan, and now in the folder \"{folder}\": {}", left.join(", "));
        say::warnings(&[Warning { path: asked.out.clone(), fault: Fault::of_file(what) }]);
    }
    if let Some(progress) = progress {
        let fault = progress.fault();
        // What was not finished may go on later.
        let is_open = answer.exit_code() == ExitCode::Undecided;
        let removed = if is_open { Ok(()) } else { progress.remove() };
        for what in fault.into_iter().chain(removed.err().map(|error| error.to_string())) {
            let fault = Fault::of_file(format!("progress was not kept: {what}"));
            say::warnings(&[Warning { path: progress_file(&asked.out), fault }]);
        }
    }
    print(&answer, &work, asked);
    Ok(answer.exit_code())
}

/// The answer with what would help, and all files with the report.
fn planned(
    loaded: &LoadedJob,
    asked: &Asked,
    kept: Option<&dyn Kept>,
) -> Result<(PlanAnswer, PlanFiles, PlanWork), ReadError> {
    let scene = Scene::new(Arc::new(loaded.job.cell.clone())).with_models();
    let budget = asked.budget();
    let work = plan(loaded, &scene, &asked.options, kept, &budget)?;
    let relaxed = match &asked.relax {
        Some(allowed) => relax(loaded, &scene, &work, allowed, &asked.options, &budget)?,
        None => None,
    };
    let done = Planned { job: loaded, scene: &scene, work: &work };
    let mut answer = done.answer();
    answer.relaxed = relaxed.as_ref().map(kansho::ask::plan::Relaxed::answer);
    let files = done.files(relaxed.as_ref());
    let report = plan_report(&asked.title, &answer, &done, files.map());
    let files = files.with_report(report, &loaded.file, &asked.out);
    answer.out = Some(asked.out.display().to_string());
    answer.files = files.names();
    Ok((answer, files, work))
}

/// Prints the answer.
fn print(answer: &PlanAnswer, work: &PlanWork, asked: &Asked) {
    if asked.json {
        return say::json_of(answer);
    }
    let mut text = answer.text();
    if asked.explain {
        let seconds: Vec<String> =
            work.seconds.iter().map(|(what, secs)| format!("{what} {secs:.2} s")).collect();
        text += &format!("  {:<14} {}\n", "times", seconds.join(", "));
        text += &format!("  {:<14} {}\n", "effort", json!(answer.effort));
    }
    say::answer(&(text + &written_line(asked, &answer.files)));
}

fn written_line(asked: &Asked, files: &[String]) -> String {
    format!("  {:<14} {}: {}\n", "written", asked.out.display(), files.join(", "))
}

/// Where progress is kept: beside the folder, so that nothing is in that until all is.
fn progress_file(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".progress");
    PathBuf::from(name)
}

fn progress(job: &LoadedJob, out: &Path) -> Result<ProgressFile, ReadError> {
    let file = progress_file(out);
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| ReadError {
            path: folder.to_owned(),
            faults: vec![Fault::of_file(error.to_string())],
        })?;
    }
    ProgressFile::open(&file, job)
}

/// Writes files, all or none.
fn written<T>(asked: &Asked, write: impl FnOnce(&Path) -> Result<T, WriteError>) -> Result<T, WriteError> {
    let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let written = write(&asked.out)?;
    IS_WRITTEN.store(true, Ordering::Relaxed);
    Ok(written)
}

/// Looks for the best place, writes and says what came of it.
fn placed(loaded: &LoadedJob, asked: &Asked, wanted: &PlaceOptions) -> Result<ExitCode, Refusal> {
    let budget = asked.budget();
    let places = kansho::threads::on(asked.threads, || places(loaded, wanted, &asked.options, &budget))?;
    let (mut answer, mut files) = (places.answer(), places.files());
    if wanted.shard.is_none() {
        files.push(("report.html".to_owned(), places_report(&asked.title, &answer, &places, &files)));
    }
    written(asked, |out| whole_files(out, &files))?;
    answer.out = Some(asked.out.display().to_string());
    answer.files = files.into_iter().map(|(name, _)| name).collect();
    if asked.json {
        say::json_of(&answer);
    } else {
        say::answer(&(answer.text() + &written_line(asked, &answer.files)));
    }
    Ok(answer.exit_code())
}
