//! Answers of the library as plain Python data: the same keys as `--json` of the command.

use kansho::io::setting::Face;
use pyo3::prelude::*;
use serde::Serialize;

/// An answer as dicts, lists, texts and numbers.
pub(crate) fn plain(py: Python<'_>, answer: &impl Serialize) -> PyResult<Py<PyAny>> {
    let text = serde_json::to_string(answer).expect("answers are plain data");
    let text = Face::Python.rendered(&text).into_owned();
    Ok(py.import("json")?.call_method1("loads", (text,))?.unbind())
}
