//! The first contact, or that there is none: pairs of parts in the order in which they might touch.
//!
//! Along a direction the height of one part over another is, through a span, at least a polynomial with the coefficients `c0 … c3` in
//! Bernstein's form ([`separate`](super::separate)). It lies above the lower hull of the points `(k/3, c_k)`, so a pair with `c0 > 0` is
//! free at least until that hull comes down ([`hull`](super::hull)).
//!
//! Every pair waits under the instant until which it is known to be free; the earliest is looked at again, from that instant on: with
//! another direction, in a shorter span, or divided. Pairs that would touch after the first contact are never divided, and the time
//! before it is skipped, not halved. Spans begin and end anywhere, so this keeps no certificate: [`search`](super::search) does.

use super::body::{Body, Part};
use super::features::{Features, FirstPair};
use super::hull::stays_above;
use super::search::{Hit, Outcome, direction, normal};
use super::separate::{Direction, Heights, best_direction, coefficients, slack, thickness};
use super::{Counters, MovingOptions};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Affine, Course, Near, Slack, Span};
use kansho_geom::triangle;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Spans that are never divided: instants within them differ by little more than their rounding.
const SHORTEST: f64 = 1e-14;

/// How much of the gap at the start of a span is left where the pair is looked at again. Some is, so that a bound below the gap is.
const LEFT: f64 = 1.0 / 32.0;

/// The part of a span that must be gained for the rest to be looked at as a whole.
const GAIN: f64 = 0.125;

/// The distance of two triangles over the size of the smaller from which on their exact polynomials are solved.
const LITTLE: f64 = 1e-3;

/// The looseness of heights over the thickness of boxes from which on spans are cut.
const LOOSE: f64 = 0.125;

/// Memory that searches use again.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// By when they might touch, roughly; between equals the newest first, so that one of many pairs that touch at once is followed to
    /// the end before the others are looked at. And where it is kept.
    order: BinaryHeap<(Reverse<u64>, u32, u32)>,
    pushed: u32,
    kept: Vec<Region>,
    unused: Vec<u32>,
    features: Features,
    /// Pairs of triangles that never touch, as far as it matters.
    never: HashSet<[u32; 2]>,
    /// What is left of the slack in the shortest spans: rounding.
    rounding: [Option<Slack>; 2],
}

/// Two parts in a span; before it they do not touch.
#[derive(Clone, Copy, Debug)]
struct Region {
    parts: [Part; 2],
    span: Span,
    /// When they might touch, roughly.
    meets: f64,
    /// How much of the span to look at first.
    window: f64,
    /// The direction that kept them apart so far, or zero.
    direction: DVec3,
}

/// Both motions in a span.
struct Moment {
    span: Span,
    near: [Near; 2],
}

/// What a direction proves of a pair in a span.
struct Proven {
    /// Until when they are free: the end of the span, or an instant in it, or its start if nothing is proven.
    until: f64,
    /// Whether that is all of the span.
    through: bool,
    /// Roughly when they meet.
    meets: f64,
    /// Roughly how fast they approach each other at the start.
    rate: f64,
    /// How far apart they are at the start, roughly.
    gap: f64,
    /// What makes the span too long: the bend of heights in it, and how far they may be from cubics.
    loose: f64,
}

impl Proven {
    /// How long it takes them to meet if they go on as they do at the start, roughly.
    fn straight(&self) -> f64 {
        if self.rate > 0.0 { self.gap / self.rate } else { f64::INFINITY }
    }
}

pub(crate) struct Sooner<'a, C> {
    pub(crate) bodies: [&'a Body; 2],
    pub(crate) pieces: &'a [C; 2],
    pub(crate) options: &'a MovingOptions,
    pub(crate) waiting: &'a mut Waiting,
    pub(crate) counters: &'a mut Counters,
    /// The control placements of the whole piece, if the exact polynomials may be used.
    pub(crate) exact: Option<[[Affine; 4]; 2]>,
    /// A bound below the gap, as far as is proven.
    pub(crate) clearance: f64,
    /// The largest distance from a cubic that a proof took off.
    pub(crate) inflated: f64,
    pub(crate) hit: Option<Hit>,
    pub(crate) unresolved: Option<Span>,
}

