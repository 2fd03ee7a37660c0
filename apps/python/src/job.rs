//! Jobs: from a work path to a proven robot path.

use crate::cell::PyCell;
use crate::certificate::Certificate;
use crate::errors::{refused, texts, value};
use crate::motion::{length, waypoints};
use crate::run::{Asked, Control};
use crate::state::Reduced;
use kansho::cell::JointMotion;
use kansho::cell::ik::{Ik, IkOptions, Tip};
use kansho::cell::route::{Blend, Law};
use kansho::cell::work::{Stroke, ToolAxis, WorkPath, WorkPoint};
use kansho::check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho::check::scene::Scene;
use kansho::geom::glam::DVec3;
use kansho::io::cell::{CellOptions, LoadedCell};
use kansho::io::job::{self, JobFrames, JobMotion, LoadedJob};
use kansho::io::motion_certificate::{AnyCertificate, CertifiedMotion};
use kansho::io::route_certificate::{CertifiedRoute, OneRoute};
use kansho::io::{Fault, ReadError};
use kansho::plan::cam::{
    EdgeKind, FeasibleMap, MapOptions, NoPath, PlanOptions, Planned, PlannedPath, PlannedRun, State,
    WhyNoPath, Work, feasible, plan, tips_inside,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A work path, and how a robot may follow it, from `job.toml`.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Job {
    job: LoadedJob,
    cell: Py<PyCell>,
    warnings: Vec<String>,
}

/// What came of a job.
#[pyclass(frozen, module = "kansho", get_all)]
pub(crate) struct Plan {
    /// "path", "no_path" or "undecided".
    verdict: &'static str,
    /// Why there is no path.
    why: Option<String>,
    /// The whole path as waypoints (n, joints), one array unless ways between strokes were not found. Between them all joints move evenly; with "lin" they
    /// follow lines of the tool, on which these lie.
    motions: Vec<Py<PyArray2<f64>>>,
    /// For each point of the path the rotation of the tool, in degrees.
    rotation_deg: Option<Py<PyArray1<f64>>>,
    /// A bound below all gaps at every instant, in metres: what the proofs needed.
    clearance: Option<f64>,
    /// What the path costs, in rad^2: joints that move, near limits, near singularities, near borders of the map.
    cost: Option<(f64, f64, f64, f64)>,
    /// The least distance of a joint from a limit, in radians.
    limit_margin: Option<f64>,
    /// The map: for each point and stance 0 free, 1 collides, 2 beyond joint limits, 3 out of reach, 4 unknown.
    map: Py<PyArray2<u8>>,
    /// Certificates of the motions, if they were asked for.
    certificates: Vec<Option<Py<Certificate>>>,
    /// What took how many seconds.
    seconds: Py<PyDict>,
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

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<kansho.Plan {}, {:.1} % of the map free>", self.verdict, 100.0 * self.free_share(py))
    }
}

