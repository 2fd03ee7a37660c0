//! One motion of a cell: proven free, or with its first contact.

use crate::cell::PyCell;
use crate::certificate::Certificate;
use crate::errors::{refused, texts};
use crate::given::{self, Given};
use crate::motion::{contact, length};
use crate::path::FilePath;
use crate::plain::plain;
use crate::run::Asked;
use kansho::ask::check::{self, CheckAnswer, CheckOptions, FileMotion, MotionVerdict, ReadMotion};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

/// What is known of one motion.
#[derive(Default)]
#[pyclass(frozen, module = "kansho", get_all)]
pub(crate) struct Report {
    /// "free", "touches" or "undecided".
    verdict: &'static str,
    /// When they touch, as a fraction of the motion; with contact="first" the first contact lies in (t_before, t].
    t: Option<f64>,
    /// Until then nothing touches.
    t_before: Option<f64>,
    /// The posture of the contact.
    posture: Option<Vec<f64>>,
    /// The pair that touches, or the nearest one of a motion that is free.
    pair: Option<String>,
    /// The gap of that pair there, in metres.
    gap: Option<f64>,
    /// Its two points in the world.
    points: Option<[[f64; 3]; 2]>,
    /// What of its two bodies touches there: {"triangle": k, "feature": "face" or {"edge": k} or {"corner": k}}, "surface" or "inside".
    on: Option<[Py<PyAny>; 2]>,
    /// The move in which it touches, by the number of the waypoint, row or move that it leads to, from 1.
    r#move: Option<usize>,
    /// How far along that move.
    fraction: Option<f64>,
    /// The line of that move, in a robot program.
    line: Option<u32>,
    /// Seconds from the first target of a robot program on, at the speeds that are programmed.
    seconds: Option<f64>,
    /// Whether it touches at the start.
    at_start: bool,
    /// All pairs that touch at the start, with bounds of how deep they are in each other, in metres.
    start: Vec<(String, Option<[f64; 2]>)>,
    /// If it is free, a proven bound below all gaps in metres; None if nothing that is checked can touch.
    clearance: Option<f64>,
    /// If it is undecided, the first span of which nothing is known; None if that is because moves of a program are never reached.
    open: Option<(f64, f64)>,
    /// How many moves of a robot program are never reached: if what is reached is free, the program is undecided.
    unreached: usize,
    /// What is known line by line of a robot program that is not understood or not proven as a whole: a dict with the keys of `partial` in
    /// `kansho check --json`.
    partial: Option<Py<PyAny>>,
    /// Why it is free, for others to check.
    certificate: Option<Py<Certificate>>,
    /// Why there is none, though it is free and one was asked for.
    no_certificate: Option<String>,
    /// How the tool turns, of a motion that leads one: the law that the answer is about, which is the worst if there are two.
    law: Option<String>,
    /// The verdict of each law.
    laws: BTreeMap<String, &'static str>,
    /// What is odd about the motion, in the words of the command line.
    warnings: Vec<String>,
}

#[pymethods]
impl Report {
    /// Whether it is proven free.
    #[getter]
    fn free(&self) -> bool {
        self.verdict == "free"
    }

    fn __repr__(&self) -> String {
        match (self.verdict, self.t, &self.pair, self.clearance) {
            ("free", _, _, Some(clearance)) => format!("<kansho.Report free, at least {clearance} m apart>"),
            ("touches", Some(t), Some(pair), _) => format!("<kansho.Report {pair} touch at t = {t}>"),
            (verdict, ..) => format!("<kansho.Report {verdict}>"),
        }
    }
}

