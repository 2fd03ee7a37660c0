//! Motions that lead a tool.

use super::one::{contact, depths, free, line, why_not};
use super::program::Told;
use super::{Asked, Loaded, Moved};
use crate::{BAD_INPUT, UNDECIDED, moving, say};
use clap::{Args, ValueEnum};
use kansho::cell::ik::{Branch, BranchEnd, Nearness, Tip};
use kansho::cell::route::{Blend, CurveKind, Law, Move, Route, RouteFault, Way};
use kansho::cell::{Cell, JointMotion};
use kansho::check::motion::{
    LeastGap, MotionScene, RouteProof, RouteReport, RouteScene, Stop, Stopped, Uncertified,
};
use kansho::check::scene::Scene;
use kansho::check::verdict::Verdict;
use kansho::io::program::{self, ProgramOptions};
use kansho::io::route_certificate::{CertifiedRoute, OneRoute};
use kansho::io::units::Units;
use kansho::io::{Fault, ReadError, Warning};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// How a tool is led.
#[derive(Args, Clone)]
pub(crate) struct LeadArguments {
    /// How the tool turns on lines and arcs of the tool: about one axis (slerp), its axis swivels while it twists about it (swivel-twist), or
    /// both are proven; slerp by default, for robot programs what their profile says
    #[arg(long, value_name = "LAW")]
    law: Option<LawName>,

    /// What the controller does where corners are rounded: anything inside the triangle that is cut off (inside), the parabola that touches
    /// both lines (parabola), or something within --blend-margin of that (unknown)
    #[arg(long, value_name = "HOW", default_value = "inside")]
    blend: BlendName,

    /// With --blend unknown: how far the tip may be from the parabola in a rounded corner, in metres
    #[arg(long, value_name = "METRES", value_parser = moving::length)]
    blend_margin: Option<f64>,

    /// Corners between lines of the tool are rounded within this distance, where the file does not say, in metres
    #[arg(long, value_name = "METRES", default_value = "0", value_parser = moving::length)]
    zone: f64,

    /// What is led: the tool of a robot, by its name, or a link as robot/link; by default the only tool there is
    #[arg(long, value_name = "NAME")]
    tip: Option<String>,

    /// The branch on which a motion that begins with a pose begins: three signs for shoulder, elbow and wrist, as in --branch=++-
    #[arg(long, value_name = "SIGNS", value_parser = program::branch, allow_hyphen_values = true)]
    branch: Option<Branch>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum LawName {
    Slerp,
    SwivelTwist,
    Both,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum BlendName {
    Inside,
    Parabola,
    Unknown,
}

/// The tip that a name stands for.
pub(crate) fn tip(cell: &Cell, name: Option<&str>) -> Result<Tip, String> {
    if let Some(name) = name {
        let robots = cell.robots().iter().map(|robot| robot.name.as_str());
        let near = || {
            let links = cell.link_names().iter().map(String::as_str);
            kansho::cell::nearest_name(name, robots.clone().chain(links))
                .map_or(String::new(), |near| format!("; did you mean {near}?"))
        };
        let found = Tip::tool(cell, name).or_else(|| Tip::link(cell, name));
        return found.ok_or_else(|| {
            if robots.clone().any(|robot| robot == name) {
                format!("{name} has no tool: name the link that is led, as in --tip {name}/flange")
            } else {
                format!("'{name}' is no robot with a tool, and no link{}", near())
            }
        });
    }
    let mut tools = cell.robots().iter().filter_map(|robot| Tip::tool(cell, &robot.name));
    match (tools.next(), tools.next()) {
        (Some(tip), None) => Ok(tip),
        (None, _) => {
            Err("there is no tool in this cell: name the link that is led, as in --tip robot/link".into())
        }
        (Some(_), Some(_)) => Err("there are several tools in this cell: name one, as in --tip robot".into()),
    }
}

impl LeadArguments {
    /// The first of these that was given, and is about tools only.
    pub(super) fn given(&self) -> Option<&'static str> {
        let all = [
            (self.zone > 0.0, "--zone"),
            (self.law.is_some_and(|law| law != LawName::Slerp), "--law"),
            (self.blend != BlendName::Inside, "--blend"),
            (self.blend_margin.is_some(), "--blend-margin"),
            (self.tip.is_some(), "--tip"),
            (self.branch.is_some(), "--branch"),
        ];
        all.iter().find(|(is_given, _)| *is_given).map(|(_, name)| *name)
    }

    /// Reads a motion that leads a tool.
    pub(super) fn read(&self, path: &Path, cell: &Cell, units: &Units) -> Result<Loaded, ReadError> {
        let fail = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
        let tip = tip(cell, self.tip.as_deref()).map_err(|what| fail(Fault::of_file(what)))?;
        let options = ProgramOptions { tip, branch: self.branch, zone: self.zone, units: *units };
        let program = program::read(path, cell, &options)?;
        let motion =
            self.routes(path, cell, tip, &program.start, &program.moves, LawName::Slerp, |number| {
                Fault::of_part(format!("move {number}"), String::new())
            })?;
        Ok(Loaded { motion, outside: program.outside_limits, program: None })
    }

    /// What was given and is no matter of robot programs, which say it themselves.
    pub(super) fn not_of_programs(&self) -> Option<&'static str> {
        let all = [(self.zone > 0.0, "--zone"), (self.tip.is_some(), "--tip")];
        all.iter().find(|(is_given, _)| *is_given).map(|(_, name)| *name)
    }

