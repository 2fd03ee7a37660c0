//! Two polyhedra that move: proven free at every instant, or their first contact.
//!
//! | part | answers |
//! |---|---|
//! | [`moving`] | free with a certificate, first contact with a witness, or undecided |
//! | [`bisect`] | the same by distances at instants and ways in spans |
//! | [`spheres`] | distances and ways of shapes covered by balls |
//! | [`gap()`] | how far apart at an instant? |
//! | [`Names`] | which vertex, edge or face of the polyhedron was that? |
//! | [`BodiesCertificate`] | why they never touch; [`verify_bodies`](kansho_verify::bodies::verify_bodies) re-checks it |
//!
//! # How
//!
//! In a span every point runs on, or provably near, a cubic. So its height along a direction is a polynomial, and lies between its
//! coefficients in Bernstein's form: a direction along which all of one part stays beyond all of another proves a pair of parts free
//! through the span, however long it is, in one step; or free until some instant in it. What may touch soonest is looked at first, from
//! that instant on, and divided. Two triangles on cubics that are left over are decided exactly ([`kansho_geom::moving_features`]); on other
//! motions they are followed until they are within the resolution. A certificate is made by a second search, which halves time.

pub mod bisect;
mod body;
mod certificate;
mod features;
mod first;
mod gap;
mod hull;
mod names;
mod search;
mod separate;
pub mod spheres;

pub use body::Body;
pub(crate) use body::Part;
pub(crate) use first::{Sooner, Waiting};
pub use gap::{Gap, gap};
pub use names::{Named, Names};
pub(crate) use search::{Hit, Outcome, direction};

use crate::verdict::Verdict;
use bisect::{BisectOptions, Bisected, Ending, Measured, collision};

use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Affine, Course, Motion, Span, together};
use kansho_geom::tree::{self, Meeting, Scratch};
use kansho_geom::triangle::Feature;
use kansho_geom::{NotRigid, Pose};
use kansho_verify::bodies::BodiesCertificate;
use search::{Memory, Search};

/// How to look for contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Space and time are divided until directions prove or triangles decide.
    #[default]
    Combined,
    /// The intersection method: every pair of triangles that boxes do not keep apart is decided by its polynomials. For motions other
    /// than cubics, space and time are halved as for a certificate.
    Intersect,
}

/// What to prove, and how far to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingOptions {
    /// How to look.
    pub method: Method,
    /// The gap that is wanted, in metres: as near as this is a contact. With zero, cubic motions are decided exactly. Less than zero is
    /// taken as zero.
    pub clearance: f64,
    /// Where contacts are not decided exactly, a gap that exceeds the clearance by no more than this may be called one, in metres; or by
    /// no more than rounding hides, some 1e-13 of the coordinates.
    pub resolution: f64,
    /// Width of the span in which a first contact is given, as a fraction of the motion.
    pub time_tolerance: f64,
    /// Whether to keep a certificate.
    pub certificate: bool,
    /// Most regions to look at. Beyond it the answer is undecided.
    pub most_regions: u64,
}

impl Default for MovingOptions {
    fn default() -> Self {
        Self {
            method: Method::Combined,
            clearance: 0.0,
            resolution: 1e-9,
            time_tolerance: 1e-9,
            certificate: false,
            most_regions: 5_000_000,
        }
    }
}

/// Why they are free.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// A bound below the gap at every instant; zero where only exact signs prove that it is positive.
    pub clearance: f64,
    /// If it was asked for and could be made: bodies within 1e-16 of their size of each other may be proven free by exact polynomials
    /// alone, and some take more steps than were allowed.
    pub certificate: Option<BodiesCertificate>,
}

/// The first contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// It lies in this span; they are in contact at its end. A fraction of the whole motion.
    pub time: Span,
    /// Where both bodies are at its end.
    pub world_from_bodies: [Affine; 2],
    /// The triangles that touch, numbered as in the meshes.
    pub triangles: [u32; 2],
    /// With these features.
    pub features: [Feature; 2],
    /// The closest points of these triangles in the world, one on each.
    pub points: [DVec3; 2],
    /// A unit vector from the first body to the second, if the features define one.
    pub normal: Option<DVec3>,
    /// How they meet if they do so at the start.
    pub at_start: Option<AtStart>,
}

