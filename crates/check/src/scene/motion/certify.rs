//! A certificate of a motion that is free: regions are divided until the verifier's own test accepts a direction for each.

use super::axes::{between, chain};
use super::{MotionOptions, MotionScene};
use crate::moving_bodies::Body;
use crate::moving_bodies::{Direction, Heights, Part, best_direction, clear, slack};
use crate::scene::PairId;
use kansho_cell::{FrameId, Geometry, JointMotion, JointPiece};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Chain, Course, Near, Span};
use kansho_geom::primitive::Shape;
use kansho_geom::tree::Scratch;
use kansho_geom::{Pose, Primitive, solid, triangle};
use kansho_verify::motion::{MotionCertificate, MotionStep, Two, moves, pieces};
use rayon::prelude::*;
use std::sync::Arc;

/// Why there is no certificate.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Uncertified {
    /// The division became too fine: the bodies are as near to each other as rounding, or as the steps, allow.
    #[error("piece {piece}: no certificate was found for {pair:?} in {span:?}")]
    TooNear {
        /// The piece of the motion.
        piece: usize,
        /// Which bodies.
        pair: PairId,
        /// When, as a fraction of the piece.
        span: Span,
    },
    /// There was no time left.
    #[error("there was no time left for a certificate")]
    Late,
    /// A half-space that moves ends nowhere.
    #[error("{0:?}: there are no certificates of half-spaces that move")]
    HalfSpace(PairId),
}

/// Regions of two shapes in a piece, at most.
const MOST_REGIONS: usize = 2_000_000;

/// Spans that are not halved.
const SHORTEST: f64 = 1e-12;

/// One of two shapes.
enum Side<'a> {
    Mesh(&'a Body),
    Formula(Box<Body>),
    HalfSpace,
}

impl Side<'_> {
    fn body(&self) -> Option<&Body> {
        match self {
            Self::Mesh(body) => Some(body),
            Self::Formula(body) => Some(body),
            Self::HalfSpace => None,
        }
    }
}

impl MotionScene<'_> {
    /// A certificate that a motion is free.
    ///
    /// # Errors
    /// None was found: the motion is not free, or too near to a contact.
    pub fn certify(
        &self,
        motion: &JointMotion,
        options: &MotionOptions<'_>,
    ) -> Result<MotionCertificate, Uncertified> {
        self.certify_with_margins(motion, options, &|_, _| 0.0)
    }

    /// The same for motions of which each piece may be off by a margin, in metres, that the frames of two bodies decide: pairs that move stay apart
    /// by that, too.
    pub(super) fn certify_with_margins(
        &self,
        motion: &JointMotion,
        options: &MotionOptions<'_>,
        margin: &(dyn Fn(usize, [FrameId; 2]) -> f64 + Sync),
    ) -> Result<MotionCertificate, Uncertified> {
        // Who wants it to stop waits for nothing, though some motions would need no time.
        if options.is_late() {
            return Err(Uncertified::Late);
        }
        let scene = self.scene;
        let geometries: Vec<&Geometry> = scene
            .cell
            .bodies()
            .iter()
            .flat_map(|body| body.pieces.iter().map(|piece| &piece.geometry))
            .collect();
        let sides: Vec<Side<'_>> = geometries
            .par_iter()
            .zip(&scene.parts)
            .map(|(geometry, part)| match geometry {
                Geometry::Mesh(_) => Side::Mesh(part.moving_body().expect("a mesh is a body")),
                Geometry::Primitive(primitive) => Body::of_primitive(Arc::clone(&part.solid), primitive)
                    .map_or(Side::HalfSpace, |body| Side::Formula(Box::new(body))),
            })
            .collect();
        let order = |side: &Side<'_>| match side {
            Side::Mesh(body) => body.order().to_vec(),
            _ => Vec::new(),
        };
        let orders: Vec<Vec<u32>> = sides.iter().map(order).collect();
        let shapes = pieces(&scene.cell, &orders).expect("these are the orders of this cell");
        let clearances: Vec<f64> = (0u32..)
            .zip(scene.cell.pairs().checked())
            .map(|(id, &bodies)| if moves(&scene.cell, bodies) { options.of(PairId(id)) } else { 0.0 })
            .collect();
        let mut all = Vec::new();
        for (number, piece) in motion.pieces().iter().enumerate() {
            let of_pair = |(id, bodies): (usize, &[kansho_cell::BodyId; 2])| {
                let mut steps = Vec::new();
                for a in scene.parts_of(bodies[0]) {
                    for b in scene.parts_of(bodies[1]) {
                        let (_, frames) = between(&scene.cell, scene.parts[a].frame, scene.parts[b].frame);
                        let chains = [(a, &frames[0]), (b, &frames[1])].map(|(part, frames)| {
                            let part = &scene.parts[part];
                            let about = part.solid.aabb().map_or(DVec3::ZERO, |aabb| aabb.centre());
                            chain(&scene.cell, piece, frames, part.frame_from_part, about)
                        });
                        let pair = PairId(id as u32);
                        let mut certify = Certify {
                            two: Two::new(&scene.cell, [&shapes[a], &shapes[b]]),
                            sides: [&sides[a], &sides[b]],
                            solids: [&scene.parts[a].solid, &scene.parts[b].solid],
                            formulas: [a, b].map(|part| match geometries[part] {
                                Geometry::Primitive(primitive) => Some(primitive),
                                Geometry::Mesh(_) => None,
                            }),
                            chains,
                            piece,
                            clearance: if moves(&scene.cell, *bodies) {
                                clearances[id] + margin(number, [a, b].map(|part| scene.parts[part].frame))
                            } else {
                                0.0
                            },
                            options,
                            steps: &mut steps,
                            scratch: Scratch::default(),
                        };
                        certify.run().map_err(|open| match open {
                            Open::Late => Uncertified::Late,
                            Open::HalfSpace => Uncertified::HalfSpace(pair),
                            Open::Span(span) => Uncertified::TooNear { piece: number, pair, span },
                        })?;
                    }
                }
                Ok(steps)
            };
            let steps: Vec<Result<Vec<MotionStep>, Uncertified>> =
                scene.cell.pairs().checked().par_iter().enumerate().map(of_pair).collect();
            all.push(steps.into_iter().collect::<Result<Vec<_>, _>>()?.concat());
        }
        Ok(MotionCertificate { clearances, orders, pieces: all })
    }
}

