//! Plans: from a job to a proven robot path, and the files that the command writes of it.

use crate::cell::PyCell;
use crate::certificate::Certificate;
use crate::errors::{refused, value};
use crate::job::{Job, lin};
use crate::motion::waypoints;
use crate::path::FilePath;
use crate::run::{Asked, Control};
use kansho::cell::JointMotion;
use kansho::cell::ik::{Ik, IkOptions, Tip};
use kansho::check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho::check::scene::Scene;
use kansho::io::job::JobMotion;
use kansho::io::plan_files::{
    LeastDepths, NAMED, PlanResult, PlanTimes, PlanTold, inside_fault, plan_files, plan_times, told,
};
use kansho::io::{Fault, ReadError};
use kansho::plan::cam::{
    Blocked, EdgeKind, FeasibleMap, MapOptions, NoPath, PathGaps, PlanOptions, Planned, PlannedPath,
    PlannedRun, ProvenWay, State, WhyNoPath, Work, feasible, least_depths, path_gaps, plan, tips_inside,
};
use kansho::verify::file::{AnyCertificate, CertifiedMotion};
use kansho::verify::file::{CertifiedRoute, OneRoute};
use kansho::verify::route::Arm;
use kansho_viewer::plan_report;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// How narrow bounds of depths are, in metres.
const DEPTH: f64 = 1e-4;

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
    done: Done,
}

impl Plan {
    /// What is said of it and what is made of that.
    fn with<T>(&self, work: impl FnOnce(&PlanResult<'_>, &PlanTold) -> T) -> T {
        let (job, done) = (self.job.get(), &self.done);
        let scene = job.cell.get().modelled();
        let result = PlanResult {
            job: &job.job,
            is_lin: done.is_lin,
            map: &done.map,
            planned: &done.planned,
            certificates: &done.certificates,
            times: &done.timed,
            intervals: None,
            least_depths: &done.least_depths,
            gaps: done.gaps.as_ref(),
            depths: &BTreeMap::new(),
            scene,
            pair_name: &|pair| scene.pair_name(pair),
        };
        work(&result, &told(&result))
    }

    /// All files, the report last; and what is odd about them.
    fn all_files(&self, title: &str) -> (Vec<(String, Vec<u8>)>, Vec<String>) {
        let scene = self.job.get().cell.get().modelled();
        self.with(|result, told| {
            let (mut files, notes) = plan_files(result);
            let map = files.last().map_or(&[][..], |(_, bytes)| bytes);
            let page = plan_report(title, &told.verdict, &told.sections, result.planned, scene, map);
            files.push(("report.html".to_owned(), page));
            (files, notes)
        })
    }
}

#[pymethods]
impl Plan {
    /// The share of the map that is free.
    #[getter]
    fn free_share(&self, py: Python<'_>) -> f64 {
        let map = self.map.bind(py).readonly();
        let cells = map.as_array();
        cells.iter().filter(|state| **state == 0).count() as f64 / cells.len().max(1) as f64
    }

