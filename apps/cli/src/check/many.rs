//! Many motions of one segment each.

use super::Asked;
use crate::progress::Progress;
use crate::{BAD_INPUT, moving, say};
use kansho::ask::check;
use kansho::budget::Budget;
use kansho::cell::Cell;
use kansho::io::{ReadError, Warning, postures};
use kansho::threads;
use std::path::Path;

pub(super) fn run(asked: Asked<'_>, path: &Path, cell: Cell) -> u8 {
    let arguments = asked.arguments;
    let rows = match postures::read_segments(path, &cell, &arguments.units.units()) {
        Ok(rows) => rows,
        Err(error) => return moving::refused(&[error], arguments.json),
    };
    let outside = rows.outside_limits().to_vec();
    if arguments.strict && !outside.is_empty() {
        let error = ReadError { path: path.to_owned(), faults: outside };
        return moving::refused(&[error], arguments.json);
    }
    let outside = outside.into_iter().map(|fault| Warning { path: path.to_owned(), fault }).collect();
    let (scene, warnings) = asked.scene(cell, outside);
    let ends: Vec<&[f64]> = rows.iter().collect();
    let mut answer = threads::on(arguments.threads, || {
        let progress = Progress::of(ends.len() / 2);
        let budget = Budget { progress: Some(progress.counter()), ..asked.budget() };
        check::segments(&scene, &ends, &asked.options, &budget)
    });
    answer.warnings = warnings;
    if let Some(out) = &arguments.out
        && let Err(error) = kansho::io::whole_file(out, answer.table().as_bytes())
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    if arguments.json {
        say::json_of(&answer);
    } else if arguments.out.is_some() {
        say::answer(&answer.summary());
    } else {
        say::answer(&answer.table());
    }
    answer.exit_code().number()
}
