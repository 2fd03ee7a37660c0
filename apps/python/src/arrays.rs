//! Numbers from Python: numpy arrays as they are, anything else that numpy makes an array of.

use crate::errors::value;
use kansho::geom::Pose;
use kansho::geom::glam::{DQuat, DVec3};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A table of finite numbers, borrowed from an array where that is contiguous and of the right kind.
pub(crate) struct Table<'py> {
    array: PyReadonlyArray2<'py, f64>,
}

impl<'py> Table<'py> {
    /// From an array of shape `(rows, columns)`, or of `(columns,)` for one row. `what` names it in messages, `names` its columns.
    pub(crate) fn of(given: &Bound<'py, PyAny>, what: &str, names: &[String]) -> PyResult<Self> {
        let array = match given.extract::<PyReadonlyArray2<'py, f64>>() {
            Ok(array) if array.is_c_contiguous() => array,
            _ => converted(given, what)?,
        };
        let shape = array.shape();
        if shape[1] != names.len() {
            return Err(value(format!(
                "{what}: shape (n, {}) is wanted, with columns {}; this has shape {}",
                names.len(),
                listed(names),
                shape_of(given)
            )));
        }
        let table = Self { array };
        if let Some(bad) = table.values().iter().position(|x| !x.is_finite()) {
            let (row, column) = (bad / names.len(), bad % names.len());
            return Err(value(format!(
                "{what}: row {row}, column {column} ({}) is {}, which is no finite number",
                names[column],
                table.values()[bad]
            )));
        }
        Ok(table)
    }

    /// As [`Table::of`], of any number of columns.
    pub(crate) fn of_width(given: &Bound<'py, PyAny>, what: &str, columns: usize) -> PyResult<Self> {
        Self::of(given, what, &(0..columns).map(|k| k.to_string()).collect::<Vec<_>>())
    }

    /// All numbers, row after row.
    pub(crate) fn values(&self) -> &[f64] {
        self.array.as_slice().expect("it is contiguous")
    }

    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.array.shape()[0]
    }
}

/// At most eight names.
fn listed(names: &[String]) -> String {
    let more = if names.len() > 8 { ", ..." } else { "" };
    names.iter().take(8).cloned().collect::<Vec<_>>().join(", ") + more
}

fn shape_of(given: &Bound<'_, PyAny>) -> String {
    let numpy = given.py().import("numpy");
    let shape = numpy.and_then(|numpy| numpy.call_method1("shape", (given,)));
    shape.map_or_else(|_| "of no array".into(), |shape| shape.to_string())
}

/// Whatever numpy makes an array of numbers of, without losing any of their digits.
fn converted<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<PyReadonlyArray2<'py, f64>> {
    let py = given.py();
    let numpy = py.import("numpy")?;
    let array = numpy
        .call_method1("asarray", (given,))
        .map_err(|error| value(format!("{what}: this is no array of numbers: {}", error.value(py))))?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    let size: usize = dtype.getattr("itemsize")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u") || size > 8 {
        return Err(PyTypeError::new_err(format!(
            "{what}: numbers are wanted (float64, float32 or whole ones), not dtype {dtype}"
        )));
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "float64"))?;
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    let array = match dimensions {
        2 => array,
        1 => array.call_method1("reshape", (1, -1))?,
        _ => {
            return Err(value(format!(
                "{what}: an array of two dimensions is wanted, one row each; this has shape {}",
                shape_of(given)
            )));
        }
    };
    let array = array.cast_into::<PyArray2<f64>>()?;
    array.try_readonly().map_err(|error| value(format!("{what}: {error}")))
}

