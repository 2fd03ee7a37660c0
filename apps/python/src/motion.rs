//! Many motions of a cell, and ways through free space.

use crate::arrays::{Table, with_posture};
use crate::cell::PyCell;
use crate::errors::value;
use crate::run::Asked;
use kansho::ask::check::{self, CheckOptions, SegmentVerdict};
use kansho::cell::{JointMotion, JointPiece};
use kansho::check::motion::{Contact, MotionScene};
use kansho::check::scene::{PairId, Scene};
use kansho::io::Fault;
use kansho::plan::transfer::{Transfer, TransferOptions, WhyNot, find_transfer_unless};
use kansho::scene::named_pairs;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Answers for many motions of one segment each.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Segments {
    /// For each segment 0 if it is proven free, 1 if it touches, -1 if it is undecided.
    #[pyo3(get)]
    verdict: Py<PyArray1<i8>>,
    /// When it touches, as a fraction of the segment; nan if it does not.
    #[pyo3(get)]
    t: Py<PyArray1<f64>>,
    /// The clearance that is proven of those that are free, in metres; nan otherwise.
    #[pyo3(get)]
    clearance: Py<PyArray1<f64>>,
    /// The number in `Cell.pairs` of what touches; -1 otherwise.
    #[pyo3(get)]
    pair_index: Py<PyArray1<i32>>,
    names: Arc<Scene>,
    numbers: Vec<i32>,
}

#[pymethods]
impl Segments {
    /// For each segment the name of the pair that touches (`a|b`), or None.
    #[getter]
    fn pair(&self) -> Vec<Option<String>> {
        let name = |&number: &i32| u32::try_from(number).ok().map(|id| self.names.pair_name(PairId(id)));
        self.numbers.iter().map(name).collect()
    }

    fn __len__(&self) -> usize {
        self.numbers.len()
    }
}

/// Postures, one a row.
type Waypoints<'py> = Bound<'py, PyArray2<f64>>;

pub(crate) fn contact(name: &str) -> PyResult<Contact> {
    match name {
        "first" => Ok(Contact::First),
        "any" => Ok(Contact::Any),
        other => Err(value(format!("contact: \"first\" or \"any\", not \"{other}\""))),
    }
}

pub(crate) fn length(name: &str, metres: f64) -> PyResult<f64> {
    if metres >= 0.0 && metres.is_finite() {
        Ok(metres)
    } else {
        Err(value(format!("{name}: a length in metres, zero or more, not {metres}")))
    }
}

#[pymethods]
impl PyCell {
    /// Many motions in which all joints move evenly from a start to a goal: rows of both, one after the other (2 x joints columns).
    #[pyo3(signature = (segments, *, clearance=0.0, clearance_of=BTreeMap::new(), contact="first", tight=false, threads=None, timeout=None, progress=None))]
    fn check_segments<'py>(
        &self,
        py: Python<'py>,
        segments: &Bound<'py, PyAny>,
        clearance: f64,
        clearance_of: BTreeMap<String, f64>,
        contact: &str,
        tight: bool,
        threads: Option<usize>,
        timeout: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Segments> {
        self.moves("motions")?;
        let ends = ["from", "to"];
        let names: Vec<String> =
            ends.iter().flat_map(|end| self.names.iter().map(move |name| format!("{end} {name}"))).collect();
        let table = Table::of(segments, "segments", &names)?;
        let options = CheckOptions {
            clearance: length("clearance", clearance)?,
            of_pairs: self.of_pairs(&clearance_of)?,
            contact: self::contact(contact)?,
            tight,
            certificate: false,
        };
        let asked = Asked::new(threads, timeout, progress)?;
        let ends: Vec<&[f64]> = table.values().chunks_exact(self.names.len()).collect();
        let found = asked.run(py, table.rows(), |control| {
            check::segments(self.modelled(), &ends, &options, &control.budget(asked.deadline))
        })?;
        let rows = || found.rows.iter().map(|row| &row.verdict);
        let numbers: Vec<i32> = rows()
            .map(|row| if let SegmentVerdict::Touches { pair_id, .. } = row { pair_id.0 as i32 } else { -1 })
            .collect();
        let verdict = |row: &SegmentVerdict| match row {
            SegmentVerdict::Free { .. } => 0,
            SegmentVerdict::Touches { .. } => 1,
            SegmentVerdict::Undecided => -1,
        };
        let t =
            |row: &SegmentVerdict| if let SegmentVerdict::Touches { t, .. } = row { *t } else { f64::NAN };
        let gap = |row: &SegmentVerdict| match row {
            SegmentVerdict::Free { clearance } => *clearance,
            _ => f64::NAN,
        };
        Ok(Segments {
            verdict: PyArray1::from_iter(py, rows().map(verdict)).unbind(),
            t: PyArray1::from_iter(py, rows().map(t)).unbind(),
            clearance: PyArray1::from_iter(py, rows().map(gap)).unbind(),
            pair_index: PyArray1::from_slice(py, &numbers).unbind(),
            names: Arc::clone(self.scene()),
            numbers,
        })
    }

