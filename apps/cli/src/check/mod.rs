//! `kansho check`: motions of a cell, proven free or with their first contact.

mod lead;
mod many;
mod one;

use crate::units::TableUnits;
use crate::{BAD_INPUT, load, moving, say};
use clap::{Args, ValueEnum};
use kansho::cell::{Cell, nearest_name};
use kansho::check::motion::MotionOptions;
use kansho::check::scene::{PairId, Scene};
use kansho::io::motion_file::{self, Join, LoadedMotion, MotionFileOptions, RobotProgramOptions};
use kansho::io::units::Units;
use kansho::io::{Fault, ReadError, Warning};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho check cell.toml motion.csv\n  kansho check cell.toml poses.csv --motion lin --branch=+++ --law both\n  kansho check cell.toml motion.csv --motion spline --clearance 0.005 --clearance-of \"arm/tool|sheet=0.001\"\n  kansho check cell.toml motion.csv --certificate c.json && kansho verify c.json cell.toml\n  kansho check cell.toml program.mod --profile irb2400.toml\n  kansho check cell.toml --segments segments.csv --out answers.csv\n\nA motion is a CSV of waypoints, one posture a row, or a JSON list such as [{\"ptp\": [0, 1]}, {\"ptp\": [1, 1]}]. Between two of them all joints\nmove evenly and arrive together; with --motion lin the tool goes straight instead (then rows may be poses), and lists may hold lin, circ and\nspline. Free means proven at every instant; exit code 1 says that something touches, or comes as near as the clearance."
)]
pub(crate) struct Arguments {
    /// A cell (TOML), or a robot that stands alone (URDF)
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// Waypoints of one motion (CSV, or JSON with a list of moves), a robot program (.mod, .src, .ls, .script, .jbi), or a trajectory of ROS
    /// (.yaml, .xml)
    #[arg(value_name = "MOTION", required_unless_present = "segments", conflicts_with = "segments")]
    waypoints: Option<PathBuf>,

    /// Many motions of one segment each: rows of a start and a goal (CSV)
    #[arg(long, value_name = "CSV")]
    segments: Option<PathBuf>,

    #[command(flatten)]
    kind: Kind,

    /// The gap that is wanted, in metres: as near as this is a contact
    #[arg(long, value_name = "METRES", default_value = "0", value_parser = moving::length)]
    clearance: f64,

    /// Another gap for one pair, as "a|b=METRES" (repeatable)
    #[arg(long, value_name = "PAIR=METRES", value_parser = of_pair)]
    clearance_of: Vec<(String, f64)>,

    /// Write why the motion is free to this file, for `kansho verify`
    #[arg(long, value_name = "JSON", conflicts_with = "segments")]
    certificate: Option<PathBuf>,

    /// Find for every segment that is free a clearance that is near the least gap, instead of what the proof needed
    #[arg(long, conflicts_with = "waypoints")]
    tight: bool,

    /// Write one row per segment to this file instead of printing it
    #[arg(long, value_name = "CSV", conflicts_with = "waypoints")]
    out: Option<PathBuf>,

    /// Refuse a table of segments in which joints are outside their limits, instead of marking those rows
    #[arg(long)]
    strict: bool,

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

    #[command(flatten)]
    units: TableUnits,
}

/// How waypoints are joined.
#[derive(Args, Clone)]
pub(crate) struct Kind {
    /// How waypoints are joined: straight in joint space (ptp), smoothly through all of them, at equal times (spline), or by straight
    /// lines of the tool (lin). JSON lists say it move by move
    #[arg(long = "motion", value_name = "KIND", default_value = "ptp")]
    kind: KindName,

    #[command(flatten)]
    lead: lead::LeadArguments,

    #[command(flatten)]
    program: ProgramArguments,

    /// Check a motion although joints are outside their limits: otherwise it is refused
    #[arg(long)]
    allow_outside_limits: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum KindName {
    Ptp,
    Spline,
    Lin,
}

impl Kind {
    /// Reads a motion.
    pub(crate) fn read(&self, path: &Path, cell: &Cell, units: &Units) -> Result<LoadedMotion, ReadError> {
        self.read_or_tell(path, cell, units, false)
    }

    /// Reads a motion; whether moves of a program that are never reached are told, instead of being refused.
    fn read_or_tell(
        &self,
        path: &Path,
        cell: &Cell,
        units: &Units,
        unreached: bool,
    ) -> Result<LoadedMotion, ReadError> {
        let options = MotionFileOptions {
            join: match self.kind {
                KindName::Ptp => Join::Ptp,
                KindName::Spline => Join::Spline,
                KindName::Lin => Join::Lin,
            },
            lead: self.lead.options(),
            program: RobotProgramOptions {
                profile: self.program.profile.clone(),
                robot: self.program.robot.clone(),
                entry: self.program.entry.clone(),
                once: self.program.once,
                tool_of_cell: self.program.tool_of_cell,
                unreached,
                fine: self.program.fine,
            },
            units: *units,
            outside_limits: self.allow_outside_limits,
        };
        motion_file::read(path, cell, &options)
    }
}

/// How a robot program is understood.
#[derive(Args, Clone)]
struct ProgramArguments {
    /// What the controller of a robot program does, and how it sees its robot (TOML; kansho schema profile), instead of what is usual
    #[arg(long, value_name = "TOML")]
    profile: Option<PathBuf>,

    /// The robot that a program is for, where the cell has several
    #[arg(long, value_name = "NAME")]
    robot: Option<String>,

