//! A certificate of a motion that is free: a walk over the verifier's own trees, down to regions for which its own test accepts a direction.
//!
//! Each region is tried with directions that take one letter first. What is not free is halved in time or opened, whichever promises more.

use super::boxes::{Placement, best_axis};
use super::{MotionOptions, MotionScene};
use crate::scene::PairId;
use kansho_cell::{FrameId, JointMotion, JointPiece};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use kansho_geom::tree::Scratch;
use kansho_geom::{Pose, solid, triangle};
use kansho_verify::motion::height::{beyond, direction};
use kansho_verify::motion::seen::{PairOfTrees, PieceView, Seen, When};
use kansho_verify::motion::steps::{self, FreeAlong, RegionStep, rounded};
use kansho_verify::motion::tree::BodyTree;
use kansho_verify::motion::{CellTrees, MotionCertificate, moves, required};
use rayon::prelude::*;

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

/// Regions of two bodies in a piece, at most.
const MOST_REGIONS: usize = 2_000_000;

/// Spans that are not halved.
const SHORTEST: f64 = 1e-12;

/// The part of a gap that must be enough: other machines may round the directions that the verifier works out by some units in the last place.
const LESS: f64 = 1.0 - 1e-9;

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

    /// The verifier's trees of this cell, which [`verify_on_trees`](kansho_verify::motion::verify_on_trees) takes: made once for many motions.
    #[must_use]
    pub fn trees(&self) -> &CellTrees {
        self.prepared.trees.get_or_init(|| CellTrees::new(&self.scene.cell))
    }

    /// What a certificate says of each pair that is checked: the gap that is wanted, or none of those that never move relative to each other.
    #[must_use]
    pub fn clearances(&self, options: &MotionOptions<'_>) -> Vec<f64> {
        let cell = &*self.scene.cell;
        let of = |(id, &bodies): (u32, &[kansho_cell::BodyId; 2])| {
            if moves(cell, bodies) { options.of(PairId(id)) } else { 0.0 }
        };
        (0u32..).zip(cell.pairs().checked()).map(of).collect()
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
        let cell = &*self.scene.cell;
        let trees = self.trees();
        let clearances = self.clearances(options);
        let of_piece = |(number, piece): (usize, &JointPiece)| {
            if options.is_late() {
                return Err(Uncertified::Late);
            }
            let mut letters = String::new();
            let mut view = PieceView::new(cell, trees, piece);
            for (id, pair) in trees.pairs().iter().enumerate() {
                let bodies = trees.of(pair);
                if (!pair.moves && number > 0) || bodies.iter().any(|body| body.is_empty()) {
                    continue;
                }
                let margin = if pair.moves {
                    let frames = pair.bodies.map(|body| cell.in_frame(cell.body(body).carrier).frame);
                    margin(number, frames)
                } else {
                    0.0
                };
                let pair_id = PairId(id as u32);
                let mut certify = Certify {
                    pair,
                    bodies,
                    view: &mut view,
                    needed: required(clearances[id], margin),
                    options,
                    letters: &mut letters,
                    last: None,
                };
                certify.run().map_err(|open| match open {
                    Open::Late => Uncertified::Late,
                    Open::HalfSpace => Uncertified::HalfSpace(pair_id),
                    Open::Span(span) => Uncertified::TooNear { piece: number, pair: pair_id, span },
                })?;
            }
            Ok(letters)
        };
        let pieces: Vec<Result<String, Uncertified>> =
            motion.pieces().par_iter().enumerate().map(of_piece).collect();
        Ok(MotionCertificate { clearances, pieces: pieces.into_iter().collect::<Result<_, _>>()? })
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

/// Two nodes in a span, and the direction that they were tried with before they were divided.
#[derive(Clone, Copy)]
struct Region {
    nodes: [u32; 2],
    when: When,
    hint: Option<DVec3>,
}

struct Certify<'a, 'v> {
    pair: &'a PairOfTrees,
    bodies: [&'a BodyTree; 2],
    view: &'v mut PieceView<'a>,
    needed: f64,
    options: &'a MotionOptions<'a>,
    letters: &'v mut String,
    /// The direction of the last free region.
    last: Option<DVec3>,
}

/// What was tried of a region.
struct Tried {
    best: f64,
    n: Option<DVec3>,
}

impl Certify<'_, '_> {
    fn run(&mut self) -> Result<(), Open> {
        let mut open = vec![Region { nodes: [BodyTree::ROOT; 2], when: When::WHOLE, hint: None }];
        let mut regions = 0;
        while let Some(region) = open.pop() {
            let Region { nodes, when, hint } = region;
            regions += 1;
            if regions % 256 == 0 && self.options.is_late() {
                return Err(Open::Late);
            }
            if regions > MOST_REGIONS {
                return Err(Open::Span(when.span()));
            }
            let seen = self.view.pair(self.pair, when);
            let mut tried = Tried { best: f64::NEG_INFINITY, n: None };
            if self.free(&seen, nodes, FreeAlong::Middles, &mut tried) {
                continue;
            }
            let children = [0, 1].map(|k: usize| self.bodies[k].children(nodes[k]));
            // What has no end is no node of a region, but for a half-space that stands still.
            let planes = [0, 1].map(|k: usize| self.bodies[k].normal(nodes[k]).is_some());
            if (0..2).any(|k| planes[k] && (!seen[k].is_still || planes[1 - k])) {
                return Err(Open::HalfSpace);
            }
            let endless =
                (0..2).find(|&k| !self.bodies[k].extent(nodes[k]).2.is_finite() && children[k].is_some());
            if let Some(k) = endless {
                self.open(k, region, None, &mut open);
                continue;
            }
            let is_plane = planes.contains(&true);
            let mut gap_now = f64::NEG_INFINITY;
            if is_plane {
                gap_now = self.now(&seen, nodes, self.plane(&seen, nodes, planes));
            } else {
                let placements = [0, 1].map(|k: usize| {
                    let (centre, half, radius) = self.bodies[k].extent(nodes[k]);
                    Placement { pose: seen[k].middle, centre, half, radius }
                });
                let best = best_axis(&placements);
                gap_now = gap_now.max(best.gap);
                let named = match best.axis {
                    Some((side, axis)) => FreeAlong::Axis(side, axis),
                    None => rounded(best.n).map_or(FreeAlong::Middles, FreeAlong::Direction),
                };
                if (best.gap > self.needed && self.free(&seen, nodes, named, &mut tried))
                    || (self.last.is_some() && self.free(&seen, nodes, FreeAlong::Last, &mut tried))
                {
                    continue;
                }
                let hinted = hint.and_then(rounded).map(FreeAlong::Direction);
                if hinted.is_some_and(|named| self.free(&seen, nodes, named, &mut tried)) {
                    continue;
                }
            }
            let is_last = children.iter().all(Option::is_none);
            if is_last
                && !is_plane
                && let Some((gap, n)) = self.closest(nodes, &seen)
            {
                gap_now = gap_now.max(gap);
                let short = rounded(n).map(FreeAlong::Direction);
                if short.is_some_and(|named| self.free(&seen, nodes, named, &mut tried))
                    || self.free(&seen, nodes, FreeAlong::Direction(n), &mut tried)
                {
                    continue;
                }
            }
            let way: f64 = (0..2).map(|k| self.way(k, nodes[k], &seen[k])).sum();
            let radius = |k: usize| {
                let radius = self.bodies[k].extent(nodes[k]).2;
                if radius.is_finite() { radius } else { 0.0 }
            };
            let size = radius(0).max(radius(1));
            // Half the time loses at most half as much of the gap in the middle: that may be enough.
            let helps = gap_now > self.needed && gap_now - tried.best < 2.0 * (gap_now - self.needed);
            if helps || way > size || is_last {
                // Near enough to a contact, nothing will do.
                let span = when.span();
                if !(span.length() > SHORTEST) || (is_last && !(gap_now > self.needed) && way < 1e-12) {
                    return Err(Open::Span(span));
                }
                let Some([early, late]) = when.halves() else { return Err(Open::Span(span)) };
                steps::write(RegionStep::Time, self.letters);
                open.extend([late, early].map(|when| Region { nodes, when, hint: tried.n }));
                continue;
            }
            let larger = usize::from(radius(1) > radius(0));
            let k = if children[larger].is_some() { larger } else { 1 - larger };
            self.open(k, region, tried.n, &mut open);
        }
        Ok(())
    }

    fn open(&mut self, k: usize, region: Region, hint: Option<DVec3>, open: &mut Vec<Region>) {
        let children = self.bodies[k].children(region.nodes[k]).expect("it can be opened");
        steps::write(RegionStep::Open(k), self.letters);
        for child in children.into_iter().rev() {
            let mut nodes = region.nodes;
            nodes[k] = child;
            open.push(Region { nodes, hint, ..region });
        }
    }

    /// Whether the verifier accepts a direction for a region; then it is written.
    fn free(&mut self, seen: &[Seen; 2], nodes: [u32; 2], named: FreeAlong, tried: &mut Tried) -> bool {
        let Some(n) = direction(named, seen, self.bodies, nodes, self.last) else { return false };
        let gap = beyond(seen, self.bodies, nodes, n);
        if gap * LESS > self.needed {
            steps::write(RegionStep::Free(named), self.letters);
            self.last = Some(n);
            return true;
        }
        if gap > tried.best {
            *tried = Tried { best: gap, n: Some(n) };
        }
        false
    }

    /// The normal of the half-space of a region, towards the second.
    fn plane(&self, seen: &[Seen; 2], nodes: [u32; 2], planes: [bool; 2]) -> DVec3 {
        let k = usize::from(planes[1]);
        let normal = self.bodies[k].normal(nodes[k]).expect("it is a half-space");
        seen[k].middle.rotate(normal) * if k == 0 { 1.0 } else { -1.0 }
    }

    /// The gap along a direction of length 1 in the middle of a span, rounding aside.
    fn now(&self, seen: &[Seen; 2], nodes: [u32; 2], n: DVec3) -> f64 {
        let height = |k: usize, n: DVec3| {
            let pose = seen[k].middle;
            self.bodies[k].lowest(nodes[k], pose.rotation().transpose() * n) + pose.translation().dot(n)
        };
        height(0, -n) + height(1, n)
    }

    /// How far points of a node get in a span, about.
    fn way(&self, k: usize, node: u32, seen: &Seen) -> f64 {
        let (centre, _, radius) = self.bodies[k].extent(node);
        if seen.is_still || !radius.is_finite() {
            return 0.0;
        }
        let step = |pair: &[Pose]| {
            let turned = pair[1].rotation() - pair[0].rotation();
            let turned = turned.x_axis.length_squared()
                + turned.y_axis.length_squared()
                + turned.z_axis.length_squared();
            (pair[0] * centre).distance(pair[1] * centre) + (0.5 * turned).sqrt() * radius
        };
        seen.poses.windows(2).map(step).sum()
    }

    /// The gap of two parts that cannot be divided, roughly, and its direction.
    fn closest(&self, nodes: [u32; 2], seen: &[Seen; 2]) -> Option<(f64, DVec3)> {
        let corners = |k: usize| self.bodies[k].triangle(nodes[k]).map(|t| t.map(|p| seen[k].middle * p));
        let formula = |k: usize| {
            let (primitive, body_from_shape) = self.bodies[k].formula(nodes[k])?;
            Some((primitive, seen[k].middle * body_from_shape))
        };
        match [corners(0), corners(1)] {
            [Some(a), Some(b)] => {
                let closest = triangle::closest(&a, &b);
                Some((closest.distance_sq.sqrt(), crate::moving_bodies::direction(&closest, &[a, b])?))
            }
            [None, None] => {
                let [(a, of_a), (b, of_b)] = [formula(0)?, formula(1)?];
                let solids = [a, b].map(|primitive| solid::Solid::primitive(*primitive));
                let found = solid::distance(
                    &solids[0],
                    &solids[1],
                    of_a.inverse() * of_b,
                    f64::INFINITY,
                    &mut Scratch::default(),
                )?;
                let n = of_a.rotate(found.points[1] - found.points[0]).try_normalize()?;
                Some((found.gap, n))
            }
            [a, b] => {
                // A formula and a triangle: from the nearest point of one to that of the other, back and forth.
                let (k, triangle) = if a.is_none() { (0, b?) } else { (1, a?) };
                let (formula, placed) = formula(k)?;
                let inverse = placed.inverse();
                let triangle = triangle.map(|p| inverse * p);
                let mut p = triangle::nearest(DVec3::ZERO, &triangle);
                for _ in 0..20 {
                    p = triangle::nearest(p - formula.outward(p) * formula.signed_distance(p), &triangle);
                }
                let n = placed.rotate(formula.outward(p));
                Some((formula.signed_distance(p), if k == 0 { n } else { -n }))
            }
        }
    }
}
