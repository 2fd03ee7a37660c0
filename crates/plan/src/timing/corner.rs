//! A rounded corner that can be passed without a jolt.
//!
//! A controller that rounds corners may do anything inside the triangle that it cuts off ([`Blend::Inside`](kansho_cell::route::Blend)), and that is what was proven. So
//! here a curve is chosen in that triangle whose first, second and third derivatives go on from those of both lines: then joints have no
//! jumps in speed and acceleration, and their jerk stays finite.
//!
//! The tip is on a Bézier curve of degree 7. With `r` for what the corner takes of each line, its first four control points are on
//! the first line, `2r/7` apart, its last four on the second, likewise: all in the triangle, so the curve is too. Four points in a row at
//! equal distances make derivatives as on the line: `2r`, zero, zero. The tool turns on as on the first line and comes to rest, about
//! that line's axis, while it begins to turn about the axis of the second.

use kansho_cell::route::PoseCurve;
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::pose_motion::Span;

/// A rounded corner.
#[derive(Clone, Debug)]
pub(super) struct Corner {
    points: [DVec3; 8],
    /// The first line from where the corner begins, and the second up to where it ends.
    lines: [(PoseCurve, Span); 2],
}

/// How far the first line's part has got, as Bernstein's coefficients: it begins twice as fast as evenly, and rests in the end.
const GOES: [f64; 8] = [0.0, 2.0 / 7.0, 4.0 / 7.0, 6.0 / 7.0, 1.0, 1.0, 1.0, 1.0];

impl Corner {
    /// From an instant of one line to one of the next, both `radius` away from where they meet.
    pub(super) fn new(before: &PoseCurve, from: f64, after: &PoseCurve, to: f64) -> Self {
        let lines = [(before.clone(), Span::new(from, 1.0)), (after.clone(), Span::new(0.0, to))];
        let first = |k: usize| before.at(from).translation().lerp(before.at(1.0).translation(), GOES[k]);
        let last = |k: usize| after.at(to).translation().lerp(after.at(0.0).translation(), GOES[k]);
        let points = [first(0), first(1), first(2), first(3), last(3), last(2), last(1), last(0)];
        Self { points, lines }
    }

    pub(super) fn at(&self, u: f64) -> Pose {
        let goes = bezier(GOES.map(DVec3::splat), u).x;
        let comes = 1.0 - bezier(GOES.map(DVec3::splat), 1.0 - u).x;
        let [(before, cut), (after, part)] = &self.lines;
        // What the second line turns from the corner on, after what the first one turns up to now.
        let turned: DMat3 = after.at(part.at(comes)).rotation() * after.at(0.0).rotation().transpose();
        Pose::of_rotation(turned * before.at(cut.at(goes)).rotation(), bezier(self.points, u))
    }
}

/// De Casteljau's way, which keeps to the hull of the points.
fn bezier(mut points: [DVec3; 8], u: f64) -> DVec3 {
    for last in (1..points.len()).rev() {
        for k in 0..last {
            points[k] = points[k].lerp(points[k + 1], u);
        }
    }
    points[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_cell::route::Law;

    /// Line, corner and line by the length that goes with them.
    fn along(lines: &[PoseCurve; 2], corner: &Corner, radius: f64, s: f64) -> Pose {
        let part = radius / 0.1;
        match s {
            s if s < 0.0 => lines[0].at(1.0 - part + s / 0.1),
            s if s > 2.0 * radius => lines[1].at(part + (s - 2.0 * radius) / 0.1),
            s => corner.at(s / (2.0 * radius)),
        }
    }

    /// Differences of any order, up to the third, go to a limit from both sides of both ends of the corner: the same. And it is in
    /// its triangle.
    #[test]
    fn it_goes_on_from_both_lines_to_the_third_derivative() {
        let a = Pose::from_rpy(DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.2, 0.1, 0.0));
        let b = Pose::from_rpy(DVec3::ZERO, DVec3::new(0.3, 0.0, 0.4));
        let c = Pose::from_rpy(DVec3::new(0.06, 0.08, 0.0), DVec3::new(-0.1, 0.3, 0.5));
        let lines =
            [(&a, &b), (&b, &c)].map(|(from, to)| PoseCurve::line(from, to, Law::Slerp).expect("lines"));
        let radius = 0.03;
        let corner = Corner::new(&lines[0], 1.0 - radius / 0.1, &lines[1], radius / 0.1);
        let h = 1e-4;
        for end in [0.0, 2.0 * radius] {
            for entry in 0..12 {
                let f = |s: f64| along(&lines, &corner, radius, s).to_rows()[entry];
                // The third difference over the joint, over h³, is bounded if the second derivative has no jump: else it grows as 1/h.
                let third =
                    |h: f64| (f(end + 2.0 * h) - 3.0 * f(end + h) + 3.0 * f(end) - f(end - h)) / h.powi(3);
                let [coarse, fine] = [8.0 * h, h].map(third);
                assert!(fine.abs() <= 2.0 * coarse.abs() + 30.0, "{end} {entry}: {coarse} {fine}");
            }
        }
        let normal = DVec3::new(0.08, -0.06, 0.0).normalize();
        for k in 0..=100 {
            let p = corner.at(f64::from(k) / 100.0).translation();
            let (x, y) = (p.dot(DVec3::X), p.dot(DVec3::Y));
            assert!(y >= -1e-12 && p.dot(normal) >= -1e-12 && x + y <= 2.0 * radius, "{p}");
        }
    }
}
