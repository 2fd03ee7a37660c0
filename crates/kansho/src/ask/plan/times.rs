//! The times of a path.

use crate::fact::Fact;
use kansho_cell::ik::{Ik, Tip};
use kansho_cell::{Cell, Coordinate};
use kansho_io::plan_files::{trajectory_csv, trajectory_json, trajectory_rows};
use kansho_plan::cam::PlannedPath;
use kansho_plan::job::Job;
use kansho_plan::timing::{Slow, Timed, Why, timed};
use schemars::JsonSchema;
use serde::Serialize;

/// Places that are listed, at most.
const NAMED: usize = 8;

/// The times of one run.
#[derive(Clone, Debug)]
pub struct PlanTimes {
    duration: f64,
    joints_secs: f64,
    /// Metres at work, and of these at the speed that the job asks for.
    work: [f64; 2],
    stops: usize,
    slow: Vec<Slow>,
    csv: Vec<u8>,
    json: Vec<u8>,
}

/// Of every run, its times or why there are none; nothing if the job does not ask for them.
pub(super) fn plan_times(
    job: &Job,
    cell: &Cell,
    tip: Tip,
    ik: &Ik,
    path: &PlannedPath,
) -> Vec<Result<PlanTimes, String>> {
    let Some(timing) = &job.timing else { return Vec::new() };
    let of = |run| {
        let timed =
            timed(cell, tip, ik, run, job.blend, &timing.limits).map_err(|fault| fault.to_string())?;
        let rows = trajectory_rows(&timed, timing.cycle)
            .map_err(|time| format!("no posture was found after {time} s"))?;
        let (csv, json) = (trajectory_csv(cell, &rows), trajectory_json(cell, &rows));
        let duration = timed.duration();
        let Timed { joints_secs, work, stops, slow, .. } = timed;
        Ok(PlanTimes { duration, joints_secs, work, stops, slow, csv, json })
    };
    path.runs.iter().map(of).collect()
}

impl PlanTimes {
    /// Names and contents of its files.
    pub(super) fn files(&self, name: impl Fn(&str, &str) -> String) -> [(String, Vec<u8>); 2] {
        [(name("trajectory", "csv"), self.csv.clone()), (name("trajectory", "json"), self.json.clone())]
    }
}

/// The times of a run, or why there are none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TimesAnswer {
    /// There are none.
    None {
        /// Why.
        none: String,
    },
    /// There are.
    Known {
        /// Seconds for all of it.
        duration: f64,
        /// Seconds of these between strokes.
        between_strokes: f64,
        /// The speed of the TCP that the job asks for, in metres per second.
        speed: f64,
        /// Metres at work.
        work_length: f64,
        /// Metres of these at that speed.
        length_at_speed: f64,
        /// How often the tool stops at work.
        stops: usize,
        /// Whether the job rounds corners off.
        rounded: bool,
        /// Where the tool is slower, and why.
        slower: Vec<SlowAnswer>,
    },
}

/// Where the tool is slower than the job asks for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SlowAnswer {
    /// The first and the last move, from 1.
    pub moves: [usize; 2],
    /// The least speed there, in metres per second.
    pub speed: f64,
    /// What limits it.
    pub why: String,
    /// Whether that is a stop.
    pub stop: bool,
}

impl TimesAnswer {
    pub(super) fn of(job: &Job, timed: &Result<PlanTimes, String>) -> Self {
        let times = match timed {
            Ok(times) => times,
            Err(why) => return Self::None { none: why.clone() },
        };
        let slower = |slow: &Slow| SlowAnswer {
            moves: slow.moves.map(|number| number + 1),
            speed: slow.least,
            why: why(&job.cell, slow.why),
            stop: slow.why == Why::Stop,
        };
        Self::Known {
            duration: times.duration,
            between_strokes: times.joints_secs,
            speed: job.timing.as_ref().map_or(0.0, |timing| timing.limits.tip_speed),
            work_length: times.work[0],
            length_at_speed: times.work[1],
            stops: times.stops,
            rounded: job.zone > 0.0,
            slower: times.slow.iter().map(slower).collect(),
        }
    }

    pub(super) fn facts(&self) -> Vec<Fact> {
        let Self::Known {
            duration,
            between_strokes,
            speed,
            work_length,
            length_at_speed,
            stops,
            rounded,
            slower,
        } = self
        else {
            let Self::None { none } = self else { return Vec::new() };
            return vec![Fact::new("times", format!("none: {none}"))];
        };
        let joints = match *between_strokes {
            0.0 => String::new(),
            secs => format!(", {secs:.2} s of these between strokes"),
        };
        let share = 100.0 * length_at_speed / work_length.max(1e-12);
        let mut value = format!("{:.1} mm/s on {share:.1} % of the bead", 1e3 * speed);
        if *stops > 0 {
            value += &format!("; {stops} stops");
            value += if *rounded { "" } else { ": its corners are not rounded (zone in [motion] is 0)" };
        }
        let mut facts =
            vec![Fact::new("cycle time", format!("{duration:.2} s{joints}")), Fact::new("tool speed", value)];
        let own: Vec<&SlowAnswer> = slower.iter().filter(|slow| !slow.stop).collect();
        facts.extend(own.iter().take(NAMED).map(|slow| {
            let (range, speed) = (range(slow.moves), 1e3 * slow.speed);
            Fact::new("slower", format!("{range}: {speed:.1} mm/s at the least, for {}", slow.why))
        }));
        if own.len() > NAMED {
            facts.push(Fact::new("slower", format!("at {} more places", own.len() - NAMED)));
        }
        facts
    }
}

fn range(moves: [usize; 2]) -> String {
    match moves {
        [a, b] if a == b => format!("move {a}"),
        [a, b] => format!("moves {a} to {b}"),
    }
}

fn why(cell: &Cell, why: Why) -> String {
    let name = |k: usize| cell.coordinates().get(k).map_or_else(String::new, Coordinate::full_name);
    match why {
        Why::Wanted => "nothing".into(),
        Why::Stop => "a stop".into(),
        Why::Speed(k) => format!("the speed of {}", name(k)),
        Why::Acceleration(k) => format!("the acceleration of {}", name(k)),
        Why::Jerk(k) => format!("the jerk of {}", name(k)),
    }
}
