//! Movements in words: what comes of a script, and of other texts of it.
//!
//! The page sends the text of the script as it is edited. No file is read for it: bodies with meshes keep those that were read before.

use crate::shown::Loaded;
use kansho::ask::script::{fault, moves};
use kansho::budget::Budget;
use kansho::cell::{Cell, CellDraft, Geometry, ObjectDraft};
use kansho::check::sliding_contact::SlidingMotion;
use kansho::geom::glam::DVec3;
use kansho::io::script::LoadedScript;
use kansho::io::{Fault, Place, ReadError};
use kansho::plan::script::answer::{Leg, MoveAnswer};
use kansho::plan::script::{Answer, Status};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What a script may take: what is not decided by then is undecided.
const BUDGET: Duration = Duration::from_secs(20);

/// A script that is shown.
#[derive(Clone, Debug)]
pub struct Words {
    /// As it was read.
    pub script: LoadedScript,
}

/// What comes of a text.
pub(crate) enum Told {
    /// All that the page needs.
    Answer(Value),
    /// It has other bodies than are shown; these are to be shown first.
    Other(Box<Words>),
}

impl Words {
    /// The bodies of the script, to be shown.
    ///
    /// # Errors
    /// They do not make a cell, and why not.
    pub fn loaded(self, title: String) -> Result<Loaded, String> {
        let draft = CellDraft { objects: self.script.objects.clone(), ..CellDraft::default() };
        let cell = Cell::new(draft)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
        let warnings = self.script.warnings.iter().map(ToString::to_string).collect();
        Ok(Loaded {
            title,
            cell: Arc::new(cell),
            motions: Vec::new(),
            warnings,
            words: Some(self),
            task: None,
            live: None,
            busy: None,
            tour: false,
        })
    }

    /// What comes of another text of the script.
    pub(crate) fn tell(&self, text: &str) -> Told {
        let script = match self.script.with_text(text) {
            Ok(script) => script,
            Err(errors) => {
                return Told::Answer(json!({ "errors": errors.iter().flat_map(faults).collect::<Vec<_>>() }));
            }
        };
        if !same(&self.script.objects, &script.objects) {
            return Told::Other(Box::new(Self { script }));
        }
        let budget = Budget { deadline: Budget::deadline_after(Some(BUDGET)), ..Budget::default() };
        let answer = moves(&script, &budget);
        let mut value = told(&script, &answer);
        if let Some(what) = fault(&script, &answer) {
            let number = answer.steps.last().map_or(0, |step| step.number);
            value["errors"] = json!(faults(&script.fault(number, what)));
        }
        Told::Answer(value)
    }
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
fn faults(error: &ReadError) -> Vec<Value> {
    let of = |fault: &Fault| {
        let (line, column) = match fault.place {
            Place::Line { line, column, .. } => (Some(line), Some(column)),
            _ => (None, None),
        };
        json!({ "line": line, "column": column, "what": fault.what, "help": fault.help })
    };
    error.faults.iter().map(of).collect()
}

fn told(script: &LoadedScript, answer: &Answer) -> Value {
    let regions: u64 = answer.legs().map(|leg| leg.proof.regions).sum();
    json!({
        "errors": [],
        "status": answer.status().word(),
        "moves": script.script.moves.len(),
        "unit": script.unit,
        "metres_per_unit": script.metres_per_unit,
        "moved": script.objects.len() - 1,
        "grasp": script.script.grasp.to_array(),
        "given": script.script.start.to_rows(),
        "start": answer.start.to_rows(),
        "steps": answer.steps.iter().map(|step| of_step(script, step)).collect::<Vec<_>>(),
        "drift": answer.drift,
        "regions": regions,
    })
}

fn of_step(script: &LoadedScript, step: &MoveAnswer) -> Value {
    let points = |list: &[DVec3]| list.iter().map(|point| point.to_array()).collect::<Vec<_>>();
    let contacts: Vec<Value> = step
        .contacts
        .iter()
        .map(|contact| json!({ "contact": script.script.touches[contact.touch].text, "points": points(&contact.points) }))
        .collect();
    let mut value = json!({
        "line": step.line,
        "do": step.verb,
        "status": step.status.word(),
        "pose": step.pose.to_rows(),
        "ways": step.legs.iter().map(of_leg).collect::<Vec<_>>(),
        "contacts": contacts,
        "freedoms": step.freedoms.words,
        "poses": step.samples.len(),
    });
    match &step.status {
        Status::Blocked(block) => {
            value["blocked"] = json!({ "point": block.point.to_array(), "pose": block.pose.to_rows() });
        }
        Status::Slips { pose, .. } => value["blocked"] = json!({ "pose": pose.to_rows() }),
        _ => {}
    }
    value
}

fn of_leg(leg: &Leg) -> Value {
    match leg.way {
        SlidingMotion::Straight { from, by } => {
            json!({ "word": leg.word, "from": from.to_rows(), "by": by.to_array() })
        }
        SlidingMotion::Turn { from, point, axis, angle } => json!({
            "word": leg.word, "from": from.to_rows(), "point": point.to_array(), "axis": axis.to_array(), "angle": angle,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho::io::script;
    use std::path::Path;

    fn words(name: &str) -> Words {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/words").join(name);
        Words { script: script::read(&path).expect("an example") }
    }

    fn answer(told: Told) -> Value {
        match told {
            Told::Answer(value) => value,
            Told::Other(_) => panic!("it has other bodies"),
        }
    }

    #[test]
    fn the_same_text_has_the_answer_of_the_library() {
        let words = words("block_in_slot.toml");
        let value = answer(words.tell(words.script.text()));
        let direct = moves(&words.script, &Budget::default());
        assert_eq!(value["status"], "reached");
        for (told, step) in value["steps"].as_array().expect("a list").iter().zip(&direct.steps) {
            assert_eq!(told["pose"], json!(step.pose.to_rows()));
            assert_eq!(told["ways"].as_array().map(Vec::len), Some(step.legs.len()));
        }
    }

    #[test]
    fn faults_have_lines_and_other_bodies_are_noticed() {
        let words = words("block_in_slot.toml");
        let text = words.script.text();
        let value = answer(words.tell(&text.replacen("until", "untl", 1)));
        assert_eq!(value["errors"][0]["line"], 4, "{value}");
        assert!(value["steps"].is_null());
        assert!(matches!(words.tell(&text.replace("[40, 20, 10]", "[40, 20, 12]")), Told::Other(_)));
        assert!(matches!(words.tell(&text.replace("[30, 12, 20]", "[31, 12, 20]")), Told::Other(_)));
        assert!(matches!(words.tell(&text.replace("# floor", "# ground")), Told::Answer(_)));
    }

    #[test]
    fn no_other_file_is_read() {
        let words = words("block_in_slot.toml");
        for other in ["ramp.obj", "../words/slot.stl", "/etc/passwd", "no_such_file.stl"] {
            let value = answer(words.tell(&words.script.text().replace("slot.stl", other)));
            assert_eq!(
                value["errors"][0]["what"], "this file is not read while a script is edited",
                "{other}"
            );
            assert_eq!(value["errors"][0]["line"], 10, "{other}");
        }
        let robot = format!("{}\n[robot]\ncell = \"/etc/passwd\"\n", words.script.text());
        let value = answer(words.tell(&robot));
        assert_eq!(value["errors"][0]["what"], "this file is not read while a script is edited");
    }
}
