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

    /// A box that reaches some way from its centre, and a little more: by what single precision rounds, and by the room that
    /// the caller needs for the rounding of both in double precision.
    #[must_use]
    pub fn around(centre: DVec3, reach: DVec3, room: f64) -> Self {
        let room = (centre.abs() + reach) * f64::from(f32::EPSILON) + (room + f64::from(f32::MIN_POSITIVE));
        Self {
            low: (centre - reach - room).to_array().map(|x| x as f32),
            high: (centre + reach + room).to_array().map(|x| x as f32),
        }
    }

    /// The part of it below a plane across a coordinate axis, or above if `upward` is false; and a little more, as in
    /// [`Outer::around`].
    #[must_use]
    pub fn cut(mut self, axis: usize, at: f64, upward: bool, room: f64) -> Self {
        if upward {
            self.high[axis] = self.high[axis].min(((at + room) as f32).next_up());
        } else {
            self.low[axis] = self.low[axis].max(((at - room) as f32).next_down());
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
        Self { level: crate::lanes::level(), blocks: vec![block; bodies.div_ceil(LANES)] }
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

    /// For a ball and every block of eight: which of those that are asked about (as bits) may be within its radius of its centre.
    /// The answers replace what `asked` holds; whether some are left.
    pub fn near_ball(&self, centre: DVec3, radius: f64, asked: &mut [u8]) -> bool {
        let level = self.level;
        dispatch!(level, simd => reached(simd, &self.blocks, centre, radius, asked))
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

#[inline(always)]
fn reached<S: Simd>(simd: S, blocks: &[Block], centre: DVec3, radius: f64, asked: &mut [u8]) -> bool {
    let middle = centre.as_vec3();
    // Rounding of the centre, of differences with borders no farther than the radius, of squares and their sum: each less than
    // 2⁻²⁴ of the numbers.
    let room = 1e-6 * (centre.abs().max_element() + radius) + f64::from(f32::MIN_POSITIVE);
    let reach = (radius + room) as f32 * (1.0 + f32::EPSILON);
    let limit = f32x8::splat(simd, reach * reach * (1.0 + 4.0 * f32::EPSILON));
    let outer = Outer { low: middle.to_array(), high: middle.to_array() };
    let zero = f32x8::splat(simd, 0.0);
    let mut some = false;
    for (block, asked) in blocks.iter().zip(asked).filter(|(_, asked)| **asked != 0) {
        let [x, y, z] = axis_gaps(simd, block, &outer);
        let (x, y, z) = (x.max(zero), y.max(zero), z.max(zero));
        *asked &= not_beyond(x * x + y * y + z * z, limit) as u8;
        some |= *asked != 0;
    }
    some
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
        Outer::around(centre, DVec3::splat(half), 0.0)
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
    fn balls_reach_what_they_touch() {
        let mut crowd = Crowd::new(3);
        crowd.set(0, &block(DVec3::new(2.0, 0.0, 0.0), 0.5));
        crowd.set(1, &block(DVec3::new(3.0, 3.0, 3.0), 0.5));
        crowd.set(2, &Outer::EVERYWHERE.cut(2, -5.0, true, 0.0));
        for (radius, expected) in [(1.49, 0b000), (1.5, 0b001), (4.33, 0b001), (4.331, 0b011), (5.0, 0b111)] {
            let mut asked = [0b111];
            assert_eq!(crowd.near_ball(DVec3::ZERO, radius, &mut asked), expected != 0);
            assert_eq!(asked, [expected], "{radius}");
        }
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
        let floor = Outer::EVERYWHERE.cut(2, 0.0, true, 0.0);
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
