//! Paths of files, as Python programs have them.

use crate::errors::value;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::path::PathBuf;

/// A path: a text, or whatever has one (`os.PathLike`). Files that somebody has opened are refused, with their names.
pub(crate) struct FilePath(pub(crate) PathBuf);

impl FilePath {
    /// The path that something is; nothing if it is something else altogether, such as an array.
    pub(crate) fn named(given: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
        let is_path = given.is_instance_of::<PyString>()
            || given.is_instance_of::<PyBytes>()
            || given.hasattr("__fspath__")?;
        if is_path {
            return given.extract::<PathBuf>().map(Some);
        }
        opened(given)?;
        Ok(None)
    }
}

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match Self::named(&given)? {
            Some(path) => Ok(Self(path)),
            None => Err(PyTypeError::new_err(format!("a path is wanted, not {}", given.get_type().name()?))),
        }
    }
}

/// An exception if this is a file that was opened, whether or not it was closed since: files are read from the beginning, and what they name is
/// looked for beside them.
pub(crate) fn opened(given: &Bound<'_, PyAny>) -> PyResult<()> {
    if !(given.hasattr("read")? && given.hasattr("closed")?) {
        return Ok(());
    }
    let name = given.getattr("name").ok().and_then(|name| name.extract::<String>().ok());
    let of = name.map_or(String::new(), |name| format!(": {name}"));
    if given.getattr("closed")?.is_truthy()? {
        return Err(value(format!("this file is closed, and its path is wanted{of}")));
    }
    Err(PyTypeError::new_err(format!("the path of the file is wanted, not the open file{of}")))
}
