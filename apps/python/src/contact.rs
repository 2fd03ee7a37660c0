//! What touching allows.

use crate::cell::PyCell;
use crate::certificate::Certificate;
use crate::errors::{refused, value};
use kansho::ask::contact::{
    AssemblyAnswer, BodiesInContact, ContactOptions, GRAVITY, assembly, certified_assembly, contact,
};
use kansho::contact::branch::Side;
use kansho::contact::{Between, Held, PullOut, Row, Twist, Verdict};
use kansho::io::{Fault, ReadError};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Where an object touches others, and which small motions (vx, vy, vz, wx, wy, wz) that allows: the point p moves by v + w x p.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Contacts(BodiesInContact);

#[pymethods]
impl PyCell {
    /// Where an object that stands still touches the others, and what that allows.
    ///
    /// Gaps and overlaps up to `tolerance` metres count as touching; corners of meshes may be `noise` metres from where they should be. Both follow from the sizes
    /// if they are not given.
    ///
    /// >>> import kansho
    /// >>> cell = kansho.Cell(objects={"crate": kansho.Shape.box(1, 1, 1).at([0, 0, 0.5]), "floor": kansho.Shape.plane([0, 0, 1], 0)})
    /// >>> found = cell.contacts("crate")
    /// >>> found.points.shape, found.judge([0, 0, 1, 0, 0, 0]), found.judge([0, 0, -1, 0, 0, 0])
    /// ((4, 3), 'safe', 'blocked')
    /// >>> found.freedoms
    /// 'slides across z and turns about it (as on a plane); can leave along +z (4 ways to the border)'
    #[pyo3(name = "contacts", signature = (moving, *, tolerance=None, noise=None))]
    fn py_contacts(
        &self,
        py: Python<'_>,
        moving: &str,
        tolerance: Option<f64>,
        noise: Option<f64>,
    ) -> PyResult<Contacts> {
        let options = options(tolerance, noise)?;
        py.detach(|| contact(&self.cell, moving, &options))
            .map(Contacts)
            .map_err(|faults| self.refused(faults))
    }

    /// In which order and directions the objects come apart: dicts with `parts`, `direction` and `length`, each push proven; and the names of what is
    /// left.
    #[pyo3(signature = (*, stays=None, tolerance=None, noise=None))]
    fn disassembly<'py>(
        &self,
        py: Python<'py>,
        stays: Option<&str>,
        tolerance: Option<f64>,
        noise: Option<f64>,
    ) -> PyResult<(Bound<'py, PyList>, Vec<String>)> {
        let options = options(tolerance, noise)?;
        let found = py.detach(|| assembly(&self.cell, stays, &options));
        let AssemblyAnswer { steps, left, .. } = found.map_err(|faults| self.refused(faults))?;
        let list = PyList::empty(py);
        for step in steps {
            let dict = PyDict::new(py);
            dict.set_item("parts", step.parts)?;
            dict.set_item("direction", PyArray1::from_slice(py, &step.direction))?;
            dict.set_item("length", step.length)?;
            list.append(dict)?;
        }
        Ok((list, left))
    }

    /// Why no push of `disassembly`, with the same settings, touches anything but what touches at the start: re-checked by `verify` of it, or
    /// `kansho verify`. Raises ValueError if there is none.
    #[pyo3(signature = (*, stays=None, tolerance=None, noise=None))]
    fn disassembly_certificate(
        &self,
        py: Python<'_>,
        stays: Option<&str>,
        tolerance: Option<f64>,
        noise: Option<f64>,
    ) -> PyResult<Certificate> {
        let options = options(tolerance, noise)?;
        let found = py.detach(|| certified_assembly(&self.cell, stays, &options));
        let (_, found) = found.map_err(|faults| self.refused(faults))?;
        found.map(|held| Certificate { held }).map_err(|why| value(format!("no certificate: {why}")))
    }
}

impl PyCell {
    fn refused(&self, faults: Vec<Fault>) -> PyErr {
        refused(&[ReadError { path: self.source.clone(), faults }])
    }
}

