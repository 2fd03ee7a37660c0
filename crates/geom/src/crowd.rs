//! Which of many bodies are near one another? Boxes along the axes of the world, eight at a time.

use crate::lanes::{Eight, LANES, load, not_beyond};
use fearless_simd::{Level, Simd, SimdBase, SimdFloat, dispatch, f32x8};
use glam::DVec3;

/// The boxes of many bodies in one frame, by number. They are kept in single precision, rounded outward: what is apart here is
/// apart.
#[derive(Clone, Debug)]
pub struct Crowd {
    level: Level,
    blocks: Vec<Block>,
}

/// Eight boxes, coordinate by coordinate.
#[derive(Clone, Debug)]
struct Block {
    low: [Eight; 3],
    high: [Eight; 3],
}

/// A box whose sides may lie at infinity, in single precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outer {
    low: [f32; 3],
    high: [f32; 3],
}

impl Outer {
    /// All of space.
    pub const EVERYWHERE: Self = Self { low: [f32::NEG_INFINITY; 3], high: [f32::INFINITY; 3] };

    /// A box that reaches some way from its centre, and a little more: by more than 2⁻²⁵ of the coordinates and the reach,
    /// which covers what their computation in double precision may have rounded.
    #[must_use]
    pub fn around(centre: DVec3, reach: DVec3) -> Self {
        let room = (centre.abs() + reach) * f64::from(f32::EPSILON) + f64::from(f32::MIN_POSITIVE);
        Self {
            low: (centre - reach - room).to_array().map(|x| x as f32),
            high: (centre + reach + room).to_array().map(|x| x as f32),
        }
    }

    /// The part of it below a plane across a coordinate axis; or above, if `upward` is false.
    #[must_use]
    pub fn cut(mut self, axis: usize, at: f64, upward: bool) -> Self {
        if upward {
            self.high[axis] = self.high[axis].min((at as f32).next_up());
        } else {
            self.low[axis] = self.low[axis].max((at as f32).next_down());
        }
        self
    }
}

impl Crowd {
    /// Room for some bodies. Until they are set, they are everywhere.
    #[must_use]
    pub fn new(bodies: usize) -> Self {
        let block =
            Block { low: [Eight([f32::NEG_INFINITY; LANES]); 3], high: [Eight([f32::INFINITY; LANES]); 3] };
        Self { level: Level::new(), blocks: vec![block; bodies.div_ceil(LANES)] }
    }

    /// Blocks of eight.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Places a body.
    pub fn set(&mut self, body: usize, outer: &Outer) {
        let block = &mut self.blocks[body / LANES];
        for axis in 0..3 {
            block.low[axis].0[body % LANES] = outer.low[axis];
            block.high[axis].0[body % LANES] = outer.high[axis];
        }
    }

    /// The box of a body.
    #[must_use]
    pub fn get(&self, body: usize) -> Outer {
        let block = &self.blocks[body / LANES];
        Outer {
            low: [0, 1, 2].map(|axis| block.low[axis].0[body % LANES]),
            high: [0, 1, 2].map(|axis| block.high[axis].0[body % LANES]),
        }
    }

    /// Whether the boxes of two bodies are not apart.
    #[must_use]
    pub fn near(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.get(a), self.get(b));
        !(0..3).any(|axis| a.low[axis] > b.high[axis] || b.low[axis] > a.high[axis])
    }

    /// For one box and every block of eight: which of those that are asked about (as bits) are not apart from it. The answers
    /// replace what `asked` holds.
    pub fn near_of(&self, outer: &Outer, asked: &mut [u8]) {
        let level = self.level;
        dispatch!(level, simd => overlaps(simd, &self.blocks, outer, asked));
    }

    /// For one box a bound below the distance to each of the eight bodies of a block.
    #[must_use]
    pub fn gaps_of(&self, outer: &Outer, block: usize) -> [f32; LANES] {
        let level = self.level;
        dispatch!(level, simd => gaps(simd, &self.blocks[block], outer))
    }
}

