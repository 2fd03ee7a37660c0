//! Two shapes of a cell in a span, exactly: what fields and balls leave open.

use super::MotionOptions;
use crate::moving::{Body, Counters, MovingOptions};
use crate::moving::{Hit, Outcome, Sooner, Waiting};
use kansho_geom::Solid;
use kansho_geom::motion::{Chain, Course, Span};
use kansho_geom::solid;
use kansho_geom::tree::Scratch;

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

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct ExactScratch {
    waiting: Waiting,
    pub(super) counters: Counters,
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

/// Any two shapes on chains of joints that have been cut to the span: from instant to instant, each as much later as the gap allows.
///
/// A gap changes by no more than points of both shapes move.
pub(super) fn advance(
    [a, b]: [&Solid; 2],
    chains: &[Chain; 2],
    clearance: f64,
    options: &MotionOptions<'_>,
    scratch: &mut Scratch,
) -> Ended {
    let balls = [a, b].map(|solid| solid.aabb().map(|aabb| (aabb.centre(), 0.5 * aabb.diagonal())));
    let travel = |span: Span| -> f64 {
        let of = |k: usize| match (balls[k], chains[k].is_still()) {
            (_, true) => 0.0,
            (Some((centre, radius)), false) => chains[k].travel(span, centre, radius),
            (None, false) => f64::INFINITY,
        };
        of(0) + of(1)
    };
    let (mut now, mut least) = (0.0, f64::INFINITY);
    for _ in 0..MOST_STEPS {
        let [at_a, at_b] = chains.each_ref().map(|chain| chain.pose(now));
        let a_from_b = at_a.inverse() * at_b;
        let found = solid::distance(a, b, a_from_b, f64::INFINITY, scratch);
        // Distances are right to 1e-13 of the coordinates.
        let size = a_from_b.translation().length()
            + balls.iter().flatten().map(|(centre, radius)| centre.length() + radius).sum::<f64>();
        let gap = found.map_or(f64::INFINITY, |found| found.gap) - 1e-12 * size;
        if !(gap > clearance + options.resolution) {
            return if gap.is_nan() {
                Ended::Undecided(Span::new(now, 1.0))
            } else {
                Ended::Touches(Span::new(now, now))
            };
        }
        let left = USED * (gap - clearance);
        let mut step = 1.0 - now;
        let mut way = travel(Span::new(now, now + step));
        // Mostly the way is as long as the step.
        while !(way <= left) {
            if !(step > 1e-13) || !way.is_finite() {
                return Ended::Undecided(Span::new(now, 1.0));
            }
            step *= (0.9 * left / way).clamp(1e-3, 0.75);
            way = travel(Span::new(now, now + step));
        }
        least = least.min(gap - way);
        now += step;
        if now >= 1.0 {
            return Ended::Free(least);
        }
    }
    Ended::Undecided(Span::new(now, 1.0))
}
