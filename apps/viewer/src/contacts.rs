//! What touching allows, for the page: points with their conditions, and the motions that generate all that are allowed.

use kansho::contact::branch::Side;
use kansho::contact::{
    Between, ContactOptions, Held, Part, PullOut, Region, Screw, Twist, contacts, regions,
};
use kansho::geom::Pose;
use kansho::geom::glam::DVec3;
use kansho::plan::drag::{Dragged, Wish, drag};
use kansho::plan::parts::StandingPart;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Motions that are listed, at most.
const MOTIONS: usize = 200;

/// Turns that move points by less than this part of what the translation does are no turns.
const NO_TURN: f64 = 1e-6;

/// What holds an object, and how it can move.
pub(crate) fn of(parts: &[StandingPart], moving: &str) -> Result<Value, String> {
    let Some(own) = parts.iter().position(|part| part.name == moving) else {
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        return Err(format!(
            "no object that stands still is named \"{moving}\"; there are: {}",
            names.join(", ")
        ));
    };
    let others: Vec<usize> = (0..parts.len()).filter(|other| *other != own).collect();
    let fixed: Vec<&Part> = others.iter().map(|other| &parts[*other].part).collect();
    let part = &parts[own].part;
    let found = contacts(part, &fixed, &ContactOptions::default());
    let body = |fixed: usize| parts[others[fixed]].body.0;
    let mut group = 0;
    let points: Vec<Value> = found
        .set
        .contacts
        .iter()
        .map(|contact| {
            let conditions: Vec<Value> = contact
                .conditions
                .iter()
                .map(|rows| {
                    group += 1;
                    json!({ "group": group - 1, "normals": rows.iter().map(|row| row.normal.to_array()).collect::<Vec<_>>() })
                })
                .collect();
            json!({ "point": contact.point.to_array(), "body": body(contact.fixed), "conditions": conditions })
        })
        .collect();
    let segments: Vec<Value> = found
        .set
        .segments
        .iter()
        .map(|s| json!({ "ends": s.ends.map(|p| p.to_array()), "normals": s.normals.map(|n| n.to_array()), "body": body(s.fixed) }))
        .collect();
    let between: Vec<Value> = found
        .between
        .iter()
        .enumerate()
        .map(|(fixed, state)| {
            let own: Vec<_> = found.set.contacts.iter().filter(|contact| contact.fixed == fixed).collect();
            match state {
                Between::Touching => {
                    let places = regions(part, &parts[others[fixed]].part, &own, found.touch[fixed]);
                    json!({ "body": body(fixed), "state": "touching", "places": places.iter().map(place).collect::<Vec<_>>() })
                }
                Between::Apart { gap, .. } => json!({ "body": body(fixed), "state": "apart", "gap": gap }),
                Between::Overlapping { depth, .. } => {
                    json!({ "body": body(fixed), "state": "overlapping", "depth": depth })
                }
                Between::Unclear { .. } => json!({ "body": body(fixed), "state": "unclear" }),
            }
        })
        .collect();
    let mut answer = json!({
        "moving": parts[own].body.0, "centre": part.centre().to_array(), "size": part.size(),
        "points": points, "segments": segments, "between": between, "groups": group, "sound": found.is_sound(),
        "motions": [], "freedoms": "",
    });
    if !found.is_sound() {
        return Ok(answer);
    }
    answer["freedoms"] = json!(found.set.freedoms());
    if found.set.contacts.is_empty() && found.set.segments.is_empty() {
        return Ok(answer);
    }
    let branches = found.set.branches(Side::Inner);
    let size = part.size();
    let mut motions: Vec<Value> = Vec::new();
    for (branch, of) in branches.list.iter().enumerate() {
        let both = of.lineality.iter().map(|twist| (twist, true));
        for (twist, both_ways) in both.chain(of.rays.iter().map(|twist| (twist, false))) {
            let is_known = motions.iter().any(|known| known["twist"] == json!(twist.to_array()));
            if !is_known && motions.len() < MOTIONS {
                motions.push(motion(twist, both_ways, branch, size));
            }
        }
    }
    answer["motions"] = json!(motions);
    answer["branches"] = json!(branches.list.len());
    answer["complete"] = json!(branches.complete);
    answer["kinds"] = branches.list.iter().map(|b| b.kind.word()).collect();
    answer["held"] = json!(match found.set.held() {
        Held::FormClosure => "immobile, by form closure",
        Held::SecondOrder => "immobile in second order; the first order leaves one motion",
        Held::Not => "no",
        Held::Unknown => "not known",
    });
    answer["pull_out"] = match found.set.pull_out() {
        PullOut::Along(d) | PullOut::Slides(d) => json!(d.to_array()),
        PullOut::No => Value::Null,
    };
    Ok(answer)
}