    /// The branch that is wished for, and how near to a target corners of an unknown shape are rounded.
    pub(super) fn wishes(&self) -> (Option<Branch>, Option<f64>) {
        (self.branch, self.blend_margin)
    }

    /// One route for each law. `place` makes a fault of a move, by its number from 1.
    #[expect(clippy::too_many_arguments, reason = "all of it makes the route")]
    pub(super) fn routes(
        &self,
        path: &Path,
        cell: &Cell,
        tip: Tip,
        start: &[f64],
        moves: &[Move],
        law: LawName,
        place: impl Fn(usize) -> Fault,
    ) -> Result<Moved, ReadError> {
        let fail = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
        let blend = match (self.blend, self.blend_margin) {
            (BlendName::Inside, _) => Blend::Inside,
            (BlendName::Parabola, _) => Blend::Parabola,
            (BlendName::Unknown, Some(margin)) => Blend::Within(margin),
            (BlendName::Unknown, None) => {
                let what = "corners that are rounded in an unknown way need --blend-margin METRES: how far the tip may be from the parabola";
                return Err(fail(Fault::of_file(what)));
            }
        };
        let laws: &[Law] = match self.law.unwrap_or(law) {
            LawName::Slerp => &[Law::Slerp],
            LawName::SwivelTwist => &[Law::SwivelTwist],
            LawName::Both => &[Law::Slerp, Law::SwivelTwist],
        };
        let mut routes: Vec<(Law, Route)> = Vec::new();
        for &law in laws {
            let route = Route::new(cell, tip, start.to_vec(), moves, law, blend);
            let route = route.map_err(|RouteFault { number, fault }| {
                fail(Fault { what: fault.to_string(), ..place(number + 1) })
            })?;
            routes.push((law, route));
        }
        Ok(Moved::Tool(routes))
    }
}

/// What was found with one law.
struct Found {
    report: RouteReport,
    least: Option<LeastGap>,
    certified: Option<Result<OneRoute, Uncertified>>,
}

pub(super) fn run(
    mut asked: Asked<'_>,
    path: &Path,
    cell: Cell,
    routes: &[(Law, Route)],
    program: Option<&Told>,
) -> u8 {
    let arguments = asked.arguments;
    let scene = asked.scene(cell);
    let found = crate::threads::on(arguments.threads, || look(&asked, &scene, routes));
    let refuse = |what: String| {
        let error = ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] };
        moving::refused(&[error], arguments.json)
    };
    let found = match found {
        Ok(found) => found,
        Err(NotFollowed::Arm(what)) => return refuse(what),
        Err(NotFollowed::Stopped(law, stopped)) => {
            let number = stopped.of_move + 2;
            let what = told(&scene, law, &stopped);
            let fault = match program {
                Some(program) => program.fault(number, what),
                None => Fault::of_part(format!("move {number}"), what),
            };
            let error = ReadError { path: path.to_owned(), faults: vec![fault] };
            return moving::refused(&[error], arguments.json);
        }
    };
    // A contact with any law is one; what is not decided with any is not.
    let rank = |found: &Found| match &found.report.verdict {
        Verdict::Touches(_) => 0,
        Verdict::Undecided { .. } => 1,
        Verdict::Free(_) => 2,
    };
    let least = |found: &Found| found.least.map_or(f64::INFINITY, |least| least.proven);
    let worst = (0..found.len())
        .min_by(|&a, &b| {
            rank(&found[a]).cmp(&rank(&found[b])).then(least(&found[a]).total_cmp(&least(&found[b])))
        })
        .expect("there is a law");
    let (law, route) = &routes[worst];
    let main = &found[worst];
    let count = |of: fn(&RouteReport) -> u64| found.iter().map(|found| of(&found.report)).sum::<u64>();
    let laws: Vec<Value> = routes
        .iter()
        .zip(&found)
        .map(|((law, _), found)| json!({ "law": law.to_string(), "verdict": found.report.verdict.word() }))
        .collect();
    let mut answer = json!({
        "verdict": main.report.verdict.word(),
        "law": law.to_string(),
        "laws": laws,
        "moves": route.legs().last().map_or(0, |leg| leg.of_move + 1),
        "warnings": say::warnings_json(&asked.warnings),
        "instants": count(|report| report.counters.instants),
        "nodes": count(|report| report.counters.nodes),
        "exact": count(|report| report.counters.exact),
    });
    let mut text = String::new();
    match &main.report.verdict {
        Verdict::Free(proof) => {
            let least = main.least.unwrap_or(LeastGap { proven: proof.clearance, measured: None });
            free(&scene, |t| place_at(route, t, program), &least, &mut text, &mut answer);
            let margin = proof.pieces.iter().map(|piece| piece.margins.of_joints).fold(0.0, f64::max);
            answer["pieces"] = json!(proof.pieces.len());
            answer["margin"] = json!(margin);
        }
        Verdict::Touches(witness) => {
            let place = place_in(route, witness.piece, witness.in_piece, program);
            let number = route.legs()[witness.piece].of_move + 2;
            let fraction = fraction(route, witness.piece, witness.in_piece);
            answer["move"] = json!(number);
            answer["fraction"] = json!(fraction);
            if let Some(program) = program {
                answer["line"] = json!(program.line(number));
                answer["seconds"] = json!(program.seconds_at(number, fraction));
            }
            let start = if witness.at_start { depths(&scene, &witness.posture) } else { Vec::new() };
            contact(&scene, &start, witness, &place, &mut text, &mut answer);
        }
        Verdict::Undecided { open } => {
            line(
                &mut text,
                format_args!(
                    "undecided from t = {} to {} ({})",
                    open.start,
                    open.end,
                    place_at(route, open.start, program)
                ),
            );
            answer["open"] = json!([open.start, open.end]);
        }
    }
    let both = if routes.len() > 1 { ", the worse of two" } else { "" };
    line(&mut text, format_args!("  law      {law}{both}"));
    if let Some(code) = certificate(&asked, &scene, found, &mut text, &mut answer) {
        return code;
    }
    if arguments.json {
        say::json_answer(&answer);
    } else {
        say::answer(&text);
    }
    match answer["verdict"].as_str() {
        Some("free") => 0,
        Some("touches") => 1,
        _ => UNDECIDED,
    }
}

