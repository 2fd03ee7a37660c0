//! The gap of two nodes along a direction through a span of time.

use super::off::{BERNSTEIN, lower};
use super::seen::Seen;
use super::steps::FreeAlong;
use super::tree::BodyTree;
use kansho_geom::glam::DVec3;

/// The direction that a certificate names, seen from the common frame; none if there is none. It need not be of any length.
///
/// Any direction is as good as another for what it proves, so nothing here needs a bound.
#[must_use]
pub fn direction(
    named: FreeAlong,
    seen: &[Seen; 2],
    trees: [&BodyTree; 2],
    nodes: [u32; 2],
    last: Option<DVec3>,
) -> Option<DVec3> {
    let middles = || {
        let [a, b] = [0, 1].map(|k: usize| seen[k].middle * trees[k].extent(nodes[k]).0);
        b - a
    };
    match named {
        FreeAlong::Direction(n) => Some(n),
        FreeAlong::Last => last,
        FreeAlong::Middles => Some(middles()),
        FreeAlong::Axis(side, axis) => {
            let r = seen[side].middle.rotation();
            let n = [r.x_axis, r.y_axis, r.z_axis][axis];
            Some(if n.dot(middles()) < 0.0 { -n } else { n })
        }
    }
}

/// What the second node is beyond the first along a direction, at least, through a span; whatever may be off is taken off. Minus infinity
/// if nothing can be said.
///
/// The height of a point of a body, `h(t) = n · P(t) x`, is near the cubic with the same values at 0, 1/3, 2/3 and 1, by `max |h''''| / 1944`
/// (`off`). Its coefficients in Bernstein's form are `b_j = Σ w_jk h(t_k)`, linear in `x`: the least of them over a node is the
/// least product of one vector with its points, and no cubic is below its least coefficient. The height of one node above the other is the
/// sum of the two, for the first with `n` turned around.
#[must_use]
pub fn beyond(seen: &[Seen; 2], trees: [&BodyTree; 2], nodes: [u32; 2], n: DVec3) -> f64 {
    let mut n = n;
    let mut planes = 0;
    for k in 0..2 {
        if let Some(normal) = trees[k].normal(nodes[k]) {
            // It must stand still, seen from the common frame; and of two, no direction is the normal of both.
            planes += 1;
            if !seen[k].is_still || planes > 1 {
                return f64::NEG_INFINITY;
            }
            n = seen[k].middle.rotate(normal) * if k == 0 { 1.0 } else { -1.0 };
        }
    }
    // By its largest coordinate first: squares of tiny ones have too few digits left for a length.
    let Some(n) = (n / n.abs().max_element()).try_normalize() else { return f64::NEG_INFINITY };
    // No longer than 1, so that heights along it are no larger than distances.
    let n = n * (1.0 - 4.0 * f64::EPSILON);
    let mut least = [0.0; 4];
    for (k, sign) in [(0, -1.0), (1, 1.0)] {
        let height = |pose: &kansho_geom::Pose| {
            (pose.rotation().transpose() * n * sign, pose.translation().dot(n) * sign)
        };
        if seen[k].is_still {
            // All four are the same, and the weights of each coefficient sum to 1.
            let (m, fixed) = height(&seen[k].middle);
            let lowest = trees[k].lowest(nodes[k], m) + fixed;
            least.iter_mut().for_each(|least| *least += lowest);
            continue;
        }
        let heights = seen[k].poses.each_ref().map(height);
        for (j, weights) in BERNSTEIN.iter().enumerate() {
            let (mut m, mut fixed) = (DVec3::ZERO, 0.0);
            for (w, h) in weights.iter().zip(&heights) {
                m += h.0 * *w;
                fixed += h.1 * w;
            }
            least[j] += trees[k].lowest(nodes[k], m) + fixed;
        }
    }
    let beyond = least.into_iter().fold(f64::INFINITY, lower) - seen[0].off - seen[1].off;
    if beyond.is_nan() { f64::NEG_INFINITY } else { beyond }
}
