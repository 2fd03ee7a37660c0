//! What a field has worked out as plain data, so that it need not be worked out again.

use super::cell::Known;
use super::grid::{CELLS, Grid};
use super::{Field, Scratch};

/// Changes whenever the same bodies give other cells, or the words of a cell another meaning.
pub const SAVED_VERSION: u32 = 2;

/// Cells of a brick.
pub const BRICK_CELLS: usize = CELLS as usize;

/// Cells of a brick that are worked out again before saved ones are believed.
const CHECKED: usize = 32;

/// Cells that lie together, as a field keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedBrick {
    /// Whether they are of the small cells.
    pub fine: bool,
    /// Which brick.
    pub index: u32,
    /// One word for each cell; zero if nothing is known of it.
    pub cells: Box<[u64; BRICK_CELLS]>,
}

impl Field {
    /// Tells everything on which cells depend, as bytes for a hash: bodies, where they are, and where the cells are.
    pub fn describe(&self, tell: &mut impl FnMut(&[u8])) {
        tell(&SAVED_VERSION.to_le_bytes());
        for grid in [&self.coarse, &self.fine] {
            grid.low().to_array().iter().for_each(|x| tell(&x.to_le_bytes()));
            tell(&grid.cell().to_le_bytes());
            grid.bricks().to_array().iter().for_each(|n| tell(&n.to_le_bytes()));
        }
        tell(&(self.parts.len() as u64).to_le_bytes());
        self.parts.iter().for_each(|part| part.describe(tell));
    }

    /// Bricks of which something is known, those of the large cells first, in order.
    pub fn saved(&self) -> impl Iterator<Item = SavedBrick> {
        [(false, &self.coarse), (true, &self.fine)].into_iter().flat_map(|(fine, grid)| {
            (0..grid.brick_count()).filter_map(move |index| {
                let cells = grid.brick(index);
                let is_known = cells.iter().any(|cell| *cell != 0);
                is_known.then(|| SavedBrick { fine, index, cells: Box::new(cells) })
            })
        })
    }

    /// How many bricks it has at most.
    #[must_use]
    pub fn most_bricks(&self) -> usize {
        (self.coarse.brick_count() + self.fine.brick_count()) as usize
    }

    /// How many cells are known.
    #[must_use]
    pub fn known_cells(&self) -> usize {
        self.saved().map(|brick| brick.cells.iter().filter(|cell| **cell != 0).count()).sum()
    }

