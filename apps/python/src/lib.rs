//! The Python package `kansho`: numbers in, one library call, answers out.
//!
//! | part | answers |
//! |---|---|
//! | `shape`, `cell` | what is in a cell? From files, and from what Python programs have |
//! | `postures`, `check`, `motion`, `checker` | does it touch? Many postures, one motion, many motions, single ones |
//! | `certificate` | why is it free? |
//! | `contact` | what does touching allow? |
//! | `job`, `plan` | from a work path to a robot path |
//! | `words` | movements in words |
//! | `info` | what is in a file? |
//! | `view` | a cell in the browser |
//! | `arrays`, `given`, `path`, `errors`, `run`, `state` | numpy, motions, files, exceptions, long calls, pickle |
//!
//! A `Cell` keeps the draft it was made of, so that variants share prepared meshes and pickles hold drafts bit by bit. Long calls work on a thread
//! of their own, while the calling one looks at signals and reports progress every 50 ms; what was interrupted has no answer. Arrays are
//! borrowed while the lock is released: the caller must not change them meanwhile. Sweeps hand out variants in blocks that last a second; a
//! block whose worker died is handed out again, and rows that are kept in Parquet, by a hash of the whole question, are not asked for again.
//! The extension links no Python (`extension-module` is always on) and has no Rust tests: `apps/python/test` tests it as users install it.
//!
//! What is written in Python (sweeps, and objects of other packages) is in `python/kansho`.

#![expect(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]

mod arrays;
mod cell;
mod certificate;
mod check;
mod checker;
mod contact;
mod errors;
mod given;
mod info;
mod job;
mod motion;
mod path;
mod plain;
mod plan;
mod postures;
mod run;
mod shape;
mod state;
mod view;
mod words;

use pyo3::prelude::*;

/// A shape from whatever stands for one: `Shape` itself, or what `kansho.objects.shape` knows.
fn shape_of<'py>(py: Python<'py>, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, shape::Shape>> {
    if let Ok(shape) = given.cast::<shape::Shape>() {
        return Ok(shape.clone());
    }
    let made = py.import("kansho.objects")?.call_method1("shape", (given,))?;
    Ok(made.cast_into::<shape::Shape>()?)
}

#[pymodule]
fn _kansho(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let py = module.py();
    module.add("Error", py.get_type::<errors::Error>())?;
    module.add("ReadError", py.get_type::<errors::ReadError>())?;
    module.add("WriteError", py.get_type::<errors::WriteError>())?;
    module.add_class::<shape::Shape>()?;
    module.add_class::<shape::PyRobot>()?;
    module.add_class::<cell::PyCell>()?;
    module.add_class::<postures::Postures>()?;
    module.add_class::<check::Report>()?;
    module.add_class::<motion::Segments>()?;
    module.add_class::<certificate::Certificate>()?;
    module.add_class::<certificate::Verified>()?;
    module.add_class::<checker::Checker>()?;
    module.add_class::<contact::Contacts>()?;
    module.add_class::<job::Job>()?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<words::Moved>()?;
    module.add_class::<view::Served>()?;
    module.add_function(wrap_pyfunction!(words::do_moves, module)?)?;
    module.add_function(wrap_pyfunction!(view::serve, module)?)?;
    module.add_function(wrap_pyfunction!(shape::spherized_urdf, module)?)?;
    module.add_function(wrap_pyfunction!(cell::of_state, module)?)?;
    module.add_function(wrap_pyfunction!(shape::shape_of_state, module)?)?;
    module.add_function(wrap_pyfunction!(shape::robot_of_state, module)?)?;
    module.add_function(wrap_pyfunction!(job::of_state, module)?)?;
    module.add_function(wrap_pyfunction!(cell::load_problems, module)?)?;
    module.add_function(wrap_pyfunction!(info::of_file, module)?)?;
    module.add_function(wrap_pyfunction!(job::demo_cell, module)?)?;
    module.add_function(wrap_pyfunction!(job::demo_files, module)?)?;
    Ok(())
}
