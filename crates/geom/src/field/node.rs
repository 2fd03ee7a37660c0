//! Eight balls of a tree in one line of the cache: what takes the time is to fetch them.

use super::look::Loaded;
use crate::bounds::Ball;
use crate::lanes::LANES;
use fearless_simd::{Simd, SimdBase, SimdFloat, f32x8};
use glam::{DVec3, Vec3};

/// Where the centres of the balls of a tree are: steps from a corner, as seen from the middle of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    corner: Vec3,
    step: f32,
}

impl Scale {
    /// For centres in a ball. Others are moved to the border, and their balls are so much larger.
    pub(super) fn of(ball: &Ball, middle: DVec3) -> Self {
        let corner = (ball.centre() - middle - ball.radius()).as_vec3();
        Self { corner, step: (2.0 * ball.radius() / f64::from(u16::MAX)) as f32 }
    }

    /// The centre at some steps, exactly; from the middle of the tree.
    pub(super) fn centre(&self, steps: [u16; 3]) -> DVec3 {
        self.corner.as_dvec3() + DVec3::from_array(steps.map(f64::from)) * f64::from(self.step)
    }

    fn steps(&self, from_middle: DVec3) -> [u16; 3] {
        // Nothing divided by nothing becomes zero, and what is beyond the border the border.
        let steps = (from_middle - self.corner.as_dvec3()) / f64::from(self.step);
        steps.to_array().map(|steps| steps.round() as u16)
    }

    /// How far single precision may put a centre from where it is exactly: a product and a sum of numbers of this size, each rounded by
    /// 2⁻²⁴, or both together, along three axes.
    fn rounding(&self) -> f64 {
        let size = self.corner.abs().max_element() + self.step * f32::from(u16::MAX);
        f64::from(size) * 8.0 * 2f64.powi(-24)
    }
}

/// Up to eight balls, and what is in them: nodes that lie one after the other, or nothing if a ball is one of the smallest.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Steps, axis by axis.
    centre: [[u16; LANES]; 3],
    /// In parts of the largest radius.
    radius: [u8; LANES],
    /// The first node below.
    first: u32,
    /// Of the unit of the radii, in single precision, the upper half of the bits.
    unit: u16,
    /// Balls that are in use, and those in which there are nodes, as bits.
    used: u8,
    deeper: u8,
}

const _: () = assert!(size_of::<Node>() == 64, "a node is a line of the cache");

impl Node {
    /// Of one to eight balls. The radii make up for what steps and single precision do to the centres; lanes that are left over are
    /// the last ball again.
    pub(super) fn new(balls: &[Ball], deeper: &[bool], first: u32, scale: &Scale, middle: DVec3) -> Self {
        let mut node = Self { first, used: (u16::MAX >> (16 - balls.len())) as u8, ..Self::default() };
        let mut radii = [0.0; LANES];
        for (lane, radius) in radii.iter_mut().enumerate() {
            let ball = balls[lane.min(balls.len() - 1)];
            let from_middle = ball.centre() - middle;
            let steps = scale.steps(from_middle);
            (0..3).for_each(|axis| node.centre[axis][lane] = steps[axis]);
            let lost = from_middle.distance(scale.centre(steps))
                + scale.rounding()
                + 4.0 * f64::EPSILON * ball.centre().length();
            *radius = (ball.radius() + lost) * (1.0 + 1e-12);
        }
        let largest = radii.into_iter().fold(0.0, f64::max);
        // Rounded up to the upper half of its bits, so that the largest is no more than 255 of them.
        let unit = (largest / 255.0) as f32 * (1.0 + f32::EPSILON);
        // What is too large for that is infinite, and then no radius is a number, and nothing is free.
        node.unit = ((unit.to_bits() >> 16) + 1).min(f32::INFINITY.to_bits() >> 16) as u16;
        // A unit has 8 bits and the number of them too: their product is a number in single precision.
        let unit = f64::from(node.unit());
        node.radius = radii.map(|radius| (radius / unit).ceil() as u8);
        for (lane, _) in deeper.iter().enumerate().filter(|(_, deeper)| **deeper) {
            node.deeper |= 1 << lane;
        }
        node
    }

    #[inline(always)]
    fn unit(&self) -> f32 {
        f32::from_bits(u32::from(self.unit) << 16)
    }

    /// Balls that are in use, as bits.
    #[inline(always)]
    pub(super) fn used(&self) -> u32 {
        u32::from(self.used)
    }

    /// The node in a ball.
    #[inline(always)]
    pub(super) fn below(&self, lane: u32) -> Option<u32> {
        let deeper = u32::from(self.deeper);
        (deeper >> lane & 1 == 1).then(|| self.first + (deeper & ((1 << lane) - 1)).count_ones())
    }

