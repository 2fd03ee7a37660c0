//! Jobs: from a work path to a proven robot path.

use crate::cell::PyCell;
use crate::errors::{refused, texts, value};
use crate::motion::length;
use crate::path::FilePath;
use crate::state::Reduced;
use kansho::cell::route::{Blend, Laws};
use kansho::cell::work::{Stroke, ToolAxis, WorkPath, WorkPoint};
use kansho::geom::glam::DVec3;
use kansho::io::cell::CellOptions;
use kansho::io::job::{self, LoadedJob};
use kansho::plan::job::{JobFrames, JobMotion, JobTiming};
use kansho::plan::timing::TimeLimits;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// A work path, and how a robot may follow it, from `job.toml`.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Job {
    pub(crate) job: LoadedJob,
    pub(crate) cell: Py<PyCell>,
    warnings: Vec<String>,
}

#[pymethods]
impl Job {
    /// Reads a job, its cell and its path; every fault is told at once.
    #[staticmethod]
    #[pyo3(signature = (path, *, packages=Vec::new()))]
    fn load(py: Python<'_>, path: FilePath, packages: Vec<PathBuf>) -> PyResult<Self> {
        let FilePath(path) = path;
        let read = py.detach(|| job::read(&path, &CellOptions { packages }));
        let loaded = read.map_err(|errors| refused(&errors))?;
        let mut warnings = texts(&loaded.cell_warnings);
        warnings.extend(texts(&loaded.warnings));
        let cell = PyCell::new(loaded.job.cell.clone(), loaded.cell_file.clone(), warnings.clone(), None);
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
        let mut job = self.job.job.in_cell(Clone::clone(&*inner.cell)).map_err(value)?;
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
            job.motion = motion_named(kind)?;
        }
        Ok(Self { job: self.job.with(job), cell: held, warnings: self.warnings.clone() })
    }

    /// Its cell.
    #[getter]
    fn cell(&self, py: Python<'_>) -> Py<PyCell> {
        self.cell.clone_ref(py)
    }

    /// How many points its path has.
    #[getter]
    fn points(&self) -> usize {
        self.job.job.path.len()
    }

    /// The path in the world: tips (n, 3).
    #[getter]
    fn tips<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers: Vec<f64> =
            self.job.job.path.points().flat_map(|point| point.tip_in_world.to_array()).collect();
        PyArray1::from_vec(py, numbers).reshape([self.job.job.path.len(), 3])
    }

    /// The least gap that is wanted, in metres.
    #[getter]
    fn clearance(&self) -> f64 {
        self.job.job.clearance
    }

    /// What is odd about its files.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// What tells it from others, as text.
    fn _print(&self, py: Python<'_>) -> String {
        let cell = self.cell.get()._print(py);
        py.detach(|| format!("{cell}\n{}", kansho::io::fingerprint::of_job(&self.job)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Py<PyCell>, Bound<'py, PyDict>)> {
        let (loaded, job) = (&self.job, &self.job.job);
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
        state.set_item("laws", job.laws.each().iter().map(ToString::to_string).collect::<Vec<_>>())?;
        state.set_item("numbers", (job.speed, job.zone, job.clearance, loaded.metres_per_unit, job.lift))?;
        let blend = match job.blend {
            Blend::Parabola => ("parabola", 0.0),
            Blend::Inside => ("inside", 0.0),
            Blend::Within(metres) => ("within", metres),
        };
        state.set_item("blend", blend)?;
        let timing = job.timing.as_ref().map(|JobTiming { limits, cycle }| {
            (&limits.speed, &limits.acceleration, &limits.jerk, limits.tip_speed, *cycle)
        });
        state.set_item("timing", timing)?;
        // Profiles stay where they are: rather no programs than some for another controller.
        let (mut post, mut warnings) = (loaded.post.clone(), self.warnings.clone());
        if !loaded.profiles.is_empty() && !post.is_empty() {
            post.clear();
            warnings
                .push("profiles of controllers are not pickled, so this job writes no robot programs".into());
        }
        state.set_item("post", post)?;
        state.set_item("files", (&loaded.file, &loaded.cell_file, &loaded.path_file))?;
        state.set_item("warnings", warnings)?;
        let make = py.import("kansho._kansho")?.getattr("_job_of_state")?;
        Ok((make, (self.cell.clone_ref(py), state)))
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Job of {} points for robot \"{}\">", self.job.job.path.len(), self.job.job.robot)
    }
}