    /// Takes over what was saved of a field of the same bodies ([`Field::describe`]), all of it or nothing. Whether it did.
    ///
    /// Nothing, if a word is none that a field keeps, or a brick none of this field. Some cells are worked out again, too, and must
    /// be the same: a proof would lean on cells that another program worked out.
    #[must_use]
    pub fn restore(&self, bricks: impl Iterator<Item = SavedBrick> + Clone, scratch: &mut Scratch) -> bool {
        let grid = |brick: &SavedBrick| if brick.fine { &self.fine } else { &self.coarse };
        let mut count = 0;
        for brick in bricks.clone() {
            let all_valid = brick.cells.iter().all(|cell| *cell == 0 || Known::is_valid(*cell));
            if brick.index >= grid(&brick).brick_count() || !all_valid {
                return false;
            }
            count += 1;
        }
        let sample = bricks.clone().enumerate().step_by(count / CHECKED + 1);
        for (k, brick) in sample {
            let grid = grid(&brick);
            let known = || (0u32..).zip(brick.cells.iter()).filter(|(_, cell)| **cell != 0);
            // Not always the same corner of a brick.
            let Some((cell, bits)) = known().nth(k % known().count().max(1)) else { continue };
            let centre = grid.centre_of(brick.index * CELLS + cell);
            if Known::work_out(&self.parts, centre, grid.cell(), scratch).bits() != *bits {
                return false;
            }
        }
        for brick in bricks {
            let grid: &Grid = grid(&brick);
            let known = (0u32..).zip(brick.cells.iter()).filter(|(_, cell)| **cell != 0);
            let known = known.filter_map(|(cell, bits)| Some((cell, Known::of_bits(*bits)?)));
            known.for_each(|(cell, known)| grid.set(brick.index * CELLS + cell, known));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Aabb;
    use crate::field::{FieldOptions, FieldPart};
    use crate::pose::Pose;
    use crate::primitive::{Primitive, Shape};
    use crate::solid::Solid;
    use glam::DVec3;
    use std::sync::Arc;

    fn field(radius: f64, at: DVec3) -> Field {
        let ball = Primitive::new(Shape::Sphere { radius }).expect("a ball");
        let block = Primitive::new(Shape::Box { size: DVec3::new(0.3, 0.2, 0.1) }).expect("a block");
        let block = block.tessellated(0.01).expect("it has an end");
        let parts = vec![
            FieldPart::formula(ball, Pose::from_translation(at)),
            FieldPart::mesh(Arc::new(Solid::mesh(Arc::new(block))), Pose::IDENTITY).expect("a mesh"),
        ];
        let region = Aabb::of_points([DVec3::splat(-1.0), DVec3::splat(1.0)]).expect("a region");
        Field::new(parts, region, &FieldOptions { cell: 0.02, bytes: 8 << 20 })
    }

    fn points() -> impl Iterator<Item = DVec3> {
        (0..500).map(|k| {
            let turn = f64::from(k);
            DVec3::new((turn * 0.7).sin(), (turn * 1.3).cos(), (turn * 0.31).sin()) * (0.2 + turn / 900.0)
        })
    }

    fn bounds(field: &Field) -> Vec<Option<[f64; 2]>> {
        let mut scratch = Scratch::default();
        points().flat_map(|p| [true, false].map(|fine| field.bounds(p, fine, &mut scratch))).collect()
    }

    #[test]
    fn what_was_saved_is_not_worked_out_again() {
        let (first, second) = (field(0.25, DVec3::X * 0.5), field(0.25, DVec3::X * 0.5));
        let expected = bounds(&first);
        let known = first.known_cells();
        assert!(known > 100, "{known}");
        let saved: Vec<SavedBrick> = first.saved().collect();
        assert!(second.restore(saved.iter().cloned(), &mut Scratch::default()));
        assert_eq!(second.known_cells(), known, "what is unknown stays unknown");
        assert_eq!(second.saved().collect::<Vec<_>>(), saved);
        assert_eq!(bounds(&second), expected);
        assert_eq!(second.known_cells(), known, "a cell was worked out");
    }

    #[test]
    fn what_no_field_keeps_is_refused_whole() {
        let first = field(0.25, DVec3::X * 0.5);
        bounds(&first);
        let saved: Vec<SavedBrick> = first.saved().collect();
        let refused = |change: &dyn Fn(&mut Vec<SavedBrick>)| {
            let mut bricks = saved.clone();
            change(&mut bricks);
            let second = field(0.25, DVec3::X * 0.5);
            assert!(!second.restore(bricks.into_iter(), &mut Scratch::default()));
            assert_eq!(second.known_cells(), 0);
        };
        refused(&|bricks| bricks[3].index = u32::MAX);
        refused(&|bricks| bricks[3].index = first.coarse.brick_count() + first.fine.brick_count());
        refused(&|bricks| bricks[3].cells[7] = 1);
        refused(&|bricks| bricks[3].cells[7] = u64::MAX);
        // Other bodies have other cells, whatever a file says.
        let other = field(0.26, DVec3::X * 0.5);
        assert!(!other.restore(saved.iter().cloned(), &mut Scratch::default()));
        assert_eq!(other.known_cells(), 0);
    }

    #[test]
    fn descriptions_differ_where_bodies_do() {
        let described = |field: &Field| {
            let mut bytes = Vec::new();
            field.describe(&mut |some| bytes.extend_from_slice(some));
            bytes
        };
        let first = described(&field(0.25, DVec3::X * 0.5));
        assert_eq!(first, described(&field(0.25, DVec3::X * 0.5)));
        assert_ne!(first, described(&field(0.25f64.next_up(), DVec3::X * 0.5)));
        assert_ne!(first, described(&field(0.25, DVec3::X * 0.5f64.next_up())));
    }
}
