//! From triangles to a wide tree.
//!
//! A binary tree by the surface-area heuristic, with one triangle a leaf, is collapsed to up to eight children a node by
//! dynamic programming (after Ylitie, Karras and Laine 2017), which fills nearly every lane. Only the boxes of the wide
//! tree are fitted: one oriented box a child.

use super::fit::{OrientedBox, fit};
use glam::DVec3;

/// Children of a node, and triangles of a leaf.
pub(super) const WIDTH: usize = 8;

/// A child of a node: its box and what is in it.
pub(super) struct Child {
    pub(super) bounds: OrientedBox,
    pub(super) content: Content,
}

/// What a box encloses.
pub(super) enum Content {
    Node(Vec<Child>),
    /// Triangles, at most [`WIDTH`].
    Leaf(Vec<u32>),
}

/// The tree of some triangles; there must be one at least.
pub(super) fn build(corners: &[[DVec3; 3]]) -> Child {
    let binary = Binary::build(corners);
    let collapse = Collapse::plan(&binary);
    collapse.child(&binary, corners, binary.root())
}

/// Relative cost of looking at the eight boxes of a node, at a leaf, and at each triangle in it: measured, only the ratios
/// count.
const NODE_COST: f32 = 1.0;
const LEAF_COST: f32 = 0.2;
const TRIANGLE_COST: f32 = 0.1;

struct BinaryNode {
    /// Half the surface of its axis-aligned box.
    area: f32,
    /// First triangle in `order`, and how many.
    first: u32,
    count: u32,
    /// The second child; the first follows its parent. None of a leaf.
    second: Option<u32>,
}

/// A binary tree in depth-first order.
struct Binary {
    nodes: Vec<BinaryNode>,
    order: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Bounds {
    min: DVec3,
    max: DVec3,
}

impl Bounds {
    const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    fn with(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn area(&self) -> f64 {
        let e = (self.max - self.min).max(DVec3::ZERO);
        e.x * e.y + e.y * e.z + e.z * e.x
    }
}

impl Binary {
    fn root(&self) -> u32 {
        0
    }