impl<C: Course> Sooner<'_, C> {
    pub(crate) fn run(&mut self) -> Outcome {
        self.waiting.order.clear();
        self.waiting.kept.clear();
        self.waiting.unused.clear();
        self.waiting.features.clear();
        self.waiting.never.clear();
        let instant = Span::new(0.0, 1e-9);
        self.waiting.rounding = [0, 1].map(|k: usize| Some(self.pieces[k].within(instant).slack));
        let parts = [self.bodies[0].root(), self.bodies[1].root()];
        let mut moment = self.moment();
        // Bodies that pass each other are often kept apart by what does so in the middle.
        let [a, b] = self.bodies;
        let middle = [0, 1].map(|k: usize| self.pieces[k].at(0.5));
        let (gap, n) = best_direction(a.bounds(parts[0]), &middle[0], b.bounds(parts[1]), &middle[1]);
        if gap > self.options.clearance {
            self.counters.regions += 1;
            let before = (self.clearance, self.inflated);
            let heights = self.heights(&moment, n);
            if self.proven(&moment, parts, &heights).through {
                return Outcome::Free;
            }
            (self.clearance, self.inflated) = before;
        }
        self.wait(Region { parts, span: Span::WHOLE, meets: 0.0, window: 1.0, direction: DVec3::ZERO });
        while let Some((_, _, place)) = self.waiting.order.pop() {
            let mut region = self.waiting.kept[place as usize];
            self.waiting.unused.push(place);
            let limit = self.limit();
            if region.span.start >= limit {
                continue;
            }
            region.span.end = region.span.end.min(limit);
            let middle = region.span.start + region.window;
            if middle < region.span.end {
                // Where nothing is near, spans become longer again.
                let span = Span::new(middle, region.span.end);
                self.wait(Region { span, meets: middle, window: 2.0 * region.window, ..region });
                region.span.end = middle;
            }
            self.counters.regions += 1;
            if self.counters.regions > self.options.most_regions {
                // Everything that is left.
                self.note_unresolved(region.span);
                while let Some((_, _, place)) = self.waiting.order.pop() {
                    self.note_unresolved(self.waiting.kept[place as usize].span);
                }
                break;
            }
            self.enter(&mut moment, region.span);
            self.look_at(&region, &moment);
        }
        self.counters.asked += std::mem::take(&mut self.waiting.features.asked);
        match (self.hit, self.unresolved) {
            (Some(hit), open) => {
                let start = open.map_or(hit.time.start, |open| hit.time.start.min(open.start));
                Outcome::Touches(Hit { time: Span::new(start, hit.time.end), ..hit })
            }
            (None, Some(open)) => Outcome::Undecided(open),
            (None, None) => Outcome::Free,
        }
    }

    /// Nothing from here on matters: a contact is certain, and its first instant is given as no earlier than this.
    fn limit(&self) -> f64 {
        let open = self.unresolved.map_or(f64::INFINITY, |open| open.start);
        self.hit.map_or(f64::INFINITY, |hit| hit.time.start.min(open))
    }

    fn wait(&mut self, region: Region) {
        let waiting = &mut *self.waiting;
        let place = match waiting.unused.pop() {
            Some(place) => {
                waiting.kept[place as usize] = region;
                place
            }
            None => {
                waiting.kept.push(region);
                waiting.kept.len() as u32 - 1
            }
        };
        waiting.pushed = waiting.pushed.wrapping_add(1);
        // Numbers from zero on are in the order of their bits; instants are equal if they are to some 2⁻²⁸.
        let rank = (region.meets.max(region.span.start) + 1.0).to_bits() >> 24;
        waiting.order.push((Reverse(rank), waiting.pushed, place));
    }

    fn note_unresolved(&mut self, span: Span) {
        if self.unresolved.is_none_or(|open| span.start < open.start) {
            self.unresolved = Some(span);
        }
    }

    fn moment(&self) -> Moment {
        let near = [self.pieces[0].within(Span::WHOLE), self.pieces[1].within(Span::WHOLE)];
        Moment { span: Span::WHOLE, near }
    }

    fn enter(&mut self, moment: &mut Moment, span: Span) {
        self.counters.spans += 1;
        moment.span = span;
        for (near, piece) in moment.near.iter_mut().zip(self.pieces) {
            // What stands still does so in every span.
            if !piece.is_still() {
                *near = piece.within(span);
            }
        }
    }

    fn look_at(&mut self, region: &Region, moment: &Moment) {
        let Region { parts, span, .. } = *region;
        if let [Part::Triangle(i), Part::Triangle(j)] = parts {
            self.triangles(region, moment, [i, j]);
            return;
        }
        let Some((proven, n, heights)) = self.apart(moment, parts, region.direction) else {
            // Boxes that meet at the start meet in every shorter span.
            let k = self.larger(parts);
            self.divide(moment, span.end, parts, k, None);
            return;
        };
        if proven.through {
            return;
        }
        let length = span.length();
        let gained = proven.until - span.start;
        let thick = [0, 1].map(|k: usize| {
            thickness(self.bodies[k].bounds(parts[k]), moment.near[k].controls[0].linear.transpose() * n)
        });
        if gained > GAIN * length {
            let span = Span::new(proven.until, span.end);
            self.wait(Region { parts, span, meets: proven.meets, window: 1.0, direction: n });
            return;
        }
        if gained < 0.5 * proven.straight().min(length)
            && proven.loose > self.coarse(parts, thick[0] + thick[1])
            && length > SHORTEST
        {
            self.cut(parts, span, &proven, n);
            return;
        }
        // The part that is thicker along the direction is the one that may be much farther away than its box.
        let k = match parts {
            [Part::Triangle(_), _] => 1,
            [_, Part::Triangle(_)] => 0,
            _ => usize::from(thick[1] > thick[0]),
        };
        // What they meet with, they meet with while they pass through each other; later times are left for later.
        let mut end = span.end;
        let passed = span.start + 0.5 * (proven.gap + thick[0] + thick[1]) / proven.rate;
        if passed > span.start + length / 64.0 && passed < span.start + 0.5 * length {
            end = passed;
            let span = Span::new(passed, span.end);
            self.wait(Region { parts, span, meets: passed, window: 1.0, direction: n });
        }
        self.divide(moment, end, parts, k, Some((&heights, n)));
    }

    /// How loose heights in a span may be before it is cut rather than a part divided, whose boxes are this thick. What rounding
    /// makes of flat parts does not become less in shorter spans.
    fn coarse(&self, parts: [Part; 2], thick: f64) -> f64 {
        let size = self.bodies[0].bounds(parts[0]).radius + self.bodies[1].bounds(parts[1]).radius;
        (LOOSE * thick).max(self.options.resolution).max(1e-12 * size)
    }

    /// The better of a direction that is known, unless it is zero, and the best of the boxes at the start.
    fn apart(
        &mut self,
        moment: &Moment,
        parts: [Part; 2],
        known: DVec3,
    ) -> Option<(Proven, DVec3, [Heights; 2])> {
        let mut best = None;
        if known != DVec3::ZERO {
            let heights = self.heights(moment, known);
            let proven = self.proven(moment, parts, &heights);
            if proven.through {
                return Some((proven, known, heights));
            }
            best = Some((proven, known, heights));
        }
        let [a, b] = self.bodies;
        let placed = moment.near.each_ref().map(|near| &near.controls[0]);
        let (guess, n) = best_direction(a.bounds(parts[0]), placed[0], b.bounds(parts[1]), placed[1]);
        if guess > self.options.clearance {
            let heights = self.heights(moment, n);
            let proven = self.proven(moment, parts, &heights);
            if best.as_ref().is_none_or(|(best, ..)| proven.through || proven.until > best.until) {
                best = Some((proven, n, heights));
            }
        }
        best
    }

    fn larger(&self, parts: [Part; 2]) -> usize {
        match parts {
            [Part::Triangle(_), _] => 1,
            [_, Part::Triangle(_)] => 0,
            _ => {
                let [a, b] = self.bodies;
                usize::from(b.bounds(parts[1]).radius > a.bounds(parts[0]).radius)
            }
        }
    }

    fn heights(&self, moment: &Moment, n: DVec3) -> [Heights; 2] {
        let fixed = Direction::fixed(n);
        moment.near.each_ref().map(|near| Heights::of(&near.controls, &fixed))
    }

    /// Until when a direction keeps two parts apart. What may be off is taken off twice, as in the other search.
    fn proven(&mut self, moment: &Moment, parts: [Part; 2], heights: &[Heights; 2]) -> Proven {
        let [a, b] = self.bodies;
        let off = slack(&moment.near, [a.bounds(parts[0]), b.bounds(parts[1])], &heights[0]);
        let wanted = self.options.clearance * (1.0 + 16.0 * f64::EPSILON) + 2.0 * off;
        let (all, degree) = coefficients((a, parts[0], &heights[0]), (b, parts[1], &heights[1]));
        let c = &all[..=degree];
        let (span, length) = (moment.span, moment.span.length());
        let at = |k: usize| k as f64 / degree as f64;
        let (first, last) = (c[0] - wanted, c[degree] - wanted);
        let rate = (c[0] - c[1]).max(0.0) / (at(1) * length);
        let gap_there = first + 2.0 * off;
        let mut proven = Proven {
            until: span.start,
            through: false,
            meets: span.start,
            rate,
            gap: gap_there,
            loose: 2.0 * off,
        };
        // NaN proves nothing.
        if !(first > 0.0) || !c.iter().all(|c| c.is_finite()) {
            return proven;
        }
        let above: [f64; 5] = std::array::from_fn(|k| if k <= degree { c[k] - wanted } else { first });
        let above = &above[..=degree];
        let bend = |(k, c_k): (usize, &f64)| (c_k - first - at(k) * (last - first)).abs();
        let bend = above.iter().enumerate().map(bend).fold(0.0, f64::max);
        proven.through = above.iter().all(|c_k| *c_k > 0.0);
        let left = LEFT * first;
        let (gap, fraction, meets) = if proven.through {
            (above.iter().copied().fold(f64::INFINITY, f64::min), 1.0, 1.0)
        } else {
            (left, stays_above(above, left), stays_above(above, 0.0))
        };
        proven.loose += bend;
        // Rounding of the instant moves points by less than rounding of their placements does, which is taken off twice.
        proven.until = if proven.through { span.end } else { span.start + length * fraction * (1.0 - 1e-9) };
        if proven.until > span.start {
            self.clearance = self.clearance.min((self.options.clearance + gap) * (1.0 - 16.0 * f64::EPSILON));
            self.inflated = self.inflated.max(off);
        }
        proven.meets = if proven.through { span.end } else { span.start + length * meets };
        proven
    }

    /// Looks at a shorter span first, about as long as it would take them to meet.
    fn cut(&mut self, parts: [Part; 2], span: Span, proven: &Proven, direction: DVec3) {
        let length = span.length();
        let window = (1.5 * proven.straight()).min(0.5 * length).max(length / 64.0);
        let span = Span::new(proven.until, span.end);
        self.wait(Region { parts, span, meets: proven.meets.min(span.start + window), window, direction });
    }

    /// Divides a part, and leaves out at once what the direction of the whole keeps apart.
    fn divide(
        &mut self,
        moment: &Moment,
        end: f64,
        parts: [Part; 2],
        k: usize,
        direction: Option<(&[Heights; 2], DVec3)>,
    ) {
        let body = self.bodies[k];
        for part in body.parts(parts[k]) {
            let mut parts = parts;
            parts[k] = part;
            let (mut start, mut meets, mut known) = (moment.span.start, moment.span.start, DVec3::ZERO);
            if let Some((heights, n)) = direction {
                let proven = self.proven(moment, parts, heights);
                (start, meets, known) = (proven.until, proven.meets, n);
            }
            if start < end.min(self.limit()) {
                let span = Span::new(start, end);
                self.wait(Region { parts, span, meets, window: 1.0, direction: known });
            }
        }
    }

    fn triangles(&mut self, region: &Region, moment: &Moment, places: [u32; 2]) {
        if self.waiting.never.contains(&places) {
            return;
        }
        let Region { parts, span, .. } = *region;
        let placed = [0, 1].map(|k: usize| self.pieces[k].at(span.start));
        let corners = self.corners(&placed, places);
        self.counters.instants += 1;
        let closest = triangle::closest(&corners[0], &corners[1]);
        let distance = closest.distance_sq.sqrt();
        // Gaps that rounding hides are not proven in any span, however short.
        let hidden = 2.0 * self.rounding(parts);
        let is_contact = distance <= self.options.clearance + self.options.resolution.max(hidden);
        if is_contact && self.exact.is_none() {
            return self.touch_at(span.start, places);
        }
        let length = span.length();
        let mut best = Proven {
            until: span.start,
            through: false,
            meets: span.start,
            rate: 0.0,
            gap: distance,
            loose: 0.0,
        };
        let n = direction(&closest, &corners);
        if let Some(n) = n {
            // Features that turn take the direction along.
            let end = moment.near.each_ref().map(|near| near.controls[3]);
            let turned =
                normal(&closest.features, &self.corners(&end, places)).and_then(DVec3::try_normalize);
            let turned = turned.map_or(n, |m| if m.dot(n) < 0.0 { -m } else { m });
            let turned = Direction { start: n, end: if turned.dot(n) > 0.9 { turned } else { n } };
            let heights = moment.near.each_ref().map(|near| Heights::of(&near.controls, &turned));
            best = self.proven(moment, parts, &heights);
        }
        if best.through {
            return;
        }
        let n = n.unwrap_or(DVec3::ZERO);
        if best.until - span.start > GAIN * length {
            let span = Span::new(best.until, span.end);
            return self.wait(Region { parts, span, meets: best.meets, window: 1.0, direction: n });
        }
        let [a, b] = self.bodies;
        let size = a.bounds(parts[0]).radius.min(b.bounds(parts[1]).radius);
        if let Some(controls) = self.exact
            && !(distance > hidden.max(LITTLE * size) && length > self.options.time_tolerance)
        {
            let until = self.hit.map_or(1.0, |hit| hit.time.end);
            let tolerance = self.options.time_tolerance;
            let (first_a, first_b) = ((a, places[0], &controls[0]), (b, places[1], &controls[1]));
            match self.waiting.features.first(first_a, first_b, until, tolerance) {
                FirstPair::Never => {
                    self.waiting.never.insert(places);
                    self.clearance = self.clearance.min(0.0);
                    return;
                }
                FirstPair::At { time, features } => {
                    // Any instant before the contact bounds it from below: with all of the tolerance others are soon told to be later.
                    let start = time[0].min(time[1] - tolerance).max(0.0);
                    let known = self.hit.map_or(Span::new(1.0, 1.0), |hit| hit.time);
                    let found = Span::new(known.start.min(start), known.end.min(time[1]));
                    match &mut self.hit {
                        Some(hit) if known.end <= time[1] => hit.time = found,
                        hit => *hit = Some(Hit { time: found, triangles: places, features: Some(features) }),
                    }
                    return;
                }
                FirstPair::Undecided if is_contact => return self.touch_at(span.start, places),
                FirstPair::Undecided => {}
            }
        }
        let is_short = length <= self.options.time_tolerance
            && !(self.way(moment, parts) > 0.5 * self.options.resolution);
        if is_short || length <= SHORTEST {
            return self.note_unresolved(span);
        }
        self.cut(parts, span, &best, n);
    }

    /// These touch, and nothing did before.
    fn touch_at(&mut self, instant: f64, triangles: [u32; 2]) {
        if self.hit.is_none_or(|hit| instant < hit.time.end) {
            self.hit = Some(Hit { time: Span::new(instant, instant), triangles, features: None });
        }
    }

    /// What rounding takes off the gap of two parts, roughly.
    fn rounding(&self, parts: [Part; 2]) -> f64 {
        let of = |k: usize| {
            let bounds = self.bodies[k].bounds(parts[k]);
            self.waiting.rounding[k].map_or(0.0, |slack| slack.of_ball(bounds.centre, bounds.radius))
        };
        2.0 * (of(0) + of(1))
    }

    /// How far points of both parts move in the span, roughly.
    fn way(&self, moment: &Moment, parts: [Part; 2]) -> f64 {
        let of = |k: usize| {
            let bounds = self.bodies[k].bounds(parts[k]);
            self.pieces[k].travel(moment.span, bounds.centre, bounds.radius)
        };
        of(0) + of(1)
    }

    fn corners(&self, placed: &[Affine; 2], places: [u32; 2]) -> [[DVec3; 3]; 2] {
        [0, 1].map(|k: usize| self.bodies[k].corners(places[k]).map(|p| placed[k] * p))
    }
}
