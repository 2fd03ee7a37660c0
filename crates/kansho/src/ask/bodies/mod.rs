//! Do two meshes that move collide? Proven free at every instant, or their first contact.

mod answer;
mod text;

pub use answer::{
    BodiesAnswer, BodiesContact, BodiesVerdict, FeatureAnswer, Method, NamedFeature, Rule, Shape,
};

use crate::answer::{FORMAT, VerdictWord};
use kansho_check::moving_bodies::bisect::{self, BisectOptions, Bisected, Ending};
use kansho_check::moving_bodies::{
    self as engine, Body, MovingOptions, MovingScratch, Names, Proof, Witness, bisected, moving, spheres,
    verdict_of,
};
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::pose_motion::{Leg, Motion, MotionFault};
use kansho_geom::spheres::{CoverFault, Goal};
use kansho_io::Fault;
use kansho_verify::file::{CertifiedBodies, bodies};
use schemars::JsonSchema;
use serde::Serialize;

/// Balls for each rough shape.
const BALLS: usize = 64;

/// What is a contact for the bisection unless it is said, in metres.
const BISECTION_CONTACT: f64 = 1e-3;

/// How to go from pose to pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Every entry of the matrix a cubic through four poses.
    #[default]
    Cubic,
    /// Every point on a straight line from pose to pose.
    Linear,
    /// The origin on a straight line, the rotation at a constant rate.
    Slerp,
    /// About and along one axis from pose to pose.
    Screw,
    /// Smooth through all poses.
    Spline,
}

