//! What the contacts of one object are and allow.

use super::{BodiesInContact, GRAVITY, held_word, text};
use crate::answer::{ExitCode, FORMAT, Message};
use kansho_contact::branch::Side;
use kansho_contact::{Between, ContactSet, PullOut, Region, Row, Twist, Verdict, regions};
use schemars::JsonSchema;
use serde::Serialize;

/// How an object touches others, and which motions that allows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContactAnswer {
    /// The version of this answer.
    pub format: u32,
    /// The object that may move.
    pub moving: String,
    /// How each other object lies to it.
    pub between: Vec<BetweenAnswer>,
    /// How many conditions there are: all must hold.
    pub and_conditions: usize,
    /// Contact points.
    pub contacts: Vec<ContactPoint>,
    /// Convex edges along convex edges.
    pub segments: Vec<ContactSegment>,
    /// Circles along which round faces touch.
    pub rings: Vec<ContactRing>,
    /// What the contacts allow, unless bodies overlap or it is unclear how they touch.
    #[serde(flatten)]
    pub freedoms: Option<Freedoms>,
    /// What was asked of one motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<JudgedMotion>,
    /// What is odd about the file.
    pub warnings: Vec<Message>,
}

/// How another object lies to the one that may move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BetweenAnswer {
    /// The other object.
    pub body: String,
    /// `touching`, `apart`, `overlapping` or `unclear`.
    pub state: &'static str,
    /// Where they touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<Vec<RegionAnswer>>,
    /// How far apart they are, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// The nearest points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 3]; 2]>,
    /// How deep they are in each other at least, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// Where they overlap, or where it is unclear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
}

/// Where two bodies touch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RegionAnswer {
    /// A flat region.
    Polygon {
        /// Its outline, and the outlines of its holes.
        polygon: Vec<Vec<[f64; 3]>>,
        /// Out of the other object.
        normal: [f64; 3],
        /// In square metres.
        area: f64,
    },
    /// A line.
    Segment {
        /// Its ends.
        segment: [[f64; 3]; 2],
    },
    /// A point.
    Point {
        /// Where.
        point: [f64; 3],
    },
}

/// A contact point with its conditions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContactPoint {
    /// The other object.
    pub body: String,
    /// Where.
    pub point: [f64; 3],
    /// Conditions that must all hold, each as normals of which one at least must hold: normal . velocity >= 0.
    pub and_or: Vec<Vec<[f64; 3]>>,
    /// The same as rows: row . (vx, vy, vz, wx, wy, wz) >= 0.
    pub rows: Vec<Vec<[f64; 6]>>,
}

/// An edge along an edge: at every point one of two normals must hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContactSegment {
    /// The other object.
    pub body: String,
    /// One end.
    pub p0: [f64; 3],
    /// The other end.
    pub p1: [f64; 3],
    /// The normals.
    pub normals: [[f64; 3]; 2],
}

/// A circle along which round faces touch. The velocity u of the pole must satisfy sine (axis . u) >= cosine |u across the axis|.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContactRing {
    /// The other object.
    pub body: String,
    /// Where the normals meet.
    pub pole: [f64; 3],
    /// The axis.
    pub axis: [f64; 3],
    /// The sine of the angle between the normals and a plane across the axis.
    pub sine: f64,
    /// From the pole along a normal to the circle.
    pub reach: f64,
}

/// What contacts allow.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Freedoms {
    /// In words.
    pub freedoms: String,
    /// Generators of allowed motions, for each way to choose among the ORs.
    pub branches: Vec<BranchAnswer>,
    /// Whether these are all branches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches_complete: Option<bool>,
    /// Whether the object is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<&'static str>,
    /// How it can be pulled out without turning it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_out: Option<PullOutAnswer>,
    /// Whether it stands under gravity along -z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands: Option<StandsAnswer>,
}

/// Motions that a branch allows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BranchAnswer {
    /// How many rows it has.
    pub rows: usize,
    /// Motions that are allowed both ways.
    pub lineality: Vec<[f64; 6]>,
    /// Motions that are allowed one way.
    pub rays: Vec<[f64; 6]>,
    /// Whether noise leaves it open what is free.
    pub ambiguous: bool,
    /// `exact` if these generate all that is allowed, `inner` if they are allowed and some others are, too.
    pub kind: &'static str,
}

/// How an object can be pulled out; both are null if it cannot be without turning it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PullOutAnswer {
    /// Along a direction.
    Along {
        /// A unit vector.
        along: [f64; 3],
    },
    /// It slides both ways, and nothing pushes it out.
    Slides {
        /// A unit vector.
        slides: [f64; 3],
    },
    /// Not without turning.
    No(()),
}

/// Whether an object stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StandsAnswer {
    /// Without friction.
    pub frictionless: bool,
    /// The coefficient of friction.
    pub friction: f64,
    /// With that friction.
    pub with_friction: bool,
}

/// What a small motion is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JudgedMotion {
    /// `safe`, `on the border` or `blocked`.
    pub verdict: &'static str,
    /// The speed, as a fraction of that of the motion, at which the tightest condition opens; negative if it closes.
    pub margin: f64,
    /// What blocks it, or what it is on the border of; the tightest first.
    pub by: Vec<String>,
}