fn options(tolerance: Option<f64>, noise: Option<f64>) -> PyResult<ContactOptions> {
    Ok(ContactOptions { tolerance: positive("tolerance", tolerance)?, noise: positive("noise", noise)? })
}

fn positive(name: &str, metres: Option<f64>) -> PyResult<Option<f64>> {
    match metres {
        Some(m) if !(m > 0.0 && m < 1e6) => {
            Err(value(format!("{name}: a length greater than zero, not {m}")))
        }
        metres => Ok(metres),
    }
}

fn rows<'py>(py: Python<'py>, numbers: Vec<f64>, columns: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = numbers.len() / columns;
    PyArray1::from_vec(py, numbers).reshape([rows, columns])
}

fn twists<'py>(py: Python<'py>, list: &[Twist]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows(py, list.iter().flat_map(Twist::to_array).collect(), 6)
}

impl Contacts {
    fn sound(&self) -> PyResult<()> {
        let BodiesInContact { found, others, .. } = &self.0;
        if found.is_sound() {
            return Ok(());
        }
        let names = others.iter().map(|object| &object.name);
        let bad = names.zip(&found.between).find_map(|(name, state)| match state {
            Between::Overlapping { depth, .. } => {
                Some(format!("overlaps {name}, at least {depth:.6} m deep"))
            }
            Between::Unclear { .. } => Some(format!("it is unclear how {name} is touched")),
            _ => None,
        });
        Err(crate::errors::Error::new_err(format!(
            "{}: no constraints are made of that",
            bad.unwrap_or_default()
        )))
    }
}

