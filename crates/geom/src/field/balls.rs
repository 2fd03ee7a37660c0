//! Balls around a surface, eight at a time, for looking up in a [`Field`].

use super::Field;
use super::look::{Freed, Loaded, Look};
use super::node::{Node, Scale};
use crate::bounds::{Aabb, Ball};
use crate::lanes::LANES;
use crate::pose::Pose;
use crate::spheres::Hierarchy;
use crate::tree::Scratch;
use fearless_simd::{Level, Simd, SimdBase, dispatch};
use glam::DVec3;

/// A tree of balls, eight to a node, around a surface. Every point of the surface is in a smallest ball, and in the balls above it.
#[derive(Clone, Debug)]
pub struct BallTree {
    middle: DVec3,
    ball: Ball,
    scale: Scale,
    nodes: Vec<Node>,
    leaves: u32,
}

/// Instead of a node: the ball is one of the smallest.
const LEAF: u32 = 1 << 31;

/// Balls while the tree is made.
struct Above {
    ball: Ball,
    below: Vec<Above>,
}

impl BallTree {
    /// A tree over a covered surface, placed in a frame. Single precision counts from `middle`, a point of the frame near by.
    ///
    /// The balls are those that were fitted to what of the surface each sphere is there for.
    #[must_use]
    pub fn new(cover: &Hierarchy, frame_from_cover: Pose, middle: DVec3) -> Self {
        let root = above(cover, 0, 0, frame_from_cover);
        let scale = Scale::of(&root.ball, middle);
        let mut tree = Self { middle, ball: root.ball, scale, nodes: vec![Node::default()], leaves: 0 };
        tree.fill(Self::ROOT, if root.below.is_empty() { vec![root] } else { root.below });
        tree
    }

    /// Around all of it, in the frame.
    #[must_use]
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Number of smallest balls.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.leaves as usize
    }

    /// Memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
    }

    /// The balls of a node.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, node: u32) -> Loaded<S> {
        self.nodes[node as usize].load(simd, &self.scale)
    }

    /// The first node.
    pub const ROOT: u32 = 0;

    /// The balls of a node that are in use, as bits.
    #[must_use]
    pub fn used(&self, node: u32) -> u32 {
        self.nodes[node as usize].used()
    }

    /// The node in a ball of a node; none if it is one of the smallest.
    #[must_use]
    pub fn below(&self, node: u32, lane: usize) -> Option<u32> {
        self.nodes[node as usize].below(lane as u32)
    }

    /// The radius of a ball of a node.
    #[must_use]
    pub fn radius(&self, node: u32, lane: usize) -> f32 {
        self.nodes[node as usize].radius(lane)
    }

    /// A ball of a node, in the frame.
    #[must_use]
    pub fn one(&self, node: u32, lane: usize) -> Ball {
        let node = &self.nodes[node as usize];
        Ball::new(self.scale.centre(node.centre(lane)) + self.middle, f64::from(node.radius(lane)))
    }

    /// Fills a node, and those below it, which lie together.
    fn fill(&mut self, node: u32, children: Vec<Above>) {
        let children = widened(children);
        let balls: Vec<Ball> = children.iter().map(|child| child.ball).collect();
        let deeper: Vec<bool> = children.iter().map(|child| !child.below.is_empty()).collect();
        let first = self.nodes.len();
        let count = deeper.iter().filter(|deeper| **deeper).count();
        self.leaves += (children.len() - count) as u32;
        self.nodes.resize(first + count, Node::default());
        self.nodes[node as usize] = Node::new(&balls, &deeper, first as u32, &self.scale, self.middle);
        let inner = children.into_iter().filter(|child| !child.below.is_empty());
        for (k, child) in (first as u32..).zip(inner) {
            self.fill(k, child.below);
        }
    }
}

/// A sphere of a hierarchy and all below it.
fn above(cover: &Hierarchy, rank: usize, index: usize, pose: Pose) -> Above {
    let ranks = cover.ranks();
    let fitted = ranks[rank].fitted()[index];
    // Placing it rounds.
    let room = 16.0 * f64::EPSILON * (fitted.centre().length() + pose.translation().length());
    let ball = Ball::new(pose * fitted.centre(), fitted.radius() * (1.0 + 1e-12) + room);
    let mut below: Vec<Above> =
        ranks[rank].children(index).map(|child| above(cover, rank + 1, child, pose)).collect();
    if below.len() == 1 {
        // The smaller of two balls around the same.
        let only = below.pop().expect("there is one");
        let ball = if only.ball.radius() < ball.radius() { only.ball } else { ball };
        return Above { ball, ..only };
    }
    // What of the surface lies in the cell of a sphere lies in the cells of its children.
    Above { ball, below }
}

/// At most eight: more are put together, and while there is room the largest are opened.
fn widened(mut children: Vec<Above>) -> Vec<Above> {
    while children.len() > LANES {
        children = gathered(children);
    }
    loop {
        let room = LANES - children.len();
        let largest = (0..children.len())
            .filter(|k| !children[*k].below.is_empty() && children[*k].below.len() <= room + 1)
            .max_by(|x, y| children[*x].ball.radius().total_cmp(&children[*y].ball.radius()));
        let Some(largest) = largest else { return children };
        let opened = children.swap_remove(largest);
        children.extend(opened.below);
    }
}

