//! What touching allows.

use crate::cell::PyCell;
use crate::errors::{refused, value};
use kansho::contact::branch::Side;
use kansho::contact::{Between, ContactOptions, Found, Held, Part, PullOut, Twist, Verdict, contacts};
use kansho::geom::glam::DVec3;
use kansho::io::{Fault, ReadError};
use kansho::plan::disassembly::disassemble;
use kansho::plan::parts::{StandingPart, standing};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Where an object touches others, and which small motions (vx, vy, vz, wx, wy, wz) that allows: the point p moves by v + w x p.
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Contacts {
    found: Found,
    others: Vec<String>,
    centre: DVec3,
}

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
        let options = ContactOptions { touch: positive("tolerance", tolerance)? };
        let noise = positive("noise", noise)?;
        py.detach(|| {
            let objects = self.objects(noise)?;
            let moving = find(&objects, moving)?;
            let others: Vec<&StandingPart> =
                objects.iter().enumerate().filter(|(k, _)| *k != moving).map(|(_, object)| object).collect();
            let fixed: Vec<&Part> = others.iter().map(|object| &object.part).collect();
            Ok(Contacts {
                found: contacts(&objects[moving].part, &fixed, &options),
                others: others.iter().map(|object| object.name.clone()).collect(),
                centre: objects[moving].part.centre(),
            })
        })
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
        let options = ContactOptions { touch: positive("tolerance", tolerance)? };
        let noise = positive("noise", noise)?;
        let (names, plan) = py.detach(|| {
            let objects = self.objects(noise)?;
            let stays = stays.map(|name| find(&objects, name)).transpose()?;
            let parts: Vec<&Part> = objects.iter().map(|object| &object.part).collect();
            let assembly = kansho::contact::Assembly::of(&parts, &options);
            let plan = disassemble(&parts, &assembly, stays);
            let names: Vec<String> = objects.iter().map(|object| object.name.clone()).collect();
            Ok::<_, PyErr>((names, plan))
        })?;
        let named = |parts: &[usize]| parts.iter().map(|&k| names[k].clone()).collect::<Vec<_>>();
        let steps = PyList::empty(py);
        for step in &plan.steps {
            let dict = PyDict::new(py);
            dict.set_item("parts", named(&step.parts))?;
            dict.set_item("direction", PyArray1::from_slice(py, &step.direction.to_array()))?;
            dict.set_item("length", step.length)?;
            steps.append(dict)?;
        }
        Ok((steps, named(&plan.left)))
    }
}

impl PyCell {
    fn objects(&self, noise: Option<f64>) -> PyResult<Vec<StandingPart>> {
        standing(&self.cell, noise).map_err(|faults| {
            let faults = faults.into_iter().map(Fault::of_file).collect();
            refused(&[ReadError { path: self.source.clone(), faults }])
        })
    }
}

fn positive(name: &str, metres: Option<f64>) -> PyResult<Option<f64>> {
    match metres {
        Some(m) if !(m > 0.0 && m < 1e6) => {
            Err(value(format!("{name}: a length greater than zero, not {m}")))
        }
        metres => Ok(metres),
    }
}

fn find(objects: &[StandingPart], name: &str) -> PyResult<usize> {
    objects.iter().position(|object| object.name == name).ok_or_else(|| {
        let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        let near = kansho::cell::nearest_name(name, names.iter().copied());
        let hint = near.map_or_else(
            || format!("there are: {}", names.join(", ")),
            |near| format!("did you mean \"{near}\"?"),
        );
        value(format!("no object that stands still is named \"{name}\"; {hint}"))
    })
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
        if self.found.is_sound() {
            return Ok(());
        }
        let bad = self.others.iter().zip(&self.found.between).find_map(|(name, state)| match state {
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
        for (name, state) in self.others.iter().zip(&self.found.between) {
            let dict = PyDict::new(py);
            let word = match state {
                Between::Touching => "touching",
                Between::Apart { gap, .. } => {
                    dict.set_item("gap", gap)?;
                    "apart"
                }
                Between::Overlapping { depth, .. } => {
                    dict.set_item("depth", depth)?;
                    "overlapping"
                }
                Between::Unclear { .. } => "unclear",
            };
            dict.set_item("state", word)?;
            all.set_item(name, dict)?;
        }
        Ok(all)
    }

    /// Whether every other object is apart or touches, so that the constraints are the whole truth.
    #[getter]
    fn is_sound(&self) -> bool {
        self.found.is_sound()
    }

    /// Contact points in the world, (n, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.found.set.contacts.iter().flat_map(|contact| contact.point.to_array()).collect(), 3)
    }

    /// For each contact point the name of what it is touched at.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.found.set.contacts.iter().map(|contact| self.others[contact.fixed].clone()).collect()
    }

    /// For each contact point its conditions: all must hold, of each one row at least. A row r of six numbers holds for a motion m if r . m >= 0.
    #[getter]
    fn conditions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Vec<Bound<'py, PyArray2<f64>>>>> {
        let of =
            |ors: &Vec<kansho::contact::Row>| rows(py, ors.iter().flat_map(|row| row.numbers()).collect(), 6);
        self.found.set.contacts.iter().map(|contact| contact.conditions.iter().map(of).collect()).collect()
    }

    /// How many conditions there are.
    #[getter]
    fn and_conditions(&self) -> usize {
        self.found.set.count()
    }

    /// Convex edges along convex edges: dicts with `body`, `ends` (2, 3) and `normals` (2, 3). At every point of the segment one of the two normals must hold.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for segment in &self.found.set.segments {
            let dict = PyDict::new(py);
            dict.set_item("body", &self.others[segment.fixed])?;
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
        Ok(self.found.set.freedoms())
    }

    /// "form closure", "second order", "no" or "unknown".
    #[getter]
    fn held(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.sound()?;
        Ok(match py.detach(|| self.found.set.held()) {
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
        Ok(match self.found.set.pull_out() {
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
        Ok(self.found.set.stands(-DVec3::Z, self.centre, friction).stable)
    }

    /// "safe", "border" or "blocked": what a small motion is.
    fn judge(&self, motion: [f64; 6]) -> PyResult<&'static str> {
        self.sound()?;
        if !motion.iter().all(|x| x.is_finite()) {
            return Err(value("motion: six finite numbers, vx, vy, vz, wx, wy, wz"));
        }
        Ok(match self.found.set.judge(&Twist::from_array(motion)).verdict {
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
        let found = py.detach(|| self.found.set.nearest(&Twist::from_array(motion)));
        Ok(PyArray1::from_slice(py, &found.to_array()))
    }

    /// Circles along which round faces touch: dicts with `body`, `pole` (3,), `axis` (3,) and `sine`. The velocity u of the pole must satisfy
    /// sine * (axis . u) >= cosine * |u across the axis|.
    #[getter]
    fn rings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for ring in &self.found.set.rings {
            let dict = PyDict::new(py);
            dict.set_item("body", &self.others[ring.fixed])?;
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
        let branches = py.detach(|| self.found.set.branches(Side::Inner));
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
