//! Pairs of parts and spans of time, divided until a direction keeps each pair apart through its span, or triangles touch.

use super::body::{Body, Part};
use super::certificate::{Draft, Step};
use super::features::{Features, FirstPair};
use super::separate::{Direction, Heights, best_direction, clear, slack};
use super::{Counters, Method, MovingOptions};
use kansho_geom::glam::DVec3;
use kansho_geom::motion::{Affine, Near, Piece, Span};
use kansho_geom::triangle::{self, Feature};

/// Memory that searches use again.
#[derive(Debug, Default)]
pub(super) struct Memory {
    spans: Vec<Moment>,
    open: Vec<Region>,
    features: Features,
    pub(super) draft: Draft,
}

/// How the search of a piece ended, in times of the piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    Free,
    Touches(Hit),
    Undecided(Span),
}

/// A contact of two triangles (places in the orders).
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// The first contact of the bodies lies in here; at its end they are in contact.
    pub(super) time: Span,
    pub(super) triangles: [u32; 2],
    /// What touches, where the exact polynomials say so.
    pub(super) features: Option<[Feature; 2]>,
}

/// Two parts in a span.
#[derive(Clone, Copy, Debug)]
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
    pub(super) pieces: &'a [Piece; 2],
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
        let first = self.moment(Span::WHOLE);
        let [a, b] = self.bodies;
        self.memory.open.push(Region { parts: [a.root(), b.root()], span: first, slot: 0 });
        while let Some(region) = self.memory.open.pop() {
            let span = self.memory.spans[region.span as usize].span;
            if span.start >= self.limit() {
                continue;
            }
            self.counters.regions += 1;
            if self.counters.regions > self.options.most_regions {
                let earliest = self.memory.open.iter().map(|region| region.span);
                let starts = earliest.map(|k| self.memory.spans[k as usize].span);
                let open = starts.fold(span, |best, span| if span.start < best.start { span } else { best });
                self.note_unresolved(open);
                break;
            }
            self.look_at(region);
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
        let (gap, n) = best_direction(bounds[0], &moment.placed[0], bounds[1], &moment.placed[1]);
        let heights = (gap > 0.0).then(|| {
            let fixed = Direction::fixed(n);
            moment.near.map(|near| Heights::of(&near.controls, &fixed))
        });
        if let Some(heights) = &heights
            && self.proven(&region, heights)
        {
            self.accept(&region, Direction::fixed(n));
            return;
        }
        if let [Part::Triangle(i), Part::Triangle(j)] = region.parts {
            self.triangles(&region, [i, j]);
            return;
        }
        // The larger of space and time is divided.
        let moment = &self.memory.spans[region.span as usize];
        let way = |k: usize| {
            let centre = bounds[k].centre;
            let moved = (moment.step[k] * centre).length() + moment.turned[k] * bounds[k].radius;
            moved + moment.near[k].slack.of_ball(centre, bounds[k].radius)
        };
        let size = bounds[0].radius.max(bounds[1].radius);
        let is_long = moment.span.length() > self.options.time_tolerance;
        if way(0) + way(1) > size && is_long && self.options.method != Method::Intersect {
            self.divide_time(&region);
        } else {
            self.divide_space(&region, heights.as_ref().map(|heights| (heights, n)));
        }
    }

    /// Whether a direction keeps the parts of a region apart by more than the clearance. Twice what may be off is taken off, so
    /// that whoever computes it again, in another way, comes to the same answer.
    #[inline]
    fn proven(&mut self, region: &Region, heights: &[Heights; 2]) -> bool {
        let [a, b] = self.bodies;
        let [part_a, part_b] = region.parts;
        let moment = &self.memory.spans[region.span as usize];
        let off = slack(&moment.near, [a.bounds(part_a), b.bounds(part_b)]);
        let gap = clear((a, part_a, &heights[0]), (b, part_b, &heights[1])) - 2.0 * off;
        if gap > self.options.clearance * (1.0 + 16.0 * f64::EPSILON) {
            self.clearance = self.clearance.min(gap * (1.0 - 16.0 * f64::EPSILON));
            self.inflated = self.inflated.max(off);
            return true;
        }
        false
    }

    fn accept(&mut self, region: &Region, direction: Direction) {
        if self.options.certificate {
            let Direction { start, end } = direction;
            self.memory.draft.set(region.slot, Step::Free { start, end });
        }
    }

    fn divide_time(&mut self, region: &Region) {
        let halves = self.halves(region.span);
        let slot =
            if self.options.certificate { self.memory.draft.divide(region.slot, Step::Time, 2) } else { 0 };
        let parts = region.parts;
        // The early half is looked at first.
        self.memory.open.push(Region { parts, span: halves[1], slot: slot + 1 });
        self.memory.open.push(Region { parts, span: halves[0], slot });
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
            let step = if k == 0 { Step::First(cuts) } else { Step::Second(cuts) };
            slot = self.memory.draft.divide(region.slot, step, count);
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
                self.memory.open.push(child);
            }
        }
    }

    /// Two triangles that no direction of boxes keeps apart.
    fn triangles(&mut self, region: &Region, places: [u32; 2]) {
        let moment = self.memory.spans[region.span as usize];
        let span = moment.span;
        self.counters.instants += 1;
        let middle = self.closest(&moment.placed, places);
        let distance = middle.distance_sq.sqrt();
        if self.direction_proves(region, direction(&middle).map(Direction::fixed)) {
            return;
        }
        if self.exact.is_none() && distance > 0.0 && self.turning_direction_proves(region, places, span) {
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
        let contact = self.options.clearance + self.options.resolution;
        if distance <= contact {
            self.touch_at(span.start, span.middle(), places);
        }
        if span.length() > self.options.time_tolerance {
            self.divide_time(region);
            return;
        }
        // As short as is asked for: what is not proven either way stays open.
        let end = [self.pieces[0].at(span.end), self.pieces[1].at(span.end)];
        self.counters.instants += 1;
        if self.closest(&end, places).distance_sq.sqrt() <= contact {
            self.touch_at(span.start, span.end, places);
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
    /// spans.
    fn evidence(&mut self, region: &Region, places: [u32; 2], moment: &Moment) {
        if !self.options.certificate && self.options.clearance == 0.0 {
            self.clearance = 0.0;
            return;
        }
        let span = moment.span;
        if self.turning_direction_proves(region, places, span) {
            return;
        }
        if span.length() > self.options.time_tolerance {
            self.divide_time(region);
        } else {
            self.clearance = 0.0;
            self.memory.draft.set(region.slot, Step::Exact);
        }
    }

    /// Whether the direction between the nearest points, turning from what it is at the start to what it is at the end, proves it.
    fn turning_direction_proves(&mut self, region: &Region, places: [u32; 2], span: Span) -> bool {
        let ends = [span.start, span.end].map(|t| {
            self.counters.instants += 1;
            direction(&self.closest(&[self.pieces[0].at(t), self.pieces[1].at(t)], places))
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

    fn closest(&self, placed: &[Affine; 2], places: [u32; 2]) -> triangle::Closest {
        let corners = |k: usize| self.bodies[k].corners(places[k]).map(|p| placed[k] * p);
        triangle::closest(&corners(0), &corners(1))
    }
}

/// From the nearest point of the first to that of the second.
fn direction(closest: &triangle::Closest) -> Option<DVec3> {
    (closest.points[1] - closest.points[0]).try_normalize()
}
