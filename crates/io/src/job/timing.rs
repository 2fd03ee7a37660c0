//! What joints can do, so that a path gets its times.

use super::keys::TIMING;
use crate::cell::toml::{Report, Table, Value, Where};
use kansho_cell::{Cell, Quantity};
use kansho_plan::job::JobTiming;
use kansho_plan::timing::TimeLimits;

/// Seconds from one row of a trajectory to the next, where that is not said.
const CYCLE: f64 = 0.01;

/// The same as it is written, before the cell is known.
pub(super) struct GivenTiming {
    at: Where,
    speed: Option<GivenLimit>,
    acceleration: Option<GivenLimit>,
    jerk: Option<GivenLimit>,
    cycle: f64,
}

/// One number for all joints, or one for each.
struct GivenLimit {
    at: Where,
    numbers: Vec<f64>,
    is_one: bool,
}

impl GivenTiming {
    pub(super) fn read(value: Value<'_>, report: &mut Report<'_>) -> Option<Self> {
        let table = value.table("[timing]", TIMING, report)?;
        let limit = |key: &str, report: &mut Report<'_>| {
            let value = table.get(key)?;
            let is_one = !value.is_list();
            let numbers = match value.is_list() {
                false => vec![value.number(report)?],
                true => value
                    .list("a list of numbers", report)?
                    .into_iter()
                    .map(|value| value.number(report))
                    .collect::<Option<Vec<f64>>>()?,
            };
            if numbers.iter().any(|number| *number <= 0.0) {
                report.note(
                    &value.at(),
                    format!("{key} has to be greater than zero: a joint that cannot move makes no path"),
                );
                return None;
            }
            Some(GivenLimit { at: value.at(), numbers, is_one })
        };
        let speed = limit("joint_speed_deg", report);
        let acceleration = limit("joint_acceleration_deg", report);
        let jerk = limit("joint_jerk_deg", report);
        Some(Self { at: table.at.clone(), speed, acceleration, jerk, cycle: cycle(&table, report) })
    }

    /// For the joints of a robot; those of others stand still.
    pub(super) fn resolve(
        &self,
        cell: &Cell,
        robot: &str,
        tip_speed: f64,
        scale: f64,
        report: &mut Report<'_>,
    ) -> Option<JobTiming> {
        let coordinates = cell.coordinates();
        let own: Vec<usize> = (0..coordinates.len()).filter(|k| coordinates[*k].robot == robot).collect();
        let of = |given: &Option<GivenLimit>, report: &mut Report<'_>| -> Option<Vec<f64>> {
            let given = given.as_ref()?;
            if !given.is_one && given.numbers.len() != own.len() {
                let what = format!(
                    "{} numbers, but robot \"{robot}\" has {} joints: {}",
                    given.numbers.len(),
                    own.len(),
                    own.iter().map(|k| coordinates[*k].joint.as_str()).collect::<Vec<_>>().join(", ")
                );
                report.note(&given.at, what);
                return None;
            }
            let mut all = vec![f64::INFINITY; coordinates.len()];
            for (n, k) in own.iter().enumerate() {
                let number = given.numbers[if given.is_one { 0 } else { n }];
                all[*k] = match coordinates[*k].quantity {
                    Quantity::Angle => number.to_radians(),
                    Quantity::Length => number * scale,
                };
            }
            Some(all)
        };
        let speed = match &self.speed {
            Some(_) => of(&self.speed, report),
            None => {
                let unknown: Vec<&str> = own
                    .iter()
                    .filter(|k| coordinates[**k].max_speed.is_none_or(|speed| !(speed > 0.0)))
                    .map(|k| coordinates[*k].joint.as_str())
                    .collect();
                if !unknown.is_empty() {
                    let what =
                        format!("the robot does not say how fast these joints are: {}", unknown.join(", "));
                    report.note(&self.at, what).help =
                        Some("give joint_speed_deg here, or velocity in the URDF".into());
                }
                let known =
                    |k: usize| coordinates[k].max_speed.filter(|_| own.contains(&k)).unwrap_or(f64::INFINITY);
                unknown.is_empty().then(|| (0..coordinates.len()).map(known).collect())
            }
        };
        let (acceleration, jerk) = (of(&self.acceleration, report), of(&self.jerk, report));
        if !(tip_speed > 0.0) {
            report.note(&self.at, "times need a speed of the tip that is greater than zero").help =
                Some("speed in [motion]".into());
            return None;
        }
        let limits = TimeLimits { speed: speed?, acceleration: acceleration?, jerk: jerk?, tip_speed };
        Some(JobTiming { limits, cycle: self.cycle })
    }
}

fn cycle(table: &Table<'_>, report: &mut Report<'_>) -> f64 {
    let Some(value) = table.get("cycle") else { return CYCLE };
    let cycle = value.number(report).unwrap_or(CYCLE);
    if !(1e-4..=10.0).contains(&cycle) {
        report.note(&value.at(), "cycle is between 0.0001 and 10 seconds");
        return CYCLE;
    }
    cycle
}