/// A part that is dragged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drag {
    moving: String,
    /// Where it is, as a motion from where the cell has it.
    moved: [f64; 12],
    /// The point that it is dragged by, where the cell has it; and where that shall be.
    point: [f64; 3],
    target: [f64; 3],
    /// The axis about which it is to turn, rather than move.
    turn: Option<[f64; 3]>,
}

/// How long a step of the mouse may take.
const PATIENCE: Duration = Duration::from_millis(150);

/// Where a part comes to that is dragged.
pub(crate) fn dragged(parts: &[StandingPart], asked: &Drag) -> Result<Value, String> {
    let Some(own) = parts.iter().position(|part| part.name == asked.moving) else {
        return Err(format!("no object that stands still is named \"{}\"", asked.moving));
    };
    let numbers = asked.moved.iter().chain(&asked.point).chain(&asked.target);
    if let Some(bad) = numbers.into_iter().find(|number| !(number.abs() <= 1e6)) {
        return Err(format!("{bad} is no coordinate"));
    }
    let moved = Pose::from_rows(&asked.moved).map_err(|fault| fault.to_string())?;
    let fixed: Vec<&Part> =
        parts.iter().filter(|part| part.name != asked.moving).map(|part| &part.part).collect();
    let axis = asked.turn.map(|axis| DVec3::from(axis).try_normalize().ok_or("an axis has a direction"));
    let wish = axis.transpose()?.map_or(Wish::Move, Wish::Turn);
    let deadline = Instant::now().checked_add(PATIENCE);
    let part = &parts[own].part;
    let Some(Dragged { moved, point, arrived, blocked }) =
        drag(part, &fixed, moved, asked.point.into(), asked.target.into(), wish, deadline)
    else {
        return Ok(json!({ "held": true }));
    };
    let blocked: Vec<_> = blocked.iter().map(|arrow| arrow.map(|vector| vector.to_array())).collect();
    Ok(
        json!({ "held": false, "moved": moved.to_rows(), "point": point.to_array(), "arrived": arrived, "blocked": blocked }),
    )
}

fn motion(twist: &Twist, both_ways: bool, branch: usize, size: f64) -> Value {
    let screw = match Screw::of(twist, size, NO_TURN) {
        Screw::Slide(along) => json!({ "slide": along.to_array() }),
        Screw::Turn { point, axis, pitch } => {
            json!({ "point": point.to_array(), "axis": axis.to_array(), "pitch": pitch })
        }
        Screw::Still => json!({}),
    };
    json!({ "twist": twist.to_array(), "both_ways": both_ways, "branch": branch, "screw": screw })
}

fn place(region: &Region) -> Value {
    match region {
        Region::Polygon { loops, normal } => {
            let loops: Vec<Vec<[f64; 3]>> =
                loops.iter().map(|ring| ring.iter().map(|p| p.to_array()).collect()).collect();
            json!({ "loops": loops, "normal": normal.to_array(), "area": region.area() })
        }
        Region::Segment(ends) => json!({ "segment": ends.map(|p| p.to_array()) }),
        Region::Point(p) => json!({ "point": p.to_array() }),
    }
}
