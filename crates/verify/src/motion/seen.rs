//! Where bodies are in a span of time, seen from another frame, each asked for once.

use super::insides::Insides;
use super::off::{self, Moved, ROUNDING, higher};
use super::tree::BodyTree;
use kansho_cell::{BodyId, Cell, Elementary, FrameId, JointPiece, Placed};
use kansho_geom::Pose;
use kansho_geom::pose_motion::Span;
use std::sync::OnceLock;

/// A span of time that comes from halving the whole: `[index, index + 1] / 2^level`, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    level: u32,
    index: u64,
}

/// Halvings after which there are no more: spans are then near what numbers tell apart.
const DEEPEST: u32 = 48;

/// Spans of so many halvings are all remembered; of shorter ones the last of each level.
const REMEMBERED: u32 = 7;

impl When {
    /// All of the piece.
    pub const WHOLE: Self = Self { level: 0, index: 0 };

    /// The early and the late half; none if it is too short for that.
    #[must_use]
    pub fn halves(self) -> Option<[Self; 2]> {
        let level = self.level + 1;
        (level <= DEEPEST)
            .then(|| [Self { level, index: 2 * self.index }, Self { level, index: 2 * self.index + 1 }])
    }

    /// The instants that it is between.
    #[must_use]
    pub fn span(self) -> Span {
        // Whole numbers below 2^49, divided by a power of two: exact.
        let parts = (1u64 << self.level) as f64;
        Span::new(self.index as f64 / parts, (self.index + 1) as f64 / parts)
    }

    fn slot(self) -> usize {
        if self.level <= REMEMBERED {
            (1usize << self.level) - 1 + self.index as usize
        } else {
            (1usize << (REMEMBERED + 1)) - 1 + (self.level - REMEMBERED - 1) as usize
        }
    }
}

/// A body, and the frame that it is seen from.
#[derive(Debug)]
struct View {
    body: usize,
    common: FrameId,
    /// The turns and slides from there to the body; none if it stands still.
    joints: Vec<(FrameId, Vec<Elementary>)>,
    /// Frames between the world and the body, and one.
    depth: f64,
}

/// Two bodies, each seen from the last frame that carries both.
#[derive(Clone, Copy, Debug)]
pub struct PairOfTrees {
    /// The bodies.
    pub bodies: [BodyId; 2],
    views: [usize; 2],
    /// Whether they move relative to each other.
    pub moves: bool,
}

/// Trees over all bodies of a cell, and how its pairs are seen: made once for all motions.
#[derive(Debug)]
pub struct CellTrees {
    pub(super) bodies: Vec<BodyTree>,
    views: Vec<View>,
    pairs: Vec<PairOfTrees>,
    /// Made when first asked for.
    pub(super) insides: Vec<OnceLock<Insides>>,
}

impl CellTrees {
    /// Those of a cell.
    #[must_use]
    pub fn new(cell: &Cell) -> Self {
        use rayon::prelude::*;
        let bodies: Vec<BodyTree> = cell.bodies().par_iter().map(|body| BodyTree::new(cell, body)).collect();
        let mut views: Vec<View> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        let mut pairs = Vec::new();
        for &of_pair in cell.pairs().checked() {
            let frames = of_pair.map(|body| bodies[body.0 as usize].frame);
            let (common, paths) = between(cell, frames);
            let mut paths = paths.into_iter();
            let of_views = of_pair.map(|body| {
                let path = paths.next().unwrap_or_default();
                *known.entry((body.0, common.0)).or_insert_with(|| {
                    let joint = |frame: &FrameId| {
                        let joint = cell.frame_joint(*frame).expect("only the world has none");
                        (joint.parent, joint.elements().0)
                    };
                    let body = body.0 as usize;
                    let depth = 1.0 + ancestors(cell, bodies[body].frame).len() as f64;
                    views.push(View { body, common, joints: path.iter().rev().map(joint).collect(), depth });
                    views.len() - 1
                })
            });
            pairs.push(PairOfTrees { bodies: of_pair, views: of_views, moves: frames[0] != frames[1] });
        }
        let insides = bodies.iter().map(|_| OnceLock::new()).collect();
        Self { bodies, views, pairs, insides }
    }

    /// The pairs that are checked, in order.
    #[must_use]
    pub fn pairs(&self) -> &[PairOfTrees] {
        &self.pairs
    }

    /// The trees of a pair.
    #[must_use]
    pub fn of(&self, pair: &PairOfTrees) -> [&BodyTree; 2] {
        pair.bodies.map(|body| &self.bodies[body.0 as usize])
    }
}

/// A frame and those that it hangs on, up to the world.
fn ancestors(cell: &Cell, frame: FrameId) -> Vec<FrameId> {
    std::iter::successors(Some(frame), |frame| Some(cell.frame_joint(*frame)?.parent)).collect()
}

/// The last frame that carries both, and the frames from each of them up to it, without it.
fn between(cell: &Cell, frames: [FrameId; 2]) -> (FrameId, [Vec<FrameId>; 2]) {
    let mut paths = frames.map(|frame| ancestors(cell, frame));
    let mut common = FrameId::WORLD;
    while let [Some(a), Some(b)] = paths.each_ref().map(|path| path.last().copied())
        && a == b
    {
        common = a;
        paths.iter_mut().for_each(|path| path.truncate(path.len() - 1));
    }
    (common, paths)
}

