//! Which balls around bodies are not proven free by fields, and when?

use super::axes::{Axes, Twist};
use super::spans::{Moment, Spans};
use crate::scene::models::{Group, GroupPair, Models};
use kansho_cell::{Cell, FrameId, JointPiece};
use kansho_geom::field::{BallTree, Field, Look, Looked, Rate, Walk};
use kansho_geom::pose_motion::Span;
use kansho_geom::tree::Scratch;
use kansho_geom::{Ball, Pose};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The way of a ball over its radius from which on spans are halved rather than balls opened.
const LONG: f32 = 0.7;

/// Smallest balls that are put off before they are decided.
const BATCH: usize = 16;

/// The same of those that begin at the same time.
const MOST_BATCH: usize = 512;

/// Smallest balls of a part that are put off before all that is left of it is.
const MOST_OPEN: usize = 20_000;

/// Spans that are not halved.
const SHORTEST: f64 = 1e-6;

/// A part of the balls' side that is not proven free in a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct PutOff {
    /// Which part of the scene.
    pub(super) part: u32,
    pub(super) span: Span,
    /// Where it is not; nowhere in particular if there is none.
    pub(super) near: Option<Near>,
}

/// Where a part and bodies of the field may touch in a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// What of the part, in the frame of its group.
    pub(super) own: Ball,
    /// What of the field, in its frame.
    pub(super) in_field: Ball,
}

/// What is looked at of two groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The ball around all of it.
    Group,
    /// Balls around parts.
    Roots(u32),
    /// A node of the tree of a part.
    Node { tree: u32, node: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    /// Instants from 0 to 1 in the order of their bits, late ones less; and how many were pushed before.
    rank: (u32, u32),
    place: Place,
    /// Which balls, as bits.
    asked: u32,
    span: u32,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Two groups about the middle of a span.
#[derive(Clone, Debug)]
struct Seen {
    twist: Twist,
    world_from_balls: Pose,
    field_from_balls: Pose,
    /// For looking at balls, made when first needed.
    looking: Option<(Look, Rate)>,
}

/// Memory that walks use again.
#[derive(Debug, Default)]
pub(super) struct WalkScratch {
    walk: Walk,
    /// The earliest first; between equals the newest.
    open: BinaryHeap<Open>,
    pushed: u32,
    /// The rank of the instant that was looked at last.
    last: u32,
    seen: Vec<Option<Seen>>,
    /// How many balls of each part were put off, and whether all that is left of it was.
    count: Vec<usize>,
    given_up: Vec<bool>,
    pub(super) put_off: Vec<PutOff>,
    /// Whether what was put off has been looked at.
    is_taken: bool,
    /// A bound below all gaps that were proven.
    pub(super) clearance: f64,
}

impl WalkScratch {
    fn open(&mut self, place: Place, asked: u32, span: u32, spans: &Spans) {
        self.pushed += 1;
        // Starts of spans are dyadic fractions: exact in single precision, but for the shortest, where the order does not matter.
        let start = spans.get(span).span.start as f32;
        self.open.push(Open { rank: (!start.to_bits(), self.pushed), place, asked, span });
    }

    /// Nodes that were looked at so far.
    pub(super) fn nodes(&self) -> u64 {
        self.walk.nodes
    }
}

/// A pair of groups, and the motion.
pub(super) struct PairWalk<'a> {
    pub(super) cell: &'a Cell,
    pub(super) piece: &'a JointPiece,
    pub(super) models: &'a Models,
    pub(super) pair: &'a GroupPair,
    pub(super) axes: &'a Axes,
    /// The gap that is wanted.
    pub(super) clearance: f64,
    /// Nothing from here on matters.
    pub(super) limit: f64,
}

