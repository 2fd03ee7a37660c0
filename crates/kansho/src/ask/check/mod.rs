//! Is a motion of a cell free at every instant? Proven, or its first contact, or honestly undecided.

mod answer;
mod many;
mod partial;
mod place;
mod text;

pub use answer::{
    CheckAnswer, FreeMotion, LawVerdict, MotionContact, MotionVerdict, NearPair, On, OnShape, OnTriangle,
    OpenMotion, StartContact, WhyOpen,
};
pub use many::{SegmentRow, SegmentVerdict, SegmentsAnswer, certified_segments, segments};
pub use partial::{LineContact, OpenLine, PartialAnswer, parts};
pub use place::{MotionPlace, MoveWord, ProgramPlace, SegmentPlace};
pub use text::text;

use crate::answer::{FORMAT, Message, VerdictWord};
use crate::budget::Budget;
use kansho_cell::JointMotion;
use kansho_cell::route::{Law, MoveNumber, Route};
use kansho_check::motion::{
    Contact, LawReport, LawsWanted, LeastGap, MotionOptions, MotionScene, MotionWitness, RouteProof,
    RouteScene, Stopped, Uncertified, worst_law,
};
use kansho_check::scene::{PairId, Scene};
use kansho_check::verdict::Verdict;
use kansho_io::motion_file::{LoadedMotion, Moved, ProgramText};
use kansho_io::{Fault, ReadError, Warning};
use kansho_verify::file::{AnyCertificate, CertifiedMotion};
use kansho_verify::file::{CertifiedRoute, OneRoute};
use place::{Course, Places};
use std::path::Path;

/// How near the bounds of a depth come to each other, in metres.
pub(crate) const DEPTH_TOLERANCE: f64 = 1e-6;

/// Pairs that touch at the start and are listed with their depth, at most.
const STARTS: usize = 10;

/// What is asked of a motion.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The required gap, in metres: as near as this is a contact.
    pub clearance: f64,
    /// Other gaps for single pairs: see [`crate::scene::named_pairs`].
    pub of_pairs: Vec<(PairId, f64)>,
    /// Whether the first contact is wanted, or any.
    pub contact: Contact,
    /// Whether the least gap of a free motion is searched for. Otherwise the answer has the clearance that the proof needed.
    pub tight: bool,
    /// Whether a certificate is wanted.
    pub certificate: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            clearance: 0.0,
            of_pairs: Vec::new(),
            contact: Contact::First,
            tight: true,
            certificate: false,
        }
    }
}

impl CheckOptions {
    fn of_motion<'a>(&'a self, budget: &Budget<'a>) -> MotionOptions<'a> {
        MotionOptions {
            contact: self.contact,
            clearance: self.clearance,
            of_pairs: &self.of_pairs,
            deadline: budget.deadline,
            stop: budget.stop,
            ..MotionOptions::default()
        }
    }
}

/// A motion as it was read, and where from.
#[derive(Clone, Copy, Debug)]
pub struct ReadMotion<'a> {
    /// The file, or what messages call what is no file.
    pub path: &'a Path,
    /// The motion.
    pub loaded: &'a LoadedMotion,
}

impl<'a> ReadMotion<'a> {
    /// What is odd about it: joints outside their limits, corners that were asked to be stops, moves that are never reached, what kansho assumes of a program.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let program = self.program().into_iter();
        let notes = program.flat_map(|program| program.unreached.iter().chain(&program.notes));
        let warning = |fault: &Fault| Warning { path: self.path.to_owned(), fault: fault.clone() };
        self.loaded.outside.iter().chain(&self.loaded.notes).chain(notes).map(warning).collect()
    }

    /// How many moves of a robot program are never reached. As long as there are any, the program is not proven free.
    #[must_use]
    pub fn unreached(&self) -> usize {
        self.program().map_or(0, |program| program.unreached.len())
    }

    fn program(&self) -> Option<&'a ProgramText> {
        self.loaded.program.as_ref()
    }

    /// That a Cartesian path cannot be followed, and where.
    fn refused(&self, scene: &Scene, law: Law, stopped: &Stopped) -> ReadError {
        let (number, what) = (MoveNumber::of_move(stopped.of_move), stopped.words(scene.cell(), law));
        let fault = match self.program() {
            Some(program) => program.fault(number.get(), what),
            None => Fault::of_part(format!("move {number}"), what),
        };
        ReadError { path: self.path.to_owned(), faults: vec![fault] }
    }
}