/// How near the joints that are shown are to those that follow a curve, where nothing is left open in corners, in metres of bodies.
const SHOWN: f64 = 1e-6;

/// The same where a corner may be passed in any way.
const SHOWN_LOOSELY: f64 = 2e-3;

/// Joints that lead a tool along each route, and by how much bodies may be off.
pub(crate) fn shown(
    cell: &Cell,
    path: &Path,
    routes: &[(Law, Route)],
) -> Result<Vec<(Law, JointMotion, f64)>, ReadError> {
    let refuse = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
    let scene = Scene::new(Arc::new(cell.clone()));
    let prepared = MotionScene::new(&scene);
    let one = |(law, route): &(Law, Route)| {
        let led = RouteScene::new(&prepared, route.tip())
            .map_err(|fault| refuse(Fault::of_file(fault.to_string())))?;
        let traced = led.trace(route, SHOWN).or_else(|_| led.trace(route, SHOWN_LOOSELY));
        let pieces = traced.map_err(|stopped| {
            let place = format!("move {}", stopped.of_move + 2);
            refuse(Fault::of_part(place, told(&scene, *law, &stopped)))
        })?;
        let margin = pieces.iter().map(|piece| piece.margins.of_joints).fold(0.0, f64::max);
        let motion = JointMotion::of_pieces(pieces.into_iter().map(|piece| piece.piece).collect());
        Ok((*law, motion.expect("pieces follow one another"), margin))
    };
    routes.iter().map(one).collect()
}

enum NotFollowed {
    Arm(String),
    Stopped(Law, Box<Stopped>),
}

fn look(asked: &Asked<'_>, scene: &Scene, routes: &[(Law, Route)]) -> Result<Vec<Found>, NotFollowed> {
    let prepared = MotionScene::new(scene);
    let mut workspace = prepared.workspace();
    let tip = routes[0].1.tip();
    let led = RouteScene::new(&prepared, tip).map_err(|fault| NotFollowed::Arm(fault.to_string()))?;
    let mut all = Vec::new();
    for (law, route) in routes {
        let stopped = |stopped: Stopped| NotFollowed::Stopped(*law, Box::new(stopped));
        let report = led.route(route, &asked.options, &mut workspace).map_err(stopped)?;
        let mut found = Found { report, least: None, certified: None };
        if let Verdict::Free(RouteProof { clearance, pieces }) = &found.report.verdict {
            // Pieces for this are finer, and may stop where those of the proof did not: then nothing more is known than that.
            let least = led.least_gap(route, &asked.options, *clearance, &mut workspace);
            found.least = least.ok();
            found.certified = asked.arguments.certificate.is_some().then(|| {
                let certificate = led.certify(pieces, &asked.options)?;
                Ok(OneRoute { law: *law, route: route.clone(), pieces: pieces.clone(), certificate })
            });
        }
        all.push(found);
    }
    Ok(all)
}

