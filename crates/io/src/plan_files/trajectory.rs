//! A run with its times, row by row.

use kansho_cell::Cell;
use kansho_plan::timing::{Instant, Timed};
use serde_json::json;
use std::fmt::Write;

/// What is at every cycle of a run, and at its end.
///
/// # Errors
/// The time of an instant at which no posture is found, in seconds.
pub fn rows(timed: &Timed<'_>, cycle: f64) -> Result<Vec<(f64, Instant)>, f64> {
    let duration = timed.duration();
    let count = (duration / cycle).ceil() as usize;
    let time = |k: usize| (k as f64 * cycle).min(duration);
    (0..=count).map(|k| timed.at(time(k)).map(|instant| (time(k), instant)).ok_or(time(k))).collect()
}

/// As a table: time, the posture in radians and metres, the speed of the tip, and the number of the move, from 1.
#[must_use]
pub fn trajectory_csv(cell: &Cell, rows: &[(f64, Instant)]) -> Vec<u8> {
    let mut text = String::from("time");
    for coordinate in cell.coordinates() {
        let _ = write!(text, ",{}", coordinate.full_name());
    }
    text += ",tip_speed,move\n";
    for (time, now) in rows {
        let _ = write!(text, "{}", tidy(*time));
        for value in &now.posture {
            let _ = write!(text, ",{value}");
        }
        let speed = now.tip_speed.map_or(String::new(), |speed| format!("{speed:.6}"));
        let _ = writeln!(text, ",{speed},{}", now.of_move + 1);
    }
    text.into_bytes()
}

/// As lists of positions, velocities and accelerations, by the names that ROS has for them.
#[must_use]
pub fn trajectory_json(cell: &Cell, rows: &[(f64, Instant)]) -> Vec<u8> {
    let names: Vec<String> = cell.coordinates().iter().map(|coordinate| coordinate.full_name()).collect();
    let points: Vec<_> = rows
        .iter()
        .map(|(time, now)| {
            json!({
                "time_from_start": tidy(*time), "positions": now.posture, "velocities": now.rates,
                "accelerations": now.accelerations,
            })
        })
        .collect();
    let mut text = json!({ "joint_names": names, "points": points }).to_string();
    text.push('\n');
    text.into_bytes()
}

/// Without the last digits: 0.29, not 0.29000000000000004.
fn tidy(secs: f64) -> f64 {
    (secs * 1e9).round() / 1e9
}