impl PairWalk<'_> {
    /// Begins with a pair.
    pub(super) fn begin(&self, spans: &Spans, scratch: &mut WalkScratch) {
        let group = self.balls();
        scratch.seen.clear();
        scratch.count.clear();
        scratch.count.resize(group.trees.len(), 0);
        scratch.given_up.clear();
        scratch.given_up.resize(group.trees.len(), false);
        scratch.open.clear();
        scratch.put_off.clear();
        scratch.is_taken = false;
        scratch.pushed = 0;
        scratch.last = 0;
        scratch.open(Place::Group, 1, Spans::WHOLE, spans);
        for &part in &group.bare {
            scratch.put_off.push(PutOff { part, span: Span::new(0.0, self.limit), near: None });
        }
        if group.ball.is_none() {
            // Without end: nothing is known of it.
            let all = group.trees.iter().map(|(part, _)| *part);
            scratch.put_off.extend(all.map(|part| PutOff {
                part,
                span: Span::new(0.0, self.limit),
                near: None,
            }));
            scratch.open.clear();
        }
    }

    /// Collects some of what is not proven free, and tells whether that is all. The next call goes on.
    pub(super) fn run(&self, spans: &mut Spans, scratch: &mut WalkScratch, of_trees: &mut Scratch) -> bool {
        let mut seen = std::mem::take(&mut scratch.seen);
        let is_done = self.go_on(&mut seen, spans, scratch, of_trees);
        scratch.seen = seen;
        is_done
    }

    fn go_on(
        &self,
        of_spans: &mut Vec<Option<Seen>>,
        spans: &mut Spans,
        scratch: &mut WalkScratch,
        of_trees: &mut Scratch,
    ) -> bool {
        let (group, other) = (self.balls(), self.field_group());
        if scratch.is_taken {
            scratch.put_off.clear();
        }
        scratch.is_taken = true;
        let Some(ball) = group.ball else { return true };
        let field = other.field.as_ref().expect("the field of a pair has one");
        while let Some(open) = scratch.open.pop() {
            // What begins at the same time is decided together.
            let count = scratch.put_off.len();
            if count >= BATCH && (open.rank.0 != scratch.last || count >= MOST_BATCH) {
                scratch.open.push(open);
                return false;
            }
            scratch.last = open.rank.0;
            let moment = spans.get(open.span);
            if moment.span.start >= self.limit {
                continue;
            }
            let seen = self.seen(of_spans, open.span, moment, &ball);
            match open.place {
                Place::Group => {
                    let centre = seen.world_from_balls * ball.centre();
                    let travel = seen.twist.travel(centre);
                    let in_field = seen.field_from_balls * ball.centre();
                    // Rounding of both placements, generously.
                    let room =
                        1e-9 * (centre.abs().max_element() + in_field.abs().max_element() + ball.radius());
                    let gap = field.roughly(in_field, of_trees) - ball.radius() - travel - room;
                    if gap > self.clearance {
                        scratch.clearance = scratch.clearance.min(gap);
                    } else if travel > f64::from(LONG) * ball.radius() && moment.span.length() > SHORTEST {
                        self.halve(open, spans, scratch);
                    } else if let [_] = &group.trees[..] {
                        self.open_tree(0, open.span, spans, scratch);
                    } else {
                        for eight in (0..group.roots.eights()).rev() {
                            let asked = group.roots.used(eight);
                            scratch.open(Place::Roots(eight as u32), asked, open.span, spans);
                        }
                    }
                }
                Place::Roots(eight) => {
                    let (look, rate) = self.looking(seen, field);
                    let looked = scratch.walk.look_roots(
                        &group.roots,
                        eight as usize,
                        open.asked,
                        (field, look, rate),
                        of_trees,
                    );
                    let radius = |lane: usize| group.roots.radius(eight as usize, lane);
                    let (early_late, inside) = self.sort(scratch, &open, &looked, moment, radius);
                    if early_late != 0 {
                        self.halve(Open { asked: early_late, ..open }, spans, scratch);
                    }
                    for lane in lanes(inside) {
                        self.open_tree(eight * 8 + lane as u32, open.span, spans, scratch);
                    }
                }
                Place::Node { tree, node } => {
                    let (part, of_part) = &group.trees[tree as usize];
                    let (look, rate) = self.looking(seen, field);
                    let looked = scratch.walk.look(of_part, node, open.asked, (field, look, rate), of_trees);
                    let radius = |lane: usize| of_part.radius(node, lane);
                    let span = moment.span;
                    let (early_late, inside) = self.sort(scratch, &open, &looked, moment, radius);
                    if early_late != 0 {
                        self.halve(Open { asked: early_late, ..open }, spans, scratch);
                    }
                    for lane in lanes(inside) {
                        match of_part.below(node, lane) {
                            Some(node) => {
                                let asked = of_part.used(node);
                                scratch.open(Place::Node { tree, node }, asked, open.span, spans);
                            }
                            None => {
                                let own = of_part.one(node, lane);
                                let reach = own.radius() + f64::from(looked.travel[lane]);
                                let in_field = Ball::new(seen.field_from_balls * own.centre(), reach);
                                let near = Some(Near { own, in_field });
                                scratch.put_off.push(PutOff { part: *part, span, near });
                                scratch.count[tree as usize] += 1;
                            }
                        }
                    }
                    if scratch.count[tree as usize] >= MOST_OPEN {
                        self.give_up(tree, *part, spans, scratch);
                    }
                }
            }
        }
        true
    }

    fn balls(&self) -> &Group {
        &self.models.groups[self.pair.balls as usize]
    }

    fn field_group(&self) -> &Group {
        &self.models.groups[self.pair.field as usize]
    }

    fn seen<'s>(
        &self,
        seen: &'s mut Vec<Option<Seen>>,
        span: u32,
        moment: &Moment,
        ball: &Ball,
    ) -> &'s mut Seen {
        let index = span as usize;
        if seen.len() <= index {
            seen.resize(index + 1, None);
        }
        seen[index].get_or_insert_with(|| {
            let world_from_balls = moment.placed.world_from_frame(self.balls().frame);
            let field_from_balls = match self.field_group().frame {
                FrameId::WORLD => world_from_balls,
                frame => moment.placed.world_from_frame(frame).inverse() * world_from_balls,
            };
            let around = Ball::new(world_from_balls * ball.centre(), ball.radius());
            let twist = self.axes.twist(moment, &around);
            Seen { twist, world_from_balls, field_from_balls, looking: None }
        })
    }

    fn looking<'s>(&self, seen: &'s mut Seen, field: &Field) -> (&'s Look, &'s Rate) {
        let Seen { twist, world_from_balls, field_from_balls, looking } = seen;
        let (look, rate) = looking.get_or_insert_with(|| {
            let reach = self.balls().roots.reach();
            let (turn, shift) = twist.of_frame(*world_from_balls);
            let rate = Rate::new(turn, shift, twist.bend + self.clearance, reach);
            (Look::new(field, *field_from_balls, reach), rate)
        });
        (look, rate)
    }

    /// Of what is open, which should be looked at in shorter spans, and what should be opened.
    fn sort(
        &self,
        scratch: &mut WalkScratch,
        open: &Open,
        looked: &Looked,
        moment: &Moment,
        radius: impl Fn(usize) -> f32,
    ) -> (u32, u32) {
        for lane in lanes(open.asked & !looked.open) {
            scratch.clearance = scratch.clearance.min(f64::from(looked.gaps[lane]) + self.clearance);
        }
        let may_halve = moment.span.length() > SHORTEST;
        let (mut early_late, mut inside) = (0, 0);
        for lane in lanes(looked.open) {
            if may_halve && looked.travel[lane] - self.clearance as f32 > LONG * radius(lane) {
                early_late |= 1 << lane;
            } else {
                inside |= 1 << lane;
            }
        }
        (early_late, inside)
    }

    fn open_tree(&self, tree: u32, span: u32, spans: &Spans, scratch: &mut WalkScratch) {
        if !scratch.given_up[tree as usize] {
            let asked = self.balls().trees[tree as usize].1.used(BallTree::ROOT);
            scratch.open(Place::Node { tree, node: BallTree::ROOT }, asked, span, spans);
        }
    }

    fn halve(&self, open: Open, spans: &mut Spans, scratch: &mut WalkScratch) {
        let [early, late] = spans.halves(self.cell, self.piece, open.span);
        scratch.open(open.place, open.asked, late, spans);
        scratch.open(open.place, open.asked, early, spans);
    }

    /// All that is left of a part is put off.
    fn give_up(&self, tree: u32, part: u32, spans: &Spans, scratch: &mut WalkScratch) {
        scratch.given_up[tree as usize] = true;
        let mut start = f64::INFINITY;
        for off in scratch.put_off.iter().filter(|off| off.part == part) {
            start = start.min(off.span.start);
        }
        let mut note = |span: u32| start = start.min(spans.get(span).span.start);
        let mut kept = std::mem::take(&mut scratch.open).into_vec();
        kept.retain_mut(|open| match open.place {
            Place::Group => {
                // The others of the group are still to be looked at.
                note(open.span);
                true
            }
            Place::Roots(eight) if eight == tree / 8 => {
                if open.asked >> (tree % 8) & 1 == 1 {
                    note(open.span);
                    open.asked &= !(1 << (tree % 8));
                }
                open.asked != 0
            }
            Place::Node { tree: other, .. } if other == tree => {
                note(open.span);
                false
            }
            _ => true,
        });
        scratch.open = kept.into();
        scratch.put_off.retain(|off| off.part != part);
        scratch.put_off.push(PutOff { part, span: Span::new(start, 1.0), near: None });
    }
}

/// The bits that are set.
fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            lane
        })
    })
}