impl MotionOptions<'_> {
    /// The gap that is wanted of a pair.
    pub(super) fn of(&self, pair: PairId) -> f64 {
        self.of_pairs.iter().find(|(special, _)| *special == pair).map_or(self.clearance, |(_, gap)| *gap)
    }
}

enum Open {
    Late,
    HalfSpace,
    Span(Span),
}

struct Certify<'a> {
    two: Two<'a>,
    sides: [&'a Side<'a>; 2],
    solids: [&'a solid::Solid; 2],
    formulas: [Option<&'a Primitive>; 2],
    chains: [Chain; 2],
    piece: &'a JointPiece,
    clearance: f64,
    options: &'a MotionOptions<'a>,
    steps: &'a mut Vec<MotionStep>,
    scratch: Scratch,
}

/// Parts of both in a span, and the direction that the whole was tried with.
#[derive(Clone, Copy)]
struct Region {
    parts: [Part; 2],
    span: Span,
    direction: Option<DVec3>,
}

impl Certify<'_> {
    fn run(&mut self) -> Result<(), Open> {
        let (Some(a), Some(b)) = (self.sides[0].body(), self.sides[1].body()) else {
            return self.half_space();
        };
        let mut spans: Vec<(Span, [Near; 2])> = Vec::new();
        let mut open = vec![Region { parts: [a.root(), b.root()], span: Span::WHOLE, direction: None }];
        let mut regions = 0;
        while let Some(region) = open.pop() {
            regions += 1;
            if regions % 256 == 0 && self.options.is_late() {
                return Err(Open::Late);
            }
            let Region { parts, span, direction } = region;
            if regions > MOST_REGIONS {
                return Err(Open::Span(span));
            }
            // Spans within spans: the last ones are asked for again.
            while spans.last().is_some_and(|(known, _)| !(known.start <= span.start && span.end <= known.end))
            {
                spans.pop();
            }
            let near = match spans.last() {
                Some((known, near)) if *known == span => *near,
                _ => {
                    let near = [self.chains[0].within(span), self.chains[1].within(span)];
                    spans.push((span, near));
                    near
                }
            };
            let middle = [0, 1].map(|k: usize| self.chains[k].pose(span.middle()));
            let bounds = [a.bounds(parts[0]), b.bounds(parts[1])];
            let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
            let through = |n: DVec3| {
                let heights = near.map(|near| Heights::of(&near.controls, &Direction::fixed(n)));
                let off = slack(&near, bounds, &heights[0]);
                clear((a, parts[0], &heights[0]), (b, parts[1], &heights[1])) - 2.0 * off
            };
            let placed = middle.map(kansho_geom::pose_motion::Affine::from);
            let (guess, n) = best_direction(bounds[0], &placed[0], bounds[1], &placed[1]);
            let mut gap_now = guess;
            for n in direction.into_iter().chain((guess > 0.0).then_some(n)) {
                let gap = through(n);
                if gap > best.0 {
                    best = (gap, n);
                }
            }
            let is_last = [a, b].iter().zip(parts).all(|(body, part)| body.parts(part).next().is_none());
            if !(best.0 > self.clearance)
                && is_last
                && let Some((gap, n)) = self.closest(parts, &middle)
            {
                gap_now = gap_now.max(gap);
                let gap = through(n);
                if gap > best.0 {
                    best = (gap, n);
                }
            }
            let ranges =
                [a.range(parts[0]), b.range(parts[1])].map(|range| range.map(|place| place as usize));
            // What the boxes promise, the verifier must see too.
            if best.0 > self.clearance
                && self.two.beyond(self.piece, span, ranges, best.1)
                    > self.clearance * (1.0 + 16.0 * f64::EPSILON)
            {
                self.steps.push(MotionStep::Free(best.1));
                continue;
            }
            let way: f64 =
                (0..2).map(|k| self.chains[k].travel(span, bounds[k].centre, bounds[k].radius)).sum();
            let size = bounds[0].radius.max(bounds[1].radius);
            // Half the time loses at most half as much of the gap in the middle: that may be enough.
            let helps = gap_now > self.clearance && gap_now - best.0 < 2.0 * (gap_now - self.clearance);
            if helps || way > size || is_last {
                // Near enough to a contact, nothing will do.
                if !(span.length() > SHORTEST) || (is_last && !(gap_now > self.clearance) && way < 1e-12) {
                    return Err(Open::Span(span));
                }
                self.steps.push(MotionStep::Time);
                let [early, late] = span.halves();
                let direction = (best.0 > f64::NEG_INFINITY).then_some(best.1);
                open.extend([late, early].map(|span| Region { parts, span, direction }));
                continue;
            }
            let larger = usize::from(bounds[1].radius > bounds[0].radius);
            let k = if [a, b][larger].parts(parts[larger]).next().is_some() { larger } else { 1 - larger };
            let inside: Vec<Part> = [a, b][k].parts(parts[k]).collect();
            let cuts = inside.iter().skip(1).map(|part| [a, b][k].range(*part)[0]).collect::<Vec<u32>>();
            // A box that holds a single one is that one.
            if !cuts.is_empty() {
                self.steps.push(if k == 0 { MotionStep::First(cuts) } else { MotionStep::Second(cuts) });
            }
            let direction = (best.0 > f64::NEG_INFINITY).then_some(best.1);
            for part in inside.into_iter().rev() {
                let mut parts = parts;
                parts[k] = part;
                open.push(Region { parts, span, direction });
            }
        }
        Ok(())
    }

    /// The gap of two parts that cannot be divided, roughly, and its direction.
    fn closest(&mut self, parts: [Part; 2], placed: &[Pose; 2]) -> Option<(f64, DVec3)> {
        let corners = |k: usize| match parts[k] {
            Part::Triangle(place) => {
                self.sides[k].body().map(|body| body.corners(place).map(|p| placed[k] * p))
            }
            Part::Box(_) => None,
        };
        match [corners(0), corners(1)] {
            [Some(a), Some(b)] => {
                let closest = triangle::closest(&a, &b);
                Some((closest.distance_sq.sqrt(), crate::moving_bodies::direction(&closest, &[a, b])?))
            }
            [None, None] => {
                let a_from_b = placed[0].inverse() * placed[1];
                let found = solid::distance(
                    self.solids[0],
                    self.solids[1],
                    a_from_b,
                    f64::INFINITY,
                    &mut self.scratch,
                )?;
                let n = placed[0].rotate(found.points[1] - found.points[0]).try_normalize()?;
                Some((found.gap, n))
            }
            [a, b] => {
                // A formula and a triangle: from the nearest point of one to that of the other, back and forth.
                let (k, triangle) = if a.is_none() { (0, b?) } else { (1, a?) };
                let formula = self.formulas[k]?;
                let triangle = triangle.map(|p| placed[k].inverse() * p);
                let mut p = triangle::nearest(DVec3::ZERO, &triangle);
                for _ in 0..20 {
                    p = triangle::nearest(p - formula.outward(p) * formula.signed_distance(p), &triangle);
                }
                let n = placed[k].rotate(formula.outward(p));
                Some((formula.signed_distance(p), if k == 0 { n } else { -n }))
            }
        }
    }

    /// Beyond a half-space: only time is divided.
    fn half_space(&mut self) -> Result<(), Open> {
        let plane = |k: usize| match self.formulas[k].map(Primitive::shape) {
            Some(Shape::HalfSpace { .. }) => Some(k),
            _ => None,
        };
        let k = plane(0).or_else(|| plane(1)).expect("one of them is a half-space");
        if !self.chains[k].is_still() || self.sides[1 - k].body().is_none() {
            return Err(Open::HalfSpace);
        }
        let ranges = [0, 1].map(|k: usize| match self.sides[k] {
            Side::Mesh(body) => [0, body.order().len()],
            _ => [0, 0],
        });
        let mut open = vec![Span::WHOLE];
        while let Some(span) = open.pop() {
            if self.two.beyond(self.piece, span, ranges, DVec3::Z)
                > self.clearance * (1.0 + 16.0 * f64::EPSILON)
            {
                self.steps.push(MotionStep::Free(DVec3::Z));
            } else if span.length() > SHORTEST {
                self.steps.push(MotionStep::Time);
                let [early, late] = span.halves();
                open.extend([late, early]);
            } else {
                return Err(Open::Span(span));
            }
        }
        Ok(())
    }
}
