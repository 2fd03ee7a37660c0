//! A body that moves in contact: does anything but the named features touch?
//!
//! A motion that keeps a contact cannot be proven free by gaps, for there is none. Here every pair of triangles is proven by
//! itself: apart by a gap that is larger than what it can travel in a span of time; or, where both have corners of features
//! that may touch, by a direction along which the moving triangle stays above and the other one below, but for those
//! corners. On straight lines and turns heights along a direction have formulas ([`Wave`]), and so their bounds in a span
//! are exact up to rounding. The direction may stand still, turn with the body, or stay across an edge of each.
//!
//! What is free is proven: at every instant, whatever the two surfaces have in common lies at features that may touch, in a slab no
//! thicker than twice the tolerance. What is not proven by the time spans are shorter than the resolution is a contact, and the
//! earliest is told.

pub mod builder;
pub mod certify;
mod inset;
mod side;
mod way;

pub use way::{SlidingMotion, Wave};

use crate::moving_bodies::{Body, Part};
use crate::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use kansho_geom::tree::{self, Meeting, Scratch};
use kansho_geom::triangle::{Feature, closest};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic::{self, AtomicBool};
use std::time::Instant;

/// A feature of a body that may touch: a face, an edge or a corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// All corners of the mesh that belong to it, ascending.
    pub vertices: Vec<u32>,
    /// Outward normals of the faces around it, in the frame of the mesh.
    pub normals: Vec<DVec3>,
    /// Its ends, if it is an edge.
    pub edge: Option<[DVec3; 2]>,
}

/// Two features that may touch, of the moving and of the fixed body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MayTouch {
    /// Of the body that moves.
    pub moving: Patch,
    /// Of the one that stands still.
    pub fixed: Patch,
}

/// What to prove, and how far to go.
#[derive(Clone, Copy, Debug)]
pub struct KeptOptions<'a> {
    /// How deep features that may touch may overlap, in metres.
    pub tolerance: f64,
    /// Other features that are nearer than this, in metres, may be called in contact.
    pub resolution: f64,
    /// Most regions to look at. Beyond it the answer is undecided.
    pub most_regions: u64,
    /// When to stop; what is not decided by then is undecided.
    pub deadline: Option<Instant>,
    /// Set by others when nobody waits for the answer any more: it is undecided then.
    pub stop: Option<&'a AtomicBool>,
}

/// Why nothing but the named features touches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KeptProof {
    /// Pairs of parts in spans that were proven.
    pub regions: u64,
    /// How many of these have corners that may touch.
    pub kept: u64,
}

/// The first contact that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blocked {
    /// When, as a fraction of the way.
    pub t: f64,
    /// Triangles of the moving and of the fixed mesh.
    pub triangles: [u32; 2],
    /// What of these touches.
    pub features: [Feature; 2],
    /// Where, in the world, on each.
    pub points: [DVec3; 2],
    /// Whether it lies at features that may touch, but not that deep.
    pub pressed: bool,
    /// What was proven of the way before.
    pub before: KeptProof,
}

/// Why a question is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WhyOpen {
    /// The deadline is over.
    Time,
    /// Nobody waits for the answer any more.
    Stopped,
    /// As many regions as may be were looked at.
    Regions(u64),
    /// Two surfaces pass each other at this place so near, and so much along each other, that rounding hides whether they touch.
    Near {
        /// The closest points of the moving and of the fixed body.
        points: [DVec3; 2],
        /// How far they are from each other, in metres.
        gap: f64,
    },
    /// Features that may touch were not proven to stay on their sides of a plane here, and yet the bodies are not found in each other.
    Pressed {
        /// The closest points of the moving and of the fixed body.
        points: [DVec3; 2],
    },
    /// A tolerance or resolution that is no length.
    NoLength,
}

/// What [`kept`] says, with the reason where it is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kept {
    /// Proven: nothing but the named features touches.
    Free(KeptProof),
    /// The first contact that is not allowed.
    Touches(Blocked),
    /// Neither, from an instant on.
    Open {
        /// From there on.
        span: Span,
        /// Why.
        why: WhyOpen,
    },
}

