//! What a path on the command line leads to: a cell, a job, the folder of a plan.

use crate::ask::path_edit::{Task, TaskParts};
use kansho_cell::Cell;
use kansho_io::cell::CellOptions;
use kansho_io::job::{self, LoadedJob};
use kansho_io::plan_files::{read_map, read_path};
use kansho_io::{Fault, ReadError};
use kansho_plan::cam::EdgeKind;
use std::path::{Path, PathBuf};

/// Files that belong together.
pub(super) struct Place {
    pub(super) cell: PathBuf,
    /// The job that the cell is of, read with it.
    pub(super) job: Option<LoadedJob>,
    /// The folder of its plan, if there is one with a map.
    pub(super) plan: Option<PathBuf>,
    /// Motions beside it, those that were planned first.
    pub(super) motions: Vec<PathBuf>,
}

impl Place {
    /// Looks around; in the folder of a plan below only where that is complete.
    pub(super) fn of(path: &Path, packages: &[PathBuf], is_planned: bool) -> Result<Self, Vec<ReadError>> {
        let options = CellOptions { packages: packages.to_vec() };
        let has_map = |folder: &PathBuf| folder.join("map.csv").is_file();
        let of_job = |job: PathBuf, plan: Option<PathBuf>, mut motions: Vec<PathBuf>| {
            let read = job::read(&job, &options)?;
            let mut all = plan.as_deref().map(in_folder).unwrap_or_default();
            all.append(&mut motions);
            Ok(Self {
                cell: read.cell_file.clone(),
                job: Some(read),
                plan: plan.filter(has_map),
                motions: all,
            })
        };
        if !path.is_dir() {
            if !job::is_job(path) {
                return Ok(Self { cell: path.to_owned(), job: None, plan: None, motions: Vec::new() });
            }
            let stem = path.file_stem().map_or("job".into(), |stem| stem.to_string_lossy());
            let beside = path.with_file_name("plan");
            let named = PathBuf::from(format!("{stem}-plan"));
            let plan = [named, beside].into_iter().find(has_map);
            if plan.is_none() {
                let fault = Fault::of_file("this job has no plan beside it, so there is no map to show").with_help(
                    "kansho plan with ⟦out=DIR⟧ makes one, and kansho view shows that folder; its cell is shown by its own file",
                );
                return Err(vec![ReadError { path: path.to_owned(), faults: vec![fault] }]);
            }
            return of_job(path.to_owned(), plan, Vec::new());
        }
        let planned = path.join("plan.json");
        if has_map(&path.to_owned()) && planned.is_file() {
            let job =
                job_of(&planned).map_err(|fault| vec![ReadError { path: planned, faults: vec![fault] }])?;
            return of_job(job, Some(path.to_owned()), Vec::new());
        }
        let below = path.join("plan");
        let (own, job) = (in_folder(path), path.join("job.toml"));
        if is_planned && job.is_file() && has_map(&below) {
            return of_job(job, Some(below), own);
        }
        let mut motions = if is_planned { in_folder(&below) } else { Vec::new() };
        motions.extend(own);
        Ok(Self { cell: path.join("cell.toml"), job: None, plan: None, motions })
    }
}

/// The job that a plan is of.
fn job_of(planned: &Path) -> Result<PathBuf, Fault> {
    let text = std::fs::read_to_string(planned).map_err(|error| Fault::of_file(error.to_string()))?;
    let value: serde_json::Value = kansho_io::json::parse(text.as_bytes())
        .map_err(|error| Fault::of_file(format!("this is no JSON: {error}")))?;
    let job =
        value["job"].as_str().ok_or_else(|| Fault::of_file("it does not name the job that it is of"))?;
    // Without `..` on the way, which robots' folders are not looked for through.
    let folder = std::path::absolute(planned).map_err(|error| Fault::of_file(error.to_string()))?;
    let folder = folder.parent().unwrap_or(Path::new("/"));
    Ok(match job.strip_prefix("../") {
        Some(beside) => folder.parent().unwrap_or(folder).join(beside),
        None => folder.join(job),
    })
}

/// Motions that lie in a folder, by name.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let is_motion = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("motion") && (name.ends_with(".csv") || name.ends_with(".json"))
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_motion).collect();
    paths.sort();
    paths
}

/// A job with its map and its path.
pub(super) fn task(job: &LoadedJob, plan: &Path) -> Result<Task, Vec<ReadError>> {
    let refuse = |what: String| vec![ReadError { path: plan.to_owned(), faults: vec![Fault::of_file(what)] }];
    let cell: &Cell = &job.job.cell;
    let map = read_map(&plan.join("map.csv")).map_err(|error| vec![error])?;
    let file = plan.join("path.csv");
    let path = if file.is_file() { read_path(&file, cell).map_err(|error| vec![error])? } else { Vec::new() };
    // Lines of the tool are written as moves, all else as waypoints.
    let is_lin = in_folder(plan).iter().any(|path| path.extension().is_some_and(|end| end == "json"));
    let parts = TaskParts {
        robot: job.job.robot.clone(),
        work: job.job.path.clone(),
        axis: job.job.axis.clone(),
        clearance: job.job.clearance,
        kind: if is_lin { EdgeKind::Lin(job.job.laws) } else { EdgeKind::Ptp },
        zone: job.job.zone,
        map,
        path,
    };
    Task::new(cell, parts).map_err(refuse)
}
