//! What a controller does, and how its robot is seen by it: a file that users can change.

use super::Language;
use crate::cell::schema::{Holds, Key, key, required, table};
use crate::cell::toml::{self, Report, Value, shown};
use crate::fault::{Fault, ReadError};
use crate::load::bytes_of;
use kansho_cell::route::Laws;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use serde_json::{Value as Json, json};
use std::path::Path;

/// What is known of a controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The language that it speaks.
    pub language: Language,
    /// The link in whose frame it counts.
    pub base: String,
    /// The link that tools are mounted to.
    pub flange: String,
    /// Axis of the controller = sign × joint of the model + offset, in radians.
    pub signs: [f64; 6],
    /// See `signs`.
    pub offsets: [f64; 6],
    /// And axis 3 + this × axis 2.
    pub couple_3_to_2: f64,
    /// How the tool turns on lines.
    pub law: OrientationLaw,
    /// What axes do in rounded corners between two moves of all joints.
    pub joint_corners: JointCorners,
    /// Speed of moves of joints that are written, as part of what they can do.
    pub joint_speed: f64,
    /// How long programs are divided.
    pub split: Split,
    /// Pulses of one degree of each axis; none if that is not known.
    pub pulses_per_degree: Option<[f64; 6]>,
    /// What one degree is in variables that tools are set from; none if that is not known.
    pub angles_per_degree: Option<f64>,
    /// How configurations are named.
    pub flags: Flags,
    /// Routines that are not in the file and do not move the robot, in small letters.
    pub harmless: Vec<String>,
    /// Tools that files only name: the tip in the frame of the flange.
    pub tools: Vec<(String, Pose)>,
    /// Work objects that files only name, in the base frame.
    pub work: Vec<(String, Pose)>,
    /// Whether the controller starts a program again when it ends. Variables keep what they hold then.
    pub repeats: bool,
    /// Variables that something else may set (PERS of ABB), by their names in small letters, as they are when the program starts.
    pub values: Vec<(String, Setting)>,
}

/// What somebody says that a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// True or false.
    Truth(bool),
    /// A text.
    Text(String),
}

/// How a tool turns on lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrientationLaw {
    /// About one axis.
    Slerp,
    /// Its axis swivels while it twists about it.
    SwivelTwist,
    /// Nobody knows: both have to be proven.
    Unknown,
}

impl OrientationLaw {
    /// What has to be proven.
    #[must_use]
    pub fn laws(self) -> Laws {
        match self {
            Self::Slerp => Laws::Slerp,
            Self::SwivelTwist => Laws::SwivelTwist,
            Self::Unknown => Laws::Both,
        }
    }
}

/// What axes do in rounded corners between two moves of all joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointCorners {
    /// The end of one move and the beginning of the next are laid over each other, with all axes at the same part of their moves.
    Synchronised,
    /// Nobody knows: such corners are refused.
    Unknown,
}

/// How long programs are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Points in one file; none is any number.
    pub max_points: Option<usize>,
}

/// How configurations are named, where controllers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// When the elbow counts as up.
    pub elbow: ElbowFlag,
    /// Whether a wrist is flipped if axis 5 is positive.
    pub flip_when_positive: bool,
}

/// When an elbow counts as up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElbowFlag {
    /// If the forearm is bent forward, seen in the direction in which axis 1 points.
    Bent,
    /// If it is bent forward, seen from the side on which the wrist is.
    BentFromFront,
}

const LANGUAGES: &[&str] = &["rapid", "krl", "fanuc", "urscript", "jbi"];
const LAWS: &[&str] = &["slerp", "swivel-twist", "unknown"];

const JOINT_CORNERS: &[&str] = &["synchronised", "unknown"];
const ELBOWS: &[&str] = &["bent", "bent-from-front"];
const ENDS: &[&str] = &["repeats", "stops"];
const SIGNS: &[&str] = &["positive", "negative"];