/// What the work itself gives, without the interpreter.
struct Done {
    map: FeasibleMap,
    planned: Planned,
    motions: Vec<(JointMotion, Option<AnyCertificate>)>,
    times: Vec<(&'static str, f64)>,
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
    /// Reads a job, its cell and its path; every fault is told at once.
    #[staticmethod]
    #[pyo3(signature = (path, *, packages=Vec::new()))]
    fn load(py: Python<'_>, path: PathBuf, packages: Vec<PathBuf>) -> PyResult<Self> {
        let read = py.detach(|| job::read(&path, &CellOptions { packages }));
        let loaded = read.map_err(|errors| refused(&errors))?;
        let mut warnings = texts(&loaded.cell.warnings);
        warnings.extend(texts(&loaded.warnings));
        let cell = PyCell::new(
            loaded.cell.draft.clone(),
            loaded.cell.cell.clone(),
            loaded.cell_file.clone(),
            warnings.clone(),
            None,
        );
        Ok(Self { job: loaded, cell: Py::new(py, cell)?, warnings })
    }

    /// The same job with something else: in another cell (made by `job.cell.vary(...)`; the path goes with the frame it is in), with another clearance
    /// (metres), tilt or rotations (from, to, step; degrees) of the tool, or another kind of motion ("lin", "ptp").
    #[pyo3(signature = (cell=None, *, clearance=None, tilt_deg=None, rotation_deg=None, motion=None))]
    fn vary(
        &self,
        py: Python<'_>,
        cell: Option<Py<PyCell>>,
        clearance: Option<f64>,
        tilt_deg: Option<f64>,
        rotation_deg: Option<[f64; 3]>,
        motion: Option<&str>,
    ) -> PyResult<Self> {
        let held = cell.unwrap_or_else(|| self.cell.clone_ref(py));
        let inner = held.get();
        let mut job = self.job.in_cell(Clone::clone(&*inner.cell), inner.draft.clone()).map_err(value)?;
        if let Some(clearance) = clearance {
            job.clearance = length("clearance", clearance)?;
        }
        if let Some(degrees) = tilt_deg {
            job.frames.tilt = degrees.to_radians();
        }
        if let Some(degrees) = rotation_deg {
            job.frames.rotations = degrees.map(f64::to_radians);
        }
        job.turn().map_err(value)?;
        if let Some(kind) = motion {
            job.motion = if lin(kind)? { JobMotion::Lin } else { JobMotion::Ptp };
        }
        Ok(Self { job, cell: held, warnings: self.warnings.clone() })
    }

    /// Plans: the map of where the tool is free, the best path through it, and a proof of each motion.
    ///
    /// `motion` ("lin" or "ptp") instead of what the job says. `certificate` asks for proofs that others can check (of "ptp"), which takes the most time.
    /// `progress(done, total)` counts points of the map. What is not found within `timeout` seconds is undecided.
    #[pyo3(signature = (*, motion=None, certificate=false, threads=None, timeout=None, progress=None))]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        motion: Option<&str>,
        certificate: bool,
        threads: Option<usize>,
        timeout: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Plan> {
        let is_lin = motion.map_or(Ok(self.job.motion == JobMotion::Lin), lin)?;
        if !is_lin && self.job.zone > 0.0 {
            return Err(value(
                "points cannot be rounded off where all joints move evenly (ptp): what they do there is not known",
            ));
        }
        let asked = Asked::new(threads, timeout, progress)?;
        let wanted = Wanted { lin: is_lin, certificate, deadline: asked.deadline };
        let cell = self.cell.get();
        let done = asked.run(py, self.job.path.len(), |control| self.work(cell, wanted, control))?;
        let done = done.map_err(|error| refused(&[error]))?;
        self.told(py, cell.modelled(), done)
    }

    /// Its cell.
    #[getter]
    fn cell(&self, py: Python<'_>) -> Py<PyCell> {
        self.cell.clone_ref(py)
    }

    /// How many points its path has.
    #[getter]
    fn points(&self) -> usize {
        self.job.path.len()
    }

    /// The path in the world: tips (n, 3).
    #[getter]
    fn tips<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers: Vec<f64> =
            self.job.path.points().flat_map(|point| point.tip_in_world.to_array()).collect();
        PyArray1::from_vec(py, numbers).reshape([self.job.path.len(), 3])
    }

    /// The least gap that is wanted, in metres.
    #[getter]
    fn clearance(&self) -> f64 {
        self.job.clearance
    }

    /// What is odd about its files.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// What tells it from others, as text.
    fn _print(&self, py: Python<'_>) -> String {
        let job = &self.job;
        let points: Vec<String> = job
            .path
            .strokes
            .iter()
            .map(|stroke| {
                let each =
                    stroke.points.iter().map(|p| format!("{:?}{:?}", p.tip_in_world, p.direction_in_world));
                format!("{}{}", stroke.closed, each.collect::<String>())
            })
            .collect();
        format!(
            "{}\n{:?}\n{:?}\n{}\n{:?} {} {} {} {} {:?}",
            self.cell.get()._print(py),
            points,
            job.axis,
            job.robot,
            job.motion,
            job.constant,
            job.change_branch,
            job.clearance,
            job.zone,
            job.blend
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Py<PyCell>, Bound<'py, PyDict>)> {
        let job = &self.job;
        let state = PyDict::new(py);
        let strokes: Vec<(bool, Vec<PointState>)> = job
            .path
            .strokes
            .iter()
            .map(|stroke| {
                let point =
                    |p: &WorkPoint| (p.tip_in_world.to_array(), p.direction_in_world.to_array(), p.line);
                (stroke.closed, stroke.points.iter().map(point).collect())
            })
            .collect();
        state.set_item("strokes", strokes)?;
        state.set_item("robot", &job.robot)?;
        state.set_item(
            "frames",
            (&job.frames.path, &job.frames.toward, job.frames.toward_in_frame.to_array()),
        )?;
        state.set_item("axis", (job.frames.rotations, job.frames.tilt))?;
        state.set_item("ways", (job.constant, job.change_branch, job.motion == JobMotion::Lin))?;
        state.set_item("numbers", (job.speed, job.zone, job.clearance, job.cell.metres_per_unit))?;
        let blend = match job.blend {
            Blend::Parabola => ("parabola", 0.0),
            Blend::Inside => ("inside", 0.0),
            Blend::Within(metres) => ("within", metres),
        };
        state.set_item("blend", blend)?;
        state.set_item("post", &job.post)?;
        state.set_item("files", (&job.cell_file, &job.path_file))?;
        state.set_item("warnings", &self.warnings)?;
        let make = py.import("kansho._kansho")?.getattr("_job_of_state")?;
        Ok((make, (self.cell.clone_ref(py), state)))
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Job of {} points for robot \"{}\">", self.job.path.len(), self.job.robot)
    }
}