    /// The radius of a ball.
    pub(super) fn radius(&self, lane: usize) -> f32 {
        f32::from(self.radius[lane]) * self.unit()
    }

    /// Where the centre of a ball is, in steps.
    pub(super) fn centre(&self, lane: usize) -> [u16; 3] {
        [0, 1, 2].map(|axis| self.centre[axis][lane])
    }

    /// All of them.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, scale: &Scale) -> Loaded<S> {
        let step = f32x8::splat(simd, scale.step);
        let along = |axis: usize| {
            let steps = f32x8::from_slice(simd, &self.centre[axis].map(f32::from));
            steps.mul_add(step, f32x8::splat(simd, scale.corner[axis]))
        };
        let unit = self.unit();
        Loaded {
            centre: [along(0), along(1), along(2)],
            radius: f32x8::from_slice(simd, &self.radius.map(f32::from)) * unit,
            largest: 255.0 * unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    fn loaded(node: &Node, scale: &Scale, level: Level) -> [[f32; LANES]; 4] {
        let mut into = [[0.0; LANES]; 4];
        dispatch!(level, simd => {
            let Loaded { centre, radius, .. } = node.load(simd, scale);
            (0..3).for_each(|axis| centre[axis].store_slice(&mut into[axis]));
            radius.store_slice(&mut into[3]);
        });
        into
    }

    /// Whatever is kept of balls, as single precision reads it, holds the balls.
    #[test]
    fn balls_are_held_by_what_is_kept_of_them() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / 2f64.powi(53)
        };
        for case in 0..3000 {
            let size = 10f64.powf(random() * 9.0 - 6.0);
            let far = if case % 3 == 0 { 0.0 } else { size * 10f64.powf(random() * 4.0) };
            let middle = DVec3::new(random(), -random(), random()) * far;
            let mut point = || DVec3::new(random(), random(), random()) * 2.0 - 1.0;
            let around = Ball::new(middle + point() * size * 0.1, size);
            let centres: Vec<DVec3> = (0..1 + case % 8).map(|_| around.centre() + point() * size).collect();
            let balls: Vec<Ball> = centres
                .iter()
                .map(|centre| {
                    Ball::new(*centre, size * random().powi(6) * f64::from(u8::from(random() < 0.9)))
                })
                .collect();
            let deeper: Vec<bool> = balls.iter().map(|_| random() < 0.5).collect();
            let scale = Scale::of(&around, middle);
            let node = Node::new(&balls, &deeper, 7, &scale, middle);
            for level in [Level::new(), Level::baseline()] {
                let kept = loaded(&node, &scale, level);
                for (lane, ball) in balls.iter().enumerate() {
                    let centre = DVec3::new(kept[0][lane].into(), kept[1][lane].into(), kept[2][lane].into());
                    let apart = centre.distance(ball.centre() - middle);
                    let radius = f64::from(kept[3][lane]);
                    assert!(radius >= apart + ball.radius(), "{case} {lane}: {radius} {apart} {ball:?}");
                    // And they are little larger: by parts of the largest, and by steps.
                    let largest = balls.iter().map(Ball::radius).fold(0.0, f64::max);
                    let rounding = 1e-6 * (size + around.centre().distance(middle)) + 1e-14 * far;
                    assert!(
                        radius <= ball.radius() + 0.013 * largest + 1e-4 * size + rounding,
                        "{case} {lane}"
                    );
                    assert_eq!(node.radius(lane), kept[3][lane]);
                    let one = Ball::new(scale.centre(node.centre(lane)) + middle, radius);
                    assert!(one.radius() >= one.centre().distance(ball.centre()) + ball.radius());
                }
            }
            let mut next = 7;
            for (lane, deeper) in (0u32..).zip(&deeper) {
                assert_eq!(node.below(lane), deeper.then_some(next));
                next += u32::from(*deeper);
            }
            assert_eq!(node.used(), (1 << balls.len()) - 1);
        }
    }

    #[test]
    fn a_point_is_a_ball() {
        let around = Ball::new(DVec3::splat(3.0), 0.0);
        let scale = Scale::of(&around, DVec3::splat(3.0));
        let node = Node::new(&[around], &[false], 0, &scale, DVec3::splat(3.0));
        let kept = loaded(&node, &scale, Level::new());
        assert!(kept[3][0] >= 0.0 && kept[3][0] < 1e-12, "{}", kept[3][0]);
        assert_eq!([kept[0][0], kept[1][0], kept[2][0]], [0.0; 3]);
    }
}
