//! One motion.

use super::Asked;
use crate::{BAD_INPUT, moving, say};
use kansho::ask::check::{self, ReadMotion};
use kansho::cell::Cell;
use kansho::io::{Fault, Warning};
use kansho::threads;
use std::path::Path;

pub(super) fn run(asked: Asked<'_>, path: &Path, cell: Cell) -> u8 {
    let arguments = asked.arguments;
    let loaded = match asked.read(path, &cell) {
        Ok(loaded) => loaded,
        Err(error) => return moving::refused(&[error], arguments.json),
    };
    let motion = ReadMotion { path, loaded: &loaded };
    let (scene, warnings) = asked.scene(cell, motion.warnings());
    let (options, budget) = (&asked.options, asked.budget());
    let checked = match threads::on(arguments.threads, || check::motion(&scene, &motion, options, &budget)) {
        Ok(checked) => checked,
        Err(error) => return moving::refused(&[error], arguments.json),
    };
    let mut answer = checked.answer;
    answer.warnings = warnings;
    if let (Some(certificate), Some(out)) = (checked.certificate, &arguments.certificate) {
        answer.certificate = Some(None);
        match certificate {
            Ok(certificate) => {
                let json = certificate.to_json().expect("it is about a cell");
                if let Err(error) = kansho::io::whole_file(out, json.as_bytes()) {
                    say::write_error(&error);
                    return BAD_INPUT;
                }
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
    answer.exit_code().number()
}
