//! Plans: from a job to a proven robot path, and the files that the command writes of it.

use crate::certificate::Certificate;
use crate::errors::refused;
use crate::job::{Job, motion_named};
use crate::motion::waypoints;
use crate::path::FilePath;
use crate::plain::plain;
use crate::run::{Asked, MapOnly};
use kansho::ask::plan::{PlanAnswer, PlanFiles, PlanOptions, PlanWork, Planned, plan};
use kansho::budget::Budget;
use kansho::cell::JointMotion;
use kansho::plan::cam::{PlannedPath, PlannedRun, State};
use kansho_viewer::plan_report;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::Path;

/// What came of a job.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Plan {
    /// "path", "no_path" or "undecided".
    #[pyo3(get)]
    verdict: &'static str,
    /// Why there is no path.
    #[pyo3(get)]
    why: Option<String>,
    /// The whole path as waypoints (n, joints), one array unless ways between strokes were not found. Between them all joints move evenly; with "lin" they
    /// follow lines of the tool, on which these lie.
    #[pyo3(get)]
    motions: Vec<Py<PyArray2<f64>>>,
    /// For each point of the path the rotation of the tool, in degrees.
    #[pyo3(get)]
    rotation_deg: Option<Py<PyArray1<f64>>>,
    /// A bound below all gaps at every instant, in metres: what the proofs needed.
    #[pyo3(get)]
    clearance: Option<f64>,
    /// What the path costs, in rad^2: joints that move, near limits, near singularities, near borders of the map.
    #[pyo3(get)]
    cost: Option<(f64, f64, f64, f64)>,
    /// The least distance of a joint from a limit, in radians.
    #[pyo3(get)]
    limit_margin: Option<f64>,
    /// The map: for each point and stance 0 free, 1 collides, 2 beyond joint limits, 3 out of reach, 4 unknown.
    #[pyo3(get)]
    map: Py<PyArray2<u8>>,
    /// Certificates of the motions, if they were asked for.
    #[pyo3(get)]
    certificates: Vec<Option<Py<Certificate>>>,
    /// What took how many seconds.
    #[pyo3(get)]
    seconds: Py<PyDict>,
    job: Py<Job>,
    answer: PlanAnswer,
    work: PlanWork,
}

impl Plan {
    fn with<T>(&self, work: impl FnOnce(&Planned<'_>) -> T) -> T {
        let job = self.job.get();
        work(&Planned { job: &job.job, scene: job.cell.get().modelled(), work: &self.work })
    }

    /// All files, the report last; and what is odd about them. Of a job from a file also `plan.json`.
    fn all_files(&self, title: &str, folder: &Path) -> PlanFiles {
        self.with(|done| {
            let files = done.files(None);
            let report = plan_report(title, &self.answer, done, files.map());
            files.with_report(report, &done.job.file, folder)
        })
    }
}

#[pymethods]
impl Plan {
    /// The share of the map that is free.
    #[getter]
    fn free_share(&self) -> f64 {
        self.answer.map.free as f64 / self.answer.map.cells.max(1) as f64
    }

    /// The files that `kansho plan` writes, by their names, as bytes: the map (CSV, PNG), and of a path the path itself, its motion, certificate if
    /// one was asked for, robot programs, and a report with this title.
    #[pyo3(signature = (title="plan"))]
    fn files<'py>(&self, py: Python<'py>, title: &str) -> PyResult<Bound<'py, PyDict>> {
        let made = py.detach(|| self.all_files(title, Path::new("")));
        let all = PyDict::new(py);
        made.files.iter().try_for_each(|(name, bytes)| all.set_item(name, PyBytes::new(py, bytes)))?;
        Ok(all)
    }

    /// Writes these files into a folder, all of them or none; their names, and what is odd about them. The title of the report is that of the folder
    /// unless one is given.
    #[pyo3(signature = (folder, *, title=None))]
    fn save(
        &self,
        py: Python<'_>,
        folder: FilePath,
        title: Option<String>,
    ) -> PyResult<(Vec<String>, Vec<String>)> {
        let FilePath(folder) = folder;
        let title = title.unwrap_or_else(|| folder.display().to_string());
        let PlanFiles { files, mut notes } = py.detach(|| self.all_files(&title, &folder));
        let left = py
            .detach(|| kansho::io::plan_files::write_plan(&folder, &files))
            .map_err(|error| crate::errors::not_written(&error))?;
        notes.extend(
            left.map(|(left, to)| format!("of an earlier plan, and now in \"{to}\": {}", left.join(", "))),
        );
        Ok((files.into_iter().map(|(name, _)| name).collect(), notes))
    }

    /// What the command says of it.
    fn __str__(&self) -> String {
        self.answer.text()
    }

    /// The answer as plain data, with the keys of `kansho plan --json`.
    #[getter]
    fn answer(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        plain(py, &self.answer)
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Plan {}, {:.1} % of the map free>", self.verdict, 100.0 * self.free_share())
    }
}

