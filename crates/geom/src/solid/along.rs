use super::core::{Core, Near};
use glam::DVec3;

/// A segment around whose points there are balls, their radii between those at the ends: the side of a triangle without
/// any, the spine of a cylinder or of a cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spine {
    pub(super) ends: [DVec3; 2],
    pub(super) radii: [f64; 2],
}

/// A point of a spine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Fraction of the way.
    pub(super) t: f64,
    pub(super) point: DVec3,
    pub(super) near: Near,
    /// Distance of the ball from the core; negative where they overlap.
    pub(super) gap: f64,
}

/// The ball of a spine that is nearest to a core; none if it is proven to be beyond `cut`. `ends` are the nearest points to
/// the ends.
///
/// The distance from a convex set is convex along a line, and the radius linear. So the least lies between an end from
/// which the gap falls and one from which it rises, and the tangents there bound it from below:
///
/// ```text
/// gap(t) ≥ max(gap(low) + slope(low) (t − low), gap(high) + slope(high) (t − high))
/// ```
///
/// The bracket is cut until that bound meets the best point found. A slope has the sign of the true one at a point within
/// rounding of `t`; where that differs from the sign at `t`, the gap is already within twice the rounding of the least. So
/// the best of all points looked at is as good as rounding allows.
pub(super) fn least_along(core: &Core, spine: &Spine, ends: [Near; 2], cut: f64) -> Option<Sample> {
    let [from, to] = spine.ends;
    let way = to - from;
    let taper = spine.radii[1] - spine.radii[0];
    let sample = |t: f64, point: DVec3, near: Near| {
        let gap = near.distance - (spine.radii[0] + taper * t);
        (Sample { t, point, near, gap }, near.away.dot(way) - taper)
    };
    let at = |t: f64| {
        let point = from + way * t;
        sample(t, point, core.nearest(point))
    };
    let (mut low, mut slope_low) = sample(0.0, from, ends[0]);
    if slope_low >= 0.0 {
        return Some(low);
    }
    let (mut high, mut slope_high) = sample(1.0, to, ends[1]);
    if slope_high <= 0.0 {
        return Some(high);
    }
    let mut best = if low.gap <= high.gap { low } else { high };
    if matches!(core, Core::Point) && taper == 0.0 {
        let (middle, _) = at((-from.dot(way) / way.length_squared()).clamp(0.0, 1.0));
        return Some(if middle.gap <= best.gap { middle } else { best });
    }
    let tolerance = 2.0 * f64::EPSILON * from.abs().max(to.abs()).max_element();
    let level = 2.0 * f64::EPSILON * way.length();
    let mut flattest = f64::INFINITY;
    let mut least = best.gap;
    // The last two points looked at and their slopes, and whether the slope fell quickly from one to the other.
    let mut last = [(low.t, slope_low), (high.t, slope_high)];
    let mut is_quick = true;
    let mut extra = 0;
    for turn in 0..160 {
        // Where the tangents meet, from `low` on.
        let width = high.t - low.t;
        let step = (high.gap - low.gap - slope_high * width) / (slope_low - slope_high);
        let step = step.clamp(0.0, width);
        let bound = low.gap + slope_low * step;
        if bound > cut {
            return None;
        }
        // Where the gap is known, a few more steps settle the place, which a smooth least leaves open to the root of
        // rounding.
        let is_known = least - bound <= tolerance;
        if is_known && (flattest <= level || extra == 8) {
            break;
        }
        extra += usize::from(is_known);
        // Where the slope would vanish if it were linear, as long as that helps; by turns where the tangents meet, and in
        // the middle, so that kinks are found quickly too and the bracket always shrinks.
        let [(t0, slope0), (t1, slope1)] = last;
        let secant = t1 - slope1 * ((t1 - t0) / (slope1 - slope0));
        let middle = low.t + 0.5 * width;
        let mut t = match turn % 3 {
            0 if !is_quick && !is_known => middle,
            1 if !is_quick && !is_known => low.t + step,
            _ if secant > low.t && secant < high.t => secant,
            _ => low.t + width * (slope_low / (slope_low - slope_high)),
        };
        if !(t > low.t && t < high.t) {
            t = middle;
        }
        if !(t > low.t && t < high.t) {
            break;
        }
        let (next, slope) = at(t);
        // Of places that are as near up to rounding, the flattest.
        if next.gap < least - tolerance || next.gap <= least + 2.0 * tolerance && slope.abs() < flattest {
            best = next;
            flattest = slope.abs();
        }
        least = least.min(next.gap);
        is_quick = slope.abs() < 0.2 * slope1.abs();
        last = [(t1, slope1), (t, slope)];
        if slope < 0.0 {
            (low, slope_low) = (next, slope);
        } else if slope > 0.0 {
            (high, slope_high) = (next, slope);
        } else {
            // The least, or what is no number.
            return Some(next);
        }
    }
    Some(best)
}
