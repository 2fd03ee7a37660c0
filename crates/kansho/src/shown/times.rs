//! When a motion is where, as far as anything says so. Nothing is made up: a motion without times is shown without seconds.

use super::NamedMotion;
use kansho_cell::ik::Tip;
use kansho_cell::{Cell, JointMotion, Quantity};
use kansho_io::motion_file::ProgramText;
use std::path::Path;

/// What is known of the times of a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TimeBase {
    /// Nothing says how long it takes.
    #[default]
    Unknown,
    /// How long each piece takes, in seconds, and what says so.
    Pieces {
        /// One number for each piece.
        seconds: Vec<f64>,
        /// In words.
        says: String,
    },
    /// How long all of it takes, in seconds, and what says so.
    Whole {
        /// The duration.
        seconds: f64,
        /// In words.
        says: String,
    },
}

/// Instants of a piece between which the way of the tip is taken as straight.
const CHORDS: usize = 16;

/// A tip that goes less than this, in metres, while a joint turns by more than [`TURNS`], does not tell how long that takes.
const STANDS: f64 = 1e-4;

/// See [`STANDS`]; in radians, or metres for joints that slide a tenth of it.
const TURNS: f64 = 0.02;

impl TimeBase {
    /// The times of a motion whose tip keeps its speed, in metres per second, all along. Unknown where the speed of the tip does not tell
    /// them: where there is none, or where joints move and the tip does not.
    #[must_use]
    pub fn at_speed(cell: &Cell, tip: &Tip, motion: &JointMotion, speed: f64) -> Self {
        if !(speed > 0.0) {
            return Self::Unknown;
        }
        let mut seconds = Vec::new();
        for k in 0..motion.pieces().len() {
            let posture = |n: usize| motion.at(motion.time(k, n as f64 / CHORDS as f64));
            let place = |n: usize| tip.placed(cell, &posture(n)).translation();
            let length: f64 = (0..CHORDS).map(|n| place(n + 1).distance(place(n))).sum();
            let [from, to] = [posture(0), posture(CHORDS)];
            let turns = from.iter().zip(&to).zip(cell.coordinates()).any(|((from, to), joint)| {
                let enough = if joint.quantity == Quantity::Angle { TURNS } else { 0.1 * TURNS };
                (to - from).abs() > enough
            });
            if !length.is_finite() || (turns && length < STANDS) {
                return Self::Unknown;
            }
            seconds.push(length / speed);
        }
        let says = format!("at {} mm/s", (1e6 * speed).round() / 1e3);
        if seconds.iter().sum::<f64>() > 0.0 { Self::Pieces { seconds, says } } else { Self::Unknown }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_cell::builtin;

    #[test]
    fn times_are_those_of_the_way_of_the_tip() {
        let cell = builtin::cell();
        let tip = Tip::tool(&cell, "arm").expect("a tool");
        let mut aside = builtin::home();
        aside[0] += 0.5;
        let motion = JointMotion::lines(&[builtin::home(), aside, builtin::home()]).expect("three postures");
        // The first joint is upright: the tip goes on a circle about it.
        let at = tip.placed(&cell, &builtin::home()).translation();
        let radius = at.x.hypot(at.y);
        let TimeBase::Pieces { seconds, says } = TimeBase::at_speed(&cell, &tip, &motion, 0.1) else {
            panic!("they are known")
        };
        assert_eq!((seconds.len(), says.as_str()), (2, "at 100 mm/s"));
        for piece in seconds {
            let arc = 0.5 * radius / 0.1;
            assert!((piece - arc).abs() < 1e-3 * arc, "{piece} instead of {arc}");
        }
        assert_eq!(TimeBase::at_speed(&cell, &tip, &motion, 0.0), TimeBase::Unknown);
        // Standing still at the tip, nobody knows.
        let still = JointMotion::lines(&[builtin::home(), builtin::home()]).expect("two postures");
        assert_eq!(TimeBase::at_speed(&cell, &tip, &still, 0.1), TimeBase::Unknown);
    }
}
