//! Pairs of parts and spans of time, divided until a direction keeps each pair apart through its span, or triangles touch.

use super::body::{Body, Part};
use super::certificate::Draft;
use super::features::{Features, FirstPair};
use super::separate::{Direction, Heights, best_direction, clear, clear_at, slack};
use super::{Counters, Method, MovingOptions};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Affine, Course, MotionPiece, Near, Slack, Span};
use kansho_geom::triangle::{self, Feature};
use kansho_verify::bodies::BodiesStep;
use kansho_verify::heights;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Spans that are never halved: instants within them differ by little more than their rounding.
const SHORTEST: f64 = 1e-14;

/// The way of two triangles over the size of the smaller from which on their exact polynomials are solved.
const LITTLE: f64 = 0.25;

/// Spans of one piece that are kept at a time; each takes a kilobyte and a half.
const MOST_SPANS: usize = 300_000;

/// Memory that searches use again.
#[derive(Debug, Default)]
pub(super) struct Memory {
    spans: Vec<Moment>,
    /// What is to be looked at, the earliest first: nothing after the first contact costs anything. Between equals, the newest first.
    open: BinaryHeap<(Reverse<u64>, u32, Region)>,
    pushed: u32,
    features: Features,
    /// What is left of the slack in the shortest spans.
    rounding: [Option<Slack>; 2],
    pub(super) draft: Draft,
}

/// How the search of a piece ended, in times of the piece.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    Free,
    Touches(Hit),
    Undecided(Span),
}

/// A contact of two triangles (places in the orders).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// The first contact of the bodies lies in here; at its end they are in contact.
    pub(crate) time: Span,
    pub(crate) triangles: [u32; 2],
    /// What touches, where the exact polynomials say so.
    pub(crate) features: Option<[Feature; 2]>,
}

/// Two parts in a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Region {
    parts: [Part; 2],
    /// An index of spans.
    span: u32,
    /// Of the draft.
    slot: u32,
}

/// Everything about a span that does not depend on parts.
#[derive(Clone, Copy, Debug)]
struct Moment {
    span: Span,
    near: [Near; 2],
    /// In the middle.
    placed: [Affine; 2],
    /// From start to end.
    step: [Affine; 2],
    /// What a point a metre from another moves more than it does, roughly.
    turned: [f64; 2],
    halves: Option<u32>,
}

pub(super) struct Search<'a> {
    pub(super) bodies: [&'a Body; 2],
    pub(super) pieces: &'a [MotionPiece; 2],
    pub(super) options: &'a MovingOptions,
    pub(super) memory: &'a mut Memory,
    pub(super) counters: &'a mut Counters,
    /// The control placements of the whole piece, if the exact polynomials may be used.
    pub(super) exact: Option<[[Affine; 4]; 2]>,
    /// A certain contact.
    pub(super) hit: Option<Hit>,
    /// The earliest instant from which on some pair could not be told apart.
    pub(super) unresolved: f64,
    pub(super) unresolved_span: Option<Span>,
    /// Whether a pair that is free has no direction that shows it, not even in the shortest span.
    pub(super) no_evidence: bool,
    /// A bound below the gap, as far as is proven.
    pub(super) clearance: f64,
    /// The largest distance from a cubic that a proof took off.
    pub(super) inflated: f64,
}

