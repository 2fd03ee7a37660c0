//! `kansho reach`: where a tool can be, as a table or a picture.

use crate::say::{self, Refusal};
use clap::Args;
use kansho::answer::{ExitCode, Message};
use kansho::ask::reach::{ReachOptions, ToolDirections, reach};
use kansho::geom::glam::DVec3;
use kansho::io::Fault;
use kansho::load;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho reach cell.toml --out reach.csv --picture reach.png\n  kansho reach cell.toml --direction 0,0,-1 --box 0.5,-1,0,1.5,1,1 --step 0.05 --free\n\nThe table has a row per point: x,y,z, the share of directions in which the tool can be there, the most postures that a pose there has, and\nwith --free the share of directions in which it can be there without a contact. The picture has one field per height, lowest first, from\nleft to right and then down; x to the right, y up; dark is out of reach, yellow is all directions."
)]
pub(crate) struct Arguments {
    /// A cell (TOML), or a robot that stands alone (URDF)
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// What is put there: the tool of a robot, by its name, or a link as robot/link; by default the only tool there is
    #[arg(long, value_name = "NAME")]
    tip: Option<String>,

    /// Corners of the box that is looked at, as X,Y,Z,X,Y,Z in metres; by default around where the tip is in random postures
    #[arg(long = "box", value_name = "NUMBERS", value_parser = corners, allow_hyphen_values = true)]
    around: Option<Corners>,

    /// Distance between points, in metres; by default a twentieth of the longest side
    #[arg(long, value_name = "METRES", value_parser = crate::units::length)]
    step: Option<f64>,

    /// Directions of the tool's z, spread over the sphere
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=10000))]
    directions: u16,

    /// A direction of the tool's z as X,Y,Z, instead of many (repeatable)
    #[arg(long, value_name = "X,Y,Z", value_parser = three, allow_hyphen_values = true)]
    direction: Vec<DVec3>,

    /// Rotations about each direction that are tried
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=360))]
    turns: u16,

    /// Also ask whether anything touches
    #[arg(long)]
    free: bool,

    /// Write the table to this file instead of printing it
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,

    /// Write a picture to this file
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let all: Option<Vec<f64>> =
        text.split(',').map(|word| word.trim().parse().ok().filter(|v: &f64| v.is_finite())).collect();
    all.and_then(|all| all.try_into().ok()).ok_or_else(|| format!("{N} finite numbers, separated by commas"))
}

/// The least and the largest corner of a box.
#[derive(Clone, Copy)]
struct Corners([DVec3; 2]);

fn corners(text: &str) -> Result<Corners, String> {
    let [a, b, c, d, e, f] = numbers(text)?;
    let [low, high] = [DVec3::new(a, b, c), DVec3::new(d, e, f)];
    if low.cmple(high).all() { Ok(Corners([low, high])) } else { Err("the least corner comes first".into()) }
}

fn three(text: &str) -> Result<DVec3, String> {
    DVec3::from(numbers::<3>(text)?).try_normalize().ok_or_else(|| "a direction has a length".into())
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let (cell, warnings) = load::cell_or_robot(&arguments.cell, &arguments.packages)?;
    let outputs = arguments.out.iter().chain(&arguments.picture);
    say::can_be_written(outputs, &[arguments.cell.as_path()])?;
    say::warnings(&warnings);
    let options = ReachOptions {
        tip: arguments.tip.clone(),
        around: arguments.around.map(|Corners(corners)| corners),
        step: arguments.step,
        directions: if arguments.direction.is_empty() {
            ToolDirections::Spread(arguments.directions.into())
        } else {
            ToolDirections::These(arguments.direction.clone())
        },
        turns: arguments.turns.into(),
        free: arguments.free,
    };
    let mut answer = kansho::threads::on(arguments.threads, || reach(cell, &options))
        .map_err(|what| Refusal::of_file(&arguments.cell, vec![Fault::of_file(what)]))?;
    answer.warnings = Message::of_warnings(&warnings);
    say::written(arguments.out.as_deref(), || answer.table().into_bytes())?;
    say::written(arguments.picture.as_deref(), || answer.picture())?;
    if arguments.json {
        say::json_of(&answer);
    } else if arguments.out.is_some() || arguments.picture.is_some() {
        say::answer(&answer.summary());
    } else {
        say::answer(&answer.table());
    }
    Ok(ExitCode::Done)
}
