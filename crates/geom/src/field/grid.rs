use super::cell::Known;
use crate::bounds::Aabb;
use glam::{DVec3, UVec3, Vec3};
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};

/// Cells of one size, in bricks of eight by eight by eight, so that neighbours lie together.
///
/// Nothing is stored at first: the memory is zero, and the system provides it page by page when it is written to. Planes and bounds from
/// above lie apart: who asks for one seldom needs the other, and what takes the time is to fetch them.
#[derive(Debug)]
pub(super) struct Grid {
    low: DVec3,
    cell: f64,
    per_metre: f64,
    /// How many bricks along each axis.
    bricks: UVec3,
    single: Single,
    planes: Box<[AtomicU32]>,
    above: Box<[AtomicU16]>,
}

/// The same in single precision, from the middle of the region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    pub(super) low: Vec3,
    pub(super) cell: f32,
    pub(super) per_metre: f32,
    /// Cells along each axis.
    pub(super) count: Vec3,
    pub(super) bricks: UVec3,
}

/// Cells of a brick along each axis.
pub(super) const EDGE: u32 = 8;
/// Cells of a brick.
pub(super) const CELLS: u32 = EDGE * EDGE * EDGE;
/// Every third bit: of the index of a cell in its brick, those of one axis.
pub(super) const SPREAD: u32 = 0b001_001_001;

/// Memory that a brick takes.
const BRICK_BYTES: usize = CELLS as usize * 6;

impl Grid {
    /// Cells of an edge, or larger ones if they would take more memory than allowed.
    pub(super) fn new(region: Aabb, cell: f64, bytes: usize) -> Self {
        let bricks = |cell: f64| (region.extent() / (cell * f64::from(EDGE))).ceil().max(DVec3::ONE);
        let most = (bytes / BRICK_BYTES).clamp(1, 1 << 20) as f64;
        let mut cell = cell;
        while bricks(cell).element_product() > most {
            cell *= 1.1;
        }
        let bricks = bricks(cell).as_uvec3();
        let size = bricks.as_dvec3() * cell * f64::from(EDGE);
        let count = bricks.element_product() as usize * CELLS as usize;
        let single = Single {
            low: (size * -0.5).as_vec3(),
            cell: cell as f32,
            per_metre: cell.recip() as f32,
            count: (bricks * EDGE).as_vec3(),
            bricks,
        };
        Self {
            low: region.centre() - size * 0.5,
            cell,
            per_metre: cell.recip(),
            bricks,
            single,
            planes: bytemuck::allocation::zeroed_slice_box(count),
            above: bytemuck::allocation::zeroed_slice_box(count),
        }
    }

    /// Edge of a cell.
    pub(super) fn cell(&self) -> f64 {
        self.cell
    }

    /// The lowest corner.
    pub(super) fn low(&self) -> DVec3 {
        self.low
    }

    /// How many bricks along each axis.
    pub(super) fn bricks(&self) -> UVec3 {
        self.bricks
    }

    /// How many bricks in all.
    pub(super) fn brick_count(&self) -> u32 {
        self.planes.len() as u32 / CELLS
    }

    /// What is stored of the cells of a brick; zero of what is not known.
    pub(super) fn brick(&self, index: u32) -> [u64; CELLS as usize] {
        std::array::from_fn(|cell| self.get(index * CELLS + cell as u32).map_or(0, Known::bits))
    }

    /// In single precision, from the middle of the region.
    #[inline(always)]
    pub(super) fn single(&self) -> &Single {
        &self.single
    }

    /// Memory of the bricks in which something is stored.
    pub(super) fn used(&self) -> usize {
        let is_used = |brick: &&[AtomicU32]| brick.iter().any(|cell| cell.load(Ordering::Relaxed) != 0);
        self.planes.chunks(CELLS as usize).filter(is_used).count() * BRICK_BYTES
    }

    /// The cell of a point, and its index; none outside.
    pub(super) fn find(&self, point: DVec3) -> Option<(UVec3, u32)> {
        let at = (point - self.low) * self.per_metre;
        // What is no number is nowhere.
        let inside = at.cmpge(DVec3::ZERO).all() && at.cmplt((self.bricks * EDGE).as_dvec3()).all();
        inside.then(|| (at.as_uvec3(), self.index(at.as_uvec3())))
    }

    /// The index of a cell.
    fn index(&self, at: UVec3) -> u32 {
        let (brick, within) = (at / EDGE, at % EDGE);
        let brick = (brick.z * self.bricks.y + brick.y) * self.bricks.x + brick.x;
        let spread = |v: u32| (v | v << 2 | v << 4) & SPREAD;
        brick * CELLS + (spread(within.x) | spread(within.y) << 1 | spread(within.z) << 2)
    }

    /// The centre of a cell.
    pub(super) fn centre(&self, at: UVec3) -> DVec3 {
        self.low + (at.as_dvec3() + 0.5) * self.cell
    }

    /// The same by its index.
    pub(super) fn centre_of(&self, index: u32) -> DVec3 {
        let (brick, within) = (index / CELLS, index % CELLS);
        let [nx, ny] = [self.bricks.x, self.bricks.y];
        let brick = UVec3::new(brick % nx, brick / nx % ny, brick / (nx * ny));
        let gather = |v: u32| (v & 1) | (v >> 2 & 2) | (v >> 4 & 4);
        let within = UVec3::new(gather(within), gather(within >> 1), gather(within >> 2));
        self.centre(brick * EDGE + within)
    }

    /// What is stored of a cell.
    #[inline(always)]
    pub(super) fn get(&self, index: u32) -> Option<Known> {
        Known::of(self.plane(index), self.above(index))
    }

    /// The plane of a cell; zero if nothing is stored.
    #[inline(always)]
    pub(super) fn plane(&self, index: u32) -> u32 {
        self.planes[index as usize].load(Ordering::Relaxed)
    }

    /// The bound from above of a cell; zero if nothing is stored.
    #[inline(always)]
    pub(super) fn above(&self, index: u32) -> u16 {
        self.above[index as usize].load(Ordering::Relaxed)
    }

    /// Stores what is known of a cell. Neither cells nor their two words depend on each other, and whoever works them out finds the same:
    /// so no order between threads is needed.
    pub(super) fn set(&self, index: u32, known: Known) {
        self.planes[index as usize].store(known.plane(), Ordering::Relaxed);
        self.above[index as usize].store(known.above_word(), Ordering::Relaxed);
    }
}
