//! The keys of a script: one list for the reader and for the JSON schema.

use crate::cell::UNITS;
use crate::cell::schema::{Holds, Key, format, key, own_schema, required, table};
use serde_json::{Value, json};

pub(super) const VERBS: &[&str] = &["approach", "slide", "rotate", "place", "follow"];
pub(super) const PARTLY: &[&str] = &["auto", "slide", "pivot"];
pub(super) const SENSES: &[&str] = &["+", "-"];

pub(super) const SCRIPT: &[Key] = &[
    format(),
    own_schema(),
    key("units", Holds::Units, "unit of the lengths in this file and of its mesh files; angles are degrees"),
    key(
        "tol",
        Holds::Size,
        "how deep features that may touch may overlap; a millionth of the moved body's size by default",
    ),
    required("move", Holds::Tables(MOVE), "what to do, one sentence after the other"),
    key("fixed", Holds::Table(&[]), "bodies that stand still, as [fixed.NAME]"),
    required("moved", Holds::Table(&[]), "the body that is moved, as [moved.NAME]"),
    key("allow", Holds::Texts, "contacts that may be at any time, as \"body.feature touches body.feature\""),
    key("robot", Holds::Table(ROBOT), "the robot that holds the moved body"),
];

pub(super) const MOVE: &[Key] = &[
    required("do", Holds::OneOf(VERBS), "approach, slide, rotate, place or follow"),
    key("along", Holds::Text, "a direction, such as \"-z\" or [0, 0, -1]"),
    key("toward", Holds::Text, "a feature to go toward, as \"body.feature\""),
    key(
        "about",
        Holds::Text,
        "what to turn about: an edge or an axis as \"body.feature\", a contact along a line as \"body.feature on body.feature\", or a direction through the grasp",
    ),
    key(
        "keep",
        Holds::Texts,
        "contacts that last all the while, as \"body.feature on body.feature\"; \"level\" forbids turning",
    ),
    key(
        "until",
        Holds::Texts,
        "the contacts with which it ends, as \"body.feature on body.feature\" or \"body.feature touches body.feature\"",
    ),
    key("by", Holds::Size, "instead of until: how far"),
    key("by_deg", Holds::Number, "instead of until: by how many degrees"),
    key(
        "turn",
        Holds::OneOf(SENSES),
        "which way round: + is right-handed about the direction of the edge or axis; a negative by_deg says - itself",
    ),
    key("spacing", Holds::Size, "distance of the poses of a path"),
    key("forward", Holds::Text, "direction of the moved body that follows the path; \"+x\" by default"),
    key("side", Holds::Text, "direction of the moved body that stays across the path; \"+y\" by default"),
    key(
        "when_partly_touching",
        Holds::OneOf(PARTLY),
        "what to do while some contacts are closed and others open: as contacts and grasp have it (auto), slide, or pivot",
    ),
    key("allow", Holds::Texts, "further contacts that may be in this move"),
];

/// Which keys a verb takes besides `do`: the reader refuses others, and the schema and `docs/words.md` say so.
pub(super) const KEYS_OF_VERBS: &[(&str, &[&str])] = &[
    ("approach", &["along", "toward", "keep", "until", "by", "allow"]),
    ("slide", &["along", "toward", "keep", "until", "by", "allow"]),
    ("rotate", &["about", "turn", "keep", "until", "by_deg", "allow"]),
    ("place", &["along", "toward", "keep", "until", "when_partly_touching", "allow"]),
    ("follow", &["along", "keep", "until", "by", "spacing", "forward", "side", "allow"]),
];

/// The keys that a verb takes.
pub(super) fn keys_of(verb: &str) -> &'static [&'static str] {
    KEYS_OF_VERBS.iter().find(|(known, _)| *known == verb).map_or(&[], |(_, keys)| keys)
}

/// The table of verbs and keys, as `docs/words.md` has it.
#[must_use]
pub fn table_of_verbs() -> String {
    let mut text =
        "| key | ".to_owned() + &VERBS.join(" | ") + " |\n|---|" + &"---|".repeat(VERBS.len()) + "\n";
    for key in MOVE.iter().filter(|key| key.name != "do") {
        let mark = |verb: &&str| if keys_of(verb).contains(&key.name) { "yes" } else { "" };
        let marks: Vec<&str> = VERBS.iter().map(mark).collect();
        text += &format!("| `{}` | {} |\n", key.name, marks.join(" | "));
    }
    text
}

pub(super) const ROBOT: &[Key] = &[
    required("cell", Holds::Text, "the cell file, relative to this file or absolute"),
    key("name", Holds::Text, "the robot that moves; not needed if only one has a tool"),
    key(
        "grasp_rpy_deg",
        Holds::Numbers(3),
        "how the tool is turned in the frame of the moved body when it holds it; [180, 0, 0] by default, which is from above",
    ),
    key("at", Holds::Pose, "where the script's world is in that of the cell"),
];

