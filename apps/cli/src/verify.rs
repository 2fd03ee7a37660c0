use crate::check::Kind;
use crate::say::{self, Refusal};
use crate::units::TableUnits;
use clap::Args;
use kansho::answer::ExitCode;
use kansho::ask::verify::{self, VerifyAnswer, WrongPartner};
use kansho::cell::Cell;
use kansho::io::{Fault, certificate};
use kansho::{load, threads};
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho verify bodies.json\n  kansho verify script.json --explain\n  kansho verify motion.json cell.toml\n  kansho verify motion.json cell.toml motion.csv\n  kansho verify segments.cert cell.toml\n  kansho verify motion.json cell.toml --explain\n  kansho verify --all certificates cell.toml"
)]
pub(crate) struct Arguments {
    /// A certificate, as `--certificate` of `kansho check`, `bodies`, `script` or `contact` writes it; with --all, the cell
    #[arg(value_name = "CERTIFICATE", required_unless_present = "all")]
    certificate: Option<PathBuf>,

    /// The cell that it is about, where it is about one
    #[arg(value_name = "CELL", conflicts_with = "all")]
    cell: Option<PathBuf>,

    /// Verify every certificate in this folder, for the cell that is named
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["json", "explain"])]
    all: Option<PathBuf>,

    /// Print what the certificate proves of each pair of bodies, the largest gaps first
    #[arg(long)]
    explain: bool,

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
    if let Some(folder) = &arguments.all {
        return all(arguments, folder);
    }
    let path = arguments.certificate.as_deref().expect("it is required");
    let answer = match (certificate::bundle(path)?, &arguments.cell, &arguments.motion) {
        (None, _, _) => single(arguments, path)?,
        (Some(_), None, _) => return Err(wrong(path, WrongPartner::NeedsCell)),
        (Some(_), Some(_), Some(_)) => {
            let what = "this is about many motions: it cannot be compared with one";
            return Err(Refusal::of_file(path, vec![Fault::of_file(what)]));
        }
        (Some(mut reader), Some(of_cell), None) => {
            let cell = cell(arguments, of_cell)?;
            threads::on(arguments.threads, || verify::bundle(&mut reader, &cell))
        }
    };
    if arguments.json {
        say::json_of(&answer);
    } else {
        say::answer(&verify::text(&answer));
    }
    Ok(answer.exit_code())
}

fn cell(arguments: &Arguments, path: &Path) -> Result<Cell, Refusal> {
    let (read, warnings) = load::cell_or_robot(path, &arguments.packages)?;
    say::warnings(&warnings);
    Ok(read)
}

fn wrong(path: &Path, why: WrongPartner) -> Refusal {
    let what = match why {
        WrongPartner::NeedsNoCell => "this is about bodies that it holds, and about no cell",
        WrongPartner::NeedsCell => {
            "this is about a cell, which has to be named: kansho verify CERTIFICATE CELL"
        }
    };
    Refusal::of_file(path, vec![Fault::of_file(what)])
}

fn single(arguments: &Arguments, path: &Path) -> Result<VerifyAnswer, Refusal> {
    let certificate = certificate::read(path)?;
    // Told before the cell is read, which may take long.
    verify::partner(&certificate, arguments.cell.is_some()).map_err(|why| wrong(path, why))?;
    let (mut of_cell, mut motion) = (None, None);
    if let Some(path) = &arguments.cell {
        let read = cell(arguments, path)?;
        if let Some(path) = &arguments.motion {
            motion = Some(arguments.kind.read(path, &read, &arguments.units.units(), false)?.motion);
        }
        of_cell = Some(read);
    }
    let mut answer =
        threads::on(arguments.threads, || verify::verify(&certificate, of_cell.as_ref(), motion.as_ref()))
            .map_err(|why| wrong(path, why))?;
    if arguments.explain && answer.accepted {
        answer.pairs = of_cell.as_ref().and_then(|cell| verify::explained(&certificate, cell));
        answer.contacts = verify::explained_contacts(&certificate);
    }
    Ok(answer)
}

/// Every certificate in a folder, in the order of their names: a line for each, and the worst ending.
fn all(arguments: &Arguments, folder: &Path) -> Result<ExitCode, Refusal> {
    let because = |error: std::io::Error| Refusal::of_file(folder, vec![Fault::of_file(error.to_string())]);
    let entries = std::fs::read_dir(folder).map_err(because)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(because)?;
    paths.retain(|path| path.is_file());
    paths.sort();
    let cell = arguments.certificate.as_ref().map(|path| cell(arguments, path)).transpose()?;
    let (mut accepted, mut refused) = (0, 0);
    for path in &paths {
        let found = match certificate::bundle(path) {
            Err(error) => Err(error.to_string()),
            Ok(Some(mut reader)) => match &cell {
                None => Err("this is about a cell, which has to be named".to_owned()),
                Some(cell) => Ok(threads::on(arguments.threads, || verify::bundle(&mut reader, cell))),
            },
            Ok(None) => match certificate::read(path) {
                // What does not even say that it is one is no certificate: a cell or a mesh beside them.
                Err(_) if !certificate::is_one(path) => continue,
                Err(error) => Err(error.to_string()),
                Ok(certificate) => {
                    let of_cell = if certificate.is_of_bodies() { None } else { cell.as_ref() };
                    threads::on(arguments.threads, || verify::verify(&certificate, of_cell, None))
                        .map_err(|_| "this is about a cell, which has to be named".to_owned())
                }
            },
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let line = match &found {
            Ok(answer) if answer.accepted => {
                let record = answer.record.as_deref().map_or(String::new(), |record| format!("  {record}"));
                format!("accepted  {name}{record}\n")
            }
            Ok(answer) => format!("refused   {name}: {}\n", answer.why.as_deref().unwrap_or_default()),
            Err(why) => format!("refused   {name}: {}\n", why.lines().next().unwrap_or_default()),
        };
        if matches!(&found, Ok(answer) if answer.accepted) {
            accepted += 1;
        } else {
            refused += 1;
        }
        say::answer(&line);
    }
    say::answer(&format!("{accepted} accepted, {refused} refused\n"));
    if accepted + refused == 0 {
        let what = "there are no certificates in this folder";
        return Err(Refusal::of_file(folder, vec![Fault::of_file(what)]));
    }
    Ok(if refused == 0 { ExitCode::Done } else { ExitCode::No })
}
