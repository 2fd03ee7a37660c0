//! Movements in words.

use crate::errors::{not_written, refused, texts};
use crate::path::FilePath;
use crate::run::Asked;
use kansho::check::motion::MotionOptions;
use kansho::io::fault::Plain;
use kansho::io::script::{self, LoadedScript, RobotMotion};
use kansho::io::{ReadError, whole_files};
use kansho::plan::words::{Answer, Options, run};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What came of a script of movements in words.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Moved {
    loaded: LoadedScript,
    answer: Answer,
    robot: Option<RobotMotion>,
    warnings: Vec<String>,
}

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
    let done = asked.run(py, 1, |control| -> Result<_, Vec<ReadError>> {
        let loaded = script::read(&script.0)?;
        let stop = Some(&control.stop);
        let answer = run(&loaded.script, &Options { deadline, stop });
        let options = MotionOptions { deadline, stop, ..MotionOptions::default() };
        let robot = script::led(&loaded, &answer, &packages, &options)?;
        Ok((loaded, answer, robot))
    })?;
    let (loaded, answer, robot) = done.map_err(|errors| refused(&errors))?;
    let mut warnings = texts(&loaded.warnings);
    warnings.extend(robot.iter().flat_map(|robot| texts(&robot.warnings)));
    Ok(Moved { loaded, answer, robot, warnings })
}

impl Moved {
    fn value(&self) -> String {
        let mut value = script::json(&self.loaded, &self.answer);
        if let Some(robot) = &self.robot {
            value["robot"] = robot.value.clone();
        }
        format!("{value:#}\n")
    }
}

#[pymethods]
impl Moved {
    /// What became of the last move that was begun: "reached" if all came to their ends.
    #[getter]
    fn status(&self) -> &'static str {
        self.answer.status().word()
    }

    /// Whether all came to their ends, and the robot, if there is one, is led free.
    #[getter]
    fn reached(&self) -> bool {
        use kansho::io::script::RobotVerdict;
        let is_led = self.robot.as_ref().is_none_or(|robot| robot.verdict == RobotVerdict::Free);
        self.fault().is_none() && is_led
    }

    /// Why it did not come to its end, in a sentence, as the command line has it.
    #[getter]
    fn fault(&self) -> Option<String> {
        script::fault(&self.loaded, &self.answer)
    }

    /// Where ways begin and end, one row each: x, y, z, qw, qx, qy, qz in metres; screws lie between.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = script::poses(&self.answer);
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
        py.import("json")?.call_method1("loads", (self.value(),))
    }

    /// The robot's motion, if the script has a robot and it is proven free: a list of moves for `Cell.check`.
    #[getter]
    fn motion<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(bytes) = self.robot.as_ref().and_then(|robot| robot.motion.as_ref()) else {
            return Ok(None);
        };
        py.import("json")?.call_method1("loads", (bytes.as_slice(),)).map(Some)
    }

    /// What is odd about the files.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Writes what the command writes with `--out` into a folder, all of it or nothing; the names of the files.
    fn save(&self, py: Python<'_>, folder: FilePath) -> PyResult<Vec<String>> {
        let mut files = script::files(&self.answer);
        let motion = self.robot.as_ref().and_then(|robot| robot.motion.clone());
        files.extend(motion.map(|motion| ("motion.json".to_owned(), motion)));
        files.push(("answer.json".to_owned(), self.value().into_bytes()));
        py.detach(|| whole_files(&folder.0, &files)).map_err(|error| not_written(&error))?;
        Ok(files.into_iter().map(|(name, _)| name).collect())
    }

    fn __str__(&self) -> String {
        let robot = self.robot.as_ref().map_or("", |robot| &robot.text);
        script::text(&self.loaded, &self.answer, &Plain) + robot
    }

    fn __repr__(&self) -> String {
        format!("<kansho.Moved {}, {} moves>", self.status(), self.answer.steps.len())
    }
}
