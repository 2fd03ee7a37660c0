//! `kansho check`: motions of a cell, proven free or with their first contact.

mod lead;
mod many;
mod one;

use crate::say::{self, Refusal};
use crate::units::TableUnits;
use clap::{Args, ValueEnum};
use kansho::answer::{ExitCode, Message};
use kansho::ask::check::CheckOptions;
use kansho::budget::Budget;
use kansho::cell::Cell;
use kansho::check::scene::Scene;
use kansho::io::motion_file::{
    self, Join, LoadedMotion, MotionFileKind, MotionFileOptions, ProgramParts, RobotProgramOptions,
};
use kansho::io::units::Units;
use kansho::io::{Fault, ReadError, Warning};
use kansho::{load, scene, threads};
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
    #[arg(long, value_name = "METRES", default_value = "0", value_parser = crate::units::length)]
    clearance: f64,

    /// Another gap for one pair, as "a|b=METRES" (repeatable)
    #[arg(long, value_name = "PAIR=METRES", value_parser = of_pair)]
    clearance_of: Vec<(String, f64)>,

    /// Write why the motion is free to this file, for `kansho verify`; of segments, why those are that are free
    #[arg(long, value_name = "FILE")]
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
    /// Reads a motion. Moves of a program that are never reached are refused, unless the caller tells users of them.
    pub(crate) fn read(
        &self,
        path: &Path,
        cell: &Cell,
        units: &Units,
        unreached: bool,
    ) -> Result<LoadedMotion, ReadError> {
        motion_file::read(path, cell, &self.options(units, unreached))
    }

    pub(crate) fn options(&self, units: &Units, unreached: bool) -> MotionFileOptions {
        MotionFileOptions {
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
                joint_corners: unreached,
                with: self.program.with.clone(),
            },
            units: *units,
            outside_limits: self.allow_outside_limits,
        }
    }
}

/// How a robot program is understood.
#[derive(Args, Clone)]
struct ProgramArguments {
    /// What the controller of a robot program does, and how it sees its robot (TOML; kansho schema profile), instead of what is usual
    #[arg(long, value_name = "TOML")]
    profile: Option<PathBuf>,

    /// Another file of the same controller, or a folder of them (repeatable): modules with data (RAPID), data lists such as $config.dat (KRL)
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,

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

    /// Take corners of a robot program, a sequence or a list of moves whose rounding cannot be bounded as if the robot stopped there, with a
    /// warning, instead of refusing
    #[arg(long)]
    fine: bool,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let deadline = Budget::deadline_after(arguments.timeout);
    let (cell, warnings) = load::cell_or_robot(&arguments.cell, &arguments.packages)?;
    if cell.coordinates().is_empty() {
        let what = "nothing in this cell moves, so it has no motions";
        return Err(Refusal::of_file(&arguments.cell, vec![Fault::of_file(what)]));
    }
    if arguments.segments.is_some()
        && let Some((name, why)) =
            arguments.kind.options(&Units::default(), true).unused(MotionFileKind::Segments)
    {
        return Err(Refusal::Call(name, format!("it means nothing for a table of segments: {why}")));
    }
    let of_pairs = scene::named_pairs(&cell, &arguments.clearance_of)
        .map_err(|faults| Refusal::of_file(Path::new("--clearance-of"), faults))?;
    let inputs = [Some(&arguments.cell), arguments.waypoints.as_ref(), arguments.segments.as_ref()];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
    say::can_be_written(arguments.out.iter().chain(&arguments.certificate), &inputs)?;
    let options = CheckOptions {
        clearance: arguments.clearance,
        of_pairs,
        tight: arguments.tight || arguments.segments.is_none(),
        certificate: arguments.certificate.is_some(),
        ..CheckOptions::default()
    };
    let asked = Asked { arguments, options, deadline, warnings };
    match (&arguments.waypoints, &arguments.segments) {
        (Some(path), _) => one::answer(&asked, path, cell),
        (None, Some(path)) => many::answer(&asked, path, cell),
        (None, None) => unreachable!("one of them is required"),
    }
}

/// What is asked, and what is odd about the cell.
struct Asked<'a> {
    arguments: &'a Arguments,
    options: CheckOptions,
    deadline: Option<Instant>,
    warnings: Vec<Warning>,
}

impl Asked<'_> {
    fn read(&self, path: &Path, cell: &Cell) -> Result<LoadedMotion, ReadError> {
        let Arguments { kind, units, strict, .. } = self.arguments;
        let kind = Kind { allow_outside_limits: kind.allow_outside_limits && !strict, ..kind.clone() };
        kind.read(path, cell, &units.units(), true)
    }

    /// Those parts of a robot program whose motion is known.
    fn read_parts(&self, path: &Path, cell: &Cell) -> Result<ProgramParts, ReadError> {
        let Arguments { kind, units, .. } = self.arguments;
        motion_file::read_parts(path, cell, &kind.options(&units.units(), true))
    }

    fn budget(&self) -> Budget<'static> {
        Budget { deadline: self.deadline, ..Budget::default() }
    }

    /// Prepares a cell, and prints what must be known of it and of what moves.
    fn scene(&self, cell: Cell, of_motion: Vec<Warning>) -> (Scene, Vec<Message>) {
        let scene = threads::on(self.arguments.threads, || Scene::new(Arc::new(cell)).with_models());
        let of_scene = scene::warnings(&scene);
        let of_scene = of_scene.map(|fault| Warning { path: self.arguments.cell.clone(), fault });
        let all: Vec<Warning> = self.warnings.iter().cloned().chain(of_motion).chain(of_scene).collect();
        say::warnings(&all);
        (scene, Message::of_warnings(&all))
    }
}

/// `a|b=0.01`
fn of_pair(text: &str) -> Result<(String, f64), String> {
    let (pair, metres) = text.rsplit_once('=').ok_or("a pair and a length, as in arm/tool|sheet=0.001")?;
    Ok((pair.trim().to_owned(), crate::units::length(metres.trim())?))
}
