//! A mesh with a tree of boxes over its triangles, and questions about two of them.
//!
//! | part | answers |
//! |---|---|
//! | `build`, `fit` | which triangles share a box? |
//! | [`meet()`] | do two bodies have a common point, also one inside the other? |
//! | [`hit()`], [`hits()`] | do two surfaces touch, and in which triangles? |
//! | [`distance()`] | how far apart are they, and where? |
//! | [`within()`] | are they nearer than a clearance? |
//! | `search`, `queue` | which triangles may be nearest? |
//! | `near`, `height` | which triangles are near something else, which corner is the lowest? |
//! | [`depth()`] | how deep are they in each other, and where? |
//! | [`BoxContent`] | which boxes are in which? |
//! | `faces` | which faces are near a point? |
//! | `tangent` | how far is the surface from everywhere near a point? |
//! | `lanes` | the same tests on eight boxes or triangles at once |
//!
//! Boxes and the first look at triangles are in single precision with margins that cover every rounding: they only ever
//! prove that things are apart. What they cannot prove apart is decided on the triangles in double precision, exactly.

mod build;
mod depth;
mod distance;
mod faces;
mod fit;
mod height;
mod hit;
mod inside;
mod meet;
mod near;
mod placement;
mod queue;
mod search;
mod tangent;
mod walk;
mod within;

pub use depth::{Depth, MOST_PIECES, depth, signed_distance};
pub use distance::{Distance, distance};
pub use hit::{hit, hits};
pub(crate) use meet::inside;
pub use meet::{Meeting, meet};
pub(crate) use near::Around;
pub(crate) use tangent::Side;
pub use walk::Content as BoxContent;
pub use within::within;

use crate::lanes::{Boxes, Single, Triangles};
use crate::mesh::{Edges, Mesh};
use build::{Child, Content, WIDTH};
use fearless_simd::Level;
use glam::DVec3;
use queue::Queue;
use search::Candidate;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A mesh prepared for questions. Building takes some time; afterwards all threads share it.
#[derive(Clone, Debug)]
pub struct Tree {
    mesh: Arc<Mesh>,
    /// The middle of the mesh's box: single precision counts from here.
    middle: DVec3,
    /// Distance from the middle within which everything lies.
    reach: f64,
    /// Whether some connected piece is closed: every edge is run along equally often in both directions. Such a piece has an
    /// inside.
    some_closed: bool,
    /// Whether all are.
    all_closed: bool,
    /// Two corners of each connected piece, as far apart as it is long.
    pieces: Vec<[DVec3; 2]>,
    /// One for the root, then eight for each node.
    slots: Vec<Slot>,
    nodes: Vec<Boxes>,
    leaves: Vec<Leaf>,
}

/// Memory that questions use again. One for each thread.
#[derive(Debug)]
pub struct Scratch {
    level: Level,
    stack: Vec<(u32, u32)>,
    queue: Queue,
    /// As `stack`, one slot with a bound below what is asked for.
    bounded: Vec<(f32, u32)>,
    candidates: Vec<Candidate>,
    /// Pairs of boxes looked at so far, for benches.
    pub box_tests: u64,
    /// Pairs of triangles decided exactly so far.
    pub exact_tests: u64,
}

impl Scratch {
    /// As the default, but with the instructions that every processor of this kind has, and not the best of this one. The
    /// answers are the same.
    #[must_use]
    pub fn portable() -> Self {
        Self { level: Level::baseline(), ..Self::default() }
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            level: crate::lanes::level(),
            stack: Vec::new(),
            queue: Queue::default(),
            bounded: Vec::new(),
            candidates: Vec::new(),
            box_tests: 0,
            exact_tests: 0,
        }
    }
}

/// A box and what is in it.
#[derive(Clone, Copy, Debug)]
struct Slot {
    bounds: Single,
    content: Inside,
}

/// What a box holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// A node, by index; its children are the slots `1 + 8 · index` and on.
    Node(u32),
    /// A leaf, by index.
    Leaf(u32),
}

#[derive(Clone, Debug)]
struct Leaf {
    triangles: Triangles,
    ids: [u32; WIDTH],
    /// Lanes in use, as bits.
    used: u32,
    /// Lanes of triangles of closed pieces, as bits.
    closed: u32,
    /// Square of its longest side.
    longest_sq: f32,
}