impl Interpolation {
    /// The motion through poses of a body in the world.
    ///
    /// # Errors
    /// There are too few poses, or not 3n + 1 of them for cubics.
    pub fn motion(self, poses: &[Pose]) -> Result<Motion, MotionFault> {
        match self {
            Self::Cubic => Motion::cubic(poses),
            Self::Linear => Motion::legs(poses, Leg::Linear),
            Self::Slerp => Motion::legs(poses, Leg::Slerp),
            Self::Screw => Motion::legs(poses, Leg::Screw),
            Self::Spline => Motion::spline(poses),
        }
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodiesOptions {
    /// How the motions were made of poses: told in the answer.
    pub interpolation: Interpolation,
    /// How to look for contacts.
    pub method: Method,
    /// As near as this many metres is a contact; by default 0, and 0.001 for the bisection.
    pub contact_distance: Option<f64>,
    /// Whether a certificate is wanted.
    pub certificate: bool,
}

/// The answer, and why they never touch if that was wanted and could be shown.
#[derive(Clone, Debug)]
pub struct AnsweredBodies {
    /// The answer.
    pub answer: BodiesAnswer,
    /// For a free motion, if it was wanted: the certificate with all that it is about, or why there is none.
    pub certificate: Option<Result<CertifiedBodies, Fault>>,
}

/// Asks whether two bodies collide while they move, both from start to end at the same time.
///
/// # Errors
/// The bodies cannot be covered by balls, where these are asked for.
pub fn bodies(
    names: [String; 2],
    [a, b]: [&Body; 2],
    motions: [&Motion; 2],
    options: &BodiesOptions,
) -> Result<AnsweredBodies, CoverFault> {
    let mut scratch = MovingScratch::default();
    let shear = motions.map(Motion::shear);
    let mut answer = BodiesAnswer {
        format: FORMAT,
        verdict: VerdictWord::Undecided,
        method: options.method.word(),
        rule: None,
        interpolate: options.interpolation,
        shape: Shape::Precise,
        shear,
        segments: motions.map(|motion| motion.pieces().len()),
        spans: 0,
        instants: 0,
        regions: None,
        polynomials: None,
        inflated: None,
        found: BodiesVerdict::Undecided { open: [0.0, 1.0] },
        certificate: None,
        warnings: Vec::new(),
    };
    let pair = [a, b];
    let mut verdict = if let Method::Bisect { rule, shape } = options.method {
        let (verdict, found) = bisection(pair, motions, rule, shape, options, &mut scratch)?;
        (answer.rule, answer.shape) = (Some(rule), shape);
        (answer.spans, answer.instants) = (found.trace.len() as u64, found.instants as u64);
        if options.certificate { certified(verdict, pair, motions, options, &mut scratch) } else { verdict }
    } else {
        let asked = MovingOptions {
            method: match options.method {
                Method::Intersect => engine::Method::Intersect,
                Method::Combined | Method::Bisect { .. } => engine::Method::Combined,
            },
            clearance: options.contact_distance.unwrap_or(0.0),
            certificate: options.certificate,
            ..MovingOptions::default()
        };
        let report = moving(pair, motions, &asked, &mut scratch);
        (answer.spans, answer.instants) = (report.counters.spans, report.counters.instants);
        (answer.regions, answer.polynomials) = (Some(report.counters.regions), Some(report.counters.asked));
        answer.inflated = Some(report.inflated);
        report.verdict
    };
    let certificate = match &mut verdict {
        Verdict::Free(proof) if options.certificate => {
            let meshes = pair.map(|body| (**body.mesh()).clone());
            let motions = motions.map(Motion::clone);
            let found = proof.certificate.take();
            let whole = found.map(|certificate| CertifiedBodies { names, meshes, motions, certificate });
            Some(whole.ok_or_else(no_certificate))
        }
        _ => None,
    };
    let names = || pair.map(|body| Names::of(body.mesh()));
    (answer.verdict, answer.found) = match &verdict {
        Verdict::Free(proof) => (VerdictWord::Free, BodiesVerdict::Free { clearance: proof.clearance }),
        Verdict::Undecided { open } => {
            (VerdictWord::Undecided, BodiesVerdict::Undecided { open: [open.start, open.end] })
        }
        Verdict::Touches(found) => {
            (VerdictWord::Touches, BodiesVerdict::Touches(Box::new(BodiesContact::of(found, &names()))))
        }
    };
    Ok(AnsweredBodies { answer, certificate })
}

/// The text of a certificate's file.
///
/// # Panics
/// If motions are not made of poses.
#[must_use]
pub fn certificate_text(certified: &CertifiedBodies) -> String {
    bodies::to_json(certified).expect("poses make whole pieces of equal length")
}

fn no_certificate() -> Fault {
    Fault::of_file(
        "no certificate could be made, and none is written: that they are free is proven, but they come so near that no \
         directions show it in as many steps as are allowed",
    )
}

fn bisection(
    pair: [&Body; 2],
    motions: [&Motion; 2],
    rule: Rule,
    shape: Shape,
    options: &BodiesOptions,
    scratch: &mut MovingScratch,
) -> Result<(Verdict<Proof, Witness>, Bisected), CoverFault> {
    let asked = BisectOptions {
        rule: match rule {
            Rule::Sum => bisect::Rule::Sum,
            Rule::Paper => bisect::Rule::Paper,
        },
        contact: options.contact_distance.unwrap_or(BISECTION_CONTACT),
        ..BisectOptions::default()
    };
    if shape == Shape::Precise {
        let found = bisected(pair, motions, &asked, scratch);
        return Ok((verdict_of(&found, pair, motions, scratch), found));
    }
    // Balls cover surfaces only: whether one body is inside the other is asked of the meshes.
    let start = BisectOptions { most_spans: 0, contact: 0.0, ..asked };
    let at_start = bisected(pair, motions, &start, scratch);
    let [a, b] = pair.map(|body| spheres::cover(body, Goal::Count(BALLS)));
    let mut found = spheres::bisected([&a?, &b?], motions, &asked);
    if at_start.ending == Ending::AtStart {
        found.ending = Ending::AtStart;
    }
    Ok((verdict_of(&found, pair, motions, scratch), found))
}

/// Bisection keeps no certificate: of what it found free, the other search makes it, for the same gap.
fn certified(
    verdict: Verdict<Proof, Witness>,
    pair: [&Body; 2],
    motions: [&Motion; 2],
    options: &BodiesOptions,
    scratch: &mut MovingScratch,
) -> Verdict<Proof, Witness> {
    let Verdict::Free(proof) = &verdict else { return verdict };
    let clearance = options.contact_distance.unwrap_or(BISECTION_CONTACT);
    let asked = MovingOptions { clearance, certificate: true, ..MovingOptions::default() };
    match moving(pair, motions, &asked, scratch).verdict {
        Verdict::Free(Proof { certificate, .. }) => {
            Verdict::Free(Proof { clearance: proof.clearance, certificate })
        }
        _ => verdict,
    }
}
