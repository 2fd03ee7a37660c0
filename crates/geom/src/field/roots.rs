use super::Field;
use super::balls::Walk;
use super::look::{Balls, Freed, Look, Reach};
use crate::bounds::Ball;
use crate::lanes::LANES;
use crate::tree::Scratch;
use fearless_simd::{Simd, SimdBase, dispatch};
use glam::DVec3;

/// Balls around the bodies of a group, one each.
#[derive(Clone, Debug)]
pub struct Roots {
    reach: Reach,
    eights: Vec<(Balls, u32)>,
}

impl Roots {
    /// Of some balls. Single precision counts from `middle`, a point near by.
    #[must_use]
    pub fn new(balls: &[Ball], middle: DVec3) -> Self {
        let reach =
            balls.iter().map(|ball| ball.centre().distance(middle) + ball.radius()).fold(0.0, f64::max);
        let eights =
            balls.chunks(LANES).map(|some| (Balls::around(some, middle), (1 << some.len()) - 1)).collect();
        Self { reach: Reach { middle, reach }, eights }
    }

    /// How many eights there are.
    #[must_use]
    pub fn eights(&self) -> usize {
        self.eights.len()
    }

    /// The balls of one of them that are in use, as bits.
    #[must_use]
    pub fn used(&self, eight: usize) -> u32 {
        self.eights[eight].1
    }

    /// The radius of one of them.
    #[must_use]
    pub fn radius(&self, eight: usize, lane: usize) -> f32 {
        self.eights[eight].0.radius.0[lane]
    }

    #[inline]
    pub(super) fn balls(&self, eight: usize) -> &Balls {
        &self.eights[eight].0
    }

    /// Where they are.
    #[must_use]
    pub fn reach(&self) -> &Reach {
        &self.reach
    }
}

impl Walk {
    /// Bounds below the gaps of balls to a field, by their number: not positive for those that are not proven free.
    pub fn roots(
        &mut self,
        roots: &Roots,
        field: &Field,
        look: &Look,
        scratch: &mut Scratch,
        gaps: &mut Vec<f32>,
    ) {
        let level = self.level;
        gaps.clear();
        self.nodes += roots.eights.len() as u64;
        dispatch!(level, simd => look_all(simd, roots, field, look, scratch, gaps));
    }
}

#[inline(always)]
fn look_all<S: Simd>(
    simd: S,
    roots: &Roots,
    field: &Field,
    look: &Look,
    scratch: &mut Scratch,
    into: &mut Vec<f32>,
) {
    for (balls, used) in &roots.eights {
        let Freed { open, gaps } = look.free(simd, field, &balls.load(simd), *used, scratch);
        let mut of_lanes = [0.0; LANES];
        gaps.store_slice(&mut of_lanes);
        for lane in (0..LANES).filter(|lane| used & (1 << lane) != 0) {
            into.push(if open & (1 << lane) == 0 { of_lanes[lane] } else { 0.0 });
        }
    }
}