impl Search<'_> {
    pub(super) fn run(&mut self) -> Outcome {
        self.memory.spans.clear();
        self.memory.open.clear();
        self.memory.features.clear();
        if self.options.certificate {
            self.memory.draft.begin();
        }
        let instant = Span::new(0.0, 0.0);
        self.memory.rounding = [0, 1].map(|k: usize| Some(self.pieces[k].within(instant).slack));
        let first = self.moment(Span::WHOLE);
        let [a, b] = self.bodies;
        self.open(Region { parts: [a.root(), b.root()], span: first, slot: 0 });
        while let Some((_, _, region)) = self.memory.open.pop() {
            let span = self.memory.spans[region.span as usize].span;
            if span.start >= self.limit() {
                continue;
            }
            self.counters.regions += 1;
            if self.counters.regions > self.options.most_regions || self.memory.spans.len() > MOST_SPANS {
                self.note_unresolved(span); // All others begin no earlier.
                break;
            }
            self.look_at(region);
            if self.no_evidence && self.options.method == Method::Combined {
                self.note_unresolved(span); // That they are free is known; here it is to be written down.
                break;
            }
        }
        self.counters.asked += std::mem::take(&mut self.memory.features.asked);
        match (self.hit, self.unresolved_span) {
            (Some(hit), _) => {
                let time = Span::new(hit.time.start.min(self.unresolved), hit.time.end);
                Outcome::Touches(Hit { time, ..hit })
            }
            (None, Some(open)) => Outcome::Undecided(open),
            (None, None) => Outcome::Free,
        }
    }

    /// Nothing from here on matters: a contact is certain, and its first instant is given as no earlier than this.
    fn limit(&self) -> f64 {
        self.hit.map_or(f64::INFINITY, |hit| hit.time.start.min(self.unresolved))
    }

    fn open(&mut self, region: Region) {
        let start = self.memory.spans[region.span as usize].span.start;
        self.memory.pushed = self.memory.pushed.wrapping_add(1);
        // Numbers from zero on are in the order of their bits.
        self.memory.open.push((Reverse(start.to_bits()), self.memory.pushed, region));
    }

    fn note_unresolved(&mut self, span: Span) {
        if span.start < self.unresolved {
            self.unresolved = span.start;
            self.unresolved_span = Some(span);
        }
    }

    fn moment(&mut self, span: Span) -> u32 {
        let near = [self.pieces[0].within(span), self.pieces[1].within(span)];
        let middle = span.middle();
        let placed = [self.pieces[0].at(middle), self.pieces[1].at(middle)];
        let step = [0, 1].map(|k: usize| {
            let [first, .., last] = &near[k].controls;
            Affine { linear: last.linear - first.linear, shift: last.shift - first.shift }
        });
        let norm = |k: usize| {
            let c = &near[k].controls;
            let leg = |i: usize| {
                let m = c[i + 1].linear - c[i].linear;
                (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
            };
            leg(0) + leg(1) + leg(2)
        };
        let turned = [norm(0), norm(1)];
        self.counters.spans += 1;
        self.memory.spans.push(Moment { span, near, placed, step, turned, halves: None });
        self.memory.spans.len() as u32 - 1
    }

    fn halves(&mut self, span: u32) -> [u32; 2] {
        let moment = &self.memory.spans[span as usize];
        let first = match moment.halves {
            Some(first) => first,
            None => {
                let [early, late] = moment.span.halves();
                let first = self.moment(early);
                self.moment(late);
                self.memory.spans[span as usize].halves = Some(first);
                first
            }
        };
        [first, first + 1]
    }

    fn look_at(&mut self, region: Region) {
        let [a, b] = self.bodies;
        let [part_a, part_b] = region.parts;
        let bounds = [a.bounds(part_a), b.bounds(part_b)];
        let moment = &self.memory.spans[region.span as usize];
        let (guess, n) = best_direction(bounds[0], &moment.placed[0], bounds[1], &moment.placed[1]);
        let [placed_a, placed_b] = &moment.placed;
        let gap = if guess > 0.0 { clear_at((a, part_a, placed_a), (b, part_b, placed_b), n) } else { guess };
        let heights = (gap > 0.0).then(|| {
            let fixed = Direction::fixed(n);
            moment.near.map(|near| Heights::of(&near.controls, &fixed))
        });
        let mut through = f64::NEG_INFINITY;
        if let Some(heights) = &heights {
            through = self.gap_through(&region, heights);
            if through > self.options.clearance * (1.0 + 16.0 * f64::EPSILON) {
                self.accept(&region, Direction::fixed(n));
                return;
            }
        }
        if let [Part::Triangle(i), Part::Triangle(j)] = region.parts {
            self.triangles(&region, [i, j]);
            return;
        }
        // The larger of space and time is divided.
        let moment = &self.memory.spans[region.span as usize];
        let size = bounds[0].radius.max(bounds[1].radius);
        let is_long = moment.span.length() > self.options.time_tolerance;
        // Half the time loses at most half as much of the gap in the middle: that may be enough. What rounding takes stays.
        let gap = gap - self.rounding(&region);
        let helps = gap > self.options.clearance && gap - through < 2.0 * (gap - self.options.clearance);
        if (helps || self.way(&region) > size) && is_long {
            self.divide_time(&region);
        } else {
            self.divide_space(&region, heights.as_ref().map(|heights| (heights, n)));
        }
    }

    /// What rounding takes off the gap of two parts in the shortest span, roughly.
    fn rounding(&self, region: &Region) -> f64 {
        let of = |k: usize| {
            let bounds = self.bodies[k].bounds(region.parts[k]);
            self.memory.rounding[k].map_or(0.0, |slack| slack.of_ball(bounds.centre, bounds.radius))
        };
        2.0 * (of(0) + of(1))
    }

    /// How far points of both parts move in the span, roughly.
    fn way(&self, region: &Region) -> f64 {
        let moment = &self.memory.spans[region.span as usize];
        let of = |k: usize| {
            let bounds = self.bodies[k].bounds(region.parts[k]);
            let moved = (moment.step[k] * bounds.centre).length() + moment.turned[k] * bounds.radius;
            moved + moment.near[k].slack.of_ball(bounds.centre, bounds.radius)
        };
        of(0) + of(1)
    }

    /// Whether a direction keeps the parts of a region apart by more than the clearance. Twice what may be off is taken off, so
    /// that whoever computes it again, in another way, comes to the same answer.
    #[inline]
    fn proven(&mut self, region: &Region, heights: &[Heights; 2]) -> bool {
        self.gap_through(region, heights) > self.options.clearance * (1.0 + 16.0 * f64::EPSILON)
    }

    /// The gap that a direction proves; noted if it is enough.
    #[inline]
    fn gap_through(&mut self, region: &Region, heights: &[Heights; 2]) -> f64 {
        let [a, b] = self.bodies;
        let [part_a, part_b] = region.parts;
        let moment = &self.memory.spans[region.span as usize];
        let off = slack(&moment.near, [a.bounds(part_a), b.bounds(part_b)], &heights[0]);
        let gap = clear((a, part_a, &heights[0]), (b, part_b, &heights[1])) - 2.0 * off;
        if gap > self.options.clearance * (1.0 + 16.0 * f64::EPSILON) {
            self.clearance = self.clearance.min(gap * (1.0 - 16.0 * f64::EPSILON));
            self.inflated = self.inflated.max(off);
        }
        gap
    }

    fn accept(&mut self, region: &Region, direction: Direction) {
        if self.options.certificate {
            let Direction { start, end } = direction;
            self.memory.draft.set(region.slot, BodiesStep::Free { start, end });
        }
    }

    fn divide_time(&mut self, region: &Region) {
        let halves = self.halves(region.span);
        let slot = if self.options.certificate {
            self.memory.draft.divide(region.slot, BodiesStep::Time, 2)
        } else {
            0
        };
        let parts = region.parts;
        self.open(Region { parts, span: halves[1], slot: slot + 1 });
        self.open(Region { parts, span: halves[0], slot });
    }

    /// Divides the larger part, and leaves out at once what the direction of the whole keeps apart.
    fn divide_space(&mut self, region: &Region, direction: Option<(&[Heights; 2], DVec3)>) {
        let [a, b] = self.bodies;
        let [part_a, part_b] = region.parts;
        let k = match region.parts {
            [Part::Triangle(_), _] => 1,
            [_, Part::Triangle(_)] => 0,
            _ => usize::from(b.bounds(part_b).radius > a.bounds(part_a).radius),
        };
        let body = self.bodies[k];
        let mut slot = 0;
        if self.options.certificate {
            let cuts: Vec<u32> =
                body.parts(region.parts[k]).skip(1).map(|part| body.range(part)[0]).collect();
            let count = cuts.len() as u32 + 1;
            // What is a single triangle already is only looked at more closely.
            slot = region.slot;
            if count > 1 {
                let step = if k == 0 { BodiesStep::First(cuts) } else { BodiesStep::Second(cuts) };
                slot = self.memory.draft.divide(region.slot, step, count);
            }
        }
        for part in body.parts(region.parts[k]) {
            let mut parts = region.parts;
            parts[k] = part;
            let child = Region { parts, span: region.span, slot };
            slot += 1;
            if let Some((heights, n)) = direction
                && self.proven(&child, heights)
            {
                self.accept(&child, Direction::fixed(n));
            } else {
                self.open(child);
            }
        }
    }

    /// Two triangles that no direction of boxes keeps apart.
    fn triangles(&mut self, region: &Region, places: [u32; 2]) {
        let moment = self.memory.spans[region.span as usize];
        let span = moment.span;
        let mut distance = f64::NAN;
        if self.exact.is_none() || self.options.method == Method::Combined {
            self.counters.instants += 1;
            let n;
            (distance, n) = self.closest(&moment.placed, places);
            if self.direction_proves(region, n.map(Direction::fixed)) {
                return;
            }
        }
        let way = self.way(region);
        // Where they are far apart for how far they move, a direction fails because it should turn.
        let should_turn = distance > 0.25 * way;
        if self.exact.is_none() && should_turn && self.turning_direction_proves(region, places, span) {
            return;
        }
        // Polynomials cost more than directions: they are asked where triangles move little for their size. What is left of longer
        // spans comes later, or never, if something touches before.
        let size =
            self.bodies[0].bounds(region.parts[0]).radius.min(self.bodies[1].bounds(region.parts[1]).radius);
        let is_long = way > LITTLE * size && span.length() > self.options.time_tolerance;
        if self.exact.is_some() && is_long && self.options.method == Method::Combined {
            self.divide_time(region);
            return;
        }
        if let Some(controls) = self.exact {
            let [a, b] = self.bodies;
            let until = self.hit.map_or(1.0, |hit| hit.time.end);
            let (i, j) = (places[0], places[1]);
            let tolerance = self.options.time_tolerance;
            let first =
                self.memory.features.first((a, i, &controls[0]), (b, j, &controls[1]), until, tolerance);
            match first {
                FirstPair::Never => return self.evidence(region, places, &moment),
                FirstPair::At { time, features } => {
                    // Of two enclosed instants the earlier lies between the lesser of their bounds.
                    let known = self.hit.map_or(Span::new(1.0, 1.0), |hit| hit.time);
                    let found = Span::new(known.start.min(time[0]), known.end.min(time[1]));
                    match &mut self.hit {
                        Some(hit) if known.end <= time[1] => hit.time = found,
                        hit => *hit = Some(Hit { time: found, triangles: places, features: Some(features) }),
                    }
                    return;
                }
                // Halving may still tell them apart, or finds them within the resolution.
                FirstPair::Undecided => {}
            }
        }
        if distance.is_nan() {
            (distance, _) = self.closest(&moment.placed, places);
        }
        let hidden = 2.0 * self.rounding(region);
        let is_contact = distance <= self.options.clearance + self.options.resolution.max(hidden);
        if is_contact {
            self.touch_at(span.start, span.middle(), places);
        }
        // Where points go no farther than the resolution, a gap that exceeds it in the middle would have been proven.
        let is_short = span.length() <= self.options.time_tolerance
            && (is_contact || !(way > 0.5 * self.options.resolution));
        if !is_short && span.length() > SHORTEST {
            self.divide_time(region);
            return;
        }
        self.note_unresolved(span);
    }

    /// A contact of this pair at an instant is certain; its first may be earlier.
    fn touch_at(&mut self, not_before: f64, instant: f64, triangles: [u32; 2]) {
        if self.hit.is_none_or(|hit| instant < hit.time.end) {
            let start =
                if instant - not_before <= self.options.time_tolerance { not_before } else { instant };
            self.hit = Some(Hit { time: Span::new(start, instant), triangles, features: None });
        }
    }

    /// The exact polynomials say that two triangles never touch. Where directions are asked for, they are looked for in shorter
    /// spans, and multiplied out exactly where rounding hides what they tell. What has none in the shortest has no evidence.
    fn evidence(&mut self, region: &Region, places: [u32; 2], moment: &Moment) {
        if !self.options.certificate && self.options.clearance == 0.0 {
            self.clearance = 0.0;
            return;
        }
        let span = moment.span;
        if self.turning_direction_proves(region, places, span) || self.exactly_proves(region, places, span) {
            return;
        }
        self.clearance = self.clearance.min(0.0);
        if self.no_evidence {
            return;
        }
        if span.length() > self.options.time_tolerance {
            self.divide_time(region);
        } else {
            self.no_evidence = true;
        }
    }

    /// Whether a direction proves it without any rounding.
    fn exactly_proves(&mut self, region: &Region, places: [u32; 2], span: Span) -> bool {
        let Some(controls) = self.exact else { return false };
        let [start, middle, end] = [span.start, span.middle(), span.end]
            .map(|t| self.closest(&[self.pieces[0].at(t), self.pieces[1].at(t)], places).1);
        let corners = [0, 1].map(|k: usize| [*self.bodies[k].corners(places[k])]);
        let pairs = [(middle, middle), (start, start), (start, end), (end, end)];
        for (start, end) in pairs.into_iter().filter_map(|(start, end)| Some((start?, end?))) {
            // Only where rounding hides it.
            let direction = Direction { start, end };
            let moment = &self.memory.spans[region.span as usize];
            let both = moment.near.map(|near| Heights::of(&near.controls, &direction));
            let [a, b] = self.bodies;
            let [part_a, part_b] = region.parts;
            let off = slack(&moment.near, [a.bounds(part_a), b.bounds(part_b)], &both[0]);
            let is_hidden = clear((a, part_a, &both[0]), (b, part_b, &both[1])) > -off;
            if is_hidden
                && heights::positive(
                    [&corners[0], &corners[1]],
                    [&controls[0], &controls[1]],
                    span,
                    [start, end],
                )
            {
                self.clearance = self.clearance.min(0.0);
                self.accept(region, direction);
                return true;
            }
        }
        false
    }

    /// Whether the direction between the nearest points, turning from what it is at the start to what it is at the end, proves it.
    fn turning_direction_proves(&mut self, region: &Region, places: [u32; 2], span: Span) -> bool {
        let ends = [span.start, span.end].map(|t| {
            self.counters.instants += 1;
            self.closest(&[self.pieces[0].at(t), self.pieces[1].at(t)], places).1
        });
        let [Some(start), Some(end)] = ends else { return false };
        self.direction_proves(region, Some(Direction { start, end }))
    }

    fn direction_proves(&mut self, region: &Region, direction: Option<Direction>) -> bool {
        let Some(direction) = direction else { return false };
        let moment = &self.memory.spans[region.span as usize];
        let heights = moment.near.map(|near| Heights::of(&near.controls, &direction));
        let proven = self.proven(region, &heights);
        if proven {
            self.accept(region, direction);
        }
        proven
    }

    /// The distance of two triangles, and the direction that keeps them apart.
    fn closest(&self, placed: &[Affine; 2], places: [u32; 2]) -> (f64, Option<DVec3>) {
        let corners = [0, 1].map(|k: usize| self.bodies[k].corners(places[k]).map(|p| placed[k] * p));
        let closest = triangle::closest(&corners[0], &corners[1]);
        (closest.distance_sq.sqrt(), direction(&closest, &corners))
    }
}