fn lin(kind: &str) -> PyResult<bool> {
    match kind {
        "lin" => Ok(true),
        "ptp" => Ok(false),
        other => Err(value(format!("motion: \"lin\" or \"ptp\", not \"{other}\""))),
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
        let inside = tips_inside(scene, &work);
        if let Some((_, body)) = inside.first() {
            let what = format!(
                "{} of {} points are inside \"{}\" or on its surface, where no tool can be free",
                inside.len(),
                job.path.len(),
                cell.cell.body(*body).name
            );
            return Err(ReadError { path: job.path_file.clone(), faults: vec![Fault::of_file(what)] });
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
            kind: if wanted.lin { EdgeKind::Lin(Law::Slerp) } else { EdgeKind::Ptp },
            zone: job.zone,
            blend: job.blend,
            constant: job.constant,
            change_branch: job.change_branch,
            deadline: wanted.deadline,
            stop: Some(&control.stop),
            ..PlanOptions::default()
        };
        let planned = plan(&prepared, &work, &map, &options);
        lap("path", &mut times);
        let mut motions = Vec::new();
        if let Planned::Path(path) = &planned {
            let options = MotionOptions {
                clearance: job.clearance,
                deadline: wanted.deadline,
                stop: Some(&control.stop),
                ..MotionOptions::default()
            };
            for run in &path.runs {
                let certificate = wanted.certificate.then(|| certified(&prepared, tip, run, &options));
                let motion = match run {
                    PlannedRun::Joints(motion) => motion.clone(),
                    PlannedRun::Tool { pieces, .. } => {
                        JointMotion::of_pieces(pieces.iter().map(|piece| piece.piece.clone()).collect())
                            .expect("a run has pieces of one cell")
                    }
                };
                motions.push((motion, certificate.flatten()));
            }
        }
        lap("certificate", &mut times);
        control.done.store(job.path.len(), Ordering::Relaxed);
        Ok(Done { map, planned, motions, times })
    }

    fn told(&self, py: Python<'_>, scene: &Scene, done: Done) -> PyResult<Plan> {
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
        let mut plan = Plan {
            verdict: "undecided",
            why: None,
            motions: Vec::new(),
            rotation_deg: None,
            clearance: None,
            cost: None,
            limit_margin: None,
            map: map.unbind(),
            certificates: Vec::new(),
            seconds: seconds.unbind(),
        };
        match &done.planned {
            Planned::Undecided(_) => {
                plan.why = Some("there was no time left, or too many motions were not proven".into());
            }
            Planned::NoPath(none) => {
                plan.verdict = "no_path";
                plan.why = Some(why_no_path(scene, none));
            }
            Planned::Path(path) => self.of_path(py, &mut plan, path, done.motions)?,
        }
        Ok(plan)
    }

    fn of_path(
        &self,
        py: Python<'_>,
        plan: &mut Plan,
        path: &PlannedPath,
        motions: Vec<(JointMotion, Option<AnyCertificate>)>,
    ) -> PyResult<()> {
        plan.verdict = "path";
        plan.clearance = Some(path.clearance);
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
        for (motion, certified) in motions {
            plan.motions.push(waypoints(py, &motion)?.unbind());
            let held = certified.map(|held| Py::new(py, Certificate { held }));
            plan.certificates.push(held.transpose()?);
        }
        Ok(())
    }
}

