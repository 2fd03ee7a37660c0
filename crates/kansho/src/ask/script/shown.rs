//! A script that is edited: what comes of another text of it, in metres and by its lines, to be shown.
//!
//! No file is read for it: bodies with meshes keep those that were read before.

use super::{fault, moves};
use crate::budget::Budget;
use kansho_cell::{Geometry, ObjectDraft};
use kansho_check::sliding_contact::SlidingMotion;
use kansho_geom::glam::DVec3;
use kansho_io::script::LoadedScript;
use kansho_io::{Fault, Place, ReadError};
use kansho_plan::script::answer::{Leg, MoveAnswer};
use kansho_plan::script::{Answer, Status};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// What a script may take: what is not decided by then is undecided.
const BUDGET: Duration = Duration::from_secs(20);

/// What comes of a text.
pub enum EditedScript {
    /// It is about the same bodies.
    Same(EditAnswer),
    /// It has other bodies than are shown; these are to be shown first.
    OtherBodies(Box<LoadedScript>),
}

/// What comes of a script.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EditAnswer {
    /// It is understood.
    Understood(Box<ShownScript>),
    /// It is not.
    Wrong {
        /// Why.
        errors: Vec<LineFault>,
    },
}

/// What comes of a script that is understood.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownScript {
    /// Why it does not come to its end.
    pub errors: Vec<LineFault>,
    /// `reached`, or what became of the last move that was begun.
    pub status: &'static str,
    /// How many moves it has.
    pub moves: usize,
    /// The unit of its lengths.
    pub unit: &'static str,
    /// Metres in one of it.
    pub metres_per_unit: f64,
    /// The body that is moved.
    pub moved: usize,
    /// The point that its poses are about.
    pub grasp: [f64; 3],
    /// Where the script says that it begins.
    pub given: [f64; 12],
    /// Where it begins.
    pub start: [f64; 12],
    /// The moves, up to the first that does not reach its end.
    pub steps: Vec<ShownMove>,
    /// How far kept contacts are off at most, in metres.
    pub drift: f64,
    /// Regions that the proofs took.
    pub regions: u64,
}

/// What comes of a move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownMove {
    /// Its line.
    pub line: u32,
    /// The verb.
    #[serde(rename = "do")]
    pub verb: &'static str,
    /// What became of it.
    pub status: &'static str,
    /// Where it ended.
    pub pose: [f64; 12],
    /// How the body went.
    pub ways: Vec<ShownWay>,
    /// Contacts that are closed there.
    pub contacts: Vec<ShownContact>,
    /// What the body can do there, in words.
    pub freedoms: String,
    /// How many poses it lists.
    pub poses: usize,
    /// What blocked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<ShownBlock>,
}

/// A part of a move: straight, or about a line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownWay {
    /// What it is.
    pub word: &'static str,
    /// Where it begins.
    pub from: [f64; 12],
    /// How far it goes straight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<[f64; 3]>,
    /// A point of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// Its direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// How far it turns, in radians.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
}

/// A contact that is closed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownContact {
    /// Which, as the script has it.
    pub contact: String,
    /// Where.
    pub points: Vec<[f64; 3]>,
}

/// What blocked a move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownBlock {
    /// Where, if at a point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// Where the body is then.
    pub pose: [f64; 12],
}

/// What is wrong with a line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineFault {
    /// Which.
    pub line: Option<u32>,
    /// Where in it.
    pub column: Option<u32>,
    /// What.
    pub what: String,
    /// What to do.
    pub help: Option<String>,
}

/// What comes of another text of a script.
#[must_use]
pub fn edited(before: &LoadedScript, text: &str) -> EditedScript {
    let script = match before.with_text(text) {
        Ok(script) => script,
        Err(errors) => {
            let errors = errors.iter().flat_map(faults).collect();
            return EditedScript::Same(EditAnswer::Wrong { errors });
        }
    };
    if !same(&before.objects, &script.objects) {
        return EditedScript::OtherBodies(Box::new(script));
    }
    let budget = Budget { deadline: Budget::deadline_after(Some(BUDGET)), ..Budget::default() };
    let answer = moves(&script, &budget);
    let mut shown = ShownScript::of(&script, &answer);
    if let Some(what) = fault(&script, &answer) {
        let number = answer.steps.last().map_or(0, |step| step.number);
        shown.errors = faults(&script.fault(number, what));
    }
    EditedScript::Same(EditAnswer::Understood(Box::new(shown)))
}

/// Whether two lists have the same bodies in the same places.
fn same(one: &[ObjectDraft], other: &[ObjectDraft]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| {
            a.name == b.name
                && a.pieces.len() == b.pieces.len()
                && a.pieces.iter().zip(&b.pieces).all(|(a, b)| {
                    a.carrier_from_piece == b.carrier_from_piece
                        && match (&a.geometry, &b.geometry) {
                            (Geometry::Mesh(a), Geometry::Mesh(b)) => Arc::ptr_eq(a, b),
                            (Geometry::Primitive(a), Geometry::Primitive(b)) => a == b,
                            _ => false,
                        }
                })
        })
}

