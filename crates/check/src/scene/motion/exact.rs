//! Two shapes of a cell in a span, exactly: what fields and balls leave open.

use super::MotionOptions;
use crate::moving::{Body, Counters, MovingOptions};
use crate::moving::{Hit, Outcome, Sooner, Waiting};
use kansho_geom::glam::DVec3;
use kansho_geom::motion::{Chain, Course, Span};
use kansho_geom::primitive::Shape;
use kansho_geom::solid;
use kansho_geom::tree::{self, Scratch};
use kansho_geom::{Ball, Pose, Primitive, Solid};

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
    /// Whether the last answer is only about the places where they may touch.
    pub(super) is_local: bool,
    /// Distances at instants so far.
    pub(super) steps: u64,
    /// Pairs of shapes so far.
    pub(super) jobs: u64,
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

impl Two<'_> {
    /// The gap at an instant clears some time on both sides of it: as far as points of both shapes do not get farther than it, or as far as
    /// the direction of the gap keeps the shapes apart as a whole. What is left is looked at likewise, early first. Where a contact
    /// is known to come, instants are the starts of spans, so that the first contact is approached as Newton would.
    pub(super) fn decide(
        &self,
        options: &MotionOptions<'_>,
        scratch: &mut ExactScratch,
        of_trees: &mut Scratch,
    ) -> Ended {
        let Self { solids, reaches, places, ref chains, clearance } = *self;
        let bodies = match reaches {
            [Reach::Mesh(a), Reach::Mesh(b)] => Some([a, b]),
            _ => None,
        };
        let [a, b] = solids;
        let sized = solids.map(|solid| solid.aabb().map(|aabb| (aabb.centre(), 0.5 * aabb.diagonal())));
        let mut open = std::mem::take(&mut scratch.open);
        open.clear();
        open.push(Span::WHOLE);
        let mut least = f64::INFINITY;
        let (mut hit, mut undecided): (Option<f64>, Option<Span>) = (None, None);
        let mut steps = 0;
        let mut is_local = false;
        while let Some(mut span) = open.pop() {
            // Early spans come first, so nothing after a contact matters.
            let limit = hit.unwrap_or(1.0);
            if span.start >= limit && hit.is_some() {
                continue;
            }
            span.end = span.end.min(limit);
            steps += 1;
            scratch.steps += 1;
            if steps > PATIENCE
                && let Some(bodies) = bodies
            {
                let cut = chains.each_ref().map(|chain| chain.clone().cut(span));
                match meshes(bodies, &cut, clearance, options, scratch) {
                    Ended::Free(gap) => least = least.min(gap),
                    Ended::Touches(time) => {
                        scratch.open = open;
                        scratch.is_local = is_local;
                        let time = span.part(time);
                        // What was left open before may hold an earlier one.
                        let start = undecided.map_or(time.start, |open| open.start.min(time.start));
                        return Ended::Touches(Span::new(start, time.end));
                    }
                    Ended::Undecided(part) => undecided = undecided.or(Some(span.part(part))),
                }
                continue;
            }
            let from_start = hit.is_some();
            let instant = if from_start { span.start } else { span.middle() };
            let motion = [0, 1].map(|k: usize| Going::new(&chains[k], sized[k], instant, span));
            let [speed, acceleration] =
                [motion[0].speed + motion[1].speed, motion[0].acceleration + motion[1].acceleration];
            let half = if from_start { 1.0 } else { 0.5 };
            let need = speed * half + 0.5 * acceleration * half * half;
            if steps > MOST_STEPS || !need.is_finite() {
                undecided = undecided.or(Some(span));
                break;
            }
            let a_from_b = motion[0].pose.inverse() * motion[1].pose;
            // Distances and heights are right to 1e-13 of the coordinates, also of those of the placements.
            let size = motion.iter().map(|motion| motion.pose.translation().length()).sum::<f64>()
                + a_from_b.translation().length()
                + sized.iter().flatten().map(|(centre, radius)| centre.length() + radius).sum::<f64>();
            let rounding = 1e-12 * size;
            let below = clearance + options.resolution + need * UP + 4.0 * rounding;
            // Nothing was inside at the start, and what does not cross a surface does not get inside.
            let found = match bodies {
                Some([a, b]) => tree::distance(a.tree(), b.tree(), a_from_b, below, of_trees)
                    .map(|found| (found.gap(), found.closest.points)),
                None => {
                    solid::distance(a, b, a_from_b, below, of_trees).map(|found| (found.gap, found.points))
                }
            };
            let Some((gap, points)) = found else {
                least = least.min(below - need * UP - rounding);
                continue;
            };
            let gap = gap - rounding;
            if gap.is_nan() {
                undecided = undecided.or(Some(span));
                break;
            }
            if gap <= clearance + options.resolution {
                hit = Some(instant);
                if from_start {
                    break;
                }
                open.push(Span::new(span.start, instant));
                continue;
            }
            // speed h + acceleration h² / 2 = left.
            let left = USED * (gap - clearance);
            let root = (speed * speed + 2.0 * acceleration * left).sqrt();
            let near = if root > 0.0 { (2.0 * left / (speed + root)).min(half) } else { half };
            let mut after = near;
            let mut before = if from_start { 0.0 } else { near };
            least = least.min(gap - (speed * near + 0.5 * acceleration * near * near) * UP);
            if near < half {
                // Half-spaces have only one direction; they stand still, or the need would be infinite.
                let normal = |k: usize| Some(motion[k].pose.rotate(reaches[k].plane()?.0));
                let n = normal(0)
                    .or_else(|| Some(-normal(1)?))
                    .unwrap_or_else(|| motion[0].pose.rotate(points[1] - points[0]));
                if let Some(n) = n.try_normalize() {
                    // Of the whole shapes, or else of what may touch.
                    for place in [None, places] {
                        let apart = |s: f64| -> f64 {
                            let [over, under] = [0, 1].map(|k: usize| {
                                let place = place.as_ref().map(|places| &places[k]);
                                motion[k].lowest(&reaches[k], place, if k == 0 { -n } else { n }, s)
                            });
                            over + under - 0.5 * acceleration * s * s * UP - rounding - clearance
                        };
                        let level = apart(0.0);
                        if !(level > 0.0) {
                            if places.is_none() {
                                break;
                            }
                            continue;
                        }
                        is_local |= place.is_some();
                        for (side, cleared) in [(1.0, &mut after), (-1.0, &mut before)] {
                            if side < 0.0 && from_start {
                                continue;
                            }
                            let mut h = half;
                            for _ in 0..4 {
                                let there = apart(side * h);
                                if there > 0.05 * level {
                                    if h > *cleared {
                                        *cleared = h;
                                        least = least.min(clearance + there.min(level));
                                    }
                                    break;
                                }
                                h *= (0.9 * level / (level - there)).max(0.05);
                                if !(h > *cleared) {
                                    break;
                                }
                            }
                        }
                        break;
                    }
                }
            }
            if span.length() < SHORTEST {
                undecided = undecided.or(Some(span));
                continue;
            }
            let place = if from_start { 0.0 } else { 0.5 };
            if place + after < 1.0 {
                open.push(Span::new(span.at(place + after), span.end));
            }
            if before < place {
                open.push(Span::new(span.start, span.at(place - before)));
            }
        }
        scratch.open = open;
        scratch.is_local = is_local;
        match (hit, undecided) {
            (Some(hit), Some(open)) if open.start < hit => Ended::Touches(Span::new(open.start, hit)),
            (Some(hit), _) => Ended::Touches(Span::new(hit, hit)),
            (None, Some(open)) => Ended::Undecided(open),
            (None, None) => Ended::Free(least),
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
        let s = if self.is_still { 0.0 } else { s };
        let m = n + n.cross(self.turn) * s;
        let fixed = m.dot(self.pose.translation()) + s * n.dot(self.shift);
        reach.lowest(self.pose.rotation().transpose() * m, place) + fixed
    }
}
