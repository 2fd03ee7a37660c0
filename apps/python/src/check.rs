//! One motion of a cell: proven free, or with its first contact.

use crate::cell::PyCell;
use crate::certificate::Certificate;
use crate::errors::refused;
use crate::given::{self, Given};
use crate::motion::{contact, length, why_not};
use crate::run::Asked;
use kansho::cell::JointMotion;
use kansho::cell::route::{Law, Route, listed};
use kansho::check::motion::{
    LawReport, LawsWanted, LeastGap, MotionOptions, MotionProof, MotionScene, MotionWitness, RouteScene,
    worst_law,
};
use kansho::check::scene::{PairId, Scene};
use kansho::check::verdict::Verdict;
use kansho::geom::solid::On;
use kansho::geom::triangle::Feature;
use kansho::io::motion_certificate::{AnyCertificate, CertifiedMotion};
use kansho::io::motion_file::Moved;
use kansho::io::route_certificate::{CertifiedRoute, OneRoute};
use kansho::io::{Fault, ReadError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

/// How near the bounds of a depth come to each other, in metres.
const DEPTH_TOLERANCE: f64 = 1e-6;

/// Pairs that touch at the start and are told with their depth, at most.
const STARTS: usize = 10;

/// What is known of one motion.
#[derive(Default)]
#[pyclass(frozen, module = "kansho", get_all)]
pub(crate) struct Report {
    /// "free", "touches" or "undecided".
    verdict: &'static str,
    /// When they touch, as a fraction of the motion; with contact="first" the first contact lies in (t_before, t].
    t: Option<f64>,
    /// Until then nothing touches.
    t_before: Option<f64>,
    /// The posture of the contact.
    posture: Option<Vec<f64>>,
    /// The pair that touches, or the nearest one of a motion that is free.
    pair: Option<String>,
    /// The gap of that pair there, in metres.
    gap: Option<f64>,
    /// Its two points in the world.
    points: Option<[[f64; 3]; 2]>,
    /// What of its two bodies touches there: {"triangle": k, "feature": "face" or {"edge": k} or {"corner": k}}, "surface" or "inside".
    on: Option<[Py<PyAny>; 2]>,
    /// The move in which it touches, by the number of the waypoint, row or move that it leads to, from 1.
    r#move: Option<usize>,
    /// How far along that move.
    fraction: Option<f64>,
    /// The line of that move, in a robot program.
    line: Option<u32>,
    /// Seconds from the first target of a robot program on, at the speeds that are programmed.
    seconds: Option<f64>,
    /// Whether it touches at the start.
    at_start: bool,
    /// All pairs that touch at the start, with bounds of how deep they are in each other, in metres.
    start: Vec<(String, Option<[f64; 2]>)>,
    /// If it is free, a proven bound below all gaps in metres; None if nothing that is checked can touch.
    clearance: Option<f64>,
    /// If it is undecided, the first span of which nothing is known; None if that is because moves of a program are never reached.
    open: Option<(f64, f64)>,
    /// How many moves of a robot program are never reached: if what is reached is free, the program is undecided.
    unreached: usize,
    /// Why it is free, for others to check.
    certificate: Option<Py<Certificate>>,
    /// Why there is none, though it is free and one was asked for.
    no_certificate: Option<String>,
    /// How the tool turns, of a motion that leads one: the law that the answer is about, which is the worst if there are two.
    law: Option<String>,
    /// The verdict of each law.
    laws: BTreeMap<String, &'static str>,
    /// What is odd about the motion, in the words of the command line.
    warnings: Vec<String>,
}

#[pymethods]
impl Report {
    /// Whether it is proven free.
    #[getter]
    fn free(&self) -> bool {
        self.verdict == "free"
    }

    fn __repr__(&self) -> String {
        match (self.verdict, self.t, &self.pair, self.clearance) {
            ("free", _, _, Some(clearance)) => format!("<kansho.Report free, at least {clearance} m apart>"),
            ("touches", Some(t), Some(pair), _) => format!("<kansho.Report {pair} touch at t = {t}>"),
            (verdict, ..) => format!("<kansho.Report {verdict}>"),
        }
    }
}

/// What is asked of a motion, without the interpreter.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    options: MotionOptions<'a>,
    tight: bool,
    certificate: bool,
}