pub(crate) fn motion_named(kind: &str) -> PyResult<JobMotion> {
    match kind {
        "lin" => Ok(JobMotion::Lin),
        "ptp" => Ok(JobMotion::Ptp),
        other => Err(value(format!("motion: \"lin\" or \"ptp\", not \"{other}\""))),
    }
}

/// The built-in cell of `kansho demo`: an arm, a sheet in its fixture, a nozzle.
#[pyfunction]
pub(crate) fn demo_cell() -> PyCell {
    PyCell::new(kansho::cell::builtin::cell(), "demo".into(), Vec::new(), None)
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
pub(crate) fn demo_files(folder: FilePath, points: u16, degrees: u16) -> PyResult<PathBuf> {
    let FilePath(folder) = folder;
    if points == 0 || !(1..=180).contains(&degrees) {
        return Err(value("points: 1 or more; degrees: 1 to 180"));
    }
    kansho::io::demo::write(&folder, [points, degrees])
        .map_err(|error| crate::errors::not_written(&error))?;
    Ok(folder.join("job.toml"))
}

/// A point of a path as plain data.
type PointState = ([f64; 3], [f64; 3], u32);

/// Limits of times as plain data: speeds, accelerations, jerks, speed of the tip, and the cycle.
type TimingState = (Vec<f64>, Vec<f64>, Vec<f64>, f64, f64);

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
    let (speed, zone, clearance, metres_per_unit, lift): (f64, f64, f64, f64, f64) =
        item("numbers")?.extract()?;
    let names: Vec<String> = item("laws")?.extract()?;
    let laws = match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["slerp"] => Laws::Slerp,
        ["swivel-twist"] => Laws::SwivelTwist,
        ["slerp", "swivel-twist"] => Laws::Both,
        _ => return Err(value(format!("a pickled job turns by {names:?}, which is not known"))),
    };
    let timing: Option<TimingState> = item("timing")?.extract()?;
    let (file, cell_file, path_file): (PathBuf, PathBuf, PathBuf) = item("files")?.extract()?;
    let (blend, metres): (String, f64) = item("blend")?.extract()?;
    let blend = match blend.as_str() {
        "parabola" => Blend::Parabola,
        "inside" => Blend::Inside,
        "within" => Blend::Within(metres),
        other => {
            return Err(value(format!("a pickled job rounds corners by \"{other}\", which is not known")));
        }
    };
    // The axis follows from the frames.
    let axis = ToolAxis::new([0.0, 0.0, 1.0], DVec3::X, 0.0).map_err(|fault| value(fault.to_string()))?;
    let mut job = kansho::plan::job::Job {
        cell: Clone::clone(&*cell.get().cell),
        robot: item("robot")?.extract()?,
        path: WorkPath { strokes: strokes.into_iter().map(stroke).collect() },
        axis,
        frames,
        constant,
        change_branch,
        motion: if is_lin { JobMotion::Lin } else { JobMotion::Ptp },
        laws,
        speed,
        zone,
        lift,
        blend,
        clearance,
        timing: timing.map(|(speed, acceleration, jerk, tip_speed, cycle)| JobTiming {
            limits: TimeLimits { speed, acceleration, jerk, tip_speed },
            cycle,
        }),
    };
    job.turn().map_err(value)?;
    let job = LoadedJob {
        job,
        file,
        cell_file,
        path_file,
        metres_per_unit,
        post: item("post")?.extract()?,
        profiles: Vec::new(),
        cell_warnings: Vec::new(),
        warnings: Vec::new(),
    };
    Ok(Job { job, cell, warnings: item("warnings")?.extract()? })
}
