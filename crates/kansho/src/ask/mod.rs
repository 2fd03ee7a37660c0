//! Whole questions: one module per question, with a function that answers it, an answer that serialises, and the answer in words.
//!
//! The command, the Python package and the viewer call these and translate. What they share belongs here, or below.

pub mod bodies;
pub mod ccd;
pub mod check;
pub mod collide;
pub mod contact;
pub mod convert;
pub mod course;
pub mod held;
pub mod info;
pub mod pairs;
pub mod path_edit;
pub mod plan;
pub mod posture;
pub mod postures;
pub mod reach;
pub mod script;
pub mod spheres;
pub mod verify;
pub mod watch;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The name of something with a schema, what it is, and how its schema is made.
pub type NamedSchema = (&'static str, &'static str, fn() -> Value);

/// Answers with a schema.
const SCHEMAS: [NamedSchema; 18] = [
    ("bodies", "The answer of `kansho bodies --json`", of::<bodies::BodiesAnswer>),
    ("ccd", "The answer of `kansho ccd --json`", of::<ccd::CcdAnswer>),
    ("check", "The answer of `kansho check --json`", of::<check::CheckAnswer>),
    ("check-segments", "The answer of `kansho check --segments --json`", of::<check::SegmentsAnswer>),
    ("collide", "The answer of `kansho collide --json`", of::<collide::CollideAnswer>),
    ("contact", "The answer of `kansho contact --json`", of::<contact::ContactAnswer>),
    ("contact-assembly", "The answer of `kansho contact --assembly --json`", of::<contact::AssemblyAnswer>),
    ("convert", "The answer of `kansho convert --json`", of::<convert::ConvertAnswer>),
    ("info", "The answer of `kansho info --json`", of::<info::InfoAnswer>),
    ("pairs", "The answer of `kansho pairs --json`", of::<pairs::PairsAnswer>),
    ("plan", "The answer of `kansho plan --json`", of::<plan::PlanAnswer>),
    ("plan-places", "The answer of `kansho plan --place --json`", of::<plan::PlacesAnswer>),
    ("postures", "The answer of `kansho postures --json`", of::<postures::PosturesAnswer>),
    ("reach", "The answer of `kansho reach --json`", of::<reach::ReachAnswer>),
    ("script-answer", "The answer of `kansho script --json`", of::<script::ScriptAnswer>),
    ("spheres", "The answer of `kansho spheres --json`", of::<spheres::SpheresAnswer>),
    ("verify", "The answer of `kansho verify --json`", of::<verify::VerifyAnswer>),
    ("watch", "An answer of `kansho watch`, one JSON line for each posture", of::<watch::WatchAnswer<'_>>),
];

fn of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().to_value()
}

/// The JSON schema of an answer, by the name of its question; none if there is no such name.
#[must_use]
pub fn schema(question: &str) -> Option<Value> {
    SCHEMAS.iter().find(|(name, ..)| *name == question).map(|(.., schema)| schema())
}

/// Names of answers that have a schema, with what they are.
pub fn schemas() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCHEMAS.iter().map(|(name, what, _)| (*name, *what))
}
