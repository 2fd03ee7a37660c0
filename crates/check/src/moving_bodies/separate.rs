//! Directions along which one part stays beyond another through a whole span.
//!
//! Where points run on Bézier curves with control points `P0 … P3` and the direction turns from `n0` to `n1`, linear in time,
//! the height of a point along it is of degree four with the coefficients
//!
//! ```text
//! c_j = ((4 − j) n0 · P_j + j n1 · P_(j−1)) / 4
//! ```
//!
//! in Bernstein's form, and lies between the least and the largest of them. `P_j = L_j x + s_j` is linear in the point `x` of the
//! body, so that the coefficients of all points of a part come from one direction each, pulled back into its frame.

use super::body::{Body, Bounds, Part};
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::pose_motion::{Affine, Near};

/// A direction that may turn: a vector at the start and at the end of a span, neither longer than 1 but by rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Direction {
    pub(crate) start: DVec3,
    pub(crate) end: DVec3,
}

impl Direction {
    pub(crate) fn fixed(n: DVec3) -> Self {
        Self { start: n, end: n }
    }
}

/// Heights along a direction as functions of a point of the body: a product and a sum for each coefficient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heights {
    directions: [DVec3; 2],
    terms: [(DVec3, f64); 5],
    /// Four if the direction is fixed.
    count: usize,
}

impl Heights {
    pub(crate) fn of(controls: &[Affine; 4], direction: &Direction) -> Self {
        let term = |c: &Affine, n: DVec3| (c.linear.transpose() * n, c.shift.dot(n));
        let directions = [direction.start, direction.end];
        let mut terms = [(DVec3::ZERO, 0.0); 5];
        if direction.start == direction.end {
            for (term_k, control) in terms.iter_mut().zip(controls) {
                *term_k = term(control, direction.start);
            }
            return Self { directions, terms, count: 4 };
        }
        for (j, term_j) in terms.iter_mut().enumerate() {
            let (mut product, mut sum) = (DVec3::ZERO, 0.0);
            if j < 4 {
                let (p, s) = term(&controls[j], direction.start);
                let weight = (4 - j) as f64 * 0.25;
                (product, sum) = (product + p * weight, sum + s * weight);
            }
            if j > 0 {
                let (p, s) = term(&controls[j - 1], direction.end);
                let weight = j as f64 * 0.25;
                (product, sum) = (product + p * weight, sum + s * weight);
            }
            *term_j = (product, sum);
        }
        Self { directions, terms, count: 5 }
    }
}

/// How far one part is beyond another along a direction at an instant.
#[inline]
pub(super) fn clear_at(
    (a, part_a, placed_a): (&Body, Part, &Affine),
    (b, part_b, placed_b): (&Body, Part, &Affine),
    n: DVec3,
) -> f64 {
    let lowest = low(b, part_b, placed_b.linear.transpose() * n) + placed_b.shift.dot(n);
    let minus_highest = low(a, part_a, placed_a.linear.transpose() * -n) - placed_a.shift.dot(n);
    lowest + minus_highest
}

/// Least coefficient of the height of any point of `part_b` over any point of `part_a`: positive only if the direction keeps
/// them apart. In exact arithmetic; the caller takes off what rounding, and the distance from the cubics, may be.
#[inline]
pub(crate) fn clear(
    (a, part_a, heights_a): (&Body, Part, &Heights),
    (b, part_b, heights_b): (&Body, Part, &Heights),
) -> f64 {
    let mut least = f64::INFINITY;
    for k in 0..heights_a.count {
        let gap = coefficient((a, part_a, heights_a), (b, part_b, heights_b), k);
        if !(gap >= least) {
            least = gap; // NaN stays, and proves nothing.
        }
    }
    least
}

/// The least of each coefficient, and the degree: the height of any point over any other is nowhere less than the polynomial that
/// they make.
#[inline]
pub(super) fn coefficients(
    (a, part_a, heights_a): (&Body, Part, &Heights),
    (b, part_b, heights_b): (&Body, Part, &Heights),
) -> ([f64; 5], usize) {
    let count = heights_a.count;
    let (minus_highest, lowest) = (lows(a, part_a, heights_a, -1.0), lows(b, part_b, heights_b, 1.0));
    let mut all = [0.0; 5];
    for k in 0..count {
        all[k] = lowest[k] + minus_highest[k];
    }
    (all, count - 1)
}

/// The least of each coefficient of the heights, or of their opposites, of the points of a part.
#[inline]
fn lows(body: &Body, part: Part, heights: &Heights, sign: f64) -> [f64; 5] {
    let mut least = [0.0; 5];
    for k in 0..heights.count {
        // What stands still is as high all the time.
        least[k] = if k > 0 && heights.terms[k] == heights.terms[k - 1] {
            least[k - 1]
        } else {
            let (m, s) = heights.terms[k];
            low(body, part, m * sign) + s * sign
        };
    }
    least
}