/// What is told of a path.
#[derive(Default)]
struct OfPath {
    motions: Vec<Py<PyArray2<f64>>>,
    rotation_deg: Option<Py<PyArray1<f64>>>,
    clearance: Option<f64>,
    cost: Option<(f64, f64, f64, f64)>,
    limit_margin: Option<f64>,
}

#[pymethods]
impl Job {
    /// Plans: the map of where the tool is free, the best path through it, and a proof of each motion.
    ///
    /// `motion` ("lin" or "ptp") instead of what the job says. `certificate` asks for proofs that others can check (of "ptp"), which takes the most time.
    /// `progress(done, total)` counts points of the map. What is not found within `timeout` seconds is undecided.
    #[pyo3(signature = (*, motion=None, certificate=false, threads=None, timeout=None, progress=None))]
    fn plan<'py>(
        slf: &Bound<'py, Self>,
        motion: Option<&str>,
        certificate: bool,
        threads: Option<usize>,
        timeout: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Plan> {
        let (py, own) = (slf.py(), slf.get());
        let options = PlanOptions {
            motion: motion.map(motion_named).transpose()?,
            certificate,
            ..PlanOptions::default()
        };
        let asked = Asked::new(threads, timeout, progress)?;
        let cell = own.cell.get();
        let work = asked.run(py, own.job.job.path.len(), |control| {
            let stages = MapOnly(control);
            let budget = Budget { stages: Some(&stages), ..control.budget(asked.deadline) };
            plan(&own.job, cell.modelled(), &options, None, &budget)
        })?;
        own.told(py, slf.clone().unbind(), work.map_err(|error| refused(&[error]))?)
    }
}

impl Job {
    fn told(&self, py: Python<'_>, job: Py<Self>, work: PlanWork) -> PyResult<Plan> {
        let state = |state: State| match state {
            State::Free => 0,
            State::Collides => 1,
            State::Limit => 2,
            State::OutOfReach => 3,
            State::Unknown => 4,
        };
        let map = PyArray1::from_iter(py, work.map.cells().iter().map(|cell| state(cell.state)));
        let map = map.reshape([work.map.points(), work.map.stances()])?;
        let seconds = PyDict::new(py);
        work.seconds.iter().try_for_each(|(what, secs)| seconds.set_item(what, secs))?;
        let certificates = work.certificates.iter().map(|held| {
            let held = held.as_ref().ok().map(|held| Py::new(py, Certificate { held: held.clone() }));
            held.transpose()
        });
        let scene = self.cell.get().modelled();
        let answer = py.detach(|| Planned { job: &self.job, scene, work: &work }.answer());
        let path = match &work.planned {
            kansho::plan::cam::Planned::Path(path) => self.of_path(py, path)?,
            _ => OfPath::default(),
        };
        Ok(Plan {
            verdict: answer.verdict.word(),
            why: answer.why(),
            motions: path.motions,
            rotation_deg: path.rotation_deg,
            clearance: path.clearance,
            cost: path.cost,
            limit_margin: path.limit_margin,
            map: map.unbind(),
            certificates: certificates.collect::<PyResult<_>>()?,
            seconds: seconds.unbind(),
            job,
            answer,
            work,
        })
    }

    fn of_path(&self, py: Python<'_>, path: &PlannedPath) -> PyResult<OfPath> {
        let mut plan = OfPath { clearance: Some(path.clearance), ..OfPath::default() };
        let cost = path.strokes.iter().fold((0.0, 0.0, 0.0, 0.0), |sum, stroke| {
            let c = stroke.cost;
            (sum.0 + c.motion, sum.1 + c.limits, sum.2 + c.singular, sum.3 + c.border)
        });
        plan.cost = Some(cost);
        plan.limit_margin =
            Some(path.strokes.iter().map(|stroke| stroke.limit_margin).fold(f64::INFINITY, f64::min));
        let stances = path.strokes.iter().flat_map(|stroke| &stroke.stances);
        let degrees = stances.map(|stance| self.job.job.axis.rotation(*stance).to_degrees());
        plan.rotation_deg = Some(PyArray1::from_iter(py, degrees).unbind());
        for run in &path.runs {
            let waypoints = match run {
                PlannedRun::Joints(motion) => waypoints(py, motion)?,
                // By the first law.
                PlannedRun::Tool { ways, .. } => {
                    let pieces = ways[0].pieces.iter().map(|piece| piece.piece.clone()).collect();
                    waypoints(py, &JointMotion::of_pieces(pieces).expect("a run has pieces of one cell"))?
                }
            };
            plan.motions.push(waypoints.unbind());
        }
        Ok(plan)
    }
}
