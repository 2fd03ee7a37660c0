//! The answers of `check`.

use super::partial::PartialAnswer;
use super::place::MotionPlace;
use crate::answer::{ExitCode, Message, VerdictWord};
use kansho_geom::solid;
use kansho_geom::triangle::Feature;
use schemars::JsonSchema;
use serde::Serialize;

/// Whether one motion is free, or where it first collides.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckAnswer {
    /// The version of this answer.
    pub format: u32,
    /// The verdict, and what belongs to it.
    #[serde(flatten)]
    pub found: MotionVerdict,
    /// How many waypoints a motion of all joints has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waypoints: Option<usize>,
    /// How many moves a motion along Cartesian paths has, its start included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<usize>,
    /// The orientation interpolation that the answer is about: the worst one that was proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub law: Option<String>,
    /// The verdict with each orientation interpolation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<LawVerdict>,
    /// What is odd about the cell and the motion.
    pub warnings: Vec<Message>,
    /// Instants at which gaps were measured.
    pub instants: u64,
    /// Nodes of bounding trees that were visited.
    pub nodes: u64,
    /// Pairs of triangles that were decided exactly.
    pub exact: u64,
    /// Where the certificate was written; null where a motion is free and none could be made. Missing where none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub certificate: Option<Option<String>>,
    /// What of a robot program is proven, where not all of it is understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<PartialAnswer>,
    /// How many steps that certificate has.
    #[serde(skip)]
    pub certificate_steps: usize,
}

/// A verdict, and what belongs to it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum MotionVerdict {
    /// Proven free.
    Free(FreeMotion),
    /// Its first contact, or the first time it comes as near as the clearance.
    Touches(Box<MotionContact>),
    /// Neither.
    Undecided(OpenMotion),
}

/// A motion that is free.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FreeMotion {
    /// A proven lower bound of all gaps, in metres; null where nothing that is checked can touch.
    pub clearance: Option<f64>,
    /// The smallest gap that was measured. That is an upper bound of the least gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearPair>,
    /// In how many pieces a Cartesian path was bounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<usize>,
    /// How far joints may be off these pieces, in metres at the bodies: counted in the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

/// A gap that was measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NearPair {
    /// The gap, in metres.
    pub gap: f64,
    /// When, as a fraction of the motion.
    pub t: f64,
    /// The pair, as `a|b`.
    pub pair: String,
    /// Its two nearest points in the world.
    pub points: [[f64; 3]; 2],
    /// Where in the motion.
    #[serde(flatten)]
    pub place: MotionPlace,
}

/// The first contact of a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MotionContact {
    /// It lies after the first of these and at or before the second, as fractions of the motion.
    pub t: [f64; 2],
    /// Whether the motion begins with it.
    pub at_start: bool,
    /// The pair, as `a|b`.
    pub pair: String,
    /// Its gap, in metres: zero where it touches.
    pub gap: f64,
    /// Its two points in the world.
    pub points: [[f64; 3]; 2],
    /// What of its two bodies touches there.
    pub on: [On; 2],
    /// The posture at the second instant.
    pub posture: Vec<f64>,
    /// The joints of that posture.
    pub joints: Vec<String>,
    /// All pairs that touch at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<StartContact>,
    /// Where in the motion.
    #[serde(flatten)]
    pub place: MotionPlace,
    /// The two bodies.
    #[serde(skip)]
    pub bodies: [String; 2],
}

/// A pair that touches at the start of a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StartContact {
    /// The pair, as `a|b`.
    pub pair: String,
    /// Bounds of how deep the bodies are in each other, in metres; null where that was not found.
    pub depth: Option<[f64; 2]>,
}

/// A motion that is neither free nor touches, as far as is known.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpenMotion {
    /// The first span of which nothing is known, as fractions of the motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<[f64; 2]>,
    /// How many moves of a robot program were never reached: those that were are free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<usize>,
    /// Where in the motion that span begins.
    #[serde(flatten)]
    pub place: Option<MotionPlace>,
    /// Why nothing is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<WhyOpen>,
}

/// Why a motion is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WhyOpen {
    /// The time for the answer ran out.
    Time,
    /// Not every path inside a rounded corner could be proven free.
    Corner,
    /// Bodies come so near to each other, or to the clearance, that neither could be shown in as many steps as are allowed.
    Near,
    /// The motion is too long for as many steps as are allowed; bodies are far apart where it is open.
    Long,
}

/// The verdict with one orientation interpolation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LawVerdict {
    /// Its name.
    pub law: String,
    /// The verdict.
    pub verdict: VerdictWord,
}

/// What of a body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase", untagged)]
pub enum On {
    /// A part of a triangle of its mesh.
    Triangle {
        /// Which triangle, by its place in the mesh, from 0.
        triangle: u32,
        /// What of it.
        feature: OnTriangle,
    },
    /// Something of a shape without triangles.
    Shape(OnShape),
}

/// What of a triangle touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnTriangle {
    /// Its inside.
    Face,
    /// The edge with this number, from 0.
    Edge(u8),
    /// The corner with this number, from 0.
    Corner(u8),
}

/// What of a shape touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnShape {
    /// Its surface.
    Surface,
    /// One body is inside the other.
    Inside,
}

impl From<solid::On> for On {
    fn from(on: solid::On) -> Self {
        match on {
            solid::On::Surface => Self::Shape(OnShape::Surface),
            solid::On::Inside => Self::Shape(OnShape::Inside),
            solid::On::Triangle { index, feature } => Self::Triangle {
                triangle: index,
                feature: match feature {
                    Feature::Face => OnTriangle::Face,
                    Feature::Side(k) => OnTriangle::Edge(k),
                    Feature::Corner(k) => OnTriangle::Corner(k),
                },
            },
        }
    }
}

impl CheckAnswer {
    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> VerdictWord {
        match &self.found {
            MotionVerdict::Free(_) => VerdictWord::Free,
            MotionVerdict::Touches(_) => VerdictWord::Touches,
            MotionVerdict::Undecided(_) => VerdictWord::Undecided,
        }
    }

    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        self.verdict().exit_code()
    }
}