/// Faults with their lines.
fn faults(error: &ReadError) -> Vec<LineFault> {
    let of = |fault: &Fault| {
        let (line, column) = match fault.place {
            Place::Line { line, column, .. } => (Some(line), Some(column)),
            _ => (None, None),
        };
        LineFault { line, column, what: fault.what.clone(), help: fault.help.clone() }
    };
    error.faults.iter().map(of).collect()
}

impl ShownScript {
    fn of(script: &LoadedScript, answer: &Answer) -> Self {
        Self {
            errors: Vec::new(),
            status: answer.status().word(),
            moves: script.script.moves.len(),
            unit: script.unit,
            metres_per_unit: script.metres_per_unit,
            moved: script.objects.len() - 1,
            grasp: script.script.grasp.to_array(),
            given: script.script.start.to_rows(),
            start: answer.start.to_rows(),
            steps: answer.steps.iter().map(|step| ShownMove::of(script, step)).collect(),
            drift: answer.drift,
            regions: answer.legs().map(|leg| leg.proof.regions).sum(),
        }
    }
}

impl ShownMove {
    fn of(script: &LoadedScript, step: &MoveAnswer) -> Self {
        let points = |list: &[DVec3]| list.iter().map(|point| point.to_array()).collect();
        let contacts = step.contacts.iter().map(|contact| ShownContact {
            contact: script.script.touches[contact.touch].text.clone(),
            points: points(&contact.points),
        });
        Self {
            line: step.line,
            verb: step.verb,
            status: step.status.word(),
            pose: step.pose.to_rows(),
            ways: step.legs.iter().map(ShownWay::of).collect(),
            contacts: contacts.collect(),
            freedoms: step.freedoms.words.clone(),
            poses: step.samples.len(),
            blocked: match &step.status {
                Status::Blocked(block) => {
                    Some(ShownBlock { point: Some(block.point.to_array()), pose: block.pose.to_rows() })
                }
                Status::Slips { pose, .. } => Some(ShownBlock { point: None, pose: pose.to_rows() }),
                _ => None,
            },
        }
    }
}

impl ShownWay {
    fn of(leg: &Leg) -> Self {
        let of = |from: kansho_geom::Pose| Self {
            word: leg.word,
            from: from.to_rows(),
            by: None,
            point: None,
            axis: None,
            angle: None,
        };
        match leg.way {
            SlidingMotion::Straight { from, by } => Self { by: Some(by.to_array()), ..of(from) },
            SlidingMotion::Turn { from, point, axis, angle } => Self {
                point: Some(point.to_array()),
                axis: Some(axis.to_array()),
                angle: Some(angle),
                ..of(from)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_io::script;
    use serde_json::{Value, json};
    use std::path::Path;

    fn words(name: &str) -> LoadedScript {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/words").join(name);
        script::read(&path).expect("an example")
    }

    fn answer(edited: EditedScript) -> Value {
        match edited {
            EditedScript::Same(answer) => json!(answer),
            EditedScript::OtherBodies(_) => panic!("it has other bodies"),
        }
    }

    #[test]
    fn the_same_text_has_the_answer_of_the_library() {
        let words = words("block_in_slot.toml");
        let value = answer(edited(&words, words.text()));
        let direct = moves(&words, &Budget::default());
        assert_eq!(value["status"], "reached");
        for (told, step) in value["steps"].as_array().expect("a list").iter().zip(&direct.steps) {
            assert_eq!(told["pose"], json!(step.pose.to_rows()));
            assert_eq!(told["ways"].as_array().map(Vec::len), Some(step.legs.len()));
        }
    }

    #[test]
    fn faults_have_lines_and_other_bodies_are_noticed() {
        let words = words("block_in_slot.toml");
        let text = words.text();
        let value = answer(edited(&words, &text.replacen("until", "untl", 1)));
        assert_eq!(value["errors"][0]["line"], 4, "{value}");
        assert!(value["steps"].is_null());
        assert!(matches!(
            edited(&words, &text.replace("[40, 20, 10]", "[40, 20, 12]")),
            EditedScript::OtherBodies(_)
        ));
        assert!(matches!(
            edited(&words, &text.replace("[30, 12, 20]", "[31, 12, 20]")),
            EditedScript::OtherBodies(_)
        ));
        assert!(matches!(edited(&words, &text.replace("# floor", "# ground")), EditedScript::Same(_)));
    }

    #[test]
    fn no_other_file_is_read() {
        let words = words("block_in_slot.toml");
        for other in ["ramp.obj", "../words/slot.stl", "/etc/passwd", "no_such_file.stl"] {
            let value = answer(edited(&words, &words.text().replace("slot.stl", other)));
            assert_eq!(
                value["errors"][0]["what"], "this file is not read while a script is edited",
                "{other}"
            );
            assert_eq!(value["errors"][0]["line"], 10, "{other}");
        }
        let robot = format!("{}\n[robot]\ncell = \"/etc/passwd\"\n", words.text());
        let value = answer(edited(&words, &robot));
        assert_eq!(value["errors"][0]["what"], "this file is not read while a script is edited");
    }
}
