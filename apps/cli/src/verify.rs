use crate::check::Kind;
use crate::units::TableUnits;
use crate::{BAD_INPUT, moving, say};
use clap::Args;
use kansho::ask::verify::{self, WrongPartner};
use kansho::io::certificate;
use kansho::{load, threads};
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho verify bodies.json\n  kansho verify motion.json cell.toml\n  kansho verify motion.json cell.toml motion.csv"
)]
pub(crate) struct Arguments {
    /// A certificate, as `kansho moving --certificate` or `kansho check --certificate` writes it
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
    let refuse = |errors: &[kansho::io::ReadError]| moving::refused(errors, arguments.json);
    let wrong = |what: &str| {
        say::fault(&arguments.certificate.display().to_string(), what);
        BAD_INPUT
    };
    let certificate = match certificate::read(&arguments.certificate) {
        Ok(certificate) => certificate,
        Err(error) => return refuse(&[error]),
    };
    if certificate.is_of_bodies() && arguments.cell.is_some() {
        return wrong("this is about two bodies, which it holds, and about no cell");
    }
    let cell = match arguments.cell.as_ref().map(|path| load::cell_or_robot(path, &arguments.packages)) {
        None => None,
        Some(Ok((cell, warnings))) => {
            say::warnings(&warnings);
            Some(cell)
        }
        Some(Err(errors)) => return refuse(&errors),
    };
    let motion = match (&arguments.motion, &cell) {
        (Some(path), Some(cell)) => match arguments.kind.read(path, cell, &arguments.units.units(), false) {
            Ok(loaded) => Some(loaded.motion),
            Err(error) => return refuse(&[error]),
        },
        _ => None,
    };
    match threads::on(arguments.threads, || verify::verify(&certificate, cell.as_ref(), motion.as_ref())) {
        Ok(answer) => {
            if arguments.json {
                say::json_of(&answer);
            } else {
                say::answer(&verify::text(&answer));
            }
            answer.exit_code().number()
        }
        Err(WrongPartner::NeedsCell) => {
            wrong("this is about a cell, which has to be named: kansho verify JSON CELL")
        }
        Err(WrongPartner::NeedsNoCell) => unreachable!("such a certificate was refused above"),
    }
}