/// The same as [`kept_or_why`], without the reason.
#[must_use]
pub fn kept(
    bodies: [&Body; 2],
    way: &SlidingMotion,
    may_touch: &[MayTouch],
    options: &KeptOptions<'_>,
) -> Verdict<KeptProof, Blocked> {
    match kept_or_why(bodies, way, may_touch, options) {
        Kept::Free(proof) => Verdict::Free(proof),
        Kept::Touches(blocked) => Verdict::Touches(blocked),
        Kept::Open { span, .. } => Verdict::Undecided { open: span },
    }
}

/// Whether a body moves along a way past another one, which stands in the world, with no contact but those that are named.
///
/// ```
/// use kansho_check::sliding_contact::{KeptOptions, MayTouch, Patch, SlidingMotion, kept};
/// use kansho_check::moving_bodies::Body;
/// use kansho_geom::{Pose, Primitive, glam::DVec3, primitive::Shape};
/// use std::sync::Arc;
/// let cube = Primitive::new(Shape::Box { size: DVec3::ONE })?.tessellated(1.0).expect("a box has a mesh");
/// let cube = Body::new(Arc::new(cube));
/// // A cube slides along the top of another one.
/// let way = SlidingMotion::Straight { from: Pose::from_translation(DVec3::Z), by: DVec3::X * 0.4 };
/// let face = |z: f64| {
///     let vertices = (0u32..).zip(cube.mesh().vertices()).filter(|(_, v)| v.z == z).map(|(k, _)| k).collect();
///     Patch { vertices, normals: vec![DVec3::Z * z.signum()], edge: None }
/// };
/// let options = KeptOptions { tolerance: 1e-9, resolution: 1e-12, most_regions: 100_000, deadline: None, stop: None };
/// assert!(kept([&cube, &cube], &way, &[], &options).touches());
/// let may_touch = [MayTouch { moving: face(-0.5), fixed: face(0.5) }];
/// assert!(kept([&cube, &cube], &way, &may_touch, &options).is_free());
/// # Ok::<(), kansho_geom::primitive::ShapeFault>(())
/// ```
#[must_use]
pub fn kept_or_why(
    [moving, fixed]: [&Body; 2],
    way: &SlidingMotion,
    may_touch: &[MayTouch],
    options: &KeptOptions<'_>,
) -> Kept {
    let from_on = |start: f64, why: WhyOpen| Kept::Open { span: Span::new(start, 1.0), why };
    let lengths = [options.tolerance, options.resolution];
    if !lengths.iter().all(|length| (0.0..f64::INFINITY).contains(length)) {
        return from_on(0.0, WhyOpen::NoLength);
    }
    if let Some(why) = options.is_late() {
        return from_on(0.0, why);
    }
    let question = Question { moving, fixed, way, may_touch, options };
    let mut proof = KeptProof::default();
    let mut open = BinaryHeap::new();
    open.push(Open { span: Span::WHOLE, parts: [moving.root(), fixed.root()], number: 0 });
    let mut number = 0;
    // The first contact, and the instant up to which others are as early.
    let mut first: Option<(Blocked, f64)> = None;
    while let Some(Open { span, parts, .. }) = open.pop() {
        if first.is_some_and(|(_, until)| span.start > until) {
            break;
        }
        proof.regions += 1;
        let over = if proof.regions > options.most_regions {
            Some(WhyOpen::Regions(options.most_regions))
        } else {
            (proof.regions % LOOK == 0).then(|| options.is_late()).flatten()
        };
        if let Some(why) = over {
            if first.is_some() {
                break;
            }
            return from_on(span.start, why);
        }
        let mut push = |span: Span, parts: [Part; 2]| {
            number += 1;
            open.push(Open { span, parts, number });
        };
        match question.look(span, parts) {
            Look::Apart => {}
            Look::Kept => proof.kept += 1,
            Look::Open(of_moving) => {
                let k = usize::from(!of_moving);
                let body = [moving, fixed][k];
                for part in body.parts(parts[k]) {
                    let mut divided = parts;
                    divided[k] = part;
                    push(span, divided);
                }
            }
            Look::Halve => span.halves().into_iter().for_each(|half| push(half, parts)),
            Look::Unclear { points, gap } if first.is_none() => {
                return from_on(span.start, WhyOpen::Near { points, gap });
            }
            Look::Unclear { .. } => {}
            Look::Touches(blocked) => match &mut first {
                // All that begins earlier has been looked at. Of those that fail at the same time, one that does not lie at
                // features that may touch says more.
                None => {
                    let found = Blocked { before: proof, ..blocked };
                    if !found.pressed {
                        return Kept::Touches(found);
                    }
                    first = Some((found, span.start + AS_EARLY * span.length()));
                }
                Some((known, _)) => {
                    if !blocked.pressed {
                        return Kept::Touches(Blocked { t: known.t, before: known.before, ..blocked });
                    }
                }
            },
        }
    }
    match first {
        None => Kept::Free(proof),
        Some((blocked, _)) if question.is_pressed_in(blocked.t) => Kept::Touches(blocked),
        Some((blocked, _)) => from_on(blocked.t, WhyOpen::Pressed { points: blocked.points }),
    }
}

