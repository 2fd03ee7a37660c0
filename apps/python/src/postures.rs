//! Many postures of a cell.

use crate::arrays::Table;
use crate::cell::PyCell;
use crate::errors::value;
use crate::run::{Asked, Control};
use kansho::ask::postures::{self, Models, PosturesOptions};
use kansho::check::postures::{Answer, Find, touches};
use kansho::check::scene::{PairId, Scene};
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Rows of `touches` between two looks at whether to stop.
const CHUNK: usize = 1 << 16;

/// Answers for many postures.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Postures {
    /// For each posture 1 if something touches, 0 if it is free, -1 if there was no time to tell.
    #[pyo3(get)]
    hit: Py<PyArray1<i8>>,
    /// For each posture the number in `Cell.pairs` of the first pair that touches, with find="gap" of the nearest; -1 if there is none.
    #[pyo3(get)]
    pair_index: Py<PyArray1<i32>>,
    /// With find="gap", the least gap of each posture in metres; nan where it is not known or nothing moves relative to another.
    #[pyo3(get)]
    distance: Option<Py<PyArray1<f64>>>,
    /// With find="gap", the two nearest points in the world, of shape (n, 2, 3).
    #[pyo3(get)]
    points: Option<Py<PyArray3<f64>>>,
    /// With find="all", for each posture the numbers of all pairs that touch.
    all: Option<Vec<Vec<u32>>>,
    names: Arc<Scene>,
    numbers: Vec<i32>,
}

#[pymethods]
impl Postures {
    /// For each posture the name of its pair (`a|b`), or None.
    #[getter]
    fn pair(&self) -> Vec<Option<String>> {
        let name = |&number: &i32| u32::try_from(number).ok().map(|id| self.names.pair_name(PairId(id)));
        self.numbers.iter().map(name).collect()
    }

    /// With find="all", for each posture the names of all pairs that touch.
    #[getter]
    fn pairs(&self) -> Option<Vec<Vec<String>>> {
        let named = |pairs: &Vec<u32>| pairs.iter().map(|&id| self.names.pair_name(PairId(id))).collect();
        self.all.as_ref().map(|all| all.iter().map(named).collect())
    }

    fn __len__(&self) -> usize {
        self.numbers.len()
    }
}

#[pymethods]
impl PyCell {
    /// Which postures touch: rows of joint values, in the order of `joints`, in radians and metres.
    ///
    /// `find` is "first" (the first pair that the cell lists), "all" (all pairs that touch) or "gap" (the least gap, its pair and
    /// points). With `spheres` (a radius in metres) spheres around the meshes are looked at: nothing is missed, but what touches may be a gap of up to
    /// four times the radius. Models, which give the same answers sooner, are made if that pays, always or never (`models`). What
    /// is not decided within `timeout` seconds is -1. `progress(done, total)` is called now and then. An array of float64 in rows is not copied: it must not be
    /// changed meanwhile.
    #[pyo3(name = "postures", signature = (postures, *, find="first", spheres=None, models=None, threads=None, timeout=None, progress=None))]
    fn py_postures<'py>(
        &self,
        py: Python<'py>,
        postures: &Bound<'py, PyAny>,
        find: &str,
        spheres: Option<f64>,
        models: Option<bool>,
        threads: Option<usize>,
        timeout: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Postures> {
        self.moves("postures")?;
        let find = match find {
            "first" => Find::First,
            "all" => Find::All,
            "gap" => Find::Gap,
            other => return Err(value(format!("find: \"first\", \"all\" or \"gap\", not \"{other}\""))),
        };
        let table = Table::of(postures, "postures", &self.names)?;
        let asked = Asked::new(threads, timeout, progress)?;
        let options = PosturesOptions {
            find,
            spheres,
            models: match models {
                Some(true) => Models::Always,
                Some(false) => Models::Never,
                None => Models::IfTheyPay,
            },
            ..PosturesOptions::default()
        };
        let (values, deadline) = (table.values(), asked.deadline);
        let found = asked.run(py, table.rows(), |control| {
            postures::postures(&self.prepared, values, &options, &control.budget(deadline))
        })?;
        let found = found.map_err(|fault| value(format!("spheres: {fault}")))?;
        of_answers(py, found.scene, &found.answers, find)
    }

    /// For each posture whether anything touches, as an array of bool: the quickest question.
    ///
    /// >>> import kansho, numpy
    /// >>> cell = kansho.demo_cell()
    /// >>> cell.touches(numpy.zeros((3, 6))).tolist()
    /// [False, False, False]
    #[pyo3(name = "touches", signature = (postures, *, threads=None, progress=None))]
    fn py_touches<'py>(
        &self,
        py: Python<'py>,
        postures: &Bound<'py, PyAny>,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        self.moves("postures")?;
        let table = Table::of(postures, "postures", &self.names)?;
        let asked = Asked::new(threads, None, progress)?;
        let (rows, values) = (table.rows(), table.values());
        let columns = self.names.len();
        let found = asked.run(py, rows, |control: &Control| {
            let scene = self.modelled();
            let mut all = Vec::with_capacity(rows);
            for chunk in values.chunks(CHUNK * columns) {
                if control.is_stopped() {
                    break;
                }
                all.extend(touches(scene, chunk).0);
                control.done.store(all.len(), Ordering::Relaxed);
            }
            all
        })?;
        Ok(PyArray1::from_vec(py, found))
    }
}

fn of_answers(py: Python<'_>, scene: Arc<Scene>, answers: &[Answer], find: Find) -> PyResult<Postures> {
    let hit = |answer: &Answer| match answer {
        Answer::Free(_) => 0,
        Answer::Touches(..) => 1,
        Answer::Undecided => -1,
    };
    let number = |answer: &Answer| match answer {
        Answer::Touches(pairs, _) => pairs.first().map_or(-1, |pair| pair.0 as i32),
        Answer::Free(Some(gap)) => gap.pair.0 as i32,
        Answer::Free(None) | Answer::Undecided => -1,
    };
    let numbers: Vec<i32> = answers.iter().map(number).collect();
    let gap = |answer: &Answer| match answer {
        Answer::Free(found) | Answer::Touches(_, found) => *found,
        Answer::Undecided => None,
    };
    let of_gaps = find == Find::Gap;
    let distance = of_gaps.then(|| {
        let distances = answers.iter().map(|answer| gap(answer).map_or(f64::NAN, |found| found.gap));
        PyArray1::from_iter(py, distances).unbind()
    });
    let points = of_gaps.then(|| {
        let numbers = answers.iter().flat_map(|answer| {
            gap(answer).map_or([f64::NAN; 6], |found| {
                let [p, q] = found.points;
                [p.x, p.y, p.z, q.x, q.y, q.z]
            })
        });
        PyArray1::from_iter(py, numbers).reshape([answers.len(), 2, 3]).map(Bound::unbind)
    });
    let all = (find == Find::All).then(|| {
        let of = |answer: &Answer| match answer {
            Answer::Touches(pairs, _) => pairs.iter().map(|pair| pair.0).collect(),
            _ => Vec::new(),
        };
        answers.iter().map(of).collect()
    });
    Ok(Postures {
        hit: PyArray1::from_iter(py, answers.iter().map(hit)).unbind(),
        pair_index: PyArray1::from_slice(py, &numbers).unbind(),
        distance,
        points: points.transpose()?,
        all,
        names: scene,
        numbers,
    })
}
