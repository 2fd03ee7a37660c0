//! Movements in words.

use crate::certificate::Certificate;
use crate::errors::{not_written, refused, texts, value};
use crate::path::FilePath;
use crate::run::Asked;
use kansho::ask::script::{DoneScript, fault, poses, script as ask};
use kansho::budget::Budget;
use kansho::io::fault::Plain;
use kansho::io::whole_files;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What came of a script of movements in words.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Moved(DoneScript);

/// Does what a script says (`script.toml`): movements in words become exact poses and a proven motion.
///
/// A move that does not come to its end is an answer, too: `status` and `fault` say which, where and why. What is not decided within `timeout`
/// seconds is undecided.
///
/// >>> import kansho, tempfile, pathlib
/// >>> script = '''move = [{ do = "approach", along = "-z", until = "block.A on table.B" }]
/// ... [fixed.table]
/// ... box = [1, 1, 0.1]
/// ... at = { xyz = [0, 0, -0.05] }
/// ... B = { face = "+z" }
/// ... [moved.block]
/// ... box = [0.2, 0.2, 0.2]
/// ... start = { xyz = [0, 0, 0.5] }
/// ... A = { face = "-z" }
/// ... '''
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     path = pathlib.Path(folder) / "script.toml"
/// ...     _ = path.write_text(script)
/// ...     moved = kansho.move(path)
/// >>> moved.status, [round(z, 9) for z in moved.poses[:, 2].tolist()]
/// ('reached', [0.5, 0.1])
/// >>> moved.certificate().verify().accepted
/// True
#[pyfunction]
#[pyo3(name = "move", signature = (script, *, packages=Vec::new(), timeout=None))]
pub(crate) fn do_moves(
    py: Python<'_>,
    script: FilePath,
    packages: Vec<PathBuf>,
    timeout: Option<f64>,
) -> PyResult<Moved> {
    let asked = Asked::new(Some(1), timeout, None)?;
    let deadline = asked.deadline;
    let done = asked.run(py, 1, |control| {
        let budget = Budget { deadline, stop: Some(&control.stop), ..Budget::default() };
        ask(&script.0, &packages, &budget)
    })?;
    done.map(Moved).map_err(|errors| refused(&errors))
}

#[pymethods]
impl Moved {
    /// What became of the last move that was begun: "reached" if all came to their ends.
    #[getter]
    fn status(&self) -> &'static str {
        self.0.found.status().word()
    }

    /// Whether all came to their ends, and the robot, if there is one, is led free.
    #[getter]
    fn reached(&self) -> bool {
        self.0.is_done()
    }

    /// Why it did not come to its end, in a sentence, as the command line has it.
    #[getter]
    fn fault(&self) -> Option<String> {
        fault(&self.0.loaded, &self.0.found)
    }

    /// Where ways begin and end, one row each: x, y, z, qw, qx, qy, qz in metres; screws lie between.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = poses(&self.0.found);
        let numbers: Vec<f64> = rows
            .iter()
            .flat_map(|pose| {
                let (p, q) = (pose.translation(), pose.quat());
                [p.x, p.y, p.z, q.w, q.x, q.y, q.z]
            })
            .collect();
        PyArray1::from_vec(py, numbers).reshape([rows.len(), 7])
    }

    /// All that is known, as the command prints it with `--json`, in the units of the script.
    #[getter]
    fn answer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.0.answer().json_text(),))
    }

    /// The robot's motion, if the script has a robot and it is proven free: a list of moves for `Cell.check`.
    #[getter]
    fn motion<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(bytes) = self.0.motion() else { return Ok(None) };
        py.import("json")?.call_method1("loads", (bytes,)).map(Some)
    }

    /// Why nothing but what may touches on the motions of the moved body: re-checked by `verify` of it, or `kansho verify`. It is about the
    /// bodies of the script, not about its robot. Raises ValueError if not all moves came to their ends, or if none is found within
    /// `timeout` seconds.
    #[pyo3(signature = (*, timeout=None))]
    fn certificate(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Certificate> {
        let asked = Asked::new(None, timeout, None)?;
        let deadline = asked.deadline;
        let found = asked.run(py, 1, |control| {
            self.0.certificate(&Budget { deadline, stop: Some(&control.stop), ..Budget::default() })
        })?;
        found.map(|held| Certificate { held }).map_err(|why| value(format!("no certificate: {why}")))
    }

    /// What is odd about the files.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        texts(&self.0.warnings)
    }

    /// Writes what the command writes with `--out` into a folder, all of it or nothing; the names of the files.
    fn save(&self, py: Python<'_>, folder: FilePath) -> PyResult<Vec<String>> {
        let files = self.0.files();
        py.detach(|| whole_files(&folder.0, &files)).map_err(|error| not_written(&error))?;
        Ok(files.into_iter().map(|(name, _)| name).collect())
    }

    fn __str__(&self) -> String {
        self.0.text(&Plain)
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Moved {}, {} moves>", self.status(), self.0.found.steps.len())
    }
}
