//! The files of a plan.

use super::Asked;
use super::answer::Answer;
use super::place::Places;
use super::relax::Relaxed;
use super::work::Done;
use kansho::cell::JointPiece;
use kansho::io::job::LoadedJob;
use kansho::io::motion_certificate::AnyCertificate;
use kansho::io::planned::{
    Plotted, intervals_csv, map_csv, map_png, moves_json, path_csv, placements_csv, placements_png,
    report_html, waypoints_csv,
};
use kansho::io::{Fault, Warning};
use kansho::plan::cam::{Planned, PlannedRun, PlannedStroke};

/// Names and contents, in the order in which they are told.
pub(super) fn all(
    job: &LoadedJob,
    asked: &Asked,
    done: &Done,
    answer: &Answer,
    relaxed: Option<&Relaxed>,
) -> Vec<(String, Vec<u8>)> {
    let rotations_deg = degrees(job);
    let cell = &job.cell.cell;
    let mut files = Vec::new();
    let path = cells_of(&done.planned);
    if let Planned::Path(found) = &done.planned {
        files.push(("path.csv".to_owned(), path_csv(cell, &job.path, &rotations_deg, found)));
        let many = found.runs.len() > 1;
        for (k, (run, certified)) in found.runs.iter().zip(&done.certificates).enumerate() {
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
                PlannedRun::Tool { moves, route, .. } => {
                    files.push((name("motion", "json"), moves_json(route.start(), moves)));
                }
            }
            if let Some(Ok(times)) = done.timed.get(k) {
                files.extend(times.files(name));
            }
            let certificate = match certified {
                Ok(AnyCertificate::Cell(certified)) => certified.to_json(),
                Ok(AnyCertificate::Route(certified)) => certified.to_json(),
                Ok(AnyCertificate::Bodies(_)) | Err(_) => continue,
            };
            files.push((name("certificate", "json"), certificate.into_bytes()));
        }
        let (programs, notes) = super::programs::all(job, found);
        files.extend(programs);
        let warning = |what: String| Warning { path: asked.out.clone(), fault: Fault::of_file(what) };
        crate::say::warnings(&notes.into_iter().map(warning).collect::<Vec<_>>());
    }
    let pair_name = |pair| done.pair_name(pair);
    match &done.intervals {
        Some(Ok(intervals)) => {
            let joint = |coordinate: usize| cell.coordinates()[coordinate].full_name();
            files.push(("intervals.csv".to_owned(), intervals_csv(intervals, &pair_name, &joint)));
        }
        Some(Err(why)) => {
            let fault = Fault::of_file(format!("no intervals of rotation: {why}"));
            crate::say::warnings(&[Warning { path: asked.out.clone(), fault }]);
        }
        None => {}
    }
    let plotted =
        Plotted { map: &done.map, rotations_deg, path, pair_name: &pair_name, depths: &done.depths };
    files.push(("map.csv".to_owned(), map_csv(&plotted)));
    files.push(("map.png".to_owned(), map_png(&plotted)));
    if let Some((_, relaxed, after)) = relaxed.and_then(|relaxed| relaxed.helps.as_ref()) {
        let pair_name = |pair| after.pair_name(pair);
        let path = cells_of(&after.planned);
        let depths = &after.depths;
        let rotations_deg = degrees(relaxed);
        if let Planned::Path(found) = &after.planned {
            let table = path_csv(&relaxed.cell.cell, &relaxed.path, &rotations_deg, found);
            files.push(("path_relaxed.csv".to_owned(), table));
        }
        let plotted = Plotted { map: &after.map, rotations_deg, path, pair_name: &pair_name, depths };
        files.push(("map_relaxed.png".to_owned(), map_png(&plotted)));
    }
    files.push(("report.html".to_owned(), report_html(&asked.title, &answer.verdict, &answer.sections)));
    files
}

/// Those of a search for a place.
pub(super) fn of_places(asked: &Asked, places: &Places) -> Vec<(String, Vec<u8>)> {
    let table = placements_csv(&places.grid, &places.rows, &places.key);
    if let Some([k, n]) = places.shard {
        return vec![(format!("placements_{k}_of_{n}.csv"), table)];
    }
    let best = places.best.as_ref();
    let mut files = vec![
        ("placements.csv".to_owned(), table),
        ("placements.png".to_owned(), placements_png(&places.grid, &places.rows, best.map(|best| best.0))),
    ];
    if let Some((_, _, job, done)) = best
        && let Planned::Path(found) = &done.planned
    {
        let rotations_deg = degrees(job);
        files
            .push(("path_placed.csv".to_owned(), path_csv(&job.cell.cell, &job.path, &rotations_deg, found)));
        let pair_name = |pair| done.pair_name(pair);
        let path = cells_of(&done.planned);
        let plotted =
            Plotted { map: &done.map, rotations_deg, path, pair_name: &pair_name, depths: &done.depths };
        files.push(("map_placed.png".to_owned(), map_png(&plotted)));
    }
    let sections = [("Places", places.facts())];
    files.push(("report.html".to_owned(), report_html(&asked.title, &places.verdict(), &sections)));
    files
}

/// Point and stance of a path, one after the other.
fn cells_of(planned: &Planned) -> Vec<(usize, usize)> {
    let Planned::Path(path) = planned else { return Vec::new() };
    let of_stroke = |stroke: &PlannedStroke| {
        let first = stroke.first;
        stroke.stances.iter().enumerate().map(|(k, stance)| (first + k, *stance)).collect::<Vec<_>>()
    };
    path.strokes.iter().flat_map(of_stroke).collect()
}

/// The rotations of a job.
fn degrees(job: &LoadedJob) -> Vec<f64> {
    job.axis.rotations().iter().map(|angle| tidy(angle.to_degrees())).collect()
}

/// Degrees that were radians, without the last digits: 30, not 29.999999999999996.
fn tidy(degrees: f64) -> f64 {
    (degrees * 1e9).round() / 1e9
}
