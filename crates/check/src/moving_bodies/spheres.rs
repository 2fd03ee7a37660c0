//! Rough shapes: sets of balls that cover a surface, bisected as the paper does.

use super::Body;
use super::bisect::{BisectOptions, Bisected, Measured, collision};
use kansho_geom::Ball;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Affine, Motion, Span};
use kansho_geom::spheres::{CoverFault, Goal, fit};

/// Balls that cover the surface of a body.
///
/// # Errors
/// The goal makes no sense.
pub fn cover(body: &Body, goal: Goal) -> Result<Vec<Ball>, CoverFault> {
    let triangles: Vec<[DVec3; 3]> = body.mesh().corners().collect();
    fit(&triangles, 0.0, goal)
}

/// The bisection method on balls: the shapes are the balls, so a contact is one of balls, and free means that what they cover is
/// free. What lies wholly inside a body meets none of its balls: the start must be looked at otherwise.
#[must_use]
pub fn bisected(balls: [&[Ball]; 2], motions: [&Motion; 2], options: &BisectOptions) -> Bisected {
    let measure = |t: f64| {
        let placed = [0, 1].map(|k: usize| place(balls[k], &motions[k].at(t)));
        let size =
            placed.iter().flatten().map(|ball| ball.centre().length() + ball.radius()).fold(0.0, f64::max);
        let rounding = 64.0 * f64::EPSILON * size;
        let mut least = f64::INFINITY;
        for x in &placed[0] {
            for y in &placed[1] {
                let gap = x.centre().distance(y.centre()) - x.radius() - y.radius();
                if !(gap >= least) {
                    least = gap;
                }
            }
        }
        let overlap = !(least > 0.0);
        let at_most = if overlap { 0.0 } else { least + rounding };
        Measured { at_least: (least - rounding).max(0.0), at_most, overlap }
    };
    let travel = |span: Span| {
        let of = |k: usize| {
            let way = |ball: &Ball| motions[k].travel(span, ball.centre(), ball.radius());
            balls[k].iter().map(way).fold(0.0, f64::max)
        };
        of(0) + of(1)
    };
    collision(measure, travel, options)
}

/// Balls that hold the placed ones: a placement that is not rigid makes them larger.
fn place(balls: &[Ball], placed: &Affine) -> Vec<Ball> {
    let stretch = placed.stretch();
    balls.iter().map(|ball| Ball::new(*placed * ball.centre(), ball.radius() * stretch)).collect()
}
