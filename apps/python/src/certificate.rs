//! Certificates, and their check by what shares only forward kinematics with the search.

use crate::cell::PyCell;
use crate::errors::{not_written, refused, value};
use crate::given;
use crate::path::FilePath;
use crate::run::Asked;
use kansho::cell::route::{Law, Route};
use kansho::check::verify::verify;
use kansho::io::motion_certificate::{self, AnyCertificate};
use kansho::io::motion_file::Moved;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Poses of a route that differ by no more are the same: what rounding makes of numbers of a file, in metres and radians.
const SAME: f64 = 1e-9;

/// Why a motion is free, for others to check: `verify` of it, or `kansho verify` on the command line.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Certificate {
    pub(crate) held: AnyCertificate,
}

/// What the check of a certificate says.
#[pyclass(frozen, module = "kansho", get_all)]
pub(crate) struct Verified {
    /// Whether it proves what it says.
    accepted: bool,
    /// Why it does not.
    why: Option<String>,
    /// Regions that were looked at.
    regions: Option<u64>,
}

#[pymethods]
impl Verified {
    fn __bool__(&self) -> bool {
        self.accepted
    }

    fn __repr__(&self) -> String {
        match &self.why {
            None => "<kansho.Verified accepted>".into(),
            Some(why) => format!("<kansho.Verified refused: {why}>"),
        }
    }
}

#[pymethods]
impl Certificate {
    /// Reads one that `kansho check`, `kansho moving`, `kansho plan` or `save` has written.
    #[staticmethod]
    fn load(py: Python<'_>, path: FilePath) -> PyResult<Self> {
        let FilePath(path) = path;
        let held = py.detach(|| motion_certificate::read_any(&path)).map_err(|error| refused(&[error]))?;
        Ok(Self { held })
    }

    /// What it is about: "cell", "route" (a tool is led) or "bodies".
    #[getter]
    fn about(&self) -> &'static str {
        match self.held {
            AnyCertificate::Bodies(_) => "bodies",
            AnyCertificate::Cell(_) => "cell",
            AnyCertificate::Route(_) => "route",
        }
    }

    /// It as JSON, as the command writes it. Those of two bodies stay in their files.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| match &self.held {
            AnyCertificate::Cell(certified) => Ok(certified.to_json()),
            AnyCertificate::Route(certified) => Ok(certified.to_json()),
            AnyCertificate::Bodies(_) => Err(value("a certificate of two bodies stays in its file")),
        })
    }

    /// Writes it, whole or not at all.
    fn save(&self, py: Python<'_>, path: FilePath) -> PyResult<()> {
        let FilePath(path) = path;
        let text = self.to_json(py)?;
        py.detach(|| kansho::io::whole_file(&path, text.as_bytes())).map_err(|error| not_written(&error))
    }

    /// Checks it anew: for a cell, unless it is about two bodies, which it holds. With a motion (as in `Cell.check`), it must be about that, too.
    #[pyo3(signature = (cell=None, motion=None, *, kind="ptp", threads=None, **how))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        cell: Option<PyRef<'py, PyCell>>,
        motion: Option<&Bound<'py, PyAny>>,
        kind: &str,
        threads: Option<usize>,
        how: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Verified> {
        let asked = Asked::new(threads, None, None)?;
        let of = |found: Result<u64, String>| match found {
            Ok(regions) => Verified { accepted: true, why: None, regions: Some(regions) },
            Err(why) => Verified { accepted: false, why: Some(why), regions: None },
        };
        let motion = match (&cell, motion) {
            (Some(cell), Some(motion)) => {
                Some(given::motion(py, motion, cell, &given::options(kind, how)?)?.loaded.motion)
            }
            (None, Some(_)) => return Err(value("a motion is of a cell, which has to be given")),
            (_, None) => None,
        };
        let other = || Ok(of(Err("it is about another motion".into())));
        let cell = cell.as_ref().map(|cell| std::sync::Arc::clone(&cell.cell));
        match (&self.held, cell) {
            (AnyCertificate::Bodies(certified), None) => {
                let [a, b] = &certified.meshes;
                let [motion_a, motion_b] = &certified.motions;
                let found =
                    asked.run(py, 1, |_| verify([a, b], [motion_a, motion_b], &certified.certificate))?;
                Ok(of(found.map(|found| found.regions as u64).map_err(|why| why.to_string())))
            }
            (AnyCertificate::Bodies(_), Some(_)) => {
                Err(value("this is about two bodies, which it holds, and about no cell"))
            }
            (_, None) => Err(value("this is about a cell, which has to be given")),
            (AnyCertificate::Cell(certified), Some(cell)) => {
                let is_it = |motion| matches!(motion, Moved::Joints(motion) if motion == certified.motion);
                if motion.is_some_and(|motion| !is_it(motion)) {
                    return other();
                }
                let found = asked.run(py, 1, |_| certified.verify(&cell))?;
                Ok(of(found.map(|found| found.regions as u64).map_err(|why| why.to_string())))
            }
            (AnyCertificate::Route(certified), Some(cell)) => {
                let is_proven = |(law, route): &(Law, Route)| {
                    certified.routes.iter().any(|one| one.law == *law && one.route.is_near(route, SAME))
                };
                let is_it = |motion| matches!(motion, Moved::Tool(routes) if routes.iter().all(is_proven));
                if motion.is_some_and(|motion| !is_it(motion)) {
                    return other();
                }
                let found = asked.run(py, 1, |_| certified.verify(&cell))?;
                Ok(of(found.map(|found| found.regions as u64).map_err(|why| why.to_string())))
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Certificate about {}>", self.about())
    }
}
