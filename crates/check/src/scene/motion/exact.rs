//! Two shapes of a cell in a span, exactly: what fields and balls leave open.

use super::{Contact, MotionOptions};
use crate::moving_bodies::{Body, Counters, MovingOptions};
use crate::moving_bodies::{Hit, Outcome, Sooner, Waiting};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Chain, Course, Span};
use kansho_geom::primitive::Shape;
use kansho_geom::solid;
use kansho_geom::tree::{self, Scratch};
use kansho_geom::{Ball, Mesh, Pose, Primitive, Solid, triangle};

/// What is known of two shapes in a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ended {
    /// The gap is more than this.
    Free(f64),
    /// Nothing is within the clearance before the start of this span; something is, up to the resolution, at its end.
    Touches(Span),
    /// Nothing is known of this span.
    Undecided(Span),
}

/// Distances at instants, at most.
const MOST_STEPS: u32 = 20_000;

/// The part of a gap that is used up by a step.
const USED: f64 = 0.95;

/// What is left of the gap along a direction after a step.
const LEFT: f64 = 0.05;

/// The part of a span that a direction must clear to be worth another try.
const MUCH: f64 = 0.5;

/// Instants after which the search for moving meshes takes over.
const PATIENCE: u32 = 400;

/// Spans that are not halved.
const SHORTEST: f64 = 1e-12;

/// What rounding of bounds may lose, as a fraction of them.
const UP: f64 = 1.0 + 1e-9;

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct ExactScratch {
    waiting: Waiting,
    pub(super) counters: Counters,
    open: Vec<Span>,
    /// The direction of the last gap.
    direction: Option<DVec3>,
    /// Between which triangles of which parts it was.
    nearest: Option<([u32; 2], [u32; 2])>,
    /// Whether the last answer is only about the places where they may touch.
    pub(super) is_local: bool,
    /// Distances at instants so far.
    pub(super) steps: u64,
    /// Pairs of shapes so far.
    pub(super) jobs: u64,
}

impl ExactScratch {
    /// Begins with another motion.
    pub(super) fn forget(&mut self) {
        self.direction = None;
        self.nearest = None;
    }
}

/// Two meshes on chains of joints that have been cut to the span.
pub(super) fn meshes(
    bodies: [&Body; 2],
    chains: &[Chain; 2],
    clearance: f64,
    options: &MotionOptions<'_>,
    scratch: &mut ExactScratch,
) -> Ended {
    let regions = scratch.counters.regions;
    let options = MovingOptions {
        clearance,
        resolution: options.resolution,
        time_tolerance: options.time_tolerance,
        most_regions: regions + options.most_regions,
        ..MovingOptions::default()
    };
    let mut sooner = Sooner {
        bodies,
        pieces: chains,
        options: &options,
        waiting: &mut scratch.waiting,
        counters: &mut scratch.counters,
        exact: None,
        clearance: f64::INFINITY,
        inflated: 0.0,
        hit: None,
        unresolved: None,
    };
    match sooner.run() {
        Outcome::Free => Ended::Free(sooner.clearance),
        Outcome::Touches(Hit { time, .. }) => Ended::Touches(time),
        Outcome::Undecided(open) => Ended::Undecided(open),
    }
}