/// From the nearest point of the first to that of the second.
///
/// Close to contact their difference is mostly rounding, and off by that over their distance: too much for the lever of a triangle. The
/// normals of faces and of two sides are not.
///
/// But those of sides that are parallel, or nearly so, are noise. Then what keeps them farthest apart is taken: that, the normal of a
/// face, or the difference without what it has along a side. From a side both surfaces lead away, but for the side itself: only along it
/// a little tilt does harm. If none of these keeps them half as far apart as they are, all sides are tried.
pub(crate) fn direction(closest: &triangle::Closest, corners: &[[DVec3; 3]; 2]) -> Option<DVec3> {
    let between = closest.points[1] - closest.points[0];
    let unit = |across: DVec3| {
        let n = across.try_normalize()?;
        Some(if n.dot(between) < 0.0 { -n } else { n })
    };
    let apart = |n: DVec3| {
        let heights = |k: usize| corners[k].iter().map(move |p| p.dot(n));
        heights(1).fold(f64::INFINITY, f64::min) - heights(0).fold(f64::NEG_INFINITY, f64::max)
    };
    let first = normal(&closest.features, corners).and_then(unit);
    if let Some(n) = first
        && apart(n) > 0.5 * closest.distance_sq.sqrt()
    {
        return first;
    }
    let faces =
        [0, 1].map(|k: usize| unit((corners[k][1] - corners[k][0]).cross(corners[k][2] - corners[k][0])));
    let mut beside = between;
    for (k, feature) in closest.features.iter().enumerate() {
        if let Feature::Side(from) = *feature {
            let side = corners[k][(from as usize + 1) % 3] - corners[k][from as usize];
            beside -= side.try_normalize().map_or(DVec3::ZERO, |side| side * side.dot(beside));
        }
    }
    let all = [first, unit(between), unit(beside), faces[0], faces[1]];
    let best = all.into_iter().flatten().max_by(|m, n| apart(*m).total_cmp(&apart(*n)));
    if best.is_some_and(|n| apart(n) > 0.5 * closest.distance_sq.sqrt()) {
        return best;
    }
    across_sides(corners, faces).chain(best).max_by(|m, n| apart(*m).total_cmp(&apart(*n)))
}

