//! How far is a point from many bodies that do not move relative to each other? Looked up.
//!
//! Space is cut into cells. Each has a tangent plane, a bound below the distance of every point in the cell:
//!
//! ```text
//! d(p) ≥ a + g · (p - c)        in the cell around c
//! ```
//!
//! The distance to a convex piece `k` (a triangle, a box, a ball, ...) is a convex function of the point, so `d_k(p)` is at least
//! `d_k(c) + n_k · (p - c)`, where `n_k` leads straight away from the piece. With `ρ` for the reach of the cell from `c`, all pieces
//! are at least `min_k (d_k(c) - ρ |n_k - g|) + g · (p - c)`, for any `g`. The direction from the nearest piece is a good one: near a
//! flat face all pieces that matter share it, and nothing is lost.
//!
//! Each cell has a bound above as well: the distance of its centre, to which `|p - c|` is added.
//!
//! | part | answers |
//! |---|---|
//! | [`FieldPart`] | how far is one body? |
//! | `cell` | what holds in a cell? |
//! | `grid` | where is a cell kept? They are worked out when somebody asks about them first |
//! | [`BallTree`], [`Walk`] | which balls around a surface are not proven free? |
//! | [`Inner`] | does a ball inside a body certainly hit? |
//! | [`SavedBrick`] | what has been worked out, as plain data |
//! | [`Look`] | which of eight balls are free, and which certainly hit? |
//! | [`Rate`] | how far do balls get in a span? |
//!
//! The distance is that from the solid: zero inside what is closed. Open surfaces have no inside.

mod balls;
mod cell;
mod grid;
mod inner;
mod look;
mod moving;
mod node;
mod part;
mod roots;
mod saved;

pub use balls::{BallTree, Walk, Walked};
pub use inner::Inner;
pub use look::{Look, Reach};
pub use moving::{Looked, Rate};
pub use part::FieldPart;
pub use roots::Roots;
pub use saved::{BRICK_CELLS, SAVED_VERSION, SavedBrick};

use crate::bounds::{Aabb, Ball};
use crate::tree::Scratch;
use cell::Known;
use glam::{DVec3, Vec3};
use grid::Grid;

/// Distances from bodies that stand in one frame. All threads share one, and fill it.
#[derive(Debug)]
pub struct Field {
    parts: Vec<FieldPart>,
    /// Where the bodies are; unbounded where one has no end.
    extent: [DVec3; 2],
    /// The middle of the region: single precision counts from here.
    origin: DVec3,
    single: Single,
    /// Where cells are.
    region: Aabb,
    /// Its diagonal, and the largest coordinate of the origin.
    size: f64,
    away: f64,
    /// Eight times as large as the fine ones.
    coarse: Grid,
    fine: Grid,
}

/// What look-ups need in single precision.
#[derive(Clone, Copy, Debug)]
struct Single {
    extent: [Vec3; 2],
}

/// How large cells are, and how many there may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldOptions {
    /// Edge of the fine cells, in metres. They become larger where they would be too many.
    pub cell: f64,
    /// Memory that cells may take, in bytes.
    pub bytes: usize,
}

/// Cells of a coarse cell, along each axis.
const FINER: f64 = 8.0;