/// The answer, and the certificate if one was asked for and the motion is free: or why there is none.
#[derive(Debug)]
pub struct Checked {
    /// The answer.
    pub answer: CheckAnswer,
    /// The certificate.
    pub certificate: Option<Result<AnyCertificate, String>>,
}

/// Proves a motion of a cell free, or finds its first contact.
///
/// # Errors
/// The TCP cannot be led along a Cartesian path, and where.
///
/// ```
/// use kansho::cell::builtin;
/// use kansho::ask::check::{self, CheckOptions, ReadMotion};
/// use kansho::io::motion_file::{Join, through};
/// use kansho::check::scene::Scene;
///
/// let cell = builtin::cell();
/// let turned = |deg: f64| [deg, -35.0, 15.0, 0.0, 35.0, 0.0].map(f64::to_radians).to_vec();
/// let loaded = through(&[turned(0.0), turned(12.0)], &cell, Join::Ptp)?;
/// let motion = ReadMotion { path: "motion".as_ref(), loaded: &loaded };
/// let scene = Scene::new(cell.into()).with_models();
///
/// let checked = check::motion(&scene, &motion, &CheckOptions::default(), &Default::default())?;
/// assert!(check::text(&checked.answer).starts_with("free, at least"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn motion(
    scene: &Scene,
    motion: &ReadMotion<'_>,
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> Result<Checked, ReadError> {
    let unreached = motion.unreached();
    let corners = &motion.loaded.joint_corners;
    let asked_certificate = options.certificate;
    // A certificate is about the whole motion.
    let options = CheckOptions {
        certificate: options.certificate && unreached == 0 && corners.is_empty(),
        ..options.clone()
    };
    let mut checked = match &motion.loaded.motion {
        Moved::Joints(joints) => of_joints(scene, joints, motion.program(), &options, budget),
        Moved::Tool(routes) => of_routes(scene, routes, motion, &options, budget)?,
    };
    let asks_certificate = asked_certificate && unreached == 0 && !corners.is_empty();
    if let MotionVerdict::Free(free) = &mut checked.answer.found
        && !corners.is_empty()
    {
        match joint_corners(scene, motion, &options, budget) {
            Ok(proven) => {
                free.clearance = free.clearance.map(|clearance| clearance.min(proven));
                // The nearest pair was looked for without them.
                free.nearest = free.nearest.take().filter(|nearest| nearest.gap <= proven);
                if asks_certificate {
                    let why = "rounded corners between joint moves have no certificate yet: take them as stops (⟦fine⟧)";
                    checked.certificate = Some(Err(why.into()));
                }
            }
            Err(number) => checked.answer.found = MotionVerdict::Undecided(open_corner(motion, number)),
        }
    }
    if let MotionVerdict::Undecided(open) = &mut checked.answer.found {
        let is_corner = open.place.as_ref().is_some_and(|place| place.kind == Some(MoveWord::Corner));
        open.why = Some(match (budget.is_used_up(), is_corner) {
            (true, _) => WhyOpen::Time,
            (false, true) => WhyOpen::Corner,
            (false, false) => WhyOpen::Near,
        });
    }
    if unreached > 0 && matches!(checked.answer.found, MotionVerdict::Free(_)) {
        checked.answer.found = MotionVerdict::Undecided(OpenMotion {
            open: None,
            unreached: Some(unreached),
            place: None,
            why: None,
        });
    }
    checked.answer.warnings = Message::of_warnings(&motion.warnings());
    Ok(checked)
}

