//! Balls that move: which of eight stay free about an instant?
//!
//! At every instant within half a span of its middle, the centre of a ball is within its *travel* of where it is in the middle. The
//! distance from bodies changes no faster than a point moves, so a ball is free through the span if one that is larger by the travel is
//! free in the middle.

use super::Field;
use super::balls::{BallTree, Walk};
use super::look::{Freed, Loaded, Look, Reach};
use super::roots::Roots;
use crate::lanes::{LANES, Vectors};
use crate::tree::Scratch;
use fearless_simd::{Simd, SimdBase, SimdFloat, dispatch, f32x8};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// How far balls get from where they are in the middle of a span, as a function of the centre:
///
/// ```text
/// |turn · (c − middle) + shift| + bend
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    turn: Mat3,
    shift: Vec3,
    bend: f32,
}

impl Rate {
    /// From the speeds of points of the balls' frame in the middle of a span: `turn · c + shift`, multiplied by half its length. `bend`
    /// is what the way may be longer than that, for all balls: half the largest acceleration times the square of half the length.
    #[must_use]
    pub fn new(turn: DMat3, shift: DVec3, bend: f64, balls: &Reach) -> Self {
        let at_middle = turn * balls.middle + shift;
        let norm = turn.x_axis.length() + turn.y_axis.length() + turn.z_axis.length();
        // A few roundings of single precision, for the largest numbers that there can be.
        let rounding = 16.0 * f64::from(f32::EPSILON) * (norm * balls.reach + at_middle.length());
        Self {
            turn: turn.as_mat3(),
            shift: at_middle.as_vec3(),
            bend: (bend + rounding) as f32 * (1.0 + f32::EPSILON),
        }
    }

    #[inline(always)]
    fn travel<S: Simd>(&self, simd: S, c: &Vectors<S>) -> f32x8<S> {
        let along = |k: usize| {
            let [x, y, z] = [self.turn.x_axis[k], self.turn.y_axis[k], self.turn.z_axis[k]];
            let shift = f32x8::splat(simd, self.shift[k]);
            c[0].mul_add(
                f32x8::splat(simd, x),
                c[1].mul_add(f32x8::splat(simd, y), c[2].mul_add(f32x8::splat(simd, z), shift)),
            )
        };
        let [x, y, z] = [along(0), along(1), along(2)];
        (x * x + y * y + z * z).sqrt() * (1.0 + 1e-6) + self.bend
    }
}

/// What was found of eight balls that move.
#[derive(Clone, Copy, Debug)]
pub struct Looked {
    /// Those that are not proven free through the span, as bits.
    pub open: u32,
    /// A bound below the gap of each of the others through the span; of those that are open, about how much is missing.
    pub gaps: [f32; LANES],
    /// How far each gets.
    pub travel: [f32; LANES],
}

impl Walk {
    /// Looks at the balls of a node in a span.
    pub fn look(
        &mut self,
        tree: &BallTree,
        node: u32,
        asked: u32,
        (field, look, rate): (&Field, &Look, &Rate),
        scratch: &mut Scratch,
    ) -> Looked {
        self.nodes += 1;
        let level = self.level;
        dispatch!(level, simd => look_at(simd, &tree.load(simd, node), asked, field, look, rate, scratch))
    }

    /// Looks at balls around parts in a span, eight at a time.
    pub fn look_roots(
        &mut self,
        roots: &Roots,
        eight: usize,
        asked: u32,
        (field, look, rate): (&Field, &Look, &Rate),
        scratch: &mut Scratch,
    ) -> Looked {
        self.nodes += 1;
        let level = self.level;
        dispatch!(level, simd => look_at(simd, &roots.balls(eight).load(simd), asked, field, look, rate, scratch))
    }
}

#[inline(always)]
fn look_at<S: Simd>(
    simd: S,
    balls: &Loaded<S>,
    asked: u32,
    field: &Field,
    look: &Look,
    rate: &Rate,
    scratch: &mut Scratch,
) -> Looked {
    let travel = rate.travel(simd, &balls.centre);
    let reach = balls.radius + travel;
    let Freed { open, gaps } = look.free_of(simd, field, balls, reach, asked, scratch);
    let mut looked = Looked { open, gaps: [0.0; LANES], travel: [0.0; LANES] };
    gaps.store_slice(&mut looked.gaps);
    travel.store_slice(&mut looked.travel);
    looked
}
