//! One motion.

use super::Asked;
use crate::say::{self, Refusal};
use kansho::answer::ExitCode;
use kansho::ask::check::{self, FileMotion};
use kansho::cell::Cell;
use kansho::io::{Fault, Warning};
use kansho::threads;
use std::path::Path;

pub(super) fn answer(asked: &Asked<'_>, path: &Path, cell: Cell) -> Result<ExitCode, Refusal> {
    let arguments = asked.arguments;
    let as_read = asked.motion_options();
    let read = FileMotion::read(path, &cell, &as_read)?;
    let (scene, warnings) = asked.scene(cell, read.warnings(path));
    let (options, budget) = (&asked.options, asked.budget());
    let checked =
        threads::on(arguments.threads, || check::file(&scene, path, &read, &as_read, options, &budget))?;
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
    if arguments.json {
        say::json_of(&answer);
    } else {
        say::answer(&check::text(&answer));
    }
    Ok(answer.exit_code())
}
