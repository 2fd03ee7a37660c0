//! The files of a plan.

use super::Asked;
use super::answer::Answer;
use super::place::Places;
use super::relax::Relaxed;
use super::work::Done;
use kansho::io::job::LoadedJob;
use kansho::io::plan_files::{
    Plotted, cells_of, map_png, path_csv, placements_csv, placements_png, plan_files, rotations_deg,
};
use kansho::io::{Fault, Warning};
use kansho::plan::cam::Planned;
use kansho_viewer::plan_report;
use serde_json::json;

/// Names and contents, in the order in which they are told.
pub(super) fn all(
    job: &LoadedJob,
    asked: &Asked,
    done: &Done,
    answer: &Answer,
    relaxed: Option<&Relaxed>,
) -> Vec<(String, Vec<u8>)> {
    let (mut files, notes) = done.with(job, asked, plan_files);
    let warning = |what: String| Warning { path: asked.out.clone(), fault: Fault::of_file(what) };
    crate::say::warnings(&notes.into_iter().map(warning).collect::<Vec<_>>());
    let map = files.last().map_or(&[][..], |(_, bytes)| bytes);
    let told = &answer.told;
    let page = plan_report(&asked.title, &told.verdict, &told.sections, &done.planned, &done.scene, map);
    if let Some((_, relaxed, after)) = relaxed.and_then(|relaxed| relaxed.helps.as_ref()) {
        let pair_name = |pair| after.pair_name(pair);
        let (path, depths, degrees) = (cells_of(&after.planned), &after.depths, rotations_deg(relaxed));
        if let Planned::Path(found) = &after.planned {
            let table = path_csv(&relaxed.cell.cell, &relaxed.path, &degrees, found);
            files.push(("path_relaxed.csv".to_owned(), table));
        }
        let plotted =
            Plotted { map: &after.map, rotations_deg: degrees, path, pair_name: &pair_name, depths };
        files.push(("map_relaxed.png".to_owned(), map_png(&plotted)));
    }
    let (list, report) = ("plan.json".to_owned(), ("report.html".to_owned(), page));
    let names = files.iter().map(|(name, _)| name).chain([&list, &report.0]).collect::<Vec<_>>();
    let text = format!("{}\n", json!({ "job": job_from(asked), "files": names }));
    files.push((list, text.into_bytes()));
    files.push(report);
    files
}

/// Where the job is, seen from the folder of its plan: so that both can be moved together if one lies in the other.
fn job_from(asked: &Asked) -> String {
    let job = std::path::absolute(&asked.job).unwrap_or_else(|_| asked.job.clone());
    let out = std::path::absolute(&asked.out).unwrap_or_else(|_| asked.out.clone());
    match (job.parent(), job.file_name()) {
        (Some(folder), Some(name)) if out.parent() == Some(folder) => {
            format!("../{}", name.to_string_lossy())
        }
        _ => job.display().to_string(),
    }
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
        let degrees = rotations_deg(job);
        files.push(("path_placed.csv".to_owned(), path_csv(&job.cell.cell, &job.path, &degrees, found)));
        let pair_name = |pair| done.pair_name(pair);
        let path = cells_of(&done.planned);
        let plotted = Plotted {
            map: &done.map,
            rotations_deg: degrees,
            path,
            pair_name: &pair_name,
            depths: &done.depths,
        };
        files.push(("map_placed.png".to_owned(), map_png(&plotted)));
    }
    let page = super::report::of_places(asked, places, &files);
    files.push(("report.html".to_owned(), page));
    files
}