#[pymethods]
impl Contacts {
    /// How each other object lies to it: a dict of name to dict with `state` ("touching", "apart", "overlapping", "unclear") and `gap` or `depth`.
    #[getter]
    fn between<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for fixed in 0..self.0.others.len() {
            let between = self.0.between(fixed);
            let dict = PyDict::new(py);
            dict.set_item("state", between.state)?;
            for (key, metres) in [("gap", between.gap), ("depth", between.depth)] {
                metres.map_or(Ok(()), |metres| dict.set_item(key, metres))?;
            }
            all.set_item(between.body, dict)?;
        }
        Ok(all)
    }

    /// Whether every other object is apart or touches, so that the constraints are the whole truth.
    #[getter]
    fn is_sound(&self) -> bool {
        self.0.found.is_sound()
    }

    /// Contact points in the world, (n, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.0.found.set.contacts.iter().flat_map(|contact| contact.point.to_array()).collect(), 3)
    }

    /// For each contact point the name of what it is touched at.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.0.found.set.contacts.iter().map(|contact| self.0.others[contact.fixed].name.clone()).collect()
    }

    /// For each contact point its conditions: all must hold, of each one row at least. A row r of six numbers holds for a motion m if r . m >= 0.
    #[getter]
    fn conditions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Vec<Bound<'py, PyArray2<f64>>>>> {
        let of = |ors: &Vec<Row>| rows(py, ors.iter().flat_map(Row::numbers).collect(), 6);
        self.0.found.set.contacts.iter().map(|contact| contact.conditions.iter().map(of).collect()).collect()
    }

    /// How many conditions there are.
    #[getter]
    fn and_conditions(&self) -> usize {
        self.0.found.set.count()
    }

    /// Convex edges along convex edges: dicts with `body`, `ends` (2, 3) and `normals` (2, 3). At every point of the segment one of the two normals must hold.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for segment in &self.0.found.set.segments {
            let dict = PyDict::new(py);
            dict.set_item("body", &self.0.others[segment.fixed].name)?;
            dict.set_item("ends", rows(py, segment.ends.iter().flat_map(|p| p.to_array()).collect(), 3)?)?;
            dict.set_item(
                "normals",
                rows(py, segment.normals.iter().flat_map(|n| n.to_array()).collect(), 3)?,
            )?;
            list.append(dict)?;
        }
        Ok(list)
    }

    /// The freedoms that are left, in words.
    #[getter]
    fn freedoms(&self) -> PyResult<String> {
        self.sound()?;
        Ok(self.0.found.set.freedoms())
    }

    /// "form closure", "second order", "no" or "unknown".
    #[getter]
    fn held(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.sound()?;
        Ok(match py.detach(|| self.0.found.set.held()) {
            Held::FormClosure => "form closure",
            Held::SecondOrder => "second order",
            Held::Not => "no",
            Held::Unknown => "unknown",
        })
    }

    /// The direction in which it can be pulled out without turning, or None; ("slides", direction) where nothing pushes it out.
    #[getter]
    fn pull_out(&self) -> PyResult<Option<(&'static str, [f64; 3])>> {
        self.sound()?;
        Ok(match self.0.found.set.pull_out() {
            PullOut::Along(direction) => Some(("along", direction.to_array())),
            PullOut::Slides(direction) => Some(("slides", direction.to_array())),
            PullOut::No => None,
        })
    }

    /// Whether it stands under gravity along -z, with a coefficient of friction.
    #[pyo3(signature = (friction=0.0))]
    fn stands(&self, friction: f64) -> PyResult<bool> {
        self.sound()?;
        if !(friction >= 0.0 && friction.is_finite()) {
            return Err(value("friction: a coefficient, zero or more"));
        }
        let centre = self.0.moving.part.centre();
        Ok(self.0.found.set.stands(GRAVITY, centre, friction).stable)
    }

    /// "safe", "border" or "blocked": what a small motion is.
    fn judge(&self, motion: [f64; 6]) -> PyResult<&'static str> {
        self.sound()?;
        if !motion.iter().all(|x| x.is_finite()) {
            return Err(value("motion: six finite numbers, vx, vy, vz, wx, wy, wz"));
        }
        Ok(match self.0.found.set.judge(&Twist::from_array(motion)).verdict {
            Verdict::Safe => "safe",
            Verdict::Border => "border",
            Verdict::Blocked => "blocked",
        })
    }

    /// The nearest motion that is allowed.
    fn nearest<'py>(&self, py: Python<'py>, motion: [f64; 6]) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.sound()?;
        if !motion.iter().all(|x| x.is_finite()) {
            return Err(value("motion: six finite numbers, vx, vy, vz, wx, wy, wz"));
        }
        let found = py.detach(|| self.0.found.set.nearest(&Twist::from_array(motion)));
        Ok(PyArray1::from_slice(py, &found.to_array()))
    }

    /// Circles along which round faces touch: dicts with `body`, `pole` (3,), `axis` (3,) and `sine`. The velocity u of the pole must satisfy
    /// sine * (axis . u) >= cosine * |u across the axis|.
    #[getter]
    fn rings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for ring in &self.0.found.set.rings {
            let dict = PyDict::new(py);
            dict.set_item("body", &self.0.others[ring.fixed].name)?;
            dict.set_item("pole", PyArray1::from_slice(py, &ring.pole.to_array()))?;
            dict.set_item("axis", PyArray1::from_slice(py, &ring.axis.to_array()))?;
            dict.set_item("sine", ring.sine)?;
            list.append(dict)?;
        }
        Ok(list)
    }

    /// Generators of allowed motions, one dict for each way to choose among the ORs: `lineality` (n, 6) both ways, `rays` (n, 6) one way, and `kind`: "exact" if
    /// these generate all that this way allows, "inner" if they are allowed but some others are, too (edges along edges, circles).
    fn branches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.sound()?;
        let branches = py.detach(|| self.0.found.set.branches(Side::Inner));
        let list = PyList::empty(py);
        for branch in &branches.list {
            let dict = PyDict::new(py);
            dict.set_item("lineality", twists(py, &branch.lineality)?)?;
            dict.set_item("rays", twists(py, &branch.rays)?)?;
            dict.set_item("ambiguous", branch.ambiguous)?;
            dict.set_item("kind", branch.kind.word())?;
            list.append(dict)?;
        }
        Ok(list)
    }
}
