//! What came of a script, for people and for programs.

use super::LoadedScript;
use crate::fault::Paint;
use kansho_check::kept::Way;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_plan::words::answer::{Leg, Sample, Step};
use kansho_plan::words::{Answer, Status};
use serde_json::{Value, json};
use std::fmt::Write;

/// Numbers in the units of the script.
fn in_units(loaded: &LoadedScript, metres: f64) -> f64 {
    metres / loaded.metres_per_unit
}

/// A pose for programs: in the units of the script.
fn pose_json(loaded: &LoadedScript, pose: Pose) -> Value {
    let quat = pose.quat();
    let quat = if quat.w < 0.0 { -quat } else { quat };
    json!({
        "xyz": pose.translation().to_array().map(|x| in_units(loaded, x)),
        "quat": [quat.w, quat.x, quat.y, quat.z],
    })
}

/// Six digits, and no more zeros than needed.
fn short(x: f64) -> String {
    let text = format!("{x:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn place(loaded: &LoadedScript, p: DVec3) -> String {
    let [x, y, z] = p.to_array().map(|x| short(in_units(loaded, x)));
    format!("({x}, {y}, {z}) {}", loaded.unit)
}

fn rotation(pose: Pose) -> String {
    let quat = pose.quat();
    let quat = if quat.w < 0.0 { -quat } else { quat };
    if quat.w > 1.0 - 1e-15 {
        return String::new();
    }
    format!(", turned by quaternion ({:.6}, {:.6}, {:.6}, {:.6})", quat.w, quat.x, quat.y, quat.z)
}

fn parameter(loaded: &LoadedScript, leg: &Leg) -> (f64, &'static str) {
    if leg.turns() {
        (leg.parameter().to_degrees(), "deg")
    } else {
        (in_units(loaded, leg.parameter()), loaded.unit)
    }
}

/// What came of it, for people: a line for each move and each way of it.
#[must_use]
pub fn text(loaded: &LoadedScript, answer: &Answer, paint: &dyn Paint) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        writeln!(text, "{words}").expect("writing to a string succeeds");
    };
    for step in &answer.steps {
        let number = step.number + 1;
        line(format_args!(
            "{number}. {} {}: {}",
            paint.strong(step.verb),
            paint.dim(&format!("(line {})", step.line)),
            step.status.word()
        ));
        for leg in step.legs.iter().take(12) {
            let (value, unit) = parameter(loaded, leg);
            line(format_args!(
                "     {:<9} {:>10} {unit:<3} to {}{}",
                leg.word,
                short(value),
                place(loaded, leg.way.to().translation()),
                rotation(leg.way.to())
            ));
        }
        if step.legs.len() > 12 {
            line(format_args!("     and {} more", step.legs.len() - 12));
        }
        if !step.samples.is_empty() {
            line(format_args!("     poses     {}", step.samples.len()));
        }
        let contacts: Vec<&str> =
            step.contacts.iter().map(|c| loaded.script.touches[c.touch].text.as_str()).collect();
        if !contacts.is_empty() {
            line(format_args!("     contacts  {}", contacts.join("; ")));
            line(format_args!("     free      {}", step.freedoms.words));
        }
    }
    let legs: Vec<&Leg> = answer.legs().collect();
    let regions: u64 = legs.iter().map(|leg| leg.proof.regions).sum();
    line(format_args!(
        "proven   {} ways in {regions} regions; kept contacts are off by at most {:.1e} m",
        legs.len(),
        answer.drift
    ));
    text
}

