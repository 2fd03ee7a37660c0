//! Motions as Python programs have them: waypoints, poses of the tool, lists of moves, files of any kind.

use crate::arrays::Table;
use crate::cell::PyCell;
use crate::errors::{refused, value};
use crate::motion::length;
use crate::path::FilePath;
use kansho::ask::check::ReadMotion;
use kansho::cell::Cell;
use kansho::io::motion_file::{
    self, BlendName, Join, Laws, LeadOptions, LoadedMotion, MotionFileOptions, RobotProgramOptions,
};
use kansho::io::move_list::branch;
use kansho::io::units::{Unit, Units};
use kansho::io::{ReadError, limits};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What faults of a motion that comes from no file are told of.
const NAME: &str = "motion";

/// A motion, and what it is called.
pub(crate) struct Given {
    pub(crate) loaded: LoadedMotion,
    pub(crate) path: PathBuf,
}

impl Given {
    /// As the library takes it.
    pub(crate) fn read(&self) -> ReadMotion<'_> {
        ReadMotion { path: &self.path, loaded: &self.loaded }
    }
}

/// How a motion is meant, from keyword arguments.
pub(crate) fn options(kind: &str, how: Option<&Bound<'_, PyDict>>) -> PyResult<MotionFileOptions> {
    let join = match kind {
        "ptp" => Join::Ptp,
        "spline" => Join::Spline,
        "lin" => Join::Lin,
        other => return Err(value(format!("kind: \"ptp\", \"spline\" or \"lin\", not \"{other}\""))),
    };
    let (mut lead, mut program) = (LeadOptions::default(), RobotProgramOptions::default());
    let (mut units, mut outside_limits) = (Units::default(), false);
    for (key, given) in how.into_iter().flat_map(|how| how.iter()) {
        let key: String = key.extract()?;
        if given.is_none() {
            continue;
        }
        let text = || {
            given.extract::<String>().map_err(|_| PyTypeError::new_err(format!("{key}: a text is wanted")))
        };
        match key.as_str() {
            "law" => {
                lead.law = Some(match text()?.as_str() {
                    "slerp" => Laws::Slerp,
                    "swivel-twist" => Laws::SwivelTwist,
                    "both" => Laws::Both,
                    other => {
                        return Err(value(format!(
                            "law: \"slerp\", \"swivel-twist\" or \"both\", not \"{other}\""
                        )));
                    }
                });
            }
            "blend" => {
                lead.blend = match text()?.as_str() {
                    "inside" => BlendName::Inside,
                    "parabola" => BlendName::Parabola,
                    "unknown" => BlendName::Unknown,
                    other => {
                        return Err(value(format!(
                            "blend: \"inside\", \"parabola\" or \"unknown\", not \"{other}\""
                        )));
                    }
                };
            }
            "blend_margin" => lead.blend_margin = Some(length("blend_margin", given.extract()?)?),
            "zone" => lead.zone = length("zone", given.extract()?)?,
            "tip" => lead.tip = Some(text()?),
            "branch" => lead.branch = Some(branch(&text()?).map_err(|why| value(format!("branch: {why}")))?),
            "profile" => program.profile = Some(given.extract::<FilePath>()?.0),
            "robot" => program.robot = Some(text()?),
            "entry" => program.entry = Some(text()?),
            "once" => program.once = given.extract()?,
            "tool_of_cell" => program.tool_of_cell = given.extract()?,
            "fine" => program.fine = given.extract()?,
            "units" => units = units_of(&text()?)?,
            "allow_outside_limits" => outside_limits = given.extract()?,
            other => {
                return Err(PyTypeError::new_err(format!(
                    "{other}: there is no such argument; law, blend, blend_margin, zone, tip, branch, profile, robot, entry, once, tool_of_cell, fine, units and \
                     allow_outside_limits say how a motion is meant"
                )));
            }
        }
    }
    Ok(MotionFileOptions { join, lead, program, units, outside_limits })
}

/// `mm`, `deg` or `mm,deg`.
fn units_of(text: &str) -> PyResult<Units> {
    let mut units = Units::default();
    for name in text.split(',') {
        match Unit::named(name.trim()) {
            Some(Unit::Metres(metres)) => units.metres = metres,
            Some(Unit::Radians(radians)) => units.radians = radians,
            None => {
                return Err(value(format!(
                    "units: \"{name}\" is no unit; m, cm, mm, um, in, ft, rad and deg are, or both as in mm,deg"
                )));
            }
        }
    }
    Ok(units)
}