/// A certificate of a run, where there is one.
fn certified(
    scene: &MotionScene<'_>,
    tip: Tip,
    run: &PlannedRun,
    options: &MotionOptions<'_>,
) -> Option<AnyCertificate> {
    match run {
        PlannedRun::Joints(motion) => {
            let certificate = scene.certify(motion, options).ok()?;
            let certified =
                CertifiedMotion::new(scene.cell(), motion.clone(), options.resolution, certificate);
            Some(AnyCertificate::Cell(Box::new(certified)))
        }
        PlannedRun::Tool { law, route, pieces, .. } => {
            let certificate = RouteScene::new(scene, tip).ok()?.certify(pieces, options).ok()?;
            let one = OneRoute { law: *law, route: route.clone(), pieces: pieces.clone(), certificate };
            let certified = CertifiedRoute::new(scene.cell(), options.resolution, vec![one]);
            Some(AnyCertificate::Route(Box::new(certified)))
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

/// The built-in cell of `kansho demo`: an arm, a sheet in its fixture, a nozzle.
#[pyfunction]
pub(crate) fn demo_cell() -> PyCell {
    let draft = kansho::cell::builtin::draft();
    PyCell::new(draft, kansho::cell::builtin::cell(), "demo".into(), Vec::new(), None)
}

/// Writes that cell, a job for it and its path into a folder, and gives the job's file: every so many points of the path, and rotations of the tool so
/// many degrees apart.
///
/// >>> import kansho, tempfile
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     job = kansho.Job.load(kansho.demo_files(folder, points=100, degrees=30))
/// >>> job.points, job.cell.joints[0]
/// (28, 'arm/joint_1')
#[pyfunction]
#[pyo3(signature = (folder, *, points=10, degrees=2))]
pub(crate) fn demo_files(folder: PathBuf, points: u16, degrees: u16) -> PyResult<PathBuf> {
    if points == 0 || !(1..=180).contains(&degrees) {
        return Err(value("points: 1 or more; degrees: 1 to 180"));
    }
    kansho::io::demo::write(&folder, [points, degrees])
        .map_err(|error| crate::errors::not_written(&error))?;
    Ok(folder.join("job.toml"))
}

/// A point of a path as plain data.
type PointState = ([f64; 3], [f64; 3], u32);

/// A job from what was pickled.
#[pyfunction]
#[pyo3(name = "_job_of_state")]
pub(crate) fn of_state(cell: Py<PyCell>, state: &Bound<'_, PyDict>) -> PyResult<Job> {
    let item =
        |name: &str| state.get_item(name)?.ok_or_else(|| value(format!("a pickled job has \"{name}\"")));
    let strokes: Vec<(bool, Vec<PointState>)> = item("strokes")?.extract()?;
    let point = |(tip, direction, line): PointState| WorkPoint {
        tip_in_world: DVec3::from_array(tip),
        direction_in_world: DVec3::from_array(direction),
        line,
    };
    let stroke = |(closed, points): (bool, Vec<PointState>)| Stroke {
        points: points.into_iter().map(point).collect(),
        closed,
    };
    let (path, toward, toward_in_frame): (Option<String>, Option<String>, [f64; 3]) =
        item("frames")?.extract()?;
    let (rotations, tilt): ([f64; 3], f64) = item("axis")?.extract()?;
    let toward_in_frame = DVec3::from_array(toward_in_frame);
    let frames = JobFrames { path, toward, toward_in_frame, rotations, tilt };
    let (constant, change_branch, is_lin): (bool, bool, bool) = item("ways")?.extract()?;
    let (speed, zone, clearance, metres_per_unit): (f64, f64, f64, f64) = item("numbers")?.extract()?;
    let (cell_file, path_file): (PathBuf, PathBuf) = item("files")?.extract()?;
    let (blend, metres): (String, f64) = item("blend")?.extract()?;
    let blend = match blend.as_str() {
        "parabola" => Blend::Parabola,
        "inside" => Blend::Inside,
        "within" => Blend::Within(metres),
        other => {
            return Err(value(format!("a pickled job rounds corners by \"{other}\", which is not known")));
        }
    };
    let inner = cell.get();
    let loaded = LoadedCell {
        cell: Clone::clone(&*inner.cell),
        draft: inner.draft.clone(),
        metres_per_unit,
        robots: Vec::new(),
        meshes: Vec::new(),
        warnings: Vec::new(),
    };
    // The axis follows from the frames.
    let axis = ToolAxis::new([0.0, 0.0, 1.0], DVec3::X, 0.0).map_err(|fault| value(fault.to_string()))?;
    let mut job = LoadedJob {
        cell: loaded,
        cell_file,
        path_file,
        robot: item("robot")?.extract()?,
        path: WorkPath { strokes: strokes.into_iter().map(stroke).collect() },
        axis,
        frames,
        constant,
        change_branch,
        motion: if is_lin { JobMotion::Lin } else { JobMotion::Ptp },
        speed,
        zone,
        lift: 0.0,
        timing: None,
        blend,
        clearance,
        profiles: Vec::new(),
        post: item("post")?.extract()?,
        warnings: Vec::new(),
    };
    job.turn().map_err(value)?;
    Ok(Job { job, cell, warnings: item("warnings")?.extract()? })
}
