//! How long motions take, where their files or their job say so.

use kansho::cell::Cell;
use kansho::cell::ik::Tip;
use kansho::io::motion_file::ProgramText;
use kansho_viewer::{NamedMotion, TimeBase};
use std::path::Path;

/// Of a trajectory: the times of its points. A program whose moves have no times, or other pieces than moves, has none.
pub(super) fn of_program(named: &NamedMotion, program: &ProgramText) -> TimeBase {
    let pieces = named.motion.pieces().len();
    // Points are numbered from 1, so the piece k, from 0, ends at the point k + 2.
    let end = |k: usize| program.seconds_at(k + 2, 1.0);
    if end(pieces).is_some() {
        return TimeBase::Unknown;
    }
    let ends: Option<Vec<f64>> = (0..pieces).map(end).collect();
    let Some(ends) = ends else { return TimeBase::Unknown };
    let before = std::iter::once(0.0).chain(ends.iter().copied());
    let seconds: Vec<f64> = before.zip(&ends).map(|(from, to)| to - from).collect();
    if seconds.iter().all(|seconds| *seconds >= 0.0) && ends.last().is_some_and(|end| *end > 0.0) {
        TimeBase::Pieces { seconds, says: "as its file says".into() }
    } else {
        TimeBase::Unknown
    }
}

/// Of a plan: the time law of the trajectory beside it, or else the speed of the tool that the job wants.
pub(super) fn of_plan(all: &mut [NamedMotion], path: &Path, cell: &Cell, robot: &str, speed: f64) {
    let cycle = path
        .file_stem()
        .and_then(|stem| stem.to_str()?.strip_prefix("motion").map(|rest| format!("trajectory{rest}.csv")))
        .and_then(|name| last_time(&path.with_file_name(name)));
    for named in all {
        named.times = match cycle {
            Some(seconds) => TimeBase::Whole { seconds, says: "cycle time of the plan".into() },
            None => Tip::tool(cell, robot)
                .map_or(TimeBase::Unknown, |tip| TimeBase::at_speed(cell, &tip, &named.motion, speed)),
        };
    }
}

/// When the last row of a trajectory is reached, in seconds.
fn last_time(file: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let is_one = text.lines().next()?.starts_with("time,");
    let last = text.lines().last()?.split(',').next()?.parse::<f64>().ok()?;
    (is_one && last > 0.0 && last.is_finite()).then_some(last)
}
