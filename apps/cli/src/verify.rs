use crate::check::Kind;
use crate::say::{self, Refusal};
use crate::units::TableUnits;
use clap::Args;
use kansho::answer::ExitCode;
use kansho::ask::verify::{self, WrongPartner};
use kansho::io::{Fault, certificate};
use kansho::{load, threads};
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho verify bodies.json\n  kansho verify motion.json cell.toml\n  kansho verify motion.json cell.toml motion.csv"
)]
pub(crate) struct Arguments {
    /// A certificate, as `kansho bodies --certificate` or `kansho check --certificate` writes it
    #[arg(value_name = "JSON")]
    certificate: PathBuf,

    /// The cell that it is about, where it is about one
    #[arg(value_name = "CELL")]
    cell: Option<PathBuf>,

    /// The motion that it should be about (CSV, or JSON with a list of moves); whichever it holds if none is given
    #[arg(value_name = "MOTION")]
    motion: Option<PathBuf>,

    #[command(flatten)]
    kind: Kind,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,

    #[command(flatten)]
    units: TableUnits,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let certificate = certificate::read(&arguments.certificate)?;
    let wrong = |why| {
        let what = match why {
            WrongPartner::NeedsNoCell => "this is about two bodies, which it holds, and about no cell",
            WrongPartner::NeedsCell => "this is about a cell, which has to be named: kansho verify JSON CELL",
        };
        Refusal::of_file(&arguments.certificate, vec![Fault::of_file(what)])
    };
    // Told before the cell is read, which may take long.
    verify::partner(&certificate, arguments.cell.is_some()).map_err(wrong)?;
    let (mut cell, mut motion) = (None, None);
    if let Some(path) = &arguments.cell {
        let (read, warnings) = load::cell_or_robot(path, &arguments.packages)?;
        say::warnings(&warnings);
        if let Some(path) = &arguments.motion {
            motion = Some(arguments.kind.read(path, &read, &arguments.units.units(), false)?.motion);
        }
        cell = Some(read);
    }
    let answer =
        threads::on(arguments.threads, || verify::verify(&certificate, cell.as_ref(), motion.as_ref()))
            .map_err(wrong)?;
    if arguments.json {
        say::json_of(&answer);
    } else {
        say::answer(&verify::text(&answer));
    }
    Ok(answer.exit_code())
}