/// Neighbours put together, up to eight at a time: halves along the longest side.
fn gathered(mut things: Vec<Above>) -> Vec<Above> {
    if things.len() <= LANES {
        let centres: Vec<DVec3> = things.iter().map(|thing| thing.ball.centre()).collect();
        let centre = Ball::of_points(&centres).map_or(DVec3::ZERO, |ball| ball.centre());
        let reach = |thing: &Above| thing.ball.centre().distance(centre) + thing.ball.radius();
        let radius = things.iter().map(reach).fold(0.0, f64::max) * (1.0 + 1e-12);
        return vec![Above { ball: Ball::new(centre, radius), below: things }];
    }
    let around = Aabb::of_points(things.iter().map(|thing| thing.ball.centre())).expect("there are some");
    let axis = around.extent().max_position();
    things.sort_by(|x, y| x.ball.centre()[axis].total_cmp(&y.ball.centre()[axis]));
    let rest = things.split_off(things.len() / 2);
    let mut both = gathered(things);
    both.extend(gathered(rest));
    both
}

/// A walk through a tree of balls, down to those that a field does not prove free.
#[derive(Debug)]
pub struct Walk {
    pub(super) level: Level,
    /// Nodes, or with the highest bit lanes of nodes.
    stack: Vec<u32>,
    /// A bound below the gap of everything that was proven free since the walk began; nothing unless it `wants_gap`.
    pub gap: f32,
    /// Whether that is wanted.
    pub wants_gap: bool,
    /// Nodes looked at so far, in all walks.
    pub nodes: u64,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            level: crate::lanes::level(),
            stack: Vec::new(),
            gap: f32::INFINITY,
            wants_gap: true,
            nodes: 0,
        }
    }
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Walked {
    /// All balls are free.
    Free,
    /// This smallest ball is not proven free.
    Open(Ball),
    /// It took too many nodes.
    TooLong,
}

impl Walk {
    /// As the default, but with the instructions that every processor of this kind has, and not the best of this one.
    #[must_use]
    pub fn portable() -> Self {
        Self { level: Level::baseline(), ..Self::default() }
    }

    /// Begins with a tree.
    pub fn begin(&mut self) {
        self.stack.clear();
        self.stack.push(0);
        self.gap = if self.wants_gap { f32::INFINITY } else { 0.0 };
    }

    /// Goes on to the next smallest ball that is not proven free, and looks at no more than `most` nodes.
    pub fn next(
        &mut self,
        tree: &BallTree,
        field: &Field,
        look: &Look,
        most: u64,
        scratch: &mut Scratch,
    ) -> Walked {
        let level = self.level;
        let most = self.nodes.saturating_add(most);
        match dispatch!(level, simd => walk(simd, self, tree, field, look, most, scratch)) {
            Ended::Free => Walked::Free,
            Ended::TooLong => Walked::TooLong,
            Ended::Open(at) => {
                let (node, lane) = (at / LANES as u32, at % LANES as u32);
                Walked::Open(tree.one(node, lane as usize))
            }
        }
    }
}

enum Ended {
    Free,
    Open(u32),
    TooLong,
}

#[inline(always)]
fn walk<S: Simd>(
    simd: S,
    walk: &mut Walk,
    tree: &BallTree,
    field: &Field,
    look: &Look,
    most: u64,
    scratch: &mut Scratch,
) -> Ended {
    while let Some(entry) = walk.stack.pop() {
        if entry & LEAF != 0 {
            return Ended::Open(entry & !LEAF);
        }
        if walk.nodes == most {
            walk.stack.push(entry);
            return Ended::TooLong;
        }
        walk.nodes += 1;
        let node = &tree.nodes[entry as usize];
        let balls = node.load(simd, &tree.scale);
        let Freed { open, gaps } = look.free(simd, field, &balls, node.used(), scratch);
        if open == 0 && !walk.wants_gap {
            continue;
        }
        let mut of_lanes = [0.0; LANES];
        gaps.store_slice(&mut of_lanes);
        if walk.wants_gap {
            for lane in bits(node.used() & !open) {
                walk.gap = walk.gap.min(of_lanes[lane as usize]);
            }
        }
        // The deepest of those that are open goes on top: if something is not free, it is likely to be there.
        let mut deepest = (f32::INFINITY, 0);
        for lane in bits(open) {
            let gap = of_lanes[lane as usize];
            walk.stack.push(node.below(lane).unwrap_or(LEAF | (entry * LANES as u32 + lane)));
            let top = walk.stack.len() - 1;
            if gap < deepest.0 {
                deepest = (gap, top);
            }
        }
        if open != 0 && deepest.0 < f32::INFINITY {
            let top = walk.stack.len() - 1;
            walk.stack.swap(deepest.1, top);
        }
    }
    Ended::Free
}

/// The places of the bits that are set.
#[inline(always)]
fn bits(mut left: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        Some(lane)
    })
}
