//! The times of a path.

use super::{Fact, trajectory_csv, trajectory_json, trajectory_rows};
use crate::job::LoadedJob;
use kansho_cell::ik::{Ik, Tip};
use kansho_cell::{Cell, Coordinate};
use kansho_plan::cam::PlannedPath;
use kansho_plan::timing::{Slow, Timed, Why, timed};
use serde_json::{Value, json};

/// Places that are told, at most.
const NAMED: usize = 8;

/// The times of one run.
#[derive(Clone, Debug)]
pub struct PlanTimes {
    duration: f64,
    joints_secs: f64,
    /// Metres at work, and of these at the speed that is wanted.
    work: [f64; 2],
    stops: usize,
    slow: Vec<Slow>,
    csv: Vec<u8>,
    json: Vec<u8>,
}

/// Of every run, its times or why there are none; nothing if the job wants none.
#[must_use]
pub fn plan_times(
    job: &LoadedJob,
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

/// In words, and for programs.
pub(super) fn told(job: &LoadedJob, all: &[Result<PlanTimes, String>]) -> (Vec<Fact>, Vec<Value>) {
    let (mut facts, mut values) = (Vec::new(), Vec::new());
    let cell = &job.cell.cell;
    let wanted = job.timing.as_ref().map_or(0.0, |timing| timing.limits.tip_speed);
    for times in all {
        let times = match times {
            Ok(times) => times,
            Err(why) => {
                facts.push(Fact::new("times", format!("none: {why}")));
                values.push(json!({ "none": why }));
                continue;
            }
        };
        let joints = match times.joints_secs {
            0.0 => String::new(),
            secs => format!(", {secs:.2} s of these between strokes"),
        };
        facts.push(Fact::new("cycle time", format!("{:.2} s{joints}", times.duration)));
        let [work, full] = times.work;
        let mut value =
            format!("{:.1} mm/s on {:.1} % of the bead", 1e3 * wanted, 100.0 * full / work.max(1e-12));
        if times.stops > 0 {
            value += &format!("; {} stops", times.stops);
            value +=
                if job.zone > 0.0 { "" } else { ": its corners are not rounded (zone in [motion] is 0)" };
        }
        facts.push(Fact::new("tool speed", value));
        let own: Vec<&Slow> = times.slow.iter().filter(|slow| slow.why != Why::Stop).collect();
        for slow in own.iter().take(NAMED) {
            let value = format!(
                "{}: {:.1} mm/s at the least, for {}",
                range(slow),
                1e3 * slow.least,
                why(cell, slow.why)
            );
            facts.push(Fact::new("slower", value));
        }
        if own.len() > NAMED {
            facts.push(Fact::new("slower", format!("at {} more places", own.len() - NAMED)));
        }
        values.push(json!({
            "duration": times.duration, "between_strokes": times.joints_secs, "work_length": work,
            "length_at_speed": full, "stops": times.stops,
            "slower": times.slow.iter().map(|slow| json!({
                "moves": [slow.moves[0] + 1, slow.moves[1] + 1], "speed": slow.least, "why": why(cell, slow.why),
            })).collect::<Vec<_>>(),
        }));
    }
    (facts, values)
}

fn range(slow: &Slow) -> String {
    match slow.moves {
        [a, b] if a == b => format!("move {}", a + 1),
        [a, b] => format!("moves {} to {}", a + 1, b + 1),
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
