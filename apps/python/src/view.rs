//! The viewer, on a thread of its own.

use crate::cell::PyCell;
use crate::errors::{Error, refused, texts};
use crate::given;
use kansho::io::motion_file::MotionFileOptions;
use kansho::shown::NamedMotion;
use kansho_viewer::{Address, Frames, Loaded, Viewer};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A viewer that answers browsers of this machine until it is closed.
#[pyclass(frozen, module = "kansho", name = "_Served")]
pub(crate) struct Served {
    viewer: Mutex<Option<Viewer>>,
    port: u16,
}

#[pymethods]
impl Served {
    /// Its port on 127.0.0.1.
    #[getter]
    fn port(&self) -> u16 {
        self.port
    }

    /// Whether it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.viewer.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Ends it. It may be closed more than once.
    fn close(&self, py: Python<'_>) {
        let viewer = self.viewer.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(viewer));
    }
}

/// Begins to serve a cell and motions of it, each with a name, on loopback. `framed`: pages of this machine may show it in a frame.
#[pyfunction]
#[pyo3(name = "_serve", signature = (cell, motions, title, port, framed, kind, how))]
pub(crate) fn serve(
    py: Python<'_>,
    cell: &Bound<'_, PyCell>,
    motions: Vec<(String, Bound<'_, PyAny>)>,
    title: String,
    port: u16,
    framed: bool,
    kind: &str,
    how: &Bound<'_, PyDict>,
) -> PyResult<Served> {
    let cell = cell.get();
    // What is only shown may be outside limits.
    let options = MotionFileOptions { outside_limits: true, ..given::options(kind, Some(how))? };
    let (mut named, mut warnings) = (Vec::new(), cell.told());
    for (name, motion) in &motions {
        let given = given::motion(py, motion, cell, &options)?;
        warnings.extend(texts(&given.read().warnings()));
        let path = PathBuf::from(name);
        let made = py.detach(|| NamedMotion::of(name, &given.loaded.motion, &cell.cell, &path));
        named.extend(made.map_err(|error| refused(&[error]))?);
    }
    let held = std::sync::Arc::clone(&cell.cell);
    // What is in memory is what it is: the page may ask for it again, and gets the same.
    let load = move || {
        let (cell, motions) = (std::sync::Arc::clone(&held), named.clone());
        Loaded {
            title: title.clone(),
            cell,
            motions,
            warnings: warnings.clone(),
            words: None,
            task: None,
            live: None,
            busy: None,
            tour: false,
        }
    };
    let address = Address { ip: IpAddr::V4(Ipv4Addr::LOCALHOST), port };
    let frames = if framed { Frames::ThisMachine } else { Frames::Nobody };
    let started = py.detach(|| Viewer::start(load(), Box::new(move || Ok(load())), address, frames));
    let viewer = started.map_err(|fault| Error::new_err(fault.to_string()))?;
    let port = viewer.address().port();
    Ok(Served { viewer: Mutex::new(Some(viewer)), port })
}