/// The motion that something stands for.
pub(crate) fn motion(
    py: Python<'_>,
    given: &Bound<'_, PyAny>,
    cell: &PyCell,
    options: &MotionFileOptions,
) -> PyResult<Given> {
    let own = PathBuf::from(NAME);
    let done = |path: PathBuf, read: Result<LoadedMotion, ReadError>| match read {
        Ok(loaded) => Ok(Given { loaded, path }),
        Err(error) => Err(refused(&[error])),
    };
    if let Some(path) = FilePath::named(given)? {
        let read = py.detach(|| motion_file::read(&path, &cell.cell, options));
        return done(path, read);
    }
    if is_list_of_moves(given) {
        let text: String = py.import("kansho.objects")?.call_method1("moves_as_json", (given,))?.extract()?;
        let read = motion_file::parse(text.as_bytes(), Path::new(NAME), &cell.cell, options);
        return done(own, read);
    }
    if options.units != Units::default() {
        return Err(value("units are of files and lists of moves; arrays are in metres and radians"));
    }
    let columns = cell.names.len();
    if options.join != Join::Lin {
        let table = Table::of(given, "motion", &cell.names)?;
        if options.lead.given().is_none() {
            let rows: Vec<Vec<f64>> = table.values().chunks_exact(columns).map(<[f64]>::to_vec).collect();
            let loaded = motion_file::through(&rows, &cell.cell, options.join)
                .map_err(|fault| value(format!("motion: {fault}")))?;
            let read = limits::refuse(&own, &loaded.outside, options.outside_limits).map(|()| loaded);
            return done(own, read);
        }
        return done(own, parsed("", table.values(), columns, &cell.cell, options));
    }
    // Postures, or poses of the tip.
    let rows = match given.getattr("shape").and_then(|shape| shape.extract::<(usize, usize, usize)>()) {
        Ok((count, 4, 4)) => given.call_method1("reshape", (count, 16))?,
        _ => given.clone(),
    };
    let width = py.import("numpy")?.call_method1("shape", (&rows,))?;
    let width = width.extract::<(usize, usize)>().map_or(columns, |(_, width)| width);
    let (header, table, keep): (&str, Table<'_>, Vec<usize>) = match width {
        7 if columns != 7 => ("x,y,z,qw,qx,qy,qz\n", Table::of_width(&rows, "motion", 7)?, (0..7).collect()),
        12 if columns != 12 => ("", Table::of_width(&rows, "motion", 12)?, (0..12).collect()),
        // Rotation row by row, then the translation.
        16 if columns != 16 => {
            ("", Table::of_width(&rows, "motion", 16)?, vec![0, 1, 2, 4, 5, 6, 8, 9, 10, 3, 7, 11])
        }
        _ => ("", Table::of(&rows, "motion", &cell.names)?, (0..columns).collect()),
    };
    let numbers: Vec<f64> =
        table.values().chunks_exact(width).flat_map(|row| keep.iter().map(|k| row[*k])).collect();
    done(own, parsed(header, &numbers, keep.len(), &cell.cell, options))
}

/// Numbers as the table that a file would have: digits are written so that none is lost.
fn parsed(
    header: &str,
    numbers: &[f64],
    columns: usize,
    cell: &Cell,
    options: &MotionFileOptions,
) -> Result<LoadedMotion, ReadError> {
    let mut text = header.to_owned();
    for row in numbers.chunks_exact(columns) {
        let words: Vec<String> = row.iter().map(f64::to_string).collect();
        let _ = writeln!(text, "{}", words.join(","));
    }
    motion_file::parse(text.as_bytes(), Path::new(NAME), cell, options)
}

fn is_list_of_moves(given: &Bound<'_, PyAny>) -> bool {
    let first = if let Ok(list) = given.cast::<PyList>() {
        list.get_item(0).ok()
    } else {
        given.cast::<PyTuple>().ok().and_then(|tuple| tuple.get_item(0).ok())
    };
    first.is_some_and(|first| first.is_instance_of::<PyDict>())
}