    fn build(corners: &[[DVec3; 3]]) -> Self {
        let bounds: Vec<Bounds> = corners
            .iter()
            .map(|[a, b, c]| Bounds { min: a.min(*b).min(*c), max: a.max(*b).max(*c) })
            .collect();
        let middles: Vec<DVec3> = bounds.iter().map(|b| (b.min + b.max) * 0.5).collect();
        let mut tree =
            Self { nodes: Vec::with_capacity(corners.len() * 2), order: (0..corners.len() as u32).collect() };
        // Ranges that still need a node, and whose second child they are: a stack, for meshes may be degenerate enough
        // to make deep trees.
        let mut open = vec![(0usize, corners.len(), None::<u32>)];
        while let Some((first, end, second_of)) = open.pop() {
            let index = tree.nodes.len() as u32;
            if let Some(parent) = second_of {
                tree.nodes[parent as usize].second = Some(index);
            }
            let range = &mut tree.order[first..end];
            let all = range.iter().fold(Bounds::EMPTY, |b, &t| b.with(bounds[t as usize]));
            let node = BinaryNode {
                area: all.area() as f32,
                first: first as u32,
                count: (end - first) as u32,
                second: None,
            };
            tree.nodes.push(node);
            if end - first > 1 {
                let middle = first + split(range, &bounds, &middles);
                open.push((middle, end, Some(index)));
                open.push((first, middle, None));
            }
        }
        tree
    }
}

/// Slices along an axis, between which a range may be cut.
const BINS: usize = 16;

/// A cut: what it costs, across which axis, and before which slice.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    cost: f64,
    axis: usize,
    before: usize,
}

/// Sorts a range so that its two halves have the least cost, and says where the second begins.
fn split(range: &mut [u32], bounds: &[Bounds], middles: &[DVec3]) -> usize {
    let spread = range.iter().fold(Bounds::EMPTY, |b, &t| {
        let m = middles[t as usize];
        b.with(Bounds { min: m, max: m })
    });
    let extent = spread.max - spread.min;
    let bin_of = |axis: usize, t: u32| {
        let scale = BINS as f64 / extent[axis];
        (((middles[t as usize][axis] - spread.min[axis]) * scale) as usize).min(BINS - 1)
    };
    let mut best = Cut { cost: f64::INFINITY, axis: 0, before: 0 };
    for axis in (0..3).filter(|axis| extent[*axis] > 0.0) {
        if range.len() <= BINS {
            few(range, bounds, axis, |t| bin_of(axis, t), &mut best);
        } else {
            many(range, bounds, axis, |t| bin_of(axis, t), &mut best);
        }
    }
    if !best.cost.is_finite() {
        return range.len() / 2; // All middles coincide: any halves will do.
    }
    let mut to = 0;
    for i in 0..range.len() {
        if bin_of(best.axis, range[i]) < best.before {
            range.swap(to, i);
            to += 1;
        }
    }
    to
}

/// The best cut across an axis, if it is better: all slices are filled, and looked at one by one.
fn many(range: &[u32], bounds: &[Bounds], axis: usize, bin_of: impl Fn(u32) -> usize, best: &mut Cut) {
    let mut bins = [(Bounds::EMPTY, 0usize); BINS];
    for &t in range {
        let bin = &mut bins[bin_of(t)];
        *bin = (bin.0.with(bounds[t as usize]), bin.1 + 1);
    }
    let mut above = [0.0; BINS];
    let mut so_far = (Bounds::EMPTY, 0usize);
    for k in (1..BINS).rev() {
        so_far = (so_far.0.with(bins[k].0), so_far.1 + bins[k].1);
        above[k] = if so_far.1 == 0 { 0.0 } else { so_far.0.area() * so_far.1 as f64 };
    }
    let mut below = (Bounds::EMPTY, 0usize);
    for k in 1..BINS {
        below = (below.0.with(bins[k - 1].0), below.1 + bins[k - 1].1);
        if below.1 == 0 || below.1 == range.len() {
            continue;
        }
        let cost = below.0.area() * below.1 as f64 + above[k];
        if cost < best.cost {
            *best = Cut { cost, axis, before: k };
        }
    }
}

/// The same cut as [`many`] finds, for no more triangles than there are slices: most ranges are small, and most slices of theirs empty. The
/// triangles are sorted by their slices; only between two that differ is there a cut of its own.
fn few(range: &[u32], bounds: &[Bounds], axis: usize, bin_of: impl Fn(u32) -> usize, best: &mut Cut) {
    let count = range.len();
    let mut sorted = [(0usize, 0u32); BINS];
    for (end, &t) in range.iter().enumerate() {
        sorted[end] = (bin_of(t), t);
        let mut at = end;
        while at > 0 && sorted[at - 1].0 > sorted[at].0 {
            sorted.swap(at - 1, at);
            at -= 1;
        }
    }
    let sorted = &sorted[..count];
    let of = |k: usize| bounds[sorted[k].1 as usize];
    let mut above = [0.0; BINS];
    let mut so_far = Bounds::EMPTY;
    for k in (1..count).rev() {
        so_far = so_far.with(of(k));
        if sorted[k - 1].0 != sorted[k].0 {
            above[k] = so_far.area() * (count - k) as f64;
        }
    }
    let mut below = Bounds::EMPTY;
    for k in 1..count {
        below = below.with(of(k - 1));
        if sorted[k - 1].0 == sorted[k].0 {
            continue;
        }
        let cost = below.area() * k as f64 + above[k];
        if cost < best.cost {
            *best = Cut { cost, axis, before: sorted[k - 1].0 + 1 };
        }
    }
}

/// For each node of a binary tree and each number of slots, the cheapest way to fill them.
struct Collapse {
    /// `slots[node][k - 1]`: how many of `k` slots the first child gets; 0: use one slot fewer.
    split: Vec<[u8; WIDTH]>,
    /// Whether a node in one slot is a leaf.
    is_leaf: Vec<bool>,
}

impl Collapse {
    fn plan(binary: &Binary) -> Self {
        let n = binary.nodes.len();
        let mut plan = Self { split: vec![[0; WIDTH]; n], is_leaf: vec![false; n] };
        let mut cost = vec![[0f32; WIDTH]; n];
        // Children come after their parent, so backward they are known first.
        for index in (0..n).rev() {
            let node = &binary.nodes[index];
            let leaf = if node.count as usize <= WIDTH {
                node.area * (LEAF_COST + TRIANGLE_COST * node.count as f32)
            } else {
                f32::INFINITY
            };
            let Some(second) = node.second else {
                cost[index] = [leaf; WIDTH];
                plan.is_leaf[index] = true;
                continue;
            };
            let (a, b) = (index + 1, second as usize);
            let mut distributed = [f32::INFINITY; WIDTH];
            for slots in 2..=WIDTH {
                for first in 1..slots {
                    let together = cost[a][first - 1] + cost[b][slots - first - 1];
                    if together < distributed[slots - 1] {
                        distributed[slots - 1] = together;
                        plan.split[index][slots - 1] = first as u8;
                    }
                }
            }
            let inner = distributed[WIDTH - 1] + node.area * NODE_COST;
            plan.is_leaf[index] = leaf <= inner;
            let inner_split = plan.split[index][WIDTH - 1];
            cost[index][0] = leaf.min(inner);
            for slots in 2..=WIDTH {
                if distributed[slots - 1] < cost[index][slots - 2] {
                    cost[index][slots - 1] = distributed[slots - 1];
                } else {
                    cost[index][slots - 1] = cost[index][slots - 2];
                    plan.split[index][slots - 1] = 0;
                }
            }
            // The split of all eight is also what a node does inside its own slot.
            plan.split[index][0] = inner_split;
        }
        plan
    }

