//! The keys of a cell file: one list for the reader and for the JSON schema.

use super::UNITS;
use serde_json::{Map, Value, json};

/// A key, what it holds, and what it means.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    holds: Holds,
    /// One sentence for people, as help and in the schema.
    pub(crate) about: &'static str,
}

/// What a key holds.
pub(crate) enum Holds {
    Text,
    Name,
    Texts,
    /// One file or a list of them.
    Files,
    Units,
    /// A length greater than zero.
    Size,
    /// Lengths greater than zero.
    Sizes(usize),
    /// One number greater than zero, or any count of them.
    SizeOrSizes,
    Numbers(usize),
    Pose,
    Number,
    /// A number that is not less than zero.
    Positive,
    Count,
    /// The form of a file.
    Format,
    YesNo,
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// Some of some words.
    SomeOf(&'static [&'static str]),
    /// Values of joints by name.
    Hold,
    /// Pairs of names.
    Pairs,
    Table(&'static [Key]),
    Tables(&'static [Key]),
}

pub(crate) const fn key(name: &'static str, holds: Holds, about: &'static str) -> Key {
    Key { name, required: false, holds, about }
}

pub(crate) const fn required(name: &'static str, holds: Holds, about: &'static str) -> Key {
    Key { name, required: true, holds, about }
}

/// The key by which a file says which form it has.
pub(crate) const fn format() -> Key {
    key("format", Holds::Format, "the form of this file: 1, and 1 if this key is left out")
}

/// The key by which a file names its schema to editors.
pub(crate) const fn own_schema() -> Key {
    key("$schema", Holds::Text, "where editors find the schema of this file; kansho does not look at it")
}

/// Keys of the file.
pub(super) const CELL: &[Key] = &[
    format(),
    own_schema(),
    key(
        "units",
        Holds::Units,
        "unit of the lengths in this file and of its mesh files, unless these say their own; URDFs are always metres",
    ),
    key("robot", Holds::Tables(ROBOT), "a robot"),
    key("object", Holds::Tables(OBJECT), "an object, standing in the cell or carried by a robot"),
    key("allow", Holds::Table(ALLOW), "what may touch"),
];

/// Keys of `[[robot]]`.
pub(super) const ROBOT: &[Key] = &[
    required("name", Holds::Name, "its name in this cell; its links are named robot/link"),
    required("urdf", Holds::Text, "its URDF file, relative to this file or absolute"),
    key("srdf", Holds::Text, "its SRDF file, which names pairs of links that are not checked"),
    key("packages", Holds::Texts, "folders in which package://NAME/... is looked for first"),
    key("at", Holds::Pose, "where its root is in the world"),
    key(
        "hold",
        Holds::Hold,
        "joints that do not move, with their values: radians, or lengths in the units of this file",
    ),
    key("tool", Holds::Table(TOOL), "what it works with"),
];

/// Keys of a robot's `tool`.
pub(super) const TOOL: &[Key] = &[
    key("mesh", Holds::Files, MESH),
    key("box", Holds::Sizes(3), BOX),
    key("sphere", Holds::Size, SPHERE),
    key("cylinder", Holds::Sizes(2), CYLINDER),
    key("capsule", Holds::Sizes(2), CAPSULE),
    key("cone", Holds::Sizes(2), CONE),
    key("units", Holds::Units, MESH_UNITS),
    key("up", Holds::OneOf(UPS), MESH_UP),
    required("on", Holds::Text, "the link of the robot that carries it"),
    key("at", Holds::Pose, "where its shape is in the frame of that link"),
    key("tcp", Holds::Pose, "the point that works, and its axes, in the frame of that link"),
];

/// Keys of `[[object]]`.
pub(super) const OBJECT: &[Key] = &[
    required("name", Holds::Name, "its name"),
    key("mesh", Holds::Files, MESH),
    key("box", Holds::Sizes(3), BOX),
    key("sphere", Holds::Size, SPHERE),
    key("cylinder", Holds::Sizes(2), CYLINDER),
    key("capsule", Holds::Sizes(2), CAPSULE),
    key("cone", Holds::Sizes(2), CONE),
    key("plane", Holds::Numbers(4), "a half-space [nx, ny, nz, d]: solid where n.x < d"),
    key("units", Holds::Units, MESH_UNITS),
    key("up", Holds::OneOf(UPS), MESH_UP),
    key("at", Holds::Pose, "where it is: in the world, or in the frame of the link that carries it"),
    key("on", Holds::Text, "the link that carries it, as robot/link; without this it stands still"),
];

/// Keys of `[allow]`.
pub(super) const ALLOW: &[Key] = &[key(
    "pairs",
    Holds::Pairs,
    "pairs of bodies that are not checked against each other, each a link as robot/link, a tool as robot/tool, or an object",
)];

/// Keys of a pose.
pub(super) const POSE: &[Key] = &[
    key("xyz", Holds::Numbers(3), "translation"),
    key(
        "rpy_deg",
        Holds::Numbers(3),
        "roll, pitch and yaw about the fixed axes x, y and z, as in URDF, in degrees",
    ),
    key("matrix", Holds::Numbers(12), "instead of these: the rotation row by row, then the translation"),
];

/// Shapes; an object has exactly one.
pub(super) const SHAPES: &[&str] = &["mesh", "box", "sphere", "cylinder", "capsule", "cone", "plane"];

const MESH: &str =
    "its mesh file, relative to this file or absolute; or a list of files that together are one body";
const MESH_UNITS: &str = "unit of its mesh files, if that is another than that of this file";
/// What may be done with meshes that have another axis up; the first is the default.
pub(super) const UPS: &[&str] = &["as-in-file", "z"];
const MESH_UP: &str = "what is done with a mesh file that says another axis is up (glTF and COLLADA): nothing (as-in-file), or it is turned so that Z is up (z)";
const BOX: &str = "a block [x, y, z], centred";
const SPHERE: &str = "a ball of this radius, centred";
const CYLINDER: &str = "a cylinder [radius, height], centred, its axis along z";
const CAPSULE: &str =
    "all within a radius of a segment: [radius, distance of the two centres], centred, along z";
const CONE: &str = "a cone [radius, height], centred, its tip up along z";

/// The JSON schema (draft 2020-12) of a cell file.
#[must_use]
pub fn schema() -> Value {
    let mut schema = table(CELL);
    let top = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A cell",
        "description": "Robots, tools and objects, and which of them may touch.",
        "anyOf": [{ "required": ["robot"] }, { "required": ["object"] }],
        "$defs": { "pose": pose(), "units": { "enum": UNITS.map(|unit| unit.name), "default": UNITS[0].name } },
    });
    if let (Value::Object(schema), Value::Object(top)) = (&mut schema, top) {
        schema.extend(top);
    }
    schema
}

