//! The files of a plan.

use super::Asked;
use super::answer::Answer;
use super::work::Done;
use kansho::io::job::LoadedJob;
use kansho::io::planned::{Plotted, map_csv, map_png, path_csv, report_html, waypoints_csv};
use kansho::io::{Fault, Warning};
use kansho::plan::cam::Planned;

/// Names and contents, in the order in which they are told.
pub(super) fn all(job: &LoadedJob, asked: &Asked, done: &Done, answer: &Answer) -> Vec<(String, Vec<u8>)> {
    let rotations_deg: Vec<f64> = job.axis.rotations().iter().map(|angle| tidy(angle.to_degrees())).collect();
    let cell = &job.cell.cell;
    let mut files = Vec::new();
    let mut path = Vec::new();
    if let Planned::Path(found) = &done.planned {
        for stroke in &found.strokes {
            path.extend(stroke.stances.iter().enumerate().map(|(k, stance)| (stroke.first + k, *stance)));
        }
        files.push(("path.csv".to_owned(), path_csv(cell, &job.path, &rotations_deg, found)));
        let many = done.motions.len() > 1;
        for (k, (motion, certified)) in done.motions.iter().enumerate() {
            let name = |stem: &str, end: &str| {
                if many { format!("{stem}_{}.{end}", k + 1) } else { format!("{stem}.{end}") }
            };
            let count = motion.pieces().len();
            let postures: Vec<Vec<f64>> = (0..=count)
                .map(|piece| {
                    let mut posture = Vec::new();
                    let (piece, u) = if piece == count { (count - 1, 1.0) } else { (piece, 0.0) };
                    motion.pieces()[piece].at(u, &mut posture);
                    posture
                })
                .collect();
            files.push((name("motion", "csv"), waypoints_csv(cell, &postures)));
            if let Ok(certified) = certified {
                files.push((name("certificate", "json"), certified.to_json().into_bytes()));
            }
        }
        let (programs, notes) = super::programs::all(job, asked, done);
        files.extend(programs);
        let warning = |what: String| Warning { path: asked.out.clone(), fault: Fault::of_file(what) };
        crate::say::warnings(&notes.into_iter().map(warning).collect::<Vec<_>>());
    }
    let pair_name = |pair| done.pair_name(pair);
    let plotted = Plotted { map: &done.map, rotations_deg, path, pair_name: &pair_name };
    files.push(("map.csv".to_owned(), map_csv(&plotted)));
    files.push(("map.png".to_owned(), map_png(&plotted)));
    files.push(("report.html".to_owned(), report_html(&asked.title, &answer.verdict, &answer.sections)));
    files
}

/// Degrees that were radians, without the last digits: 30, not 29.999999999999996.
fn tidy(degrees: f64) -> f64 {
    (degrees * 1e9).round() / 1e9
}