const PROFILE: &[Key] = &[
    required(
        "language",
        Holds::OneOf(LANGUAGES),
        "the language of the controller; what is not said is as in its own profile",
    ),
    key(
        "base",
        Holds::Text,
        "the link in whose frame the controller counts; the root if the robot has none of that name",
    ),
    key("flange", Holds::Text, "the link that tools are mounted to"),
    key("signs", Holds::Numbers(6), "axis of the controller = sign x joint of the model + offset"),
    key("offsets_deg", Holds::Numbers(6), "see signs"),
    key(
        "couple_3_to_2",
        Holds::Number,
        "axis 3 of the controller has this x its axis 2 added, if it is measured from the ground: 1 where joints 2 and 3 of the model turn about the same direction (arms with a parallel bar, such as the IRB 2400), -1 where they do not (FANUC)",
    ),
    key("law", Holds::OneOf(LAWS), "how the tool turns on lines; if that is unknown, both laws are proven"),
    key(
        "joint_corners",
        Holds::OneOf(JOINT_CORNERS),
        "what axes do in rounded corners between two moves of all joints; if that is unknown, such corners are refused",
    ),
    key(
        "joint_speed",
        Holds::Size,
        "speed of moves of joints that are written, as part of what the joints can do",
    ),
    key("max_points", Holds::Count, "points in one file; 0 is any number"),
    key("pulses_per_degree", Holds::Numbers(6), "pulses of one degree of each axis"),
    key(
        "angles_per_degree",
        Holds::Number,
        "what one degree is in position variables (JBI): 100 or 10000; 0 is not known",
    ),
    key(
        "elbow",
        Holds::OneOf(ELBOWS),
        "when the elbow counts as up: bent forward as seen from axis 1, or from the side of the wrist",
    ),
    key("flip_when_axis_5", Holds::OneOf(SIGNS), "the sign of axis 5 with which a wrist counts as flipped"),
    key(
        "at_end",
        Holds::OneOf(ENDS),
        "what the controller does at the end of the main program: it starts it again with the variables as they are (repeats), or stops",
    ),
    key("harmless", Holds::Texts, "routines that are not in the file and do not move the robot"),
    key(
        "tools",
        Holds::Table(&[]),
        "tools that files only name: tools.NAME = { xyz_mm = [..], rpy_deg = [..] }, in the frame of the flange",
    ),
    key("work", Holds::Table(&[]), "work objects that files only name, in the base frame"),
    key(
        "values",
        Holds::Table(&[]),
        "RAPID: what PERS num, bool and string hold when the program starts, and that nothing else sets them: values.count = 3",
    ),
];

const FRAME: &[Key] = &[
    required("xyz_mm", Holds::Numbers(3), "where it is, in millimetres"),
    key("rpy_deg", Holds::Numbers(3), "turned about fixed x, y and z, in degrees"),
];

impl Profile {
    /// The profile of a language that comes with the program.
    ///
    /// # Panics
    /// Never: tests read all of them.
    #[must_use]
    pub fn of(language: Language) -> Self {
        Self::parsed(Self::text_of(language), Self::bare).expect("profiles of the program itself are good")
    }