/// Numbers of one posture, for calls that must be quick: from an array without copying, otherwise from any sequence.
pub(crate) fn with_posture<T>(
    given: &Bound<'_, PyAny>,
    names: &[String],
    work: impl FnOnce(&[f64]) -> T,
) -> PyResult<T> {
    if let Ok(array) = given.extract::<PyReadonlyArray1<'_, f64>>()
        && let Ok(numbers) = array.as_slice()
    {
        return good(numbers, names).map(|()| work(numbers));
    }
    // States of planners (OMPL's are such) may have numbers by index, and no length: as many are read as the cell has coordinates. They must not be
    // read to the end, as a sequence is: beyond the last number OMPL reads memory that is not its own.
    if given.len().is_err() && given.hasattr("__getitem__")? {
        let number = |k: usize| given.get_item(k).and_then(|number| number.extract::<f64>());
        let numbers: Vec<f64> = (0..names.len()).map(number).collect::<PyResult<_>>()?;
        return good(&numbers, names).map(|()| work(&numbers));
    }
    if let Ok(numbers) = given.extract::<Vec<f64>>() {
        return good(&numbers, names).map(|()| work(&numbers));
    }
    let table = Table::of(given, "posture", names)?;
    if table.rows() != 1 {
        return Err(value(format!("posture: one is wanted, and here are {}", table.rows())));
    }
    Ok(work(table.values()))
}

fn good(numbers: &[f64], names: &[String]) -> PyResult<()> {
    if numbers.len() != names.len() {
        return Err(value(format!(
            "posture: {} numbers are wanted ({}), and here are {}",
            names.len(),
            listed(names),
            numbers.len()
        )));
    }
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(k) => Err(value(format!("posture: {} is {}, which is no finite number", names[k], numbers[k]))),
        None => Ok(()),
    }
}

/// A pose: a 4 x 4 or 3 x 4 matrix, the 12 numbers of a row of a file, `x, y, z`, or `x, y, z, qw, qx, qy, qz`.
pub(crate) fn pose(given: &Bound<'_, PyAny>) -> PyResult<Pose> {
    const WANTED: &str = "a pose is a 4 x 4 matrix, 12 numbers (rotation by rows, translation), x, y, z, or x, y, z, qw, qx, qy, qz";
    let numpy = given.py().import("numpy")?;
    let shape: Vec<usize> = numpy
        .call_method1("shape", (given,))
        .and_then(|shape| shape.extract())
        .map_err(|_| value(format!("at: {WANTED}")))?;
    let flat = numpy.call_method1("ravel", (given,))?;
    let count = shape.iter().product::<usize>();
    if count == 0 {
        return Err(value(format!("at: {WANTED}; this has shape {shape:?}")));
    }
    let numbers = Table::of_width(&flat, "at", count)?;
    let numbers = numbers.values();
    let rows = |rotation: [usize; 9], translation: [usize; 3]| {
        let mut all = [0.0; 12];
        all.iter_mut().zip(rotation.iter().chain(&translation)).for_each(|(to, from)| *to = numbers[*from]);
        Pose::from_rows(&all)
    };
    let from_matrix = || rows([0, 1, 2, 4, 5, 6, 8, 9, 10], [3, 7, 11]);
    let found = match (shape.as_slice(), numbers) {
        ([4, 4], [.., a, b, c, d]) => {
            if [*a, *b, *c, *d] != [0.0, 0.0, 0.0, 1.0] {
                return Err(value("at: the last row of a 4 x 4 matrix is 0, 0, 0, 1"));
            }
            from_matrix()
        }
        ([3, 4], _) => from_matrix(),
        ([12], _) => rows([0, 1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11]),
        ([7], &[x, y, z, qw, qx, qy, qz]) => {
            Pose::from_quat(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))
        }
        ([3], &[x, y, z]) => Pose::from_rows(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x, y, z]),
        _ => return Err(value(format!("at: {WANTED}; this has shape {shape:?}"))),
    };
    found.map_err(|fault| value(format!("at: {fault}")))
}

/// A pose as a 4 x 4 matrix.
pub(crate) fn matrix(pose: &Pose) -> [[f64; 4]; 4] {
    let r = pose.to_rows();
    [[r[0], r[1], r[2], r[9]], [r[3], r[4], r[5], r[10]], [r[6], r[7], r[8], r[11]], [0.0, 0.0, 0.0, 1.0]]
}