impl KeptOptions<'_> {
    fn is_late(&self) -> Option<WhyOpen> {
        if self.stop.is_some_and(|stop| stop.load(atomic::Ordering::Relaxed)) {
            return Some(WhyOpen::Stopped);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(WhyOpen::Time)
    }
}

/// A point at which two bodies are in each other by more than the tolerance: what [`kept`] takes for granted not to be so where a way begins. It
/// proves that surfaces meet at named features only, and bodies that are in each other may have no more in common than that.
#[must_use]
pub fn overlap([moving, fixed]: [&Body; 2], world_from_moving: Pose, tolerance: f64) -> Option<DVec3> {
    let (a, b, scratch) = (fixed.tree(), moving.tree(), &mut Scratch::default());
    if tree::meet(a, b, world_from_moving, scratch) == Meeting::Apart {
        return None;
    }
    match tree::depth(a, b, world_from_moving, 0.25 * tolerance, scratch) {
        Some(depth) if depth.at_most <= tolerance * 1.5 => None,
        Some(depth) => Some(depth.point),
        // An open surface has no inside.
        None => Some(world_from_moving.translation()),
    }
}

/// A pair of parts in a span; the earliest is looked at first.
struct Open {
    span: Span,
    parts: [Part; 2],
    number: u64,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.span.start.total_cmp(&self.span.start).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

struct Question<'a> {
    moving: &'a Body,
    fixed: &'a Body,
    way: &'a SlidingMotion,
    may_touch: &'a [MayTouch],
    options: &'a KeptOptions<'a>,
}

/// What is known of a pair of parts in a span.
enum Look {
    Apart,
    Kept,
    /// Whether the moving one is to be opened.
    Open(bool),
    Halve,
    /// They are apart in the middle of a span that is too short to be halved, and yet too long to prove it.
    Unclear {
        points: [DVec3; 2],
        gap: f64,
    },
    Touches(Blocked),
}