/// Proves the rounded corners between moves of all joints: a bound below all gaps in them, or the number of the first move that ends in one which is not
/// proven.
fn joint_corners(
    scene: &Scene,
    motion: &ReadMotion<'_>,
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> Result<f64, usize> {
    let wanted = options.of_motion(budget);
    let prepared = MotionScene::new(scene);
    let mut workspace = prepared.workspace();
    let mut least = f64::INFINITY;
    for corner in &motion.loaded.joint_corners {
        let proven = RouteScene::new(&prepared, corner.tip)
            .ok()
            .and_then(|led| led.joint_corner(corner, &wanted, &mut workspace));
        least = least.min(proven.ok_or(corner.number)?);
    }
    Ok(least)
}

/// That a corner between two moves of all joints is not proven.
fn open_corner(motion: &ReadMotion<'_>, number: usize) -> OpenMotion {
    let program = motion
        .program()
        .map(|program| ProgramPlace { line: program.line(number), seconds: program.seconds_at(number, 1.0) });
    let place = MotionPlace { number, fraction: 1.0, kind: Some(MoveWord::Corner), segment: None, program };
    OpenMotion { open: None, unreached: None, place: Some(place), why: None }
}

fn of_joints(
    scene: &Scene,
    motion: &JointMotion,
    program: Option<&ProgramText>,
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> Checked {
    let wanted = options.of_motion(budget);
    let prepared = MotionScene::new(scene);
    let mut workspace = prepared.workspace();
    let report = prepared.motion(motion, &wanted, &mut workspace);
    let places = Places { course: Course::Joints(motion), program };
    let mut certificate = None;
    let found = match &report.verdict {
        Verdict::Free(proof) => {
            let least = if options.tight {
                prepared.least_gap(motion, &wanted, proof.clearance, &mut workspace)
            } else {
                LeastGap { proven: proof.clearance, measured: None }
            };
            certificate = options.certificate.then(|| {
                let made = prepared.certify(motion, &wanted).map_err(|why| why_uncertified(scene, &why))?;
                let certified = CertifiedMotion::new(scene.cell(), motion.clone(), wanted.resolution, made);
                Ok(AnyCertificate::Cell(Box::new(certified)))
            });
            MotionVerdict::Free(free(scene, &places, &least))
        }
        Verdict::Touches(witness) => MotionVerdict::Touches(Box::new(contact(scene, &places, witness))),
        Verdict::Undecided { open } => MotionVerdict::Undecided(OpenMotion {
            open: Some([open.start, open.end]),
            unreached: None,
            place: Some(places.at(open.start)),
            why: None,
        }),
    };
    let answer = CheckAnswer {
        waypoints: Some(motion.pieces().len() + 1),
        instants: report.counters.instants,
        nodes: report.counters.nodes,
        exact: report.counters.exact,
        ..bare(found)
    };
    Checked { answer, certificate }
}

fn of_routes(
    scene: &Scene,
    routes: &[(Law, Route)],
    motion: &ReadMotion<'_>,
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> Result<Checked, ReadError> {
    route_or_stop(scene, routes, motion, options, budget)
        .map_err(|(law, stopped)| motion.refused(scene, law, &stopped))?
}

/// The same; or where the TCP cannot be led on.
fn route_or_stop(
    scene: &Scene,
    routes: &[(Law, Route)],
    motion: &ReadMotion<'_>,
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> Result<Result<Checked, ReadError>, (Law, Box<Stopped>)> {
    let wanted = options.of_motion(budget);
    let prepared = MotionScene::new(scene);
    let led = match RouteScene::new(&prepared, routes[0].1.tip()).map_err(|fault| ReadError {
        path: motion.path.to_owned(),
        faults: vec![Fault::of_file(fault.to_string())],
    }) {
        Ok(led) => led,
        Err(refused) => return Ok(Err(refused)),
    };
    let asked = LawsWanted { least_gap: options.tight, certificate: options.certificate };
    let mut reports = led.laws(routes, &wanted, asked, &mut prepared.workspace())?;
    let certificate = certified(scene, routes, &mut reports, wanted.resolution);
    let worst = worst_law(&reports);
    let (law, route) = &routes[worst];
    let main = &reports[worst];
    let places = Places { course: Course::Tool(route), program: motion.program() };
    let found = match &main.report.verdict {
        Verdict::Free(RouteProof { clearance, pieces }) => {
            let least = main.least.unwrap_or(LeastGap { proven: *clearance, measured: None });
            let margin = pieces.iter().map(|piece| piece.margins.of_joints).fold(0.0, f64::max);
            let (pieces, margin) = (Some(pieces.len()), Some(margin));
            MotionVerdict::Free(FreeMotion { pieces, margin, ..free(scene, &places, &least) })
        }
        Verdict::Touches(witness) => MotionVerdict::Touches(Box::new(contact(scene, &places, witness))),
        Verdict::Undecided { open } => MotionVerdict::Undecided(OpenMotion {
            open: Some([open.start, open.end]),
            unreached: None,
            place: Some(places.at(open.start)),
            why: None,
        }),
    };
    let verdict = |report: &LawReport| match report.report.verdict {
        Verdict::Free(_) => VerdictWord::Free,
        Verdict::Touches(_) => VerdictWord::Touches,
        Verdict::Undecided { .. } => VerdictWord::Undecided,
    };
    let laws =
        reports.iter().map(|report| LawVerdict { law: report.law.to_string(), verdict: verdict(report) });
    let counted = |of: fn(&LawReport) -> u64| reports.iter().map(of).sum::<u64>();
    let answer = CheckAnswer {
        law: Some(law.to_string()),
        laws: laws.collect(),
        moves: Some(route.legs().last().map_or(0, |leg| MoveNumber::of_move(leg.of_move).get())),
        instants: counted(|one| one.report.counters.instants),
        nodes: counted(|one| one.report.counters.nodes),
        exact: counted(|one| one.report.counters.exact),
        ..bare(found)
    };
    Ok(Ok(Checked { answer, certificate }))
}

/// One certificate with all orientation interpolations, where all are free and certified.
fn certified(
    scene: &Scene,
    routes: &[(Law, Route)],
    reports: &mut [LawReport],
    resolution: f64,
) -> Option<Result<AnyCertificate, String>> {
    let mut proven = Vec::new();
    for ((law, route), report) in routes.iter().zip(reports) {
        let Verdict::Free(proof) = &report.report.verdict else { return None };
        match report.certificate.take()? {
            Ok(certificate) => {
                let (law, route, pieces) = (*law, route.clone(), proof.pieces.clone());
                proven.push(OneRoute { law, route, pieces, certificate });
            }
            Err(why) => return Some(Err(why_uncertified(scene, &why))),
        }
    }
    let certified = CertifiedRoute::new(scene.cell(), resolution, proven);
    Some(Ok(AnyCertificate::Route(Box::new(certified))))
}

fn bare(found: MotionVerdict) -> CheckAnswer {
    CheckAnswer {
        format: FORMAT,
        found,
        waypoints: None,
        moves: None,
        law: None,
        laws: Vec::new(),
        warnings: Vec::new(),
        instants: 0,
        nodes: 0,
        exact: 0,
        certificate: None,
        certificate_steps: 0,
        partial: None,
    }
}

fn free(scene: &Scene, places: &Places<'_>, least: &LeastGap) -> FreeMotion {
    let nearest = least.measured.map(|(t, found)| NearPair {
        gap: found.gap,
        t,
        pair: scene.pair_name(found.pair),
        points: found.points.map(|point| point.to_array()),
        place: places.at(t),
    });
    FreeMotion {
        clearance: least.proven.is_finite().then_some(least.proven),
        nearest,
        pieces: None,
        margin: None,
    }
}

fn contact(scene: &Scene, places: &Places<'_>, witness: &MotionWitness) -> MotionContact {
    let cell = scene.cell();
    MotionContact {
        t: [witness.time.start, witness.time.end],
        at_start: witness.at_start,
        pair: scene.pair_name(witness.pair),
        gap: witness.gap,
        points: witness.points.map(|point| point.to_array()),
        on: witness.on.map(On::from),
        posture: witness.posture.clone(),
        joints: cell.coordinates().iter().map(|coordinate| coordinate.full_name()).collect(),
        start: if witness.at_start { starts(scene, &witness.posture) } else { Vec::new() },
        place: places.in_piece(witness.piece, witness.in_piece),
        bodies: scene.bodies(witness.pair).map(|body| cell.body(body).name.clone()),
    }
}

/// What touches at the start, and how deep.
fn starts(scene: &Scene, posture: &[f64]) -> Vec<StartContact> {
    let mut workspace = scene.workspace();
    let pairs = scene.all_hits(posture, &mut workspace);
    let start = |pair: PairId| StartContact {
        pair: scene.pair_name(pair),
        depth: scene.depth(posture, pair, DEPTH_TOLERANCE, &mut workspace),
    };
    pairs.into_iter().take(STARTS).map(start).collect()
}

/// Why a motion that is free has no certificate.
pub(crate) fn why_uncertified(scene: &Scene, why: &Uncertified) -> String {
    match why {
        Uncertified::TooNear { piece, pair, .. } => format!(
            "{} come so near between waypoints {} and {} that no directions show it in as many steps as are allowed",
            scene.pair_name(*pair),
            piece + 1,
            piece + 2
        ),
        Uncertified::Late => "there was no time left for it".into(),
        Uncertified::HalfSpace(pair) => format!("{}: a half-space moves", scene.pair_name(*pair)),
    }
}
