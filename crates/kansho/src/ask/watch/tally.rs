//! What happened while a cell was watched.

use crate::answer::ExitCode;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// What happened so far, in constant memory.
#[derive(Default)]
pub struct Tally {
    /// Postures that were answered.
    pub postures: u64,
    /// Those of them that touch.
    pub hits: u64,
    /// Lines that were wrong.
    pub errors: u64,
    /// Lines that were dropped.
    pub dropped: u64,
    /// From line in to line out.
    latency: Histogram,
}

impl Tally {
    /// 1 if something touched.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        if self.hits > 0 { ExitCode::No } else { ExitCode::Done }
    }

    /// Counts a line that was no posture.
    pub fn add_wrong(&mut self, dropped: u64) {
        self.dropped += dropped;
        self.errors += 1;
    }

    /// Counts a posture that was answered.
    pub fn add(&mut self, hit: bool, dropped: u64, latency: Duration) {
        self.dropped += dropped;
        self.postures += 1;
        self.hits += u64::from(hit);
        self.latency.add(latency);
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { postures, hits, errors, dropped, latency } = self;
        let mut text = format!("{postures} postures, {hits} touch; {dropped} dropped, {errors} errors\n");
        if latency.count == 0 {
            return text;
        }
        text += "microseconds from line in to line out: ";
        let figures: Vec<String> =
            latency.figures().iter().map(|(name, value)| format!("{name} {value:.0}")).collect();
        text += &figures.join(", ");
        text.push('\n');
        let rows = latency.octaves();
        let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1);
        for (below, count) in rows {
            // At least one mark, so that the rare slow ones are seen.
            let marks = "#".repeat((count * 40).div_ceil(most) as usize);
            writeln!(text, "{:>9} to {below:>9} {count:>10} {marks}", below / 2)
                .expect("writing to a string succeeds");
        }
        text
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let Self { postures, hits, errors, dropped, latency } = self;
        let figures: serde_json::Map<String, Value> =
            latency.figures().iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        json!({ "summary": {
            "postures": postures, "hits": hits, "errors": errors, "dropped": dropped, "latency_us": figures
        } })
    }
}

/// Steps within an octave: figures are right to 3 percent.
const STEPS: usize = 32;

/// Counts of times in bins that grow with them.
struct Histogram {
    bins: Vec<u64>,
    count: u64,
    least: u64,
    most: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { bins: vec![0; 64 * STEPS], count: 0, least: u64::MAX, most: 0 }
    }
}

impl Histogram {
    fn add(&mut self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(STEPS as u64);
        let octave = nanos.ilog2();
        let step = (nanos >> (octave - STEPS.ilog2())) as usize - STEPS;
        self.bins[octave as usize * STEPS + step] += 1;
        self.count += 1;
        self.least = self.least.min(nanos);
        self.most = self.most.max(nanos);
    }

    /// Names and microseconds.
    fn figures(&self) -> [(&'static str, f64); 6] {
        let at = |part: f64| self.quantile(part) as f64 / 1e3;
        [
            ("min", if self.count == 0 { 0.0 } else { self.least as f64 / 1e3 }),
            ("median", at(0.5)),
            ("p90", at(0.9)),
            ("p99", at(0.99)),
            ("p99.9", at(0.999)),
            ("max", self.most as f64 / 1e3),
        ]
    }

    /// The upper end of the bin below which a part of all times lies.
    fn quantile(&self, part: f64) -> u64 {
        let wanted = (part * self.count as f64).ceil() as u64;
        let mut seen = 0;
        for (index, count) in self.bins.iter().enumerate() {
            seen += count;
            if seen >= wanted && *count > 0 {
                let (octave, step) = (index / STEPS, index % STEPS);
                let top = ((STEPS + step + 1) as u128) << octave >> STEPS.ilog2();
                return u64::try_from(top).unwrap_or(u64::MAX).min(self.most);
            }
        }
        self.most
    }

    /// Microseconds, a power of two, and how many times lie between half of it and it; from the first that has some to the last.
    fn octaves(&self) -> Vec<(u64, u64)> {
        // In microseconds, not in powers of two of nanoseconds: people read it.
        let mut rows = vec![0u64; 64];
        for (index, count) in self.bins.iter().enumerate() {
            let (octave, step) = (index / STEPS, index % STEPS);
            let micros = (((STEPS + step) as u128) << octave >> STEPS.ilog2()) / 1000;
            let row =
                u64::try_from(micros).unwrap_or(u64::MAX).checked_ilog2().map_or(0, |log| log as usize + 1);
            rows[row.min(62)] += count;
        }
        let first = rows.iter().position(|count| *count > 0).unwrap_or(0);
        let last = rows.iter().rposition(|count| *count > 0).unwrap_or(0);
        (first..=last).map(|row| (1 << row, rows[row])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_times() {
        let mut tally = Tally::default();
        assert!(tally.text().starts_with("0 postures"));
        for micros in 1..=1000 {
            tally.latency.add(Duration::from_micros(micros));
        }
        let figures: Vec<f64> = tally.latency.figures().iter().map(|(_, value)| *value).collect();
        for (found, expected) in figures.iter().zip([1.0, 500.0, 900.0, 990.0, 999.0, 1000.0]) {
            assert!((found / expected - 1.0).abs() < 0.04, "{found} instead of {expected}");
        }
        let rows = tally.latency.octaves();
        assert_eq!(rows.iter().map(|(_, count)| count).sum::<u64>(), 1000);
        assert_eq!(rows.last().map(|row| row.0), Some(1024));
        tally.latency.add(Duration::MAX);
        tally.latency.add(Duration::ZERO);
        assert!(tally.text().contains("max"));
        assert_eq!(tally.json()["summary"]["latency_us"]["min"], 0.032);
    }
}