    /// The procedure of a program that is run, instead of its main one
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    /// Check one round of a robot program that its controller starts again at its end, instead of all rounds and the ways between them
    #[arg(long)]
    once: bool,

    /// Take a tool that a robot program names and does not define to be that of the cell, with a warning, instead of refusing
    #[arg(long)]
    tool_of_cell: bool,

    /// Take corners of a robot program whose rounding cannot be bounded as if the robot stopped there, with a warning, instead of refusing
    #[arg(long)]
    fine: bool,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let refuse = |errors: &[ReadError]| moving::refused(errors, arguments.json);
    let (cell, warnings) = match load::cell_or_robot(&arguments.cell, &arguments.packages) {
        Ok(loaded) => loaded,
        Err(errors) => return refuse(&errors),
    };
    let of_cell =
        |what: String| ReadError { path: arguments.cell.clone(), faults: vec![Fault::of_file(what)] };
    if cell.coordinates().is_empty() {
        return refuse(&[of_cell("nothing in this cell moves, so it has no motions".into())]);
    }
    let of_pairs = match of_pairs(&cell, &arguments.clearance_of) {
        Ok(of_pairs) => of_pairs,
        Err(faults) => return refuse(&[ReadError { path: "--clearance-of".into(), faults }]),
    };
    let inputs: Vec<&Path> =
        [Some(&arguments.cell), arguments.waypoints.as_ref(), arguments.segments.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .collect();
    let outputs = arguments.out.iter().chain(&arguments.certificate);
    if let Some(error) = outputs.into_iter().find_map(|out| say::refused_output(out, &inputs)) {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let options = MotionOptions {
        clearance: arguments.clearance,
        of_pairs: &of_pairs,
        deadline,
        ..MotionOptions::default()
    };
    let asked = Asked { arguments, options, warnings, unreached: 0 };
    match (&arguments.waypoints, &arguments.segments) {
        (Some(path), _) => one::run(asked, path, cell),
        (None, Some(path)) => many::run(asked, path, cell),
        (None, None) => unreachable!("one of them is required"),
    }
}

/// What is asked, and what was odd so far.
struct Asked<'a> {
    arguments: &'a Arguments,
    options: MotionOptions<'a>,
    warnings: Vec<Warning>,
    /// Moves of a robot program that are never reached: as long as there are any, it is not proven free.
    unreached: usize,
}

impl Asked<'_> {
    /// Whether a certificate is wanted, and can be about the whole motion.
    fn certifies(&self) -> bool {
        self.arguments.certificate.is_some() && self.unreached == 0
    }

    /// Takes what is outside its limits for a warning, or refuses it.
    fn outside(&mut self, path: &Path, outside: Vec<Fault>) -> Result<(), u8> {
        if self.arguments.strict && !outside.is_empty() {
            let error = ReadError { path: path.to_owned(), faults: outside };
            return Err(moving::refused(&[error], self.arguments.json));
        }
        self.warnings.extend(outside.into_iter().map(|fault| Warning { path: path.to_owned(), fault }));
        Ok(())
    }

    /// Prepares a cell, and tells what must be known of it.
    fn scene(&mut self, cell: Cell) -> Scene {
        let scene = crate::threads::on(self.arguments.threads, || Scene::new(Arc::new(cell)).with_models());
        let warning = |fault| Warning { path: self.arguments.cell.clone(), fault };
        self.warnings.extend(crate::postures::about(&scene).map(warning));
        say::warnings(&self.warnings);
        scene
    }
}

/// `a|b=0.01`
fn of_pair(text: &str) -> Result<(String, f64), String> {
    let (pair, metres) = text.rsplit_once('=').ok_or("a pair and a length, as in arm/tool|sheet=0.001")?;
    Ok((pair.trim().to_owned(), moving::length(metres.trim())?))
}

/// The pairs that are named, either way round.
fn of_pairs(cell: &Cell, named: &[(String, f64)]) -> Result<Vec<(PairId, f64)>, Vec<Fault>> {
    let name = |[a, b]: [kansho::cell::BodyId; 2]| format!("{}|{}", cell.body(a).name, cell.body(b).name);
    let checked = cell.pairs().checked();
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for (pair, metres) in named {
        let is_it = |&[a, b]: &[kansho::cell::BodyId; 2]| name([a, b]) == *pair || name([b, a]) == *pair;
        if let Some(index) = checked.iter().position(is_it) {
            let [a, b] = checked[index].map(|body| cell.in_frame(cell.body(body).carrier).frame);
            let id = PairId(index as u32);
            if a == b {
                let what = format!("{pair} never move relative to each other, so only touching counts");
                faults.push(Fault::of_file(what));
            } else if found.iter().any(|(known, _)| *known == id) {
                faults.push(Fault::of_file(format!("{pair} stands twice")));
            } else {
                found.push((id, *metres));
            }
        } else if let Some((_, why)) = cell.pairs().not_checked().iter().find(|(bodies, _)| is_it(bodies)) {
            faults.push(Fault::of_file(format!("{pair} are not checked: {why}")));
        } else {
            let names: Vec<String> =
                checked.iter().flat_map(|&[a, b]| [name([a, b]), name([b, a])]).collect();
            let fault = Fault::of_file(format!("there is no pair '{pair}'"));
            faults.push(match nearest_name(pair, names.iter().map(String::as_str)) {
                Some(near) => fault.with_help(format!("did you mean {near}?")),
                None => fault.with_help("kansho pairs CELL lists them"),
            });
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(faults) }
}