    /// A way from one posture to another through free space, as waypoints (n, joints): lines in joint space, proven free. None comes with why.
    ///
    /// The same seed gives the same way. That none was found is no proof that there is none.
    ///
    /// >>> import kansho
    /// >>> cell = kansho.demo_cell()
    /// >>> way, why = cell.way([0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    /// >>> way.shape[1], why
    /// (6, None)
    #[pyo3(signature = (start, goal, *, clearance=0.0, seed=0, timeout=None))]
    fn way<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        goal: &Bound<'py, PyAny>,
        clearance: f64,
        seed: u64,
        timeout: Option<f64>,
    ) -> PyResult<(Option<Waypoints<'py>>, Option<String>)> {
        self.moves("motions")?;
        let [start, goal] = [start, goal].map(|end| with_posture(end, &self.names, <[f64]>::to_vec));
        let (start, goal) = (start?, goal?);
        let asked = Asked::new(None, timeout, None)?;
        let options = TransferOptions {
            clearance: length("clearance", clearance)?,
            seed,
            time_limit: timeout.map(Duration::from_secs_f64),
            ..TransferOptions::default()
        };
        let found = asked.run(py, 1, |control| {
            find_transfer_unless(
                &MotionScene::new(self.modelled()),
                &start,
                &goal,
                &options,
                Some(&control.stop),
            )
        })?;
        match found {
            Transfer::Found { motion, .. } => Ok((Some(waypoints(py, &motion)?), None)),
            Transfer::NotFound { why, .. } => Ok((None, Some(self.why_no_way(&why)))),
        }
    }
}

/// The postures between the pieces of a motion, with its ends.
pub(crate) fn waypoints<'py>(py: Python<'py>, motion: &JointMotion) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let corner = |piece: &JointPiece, k: usize| piece.controls().iter().map(|c| c[k]).collect::<Vec<f64>>();
    let mut all = motion.pieces().first().map_or(Vec::new(), |piece| corner(piece, 0));
    let columns = all.len();
    motion.pieces().iter().for_each(|piece| all.extend(corner(piece, 3)));
    PyArray1::from_vec(py, all).reshape([motion.pieces().len() + 1, columns])
}

impl PyCell {
    /// The pairs that are named, either way round.
    pub(crate) fn of_pairs(&self, named: &BTreeMap<String, f64>) -> PyResult<Vec<(PairId, f64)>> {
        let length = |(pair, metres): (&String, &f64)| Ok((pair.clone(), length("clearance_of", *metres)?));
        let named: Vec<(String, f64)> = named.iter().map(length).collect::<PyResult<_>>()?;
        named_pairs(&self.cell, &named).map_err(|faults| {
            let words = |fault: &Fault| match &fault.help {
                Some(help) => format!("clearance_of: {fault}; {help}"),
                None => format!("clearance_of: {fault}"),
            };
            value(faults.iter().map(words).collect::<Vec<_>>().join("\n"))
        })
    }

    fn why_no_way(&self, why: &WhyNot) -> String {
        use kansho::plan::transfer::End;
        let of = |end: &End| if *end == End::Start { "start" } else { "goal" };
        match why {
            WhyNot::Outside { end, coordinate } => {
                format!("the {} is outside the limits of {}", of(end), self.names[*coordinate])
            }
            WhyNot::Touches { end, pair, gap } => {
                format!("at the {} the gap of {} is {gap} m", of(end), self.scene().pair_name(*pair))
            }
            WhyNot::Undecided { end } => format!("whether the {} is free could not be told", of(end)),
            WhyNot::OutOfTime => "the time was over".into(),
            WhyNot::TriedEnough => "as many postures or lines were tried as allowed".into(),
        }
    }
}
