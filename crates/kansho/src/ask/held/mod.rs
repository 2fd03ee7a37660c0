//! What holds an object, how can it move, and where does it come to when it is dragged?
//!
//! The same facts as those of [`contact`](super::contact), by the numbers of bodies and as motions that can be shown.

mod drag;

pub use drag::{DragAnswer, DraggedPart, drag};

use super::contact::held_word;
use kansho_contact::branch::Side;
use kansho_contact::{
    Between, ContactOptions, FoundContacts, Part, PullOut, Region, Screw, Twist, contacts, regions,
};
use kansho_plan::parts::StandingPart;
use schemars::JsonSchema;
use serde::Serialize;

/// Motions that are listed, at most.
const MOTIONS: usize = 200;

/// Turns that move points by less than this part of what the translation does are no turns.
const NO_TURN: f64 = 1e-6;

/// What holds an object, and how it can move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldAnswer {
    /// The object, by its number in the cell.
    pub moving: u32,
    /// Its middle.
    pub centre: [f64; 3],
    /// Its size, in metres.
    pub size: f64,
    /// Where it touches, and what each point asks of its motion.
    pub points: Vec<HeldPoint>,
    /// Edges that touch along their length.
    pub segments: Vec<HeldSegment>,
    /// How every other object lies to it.
    pub between: Vec<HeldBetween>,
    /// How many groups of conditions there are; of each group one has to hold.
    pub groups: usize,
    /// Whether every other object is apart or touches, so that the conditions are the whole truth.
    pub sound: bool,
    /// Motions that generate all that are allowed.
    pub motions: Vec<HeldMotion>,
    /// The same in words.
    pub freedoms: String,
    /// Whether it is held, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// A direction in which it can be pulled out.
    pub pull_out: Option<[f64; 3]>,
}

/// A point at which an object touches another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldPoint {
    /// Where.
    pub point: [f64; 3],
    /// The other object.
    pub body: u32,
    /// What has to hold: one of each group.
    pub conditions: Vec<HeldCondition>,
}

/// Half-spaces of which the motion has to be in one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldCondition {
    /// The number of the group.
    pub group: usize,
    /// Their normals.
    pub normals: Vec<[f64; 3]>,
}

/// Two edges that touch along their length.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldSegment {
    /// From where to where.
    pub ends: [[f64; 3]; 2],
    /// Normals of the faces beside.
    pub normals: [[f64; 3]; 2],
    /// The other object.
    pub body: u32,
}

/// How another object lies to the one that may move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldBetween {
    /// The other object.
    pub body: u32,
    /// How.
    pub state: HeldState,
    /// How far apart, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// How deep in each other, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// Where they touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<Vec<HeldPlace>>,
}

/// How two objects lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeldState {
    /// They touch.
    Touching,
    /// They do not.
    Apart,
    /// They are in each other.
    Overlapping,
    /// That is within the tolerance of what was measured.
    Unclear,
}

/// Where two objects touch: a polygon, a segment or a point.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct HeldPlace {
    /// The outline and holes of a polygon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<Vec<Vec<[f64; 3]>>>,
    /// Its normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<[f64; 3]>,
    /// Its area, in square metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// The ends of a segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<[[f64; 3]; 2]>,
    /// A point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
}

/// A motion that is allowed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldMotion {
    /// vx, vy, vz, wx, wy, wz.
    pub twist: [f64; 6],
    /// Whether its opposite is allowed, too.
    pub both_ways: bool,
    /// The branch that it is of.
    pub branch: usize,
    /// The same as a slide along a direction, or a turn about a line.
    pub screw: HeldScrew,
}

/// A slide, or a turn about a line.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct HeldScrew {
    /// The direction of a slide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slide: Option<[f64; 3]>,
    /// A point of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// Its direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Metres along it for each radian.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
}

/// What holds an object, and how it can move.
///
/// # Errors
/// No object that stands still has that name.
pub fn held(parts: &[StandingPart], moving: &str) -> Result<HeldAnswer, String> {
    let own = number_of(parts, moving)?;
    let others: Vec<&StandingPart> = others(parts, own).collect();
    let fixed: Vec<&Part> = others.iter().map(|other| &other.part).collect();
    let part = &parts[own].part;
    let found = contacts(part, &fixed, &ContactOptions::default());
    let (points, groups) = points(&found, &others);
    let segment = |s: &kansho_contact::Segment| HeldSegment {
        ends: s.ends.map(|p| p.to_array()),
        normals: s.normals.map(|n| n.to_array()),
        body: others[s.fixed].body.0,
    };
    let mut answer = HeldAnswer {
        moving: parts[own].body.0,
        centre: part.centre().to_array(),
        size: part.size(),
        points,
        segments: found.set.segments.iter().map(segment).collect(),
        between: (0..others.len()).map(|fixed| between(&found, part, others[fixed], fixed)).collect(),
        groups,
        sound: found.is_sound(),
        motions: Vec::new(),
        freedoms: String::new(),
        held: None,
        pull_out: None,
    };
    if !found.is_sound() {
        return Ok(answer);
    }
    answer.freedoms = found.set.freedoms();
    if found.set.contacts.is_empty() && found.set.segments.is_empty() {
        return Ok(answer);
    }
    answer.motions = motions(&found, part.size());
    answer.held = Some(held_word(found.set.held()).to_owned());
    answer.pull_out = match found.set.pull_out() {
        PullOut::Along(d) | PullOut::Slides(d) => Some(d.to_array()),
        PullOut::No => None,
    };
    Ok(answer)
}

