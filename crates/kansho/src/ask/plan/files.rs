//! Files of a plan.

use super::relax::Relaxed;
use super::{PlanWork, programs};
use kansho_cell::JointPiece;
use kansho_io::job::LoadedJob;
use kansho_io::plan_files::{Plotted, intervals_csv, map_csv, map_png, moves_json, path_csv, waypoints_csv};
use kansho_plan::cam::{Planned, PlannedRun, PlannedStroke};
use kansho_verify::AnyCertificate;
use serde_json::json;
use std::path::Path;

/// Files of a plan: their names and contents, in the order in which they are listed.
pub struct PlanFiles {
    /// All of them; [`PlanFiles::with_report`] adds the last two.
    pub files: Vec<(String, Vec<u8>)>,
    /// What is odd about them: why a program or a table is not among them.
    pub notes: Vec<String>,
}

impl PlanFiles {
    /// The picture of the map.
    #[must_use]
    pub fn map(&self) -> &[u8] {
        self.files.iter().find(|(name, _)| name == "map.png").map_or(&[], |(_, bytes)| bytes)
    }

    /// With the report, and `plan.json`, which names the job and all files, so that `kansho view` finds what belongs together and the next plan
    /// puts away what it does not write.
    #[must_use]
    pub fn with_report(mut self, report: Vec<u8>, job: &Path, folder: &Path) -> Self {
        let (list, report) = ("plan.json".to_owned(), ("report.html".to_owned(), report));
        let names: Vec<&String> = self.files.iter().map(|(name, _)| name).chain([&list, &report.0]).collect();
        let text = format!("{}\n", json!({ "job": job_from(job, folder), "files": names }));
        self.files.push((list, text.into_bytes()));
        self.files.push(report);
        self
    }

    /// Their names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.files.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Where the job is, seen from the folder of its plan: so that both can be moved together if one lies in the other.
fn job_from(job: &Path, folder: &Path) -> String {
    let job = std::path::absolute(job).unwrap_or_else(|_| job.to_owned());
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    match (job.parent(), job.file_name()) {
        (Some(above), Some(name)) if folder.parent() == Some(above) => {
            format!("../{}", name.to_string_lossy())
        }
        _ => job.display().to_string(),
    }
}

impl super::Planned<'_> {
    /// Tables, pictures, certificates and robot programs; each program is read back and proven before it is among them. With what would help, if
    /// something does.
    #[must_use]
    pub fn files(&self, relaxed: Option<&Relaxed>) -> PlanFiles {
        let (loaded, work, cell) = (self.job, self.work, &self.job.job.cell);
        let rotations = rotations_deg(loaded);
        let (mut files, mut notes) = (Vec::new(), Vec::new());
        if let Planned::Path(found) = &work.planned {
            files.push(("path.csv".to_owned(), path_csv(cell, &loaded.job.path, &rotations, found)));
            let many = found.runs.len() > 1;
            for (k, (run, certified)) in found.runs.iter().zip(&work.certificates).enumerate() {
                let name = |stem: &str, end: &str| {
                    if many { format!("{stem}_{}.{end}", k + 1) } else { format!("{stem}.{end}") }
                };
                files.push(match run {
                    PlannedRun::Joints(motion) => {
                        (name("motion", "csv"), waypoints_csv(cell, &waypoints(motion.pieces())))
                    }
                    PlannedRun::Tool { start, moves, .. } => {
                        (name("motion", "json"), moves_json(start, moves))
                    }
                });
                if let Some(Ok(times)) = work.timed.get(k) {
                    files.extend(times.files(name));
                }
                let Some(certificate) = certified.as_ref().ok().and_then(AnyCertificate::to_json) else {
                    continue;
                };
                files.push((name("certificate", "json"), certificate.into_bytes()));
            }
            let (programs, odd) = programs::plan_programs(loaded, found, self.scene);
            files.extend(programs);
            notes.extend(odd);
        }
        let pair_name = |pair| self.pair_name(pair);
        match &work.intervals {
            Some(Ok(intervals)) => {
                let joint = |coordinate: usize| cell.coordinates()[coordinate].full_name();
                files.push(("intervals.csv".to_owned(), intervals_csv(intervals, &pair_name, &joint)));
            }
            Some(Err(why)) => notes.push(format!("no intervals of rotation: {why}")),
            None => {}
        }
        let plotted = plotted(loaded, work, &pair_name);
        files.push(("map.csv".to_owned(), map_csv(&plotted)));
        files.push(("map.png".to_owned(), map_png(&plotted)));
        if let Some((_, relaxed, after)) = relaxed.and_then(|relaxed| relaxed.helps.as_ref()) {
            files.extend(path_and_map(relaxed, after, "relaxed", &|pair| self.pair_name(pair)));
        }
        PlanFiles { files, notes }
    }
}

/// `path_NAME.csv` and `map_NAME.png` of another job than the one that was asked about.
pub(super) fn path_and_map(
    loaded: &LoadedJob,
    work: &PlanWork,
    name: &str,
    pair_name: &(dyn Fn(kansho_check::scene::PairId) -> String + Sync),
) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    if let Planned::Path(found) = &work.planned {
        let table = path_csv(&loaded.job.cell, &loaded.job.path, &rotations_deg(loaded), found);
        files.push((format!("path_{name}.csv"), table));
    }
    files.push((format!("map_{name}.png"), map_png(&plotted(loaded, work, pair_name))));
    files
}

fn plotted<'a>(
    loaded: &LoadedJob,
    work: &'a PlanWork,
    pair_name: &'a (dyn Fn(kansho_check::scene::PairId) -> String + Sync),
) -> Plotted<'a> {
    Plotted {
        map: &work.map,
        rotations_deg: rotations_deg(loaded),
        path: cells_of(&work.planned),
        pair_name,
        depths: &work.depths,
    }
}

/// The postures between pieces, with the first and the last.
fn waypoints(pieces: &[JointPiece]) -> Vec<Vec<f64>> {
    let corner = |piece: &JointPiece, k: usize| piece.controls().iter().map(|c| c[k]).collect();
    let first = pieces.first().map(|piece| corner(piece, 0));
    first.into_iter().chain(pieces.iter().map(|piece| corner(piece, 3))).collect()
}

/// Point and stance of a path, one after the other.
#[must_use]
pub fn cells_of(planned: &Planned) -> Vec<(usize, usize)> {
    let Planned::Path(path) = planned else { return Vec::new() };
    let of_stroke = |stroke: &PlannedStroke| {
        let first = stroke.first;
        stroke.stances.iter().enumerate().map(|(k, stance)| (first + k, *stance)).collect::<Vec<_>>()
    };
    path.strokes.iter().flat_map(of_stroke).collect()
}

/// The rotations of a job, in degrees.
#[must_use]
pub fn rotations_deg(loaded: &LoadedJob) -> Vec<f64> {
    loaded.job.axis.rotations().iter().map(|angle| tidy(angle.to_degrees())).collect()
}

/// Degrees that were radians, without the last digits: 30, not 29.999999999999996.
fn tidy(degrees: f64) -> f64 {
    (degrees * 1e9).round() / 1e9
}