    /// The files that `kansho plan` writes, by their names, as bytes: the map (CSV, PNG), and of a path the path itself, its motion, certificate if
    /// one was asked for, robot programs, and a report with this title.
    #[pyo3(signature = (title="plan"))]
    fn files<'py>(&self, py: Python<'py>, title: &str) -> PyResult<Bound<'py, PyDict>> {
        let (files, _) = py.detach(|| self.all_files(title));
        let all = PyDict::new(py);
        files.iter().try_for_each(|(name, bytes)| all.set_item(name, PyBytes::new(py, bytes)))?;
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
        let (files, mut notes) = py.detach(|| self.all_files(&title));
        let left = py
            .detach(|| kansho::io::plan_files::write_plan(&folder, &files))
            .map_err(|error| crate::errors::not_written(&error))?;
        notes.extend(
            left.map(|(left, to)| format!("of an earlier plan, and now in \"{to}\": {}", left.join(", "))),
        );
        Ok((files.into_iter().map(|(name, _)| name).collect(), notes))
    }

    /// What the command says of it.
    fn __str__(&self, py: Python<'_>) -> String {
        py.detach(|| self.with(|_, told| told.text()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<kansho.Plan {}, {:.1} % of the map free>", self.verdict, 100.0 * self.free_share(py))
    }
}

/// What the work itself gives, without the interpreter.
struct Done {
    is_lin: bool,
    map: FeasibleMap,
    planned: Planned,
    certificates: Vec<Result<AnyCertificate, String>>,
    timed: Vec<Result<PlanTimes, String>>,
    least_depths: LeastDepths,
    gaps: Option<PathGaps>,
    times: Vec<(&'static str, f64)>,
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

/// What is asked beside the job.
#[derive(Clone, Copy)]
struct Wanted {
    lin: bool,
    certificate: bool,
    deadline: Option<Instant>,
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
        let is_lin = motion.map_or(Ok(own.job.motion == JobMotion::Lin), lin)?;
        if !is_lin && own.job.zone > 0.0 {
            return Err(value(
                "points cannot be rounded off where all joints move evenly (ptp): what they do there is not known",
            ));
        }
        let asked = Asked::new(threads, timeout, progress)?;
        let wanted = Wanted { lin: is_lin, certificate, deadline: asked.deadline };
        let cell = own.cell.get();
        let done = asked.run(py, own.job.path.len(), |control| own.work(cell, wanted, control))?;
        let done = done.map_err(|error| refused(&[error]))?;
        own.told(py, slf.clone().unbind(), cell.modelled(), done)
    }
}

impl Job {
    fn work(&self, cell: &PyCell, wanted: Wanted, control: &Control) -> Result<Done, ReadError> {
        let job = &self.job;
        let mut times = Vec::new();
        let mut began = Instant::now();
        let mut lap = |what: &'static str, times: &mut Vec<(&'static str, f64)>| {
            times.push((what, began.elapsed().as_secs_f64()));
            began = Instant::now();
        };
        let of_cell =
            |what: String| ReadError { path: job.cell_file.clone(), faults: vec![Fault::of_file(what)] };
        let tip = Tip::tool(&cell.cell, &job.robot).ok_or_else(|| of_cell("the robot has no tool".into()))?;
        let ik =
            Ik::new(&cell.cell, &tip, &IkOptions::default()).map_err(|fault| of_cell(fault.to_string()))?;
        let scene = cell.modelled();
        let work = Work { tip, ik: &ik, path: &job.path, axis: &job.axis, clearance: job.clearance };
        lap("models", &mut times);
        if wanted.lin {
            Arm::new(&cell.cell, &tip).map_err(|fault| of_cell(fault.to_string()))?;
        }
        let inside = tips_inside(scene, &work);
        if !inside.is_empty() {
            return Err(inside_fault(job, &inside));
        }
        let options = MapOptions {
            deadline: wanted.deadline,
            stop: Some(&control.stop),
            done: Some(&control.done),
            ..MapOptions::default()
        };
        let map = feasible(scene, &work, &options);
        lap("map", &mut times);
        let prepared = MotionScene::new(scene);
        let options = PlanOptions {
            kind: if wanted.lin { EdgeKind::Lin(job.laws) } else { EdgeKind::Ptp },
            zone: job.zone,
            blend: job.blend,
            lift: job.lift,
            constant: job.constant,
            change_branch: job.change_branch,
            deadline: wanted.deadline,
            stop: Some(&control.stop),
            ..PlanOptions::default()
        };
        let planned = plan(&prepared, &work, &map, &options);
        lap("path", &mut times);
        let least_depths = match &planned {
            Planned::NoPath(NoPath { why: WhyNoPath::Blocked(blocked), .. }) if !control.is_stopped() => {
                let of = |at: &Blocked| (at.point, least_depths(scene, &work, &map, at.point, DEPTH));
                blocked.iter().take(NAMED).map(of).collect()
            }
            _ => BTreeMap::new(),
        };
        let mut certificates = Vec::new();
        if let Planned::Path(path) = &planned {
            let options = MotionOptions {
                clearance: job.clearance,
                deadline: wanted.deadline,
                stop: Some(&control.stop),
                ..MotionOptions::default()
            };
            certificates.extend(path.runs.iter().map(|run| match wanted.certificate {
                true => certified(&prepared, tip, run, &options),
                false => Err("it was not wanted".into()),
            }));
        }
        lap("certificate", &mut times);
        let timed = match &planned {
            Planned::Path(path) if !control.is_stopped() => plan_times(job, &cell.cell, tip, &ik, path),
            _ => Vec::new(),
        };
        if !timed.is_empty() {
            lap("times", &mut times);
        }
        control.done.store(job.path.len(), Ordering::Relaxed);
        let gaps = match &planned {
            Planned::Path(path) if !control.is_stopped() => {
                let options = MotionOptions {
                    deadline: wanted.deadline,
                    stop: Some(&control.stop),
                    ..MotionOptions::default()
                };
                path_gaps(&prepared, path, &options)
            }
            _ => None,
        };
        Ok(Done { is_lin: wanted.lin, map, planned, certificates, timed, least_depths, gaps, times })
    }

    fn told(&self, py: Python<'_>, job: Py<Self>, scene: &Scene, done: Done) -> PyResult<Plan> {
        let state = |state: State| match state {
            State::Free => 0,
            State::Collides => 1,
            State::Limit => 2,
            State::OutOfReach => 3,
            State::Unknown => 4,
        };
        let map = PyArray1::from_iter(py, done.map.cells().iter().map(|cell| state(cell.state)));
        let map = map.reshape([done.map.points(), done.map.stances()])?;
        let seconds = PyDict::new(py);
        done.times.iter().try_for_each(|(what, secs)| seconds.set_item(what, secs))?;
        let certificates = done.certificates.iter().map(|held| {
            let held = held.as_ref().ok().map(|held| Py::new(py, Certificate { held: held.clone() }));
            held.transpose()
        });
        let (verdict, why, path) = match &done.planned {
            Planned::Undecided(undecided) => {
                let why = kansho::io::plan_files::why_undecided(&self.job, &undecided.why);
                ("undecided", Some(why), OfPath::default())
            }
            Planned::NoPath(none) => ("no_path", Some(why_no_path(scene, none)), OfPath::default()),
            Planned::Path(path) => ("path", None, self.of_path(py, path)?),
        };
        Ok(Plan {
            verdict,
            why,
            motions: path.motions,
            rotation_deg: path.rotation_deg,
            clearance: path.clearance,
            cost: path.cost,
            limit_margin: path.limit_margin,
            map: map.unbind(),
            certificates: certificates.collect::<PyResult<_>>()?,
            seconds: seconds.unbind(),
            job,
            done,
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
        let degrees = stances.map(|stance| self.job.axis.rotation(*stance).to_degrees());
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

/// A certificate of a run, or why there is none.
fn certified(
    scene: &MotionScene<'_>,
    tip: Tip,
    run: &PlannedRun,
    options: &MotionOptions<'_>,
) -> Result<AnyCertificate, String> {
    match run {
        PlannedRun::Joints(motion) => {
            let certificate = scene.certify(motion, options).map_err(|why| why.to_string())?;
            let certified =
                CertifiedMotion::new(scene.cell(), motion.clone(), options.resolution, certificate);
            Ok(AnyCertificate::Cell(Box::new(certified)))
        }
        PlannedRun::Tool { ways, .. } => {
            let led = RouteScene::new(scene, tip).map_err(|fault| fault.to_string())?;
            let certified = ways.iter().map(|way| {
                let certificate = led.certify(&way.pieces, options).map_err(|why| why.to_string())?;
                let ProvenWay { law, route, pieces } = way.clone();
                Ok(OneRoute { law, route, pieces, certificate })
            });
            let routes = certified.collect::<Result<_, String>>()?;
            let certified = CertifiedRoute::new(scene.cell(), options.resolution, routes);
            Ok(AnyCertificate::Route(Box::new(certified)))
        }
    }
}

fn why_no_path(scene: &Scene, none: &NoPath) -> String {
    match &none.why {
        WhyNoPath::Blocked(blocked) => {
            let first = &blocked[0];
            let pair = first
                .pairs
                .first()
                .map(|(pair, count)| format!(", {} in {count} stances", scene.pair_name(*pair)));
            format!(
                "at {} points the tool is free in no stance; the first is point {}{}",
                blocked.len(),
                first.point,
                pair.unwrap_or_default()
            )
        }
        WhyNoPath::Between { point } => {
            format!("every point is free in some stance, but none leads on from point {point} to the next")
        }
        WhyNoPath::NotClosed => {
            "ways lead along the stroke, but none comes back to the posture in which it began".into()
        }
    }
}