    /// The child that a node in one slot becomes.
    fn child(&self, binary: &Binary, corners: &[[DVec3; 3]], index: u32) -> Child {
        let node = &binary.nodes[index as usize];
        let triangles = &binary.order[node.first as usize..(node.first + node.count) as usize];
        let bounds = fit(triangles.iter().map(|&t| corners[t as usize]));
        if self.is_leaf[index as usize] {
            return Child { bounds, content: Content::Leaf(triangles.to_vec()) };
        }
        let first = self.split[index as usize][0] as usize;
        let mut slots = Vec::with_capacity(WIDTH);
        self.gather(binary, index + 1, first, &mut slots);
        self.gather(binary, node.second.expect("an inner node has two children"), WIDTH - first, &mut slots);
        let children = slots.into_iter().map(|slot| self.child(binary, corners, slot)).collect();
        Child { bounds, content: Content::Node(children) }
    }

    /// The nodes that take the slots given to one.
    fn gather(&self, binary: &Binary, index: u32, slots: usize, into: &mut Vec<u32>) {
        let mut slots = slots;
        while slots > 1 && self.split[index as usize][slots - 1] == 0 {
            slots -= 1;
        }
        if slots == 1 {
            into.push(index);
            return;
        }
        let first = self.split[index as usize][slots - 1] as usize;
        let second = binary.nodes[index as usize].second.expect("only inner nodes take several slots");
        self.gather(binary, index + 1, first, into);
        self.gather(binary, second, slots - first, into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn few_are_cut_as_many_are(
            boxes in prop::collection::vec((prop::array::uniform3(0u8..24), prop::array::uniform3(0u8..5)), 1..=BINS),
            slices in prop::collection::vec(0..BINS, BINS),
            known in prop_oneof![Just(f64::INFINITY), 0.0..4000.0f64],
        ) {
            let vector = |p: &[u8; 3]| DVec3::from_array(p.map(f64::from));
            let bounds: Vec<Bounds> =
                boxes.iter().map(|(low, size)| Bounds { min: vector(low), max: vector(low) + vector(size) }).collect();
            let range: Vec<u32> = (0..boxes.len() as u32).collect();
            let before = Cut { cost: known, axis: 2, before: 5 };
            let [mut of_few, mut of_many] = [before; 2];
            few(&range, &bounds, 1, |t| slices[t as usize], &mut of_few);
            many(&range, &bounds, 1, |t| slices[t as usize], &mut of_many);
            prop_assert_eq!(of_few, of_many);
        }
    }
}
