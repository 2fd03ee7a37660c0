//! Certificates, and their check by what shares only forward kinematics with the search.

use crate::cell::PyCell;
use crate::errors::{not_written, refused, value};
use crate::given;
use crate::path::FilePath;
use crate::run::Asked;
use kansho::ask::verify::{self, WrongPartner};
use kansho::io::certificate;
use kansho::verify::AnyCertificate;
use pyo3::prelude::*;
use pyo3::types::PyDict;

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
    /// Reads one that `kansho check`, `bodies`, `plan`, `script`, `contact` or `save` has written.
    #[staticmethod]
    fn load(py: Python<'_>, path: FilePath) -> PyResult<Self> {
        let FilePath(path) = path;
        let held = py.detach(|| certificate::read(&path)).map_err(|error| refused(&[error]))?;
        Ok(Self { held })
    }

    /// What it is about: "cell", "route" (a tool is led), "bodies", or "contact" (bodies that move in contact).
    #[getter]
    fn about(&self) -> &'static str {
        match self.held {
            AnyCertificate::Bodies(_) => "bodies",
            AnyCertificate::Cell(_) => "cell",
            AnyCertificate::Route(_) => "route",
            AnyCertificate::Contact(_) => "contact",
        }
    }

    /// It as JSON, as the command writes it. Those of two bodies stay in their files.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.held.to_json())
            .ok_or_else(|| value("a certificate of two bodies stays in its file"))
    }

    /// Writes it, whole or not at all.
    fn save(&self, py: Python<'_>, path: FilePath) -> PyResult<()> {
        let FilePath(path) = path;
        let text = self.to_json(py)?;
        py.detach(|| kansho::io::whole_file(&path, text.as_bytes())).map_err(|error| not_written(&error))
    }

    /// Checks it anew: for a cell, unless it is about bodies, which it holds. With a motion (as in `Cell.check`), it must be about that, too.
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
        let motion = match (&cell, motion) {
            (Some(cell), Some(motion)) => {
                Some(given::motion(py, motion, cell, &given::options(kind, how)?)?.loaded.motion)
            }
            (None, Some(_)) => return Err(value("a motion is of a cell, which has to be given")),
            (_, None) => None,
        };
        let cell = cell.as_ref().map(|cell| std::sync::Arc::clone(&cell.cell));
        let found = asked.run(py, 1, |_| verify::verify(&self.held, cell.as_deref(), motion.as_ref()))?;
        match found {
            Ok(answer) => Ok(Verified {
                accepted: answer.accepted,
                regions: answer.regions().map(|regions| regions as u64),
                why: answer.why,
            }),
            Err(WrongPartner::NeedsNoCell) => {
                Err(value("this is about bodies that it holds, and about no cell"))
            }
            Err(WrongPartner::NeedsCell) => Err(value("this is about a cell, which has to be given")),
        }
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Certificate about {}>", self.about())
    }
}
