//! Many motions of one segment each.

use super::Asked;
use crate::progress::Progress;
use crate::say::{self, Refusal};
use kansho::answer::ExitCode;
use kansho::ask::check;
use kansho::budget::Budget;
use kansho::cell::Cell;
use kansho::io::{Warning, postures};
use kansho::threads;
use std::path::Path;

pub(super) fn answer(asked: &Asked<'_>, path: &Path, cell: Cell) -> Result<ExitCode, Refusal> {
    let arguments = asked.arguments;
    let rows = postures::read_segments(path, &cell, &arguments.units.units())?;
    let outside = rows.outside_limits().to_vec();
    if arguments.strict && !outside.is_empty() {
        return Err(Refusal::of_file(path, outside));
    }
    let outside = outside.into_iter().map(|fault| Warning { path: path.to_owned(), fault }).collect();
    let (scene, warnings) = asked.scene(cell, outside);
    let ends: Vec<&[f64]> = rows.iter().collect();
    let mut answer = threads::on(arguments.threads, || {
        let progress = Progress::of(ends.len() / 2);
        let budget = Budget { progress: Some(progress.counter()), ..asked.budget() };
        match &arguments.certificate {
            None => Ok(check::segments(&scene, &ends, &asked.options, &budget)),
            Some(path) => kansho::io::whole_stream(path, |out| {
                check::certified_segments(&scene, &ends, &asked.options, &budget, out)
            }),
        }
    })?;
    answer.warnings = warnings;
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