/// What else can keep two triangles apart, either way: across a side of each, or across a side within its plane. Where corners are
/// nearest, the difference of points is all that they define, and that is noise; but a side that begins there may have a direction.
fn across_sides(corners: &[[DVec3; 3]; 2], faces: [Option<DVec3>; 2]) -> impl Iterator<Item = DVec3> {
    let sides = corners.map(|t| [0, 1, 2].map(|k: usize| t[(k + 1) % 3] - t[k]));
    let both = (0..9).map(move |k| sides[0][k / 3].cross(sides[1][k % 3]));
    let within = (0..6).filter_map(move |k| Some(faces[k / 3]?.cross(sides[k / 3][k % 3])));
    both.chain(within).filter_map(DVec3::try_normalize).flat_map(|n| [n, -n])
}

/// What two features are separated along wherever they are, either way and of any length, if they define it.
pub(super) fn normal(features: &[Feature; 2], corners: &[[DVec3; 3]; 2]) -> Option<DVec3> {
    let face = |k: usize| (corners[k][1] - corners[k][0]).cross(corners[k][2] - corners[k][0]);
    let side = |k: usize, from: u8| corners[k][(from as usize + 1) % 3] - corners[k][from as usize];
    match *features {
        [Feature::Face, _] => Some(face(0)),
        [_, Feature::Face] => Some(face(1)),
        [Feature::Side(i), Feature::Side(j)] => Some(side(0, i).cross(side(1, j))),
        _ => None,
    }
}