/// A body in a span, seen from a frame.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Where it is at 0, 1/3, 2/3 and 1 of the span.
    pub poses: [Pose; 4],
    /// Where it is in the middle.
    pub middle: Pose,
    /// Whether it stands still, as seen from the frame: all its poses are the same.
    pub is_still: bool,
    /// How far heights of its points may be from the cubics through the four, rounding included.
    pub off: f64,
}

/// A span, and where all frames are in it.
struct Moment {
    when: When,
    /// At 0, 1/3, 2/3 and 1, and in the middle.
    postures: [Vec<f64>; 5],
    placed: [Placed; 5],
    views: Vec<Option<Box<Seen>>>,
}

/// A piece of a motion, and what was asked about it. Memory is bounded, however many spans are asked for.
pub struct PieceView<'a> {
    cell: &'a Cell,
    trees: &'a CellTrees,
    piece: &'a JointPiece,
    still: Vec<Option<Seen>>,
    moments: Vec<Option<Box<Moment>>>,
}

impl<'a> PieceView<'a> {
    /// A piece of a motion.
    #[must_use]
    pub fn new(cell: &'a Cell, trees: &'a CellTrees, piece: &'a JointPiece) -> Self {
        let still = trees.views.iter().map(|view| {
            let tree = &trees.bodies[view.body];
            view.joints.is_empty().then(|| Seen {
                poses: [tree.frame_from_body; 4],
                middle: tree.frame_from_body,
                is_still: true,
                off: if tree.is_empty() {
                    0.0
                } else {
                    off::of_still(tree, tree.frame_from_body.translation().length())
                },
            })
        });
        let still = still.collect();
        Self { cell, trees, piece, still, moments: Vec::new() }
    }

    /// Where both bodies of a pair are in a span.
    pub fn pair(&mut self, pair: &PairOfTrees, when: When) -> [Seen; 2] {
        pair.views.map(|view| self.seen(view, when))
    }

    fn seen(&mut self, view: usize, when: When) -> Seen {
        if let Some(seen) = self.still[view] {
            return seen;
        }
        let (trees, piece) = (self.trees, self.piece);
        let moment = self.moment(when);
        **moment.views[view].get_or_insert_with(|| {
            Box::new(moving(trees, &trees.views[view], piece, &moment.postures, &moment.placed))
        })
    }

    fn moment(&mut self, when: When) -> &mut Moment {
        let slot = when.slot();
        if self.moments.len() <= slot {
            self.moments.resize_with(slot + 1, || None);
        }
        let (cell, piece, count) = (self.cell, self.piece, self.trees.views.len());
        let entry = &mut self.moments[slot];
        match entry {
            Some(moment) if moment.when == when => {}
            _ => {
                let span = when.span();
                let [mut early, mut second, mut third, mut late, mut middle] = [const { Vec::new() }; 5];
                piece.at(span.at(0.0), &mut early);
                piece.at(span.at(1.0 / 3.0), &mut second);
                piece.at(span.at(2.0 / 3.0), &mut third);
                piece.at(span.at(1.0), &mut late);
                piece.at(span.middle(), &mut middle);
                let postures = [early, second, third, late, middle];
                let placed = postures.each_ref().map(|posture| cell.place(posture));
                let mut views = Vec::new();
                views.resize_with(count, || None);
                *entry = Some(Box::new(Moment { when, postures, placed, views }));
            }
        }
        entry.as_mut().expect("it has just been made")
    }
}

fn moving(
    trees: &CellTrees,
    view: &View,
    piece: &JointPiece,
    postures: &[Vec<f64>; 5],
    placed: &[Placed; 5],
) -> Seen {
    let tree = &trees.bodies[view.body];
    let pose = |placed: &Placed| {
        placed.world_from_frame(view.common).inverse()
            * placed.world_from_frame(tree.frame)
            * tree.frame_from_body
    };
    let [a, b, c, d, middle] = placed.each_ref().map(pose);
    let moved = Moved {
        joints: &view.joints,
        motion: piece,
        postures: [&postures[0], &postures[1], &postures[2], &postures[3]],
        middle: &postures[4],
        placed: &placed[4],
    };
    let far = [a, b, c, d].map(|pose| pose.translation().length()).into_iter().fold(0.0, higher);
    let off = if tree.is_empty() { 0.0 } else { off::of_moving(tree, far, &moved) };
    // Placements are taken from the world to the common frame, and round as their coordinates there do; rotations are products of
    // as many as there are joints, and their inverse is their transpose up to what those have rounded.
    let away = |placed: &Placed| {
        placed.world_from_frame(view.common).translation().length()
            + placed.world_from_frame(tree.frame).translation().length()
    };
    let away = placed[..4].iter().map(away).fold(0.0, higher);
    Seen { poses: [a, b, c, d], middle, is_still: false, off: off + ROUNDING * view.depth * away }
}