impl Tree {
    /// Prepares a mesh.
    #[must_use]
    pub fn new(mesh: Arc<Mesh>) -> Self {
        let aabb = mesh.aabb();
        let middle = aabb.centre();
        let corners: Vec<[DVec3; 3]> = mesh.corners().map(|t| t.map(|p| p - middle)).collect();
        let root = build::build(&corners);
        let edges = Edges::of(&mesh);
        let closed = closed_triangles(&mesh, &edges);
        let mut tree = Self {
            middle,
            reach: corners.iter().flatten().map(|p| p.length()).fold(0.0, f64::max),
            some_closed: closed.contains(&true),
            all_closed: !closed.contains(&false),
            pieces: pieces(&mesh, &edges),
            mesh,
            slots: Vec::new(),
            nodes: Vec::new(),
            leaves: Vec::new(),
        };
        tree.slots.push(Slot { bounds: single(&root), content: Inside::Leaf(0) });
        // Nodes are numbered breadth first, so that the upper levels lie together.
        let mut waiting = std::collections::VecDeque::from([(0usize, root)]);
        while let Some((slot, child)) = waiting.pop_front() {
            tree.slots[slot].content = match child.content {
                Content::Leaf(ids) => tree.add_leaf(&ids, &corners, &closed),
                Content::Node(children) => {
                    let node = tree.nodes.len() as u32;
                    let boxes: Vec<Single> = children.iter().map(single).collect();
                    tree.nodes.push(Boxes::of(&boxes));
                    for lane in 0..WIDTH {
                        // Unused lanes are never looked at.
                        let bounds = boxes.get(lane).or(boxes.first()).copied().expect("a node has children");
                        tree.slots.push(Slot { bounds, content: Inside::Leaf(0) });
                    }
                    let first = 1 + WIDTH * node as usize;
                    waiting
                        .extend(children.into_iter().enumerate().map(|(lane, child)| (first + lane, child)));
                    Inside::Node(node)
                }
            };
        }
        tree
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// Whether every connected piece is closed. What is open has no inside: a body inside it does not meet it.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.all_closed
    }

    /// Whether some connected piece is closed.
    #[must_use]
    pub fn has_inside(&self) -> bool {
        self.some_closed
    }

    /// Two corners of each connected piece, as far apart as it is long.
    pub fn piece_ends(&self) -> impl Iterator<Item = [DVec3; 2]> {
        self.pieces.iter().copied()
    }

    /// Whether all triangles are connected.
    pub(crate) fn is_one_piece(&self) -> bool {
        self.pieces.len() == 1
    }

    /// Distance from the origin within which everything lies.
    pub(crate) fn reach_of_origin(&self) -> f64 {
        self.middle.length() + self.reach
    }

    /// Memory that it takes, the mesh included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.slots[..])
            + size_of_val(&self.nodes[..])
            + size_of_val(&self.leaves[..])
            + size_of_val(self.mesh.vertices())
            + size_of_val(self.mesh.triangles())
    }

    fn add_leaf(&mut self, ids: &[u32], corners: &[[DVec3; 3]], closed: &[bool]) -> Inside {
        let closed =
            ids.iter().enumerate().fold(0, |bits, (lane, &t)| bits | u32::from(closed[t as usize]) << lane);
        let triangles: Vec<[DVec3; 3]> = ids.iter().map(|&t| corners[t as usize]).collect();
        let mut padded = [ids[0]; WIDTH];
        padded[..ids.len()].copy_from_slice(ids);
        let sides = triangles.iter().flat_map(|&[a, b, c]| [b - a, c - b, a - c]);
        let longest_sq = sides.map(|side: DVec3| side.length_squared()).fold(0.0, f64::max) as f32;
        self.leaves.push(Leaf {
            triangles: Triangles::of(&triangles),
            ids: padded,
            used: (1 << ids.len()) - 1,
            closed,
            longest_sq,
        });
        Inside::Leaf(self.leaves.len() as u32 - 1)
    }

    fn triangle(&self, id: u32) -> [DVec3; 3] {
        self.mesh.triangles()[id as usize].map(|v| self.mesh.vertices()[v as usize])
    }
}

/// For each triangle whether its connected piece is closed.
fn closed_triangles(mesh: &Mesh, edges: &Edges) -> Vec<bool> {
    let piece = edges.components();
    let mut closed = vec![true; piece.len()];
    for (ends, sides) in edges.iter() {
        let forward = sides.iter().filter(|side| side.ends(mesh.triangles()) == ends).count();
        closed[piece[sides[0].triangle()] as usize] &= forward * 2 == sides.len();
    }
    piece.iter().map(|&root| closed[root as usize]).collect()
}

/// Two corners of each connected piece: those at both ends of the longest side of its box.
fn pieces(mesh: &Mesh, edges: &Edges) -> Vec<[DVec3; 2]> {
    let roots = edges.components();
    // For each piece the corners that are lowest and highest along each axis.
    let mut extremes: BTreeMap<u32, [[DVec3; 2]; 3]> = BTreeMap::new();
    for (corners, root) in mesh.corners().zip(&roots) {
        let extremes = extremes.entry(*root).or_insert([[corners[0]; 2]; 3]);
        for corner in corners {
            for (axis, [low, high]) in extremes.iter_mut().enumerate() {
                if corner[axis] < low[axis] {
                    *low = corner;
                }
                if corner[axis] > high[axis] {
                    *high = corner;
                }
            }
        }
    }
    let length = |(axis, [low, high]): &(usize, [DVec3; 2])| high[*axis] - low[*axis];
    let longest = |extremes: [[DVec3; 2]; 3]| {
        extremes.into_iter().enumerate().max_by(|x, y| length(x).total_cmp(&length(y))).expect("three axes").1
    };
    extremes.into_values().map(longest).collect()
}

fn single(child: &Child) -> Single {
    let b = &child.bounds;
    Single { axes: b.axes.as_mat3(), centre: b.centre.as_vec3(), half: b.half.as_vec3() }
}
