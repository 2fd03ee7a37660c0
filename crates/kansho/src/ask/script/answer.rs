//! What came of a script, in its units.

use super::RobotAnswer;
use crate::answer::{FORMAT, Message};
use kansho_check::sliding_contact::SlidingMotion;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_io::script::LoadedScript;
use kansho_plan::script::answer::{Leg, MoveAnswer, Sample};
use kansho_plan::script::{Answer, Status};
use schemars::JsonSchema;
use serde::Serialize;

/// What came of a script. Lengths are in its units, angles in degrees, but where a key says metres.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScriptAnswer {
    /// The version of this answer.
    pub format: u32,
    /// `reached`, or what became of the last move that was begun.
    pub status: &'static str,
    /// The unit of lengths.
    pub units: &'static str,
    /// The body that is moved.
    pub moved: String,
    /// Where it began.
    pub start: PoseAnswer,
    /// The moves, up to the first that does not reach its end.
    pub steps: Vec<ScriptStep>,
    /// How far kept contacts are off at most, in metres.
    pub drift_m: f64,
    /// What counts as touching, in metres.
    pub tolerance_m: f64,
    /// What the robot makes of it, if the script names one and comes to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot: Option<RobotAnswer>,
    /// Where the certificate was written; null where none could be made. Missing where none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Option<String>>,
    /// Why it does not come to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Message>>,
    /// What is odd about the files.
    pub warnings: Vec<Message>,
}

/// A pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PoseAnswer {
    /// Where its origin is.
    pub xyz: [f64; 3],
    /// Its rotation as a unit quaternion, w first, w >= 0.
    pub quat: [f64; 4],
}

/// What came of one move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScriptStep {
    /// Its number, from 1.
    pub number: usize,
    /// The line of the script.
    pub line: u32,
    /// The verb.
    #[serde(rename = "do")]
    pub verb: &'static str,
    /// How it ended.
    pub status: &'static str,
    /// Where it ended.
    pub pose: PoseAnswer,
    /// How far its last part goes.
    pub parameter: Option<f64>,
    /// The unit of that.
    pub unit: Option<&'static str>,
    /// Contacts of the script that are closed there.
    pub contacts: Vec<ContactThere>,
    /// What these leave.
    pub freedoms: ScriptFreedoms,
    /// Its straight paths and turns, each proven.
    pub ways: Vec<ScriptPath>,
    /// Poses along a path that it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poses: Option<Vec<PathSample>>,
    /// What is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<ScriptBlock>,
    /// Ends of which any could be meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<PoseAnswer>>,
    /// The contact that was to last and ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostContact>,
    /// Why it does not reach its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The case that is not covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<&'static str>,
}

/// A closed contact.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContactThere {
    /// As the script has it.
    pub contact: String,
    /// The corners of what touches.
    pub points: Vec<[f64; 3]>,
}

/// What closed contacts leave, if all of them are kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScriptFreedoms {
    /// How many freedoms.
    pub count: usize,
    /// Which.
    pub words: String,
}

/// A straight path or a turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScriptPath {
    /// `approach`, `slide`, `pivot`, `turn`, `orient`, `follow` or `settle`.
    pub kind: &'static str,
    /// How far.
    pub parameter: f64,
    /// The unit of that.
    pub unit: &'static str,
    /// Where it ends.
    pub to: PoseAnswer,
    /// Contacts that last all along.
    pub keeps: Vec<String>,
    /// What the proof took.
    pub proof: ProofCounts,
    /// The axis of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<AboutAxis>,
}

/// What a proof took.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ProofCounts {
    /// Regions of space and time that were proven.
    pub regions: u64,
    /// Of them, how many are in contact all along.
    pub in_contact: u64,
}

/// An axis.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct AboutAxis {
    /// A point on it.
    pub point: [f64; 3],
    /// Its direction.
    pub axis: [f64; 3],
}

/// A pose of a path.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PathSample {
    /// Of the moved body.
    pub pose: PoseAnswer,
    /// Where it touches.
    pub point: [f64; 3],
    /// The direction into the work.
    pub into: [f64; 3],
}

/// What is in the way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScriptBlock {
    /// The pair, as `a|b`.
    pub pair: String,
    /// What of them touches.
    pub features: [String; 2],
    /// Where.
    pub point: [f64; 3],
    /// Where the moved body is.
    pub pose: PoseAnswer,
    /// How much of the path it comes, from 0 to 1.
    pub t: f64,
}

/// A contact that ends.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LostContact {
    /// As the script has it.
    pub contact: String,
    /// Where the moved body is.
    pub pose: PoseAnswer,
}