/// What is found at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtStart {
    /// Surfaces meet.
    Touch,
    /// The first body, or a piece of it, lies inside the second.
    FirstInside,
    /// The second lies inside the first.
    SecondInside,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pairs of parts in spans that were looked at.
    pub regions: u64,
    /// Distinct spans.
    pub spans: u64,
    /// Distances that were measured at an instant.
    pub instants: u64,
    /// Pairs of features whose polynomials were solved.
    pub asked: u64,
}

/// An answer, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Free, touches or undecided.
    pub verdict: Verdict<Proof, Witness>,
    /// What it took.
    pub counters: Counters,
    /// The largest distance between a motion and its cubic that proofs took off, in metres: only rounding where motions are cubics.
    pub inflated: f64,
}

/// Memory that searches use again. One for each thread.
#[derive(Debug, Default)]
pub struct MovingScratch {
    waiting: Waiting,
    memory: Memory,
    tree: Scratch,
}

/// Whether two bodies stay apart while they move.
///
/// ```
/// use kansho_check::moving_bodies::{Body, MovingOptions, MovingScratch, moving};
/// use kansho_geom::{Pose, Primitive, glam::DVec3, pose_motion::Motion, primitive::Shape};
/// use std::sync::Arc;
/// let cube = Primitive::new(Shape::Box { size: DVec3::ONE })?.tessellated(0.1).expect("a box has a mesh");
/// let cube = Body::new(Arc::new(cube));
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let (still, pass) = (Motion::still(at(0.0)), Motion::linear(at(-3.0), at(3.0)));
/// let report = moving([&cube, &cube], [&still, &pass], &MovingOptions::default(), &mut MovingScratch::default());
/// assert!(report.verdict.touches());
/// # Ok::<(), kansho_geom::primitive::ShapeFault>(())
/// ```
#[must_use]
pub fn moving(
    bodies: [&Body; 2],
    motions: [&Motion; 2],
    options: &MovingOptions,
    scratch: &mut MovingScratch,
) -> Report {
    let mut counters = Counters::default();
    if options.clearance.is_nan() {
        return Report { verdict: Verdict::Undecided { open: Span::WHOLE }, counters, inflated: 0.0 };
    }
    let options = &MovingOptions { clearance: options.clearance.max(0.0), ..*options };
    let starts = motions.map(|motion| motion.at(0.0));
    if let Some(at_start) = start(bodies, starts, &mut scratch.tree) {
        let witness = start_witness(bodies, starts, at_start, &mut scratch.tree);
        return Report { verdict: Verdict::Touches(witness), counters, inflated: 0.0 };
    }
    let is_exact = options.clearance == 0.0;
    let mut inflated: f64 = 0.0;
    let mut clearance = f64::INFINITY;
    let mut steps = Some(Vec::new());
    // An unresolved span of no more than the tolerance may lie before a contact.
    let inner = MovingOptions { time_tolerance: options.time_tolerance * 0.25, ..*options };
    for (span, pieces) in together(motions[0], motions[1]) {
        let exact = match (is_exact, pieces[0].controls(), pieces[1].controls()) {
            (true, Some(a), Some(b)) => Some([a, b]),
            _ => None,
        };
        let method = if exact.is_some() { options.method } else { Method::Combined };
        let options = MovingOptions { method, ..inner };
        let mut outcome = Outcome::Free;
        let halves = inner.method == Method::Intersect;
        let mut sooner_clearance = f64::NEG_INFINITY;
        if !halves {
            let mut sooner = Sooner {
                bodies,
                pieces: &pieces,
                options: &options,
                waiting: &mut scratch.waiting,
                counters: &mut counters,
                exact,
                clearance,
                inflated,
                hit: None,
                unresolved: None,
            };
            outcome = sooner.run();
            (sooner_clearance, inflated) = (sooner.clearance, sooner.inflated);
        }
        // What is free is proven once more if a certificate is wanted, in steps that can be written down.
        if matches!(outcome, Outcome::Free) && (options.certificate || halves) {
            let mut search = Search {
                bodies,
                pieces: &pieces,
                options: &options,
                memory: &mut scratch.memory,
                counters: &mut counters,
                exact,
                hit: None,
                unresolved: f64::INFINITY,
                unresolved_span: None,
                no_evidence: false,
                clearance,
                inflated,
            };
            let certified = search.run();
            if halves {
                (outcome, clearance, inflated) = (certified, search.clearance, search.inflated);
            } else if matches!(certified, Outcome::Free) {
                // Both are bounds.
                (clearance, inflated) = (search.clearance.max(sooner_clearance), search.inflated);
            } else {
                // It is proven all the same, by steps that are not kept.
                (clearance, steps) = (sooner_clearance, None);
            }
        } else {
            clearance = sooner_clearance;
        }
        let verdict = match outcome {
            Outcome::Free => {
                if let (true, Some(known)) = (options.certificate, &mut steps) {
                    match scratch.memory.draft.in_order() {
                        Some(found) => known.push(found),
                        None => steps = None,
                    }
                }
                continue;
            }
            Outcome::Touches(hit) => Verdict::Touches(witness(bodies, motions, &pieces, span, &hit)),
            Outcome::Undecided(open) => Verdict::Undecided { open: span.part(open) },
        };
        return Report { verdict, counters, inflated };
    }
    let certificate = steps.filter(|_| options.certificate).map(|pieces| BodiesCertificate {
        orders: bodies.map(|body| body.order().to_vec()),
        clearance: options.clearance,
        pieces,
    });
    Report { verdict: Verdict::Free(Proof { clearance, certificate }), counters, inflated }
}

