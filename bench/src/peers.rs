//! Other engines, run beside us on the same job.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the peers' programs are, if the user says so.
pub(crate) struct Peers {
    folder: Option<PathBuf>,
}

impl Peers {
    pub(crate) fn from_environment() -> Self {
        Self { folder: std::env::var_os("KANSHO_PEERS").map(PathBuf::from) }
    }

    /// Microseconds that a peer takes for each query of a job; none if there are no peers.
    pub(crate) fn micros(&self, peer: &str, data: &Path, job: &str) -> Option<f64> {
        let folder = self.folder.as_ref()?;
        let output = Command::new(folder.join(peer)).arg(data).arg(folder).arg(job).output();
        let output = output.unwrap_or_else(|error| panic!("{peer} in {}: {error}", folder.display()));
        let text = String::from_utf8_lossy(&output.stdout);
        let nanos = text.split("\"ns\":").nth(1).and_then(|rest| rest.split(',').next()?.parse::<f64>().ok());
        Some(nanos.unwrap_or_else(|| panic!("{peer} {job} printed no time: {text}")) * 1e-3)
    }
}

/// Prints our time beside a peer's.
pub(crate) fn compare(job: &str, ours: f64, wrong: &str, peer: &str, theirs: Option<f64>, asked: f64) {
    match theirs {
        Some(theirs) => println!(
            "{job}: {ours:.2} us each, {wrong}; {peer} {theirs:.1} us; ratio {:.3} (asked: {asked})",
            ours / theirs
        ),
        None => println!("{job}: {ours:.2} us each, {wrong}; no peers (KANSHO_PEERS names no folder)"),
    }
}