/// Keys of a body that name no feature.
pub(super) const BODY: &[(&str, &str)] = &[
    ("mesh", "its mesh file, relative to this file or absolute"),
    ("box", "a block [x, y, z], centred"),
    ("cylinder", "a cylinder [radius, height], centred, its axis along z"),
    ("sphere", "a ball of this radius, centred"),
    ("plane", "a half-space [nx, ny, nz, d]: solid where n.x < d"),
    ("units", "unit of its mesh file, if that is another than that of this file"),
    (
        "up",
        "of its mesh file: \"z\" turns a glTF or COLLADA file with another axis up; \"as-in-file\" by default",
    ),
    ("at", "where a fixed body is: { xyz = [..], rpy_deg = [..] }"),
    ("grasp", "where the gripper holds the moved body, in its frame"),
    ("start", "where the moved body begins, roughly: { xyz = [..], rpy_deg = [..] }"),
];

pub(super) const SELECTOR: &[Key] = &[
    key(
        "face",
        Holds::Text,
        "the way a face looks: \"+z\" or [0, 0, 1]; several: any of them, or one after the other",
    ),
    key("faces", Holds::Texts, "several faces: [{ face = .., at = .. }, ..]"),
    key(
        "edge",
        Holds::Text,
        "the edge between two faces as \"+x-z\", or on which two points lie: [[..], [..]]",
    ),
    key(
        "vertex",
        Holds::Text,
        "the corner that lies farthest that way as \"+x+y-z\", or at a point: [x, y, z]",
    ),
    key(
        "axis",
        Holds::Text,
        "a line through the body's origin as \"z\", or through two points: [[..], [..]]",
    ),
    key(
        "rim",
        Holds::Text,
        "the outline of the face that looks this way, counter-clockwise seen from outside",
    ),
    key("at", Holds::Numbers(3), "a point on it, if several are like that; of what is named by a direction"),
    key("from", Holds::Numbers(3), "of a rim: where it begins"),
    key("to", Holds::Numbers(3), "of a rim: where it ends"),
];

/// The JSON schema (draft 2020-12) of a script.
#[must_use]
pub fn schema() -> Value {
    let mut schema = table(SCRIPT);
    let text = || json!({ "type": "string", "minLength": 1 });
    let numbers =
        |n: usize| json!({ "type": "array", "items": { "type": "number" }, "minItems": n, "maxItems": n });
    let direction = json!({ "anyOf": [text(), numbers(3)] });
    let texts = json!({ "anyOf": [text(), { "type": "array", "items": text() }] });
    for name in ["along", "forward", "side"] {
        schema["properties"]["move"]["items"]["properties"][name]["anyOf"] = direction["anyOf"].clone();
    }
    for name in ["keep", "until", "allow"] {
        schema["properties"]["move"]["items"]["properties"][name]["anyOf"] = texts["anyOf"].clone();
    }
    if let Value::Object(properties) = &mut schema["properties"]["move"]["items"]["properties"] {
        for name in ["along", "forward", "side", "keep", "until", "allow"] {
            if let Some(Value::Object(property)) = properties.get_mut(name) {
                ["type", "items", "minLength"].iter().for_each(|key| {
                    property.remove(*key);
                });
            }
        }
    }
    // A key that a verb does not take is refused by the reader, too.
    let only = |verb: &&str| {
        let others = MOVE.iter().filter(|key| key.name != "do" && !keys_of(verb).contains(&key.name));
        let refused: serde_json::Map<String, Value> =
            others.map(|key| (key.name.to_owned(), json!(false))).collect();
        json!({ "if": { "properties": { "do": { "const": verb } }, "required": ["do"] }, "then": { "properties": refused } })
    };
    schema["properties"]["move"]["items"]["allOf"] = VERBS.iter().map(only).collect();
    let body = json!({ "type": "object", "additionalProperties": true });
    schema["properties"]["fixed"] = json!({
        "type": "object", "additionalProperties": body,
        "description": "Bodies that stand still. Keys of a body that are not its shape or place are names of its features.",
    });
    schema["properties"]["moved"] = json!({
        "type": "object", "additionalProperties": body, "minProperties": 1, "maxProperties": 1,
        "description": "The body that is moved.",
    });
    let top = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A script",
        "description": "Movements in words: bodies with named features, and what to do with one of them.",
        "$defs": {
            "units": { "enum": UNITS.map(|unit| unit.name), "default": UNITS[0].name },
            "pose": { "type": "object", "properties": { "xyz": numbers(3), "rpy_deg": numbers(3) }, "additionalProperties": false },
        },
    });
    if let (Value::Object(schema), Value::Object(top)) = (&mut schema, top) {
        schema.extend(top);
    }
    schema
}