/// How two bodies meet at the start, if they do.
fn start(bodies: [&Body; 2], placed: [Affine; 2], scratch: &mut Scratch) -> Option<AtStart> {
    let [a, b] = bodies;
    let rigid = |affine: &Affine| -> Result<Pose, NotRigid> {
        // Poses may have been read with six digits; what is less rigid than rounding is not replaced by a pose here.
        let shear = affine.shear();
        if shear > 1e-12 { Err(NotRigid::Sheared(shear)) } else { Pose::from_rows(&affine.to_rows()) }
    };
    if let (Ok(world_from_a), Ok(world_from_b)) = (rigid(&placed[0]), rigid(&placed[1])) {
        return match tree::meet(a.tree(), b.tree(), world_from_a.inverse() * world_from_b, scratch) {
            Meeting::Apart => None,
            Meeting::Touch(_) => Some(AtStart::Touch),
            Meeting::FirstInside => Some(AtStart::FirstInside),
            Meeting::SecondInside => Some(AtStart::SecondInside),
        };
    }
    let found = gap(a, b, &placed[0], &placed[1], scratch);
    match (found.distance == 0.0, found.inside) {
        (true, _) => Some(AtStart::Touch),
        (false, false) => None,
        (false, true) => {
            let corner = a.mesh().vertices()[0];
            let there = placed[1].back(placed[0] * corner);
            let first = there.is_some_and(|there| b.tree().holds(there, scratch));
            Some(if first { AtStart::FirstInside } else { AtStart::SecondInside })
        }
    }
}

fn start_witness(
    bodies: [&Body; 2],
    placed: [Affine; 2],
    at_start: AtStart,
    scratch: &mut Scratch,
) -> Witness {
    let [a, b] = bodies;
    let found = gap(a, b, &placed[0], &placed[1], scratch);
    Witness {
        time: Span::new(0.0, 0.0),
        world_from_bodies: placed,
        triangles: found.triangles,
        features: found.features,
        points: found.points,
        normal: None,
        at_start: Some(at_start),
    }
}