/// The part of a name.
fn number_of(parts: &[StandingPart], moving: &str) -> Result<usize, String> {
    parts.iter().position(|part| part.name == moving).ok_or_else(|| {
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        format!("no object that stands still is named \"{moving}\"; there are: {}", names.join(", "))
    })
}

fn others(parts: &[StandingPart], own: usize) -> impl Iterator<Item = &StandingPart> {
    parts.iter().enumerate().filter(move |(number, _)| *number != own).map(|(_, part)| part)
}

/// Points with their conditions, and how many groups there are.
fn points(found: &FoundContacts, others: &[&StandingPart]) -> (Vec<HeldPoint>, usize) {
    let mut group = 0;
    let point = |contact: &kansho_contact::Contact| {
        let conditions = contact.conditions.iter().map(|rows| {
            group += 1;
            HeldCondition {
                group: group - 1,
                normals: rows.iter().map(|row| row.normal.to_array()).collect(),
            }
        });
        let conditions = conditions.collect();
        HeldPoint { point: contact.point.to_array(), body: others[contact.fixed].body.0, conditions }
    };
    let points = found.set.contacts.iter().map(point).collect();
    (points, group)
}

fn between(found: &FoundContacts, part: &Part, other: &StandingPart, fixed: usize) -> HeldBetween {
    let of = |state| HeldBetween { body: other.body.0, state, gap: None, depth: None, places: None };
    match found.between[fixed] {
        Between::Touching => {
            let own: Vec<_> = found.set.contacts.iter().filter(|contact| contact.fixed == fixed).collect();
            let places = regions(part, &other.part, &own, found.touch[fixed]);
            HeldBetween {
                places: Some(places.iter().map(HeldPlace::of).collect()),
                ..of(HeldState::Touching)
            }
        }
        Between::Apart { gap, .. } => HeldBetween { gap: Some(gap), ..of(HeldState::Apart) },
        Between::Overlapping { depth, .. } => {
            HeldBetween { depth: Some(depth), ..of(HeldState::Overlapping) }
        }
        Between::Unclear { .. } => of(HeldState::Unclear),
    }
}

/// Motions that generate all that are allowed, each once.
fn motions(found: &FoundContacts, size: f64) -> Vec<HeldMotion> {
    let branches = found.set.branches(Side::Inner);
    let mut motions: Vec<HeldMotion> = Vec::new();
    for (branch, of) in branches.list.iter().enumerate() {
        let both = of.lineality.iter().map(|twist| (twist, true));
        for (twist, both_ways) in both.chain(of.rays.iter().map(|twist| (twist, false))) {
            let is_known = motions.iter().any(|known| known.twist == twist.to_array());
            if !is_known && motions.len() < MOTIONS {
                let screw = HeldScrew::of(twist, size);
                motions.push(HeldMotion { twist: twist.to_array(), both_ways, branch, screw });
            }
        }
    }
    motions
}

impl HeldScrew {
    fn of(twist: &Twist, size: f64) -> Self {
        match Screw::of(twist, size, NO_TURN) {
            Screw::Slide(along) => Self { slide: Some(along.to_array()), ..Self::default() },
            Screw::Turn { point, axis, pitch } => Self {
                point: Some(point.to_array()),
                axis: Some(axis.to_array()),
                pitch: Some(pitch),
                ..Self::default()
            },
            Screw::Still => Self::default(),
        }
    }
}

impl HeldPlace {
    fn of(region: &Region) -> Self {
        match region {
            Region::Polygon { loops, normal } => Self {
                loops: Some(loops.iter().map(|ring| ring.iter().map(|p| p.to_array()).collect()).collect()),
                normal: Some(normal.to_array()),
                area: Some(region.area()),
                ..Self::default()
            },
            Region::Segment(ends) => Self { segment: Some(ends.map(|p| p.to_array())), ..Self::default() },
            Region::Point(p) => Self { point: Some(p.to_array()), ..Self::default() },
        }
    }
}