impl BodiesInContact {
    /// The answer with names; with a coefficient of friction, and a small motion (vx, vy, vz, wx, wy, wz) to judge.
    #[must_use]
    pub fn answer(&self, friction: f64, motion: Option<[f64; 6]>) -> ContactAnswer {
        let set = &self.found.set;
        let name = |fixed: usize| self.others[fixed].name.clone();
        let contact = |c: &kansho_contact::Contact| ContactPoint {
            body: name(c.fixed),
            point: c.point.to_array(),
            and_or: c
                .conditions
                .iter()
                .map(|rows| rows.iter().map(|r| r.normal.to_array()).collect())
                .collect(),
            rows: c.conditions.iter().map(|rows| rows.iter().map(Row::numbers).collect()).collect(),
        };
        let segment = |s: &kansho_contact::Segment| {
            let [p0, p1] = s.ends.map(|p| p.to_array());
            ContactSegment { body: name(s.fixed), p0, p1, normals: s.normals.map(|n| n.to_array()) }
        };
        let ring = |r: &kansho_contact::Ring| ContactRing {
            body: name(r.fixed),
            pole: r.pole.to_array(),
            axis: r.axis.to_array(),
            sine: r.sine,
            reach: r.reach,
        };
        let is_sound = self.found.is_sound();
        ContactAnswer {
            format: FORMAT,
            moving: self.moving.name.clone(),
            between: (0..self.others.len()).map(|fixed| self.between(fixed)).collect(),
            and_conditions: set.count(),
            contacts: set.contacts.iter().map(contact).collect(),
            segments: set.segments.iter().map(segment).collect(),
            rings: set.rings.iter().map(ring).collect(),
            freedoms: is_sound.then(|| self.freedoms(friction)),
            motion: motion
                .filter(|_| is_sound)
                .map(|motion| judged(set, &Twist::from_array(motion), |fixed| &self.others[fixed].name)),
            warnings: Vec::new(),
        }
    }

    /// How another object lies to the one that may move.
    #[must_use]
    pub fn between(&self, fixed: usize) -> BetweenAnswer {
        let body = self.others[fixed].name.clone();
        let of = |state| BetweenAnswer {
            body,
            state,
            regions: None,
            gap: None,
            points: None,
            depth: None,
            point: None,
        };
        match self.found.between[fixed] {
            Between::Touching => {
                let regions = self.regions(fixed).iter().map(RegionAnswer::of).collect();
                BetweenAnswer { regions: Some(regions), ..of("touching") }
            }
            Between::Apart { gap, points } => {
                let points = points.map(|p| p.to_array());
                BetweenAnswer { gap: Some(gap), points: Some(points), ..of("apart") }
            }
            Between::Overlapping { depth, point } => {
                BetweenAnswer { depth: Some(depth), point: Some(point.to_array()), ..of("overlapping") }
            }
            Between::Unclear { point } => BetweenAnswer { point: Some(point.to_array()), ..of("unclear") },
        }
    }

    /// Where it touches another object.
    #[must_use]
    pub fn regions(&self, fixed: usize) -> Vec<Region> {
        let own: Vec<_> = self.found.set.contacts.iter().filter(|c| c.fixed == fixed).collect();
        regions(&self.moving.part, &self.others[fixed].part, &own, self.found.touch[fixed])
    }

    fn freedoms(&self, friction: f64) -> Freedoms {
        let set = &self.found.set;
        let freedoms = set.freedoms();
        if set.contacts.is_empty() {
            let branches = Vec::new();
            let (branches_complete, held, pull_out, stands) = (None, None, None, None);
            return Freedoms { freedoms, branches, branches_complete, held, pull_out, stands };
        }
        // What is listed is allowed, whatever its kind.
        let branches = set.branches(Side::Inner);
        let numbers = |list: &[Twist]| list.iter().map(Twist::to_array).collect();
        let centre = self.moving.part.centre();
        let branch = |b: &kansho_contact::Branch| BranchAnswer {
            rows: b.rows.len(),
            lineality: numbers(&b.lineality),
            rays: numbers(&b.rays),
            ambiguous: b.ambiguous,
            kind: b.kind.word(),
        };
        Freedoms {
            freedoms,
            branches: branches.list.iter().map(branch).collect(),
            branches_complete: Some(branches.complete),
            held: Some(held_word(set.held())),
            pull_out: Some(match set.pull_out() {
                PullOut::Along(d) => PullOutAnswer::Along { along: d.to_array() },
                PullOut::Slides(d) => PullOutAnswer::Slides { slides: d.to_array() },
                PullOut::No => PullOutAnswer::No(()),
            }),
            stands: Some(StandsAnswer {
                frictionless: set.stands(GRAVITY, centre, 0.0).stable,
                friction,
                with_friction: set.stands(GRAVITY, centre, friction).stable,
            }),
        }
    }
}

fn judged<'a>(set: &ContactSet, motion: &Twist, name: impl Fn(usize) -> &'a str) -> JudgedMotion {
    let judged = set.judge(motion);
    JudgedMotion {
        verdict: match judged.verdict {
            Verdict::Safe => "safe",
            Verdict::Border => "on the border",
            Verdict::Blocked => BLOCKED,
        },
        margin: judged.margin,
        by: judged.by.iter().map(|(condition, _)| text::condition(set, *condition, &name)).collect(),
    }
}

const BLOCKED: &str = "blocked";

impl RegionAnswer {
    pub(super) fn of(region: &Region) -> Self {
        match region {
            Region::Polygon { loops, normal } => Self::Polygon {
                polygon: loops.iter().map(|ring| ring.iter().map(|p| p.to_array()).collect()).collect(),
                normal: normal.to_array(),
                area: region.area(),
            },
            Region::Segment(ends) => Self::Segment { segment: ends.map(|p| p.to_array()) },
            Region::Point(p) => Self::Point { point: p.to_array() },
        }
    }
}

impl ContactAnswer {
    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        let has = |state| self.between.iter().any(|between| between.state == state);
        let is_blocked = self.motion.as_ref().is_some_and(|motion| motion.verdict == BLOCKED);
        match () {
            () if has("unclear") => ExitCode::Undecided,
            () if has("overlapping") || is_blocked => ExitCode::No,
            () => ExitCode::Done,
        }
    }
}
