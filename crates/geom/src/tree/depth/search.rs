use super::Depth;
use super::bound::{Bound, Probe, Target, bound};
use crate::pose::Pose;
use crate::tree::faces::distance_to;
use crate::tree::{Inside, Scratch, Tree};
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Best first over pieces of both surfaces.
pub(super) struct Search<'a> {
    /// Whose surfaces are looked at: that of `a` in the frame of `b`, and that of `b` in the frame of `a`.
    ways: [Way<'a>; 2],
    queue: BinaryHeap<Piece>,
    best: Best,
    a_from_b: Pose,
    rounding: f64,
    /// How near the bounds must come.
    enough: f64,
    scratch: &'a mut Scratch,
    /// Memory for [`Target`].
    near: Vec<u32>,
}

/// A surface, looked at in the frame of the other body.
#[derive(Clone, Copy)]
struct Way<'a> {
    surface: &'a Tree,
    body: &'a Tree,
    body_from_surface: Pose,
}

/// The deepest point so far, in the frame of the body that it is inside of.
struct Best {
    depth: f64,
    point: DVec3,
    way: usize,
}

/// A part of a surface, not yet known to be no deeper than the best.
struct Piece {
    at_most: f64,
    way: usize,
    content: Content,
}

enum Content {
    /// All triangles in the box of a slot.
    Slot(u32),
    /// A triangle or a part of one; whether it is known to be wholly inside.
    Triangle([Probe; 3], bool),
}

impl<'a> Search<'a> {
    pub(super) fn new(
        a: &'a Tree,
        b: &'a Tree,
        a_from_b: Pose,
        tolerance: f64,
        scratch: &'a mut Scratch,
    ) -> Self {
        let b_from_a = a_from_b.inverse();
        let farthest = |p: DVec3| p.abs().max_element();
        let between = (a_from_b * b.middle).distance(a.middle);
        let coordinates = farthest(a.middle)
            + farthest(b.middle)
            + farthest(a_from_b.translation())
            + between
            + a.reach
            + b.reach;
        // A corner is placed with an error of some 4 · 2⁻⁵³ of the coordinates, each halving adds at most one, and there are
        // at most some fifty of them; a distance adds some 10. Together that stays below 128 · 2⁻⁵³.
        let rounding = 64.0 * f64::EPSILON * coordinates;
        Self {
            ways: [
                Way { surface: a, body: b, body_from_surface: b_from_a },
                Way { surface: b, body: a, body_from_surface: a_from_b },
            ],
            queue: BinaryHeap::new(),
            best: Best { depth: 0.0, point: b_from_a * a.mesh.vertices()[0], way: 0 },
            a_from_b,
            rounding,
            // Below some digits more halving finds nothing but rounding.
            enough: (tolerance - 2.0 * rounding).max(32.0 * rounding),
            scratch,
            near: Vec::new(),
        }
    }

    /// Looks at no more than so many pieces.
    pub(super) fn run(mut self, pieces: usize) -> Depth {
        self.add_slot(0, 0);
        self.add_slot(1, 0);
        let mut at_most = 0.0f64;
        let mut left = pieces;
        while let Some(piece) = self.queue.pop() {
            if left == 0 || !(piece.at_most > self.best.depth + self.enough) {
                at_most = piece.at_most; // All others are no deeper.
                break;
            }
            left -= 1;
            match piece.content {
                Content::Slot(slot) => self.open(piece.way, slot),
                Content::Triangle(corners, inside) => self.halve(&piece, corners, inside),
            }
        }
        let at_most = at_most.max(self.best.depth);
        let point = if self.best.way == 0 { self.a_from_b * self.best.point } else { self.best.point };
        Depth {
            at_least: (self.best.depth - self.rounding).max(0.0),
            at_most: if at_most > 0.0 { at_most + self.rounding } else { 0.0 },
            point,
            of_first: self.best.way == 0,
        }
    }