fn witness(
    bodies: [&Body; 2],
    motions: [&Motion; 2],
    pieces: &[kansho_geom::pose_motion::MotionPiece; 2],
    whole: Span,
    hit: &Hit,
) -> Witness {
    let time = whole.part(hit.time);
    let corners_at = |placed: &[Affine; 2]| {
        let of = |k: usize| bodies[k].corners(hit.triangles[k]).map(|p| placed[k] * p);
        [of(0), of(1)]
    };
    let placed = [0, 1].map(|k: usize| pieces[k].at(hit.time.end));
    let [in_a, in_b] = corners_at(&placed);
    let closest = kansho_geom::triangle::closest(&in_a, &in_b);
    let features = hit.features.unwrap_or(closest.features);
    // Which way they came: a little earlier they were apart.
    let earlier = [0, 1].map(|k: usize| motions[k].at((time.start - 1e-6).max(0.0)));
    let [before_a, before_b] = corners_at(&earlier);
    let came = kansho_geom::triangle::closest(&before_a, &before_b);
    let came = came.points[1] - came.points[0];
    let side = |t: &[DVec3; 3], k: u8| t[(k as usize + 1) % 3] - t[k as usize];
    let face = |t: &[DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
    let across = match features {
        [Feature::Face, _] => face(&in_a),
        [_, Feature::Face] => face(&in_b),
        [Feature::Side(i), Feature::Side(j)] => side(&in_a, i).cross(side(&in_b, j)),
        _ => DVec3::ZERO,
    };
    let normal = across.try_normalize().map(|n| if n.dot(came) < 0.0 { -n } else { n });
    Witness {
        time,
        world_from_bodies: placed,
        triangles: [0, 1].map(|k: usize| bodies[k].order()[hit.triangles[k] as usize]),
        features,
        points: closest.points,
        normal,
        at_start: None,
    }
}

/// The bisection method on precise shapes: distances of the meshes, ways of the corners of boxes around them.
#[must_use]
pub fn bisected(
    bodies: [&Body; 2],
    motions: [&Motion; 2],
    options: &BisectOptions,
    scratch: &mut MovingScratch,
) -> Bisected {
    let measure = |t: f64| {
        let found = gap(bodies[0], bodies[1], &motions[0].at(t), &motions[1].at(t), &mut scratch.tree);
        let at_most = if found.overlap() { 0.0 } else { found.distance + found.rounding };
        Measured { at_least: found.at_least(), at_most, overlap: found.overlap() }
    };
    let corners = bodies.map(Body::box_corners);
    let travel = |span: Span| {
        let of = |k: usize| {
            let way = |&corner: &DVec3| motions[k].travel(span, corner, 0.0);
            corners[k].iter().map(way).fold(0.0, f64::max)
        };
        of(0) + of(1)
    };
    collision(measure, travel, options)
}

/// What the bisection method found, as a verdict; the witness is looked up at the instant of the contact.
#[must_use]
pub fn verdict_of(
    bisected: &Bisected,
    bodies: [&Body; 2],
    motions: [&Motion; 2],
    scratch: &mut MovingScratch,
) -> Verdict<Proof, Witness> {
    let at = |time: Span, at_start: Option<AtStart>, scratch: &mut MovingScratch| {
        let placed = motions.map(|motion| motion.at(time.end));
        let found = gap(bodies[0], bodies[1], &placed[0], &placed[1], &mut scratch.tree);
        Witness {
            time,
            world_from_bodies: placed,
            triangles: found.triangles,
            features: found.features,
            points: found.points,
            normal: (found.points[1] - found.points[0]).try_normalize(),
            at_start,
        }
    };
    match bisected.ending {
        Ending::Free { clearance } => Verdict::Free(Proof { clearance, certificate: None }),
        // First halves come first, so all that is before the span is proven free, whatever the rule. The paper's is not followed back within it.
        Ending::Contact(span) => Verdict::Touches(at(span, None, scratch)),
        Ending::Undecided(open) => Verdict::Undecided { open },
        Ending::AtStart => {
            let at_start = start(bodies, motions.map(|motion| motion.at(0.0)), &mut scratch.tree);
            Verdict::Touches(at(Span::new(0.0, 0.0), Some(at_start.unwrap_or(AtStart::Touch)), scratch))
        }
    }
}
