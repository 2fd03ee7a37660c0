//! The keys of a job file: one list for the reader and for the JSON schema.

use crate::cell::UNITS;
use crate::cell::schema::{Holds, Key, format, key, own_schema, required, table};
use serde_json::{Value, json};

pub(super) const KINDS: &[&str] = &["lin", "ptp"];

/// How a tool turns on lines.
pub(super) const LAWS: &[&str] = &["slerp", "swivel-twist", "both"];

/// What a controller does in rounded corners.
pub(super) const BLENDS: &[&str] = &["inside", "parabola"];
pub(super) const POSTS: &[&str] = &["rapid", "krl", "fanuc", "urscript", "jbi"];

pub(super) const JOB: &[Key] = &[
    format(),
    own_schema(),
    required("cell", Holds::Text, "the cell file, relative to this file or absolute"),
    key("robot", Holds::Text, "the robot that works; not needed if only one has a tool"),
    key("clearance", Holds::Positive, "the least gap that is wanted, in the units of the cell"),
    required("path", Holds::Table(PATH), "where the tool is wanted"),
    key("tool_axis", Holds::Table(TOOL_AXIS), "how the tool may stand there"),
    key("motion", Holds::Table(MOTION), "how the controller moves from point to point"),
    key("timing", Holds::Table(TIMING), "what joints can do, so that the path gets its times"),
    key("output", Holds::Table(OUTPUT), "what is written"),
];

pub(super) const PATH: &[Key] = &[
    required(
        "file",
        Holds::Text,
        "a table of points (CSV), or a toolpath (APT-CL, G-code, 5DC), relative to this file or absolute",
    ),
    key(
        "columns",
        Holds::Texts,
        "what the columns hold, if no header says it: x, y, z; the direction of tool z into the work as i, j, k, or the outward normal as nx, ny, nz, or a pose as qw, qx, qy, qz, as w, p, r (degrees about fixed x, y, z) or as rz1, ry, rz2 (degrees about z, y, z); stroke numbers as stroke or path; - is passed over",
    ),
    key(
        "units",
        Holds::Units,
        "unit of x, y and z where the file names none (that of the cell by default; of toolpaths: mm); a toolpath that names another one is refused",
    ),
    key("frame", Holds::Text, "the object or robot whose frame the path is in; \"world\" by default"),
    key("closed", Holds::YesNo, "whether the way from the last point of a stroke to its first belongs to it"),
    key("flip", Holds::YesNo, "whether directions point out of the work and are turned round"),
    key(
        "offset",
        Holds::Number,
        "how far the tip stays before each point, against the direction, in the path's units",
    ),
    key(
        "break_at",
        Holds::Size,
        "points that are farther apart than this begin a new stroke, in the path's units",
    ),
    key(
        "rotary",
        Holds::Text,
        "of G-code: how rotary axes turn the tool, letters in the order in which they are applied, as in \"AB\"",
    ),
    key(
        "three_axis",
        Holds::YesNo,
        "of G-code without a tool-tip mode: whether x, y and z are the tip of a tool that stands along z",
    ),
    key("skip_rows", Holds::Count, "lines at the top that are passed over"),
];

pub(super) const TOOL_AXIS: &[Key] = &[
    key(
        "rotation_deg",
        Holds::Table(ROTATION),
        "rotations of the tool about its z; all round in steps of one degree by default",
    ),
    key("zero", Holds::Table(ZERO), "which way tool x points at rotation zero"),
    key("tilt_deg", Holds::Positive, "by how much the tool may be tilted"),
    key("constant", Holds::YesNo, "whether the rotation stays the same all along a stroke"),
    key("change_branch", Holds::YesNo, "whether shoulder, elbow or wrist may flip within a stroke"),
];

pub(super) const ROTATION: &[Key] = &[
    required("from", Holds::Number, "the first rotation, in degrees"),
    required("to", Holds::Number, "the last one"),
    key(
        "step",
        Holds::Size,
        "from one to the next; without this, rotation is continuous and looked at every degree",
    ),
];

pub(super) const ZERO: &[Key] = &[
    required("toward", Holds::Numbers(3), "a direction, whose projection tool x is at rotation zero"),
    key("in", Holds::Text, "the robot or object whose frame that is in; \"world\" by default"),
];

pub(super) const MOTION: &[Key] = &[
    key("kind", Holds::OneOf(KINDS), "lin: straight lines of the tool; ptp: all joints evenly"),
    key(
        "law",
        Holds::OneOf(LAWS),
        "how the tool turns on lines: what is proven beside what the controllers of post need, or may do; slerp if neither says anything",
    ),
    key("speed", Holds::Size, "speed of the tip, in the cell's units per second"),
    key("zone", Holds::Positive, "how far from a point the controller may round it off, in the cell's units"),
    key(
        "lift",
        Holds::Positive,
        "how far the tool is lifted off against its axis before and after each stroke, in the cell's units",
    ),
    key(
        "blend",
        Holds::OneOf(BLENDS),
        "what it does there: anything inside the corner that is cut off, or the parabola that touches both lines",
    ),
];

pub(super) const TIMING: &[Key] = &[
    key(
        "joint_speed_deg",
        Holds::SizeOrSizes,
        "the most that joints do, in degrees per second (joints that slide: in the cell's units); one for all or one for each; what the URDF says by default",
    ),
    required("joint_acceleration_deg", Holds::SizeOrSizes, "likewise, per second squared"),
    required("joint_jerk_deg", Holds::SizeOrSizes, "likewise, per second cubed"),
    key("cycle", Holds::Size, "seconds from one row of trajectory.csv to the next, 0.01 by default"),
];

pub(super) const OUTPUT: &[Key] = &[
    key("post", Holds::SomeOf(POSTS), "robot programs to write"),
    key(
        "profiles",
        Holds::Texts,
        "files with profiles of controllers, instead of those that come with the program",
    ),
];

/// The JSON schema (draft 2020-12) of a job file.
#[must_use]
pub fn schema() -> Value {
    let mut schema = table(JOB);
    let top = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A job",
        "description": "A work path and how a robot may follow it.",
        "$defs": { "units": { "enum": UNITS.map(|unit| unit.name), "default": UNITS[0].name } },
    });
    if let (Value::Object(schema), Value::Object(top)) = (&mut schema, top) {
        schema.extend(top);
    }
    schema
}
