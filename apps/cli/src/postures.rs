use crate::progress::Progress;
use crate::say::{self, Refusal};
use crate::units::TableUnits;
use clap::{Args, ValueEnum};
use kansho::answer::{ExitCode, Message};
use kansho::ask::postures::{self, Models, PosturesOptions};
use kansho::budget::Budget;
use kansho::check::order::{Order, Then};
use kansho::check::postures::Find;
use kansho::io::postures::{self as table};
use kansho::io::{Fault, Warning};
use kansho::load;
use kansho::prepared::PreparedCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho postures cell.toml --postures postures.csv\n  kansho postures cell.toml --postures postures.csv --distance --out answers.csv\n  kansho postures robot.urdf --postures postures.csv --units deg --all\n\nOne row per posture: hit (1 touches, 0 free), pair (the first that the cell lists, as a|b), with --distance also the least gap and its two points\nin the world. Pairs that never move relative to each other are looked at once, and count where they touch."
)]
pub(crate) struct Arguments {
    /// A cell (TOML), or a robot that stands alone (URDF)
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// Postures, one a row (CSV)
    #[arg(long, value_name = "CSV")]
    postures: PathBuf,

    /// Measure the least gap over all pairs, and where it is
    #[arg(long)]
    distance: bool,

    /// Name all pairs that touch, not only one
    #[arg(long, conflicts_with = "distance")]
    all: bool,

    /// Look at spheres of this radius in metres around the meshes instead of the meshes: faster, nothing is missed, but what
    /// touches may be a gap of up to four times the radius, and gaps are too small by at most that
    #[arg(long, value_name = "RADIUS", num_args = 0..=1, default_missing_value = "0.01", conflicts_with = "all")]
    spheres: Option<f64>,

    /// Which pairs are looked at first, after the one that touched last: as listed, those that touch most often in a sample,
    /// or in the order of the CAM paper. It matters for the speed without models; the answers are the same
    #[arg(long, value_name = "ORDER", default_value = "frequent")]
    order: OrderName,

    /// Look at the shapes themselves only, without models (balls and fields of distances) that tell the same sooner
    #[arg(long)]
    no_models: bool,

    /// Make models whatever the number of postures, and say on standard error, and with --json in "models", which share of the postures was decided how
    #[arg(long, conflicts_with_all = ["no_models", "spheres", "distance"])]
    explain: bool,

    /// Keep what models have worked out beside the cell, as CELL.fields, and use it the next time; whatever is wrong with that file,
    /// it is told and written anew
    #[arg(long, conflicts_with_all = ["no_models", "spheres", "distance"])]
    cache: bool,

    /// Refuse a table in which joints are outside their limits, instead of marking those rows
    #[arg(long)]
    strict: bool,

    /// Write one row per posture to this file instead of printing it
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,

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

#[derive(Clone, Copy, ValueEnum)]
enum OrderName {
    Listed,
    Frequent,
    Paper,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let deadline = Budget::deadline_after(arguments.timeout);
    let cache = cache_of(arguments).map_err(|what| Refusal::Call("--cache", what.to_owned()))?;
    let (cell, mut warnings) = load::cell_or_robot(&arguments.cell, &arguments.packages)?;
    if cell.coordinates().is_empty() {
        return Err(Refusal::of_file(&arguments.cell, vec![postures::nothing_moves(cell)]));
    }
    let rows = table::read(&arguments.postures, &cell, &arguments.units.units())?;
    let inputs: Vec<&Path> =
        [&arguments.cell, &arguments.postures].into_iter().chain(&cache).map(PathBuf::as_path).collect();
    say::can_be_written(&arguments.out, &inputs)?;
    let outside = rows.outside_limits();
    if arguments.strict && !outside.is_empty() {
        return Err(Refusal::of_file(&arguments.postures, outside.to_vec()));
    }
    let warning = |fault: &Fault| Warning { path: arguments.postures.clone(), fault: fault.clone() };
    warnings.extend(outside.iter().map(warning));
    let find = match (arguments.distance, arguments.all) {
        (true, _) => Find::Gap,
        (_, true) => Find::All,
        _ => Find::First,
    };
    let options = PosturesOptions {
        find,
        order: Order { then: arguments.order.into(), ..Order::default() },
        spheres: arguments.spheres,
        models: match (arguments.no_models, arguments.explain || arguments.cache) {
            (true, _) => Models::Never,
            (_, true) => Models::Always,
            _ => Models::IfTheyPay,
        },
        cache,
    };
    let found = kansho::threads::on(arguments.threads, || {
        let progress = Progress::of(rows.len());
        let budget = Budget { deadline, progress: Some(progress.counter()), ..Budget::default() };
        postures::postures(&PreparedCell::new(Arc::new(cell)), rows.values(), &options, &budget)
    });
    let mut found = found.map_err(|fault| Refusal::Call("--spheres", fault.to_string()))?;
    warnings.append(&mut found.warnings);
    let of_scene = kansho::scene::warnings(&found.scene);
    warnings.extend(of_scene.map(|fault| Warning { path: arguments.cell.clone(), fault }));
    say::warnings(&warnings);
    let mut answer = found.answer(rows.values(), find);
    answer.warnings = Message::of_warnings(&warnings);
    if arguments.explain {
        answer.models = found.models;
        answer.models.iter().for_each(|models| say::note(&models.text()));
    }
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

/// Where fields are kept, if that is asked for.
fn cache_of(arguments: &Arguments) -> Result<Option<PathBuf>, &'static str> {
    if !arguments.cache {
        return Ok(None);
    }
    let name =
        arguments.cell.file_name().ok_or("fields are kept beside the file of the cell, and this is none")?;
    if name == "-" {
        return Err("fields are kept beside the file of the cell, and standard input has no place");
    }
    let mut name = name.to_owned();
    name.push(".fields");
    Ok(Some(arguments.cell.with_file_name(name)))
}

impl From<OrderName> for Then {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::Listed => Self::Listed,
            OrderName::Frequent => Self::Frequent,
            OrderName::Paper => Self::Paper,
        }
    }
}