#[inline(always)]
fn overlaps<S: Simd>(simd: S, blocks: &[Block], outer: &Outer, asked: &mut [u8]) {
    let zero = f32x8::splat(simd, 0.0);
    for (block, asked) in blocks.iter().zip(asked).filter(|(_, asked)| **asked != 0) {
        *asked &= not_beyond(largest_gap(simd, block, outer), zero) as u8;
    }
}

/// The largest of the gaps along the axes; negative if there is none.
#[inline(always)]
fn largest_gap<S: Simd>(simd: S, block: &Block, outer: &Outer) -> f32x8<S> {
    let of_axis = axis_gaps(simd, block, outer);
    of_axis[0].max(of_axis[1]).max(of_axis[2])
}

#[inline(always)]
fn axis_gaps<S: Simd>(simd: S, block: &Block, outer: &Outer) -> [f32x8<S>; 3] {
    [axis_gap(simd, block, outer, 0), axis_gap(simd, block, outer, 1), axis_gap(simd, block, outer, 2)]
}

#[inline(always)]
fn axis_gap<S: Simd>(simd: S, block: &Block, outer: &Outer, axis: usize) -> f32x8<S> {
    let (low, high) = (load(simd, &block.low[axis]), load(simd, &block.high[axis]));
    (low - outer.high[axis]).max(f32x8::splat(simd, outer.low[axis]) - high)
}

#[inline(always)]
fn gaps<S: Simd>(simd: S, block: &Block, outer: &Outer) -> [f32; LANES] {
    let zero = f32x8::splat(simd, 0.0);
    let [x, y, z] = axis_gaps(simd, block, outer);
    let (x, y, z) = (x.max(zero), y.max(zero), z.max(zero));
    let mut bounds = [0.0; LANES];
    // Six roundings of 2⁻²⁴ each: what is taken off is more. Infinity minus infinity is no number, and bounds nothing.
    ((x * x + y * y + z * z).sqrt() * (1.0 - 1e-6)).store_slice(&mut bounds);
    bounds.map(|bound| if bound.is_nan() { 0.0 } else { bound })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(centre: DVec3, half: f64) -> Outer {
        Outer::around(centre, DVec3::splat(half))
    }

    #[test]
    fn near_and_far() {
        let mut crowd = Crowd::new(11);
        for k in 0..11 {
            crowd.set(k, &block(DVec3::new(k as f64, 0.0, 0.0), 0.25));
        }
        let mut asked = vec![0xff; crowd.blocks()];
        crowd.near_of(&block(DVec3::new(8.6, 0.1, -0.1), 0.5), &mut asked);
        // The five lanes that hold no body are everywhere, and nobody asks about them.
        assert_eq!(asked, [0b0000_0000, 0b1111_1011]);
        assert!(crowd.near(2, 2) && !crowd.near(2, 3));
        let bounds = crowd.gaps_of(&block(DVec3::new(0.0, 3.0, 4.5), 0.5), 0);
        let exact = (2.25f32 * 2.25 + 3.75 * 3.75).sqrt();
        assert!((bounds[0] - exact).abs() < 1e-5 && bounds[0] < exact);
    }

    #[test]
    fn touching_boxes_are_not_apart() {
        let mut crowd = Crowd::new(1);
        crowd.set(0, &block(DVec3::splat(0.1), 0.1));
        let mut asked = [1];
        crowd.near_of(&block(DVec3::new(0.1, 0.1, 0.3), 0.1), &mut asked);
        assert_eq!(asked, [1]);
    }

    #[test]
    fn half_spaces_have_one_side() {
        let floor = Outer::EVERYWHERE.cut(2, 0.0, true);
        let mut crowd = Crowd::new(2);
        crowd.set(0, &floor);
        crowd.set(1, &Outer::EVERYWHERE);
        let mut asked = [0b11];
        crowd.near_of(&block(DVec3::new(5.0, 5.0, 2.0), 1.0), &mut asked);
        assert_eq!(asked, [0b10]);
        let bounds = crowd.gaps_of(&block(DVec3::new(5.0, 5.0, 2.0), 1.0), 0);
        assert!((bounds[0] - 1.0).abs() < 1e-5 && bounds[1] == 0.0);
        assert_eq!(crowd.gaps_of(&Outer::EVERYWHERE, 0)[1], 0.0);
    }
}