#[inline(always)]
fn coefficient(
    (a, part_a, heights_a): (&Body, Part, &Heights),
    (b, part_b, heights_b): (&Body, Part, &Heights),
    k: usize,
) -> f64 {
    let (m_a, s_a) = heights_a.terms[k];
    let (m_b, s_b) = heights_b.terms[k];
    let highest = -low(a, part_a, -m_a) + s_a;
    let lowest = low(b, part_b, m_b) + s_b;
    lowest - highest
}

/// How thick a box is along a vector of its body.
#[inline]
pub(super) fn thickness(bounds: &Bounds, m: DVec3) -> f64 {
    (bounds.axes.transpose() * m).abs().dot(bounds.half)
}

/// The least product of a vector with a point of a part.
#[inline(always)]
fn low(body: &Body, part: Part, m: DVec3) -> f64 {
    match part {
        Part::Box(_) => {
            let bounds = body.bounds(part);
            let along = bounds.axes.transpose() * m;
            bounds.centre.dot(m) - along.abs().dot(bounds.half)
        }
        Part::Triangle(k) => {
            let [p, q, r] = body.corners(k);
            p.dot(m).min(q.dot(m)).min(r.dot(m))
        }
    }
}

/// How far points of two parts may be from their cubics along a direction, together.
#[inline]
pub(crate) fn slack(near: &[Near; 2], bounds: [&Bounds; 2], heights: &Heights) -> f64 {
    let of = |k: usize| near[k].slack.along(bounds[k].centre, bounds[k].radius, heights.directions);
    of(0) + of(1)
}

/// The direction along which two boxes are farthest apart at an instant, and by how much: face directions, crossed edges, and the
/// line of their middles. The gap is right up to rounding for boxes that are placed rigidly; otherwise it is a guess.
#[inline]
pub(crate) fn best_direction(
    a: &Bounds,
    world_from_a: &Affine,
    b: &Bounds,
    world_from_b: &Affine,
) -> (f64, DVec3) {
    let axes_a = world_from_a.linear * a.axes;
    let axes_b = world_from_b.linear * b.axes;
    let between = *world_from_b * b.centre - *world_from_a * a.centre;
    // Entry (i, j): axis i of a with axis j of b.
    let product: DMat3 = axes_a.transpose() * axes_b;
    let magnitude = DMat3::from_cols(product.x_axis.abs(), product.y_axis.abs(), product.z_axis.abs());
    let along_a = axes_a.transpose() * between;
    let along_b = axes_b.transpose() * between;
    let gaps_a = along_a.abs() - a.half - magnitude * b.half;
    let gaps_b = along_b.abs() - b.half - magnitude.transpose() * a.half;
    let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
    for k in 0..3 {
        if gaps_a[k] > best.0 {
            best = (gaps_a[k], axes_a.col(k) * along_a[k].signum());
        }
        if gaps_b[k] > best.0 {
            best = (gaps_b[k], axes_b.col(k) * along_b[k].signum());
        }
    }
    let distance = between.length();
    if distance > 0.0 {
        let n = between / distance;
        let reach = |axes: &DMat3, half: DVec3| (axes.transpose() * n).abs().dot(half);
        let gap = distance - reach(&axes_a, a.half) - reach(&axes_b, b.half);
        if gap > best.0 {
            best = (gap, n);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let cosine = product.col(j)[i];
            let sine_sq = 1.0 - cosine * cosine;
            if sine_sq < 1e-6 {
                continue; // Nearly parallel: the faces serve as well.
            }
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let reach_a = a.half[i1] * magnitude.col(j)[i2] + a.half[i2] * magnitude.col(j)[i1];
            let reach_b = b.half[j1] * magnitude.col(j2)[i] + b.half[j2] * magnitude.col(j1)[i];
            let along = along_a[i2] * product.col(j)[i1] - along_a[i1] * product.col(j)[i2];
            let gap_scaled = along.abs() - reach_a - reach_b;
            if gap_scaled > 0.0 && gap_scaled * gap_scaled > best.0.max(0.0) * best.0.max(0.0) * sine_sq {
                let n = axes_a.col(i).cross(axes_b.col(j));
                if let Some(n) = n.try_normalize() {
                    best = (gap_scaled / sine_sq.sqrt(), if n.dot(between) < 0.0 { -n } else { n });
                }
            }
        }
    }
    // Of unit length, whatever the placement did to the axes.
    (best.0, best.1.try_normalize().unwrap_or(DVec3::Z))
}