    /// The text of that, to start from.
    #[must_use]
    pub fn text_of(language: Language) -> &'static str {
        match language {
            Language::Rapid => include_str!("profiles/rapid.toml"),
            Language::Krl => include_str!("profiles/krl.toml"),
            Language::Fanuc => include_str!("profiles/fanuc.toml"),
            Language::UrScript => include_str!("profiles/urscript.toml"),
            Language::Jbi => include_str!("profiles/jbi.toml"),
        }
    }

    /// Reads a profile.
    ///
    /// # Errors
    /// Every fault with its line.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let fail = |faults| ReadError { path: path.to_owned(), faults };
        let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
        if bytes.len() > 1 << 20 {
            return Err(fail(vec![Fault::of_file("a profile of more than a megabyte is none")]));
        }
        let text = String::from_utf8(bytes).map_err(|_| fail(vec![Fault::of_file("this is no UTF-8")]))?;
        Self::parse(&text).map_err(fail)
    }

    /// Reads one from memory. What it does not say is as in the profile of its language.
    ///
    /// # Errors
    /// As [`Profile::read`].
    pub fn parse(text: &str) -> Result<Self, Vec<Fault>> {
        Self::parsed(text, Self::of)
    }

    /// Reads one; `rest` has what it does not say.
    fn parsed(text: &str, rest: fn(Language) -> Self) -> Result<Self, Vec<Fault>> {
        let parsed = toml::parse(text)?;
        let mut report = Report::new(text);
        let profile = Self::from_table(parsed.get_ref(), rest, &mut report);
        let faults = report.into_faults();
        match profile {
            Some(profile) if faults.is_empty() => Ok(profile),
            _ => Err(faults),
        }
    }

    fn from_table(
        entries: &::toml::de::DeTable<'_>,
        rest: fn(Language) -> Self,
        report: &mut Report<'_>,
    ) -> Option<Self> {
        let given = toml::Table::new(entries, 0..0, "a profile", PROFILE, report);
        let word = |key: &str, known: &[&str], report: &mut Report<'_>| {
            let text = given.get(key)?.text("a string", report)?;
            let found = known.iter().position(|word| *word == text.value);
            if found.is_none() {
                report.note(&text.at, format!("\"{}\" is not known", shown(text.value))).help =
                    Some(format!("known are {}", known.join(", ")));
            }
            found
        };
        let language = Language::named(LANGUAGES[word("language", LANGUAGES, report)?])?;
        let mut profile = rest(language);
        for (name, slot) in [("base", &mut profile.base), ("flange", &mut profile.flange)] {
            if let Some(text) = given.get(name).and_then(|value| value.text("a string", report)) {
                text.value.clone_into(slot);
            }
        }
        if let Some(signs) = given.get("signs").and_then(|value| value.numbers::<6>(report)) {
            if signs.iter().any(|sign| sign.abs() != 1.0) {
                report.note(&given.key_at("signs"), "a sign is 1 or -1");
            }
            profile.signs = signs;
        }
        if let Some(offsets) = given.get("offsets_deg").and_then(|value| value.numbers::<6>(report)) {
            profile.offsets = offsets.map(f64::to_radians);
        }
        if let Some(couple) = given.get("couple_3_to_2").and_then(|value| value.number(report)) {
            profile.couple_3_to_2 = couple;
        }
        if let Some(law) = word("law", LAWS, report) {
            profile.law = [OrientationLaw::Slerp, OrientationLaw::SwivelTwist, OrientationLaw::Unknown][law];
        }
        if let Some(corners) = word("joint_corners", JOINT_CORNERS, report) {
            profile.joint_corners = [JointCorners::Synchronised, JointCorners::Unknown][corners];
        }
        if let Some(speed) = given.get("joint_speed").and_then(|value| value.number(report)) {
            if !(speed > 0.0 && speed <= 1.0) {
                report.note(
                    &given.key_at("joint_speed"),
                    "this is a part of what the joints can do: more than 0, and 1 at most",
                );
            }
            profile.joint_speed = speed;
        }
        if let Some(most) = given.get("max_points").and_then(|value| value.number(report)) {
            if !(most >= 0.0 && most.fract() == 0.0) || most == 1.0 {
                report.note(&given.key_at("max_points"), "this is no number of points: two at least, or 0");
            }
            profile.split.max_points = (most >= 2.0).then_some(most as usize);
        }
        if let Some(pulses) = given.get("pulses_per_degree")
            && !pulses.list("six numbers", report).is_some_and(|list| list.is_empty())
            && let Some(numbers) = pulses.numbers::<6>(report)
        {
            if numbers.contains(&0.0) {
                report.note(&pulses.at(), "no pulses make no degree");
            }
            profile.pulses_per_degree = Some(numbers);
        }
        if let Some(angles) = given.get("angles_per_degree").and_then(|value| value.number(report)) {
            if !(angles >= 0.0) {
                report.note(&given.key_at("angles_per_degree"), "this is no number of a unit");
            }
            profile.angles_per_degree = Some(angles).filter(|angles| *angles > 0.0);
        }
        if let Some(elbow) = word("elbow", ELBOWS, report) {
            profile.flags.elbow = [ElbowFlag::Bent, ElbowFlag::BentFromFront][elbow];
        }
        if let Some(sign) = word("flip_when_axis_5", SIGNS, report) {
            profile.flags.flip_when_positive = sign == 0;
        }
        if let Some(end) = word("at_end", ENDS, report) {
            profile.repeats = end == 0;
        }
        if let Some(names) = given.get("harmless") {
            let names = names.texts("a string", report);
            profile.harmless = names.iter().map(|name| name.value.to_ascii_lowercase()).collect();
        }
        for (name, slot) in [("tools", &mut profile.tools), ("work", &mut profile.work)] {
            if let Some(value) = given.get(name) {
                *slot = frames(value, report);
            }
        }
        if let Some(values) = given.get("values") {
            if profile.language != Language::Rapid {
                report.note(&given.key_at("values"), "only variables of RAPID are given values");
            }
            profile.values = settings(values, report);
        }
        Some(profile)
    }

    fn bare(language: Language) -> Self {
        Self {
            language,
            base: "base".into(),
            flange: "tool0".into(),
            signs: [1.0; 6],
            offsets: [0.0; 6],
            couple_3_to_2: 0.0,
            law: OrientationLaw::Unknown,
            joint_corners: JointCorners::Unknown,
            joint_speed: 0.2,
            split: Split { max_points: None },
            pulses_per_degree: None,
            angles_per_degree: None,
            flags: Flags { elbow: ElbowFlag::Bent, flip_when_positive: true },
            repeats: false,
            harmless: Vec::new(),
            tools: Vec::new(),
            work: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The JSON schema of a profile, for editors.
    #[must_use]
    pub fn schema() -> Json {
        let mut schema = table(PROFILE);
        let frame = table(FRAME);
        if let Json::Object(schema) = &mut schema {
            schema.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
            schema.insert("title".into(), json!("A controller"));
            for name in ["tools", "work"] {
                schema["properties"][name] = json!({ "type": "object", "additionalProperties": frame });
            }
            let setting = json!({ "type": ["number", "boolean", "string"] });
            schema["properties"]["values"] = json!({ "type": "object", "additionalProperties": setting });
        }
        schema
    }

    pub(super) fn is_harmless(&self, name: &str) -> bool {
        self.harmless.iter().any(|known| *known == name.to_ascii_lowercase())
    }

    pub(super) fn tool(&self, name: &str) -> Option<Pose> {
        find(&self.tools, name)
    }

    pub(super) fn work(&self, name: &str) -> Option<Pose> {
        find(&self.work, name)
    }
}

fn find(frames: &[(String, Pose)], name: &str) -> Option<Pose> {
    frames.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, pose)| *pose)
}

