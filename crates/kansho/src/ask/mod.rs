//! Whole questions: one module per question, with a function that answers it, an answer that serialises, and the answer in words.
//!
//! The command, the Python package and the viewer call these and translate. What they share belongs here, or below.

pub mod check;
pub mod postures;
pub mod verify;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The JSON schema of an answer, by the name of its question; none if there is no such name.
#[must_use]
pub fn schema(question: &str) -> Option<Value> {
    fn of<T: JsonSchema>() -> Value {
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().to_value()
    }
    match question {
        "check" => Some(of::<check::CheckAnswer>()),
        "check-segments" => Some(of::<check::SegmentsAnswer>()),
        "postures" => Some(of::<postures::PosturesAnswer>()),
        "verify" => Some(of::<verify::VerifyAnswer>()),
        _ => None,
    }
}
