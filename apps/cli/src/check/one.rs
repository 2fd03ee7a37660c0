//! One motion.

use super::Asked;
use crate::say::{self, Refusal};
use kansho::answer::ExitCode;
use kansho::ask::check::{self, CheckAnswer, MotionVerdict, ReadMotion};
use kansho::cell::Cell;
use kansho::io::{Fault, ReadError, Warning};
use kansho::threads;
use std::path::Path;

pub(super) fn answer(asked: &Asked<'_>, path: &Path, cell: Cell) -> Result<ExitCode, Refusal> {
    let arguments = asked.arguments;
    let loaded = match asked.read(path, &cell) {
        Ok(loaded) => loaded,
        Err(refused) => return partly(asked, path, cell, refused),
    };
    let motion = ReadMotion { path, loaded: &loaded };
    let (scene, warnings) = asked.scene(cell, motion.warnings());
    let (options, budget) = (&asked.options, asked.budget());
    let checked = threads::on(arguments.threads, || check::motion(&scene, &motion, options, &budget));
    let is_open = match &checked {
        Ok(checked) => {
            matches!(&checked.answer.found, MotionVerdict::Undecided(open) if open.unreached.is_none())
                && !budget.is_used_up()
        }
        Err(_) => true,
    };
    if is_open
        && loaded.program.is_some()
        && let Ok(parts) = asked.read_parts(path, scene.cell())
    {
        let mut answer =
            threads::on(arguments.threads, || check::parts(&scene, path, &parts, options, &budget));
        if says_something(&answer) || checked.is_ok() {
            answer.warnings = warnings;
            return Ok(told(asked, &answer));
        }
    }
    let checked = checked?;
    let mut answer = checked.answer;
    answer.warnings = warnings;
    if let (Some(certificate), Some(out)) = (checked.certificate, &arguments.certificate) {
        answer.certificate = Some(None);
        match certificate {
            Ok(certificate) => {
                // JSON for people, by its name; the smaller form for all others, where there is one.
                let is_json = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
                let bytes = certificate.to_bytes().filter(|_| !is_json);
                let bytes = bytes.or_else(|| certificate.to_json().map(String::into_bytes));
                kansho::io::whole_file(out, &bytes.expect("it is about a cell"))?;
                answer.certificate = Some(Some(out.display().to_string()));
                answer.certificate_steps = certificate.steps();
            }
            Err(why) => {
                let what = format!("no certificate is written, though the motion is proven free: {why}");
                say::warnings(&[Warning { path: out.clone(), fault: Fault::of_file(what) }]);
            }
        }
    }
    Ok(told(asked, &answer))
}

/// What of a robot program is proven, although something in it is not understood. What was refused stands, if that is nothing.
fn partly(asked: &Asked<'_>, path: &Path, cell: Cell, refused: ReadError) -> Result<ExitCode, Refusal> {
    let Ok(parts) = asked.read_parts(path, &cell) else { return Err(refused.into()) };
    if parts.lengths().is_empty() {
        return Err(refused.into());
    }
    let of_program = parts.notes.iter().map(|fault| Warning { path: path.to_owned(), fault: fault.clone() });
    let (scene, warnings) = asked.scene(cell, of_program.collect());
    let budget = asked.budget();
    let mut answer =
        threads::on(asked.arguments.threads, || check::parts(&scene, path, &parts, &asked.options, &budget));
    if !says_something(&answer) {
        return Err(refused.into());
    }
    answer.warnings = warnings;
    Ok(told(asked, &answer))
}

/// Whether any line is proven, or collides. Otherwise what was refused says more.
fn says_something(answer: &CheckAnswer) -> bool {
    answer.partial.as_ref().is_some_and(|partial| partial.proven > 0 || !partial.contacts.is_empty())
}

/// Prints an answer.
fn told(asked: &Asked<'_>, answer: &CheckAnswer) -> ExitCode {
    if asked.arguments.json {
        say::json_of(answer);
    } else {
        say::answer(&check::text(answer));
    }
    answer.exit_code()
}