fn frames(value: Value<'_>, report: &mut Report<'_>) -> Vec<(String, Pose)> {
    let mut all = Vec::new();
    for (name, value) in value.entries(report) {
        let Some(frame) = value.table("a frame", FRAME, report) else { continue };
        let three =
            |key: &str, report: &mut Report<'_>| frame.get(key).and_then(|value| value.numbers::<3>(report));
        let (xyz, rpy) = (three("xyz_mm", report), three("rpy_deg", report).unwrap_or_default());
        if let Some(xyz) = xyz {
            let pose =
                Pose::from_rpy(DVec3::from_array(xyz) * 1e-3, DVec3::from_array(rpy.map(f64::to_radians)));
            all.push((name.value.to_owned(), pose));
        }
    }
    all
}

fn settings(value: Value<'_>, report: &mut Report<'_>) -> Vec<(String, Setting)> {
    let mut all = Vec::new();
    for (name, value) in value.entries(report) {
        let setting = if value.is_text() {
            value.text("a string", report).map(|text| Setting::Text(text.value.to_owned()))
        } else if value.is_truth() {
            value.truth(report).map(Setting::Truth)
        } else {
            value.number(report).map(Setting::Number)
        };
        all.extend(setting.map(|setting| (name.value.to_ascii_lowercase(), setting)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_of_the_program_are_good() {
        for language in Language::ALL {
            assert_eq!(Profile::of(language).language, language);
        }
        assert_eq!(Profile::of(Language::Fanuc).couple_3_to_2, -1.0);
    }

    #[test]
    fn a_user_changes_what_differs() {
        let text = "language = \"jbi\"\npulses_per_degree = [1, 2, 3, 4, 5, 6]\nharmless = [\"Grip\"]\n[tools.9]\nxyz_mm = [1, 2, 3]\n";
        let profile = Profile::parse(text).expect("good");
        assert_eq!(profile.split.max_points, Some(9999), "the rest is as in the language's own");
        assert_eq!(profile.pulses_per_degree, Some([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert!(profile.is_harmless("GRIP") && !profile.is_harmless("other"));
        assert_eq!(profile.tool("9").map(|at| at.translation()), Some(DVec3::new(0.001, 0.002, 0.003)));
    }

    #[test]
    fn faults_are_named_with_their_place() {
        for (text, expected) in [
            ("", "needs the key \"language\""),
            ("language = \"basic\"", "\"basic\" is not known"),
            ("language = \"krl\"\nsigns = [1, 2, 1, 1, 1, 1]", "line 2, column 1: a sign is 1 or -1"),
            ("language = \"krl\"\nsign = 3", "did you mean \"signs\"?"),
            ("language = \"krl\"\njoint_speed = 2", "more than 0"),
            ("language = \"krl\"\nmax_points = 1", "no number of points"),
            ("language = \"jbi\"\npulses_per_degree = [0, 1, 1, 1, 1, 1]", "no pulses make no degree"),
            ("language = \"jbi\"\ntools = { a = { xyz = [1, 2, 3] } }", "needs the key \"xyz_mm\""),
            ("language = ", "this is not TOML"),
        ] {
            let faults = Profile::parse(text).expect_err("bad");
            assert!(faults.iter().any(|fault| fault.to_string().contains(expected)), "{text}: {faults:?}");
        }
    }
}