/// What was found, without the interpreter.
struct Found {
    verdict: Verdict<MotionProof, MotionWitness>,
    least: Option<LeastGap>,
    certificate: Option<Result<AnyCertificate, String>>,
    start: Vec<(PairId, Option<[f64; 2]>)>,
    laws: Vec<(Law, &'static str)>,
    /// Of which of them the verdict is.
    law: usize,
}

#[pymethods]
impl PyCell {
    /// Whether a motion is free at every instant, or where it first touches.
    ///
    /// A motion is an array of waypoints; a list of moves such as `{"ptp": [joints]}`, `{"lin": {"xyz": ..., "quat": ...}}`, `{"circ": ...}`; or the path
    /// of a file: waypoints (CSV), moves (JSON), a robot program (.mod, .src, .ls, .script, .jbi) or a trajectory of ROS (.yaml, .xml).
    /// Between waypoints all joints move evenly (`kind` "ptp"), on a smooth spline ("spline"), or the tool goes straight ("lin"; rows may then be
    /// poses of its tip, too: (n, 4, 4), (n, 12) or (n, 7) with x, y, z, qw, qx, qy, qz).
    ///
    /// As near as `clearance` (metres; for single pairs `clearance_of`) is a contact. With contact="any" the answer comes sooner, and the contact
    /// need not be the first. `tight` measures how near bodies come; without it, `clearance` of the answer is what the proof needed.
    /// `certificate` asks for a proof that others can check. A motion in which joints leave their limits is refused, unless `allow_outside_limits`.
    /// Others say how a motion is meant, as on the command line: `law`, `blend`, `blend_margin`, `zone`, `tip`, `branch` where a tool is led, `profile`,
    /// `robot`, `entry`, `once`, `tool_of_cell`, `fine` for robot programs, `units` for files.
    ///
    /// >>> import kansho, numpy as np
    /// >>> cell = kansho.demo_cell()
    /// >>> report = cell.check(np.radians([[0, -35, 15, 0, 35, 0], [5, -35, 15, 0, 35, 0]]), kind="lin")
    /// >>> report.verdict, report.law
    /// ('free', 'slerp')
    #[pyo3(signature = (motion, *, kind="ptp", clearance=0.0, clearance_of=BTreeMap::new(), contact="first", tight=true, certificate=false, strict=false, threads=None, timeout=None, **how))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        motion: &Bound<'py, PyAny>,
        kind: &str,
        clearance: f64,
        clearance_of: BTreeMap<String, f64>,
        contact: &str,
        tight: bool,
        certificate: bool,
        strict: bool,
        threads: Option<usize>,
        timeout: Option<f64>,
        how: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Report> {
        self.moves("motions")?;
        let of_pairs = self.of_pairs(&clearance_of)?;
        let contact = self::contact(contact)?;
        let clearance = length("clearance", clearance)?;
        let asked = Asked::new(threads, timeout, None)?;
        let mut options = given::options(kind, how)?;
        options.program.unreached = true;
        let given = given::motion(py, motion, self, &options)?;
        let warnings = given.warnings(options.outside_limits && !strict)?;
        let certificate = certificate && given.unreached() == 0;
        let deadline = asked.deadline;
        let found = asked.run(py, 1, |control| {
            let options = MotionOptions {
                contact,
                clearance,
                of_pairs: &of_pairs,
                deadline,
                stop: Some(&control.stop),
                ..MotionOptions::default()
            };
            let wanted = Wanted { options, tight, certificate };
            match &given.loaded.motion {
                Moved::Joints(motion) => Ok(of_joints(self.modelled(), motion, wanted)),
                Moved::Tool(routes) => of_routes(self.modelled(), routes, wanted, &given),
            }
        })?;
        let found = found.map_err(|error| refused(&[error]))?;
        let mut report = Report { warnings, ..report(py, self.scene(), &given, &found)? };
        match found.certificate {
            Some(Ok(held)) => report.certificate = Some(Py::new(py, Certificate { held })?),
            Some(Err(why)) => report.no_certificate = Some(why),
            None => {}
        }
        Ok(report)
    }
}

fn of_joints(scene: &Scene, motion: &JointMotion, wanted: Wanted<'_>) -> Found {
    let options = &wanted.options;
    let prepared = MotionScene::new(scene);
    let mut workspace = prepared.workspace();
    let verdict = prepared.motion(motion, options, &mut workspace).verdict;
    let (mut least, mut certificate) = (None, None);
    if let Verdict::Free(proof) = &verdict {
        least = Some(if wanted.tight {
            prepared.least_gap(motion, options, proof.clearance, &mut workspace)
        } else {
            LeastGap { proven: proof.clearance, measured: None }
        });
        certificate = wanted.certificate.then(|| {
            let certificate = prepared.certify(motion, options).map_err(|why| why_not(scene, &why))?;
            let certified =
                CertifiedMotion::new(scene.cell(), motion.clone(), options.resolution, certificate);
            Ok(AnyCertificate::Cell(Box::new(certified)))
        });
    }
    let start = depths(scene, &verdict);
    Found { verdict, least, certificate, start, laws: Vec::new(), law: 0 }
}

fn of_routes(
    scene: &Scene,
    routes: &[(Law, Route)],
    wanted: Wanted<'_>,
    given: &Given,
) -> Result<Found, ReadError> {
    let refuse = |fault: Fault| ReadError { path: given.path.clone(), faults: vec![fault] };
    let prepared = MotionScene::new(scene);
    let led = RouteScene::new(&prepared, routes[0].1.tip())
        .map_err(|fault| refuse(Fault::of_file(fault.to_string())))?;
    let asked = LawsWanted { least_gap: wanted.tight, certificate: wanted.certificate };
    let found = led.laws(routes, &wanted.options, asked, &mut prepared.workspace());
    let mut found = found.map_err(|(law, stopped)| {
        let (number, what) = (listed(stopped.of_move), stopped.words(scene.cell(), law));
        refuse(match &given.loaded.program {
            Some(program) => program.fault(number, what),
            None => Fault::of_part(format!("move {number}"), what),
        })
    })?;
    let law = worst_law(&found);
    let laws = found.iter().map(|one| (one.law, one.report.verdict.word())).collect();
    let certificate = certified(scene, routes, &mut found, wanted.options.resolution);
    let one = found.swap_remove(law);
    let verdict = match one.report.verdict {
        Verdict::Free(proof) => Verdict::Free(MotionProof { clearance: proof.clearance }),
        Verdict::Touches(witness) => Verdict::Touches(witness),
        Verdict::Undecided { open } => Verdict::Undecided { open },
    };
    let proven = if let Verdict::Free(proof) = &verdict { Some(proof.clearance) } else { None };
    let least = one.least.or(proven.map(|proven| LeastGap { proven, measured: None }));
    let start = depths(scene, &verdict);
    Ok(Found { verdict, least, certificate, start, laws, law })
}

/// One certificate of all laws, where all are free and certified.
fn certified(
    scene: &Scene,
    routes: &[(Law, Route)],
    found: &mut [LawReport],
    resolution: f64,
) -> Option<Result<AnyCertificate, String>> {
    let mut proven = Vec::new();
    for ((law, route), one) in routes.iter().zip(found) {
        let Verdict::Free(proof) = &one.report.verdict else { return None };
        match one.certificate.take()? {
            Ok(certificate) => {
                let (law, route, pieces) = (*law, route.clone(), proof.pieces.clone());
                proven.push(OneRoute { law, route, pieces, certificate });
            }
            Err(why) => return Some(Err(why_not(scene, &why))),
        }
    }
    let certified = CertifiedRoute::new(scene.cell(), resolution, proven);
    Some(Ok(AnyCertificate::Route(Box::new(certified))))
}

/// What touches at the start, and how deep.
fn depths(scene: &Scene, verdict: &Verdict<MotionProof, MotionWitness>) -> Vec<(PairId, Option<[f64; 2]>)> {
    let Verdict::Touches(witness) = verdict else { return Vec::new() };
    if !witness.at_start {
        return Vec::new();
    }
    let mut workspace = scene.workspace();
    let pairs = scene.all_hits(&witness.posture, &mut workspace);
    let depth = |pair: PairId| (pair, scene.depth(&witness.posture, pair, DEPTH_TOLERANCE, &mut workspace));
    pairs.into_iter().take(STARTS).map(depth).collect()
}

fn report(py: Python<'_>, scene: &Scene, given: &Given, found: &Found) -> PyResult<Report> {
    let mut report = Report {
        verdict: found.verdict.word(),
        unreached: given.unreached(),
        law: found.laws.get(found.law).map(|(law, _)| law.to_string()),
        laws: found.laws.iter().map(|(law, word)| (law.to_string(), *word)).collect(),
        ..Report::default()
    };
    match &found.verdict {
        Verdict::Free(_) if report.unreached > 0 => report.verdict = "undecided",
        Verdict::Free(_) => {
            if let Some(LeastGap { proven, measured }) = found.least {
                report.clearance = proven.is_finite().then_some(proven);
                if let Some((t, gap)) = measured {
                    report.t = Some(t);
                    report.pair = Some(scene.pair_name(gap.pair));
                    report.gap = Some(gap.gap);
                    report.points = Some(gap.points.map(|p| p.to_array()));
                }
            }
        }
        Verdict::Touches(witness) => {
            let (number, fraction) = match &given.loaded.motion {
                Moved::Joints(_) => (witness.piece + 2, witness.in_piece),
                Moved::Tool(routes) => {
                    let route = &routes[found.law].1;
                    (
                        listed(route.legs()[witness.piece].of_move),
                        route.fraction(witness.piece, witness.in_piece),
                    )
                }
            };
            report.r#move = Some(number);
            report.fraction = Some(fraction);
            if let Some(program) = &given.loaded.program {
                report.line = Some(program.line(number));
                report.seconds = program.seconds_at(number, fraction);
            }
            report.t = Some(witness.time.end);
            report.t_before = Some(witness.time.start);
            report.posture = Some(witness.posture.clone());
            report.pair = Some(scene.pair_name(witness.pair));
            report.gap = Some(witness.gap);
            report.points = Some(witness.points.map(|p| p.to_array()));
            let [a, b] = witness.on;
            report.on = Some([on(py, a)?, on(py, b)?]);
            report.at_start = witness.at_start;
            report.start = found.start.iter().map(|(pair, depth)| (scene.pair_name(*pair), *depth)).collect();
        }
        Verdict::Undecided { open } => report.open = Some((open.start, open.end)),
    }
    Ok(report)
}

fn on(py: Python<'_>, on: On) -> PyResult<Py<PyAny>> {
    let (index, feature) = match on {
        On::Surface => return Ok("surface".into_pyobject(py)?.into_any().unbind()),
        On::Inside => return Ok("inside".into_pyobject(py)?.into_any().unbind()),
        On::Triangle { index, feature } => (index, feature),
    };
    let told = PyDict::new(py);
    told.set_item("triangle", index)?;
    let part = PyDict::new(py);
    match feature {
        Feature::Face => told.set_item("feature", "face")?,
        Feature::Side(k) => part.set_item("edge", k)?,
        Feature::Corner(k) => part.set_item("corner", k)?,
    }
    if !part.is_empty() {
        told.set_item("feature", part)?;
    }
    Ok(told.into_any().unbind())
}