impl Field {
    /// A field of some bodies, in a region in which questions are expected. Elsewhere it knows only their boxes.
    #[must_use]
    pub fn new(parts: Vec<FieldPart>, region: Aabb, options: &FieldOptions) -> Self {
        let extent = parts
            .iter()
            .map(FieldPart::extent)
            .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], [l, h]| [low.min(l), high.max(h)]);
        let fine = Grid::new(region, options.cell, options.bytes);
        let coarse = Grid::new(region, fine.cell() * FINER, options.bytes / 8);
        let origin = region.centre();
        let single = Single { extent: extent.map(|corner| (corner - origin).as_vec3()) };
        let (size, away) = (region.diagonal(), origin.abs().max_element());
        Self { parts, extent, origin, single, region, size, away, coarse, fine }
    }

    /// Its bodies.
    #[must_use]
    pub fn parts(&self) -> &[FieldPart] {
        &self.parts
    }

    /// Where questions are expected.
    #[must_use]
    pub fn region(&self) -> Aabb {
        self.region
    }

    /// Edge of its fine cells.
    #[must_use]
    pub fn cell(&self) -> f64 {
        self.fine.cell()
    }

    /// Memory that its cells take by now, as far as they were looked at.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.coarse.used() + self.fine.used()
    }

    /// Bounds below and above the distance from a point to the nearest body; none outside the region.
    ///
    /// Both are as the coarse cells know them, or the fine ones.
    #[must_use]
    pub fn bounds(&self, point: DVec3, fine: bool, scratch: &mut Scratch) -> Option<[f64; 2]> {
        let grid = if fine { &self.fine } else { &self.coarse };
        let (at, index) = grid.find(point)?;
        let known = self.known(grid, index, scratch);
        let from_centre = point - grid.centre(at);
        Some([
            known.below(grid.cell(), from_centre).max(0.0),
            known.above_at(grid.cell(), from_centre).max(0.0),
        ])
    }

    /// The distance from a point to the nearest body, zero inside; to some 1e-15 of the coordinates.
    #[must_use]
    pub fn distance(&self, point: DVec3, scratch: &mut Scratch) -> f64 {
        cell::nearest(&self.parts, point, f64::INFINITY, scratch).solid()
    }

    /// A bound below the distance from a point, by the box around all bodies.
    #[must_use]
    pub fn box_distance(&self, point: DVec3) -> f64 {
        let [low, high] = self.extent;
        (low - point).max(point - high).max(DVec3::ZERO).length() * (1.0 - 1e-14)
    }

    /// Whether a ball is certainly inside one of the bodies, as the fine cells know it.
    #[must_use]
    pub fn holds(&self, ball: &Ball, scratch: &mut Scratch) -> bool {
        self.not_beyond(ball.centre(), scratch) < -ball.radius()
    }

    /// A bound above the distance from a point to the nearest body, as the fine cells know it: negative if it is certainly so deep
    /// inside. Infinite outside of the region.
    #[must_use]
    pub fn not_beyond(&self, point: DVec3, scratch: &mut Scratch) -> f64 {
        self.fine.find(point).map_or(f64::INFINITY, |(at, index)| {
            let known = self.known(&self.fine, index, scratch);
            known.above_at(self.fine.cell(), point - self.fine.centre(at))
        })
    }

    /// A bound below the distance from a point, as the coarse cells know it; outside of the region, as the boxes do.
    #[must_use]
    pub fn roughly(&self, point: DVec3, scratch: &mut Scratch) -> f64 {
        match self.coarse.find(point) {
            Some((at, index)) => {
                let plane = self.plane(&self.coarse, index, scratch);
                cell::below(plane, self.coarse.cell(), point - self.coarse.centre(at))
            }
            None => self.box_distance(point),
        }
    }

    /// What is known of a cell; works it out the first time.
    #[inline(always)]
    fn known(&self, grid: &Grid, index: u32, scratch: &mut Scratch) -> Known {
        grid.get(index).unwrap_or_else(|| self.work_out(grid, index, scratch))
    }

    /// The plane of a cell.
    #[inline(always)]
    fn plane(&self, grid: &Grid, index: u32, scratch: &mut Scratch) -> u32 {
        match grid.plane(index) {
            0 => self.work_out(grid, index, scratch).plane(),
            plane => plane,
        }
    }

    /// The bound above the signed distance of the centre of a cell, as it is kept.
    #[inline(always)]
    fn above(&self, grid: &Grid, index: u32, scratch: &mut Scratch) -> u16 {
        match grid.above(index) {
            0 => self.work_out(grid, index, scratch).above_word(),
            above => above,
        }
    }

    #[cold]
    #[inline(never)]
    fn work_out(&self, grid: &Grid, index: u32, scratch: &mut Scratch) -> Known {
        let known = Known::work_out(&self.parts, grid.centre_of(index), grid.cell(), scratch);
        grid.set(index, known);
        known
    }
}
