//! Certificates, and their check by what shares only forward kinematics with the search.

use crate::arrays::Table;
use crate::cell::PyCell;
use crate::errors::{not_written, refused, value};
use crate::motion::joint_motion;
use crate::run::Asked;
use kansho::check::verify::verify;
use kansho::io::motion_certificate::{self, AnyCertificate};
use pyo3::prelude::*;
use std::path::PathBuf;

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
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
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
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let text = self.to_json(py)?;
        py.detach(|| kansho::io::whole_file(&path, text.as_bytes())).map_err(|error| not_written(&error))
    }

    /// Checks it anew: for a cell, unless it is about two bodies, which it holds. With waypoints, it must be about that motion, too.
    #[pyo3(signature = (cell=None, waypoints=None, *, kind="ptp", threads=None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        cell: Option<PyRef<'py, PyCell>>,
        waypoints: Option<&Bound<'py, PyAny>>,
        kind: &str,
        threads: Option<usize>,
    ) -> PyResult<Verified> {
        let asked = Asked::new(threads, None, None)?;
        let of = |found: Result<u64, String>| match found {
            Ok(regions) => Verified { accepted: true, why: None, regions: Some(regions) },
            Err(why) => Verified { accepted: false, why: Some(why), regions: None },
        };
        let motion = match (&cell, waypoints) {
            (Some(cell), Some(waypoints)) => {
                let table = Table::of(waypoints, "waypoints", &cell.names)?;
                Some(joint_motion(&table, cell.names.len(), kind)?)
            }
            (None, Some(_)) => return Err(value("waypoints are of a cell, which has to be given")),
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
                if motion.is_some_and(|motion| motion != certified.motion) {
                    return other();
                }
                let found = asked.run(py, 1, |_| certified.verify(&cell))?;
                Ok(of(found.map(|found| found.regions as u64).map_err(|why| why.to_string())))
            }
            (AnyCertificate::Route(certified), Some(cell)) => {
                if motion.is_some() {
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
