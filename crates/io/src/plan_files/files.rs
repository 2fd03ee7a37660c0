//! Files of a plan.

use super::{
    PlanTimes, Plotted, intervals_csv, map_csv, map_png, moves_json, path_csv, plan_programs, waypoints_csv,
};
use crate::job::LoadedJob;
use kansho_cell::JointPiece;
use kansho_check::scene::{PairId, Scene};
use kansho_plan::cam::{FeasibleMap, FreeInterval, PathGaps, Planned, PlannedRun, PlannedStroke};
use kansho_verify::AnyCertificate;
use std::collections::BTreeMap;

/// Of some points, of each pair the stance in which it is least deep, and how deep: a bound below and one above, in metres.
pub type LeastDepths = BTreeMap<usize, Vec<(PairId, usize, [f64; 2])>>;

/// All that came of a job.
#[derive(Clone, Copy)]
pub struct PlanResult<'a> {
    /// The job.
    pub job: &'a LoadedJob,
    /// Whether the tool goes straight from point to point, instead of all joints moving evenly.
    pub is_lin: bool,
    /// Where the tool is free.
    pub map: &'a FeasibleMap,
    /// The path.
    pub planned: &'a Planned,
    /// Of each run of the path a certificate, or why there is none.
    pub certificates: &'a [Result<AnyCertificate, String>],
    /// Of each run of the path its times, or why there are none; nothing if they are not wanted.
    pub times: &'a [Result<PlanTimes, String>],
    /// Of each point, the free intervals of rotation; or why they are not known.
    pub intervals: Option<&'a Result<Vec<Vec<FreeInterval>>, String>>,
    /// Of points that block the way, where pairs are least deep.
    pub least_depths: &'a LeastDepths,
    /// How near bodies come on the path, if there is one and that was asked for.
    pub gaps: Option<&'a PathGaps>,
    /// Of some points, how deep every stance is.
    pub depths: &'a BTreeMap<usize, Vec<Option<[f64; 2]>>>,
    /// What it was proven in.
    pub scene: &'a Scene,
    /// What a pair is called.
    pub pair_name: &'a (dyn Fn(PairId) -> String + Sync),
}

impl PlanResult<'_> {
    /// Where at a point a pair is least deep, and how deep.
    pub(super) fn least_depth(&self, point: usize, pair: PairId) -> Option<(usize, [f64; 2])> {
        let found = self.least_depths.get(&point)?.iter().find(|(of, ..)| *of == pair)?;
        Some((found.1, found.2))
    }
}

/// Names and contents of all files but the report, in the order in which they are told; and what is odd about them. The last is `map.png`.
#[must_use]
pub fn plan_files(done: &PlanResult<'_>) -> (Vec<(String, Vec<u8>)>, Vec<String>) {
    let (job, cell) = (done.job, &done.job.cell.cell);
    let rotations_deg = rotations_deg(job);
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    if let Planned::Path(found) = done.planned {
        files.push(("path.csv".to_owned(), path_csv(cell, &job.path, &rotations_deg, found)));
        let many = found.runs.len() > 1;
        for (k, (run, certified)) in found.runs.iter().zip(done.certificates).enumerate() {
            let name = |stem: &str, end: &str| {
                if many { format!("{stem}_{}.{end}", k + 1) } else { format!("{stem}.{end}") }
            };
            match run {
                PlannedRun::Joints(motion) => {
                    let corner =
                        |piece: &JointPiece, k: usize| piece.controls().iter().map(|c| c[k]).collect();
                    let first = motion.pieces().first().map(|piece| corner(piece, 0));
                    let postures: Vec<Vec<f64>> = first
                        .into_iter()
                        .chain(motion.pieces().iter().map(|piece| corner(piece, 3)))
                        .collect();
                    files.push((name("motion", "csv"), waypoints_csv(cell, &postures)));
                }
                PlannedRun::Tool { start, moves, .. } => {
                    files.push((name("motion", "json"), moves_json(start, moves)));
                }
            }
            if let Some(Ok(times)) = done.times.get(k) {
                files.extend(times.files(name));
            }
            let Some(certificate) = certified.as_ref().ok().and_then(AnyCertificate::to_json) else {
                continue;
            };
            files.push((name("certificate", "json"), certificate.into_bytes()));
        }
        let (programs, odd) = plan_programs(job, found, done.scene);
        files.extend(programs);
        notes.extend(odd);
    }
    match done.intervals {
        Some(Ok(intervals)) => {
            let joint = |coordinate: usize| cell.coordinates()[coordinate].full_name();
            files.push(("intervals.csv".to_owned(), intervals_csv(intervals, done.pair_name, &joint)));
        }
        Some(Err(why)) => notes.push(format!("no intervals of rotation: {why}")),
        None => {}
    }
    let (path, pair_name, depths) = (cells_of(done.planned), done.pair_name, done.depths);
    let plotted = Plotted { map: done.map, rotations_deg, path, pair_name, depths };
    files.push(("map.csv".to_owned(), map_csv(&plotted)));
    files.push(("map.png".to_owned(), map_png(&plotted)));
    (files, notes)
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
pub fn rotations_deg(job: &LoadedJob) -> Vec<f64> {
    job.axis.rotations().iter().map(|angle| tidy(angle.to_degrees())).collect()
}

/// Degrees that were radians, without the last digits: 30, not 29.999999999999996.
fn tidy(degrees: f64) -> f64 {
    (degrees * 1e9).round() / 1e9
}