/// Why a script does not come to its end, in a sentence.
#[must_use]
pub fn fault(loaded: &LoadedScript, answer: &Answer) -> Option<String> {
    let step = answer.steps.last()?;
    Some(match &step.status {
        Status::Reached => return None,
        Status::Blocked(block) => format!(
            "the {} is blocked: {}.{} touches {}.{} at {}, with {} at {}",
            step.verb,
            loaded.script.moved.name,
            block.features[0],
            block.body,
            block.features[1],
            place(loaded, block.point),
            loaded.script.moved.name,
            place(loaded, block.pose.translation())
        ),
        Status::Ambiguous(poses) => {
            let all: Vec<String> = poses
                .iter()
                .map(|pose| format!("{}{}", place(loaded, pose.translation()), rotation(*pose)))
                .collect();
            format!("there are {} answers where one is needed: {}", poses.len(), all.join("; or "))
        }
        Status::Slips { touch, pose } => format!(
            "\"{}\" is lost on the way, with {} at {}",
            loaded.script.touches[*touch].text,
            loaded.script.moved.name,
            place(loaded, pose.translation())
        ),
        Status::NoContact { what } => format!("no contact within reach: {what}"),
        Status::Contradiction { what } => what.clone(),
        Status::Unsupported { case } => format!("unsupported: {}", case.words()),
        Status::Undecided { what } => format!("undecided: {what}"),
    })
}

/// What came of it, for programs: one JSON object.
#[must_use]
pub fn json(loaded: &LoadedScript, answer: &Answer) -> Value {
    let steps: Vec<Value> = answer.steps.iter().map(|step| step_json(loaded, step)).collect();
    json!({
        "status": answer.status().word(),
        "units": loaded.unit,
        "moved": loaded.script.moved.name,
        "start": pose_json(loaded, answer.start),
        "steps": steps,
        "drift_m": answer.drift,
        "tolerance_m": loaded.script.tolerance,
    })
}

fn step_json(loaded: &LoadedScript, step: &Step) -> Value {
    let point = |p: DVec3| p.to_array().map(|x| in_units(loaded, x));
    let text = |touch: usize| loaded.script.touches[touch].text.as_str();
    let legs: Vec<Value> = step
        .legs
        .iter()
        .map(|leg| {
            let (value, unit) = parameter(loaded, leg);
            let mut way = json!({
                "kind": leg.word,
                "parameter": value,
                "unit": unit,
                "to": pose_json(loaded, leg.way.to()),
                "keeps": leg.keep.iter().map(|&k| text(k)).collect::<Vec<_>>(),
                "proof": { "regions": leg.proof.regions, "in_contact": leg.proof.kept },
            });
            if let Way::Turn { point: on, axis, .. } = leg.way {
                way["about"] = json!({ "point": point(on), "axis": axis.to_array() });
            }
            way
        })
        .collect();
    let contacts: Vec<Value> = step
        .contacts
        .iter()
        .map(|contact| {
            json!({
                "contact": text(contact.touch),
                "points": contact.points.iter().map(|&p| point(p)).collect::<Vec<_>>(),
            })
        })
        .collect();
    let last = step.legs.last().map(|leg| parameter(loaded, leg));
    let mut value = json!({
        "number": step.number + 1,
        "line": step.line,
        "do": step.verb,
        "status": step.status.word(),
        "pose": pose_json(loaded, step.pose),
        "parameter": last.map(|(value, _)| value),
        "unit": last.map(|(_, unit)| unit),
        "contacts": contacts,
        "freedoms": { "count": step.freedoms.count, "words": step.freedoms.words },
        "ways": legs,
    });
    if !step.samples.is_empty() {
        let sample = |s: &Sample| json!({ "pose": pose_json(loaded, s.pose), "point": point(s.point), "into": s.into.to_array() });
        value["poses"] = step.samples.iter().map(sample).collect();
    }
    match &step.status {
        Status::Blocked(block) => {
            value["blocked"] = json!({
                "pair": format!("{}|{}", loaded.script.moved.name, block.body),
                "features": block.features,
                "point": point(block.point),
                "pose": pose_json(loaded, block.pose),
                "t": block.t,
            });
        }
        Status::Ambiguous(poses) => {
            value["candidates"] = poses.iter().map(|pose| pose_json(loaded, *pose)).collect();
        }
        Status::Slips { touch, pose } => {
            value["lost"] = json!({ "contact": text(*touch), "pose": pose_json(loaded, *pose) });
        }
        Status::NoContact { what } | Status::Contradiction { what } | Status::Undecided { what } => {
            value["why"] = json!(what);
        }
        Status::Unsupported { case } => value["case"] = json!(case.words()),
        Status::Reached => {}
    }
    value
}