/// Writes a certificate where all laws are free and certified; the exit code if it cannot be written.
fn certificate(
    asked: &Asked<'_>,
    scene: &Scene,
    found: Vec<Found>,
    text: &mut String,
    answer: &mut Value,
) -> Option<u8> {
    let out = asked.arguments.certificate.as_ref()?;
    let mut routes = Vec::new();
    for found in found {
        match found.certified? {
            Ok(one) => routes.push(one),
            Err(why) => {
                answer["certificate"] = Value::Null;
                let fault = Fault::of_file(format!(
                    "no certificate is written, though the motion is proven free: {}",
                    why_not(scene, &why)
                ));
                say::warnings(&[Warning { path: out.clone(), fault }]);
                return None;
            }
        }
    }
    let steps: usize = routes.iter().flat_map(|one| &one.certificate.pieces).map(Vec::len).sum();
    let certified = CertifiedRoute::new(scene.cell(), asked.options.resolution, routes);
    if let Err(error) = kansho::io::whole_file(out, certified.to_json().as_bytes()) {
        say::write_error(&error);
        return Some(BAD_INPUT);
    }
    answer["certificate"] = json!(out.display().to_string());
    line(text, format_args!("  proof    {} ({steps} steps)", out.display()));
    None
}

fn fraction(route: &Route, leg: usize, u: f64) -> f64 {
    match &route.legs()[leg].way {
        Way::Joints(_) => u,
        Way::Tool { part, .. } => part.at(u),
    }
}

fn place_in(route: &Route, leg: usize, u: f64, program: Option<&Told>) -> String {
    let number = route.legs()[leg].of_move + 2;
    let of_program = program.map_or(String::new(), |program| program.words(number, fraction(route, leg, u)));
    of_program + &place_in_route(route, leg, u, number)
}

fn place_in_route(route: &Route, leg: usize, u: f64, number: usize) -> String {
    match &route.legs()[leg].way {
        Way::Tool { curve, .. } if curve.kind() == CurveKind::Corner => {
            format!("in the corner after move {number}")
        }
        Way::Tool { curve, .. } => {
            format!("move {number}, {}, {:.6} of the way", curve.kind(), fraction(route, leg, u))
        }
        Way::Joints(_) => format!("move {number}, ptp, {u:.6} of the way"),
    }
}

fn place_at(route: &Route, t: f64, program: Option<&Told>) -> String {
    let count = route.legs().len();
    let place = t * count as f64;
    let leg = (place as usize).min(count - 1);
    place_in(route, leg, place - leg as f64, program)
}

/// Where and why a route cannot be followed.
fn told(scene: &Scene, law: Law, stopped: &Stopped) -> String {
    let p = stopped.pose.translation();
    let joint = |coordinate: usize| scene.cell().coordinates()[coordinate].full_name();
    let singular = |nearness: &Nearness| {
        let names = nearness.names();
        if names.is_empty() {
            format!("joints turn too fast, near a singularity (nearness {:.1e})", nearness.least())
        } else {
            format!("there is a singularity ({})", names.join(", "))
        }
    };
    let why = match &stopped.why {
        Stop::Branch(BranchEnd::StartSingular(nearness) | BranchEnd::Singular(nearness)) => singular(nearness),
        Stop::Branch(BranchEnd::Passed) => "a singularity would be passed".into(),
        Stop::Branch(BranchEnd::Jump { coordinate, change }) => {
            format!("\"{}\" would jump by {change:.3}: a singularity is passed", joint(*coordinate))
        }
        Stop::Branch(BranchEnd::Limit { coordinate, beyond }) => {
            format!("\"{}\" would leave its limits, by {beyond:.6} soon", joint(*coordinate))
        }
        Stop::Branch(BranchEnd::OutOfReach { part, by }) => {
            format!("it is out of reach from there on ({part:?}, {by:.2e} m soon)")
        }
        Stop::Branch(BranchEnd::Lost { .. }) => "no posture was found that goes on".into(),
        Stop::Elsewhere { coordinate, by } => format!(
            "it arrives with \"{}\" {by:.6} off the posture that is wished for: that is on another branch or in another turn",
            joint(*coordinate)
        ),
        Stop::Unbounded => "a slide is outside its limits".into(),
        Stop::Loose => {
            "whatever may happen in the corner is too much to be bounded: take a smaller zone, or name what the controller does, as in --blend parabola".into()
        }
    };
    format!(
        "the tool cannot be led on at {:.6} of the way, {:.6} m along it, at ({:.6}, {:.6}, {:.6}), law {law}: {why}",
        stopped.fraction, stopped.length, p.x, p.y, p.z
    )
}
