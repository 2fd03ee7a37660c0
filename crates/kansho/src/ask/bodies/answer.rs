//! What was found of two moving bodies.

use super::Interpolation;
use crate::answer::{ExitCode, Message, VerdictWord};
use kansho_check::moving_bodies::{AtStart, Named, Names, Witness};
use kansho_geom::triangle::Feature;
use schemars::JsonSchema;
use serde::Serialize;

/// How to look for contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Space and time are divided, and exact polynomials decide.
    #[default]
    Combined,
    /// Exact polynomials of all pairs of features that space does not keep apart.
    Intersect,
    /// Distances at instants, and bounds on movement in spans.
    Bisect {
        /// Which condition proves a span free.
        rule: Rule,
        /// What is bisected.
        shape: Shape,
    },
}

impl Method {
    /// Its word in answers.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Combined => "combined",
            Self::Intersect => "intersect",
            Self::Bisect { .. } => "bisect",
        }
    }
}

/// Which condition of the bisection proves a span free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Both ends of a span together; the first contact is the first.
    #[default]
    Sum,
    /// Either end alone, as the paper prints it; the answer may be late.
    Paper,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The meshes.
    #[default]
    Precise,
    /// Balls that cover each.
    Spheres,
}

/// Whether two moving bodies collide.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BodiesAnswer {
    /// The version of this answer.
    pub format: u32,
    /// Free, touches or undecided.
    pub verdict: VerdictWord,
    /// `combined`, `intersect` or `bisect`.
    pub method: &'static str,
    /// Which condition the bisection used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
    /// How the motions go from pose to pose.
    pub interpolate: Interpolation,
    /// What was looked at.
    pub shape: Shape,
    /// By how much each motion is not rigid: max |R'R - I|.
    pub shear: [f64; 2],
    /// How many pieces each motion has.
    pub segments: [usize; 2],
    /// Spans of time that were looked at.
    pub spans: u64,
    /// Instants at which a distance was measured.
    pub instants: u64,
    /// Pairs of parts in spans that were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<u64>,
    /// Pairs of features whose polynomials were solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub polynomials: Option<u64>,
    /// The largest distance between a motion and its cubics that proofs took off, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inflated: Option<f64>,
    /// The proof, the contact, or what is open.
    #[serde(flatten)]
    pub found: BodiesVerdict,
    /// The file of the certificate, if one was wanted of a free motion; null if none could be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Option<String>>,
    /// What is odd about the files.
    pub warnings: Vec<Message>,
}

/// The proof, the contact, or what is open.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BodiesVerdict {
    /// They never collide.
    Free {
        /// A bound below the gap at every instant, in metres.
        clearance: f64,
    },
    /// Their first contact.
    Touches(Box<BodiesContact>),
    /// Neither is proven.
    Undecided {
        /// From here to there, as fractions of the motion.
        open: [f64; 2],
    },
}

/// The first contact of two bodies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BodiesContact {
    /// It lies in this span, as fractions of the motion; they are in contact at its end.
    pub t: [f64; 2],
    /// How they meet if they do so at the start: `touch`, `a inside b` or `b inside a`.
    pub at_start: Option<&'static str>,
    /// The triangles that touch, numbered as in the files.
    pub triangles: [u32; 2],
    /// What of these triangles touches.
    pub features: [FeatureAnswer; 2],
    /// What of the polyhedra that is, if it is clear.
    pub named: [Option<NamedFeature>; 2],
    /// The nearest points of these triangles in the world.
    pub points: [[f64; 3]; 2],
    /// A unit vector from A to B, if the features define one.
    pub normal: Option<[f64; 3]>,
    /// Where both bodies are, as rows of twelve numbers.
    pub poses: [[f64; 12]; 2],
}

/// What of a triangle touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FeatureAnswer {
    /// A corner, from 0.
    Corner(u8),
    /// An edge, from 0.
    Edge(u8),
    /// Its face.
    Face,
}

/// What of a polyhedron touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum NamedFeature {
    /// A corner.
    Vertex {
        /// Its number.
        vertex: u32,
    },
    /// An edge.
    Edge {
        /// Its number.
        edge: u32,
        /// The faces on its left and on its right; null where the surface ends.
        faces: [Option<u32>; 2],
    },
    /// A face.
    Face {
        /// Its number.
        face: u32,
    },
}

impl BodiesContact {
    pub(super) fn of(found: &Witness, names: &[Names; 2]) -> Self {
        let named = |k: usize| {
            Some(match names[k].name(found.triangles[k], found.features[k])? {
                Named::Vertex(id) => NamedFeature::Vertex { vertex: id.0 },
                Named::Edge { edge, faces } => {
                    NamedFeature::Edge { edge, faces: faces.map(|face| face.map(|face| face.0)) }
                }
                Named::Face(id) => NamedFeature::Face { face: id.0 },
            })
        };
        Self {
            t: [found.time.start, found.time.end],
            at_start: found.at_start.map(|how| match how {
                AtStart::Touch => "touch",
                AtStart::FirstInside => "a inside b",
                AtStart::SecondInside => "b inside a",
            }),
            triangles: found.triangles,
            features: found.features.map(|feature| match feature {
                Feature::Corner(k) => FeatureAnswer::Corner(k),
                Feature::Side(k) => FeatureAnswer::Edge(k),
                Feature::Face => FeatureAnswer::Face,
            }),
            named: [0, 1].map(named),
            points: found.points.map(|point| point.to_array()),
            normal: found.normal.map(|normal| normal.to_array()),
            poses: found.world_from_bodies.map(|pose| pose.to_rows()),
        }
    }
}

impl BodiesAnswer {
    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        self.verdict.exit_code()
    }
}