impl Question<'_> {
    fn look(&self, span: Span, parts: [Part; 2]) -> Look {
        if let [Part::Triangle(a), Part::Triangle(b)] = parts {
            return self.triangles(span, [a, b]);
        }
        let (of_moving, of_fixed) = (self.moving.bounds(parts[0]), self.fixed.bounds(parts[1]));
        let pose = self.way.at(span.middle());
        let turn = self.way.turned();
        let travel =
            (self.way.speed(of_moving.centre) + turn * of_moving.radius) * 0.5 * span.length() * ROOM;
        let centre = pose * of_moving.centre;
        let axes = pose.rotation() * of_moving.axes;
        let away = of_fixed.centre - centre;
        let gap = |n: DVec3| {
            let reach = (axes.transpose() * n).abs().dot(of_moving.half)
                + (of_fixed.axes.transpose() * n).abs().dot(of_fixed.half);
            n.dot(away).abs() - reach
        };
        let directions = [
            away.normalize_or_zero(),
            axes.x_axis,
            axes.y_axis,
            axes.z_axis,
            of_fixed.axes.x_axis,
            of_fixed.axes.y_axis,
            of_fixed.axes.z_axis,
        ];
        let best = directions.into_iter().map(gap).fold(f64::NEG_INFINITY, f64::max);
        let rounding = ROUNDING
            * (1.0 + turn)
            * (centre.abs().max_element() + of_fixed.centre.abs().max_element() + of_moving.radius);
        if best - rounding > travel {
            return Look::Apart;
        }
        // What is longer is divided: time if the way is longer than both parts.
        let larger = of_moving.radius.max(of_fixed.radius);
        if travel > 4.0 * larger && span.length() > SHORTEST {
            return Look::Halve;
        }
        let can_open = |part: Part| matches!(part, Part::Box(_));
        Look::Open(if can_open(parts[0]) && can_open(parts[1]) {
            of_moving.radius >= of_fixed.radius
        } else {
            can_open(parts[0])
        })
    }

    fn triangles(&self, span: Span, places: [u32; 2]) -> Look {
        let corners = *self.moving.corners(places[0]);
        let other = *self.fixed.corners(places[1]);
        let t = span.middle();
        let pose = self.way.at(t);
        let there = corners.map(|p| pose * p);
        let near = closest(&there, &other);
        let gap = near.distance_sq.sqrt();
        let speed = corners.iter().map(|&p| self.way.speed(p)).fold(0.0, f64::max);
        let travel = speed * 0.5 * span.length() * ROOM;
        let size = there.iter().chain(&other).map(|p| p.abs().max_element()).fold(0.0, f64::max);
        if gap - ROUNDING * (1.0 + self.way.turned()) * size > travel {
            return Look::Apart;
        }
        let triangles = [self.moving.order()[places[0] as usize], self.fixed.order()[places[1] as usize]];
        let ids = [
            self.moving.mesh().triangles()[triangles[0] as usize],
            self.fixed.mesh().triangles()[triangles[1] as usize],
        ];
        let pair = side::Pair { way: self.way, corners: [corners, other], ids };
        if self.may_touch.iter().any(|may| pair.stays_on_its_side(may, span, self.options.tolerance)) {
            return Look::Kept;
        }
        if travel > self.options.resolution && span.length() > SHORTEST {
            return Look::Halve;
        }
        if gap > self.options.resolution + 8.0 * self.options.tolerance {
            return Look::Unclear { points: near.points, gap };
        }
        // Triangles that share a contact that may be always touch there. What else touches is told, if there is anything.
        let within = 8.0 * self.options.tolerance;
        let elsewhere = self.may_touch.iter().find_map(|may| pair.touches_elsewhere(may, pose, within));
        let (features, points) = elsewhere.unwrap_or((near.features, near.points));
        let pressed =
            elsewhere.is_none() && self.may_touch.iter().any(|may| pair.is_at(may, points, pose, within));
        Look::Touches(Blocked {
            t: span.start,
            triangles,
            features,
            points,
            pressed,
            before: KeptProof::default(),
        })
    }

    /// Whether the bodies are in each other, deeper than the tolerance, soon after an instant.
    fn is_pressed_in(&self, t: f64) -> bool {
        [1e-4, 1e-2, 0.1].into_iter().any(|later| {
            let pose = self.way.at((t + later).min(1.0));
            let tolerance = self.options.tolerance;
            let depth = tree::depth(
                self.fixed.tree(),
                self.moving.tree(),
                pose,
                0.25 * tolerance,
                &mut Scratch::default(),
            );
            depth.is_some_and(|depth| depth.at_least > tolerance)
        })
    }
}

/// Room for the roundings of a few products.
const ROOM: f64 = 1.0 + 64.0 * f64::EPSILON;

/// Distances at an instant are off by less than this fraction of the coordinates, and for every radian that is turned: some ten
/// roundings of places, as many of distances.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The clock is looked at once in so many regions.
const LOOK: u64 = 64;

/// Contacts that begin within so many of the shortest spans are at the same time.
const AS_EARLY: f64 = 4.0;

/// Spans are not halved below this fraction of the way.
const SHORTEST: f64 = 1e-13;
