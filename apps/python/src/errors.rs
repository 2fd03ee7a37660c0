//! Exceptions, with the words of the command line.

use kansho::cell::CellFault;
use kansho::io::fault::{Plain, message};
use kansho::io::setting::Face;
use kansho::io::{ReadError as Refused, Warning, WriteError as NotWritten};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

create_exception!(kansho, Error, PyException, "What kansho could not do, and why.");
create_exception!(
    kansho,
    ReadError,
    Error,
    "A file or an object was refused: every fault, with its place, in the words of the command line."
);
create_exception!(kansho, WriteError, Error, "A file was not written; nothing is left behind at its path.");

/// A message with its settings as arguments of Python.
pub(crate) fn in_python(text: &str) -> String {
    Face::Python.rendered(text).into_owned()
}

/// Refused files.
pub(crate) fn refused(errors: &[Refused]) -> PyErr {
    let each = errors.iter().flat_map(|error| error.faults.iter().map(|fault| (&error.path, fault)));
    let text: Vec<String> = each.map(|(path, fault)| message("error", path, fault, &Plain)).collect();
    ReadError::new_err(in_python(text.concat().trim_end()))
}

/// A file that could not be written.
pub(crate) fn not_written(error: &NotWritten) -> PyErr {
    WriteError::new_err(in_python(&error.to_string()))
}

/// What is wrong with a cell that comes from no file.
pub(crate) fn bad_cell(faults: &[CellFault]) -> PyErr {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    ReadError::new_err(in_python(&lines.join("\n")))
}

/// An argument that makes no sense.
pub(crate) fn value(what: impl Into<String>) -> PyErr {
    PyValueError::new_err(in_python(&what.into()))
}

/// Oddities, one text each.
pub(crate) fn texts(warnings: &[Warning]) -> Vec<String> {
    let text = |warning: &Warning| message("warning", &warning.path, &warning.fault, &Plain);
    warnings.iter().map(|warning| in_python(text(warning).trim_end())).collect()
}
