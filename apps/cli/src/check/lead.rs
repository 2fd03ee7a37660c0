//! Motions that lead a tool.

use super::Asked;
use super::one::{contact, depths, free, line, never_reached, why_not};
use crate::{BAD_INPUT, UNDECIDED, moving, say};
use clap::{Args, ValueEnum};
use kansho::cell::Cell;
use kansho::cell::ik::Branch;
use kansho::cell::route::{CurveKind, Law, Route, Way, listed};
use kansho::check::motion::{
    LawReport, LawsWanted, LeastGap, MotionScene, RouteReport, RouteScene, Stopped, worst_law,
};
use kansho::check::scene::Scene;
use kansho::check::verdict::Verdict;
use kansho::io::motion_file::{self, Laws, LeadOptions, ProgramText};
use kansho::io::program;
use kansho::io::route_certificate::{CertifiedRoute, OneRoute};
use kansho::io::{Fault, ReadError, Warning};
use serde_json::{Value, json};
use std::path::Path;

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
enum LawName {
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

impl LeadArguments {
    pub(super) fn options(&self) -> LeadOptions {
        LeadOptions {
            law: self.law.map(|law| match law {
                LawName::Slerp => Laws::Slerp,
                LawName::SwivelTwist => Laws::SwivelTwist,
                LawName::Both => Laws::Both,
            }),
            blend: match self.blend {
                BlendName::Inside => motion_file::BlendName::Inside,
                BlendName::Parabola => motion_file::BlendName::Parabola,
                BlendName::Unknown => motion_file::BlendName::Unknown,
            },
            blend_margin: self.blend_margin,
            zone: self.zone,
            tip: self.tip.clone(),
            branch: self.branch,
        }
    }
}

pub(super) fn run(
    mut asked: Asked<'_>,
    path: &Path,
    cell: Cell,
    routes: &[(Law, Route)],
    program: Option<&ProgramText>,
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
            let number = listed(stopped.of_move);
            let what = stopped.words(scene.cell(), law);
            let fault = match program {
                Some(program) => program.fault(number, what),
                None => Fault::of_part(format!("move {number}"), what),
            };
            let error = ReadError { path: path.to_owned(), faults: vec![fault] };
            return moving::refused(&[error], arguments.json);
        }
    };
    let worst = worst_law(&found);
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
        "moves": route.legs().last().map_or(0, |leg| listed(leg.of_move)),
        "warnings": say::warnings_json(&asked.warnings),
        "instants": count(|report| report.counters.instants),
        "nodes": count(|report| report.counters.nodes),
        "exact": count(|report| report.counters.exact),
    });
    let mut text = String::new();
    match &main.report.verdict {
        Verdict::Free(_) if asked.unreached > 0 => never_reached(&asked, &mut text, &mut answer),
        Verdict::Free(proof) => {
            let least = main.least.unwrap_or(LeastGap { proven: proof.clearance, measured: None });
            free(&scene, |t| place_at(route, t, program), &least, &mut text, &mut answer);
            let margin = proof.pieces.iter().map(|piece| piece.margins.of_joints).fold(0.0, f64::max);
            answer["pieces"] = json!(proof.pieces.len());
            answer["margin"] = json!(margin);
        }
        Verdict::Touches(witness) => {
            let place = place_in(route, witness.piece, witness.in_piece, program);
            let number = listed(route.legs()[witness.piece].of_move);
            let fraction = route.fraction(witness.piece, witness.in_piece);
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
    if let Some(code) = certificate(&asked, &scene, routes, found, &mut text, &mut answer) {
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

enum NotFollowed {
    Arm(String),
    Stopped(Law, Box<Stopped>),
}

fn look(asked: &Asked<'_>, scene: &Scene, routes: &[(Law, Route)]) -> Result<Vec<LawReport>, NotFollowed> {
    let prepared = MotionScene::new(scene);
    let tip = routes[0].1.tip();
    let led = RouteScene::new(&prepared, tip).map_err(|fault| NotFollowed::Arm(fault.to_string()))?;
    let wanted = LawsWanted { least_gap: true, certificate: asked.certifies() };
    led.laws(routes, &asked.options, wanted, &mut prepared.workspace())
        .map_err(|(law, stopped)| NotFollowed::Stopped(law, stopped))
}

/// Writes a certificate where all laws are free and certified; the exit code if it cannot be written.
fn certificate(
    asked: &Asked<'_>,
    scene: &Scene,
    routes: &[(Law, Route)],
    found: Vec<LawReport>,
    text: &mut String,
    answer: &mut Value,
) -> Option<u8> {
    let out = asked.arguments.certificate.as_ref()?;
    let mut proven = Vec::new();
    for ((law, route), found) in routes.iter().zip(found) {
        let Verdict::Free(proof) = found.report.verdict else { return None };
        match found.certificate? {
            Ok(certificate) => {
                let (law, route, pieces) = (*law, route.clone(), proof.pieces);
                proven.push(OneRoute { law, route, pieces, certificate });
            }
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
    let steps: usize = proven.iter().flat_map(|one| &one.certificate.pieces).map(Vec::len).sum();
    let certified = CertifiedRoute::new(scene.cell(), asked.options.resolution, proven);
    if let Err(error) = kansho::io::whole_file(out, certified.to_json().as_bytes()) {
        say::write_error(&error);
        return Some(BAD_INPUT);
    }
    answer["certificate"] = json!(out.display().to_string());
    line(text, format_args!("  proof    {} ({steps} steps)", out.display()));
    None
}

fn place_in(route: &Route, leg: usize, u: f64, program: Option<&ProgramText>) -> String {
    let number = listed(route.legs()[leg].of_move);
    let of_program = program.map_or(String::new(), |program| program.words(number, route.fraction(leg, u)));
    of_program + &place_in_route(route, leg, u, number)
}

fn place_in_route(route: &Route, leg: usize, u: f64, number: usize) -> String {
    match &route.legs()[leg].way {
        Way::Tool { curve, .. } if curve.kind() == CurveKind::Corner => {
            format!("in the corner after move {number}")
        }
        Way::Tool { curve, .. } => {
            format!("move {number}, {}, {:.6} of the way", curve.kind(), route.fraction(leg, u))
        }
        Way::Joints(_) => format!("move {number}, ptp, {u:.6} of the way"),
    }
}

fn place_at(route: &Route, t: f64, program: Option<&ProgramText>) -> String {
    let count = route.legs().len();
    let place = t * count as f64;
    let leg = (place as usize).min(count - 1);
    place_in(route, leg, place - leg as f64, program)
}