    fn target(&mut self, way: usize) -> Target<'_> {
        Target {
            tree: self.ways[way].body,
            rounding: self.rounding,
            flat: self.enough / 8.0, // It enters twice.
            scratch: self.scratch,
            near: &mut self.near,
        }
    }

    /// Whether a piece may be deeper than the best.
    fn keep(&mut self, piece: Piece) {
        if piece.at_most > self.best.depth {
            self.queue.push(piece);
        }
    }

    /// Looks for a new best at a point of a surface.
    fn offer(&mut self, way: usize, probe: &mut Probe) {
        if probe.distance > self.best.depth && self.target(way).is_inside(probe) == Some(true) {
            self.best = Best { depth: probe.distance, point: probe.point, way };
        }
    }

    /// Bounds all that is in a box.
    fn add_slot(&mut self, way: usize, slot: u32) {
        let Way { surface, body, body_from_surface } = self.ways[way];
        let bounds = surface.slots[slot as usize].bounds;
        let place = |p: glam::Vec3| body_from_surface * (p.as_dvec3() + surface.middle);
        // As in `Placement`: a box in single precision encloses its triangles up to this.
        let margin = surface.reach * 64.0 * 2f64.powi(-24) + self.rounding;
        let radius = f64::from(bounds.half.length()) + margin;
        let mut centre = self.target(way).probe(place(bounds.centre), 0);
        if centre.distance > radius && self.target(way).is_inside(&mut centre) == Some(false) {
            return;
        }
        let corner = |k: u32| {
            let sign = |bit: u32| if k & bit == 0 { 1.0 } else { -1.0 };
            bounds.centre + bounds.axes * (bounds.half * glam::Vec3::new(sign(1), sign(2), sign(4)))
        };
        let deepest = (0..8).map(|k| distance_to(body, place(corner(k)), centre.face)).fold(0.0f64, f64::max);
        self.keep(Piece { at_most: deepest + margin, way, content: Content::Slot(slot) });
    }

    fn open(&mut self, way: usize, slot: u32) {
        let Way { surface, body_from_surface, .. } = self.ways[way];
        match surface.slots[slot as usize].content {
            Inside::Node(node) => {
                let used = surface.nodes[node as usize].used();
                for lane in (0..8).filter(|lane| used & (1 << lane) != 0) {
                    self.add_slot(way, 1 + 8 * node + lane);
                }
            }
            Inside::Leaf(leaf) => {
                let leaf = &surface.leaves[leaf as usize];
                for &id in &leaf.ids[..leaf.used.count_ones() as usize] {
                    let corners = surface.triangle(id).map(|p| {
                        let mut corner = self.target(way).probe(body_from_surface * p, 0);
                        self.offer(way, &mut corner);
                        corner
                    });
                    self.add_triangle(way, corners, false, f64::INFINITY);
                }
            }
        }
    }

    /// Cuts a triangle in two at the middle of its longest side.
    fn halve(&mut self, piece: &Piece, corners: [Probe; 3], inside: bool) {
        let side_sq = |k: usize| corners[k].point.distance_squared(corners[(k + 1) % 3].point);
        let longest = (0..3).max_by(|&i, &j| side_sq(i).total_cmp(&side_sq(j))).expect("three sides");
        let [a, b, c] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);
        let mut middle = self.target(piece.way).probe((a.point + b.point) * 0.5, a.face);
        middle.inside = inside.then_some(true);
        self.offer(piece.way, &mut middle);
        self.add_triangle(piece.way, [a, middle, c], inside, piece.at_most);
        self.add_triangle(piece.way, [middle, b, c], inside, piece.at_most);
    }

    fn add_triangle(&mut self, way: usize, mut corners: [Probe; 3], inside: bool, no_more_than: f64) {
        let floor = self.best.depth;
        let Bound { at_most, inside, likely } = bound(&mut self.target(way), &mut corners, inside, floor);
        for mut probe in likely {
            self.offer(way, &mut probe);
        }
        let content = Content::Triangle(corners, inside);
        self.keep(Piece { at_most: at_most.min(no_more_than), way, content });
    }
}

impl Ord for Piece {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_most.total_cmp(&other.at_most)
    }
}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Piece {}