/// Metres in the units of the script.
pub(super) fn in_units(loaded: &LoadedScript, metres: f64) -> f64 {
    metres / loaded.metres_per_unit
}

fn point_of(loaded: &LoadedScript, p: DVec3) -> [f64; 3] {
    p.to_array().map(|x| in_units(loaded, x))
}

impl PoseAnswer {
    /// In the units of a script.
    pub(super) fn of(loaded: &LoadedScript, pose: Pose) -> Self {
        let quat = pose.quat();
        let quat = if quat.w < 0.0 { -quat } else { quat };
        Self { xyz: point_of(loaded, pose.translation()), quat: [quat.w, quat.x, quat.y, quat.z] }
    }
}

impl ScriptAnswer {
    /// Without a robot.
    #[must_use]
    pub fn of(loaded: &LoadedScript, answer: &Answer) -> Self {
        Self {
            format: FORMAT,
            status: answer.status().word(),
            units: loaded.unit,
            moved: loaded.script.moved.name.clone(),
            start: PoseAnswer::of(loaded, answer.start),
            steps: answer.steps.iter().map(|step| ScriptStep::of(loaded, step)).collect(),
            drift_m: answer.drift,
            tolerance_m: loaded.script.tolerance,
            robot: None,
            certificate: None,
            errors: None,
            warnings: Vec::new(),
        }
    }

    /// As the text of a JSON file.
    ///
    /// # Panics
    /// Never: it is plain data.
    #[must_use]
    pub fn json_text(&self) -> String {
        // With keys in alphabetical order, as on the command line.
        let value = serde_json::to_value(self).expect("answers are plain data");
        format!("{value:#}\n")
    }
}

impl ScriptStep {
    fn of(loaded: &LoadedScript, step: &MoveAnswer) -> Self {
        let pose = |pose: Pose| PoseAnswer::of(loaded, pose);
        let point = |p: DVec3| point_of(loaded, p);
        let text = |touch: usize| loaded.script.touches[touch].text.clone();
        let sample =
            |s: &Sample| PathSample { pose: pose(s.pose), point: point(s.point), into: s.into.to_array() };
        let paths: Vec<ScriptPath> = step.legs.iter().map(|leg| ScriptPath::of(loaded, leg)).collect();
        let mut told = Self {
            number: step.number + 1,
            line: step.line,
            verb: step.verb,
            status: step.status.word(),
            pose: pose(step.pose),
            parameter: paths.last().map(|path| path.parameter),
            unit: paths.last().map(|path| path.unit),
            contacts: step
                .contacts
                .iter()
                .map(|contact| ContactThere {
                    contact: text(contact.touch),
                    points: contact.points.iter().map(|&p| point(p)).collect(),
                })
                .collect(),
            freedoms: ScriptFreedoms { count: step.freedoms.count, words: step.freedoms.words.clone() },
            ways: paths,
            poses: (!step.samples.is_empty()).then(|| step.samples.iter().map(sample).collect()),
            blocked: None,
            candidates: None,
            lost: None,
            why: None,
            case: None,
        };
        match &step.status {
            Status::Blocked(block) => {
                told.blocked = Some(ScriptBlock {
                    pair: format!("{}|{}", loaded.script.moved.name, block.body),
                    features: block.features.clone(),
                    point: point(block.point),
                    pose: pose(block.pose),
                    t: block.t,
                });
            }
            Status::Ambiguous(poses) => {
                told.candidates = Some(poses.iter().map(|&one| pose(one)).collect());
            }
            Status::Slips { touch, pose: at } => {
                told.lost = Some(LostContact { contact: text(*touch), pose: pose(*at) });
            }
            Status::NoContact { what } | Status::Contradiction { what } | Status::Undecided { what } => {
                told.why = Some(what.clone());
            }
            Status::Unsupported { case } => told.case = Some(case.words()),
            Status::Reached => {}
        }
        told
    }
}

impl ScriptPath {
    fn of(loaded: &LoadedScript, leg: &Leg) -> Self {
        let (parameter, unit) = if leg.turns() {
            (leg.parameter().to_degrees(), "deg")
        } else {
            (in_units(loaded, leg.parameter()), loaded.unit)
        };
        Self {
            kind: leg.word,
            parameter,
            unit,
            to: PoseAnswer::of(loaded, leg.way.to()),
            keeps: leg.keep.iter().map(|&k| loaded.script.touches[k].text.clone()).collect(),
            proof: ProofCounts { regions: leg.proof.regions, in_contact: leg.proof.kept },
            about: match leg.way {
                SlidingMotion::Turn { point, axis, .. } => {
                    Some(AboutAxis { point: point_of(loaded, point), axis: axis.to_array() })
                }
                SlidingMotion::Straight { .. } => None,
            },
        }
    }
}