#[pymethods]
impl PyCell {
    /// Whether a motion is free at every instant, or where it first touches.
    ///
    /// A motion is an array of waypoints; a list of moves such as `{"ptp": [joints]}`, `{"lin": {"xyz": ..., "quat": ...}}`, `{"circ": ...}`; or the path
    /// of a file: waypoints (CSV), moves (JSON), a robot program (.mod, .src, .ls, .script, .jbi) or a trajectory of ROS (.yaml, .xml).
    /// Between waypoints all joints move evenly (`kind` "ptp"), on a smooth spline ("spline"), or the tool goes straight ("lin"; rows may then be
    /// poses of its tip, too: (n, 4, 4), (n, 12) or (n, 7) with x, y, z, qw, qx, qy, qz).
    ///
    /// As near as `clearance` (metres; for single pairs `clearance_of`) is a contact. With contact="any" the answer comes sooner, and the contact
    /// need not be the first. `tight` measures how near bodies come; without it, `clearance` of the answer is what the proof needed.
    /// `certificate` asks for a proof that others can check. A motion in which joints leave their limits is refused, unless `allow_outside_limits`.
    /// Others say how a motion is meant, as on the command line: `law`, `blend`, `blend_margin`, `zone`, `tip`, `branch` where a tool is led, `profile`,
    /// `robot`, `entry`, `once`, `tool_of_cell`, `fine` for robot programs, `units` for files.
    ///
    /// >>> import kansho, numpy as np
    /// >>> cell = kansho.demo_cell()
    /// >>> report = cell.check(np.radians([[0, -35, 15, 0, 35, 0], [5, -35, 15, 0, 35, 0]]), kind="lin")
    /// >>> report.verdict, report.law
    /// ('free', 'slerp')
    #[pyo3(signature = (motion, *, kind="ptp", clearance=0.0, clearance_of=BTreeMap::new(), contact="first", tight=true, certificate=false, strict=false, threads=None, timeout=None, **how))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        motion: &Bound<'py, PyAny>,
        kind: &str,
        clearance: f64,
        clearance_of: BTreeMap<String, f64>,
        contact: &str,
        tight: bool,
        certificate: bool,
        strict: bool,
        threads: Option<usize>,
        timeout: Option<f64>,
        how: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Report> {
        self.moves("motions")?;
        let asked = Asked::new(threads, timeout, None)?;
        let checked = CheckOptions {
            clearance: length("clearance", clearance)?,
            of_pairs: self.of_pairs(&clearance_of)?,
            contact: self::contact(contact)?,
            tight,
            certificate,
        };
        let mut options = given::options(kind, how)?;
        options.program.unreached = true;
        options.outside_limits &= !strict;
        let (path, read) = match FilePath::named(motion)? {
            Some(path) => {
                let read = py.detach(|| FileMotion::read(&path, &self.cell, &options));
                (path, read.map_err(|error| refused(&[error]))?)
            }
            None => {
                let Given { loaded, path } = given::motion(py, motion, self, &options)?;
                (path, FileMotion::Whole(Box::new(loaded)))
            }
        };
        let found = asked.run(py, 1, |control| {
            let budget = control.budget(asked.deadline);
            check::file(self.modelled(), &path, &read, &options, &checked, &budget)
        })?;
        let found = found.map_err(|error| refused(&[error]))?;
        let mut report = report(py, &found.answer)?;
        if let FileMotion::Whole(loaded) = &read {
            report.unreached = ReadMotion { path: &path, loaded }.unreached();
        }
        report.warnings = texts(&read.warnings(&path));
        match found.certificate {
            Some(Ok(held)) => report.certificate = Some(Py::new(py, Certificate { held })?),
            Some(Err(why)) => report.no_certificate = Some(why),
            None => {}
        }
        Ok(report)
    }
}

fn report(py: Python<'_>, answer: &CheckAnswer) -> PyResult<Report> {
    let mut report = Report {
        verdict: answer.verdict().word(),
        law: answer.law.clone(),
        partial: answer.partial.as_ref().map(|partial| plain(py, partial)).transpose()?,
        laws: answer.laws.iter().map(|one| (one.law.clone(), one.verdict.word())).collect(),
        ..Report::default()
    };
    match &answer.found {
        MotionVerdict::Free(found) => {
            report.clearance = found.clearance;
            if let Some(nearest) = &found.nearest {
                report.t = Some(nearest.t);
                report.pair = Some(nearest.pair.clone());
                report.gap = Some(nearest.gap);
                report.points = Some(nearest.points);
            }
        }
        MotionVerdict::Touches(found) => {
            report.r#move = Some(found.place.number);
            report.fraction = Some(found.place.fraction);
            report.line = found.place.program.map(|program| program.line);
            report.seconds = found.place.program.and_then(|program| program.seconds);
            [report.t_before, report.t] = found.t.map(Some);
            report.posture = Some(found.posture.clone());
            report.pair = Some(found.pair.clone());
            report.gap = Some(found.gap);
            report.points = Some(found.points);
            let [a, b] = found.on;
            report.on = Some([plain(py, &a)?, plain(py, &b)?]);
            report.at_start = found.at_start;
            report.start = found.start.iter().map(|start| (start.pair.clone(), start.depth)).collect();
        }
        MotionVerdict::Undecided(found) => report.open = found.open.map(|[from, to]| (from, to)),
    }
    Ok(report)
}
