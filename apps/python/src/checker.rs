//! Single postures and motions, as planners ask for them.

use crate::arrays::with_posture;
use crate::cell::PyCell;
use crate::motion::length;
use kansho::cell::{JointMotion, JointPiece};
use kansho::check::motion::{Contact, MotionOptions, MotionScene, MotionWorkspace};
use kansho::check::scene::{Scene, Workspace};
use kansho::check::verdict::Verdict;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers about single postures and motions of a cell, for planners: an object whose methods serve as callbacks.
///
/// `checker.is_valid(q)` is true if nothing touches; `checker.is_motion_valid(a, b)` if the straight line in joint space from a to b is *proven*
/// free at every instant (what is undecided is not valid). `checker` itself can be called with one posture or with two. Any sequence of numbers is a
/// posture. Threads may share it.
///
/// >>> import kansho
/// >>> checker = kansho.demo_cell().checker()
/// >>> checker.is_valid([0, 0, 0, 0, 0, 0]), checker([0, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0])
/// (True, True)
#[pyclass(frozen, module = "kansho")]
pub(crate) struct Checker {
    scene: Arc<Scene>,
    names: Vec<String>,
    clearance: f64,
    limits: Vec<Option<[f64; 2]>>,
    within_limits: bool,
    of_postures: Kept<Workspace>,
    of_motions: Kept<MotionWorkspace>,
}

/// Memory that questions use again: as much as threads ask at once.
struct Kept<T>(Mutex<Vec<T>>);

impl<T> Kept<T> {
    fn with<U>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> U) -> U {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut memory = kept.unwrap_or_else(make);
        let answer = work(&mut memory);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        answer
    }
}

#[pymethods]
impl PyCell {
    /// A checker for planners. As near as `clearance` (metres) is a contact; postures outside the limits of joints are not valid unless `limits` is
    /// False.
    #[pyo3(signature = (*, clearance=0.0, limits=true))]
    fn checker(&self, py: Python<'_>, clearance: f64, limits: bool) -> PyResult<Checker> {
        self.moves("postures")?;
        let clearance = length("clearance", clearance)?;
        let scene = py.detach(|| {
            let scene = Arc::clone(self.modelled());
            let _ = MotionScene::new(&scene); // Keeps what it prepares.
            scene
        });
        Ok(Checker {
            scene,
            names: self.names.clone(),
            clearance,
            limits: self.cell.coordinates().iter().map(|c| c.limits.map(|l| [l.lower, l.upper])).collect(),
            within_limits: limits,
            of_postures: Kept(Mutex::new(Vec::new())),
            of_motions: Kept(Mutex::new(Vec::new())),
        })
    }
}

impl Checker {
    fn is_inside(&self, posture: &[f64]) -> bool {
        let inside = |(value, limits): (&f64, &Option<[f64; 2]>)| {
            limits.is_none_or(|[lower, upper]| lower <= *value && *value <= upper)
        };
        !self.within_limits || posture.iter().zip(&self.limits).all(inside)
    }

    /// The gap asked for at one posture is that of a motion that leads nowhere.
    fn stands(&self, posture: &[f64]) -> bool {
        if !self.is_inside(posture) {
            return false;
        }
        if self.clearance > 0.0 {
            return matches!(self.verdict(posture, posture, Contact::Any), Verdict::Free(_));
        }
        self.of_postures.with(|| self.scene.workspace(), |memory| !self.scene.touches(posture, memory))
    }

    fn verdict(
        &self,
        from: &[f64],
        to: &[f64],
        contact: Contact,
    ) -> Verdict<kansho::check::motion::MotionProof, kansho::check::motion::MotionWitness> {
        let prepared = MotionScene::new(&self.scene);
        let motion = JointMotion::of_piece(JointPiece::line(from, to));
        let options = MotionOptions { contact, clearance: self.clearance, ..MotionOptions::default() };
        self.of_motions
            .with(|| prepared.workspace(), |memory| prepared.motion(&motion, &options, memory).verdict)
    }

    fn ends(&self, from: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let [from, to] = [from, to].map(|end| with_posture(end, &self.names, <[f64]>::to_vec));
        Ok((from?, to?))
    }
}

#[pymethods]
impl Checker {
    /// Whether nothing touches in a posture.
    fn is_valid(&self, posture: &Bound<'_, PyAny>) -> PyResult<bool> {
        with_posture(posture, &self.names, |posture| self.stands(posture))
    }

    /// Whether the line in joint space between two postures is proven free.
    fn is_motion_valid(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (from, to) = self.ends(start, goal)?;
        if !self.is_inside(&from) || !self.is_inside(&to) {
            return Ok(false);
        }
        Ok(py.detach(|| matches!(self.verdict(&from, &to, Contact::Any), Verdict::Free(_))))
    }

    /// Up to which fraction the line between two postures is proven free: 1 if all of it is, 0 if not even its start.
    fn last_valid(&self, py: Python<'_>, start: &Bound<'_, PyAny>, goal: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (from, to) = self.ends(start, goal)?;
        if !self.is_inside(&from) {
            return Ok(0.0);
        }
        Ok(py.detach(|| {
            let free = match self.verdict(&from, &to, Contact::First) {
                Verdict::Free(_) => 1.0,
                Verdict::Touches(witness) => witness.time.start,
                Verdict::Undecided { open } => open.start,
            };
            if self.is_inside(&to) { free } else { self.until_limits(&from, &to, free) }
        }))
    }

    /// The least gap in a posture, in metres: zero where something touches.
    fn gap(&self, py: Python<'_>, posture: &Bound<'_, PyAny>) -> PyResult<f64> {
        let posture = with_posture(posture, &self.names, <[f64]>::to_vec)?;
        Ok(py.detach(|| {
            self.of_postures.with(
                || self.scene.workspace(),
                |memory| {
                    let found = self.scene.least_gap(&posture, f64::INFINITY, memory);
                    found.map_or(f64::INFINITY, |found| found.gap)
                },
            )
        }))
    }

    #[pyo3(signature = (posture, goal=None))]
    fn __call__(
        &self,
        py: Python<'_>,
        posture: &Bound<'_, PyAny>,
        goal: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        match goal {
            None => self.is_valid(posture),
            Some(goal) => self.is_motion_valid(py, posture, goal),
        }
    }
}

impl Checker {
    /// The fraction at which a line that begins within limits leaves them, if that is sooner. Rounded down.
    fn until_limits(&self, from: &[f64], to: &[f64], free: f64) -> f64 {
        let mut most = free;
        for ((from, to), limits) in from.iter().zip(to).zip(&self.limits) {
            let Some([lower, upper]) = limits else { continue };
            let limit = if to > upper { upper } else { lower };
            if to < lower || to > upper {
                most = most.min((limit - from) / (to - from) * (1.0 - 4.0 * f64::EPSILON));
            }
        }
        most.max(0.0)
    }
}
