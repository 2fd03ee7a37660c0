//! `kansho-verify CERTIFICATE [CELL]`: is a certificate true? Nothing but the verifier is in this program.

use kansho_cell::canonical;
use kansho_verify::AnyCertificate;
use kansho_verify::contact::verify_contact;
use kansho_verify::file::bundle::{BundleReader, MAGIC, RefusedBundle, verify_bundle};
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: kansho-verify CERTIFICATE [CELL]

Checks a certificate anew. CELL is the cell that it is about, as `kansho convert cell.toml cell.kcell` writes it;
a certificate of moving bodies, free or in contact, holds them and needs none.

Ends with 0 if the certificate is accepted, 1 if it is refused, 3 if a file cannot be read.
";

/// What the program ends with.
#[derive(Clone, Copy)]
enum Ending {
    Accepted = 0,
    Refused = 1,
    BadInput = 3,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (text, ending) = match &arguments[..] {
        [word] if word == "--help" || word == "-h" => (USAGE.to_owned(), Ending::Accepted),
        [word] if word == "--version" || word == "-V" => {
            (format!("kansho-verify {}\n", env!("CARGO_PKG_VERSION")), Ending::Accepted)
        }
        [certificate] => answer(verified(certificate.as_ref(), None)),
        [certificate, cell] => answer(verified(certificate.as_ref(), Some(cell.as_ref()))),
        _ => (USAGE.to_owned(), Ending::BadInput),
    };
    let written = match ending {
        Ending::BadInput => std::io::stderr().write_all(text.as_bytes()),
        Ending::Accepted | Ending::Refused => std::io::stdout().write_all(text.as_bytes()),
    };
    // An answer that nobody got is none.
    ExitCode::from(if written.is_ok() { ending } else { Ending::BadInput } as u8)
}

fn answer(found: Result<Result<String, String>, String>) -> (String, Ending) {
    match found {
        Ok(Ok(what)) => (format!("accepted: {what}\n"), Ending::Accepted),
        Ok(Err(why)) => (format!("refused: {why}\n"), Ending::Refused),
        Err(what) => (format!("error: {what}\n"), Ending::BadInput),
    }
}

/// What a certificate proves, or why it proves nothing; or what is wrong with a file.
fn verified(certificate: &Path, cell: Option<&Path>) -> Result<Result<String, String>, String> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    if let Some(cell) = cell
        && let Some(found) = bundle(certificate, &read(cell)?, cell)?
    {
        return Ok(found);
    }
    let held = AnyCertificate::parse(&read(certificate)?)
        .ok_or_else(|| format!("{}: this is no certificate", certificate.display()))?
        .map_err(|fault| format!("{}: {fault}", certificate.display()))?;
    let cell = match cell {
        Some(path) => Some(canonical::read(&read(path)?).map_err(|fault| {
            format!("{}: {fault}; kansho convert cell.toml cell.kcell writes such a file", path.display())
        })?),
        None => None,
    };
    let apart = |pairs: usize, clearance: f64, regions: usize| {
        format!("{pairs} pairs stay more than {clearance} m apart; {regions} regions")
    };
    Ok(match (&held, &cell) {
        (AnyCertificate::Bodies(held), None) => {
            held.verify().map(|found| apart(1, found.clearance, found.regions)).map_err(|why| why.to_string())
        }
        (AnyCertificate::Contact(held), None) => verify_contact(held)
            .map(|found| {
                format!(
                    "{} motions in contact: features that may touch overlap by at most {} m, and nothing else touches; {} regions",
                    found.moves,
                    found.tolerance,
                    found.regions()
                )
            })
            .map_err(|why| why.to_string()),
        (AnyCertificate::Bodies(_) | AnyCertificate::Contact(_), Some(_)) => {
            return Err(format!(
                "{}: this is about bodies that it holds, and about no cell",
                certificate.display()
            ));
        }
        (AnyCertificate::Cell(_) | AnyCertificate::Route(_), None) => {
            return Err(format!("{}: this is about a cell, which has to be named", certificate.display()));
        }
        (AnyCertificate::Cell(held), Some(cell)) => held
            .verify(cell)
            .map(|found| apart(cell.pairs().checked().len(), found.clearance, found.regions))
            .map_err(|why| why.to_string()),
        (AnyCertificate::Route(held), Some(cell)) => held
            .verify(cell)
            .map(|found| apart(cell.pairs().checked().len(), found.clearance, found.regions))
            .map_err(|why| why.to_string()),
    })
}

/// The same of a file of many motions; none if it is no such file.
fn bundle(path: &Path, cell: &[u8], of_cell: &Path) -> Result<Option<Result<String, String>>, String> {
    let named = |fault: &dyn std::fmt::Display| format!("{}: {fault}", path.display());
    let mut file = std::io::BufReader::new(std::fs::File::open(path).map_err(|error| named(&error))?);
    if !file.fill_buf().map_err(|error| named(&error))?.starts_with(MAGIC) {
        return Ok(None);
    }
    let cell = canonical::read(cell).map_err(|fault| format!("{}: {fault}", of_cell.display()))?;
    let mut reader = BundleReader::new(file).map_err(|fault| named(&fault))?;
    if reader.header().single {
        return Ok(None);
    }
    Ok(Some(match verify_bundle(&mut reader, &cell, &mut |_| {}) {
        Ok(found) => Ok(format!(
            "{} motions in which {} pairs stay more than {} m apart; {} regions",
            found.motions,
            cell.pairs().checked().len(),
            found.clearance,
            found.regions
        )),
        Err(RefusedBundle::File(fault)) => return Err(named(&fault)),
        Err(why) => Err(why.to_string()),
    }))
}