/// A table with these keys and no others.
pub(crate) fn table(keys: &[Key]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut table = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    let has = |name: &str| keys.iter().any(|key| key.name == name);
    let shapes = || SHAPES.iter().filter(|shape| has(shape)).map(|shape| json!({ "required": [shape] }));
    if has("plane") {
        table["oneOf"] = shapes().collect();
    } else if has("mesh") {
        // A tool may be a mere point.
        let none = json!({ "not": { "anyOf": shapes().collect::<Value>() } });
        table["oneOf"] = shapes().chain([none]).collect();
    }
    if has("mesh") {
        table["dependentRequired"] = json!({ "units": ["mesh"], "up": ["mesh"] });
    }
    table
}

fn pose() -> Value {
    let mut pose = table(POSE);
    pose["description"] =
        json!("A placement: xyz and rpy_deg, or matrix. Lengths are in the units of the file.");
    pose["not"] = json!({
        "required": ["matrix"],
        "anyOf": [{ "required": ["xyz"] }, { "required": ["rpy_deg"] }],
    });
    pose
}

fn property(key: &Key) -> Value {
    let list = |items: Value, count: usize| json!({ "type": "array", "items": items, "minItems": count, "maxItems": count });
    let size = || json!({ "type": "number", "exclusiveMinimum": 0 });
    let mut property = match key.holds {
        Holds::Text => json!({ "type": "string", "minLength": 1 }),
        Holds::Name => json!({ "type": "string", "minLength": 1, "pattern": "^[^|/]*$" }),
        Holds::Texts => json!({ "type": "array", "items": { "type": "string", "minLength": 1 } }),
        Holds::Files => json!({
            "anyOf": [
                { "type": "string", "minLength": 1 },
                { "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1 },
            ],
        }),
        Holds::Units => json!({ "$ref": "#/$defs/units" }),
        Holds::Size => size(),
        Holds::Sizes(count) => list(size(), count),
        Holds::SizeOrSizes => json!({ "oneOf": [size(), { "type": "array", "items": size() }] }),
        Holds::Numbers(count) => list(json!({ "type": "number" }), count),
        Holds::Number => json!({ "type": "number" }),
        Holds::Positive => json!({ "type": "number", "minimum": 0 }),
        Holds::Count => json!({ "type": "integer", "minimum": 0 }),
        Holds::Format => json!({ "const": super::toml::FORMAT }),
        Holds::YesNo => json!({ "type": "boolean" }),
        Holds::OneOf(words) => json!({ "enum": words }),
        Holds::SomeOf(words) => json!({ "type": "array", "items": { "enum": words } }),
        Holds::Pose => json!({ "$ref": "#/$defs/pose" }),
        Holds::Hold => json!({ "type": "object", "additionalProperties": { "type": "number" } }),
        Holds::Pairs => json!({ "type": "array", "items": list(json!({ "type": "string" }), 2) }),
        Holds::Table(keys) => table(keys),
        Holds::Tables(keys) => json!({ "type": "array", "items": table(keys) }),
    };
    property["description"] = json!(key.about);
    property
}