/// Any two shapes on chains of joints that have been cut to the span.
pub(super) struct Two<'a> {
    /// Which parts of the scene they are.
    pub(super) parts: [u32; 2],
    pub(super) solids: [&'a Solid; 2],
    /// What tells how far each reaches along a direction.
    pub(super) reaches: [Reach<'a>; 2],
    /// Where they may touch, in the frame of each; anywhere if there is none.
    pub(super) places: Option<[Ball; 2]>,
    pub(super) chains: [Chain; 2],
    /// The gap that is wanted.
    pub(super) clearance: f64,
}

/// What tells how far a shape reaches along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach<'a> {
    Mesh(&'a Body),
    Formula(&'a Primitive),
}

impl Reach<'_> {
    /// The normal and the offset of a half-space.
    fn plane(&self) -> Option<(DVec3, f64)> {
        match self {
            Self::Formula(primitive) => match primitive.shape() {
                Shape::HalfSpace { normal, offset } => Some((normal, offset)),
                _ => None,
            },
            Self::Mesh(_) => None,
        }
    }

    /// The least product of a vector with a point of it; of a mesh, of what of it may be in a ball.
    fn lowest(&self, m: DVec3, place: Option<&Ball>) -> f64 {
        match self {
            Self::Mesh(body) => body.lowest(m, place),
            Self::Formula(primitive) => match self.plane() {
                // Along its normal, the only direction in which it ends and the only one that is asked for.
                Some((_, offset)) => -offset * m.length(),
                None => primitive.lowest(m),
            },
        }
    }
}

impl<'a> Two<'a> {
    /// Both as meshes, if they are.
    fn bodies(&self) -> Option<[&'a Body; 2]> {
        match self.reaches {
            [Reach::Mesh(a), Reach::Mesh(b)] => Some([a, b]),
            _ => None,
        }
    }

    /// The gap at an instant clears some time on both sides of it: as far as points of both shapes do not get farther than it, or as far as
    /// the direction of the gap keeps the shapes apart as a whole. What is left is looked at likewise, early first. Where a contact
    /// is known to come, instants are the starts of spans, so that the first contact is approached as Newton would. A direction that
    /// clears much is tried again before another gap is measured.
    pub(super) fn decide(
        &self,
        options: &MotionOptions<'_>,
        scratch: &mut ExactScratch,
        of_trees: &mut Scratch,
    ) -> Ended {
        scratch.open.clear();
        scratch.open.push(Span::WHOLE);
        scratch.is_local = false;
        let mut least = f64::INFINITY;
        let (mut hit, mut undecided): (Option<f64>, Option<Span>) = (None, None);
        let mut steps = 0;
        let mut whole = true;
        while let Some(mut span) = scratch.open.pop() {
            // Early spans come first, so nothing after a contact matters.
            let limit = hit.unwrap_or(1.0);
            if span.start >= limit && hit.is_some() {
                continue;
            }
            span.end = span.end.min(limit);
            steps += 1;
            scratch.steps += 1;
            if steps > PATIENCE
                && let Some(bodies) = self.bodies()
            {
                let cut = self.chains.each_ref().map(|chain| chain.clone().cut(span));
                match meshes(bodies, &cut, self.clearance, options, scratch) {
                    Ended::Free(gap) => least = least.min(gap),
                    Ended::Touches(time) => {
                        hit = Some(span.at(time.end));
                        let start = span.at(time.start);
                        undecided =
                            undecided.or((time.start < time.end).then_some(Span::new(start, span.end)));
                        break;
                    }
                    Ended::Undecided(part) => undecided = undecided.or(Some(span.part(part))),
                }
                continue;
            }
            let now = self.at(span, hit.is_some());
            // What is no number, or no end, proves nothing.
            if steps > MOST_STEPS || !now.need.is_finite() || !now.rounding.is_finite() {
                undecided = undecided.or(Some(span));
                break;
            }
            let again = scratch.direction.and_then(|n| self.by_direction(&now, n, &mut whole));
            let cleared = match again.filter(|cleared| cleared.after + cleared.before > MUCH * now.half) {
                Some(cleared) => cleared,
                None => match self.gap(&now, options.resolution, &mut scratch.nearest, of_trees) {
                    Measured::Far(gap) => {
                        least = least.min(gap);
                        continue;
                    }
                    Measured::Near { gap, .. } if !(gap > self.clearance + options.resolution) => {
                        if gap.is_nan() {
                            undecided = undecided.or(Some(span));
                            break;
                        }
                        if options.contact == Contact::Any {
                            return Ended::Touches(Span::new(0.0, now.instant));
                        }
                        hit = Some(now.instant);
                        if now.from_start {
                            break;
                        }
                        scratch.open.push(Span::new(span.start, now.instant));
                        continue;
                    }
                    Measured::Near { gap, direction } => {
                        let by_way = self.by_way(&now, gap);
                        scratch.direction = direction;
                        let by_direction = match direction {
                            Some(n) if by_way.after < now.half => self.by_direction(&now, n, &mut whole),
                            _ => None,
                        };
                        by_direction.map_or(by_way, |other| by_way.or(&other))
                    }
                },
            };
            least = least.min(cleared.least);
            scratch.is_local |= cleared.is_local;
            let place = 1.0 - now.half;
            if (place + cleared.after < 1.0 || cleared.before < place) && span.length() < SHORTEST {
                undecided = undecided.or(Some(span));
                continue;
            }
            if place + cleared.after < 1.0 {
                scratch.open.push(Span::new(span.at(place + cleared.after), span.end));
            }
            if cleared.before < place {
                scratch.open.push(Span::new(span.start, span.at(place - cleared.before)));
            }
        }
        match (hit, undecided) {
            (Some(hit), Some(open)) if open.start < hit => Ended::Touches(Span::new(open.start, hit)),
            (Some(hit), _) => Ended::Touches(Span::new(hit, hit)),
            (None, Some(open)) => Ended::Undecided(open),
            (None, None) => Ended::Free(least),
        }
    }

    /// Both shapes in the middle of a span, or at its start.
    fn at(&self, span: Span, from_start: bool) -> Now {
        let instant = if from_start { span.start } else { span.middle() };
        let half = if from_start { 1.0 } else { 0.5 };
        let sized = self.solids.map(|solid| solid.aabb().map(|aabb| (aabb.centre(), 0.5 * aabb.diagonal())));
        let going = [0, 1].map(|k: usize| Going::new(&self.chains[k], sized[k], instant, span));
        let speed = going[0].speed + going[1].speed;
        let acceleration = going[0].acceleration + going[1].acceleration;
        let need = (speed * half + 0.5 * acceleration * half * half) * UP;
        let a_from_b = going[0].pose.inverse() * going[1].pose;
        let size = going.iter().map(|going| going.pose.translation().length()).sum::<f64>()
            + a_from_b.translation().length()
            + sized.iter().flatten().map(|(centre, radius)| centre.length() + radius).sum::<f64>();
        // Distances and heights are right to 1e-13 of the coordinates, also of those of the placements.
        let values = |k: usize| {
            sized[k]
                .map_or(0.0, |(centre, radius)| self.chains[k].rounding_of_values(centre.length() + radius))
        };
        let rounding = 1e-12 * size + values(0) + values(1);
        Now { instant, from_start, half, going, speed, acceleration, need, a_from_b, rounding }
    }

    /// The gap, unless it is more than enough for all of the span.
    fn gap(
        &self,
        now: &Now,
        resolution: f64,
        nearest: &mut Option<([u32; 2], [u32; 2])>,
        of_trees: &mut Scratch,
    ) -> Measured {
        let below = self.clearance + resolution + now.need + 4.0 * now.rounding;
        // Nothing was inside at the start, and what does not cross a surface does not get inside.
        let found = match (self.bodies(), self.solids) {
            (Some([a, b]), _) => {
                // What was nearest is not far: nothing beyond it needs to be looked at.
                let known = nearest.filter(|(parts, _)| *parts == self.parts).map(|(_, [i, j])| {
                    let corners = |mesh: &Mesh, id: u32| {
                        mesh.triangles()[id as usize].map(|v| mesh.vertices()[v as usize])
                    };
                    let other = corners(b.mesh(), j).map(|p| now.a_from_b * p);
                    triangle::closest(&corners(a.mesh(), i), &other).distance_sq.sqrt()
                });
                let bound = known.map_or(below, |known| below.min(known * (1.0 + 1e-9) + now.rounding));
                let found = tree::distance(a.tree(), b.tree(), now.a_from_b, bound, of_trees);
                if let Some(found) = &found {
                    *nearest = Some((self.parts, found.triangles));
                }
                if found.is_none() && bound < below {
                    // Rounding only: at least this.
                    return Measured::Near { gap: bound - now.rounding, direction: None };
                }
                found.map(|found| (found.gap(), found.closest.points))
            }
            (None, [a, b]) => {
                solid::distance(a, b, now.a_from_b, below, of_trees).map(|found| (found.gap, found.points))
            }
        };
        match found {
            None => Measured::Far(below - now.need - now.rounding),
            Some((gap, points)) => {
                let direction = now.going[0].pose.rotate(points[1] - points[0]).try_normalize();
                Measured::Near { gap: gap - now.rounding, direction }
            }
        }
    }

    /// As far as points do not get farther than the gap: `speed h + acceleration h² / 2`.
    fn by_way(&self, now: &Now, gap: f64) -> Cleared {
        let Now { speed, acceleration, half, .. } = *now;
        let left = USED * (gap - self.clearance);
        let root = (speed * speed + 2.0 * acceleration * left).sqrt();
        let h = if root > 0.0 { (2.0 * left / (speed + root)).min(half) } else { half };
        let least = gap - (speed * h + 0.5 * acceleration * h * h) * UP;
        Cleared { after: h, before: if now.from_start { 0.0 } else { h }, least, is_local: false }
    }

    /// As far as a direction keeps the shapes apart, or else what of them may touch.
    ///
    /// The heights of points along it are linear in time but for `acceleration h² / 2`, so that between two instants the least is no less
    /// than at one of them, but for that.
    ///
    /// `whole` is whether the whole shapes may be apart: it is tried, and remembered if they are not.
    fn by_direction(&self, now: &Now, n: DVec3, whole: &mut bool) -> Option<Cleared> {
        // Half-spaces have only one direction; they stand still, or the need would be infinite.
        let normal = |k: usize| now.going[k].pose.rotate(self.reaches[k].plane()?.0).try_normalize();
        let n = normal(0).or_else(|| Some(-normal(1)?)).unwrap_or(n);
        let tried =
            if *whole || self.places.is_none() { &[None, self.places][..] } else { &[self.places][..] };
        for &places in tried {
            let lowest = |k: usize, s: f64| {
                let place = places.as_ref().map(|places| &places[k]);
                now.going[k].lowest(&self.reaches[k], place, if k == 0 { -n } else { n }, s)
            };
            let still = [0, 1].map(|k: usize| now.going[k].is_still.then(|| lowest(k, 0.0)));
            let apart = |s: f64| -> f64 {
                let [over, under] = [0, 1].map(|k: usize| still[k].unwrap_or_else(|| lowest(k, s)));
                over + under - 0.5 * now.acceleration * s * s * UP - now.rounding - self.clearance
            };
            let level = apart(0.0);
            if level > 0.0 {
                let mut least = level;
                let mut towards = |side: f64| {
                    let mut h = now.half;
                    for _ in 0..4 {
                        let there = apart(side * h);
                        if there > LEFT * level {
                            least = least.min(there);
                            return h;
                        }
                        h *= (0.9 * level / (level - there)).max(0.05);
                    }
                    0.0
                };
                let after = towards(1.0);
                let before = if now.from_start { 0.0 } else { towards(-1.0) };
                return Some(Cleared {
                    after,
                    before,
                    least: least + self.clearance,
                    is_local: places.is_some(),
                });
            }
            *whole = false;
            self.places?;
        }
        None
    }
}

/// Two shapes at an instant of a span. Time is in units of the span.
struct Now {
    instant: f64,
    /// Whether that is the start of the span, or else its middle.
    from_start: bool,
    /// From there to the end of the span.
    half: f64,
    going: [Going; 2],
    /// Bounds on how fast points of both move towards each other, and on the change of that, rounded up.
    speed: f64,
    acceleration: f64,
    /// How far they get until the end of the span, at most.
    need: f64,
    a_from_b: Pose,
    /// What rounding may be.
    rounding: f64,
}

enum Measured {
    /// It stays more than this through the span.
    Far(f64),
    /// It is at least this, in this direction.
    Near { gap: f64, direction: Option<DVec3> },
}

/// Free so long after an instant and before it, in units of the span, with gaps of at least this.
#[derive(Clone, Copy, Debug)]
struct Cleared {
    after: f64,
    before: f64,
    least: f64,
    /// Whether that is only about the places where they may touch.
    is_local: bool,
}

impl Cleared {
    /// The longer of both, on each side.
    fn or(&self, other: &Self) -> Self {
        let is_used = other.after > self.after || other.before > self.before;
        Self {
            after: self.after.max(other.after),
            before: self.before.max(other.before),
            least: if is_used { self.least.min(other.least) } else { self.least },
            is_local: is_used && (self.is_local || other.is_local),
        }
    }
}

/// A shape at an instant of a span, and how it goes on. Time is in units of the span.
struct Going {
    pose: Pose,
    /// A point at `x` has the speed `turn × x + shift`.
    turn: DVec3,
    shift: DVec3,
    is_still: bool,
    /// Bounds for all points, rounded up.
    speed: f64,
    acceleration: f64,
}

impl Going {
    fn new(chain: &Chain, ball: Option<(DVec3, f64)>, instant: f64, span: Span) -> Self {
        let pose = chain.pose(instant);
        if chain.is_still() {
            let (turn, shift) = (DVec3::ZERO, DVec3::ZERO);
            return Self { pose, turn, shift, is_still: true, speed: 0.0, acceleration: 0.0 };
        }
        let (turn, shift) = chain.speed(instant);
        let (turn, shift) = (turn * span.length(), shift * span.length());
        let (mut speed, mut acceleration) = (f64::INFINITY, f64::INFINITY);
        if let Some((centre, radius)) = ball {
            speed = ((turn.cross(pose * centre) + shift).length() + turn.length() * radius) * UP;
            acceleration = chain.acceleration(span, centre, radius);
        }
        Self { pose, turn, shift, is_still: false, speed, acceleration }
    }

    /// The least height along a direction, later by `s` of the span if all points kept their speed.
    ///
    /// The height of a point is linear in `s`, so the least of all is concave: between two values of `s` it is nowhere less than at one of
    /// them.
    fn lowest(&self, reach: &Reach<'_>, place: Option<&Ball>, n: DVec3, s: f64) -> f64 {
        let m = n + n.cross(self.turn) * s;
        let fixed = m.dot(self.pose.translation()) + s * n.dot(self.shift);
        reach.lowest(self.pose.rotation().transpose() * m, place) + fixed
    }
}
