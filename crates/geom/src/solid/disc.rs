use super::core::{Core, Near};
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A flat disc.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    pub(super) centre: DVec3,
    /// Two unit vectors in its plane, and the normal.
    pub(super) axes: [DVec3; 3],
    pub(super) radius: f64,
}

/// The nearest point of a core to a disc; none if it is proven to be beyond `cut`.
///
/// Inside the disc as inside a triangle (see `least_on_triangle`). Otherwise the rim has it.
pub(super) fn least_on_disc(core: &Core, disc: &Disc, cut: f64) -> Option<Near> {
    let [first, second, normal] = disc.axes;
    let over = core.over_plane(disc.centre, normal, cut)?;
    let foot = disc.flat(over - disc.centre);
    if foot.length_squared() <= disc.radius * disc.radius {
        return Some(core.nearest(disc.centre + first * foot.x + second * foot.y));
    }
    let mut rim = Rim::new(core, disc, cut);
    if !rim.settle(foot.y.atan2(foot.x)) {
        rim.divide();
    }
    rim.best
}

impl Disc {
    fn flat(&self, v: DVec3) -> DVec2 {
        DVec2::new(v.dot(self.axes[0]), v.dot(self.axes[1]))
    }
}

/// A search along the rim.
///
/// At a point of the rim at angle `φ`, let the distance grow along `γ` in the plane, and `δ = γ + π − φ`. The distance is
/// convex, so it lies above its tangent plane. Over the whole disc that is least opposite of `γ`, so nothing on it is nearer
/// than
///
/// ```text
/// distance(φ) − r |slope| (1 − cos δ)
/// ```
///
/// and over the arc within `h` of `φ` nothing is nearer than that with `cos(|δ| − h)` instead of 1, if `h < |δ|`.
struct Rim<'a> {
    core: &'a Core,
    disc: &'a Disc,
    cut: f64,
    tolerance: f64,
    best: Option<Near>,
    least: f64,
    /// `δ` at the best.
    flattest: f64,
}

/// A point of the rim.
struct Place {
    near: Near,
    slope: f64,
    /// `δ`.
    left: f64,
}

impl<'a> Rim<'a> {
    fn new(core: &'a Core, disc: &'a Disc, cut: f64) -> Self {
        let size = disc.centre.abs().max_element() + disc.radius;
        let tolerance = 2.0 * f64::EPSILON * size;
        Self { core, disc, cut, tolerance, best: None, least: f64::INFINITY, flattest: f64::INFINITY }
    }

    fn look(&mut self, angle: f64) -> Place {
        let (sin, cos) = angle.sin_cos();
        let out = self.disc.axes[0] * cos + self.disc.axes[1] * sin;
        let near = self.core.nearest(self.disc.centre + out * self.disc.radius);
        let slope = self.disc.flat(near.away);
        let left = wrapped(slope.y.atan2(slope.x) + PI - angle);
        // Of places that are as near up to rounding, the one that leaves least.
        let is_flatter = near.distance <= self.least + 2.0 * self.tolerance && left.abs() < self.flattest;
        if near.distance < self.least - self.tolerance || is_flatter {
            self.best = Some(near);
            self.flattest = left.abs();
        }
        self.least = self.least.min(near.distance);
        Place { near, slope: slope.length(), left }
    }

    /// Follows the slope from an angle; whether it led to a place that is proven to be the nearest of the disc, or beyond
    /// the cut.
    fn settle(&mut self, start: f64) -> bool {
        let mut angle = start;
        let (mut low, mut high) = (angle - TAU, angle + TAU);
        let mut last: Option<(f64, f64)> = None;
        let mut extra = 0;
        for turn in 0..60 {
            let Place { near, slope, left } = self.look(angle);
            let gain = 2.0 * self.disc.radius * slope * (0.5 * left).sin().powi(2);
            if near.distance - gain > self.cut {
                self.best = None;
                return true;
            }
            // Where the distance is known, a few more steps settle the place, as in `least_along`.
            let is_known = !(gain > self.tolerance);
            if is_known && (extra == 8 || !(gain > 0.0)) {
                return true;
            }
            extra += usize::from(is_known);
            let is_quick = last.is_none_or(|(_, before)| left.abs() < 0.2 * before.abs());
            if left.abs() > FRAC_PI_2 && turn > 0 {
                // The far side, from where the way leads across the disc: back to where it started.
                if angle > start { high = angle } else { low = angle }
            } else if left > 0.0 {
                (low, high) = (angle, high.min(angle + 2.0 * left));
            } else {
                (low, high) = (low.max(angle + 2.0 * left), angle);
            }
            let secant = last.map(|(angle0, left0)| angle - left * ((angle - angle0) / (left - left0)));
            last = Some((angle, left));
            let is_between = |angle: &f64| *angle > low && *angle < high;
            let middle = 0.5 * (low + high);
            angle =
                secant.filter(is_between).filter(|_| is_known || is_quick || turn % 2 == 0).unwrap_or(middle);
            if !is_between(&angle) {
                return is_known;
            }
        }
        false
    }

    /// Halves the rim, and leaves out what is proven to be no nearer than the best.
    fn divide(&mut self) {
        const MOST: usize = 64;
        let mut arcs = [(0.0, 0.0); MOST];
        arcs[0] = (0.0, PI);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (middle, half) = arcs[count];
            let Place { near, slope, left } = self.look(middle);
            let reach = if left.abs() <= half { 1.0 } else { (left.abs() - half).cos() };
            let bound = near.distance - self.disc.radius * slope * (reach - left.cos());
            let is_tiny = !(half > f64::EPSILON);
            if bound > self.least.min(self.cut) - self.tolerance || is_tiny || count + 2 > MOST {
                continue;
            }
            let quarter = 0.5 * half;
            let toward = quarter.copysign(left);
            arcs[count] = (middle - toward, quarter);
            arcs[count + 1] = (middle + toward, quarter);
            count += 2;
        }
    }
}

/// An angle between −π and π.
fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}
