use crate::say::{self, Refusal};
use crate::units::UnitArguments;
use clap::Args;
use kansho::answer::{ExitCode, Message};
use kansho::ask::collide::{CollideOptions, collide, no_depth};
use kansho::io::{ReadError, poses};
use kansho::load;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho collide bolt.stl nut.stl --poses poses.csv\n  kansho collide a.stl b.stl --poses poses.csv --distance --out answers.csv"
)]
pub(crate) struct Arguments {
    /// The mesh that stands still
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The mesh that is placed in A's frame
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Poses of B in A's frame (CSV)
    #[arg(long, value_name = "CSV")]
    poses: PathBuf,

    /// Also measure the least distance and where it is
    #[arg(long)]
    distance: bool,

    /// Also measure how deep they are in each other, to within this many metres: the largest distance from a point of one
    /// surface inside the other body to the other surface
    #[arg(long, value_name = "M", value_parser = tolerance)]
    depth: Option<f64>,

    /// Write one row per pose to this file instead of printing it
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,

    /// Print one JSON object that sums up
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    #[command(flatten)]
    units: UnitArguments,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let options = arguments.units.mesh_options();
    let paths = [&arguments.a, &arguments.b];
    let mut errors = Vec::new();
    let solids = paths.map(|path| load::solid(path, &options).map_err(|error| errors.push(error)).ok());
    let poses = poses::read(&arguments.poses, arguments.units.metres_per_unit())
        .map_err(|error| errors.push(error))
        .ok();
    let ([Some((a, of_a)), Some((b, of_b))], Some(poses)) = (solids, poses) else {
        return Err(errors.into());
    };
    let open = no_depth([&a, &b]).into_iter().zip(paths).filter_map(|(fault, path)| {
        Some(ReadError { path: path.clone(), faults: vec![fault.filter(|_| arguments.depth.is_some())?] })
    });
    errors.extend(open);
    if !errors.is_empty() {
        return Err(errors.into());
    }
    say::can_be_written(&arguments.out, &[&arguments.a, &arguments.b, &arguments.poses])?;
    let warnings = [of_a, of_b].concat();
    say::warnings(&warnings);
    let options = CollideOptions { distance: arguments.distance, depth: arguments.depth };
    let mut answer = kansho::threads::on(arguments.threads, || collide([&a, &b], &poses, &options));
    answer.warnings = Message::of_warnings(&warnings);
    say::written(arguments.out.as_deref(), || answer.table().into_bytes())?;
    if arguments.json {
        say::json_of(&answer);
    } else if arguments.out.is_some() {
        say::answer(&answer.summary());
    } else {
        say::answer(&answer.table());
    }
    Ok(answer.exit_code())
}

fn tolerance(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|metres| *metres > 0.0 && *metres < 1e6)
        .ok_or_else(|| "a length greater than zero".into())
}
