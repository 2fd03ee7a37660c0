//! Balls inside of bodies.

use super::Field;
use super::balls::Walk;
use super::look::{Balls, Look, Reach};
use super::part::FieldPart;
use crate::bounds::{Aabb, Ball};
use crate::lanes::LANES;
use crate::tree::{Scratch, Side};
use fearless_simd::{Simd, dispatch};
use glam::DVec3;

/// A few balls that lie wholly inside bodies: what reaches into one of them hits the body.
#[derive(Clone, Debug)]
pub struct Inner {
    reach: Reach,
    eights: Vec<(Balls, u32)>,
}

/// Points along the longest side of a body at which balls are tried.
const TRIED: f64 = 24.0;
/// Points that are tried at most in a body.
const MOST_TRIED: usize = 1500;

impl Inner {
    /// At most `most` of some balls that are inside bodies of one frame: the largest first, and not those that add little to them.
    #[must_use]
    pub fn new(mut found: Vec<Ball>, most: usize) -> Self {
        found.sort_by(|x, y| y.radius().total_cmp(&x.radius()));
        let mut kept: Vec<Ball> = Vec::new();
        let enough = found.first().map_or(0.0, |largest| 0.1 * largest.radius());
        for ball in found {
            if kept.len() == most || ball.radius() < enough {
                break;
            }
            // One whose centre is deep in another adds little.
            let is_new = |other: &Ball| {
                other.centre().distance(ball.centre()) > 0.5 * (other.radius() + ball.radius())
            };
            if kept.iter().all(is_new) {
                kept.push(ball);
            }
        }
        let middle = Aabb::of_points(kept.iter().map(Ball::centre)).map_or(DVec3::ZERO, |b| b.centre());
        let reach =
            kept.iter().map(|ball| ball.centre().distance(middle) + ball.radius()).fold(0.0, f64::max);
        let eights = kept
            .chunks(LANES)
            .map(|some| {
                // Radii are rounded up for balls that cover; these are inside, so twice that is taken away.
                let smaller = |ball: &Ball| {
                    let lost =
                        4.0 * f64::from(f32::EPSILON) * (ball.radius() + ball.centre().distance(middle))
                            + 16.0 * f64::EPSILON * ball.centre().length();
                    Ball::new(ball.centre(), (ball.radius() - lost).max(0.0))
                };
                let balls: Vec<Ball> = some.iter().map(smaller).collect();
                (Balls::around(&balls, middle), (1u32 << some.len()) - 1)
            })
            .collect();
        Self { reach: Reach { middle, reach }, eights }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.eights.is_empty()
    }

    /// Where they are.
    #[must_use]
    pub fn reach(&self) -> &Reach {
        &self.reach
    }
}

impl Walk {
    /// Whether a ball inside a body certainly reaches a body of a field, or comes nearer to one than a length that is not negative.
    pub fn hit(
        &mut self,
        inner: &Inner,
        field: &Field,
        look: &Look,
        within: f32,
        scratch: &mut Scratch,
    ) -> bool {
        let level = self.level;
        dispatch!(level, simd => hits(simd, inner, field, look, within, scratch))
    }
}

#[inline(always)]
fn hits<S: Simd>(
    simd: S,
    inner: &Inner,
    field: &Field,
    look: &Look,
    within: f32,
    scratch: &mut Scratch,
) -> bool {
    for (balls, used) in &inner.eights {
        if look.hit(simd, field, (balls, *used), within, scratch) {
            return true;
        }
    }
    false
}

impl FieldPart {
    /// Balls around points of a grid, as large as they can be inside the body. Where it is open, or thin, there are none.
    #[must_use]
    pub fn balls_inside(&self, scratch: &mut Scratch) -> Vec<Ball> {
        tried(self, scratch)
    }
}

fn tried(part: &FieldPart, scratch: &mut Scratch) -> Vec<Ball> {
    let [low, high] = part.extent();
    if !(low.is_finite() && high.is_finite()) {
        return Vec::new();
    }
    let extent = high - low;
    let mut step = extent.max_element() / TRIED;
    let count = |step: f64| (extent / step).ceil().max(DVec3::ONE);
    while step > 0.0 && count(step).element_product() > MOST_TRIED as f64 {
        step *= 1.1;
    }
    if !(step > 0.0) {
        return Vec::new();
    }
    let counts = count(step).as_uvec3();
    let rounding = |p: DVec3| part.rounding(p);
    let mut balls = Vec::new();
    for k in 0..counts.element_product() {
        let at = glam::UVec3::new(k % counts.x, k / counts.x % counts.y, k / (counts.x * counts.y));
        let point = low + extent * (at.as_dvec3() + 0.5) / counts.as_dvec3();
        let near = part.near(point, scratch);
        let inside = match near.side {
            Side::Inside => near.distance,
            // Of a formula, or outside.
            _ => -near.distance.max(if part.is_convex() { f64::NEG_INFINITY } else { 0.0 }),
        };
        let radius = inside - rounding(point);
        if radius > 0.0 {
            balls.push(Ball::new(point, radius));
        }
    }
    balls
}
