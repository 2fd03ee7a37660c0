//! The work: a closed bead along the inner edge of the sheet.

use super::sheet::{HALF_DEPTH, HALF_WIDTH, face, face_normal, tapered};
use kansho_geom::glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// How far the bead is from the edge of the sheet, measured along the axes of its outline.
pub const MARGIN: f64 = 0.015;
/// How far the working point stays over the face.
pub const STANDOFF: f64 = 0.003;
/// Points of the path unless told otherwise: one every 1.33 mm.
pub const POINTS: usize = 2_791;

/// A point of the work path, in the frame of the sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathPoint {
    /// Where the bead lies on the face.
    pub face_in_sheet: DVec3,
    /// Where the working point of the tool is meant to be: [`STANDOFF`] over the face.
    pub tcp_in_sheet: DVec3,
    /// Where the z of the tool is meant to point: into the sheet, against the normal of the face. A unit vector.
    pub direction_in_sheet: DVec3,
}

/// Points along the closed path, counter-clockwise seen from above, starting at the largest x on the line y = 0.
///
/// They are equally far from each other along the bead, the way from the last to the first included.
#[must_use]
pub fn path(points: usize) -> Vec<PathPoint> {
    let lengths = lengths_up_to_panels();
    let whole = lengths[PANELS];
    let mut panel = 0;
    (0..points)
        .map(|point| {
            let wanted = whole * point as f64 / points as f64;
            while panel + 1 < PANELS && lengths[panel + 1] <= wanted {
                panel += 1;
            }
            let angle = angle_at(panel, wanted - lengths[panel]);
            let plan = plan(angle);
            let (face_in_sheet, normal) = (face(plan), face_normal(plan));
            PathPoint {
                face_in_sheet,
                tcp_in_sheet: face_in_sheet + normal * STANDOFF,
                direction_in_sheet: -normal,
            }
        })
        .collect()
}

/// The bead in the plan, by its polar angle before tapering.
fn plan(angle: f64) -> DVec2 {
    let half = DVec2::new(HALF_WIDTH, HALF_DEPTH) - MARGIN;
    tapered(half, DVec2::from_angle(angle) / half, 1.0)
}

/// Parts into which the circle of angles is cut for integration.
const PANELS: usize = 720;

fn panel_start(panel: usize) -> f64 {
    TAU * panel as f64 / PANELS as f64
}

/// Length of the bead up to the start of each panel, and in all.
fn lengths_up_to_panels() -> Vec<f64> {
    let mut lengths = vec![0.0];
    for panel in 0..PANELS {
        lengths.push(lengths[panel] + length_between(panel_start(panel), panel_start(panel + 1)));
    }
    lengths
}

/// The angle at which the bead has the given length from the start of a panel, by Newton's method.
///
/// Within a panel of half a degree the speed hardly changes: each step gains several digits.
fn angle_at(panel: usize, length: f64) -> f64 {
    let start = panel_start(panel);
    (0..6).fold(start, |angle, _| angle + (length - length_between(start, angle)) / speed(angle))
}

/// Length of the bead between two angles, by Gauss and Legendre's rule with five nodes.
///
/// Its error falls with the tenth power of the panel: for half a degree it is far below 1e-12 m.
fn length_between(from: f64, to: f64) -> f64 {
    const INNER: (f64, f64) = (0.538_469_310_105_683_1, 0.478_628_670_499_366_47);
    const OUTER: (f64, f64) = (0.906_179_845_938_664, 0.236_926_885_056_189_08);
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let both =
        |(node, weight): (f64, f64)| weight * (speed(middle - node * half) + speed(middle + node * half));
    half * (128.0 / 225.0 * speed(middle) + both(INNER) + both(OUTER))
}

/// Length of bead per radian: `|d face(plan(t)) / dt|`.
///
/// With the direction `(u, v) = (cos t / a, sin t / b)` and `w = (u⁴ + v⁴)^(−1/4)` the untapered outline is
/// `(a u w, b v w)`, and `w' = −w⁵ (u³ u' + v³ v')`.
fn speed(angle: f64) -> f64 {
    let half = DVec2::new(HALF_WIDTH, HALF_DEPTH) - MARGIN;
    let (sin, cos) = angle.sin_cos();
    let direction = DVec2::new(cos, sin) / half;
    let turning = DVec2::new(-sin, cos) / half;
    let cubed = direction * direction * direction;
    let w = cubed.dot(direction).sqrt().sqrt().recip();
    let dw = -w.powi(5) * cubed.dot(turning);
    let unit = direction * w;
    let d_unit = direction * dw + turning * w;
    // The taper: x = a·X·(1 − k·Y), y = b·Y.
    let plan = plan(angle);
    let taper = super::sheet::TAPER;
    let dx = half.x * (d_unit.x * (1.0 - taper * unit.y) - taper * unit.x * d_unit.y);
    let dy = half.y * d_unit.y;
    let dz = plan.x * dx / 1.2 + plan.y * dy / 4.0;
    DVec3::new(dx, dy, dz).length()
}
