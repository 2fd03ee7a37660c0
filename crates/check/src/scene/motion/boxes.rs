//! The direction along which two boxes are farthest apart, among those in which boxes that are apart always are.

use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// A box in its own coordinates, and where it is.
pub(super) struct Placement {
    pub(super) pose: Pose,
    pub(super) centre: DVec3,
    /// Half of its sides.
    pub(super) half: DVec3,
    /// What is in it is within this of its centre.
    pub(super) radius: f64,
}

/// The best direction.
pub(super) struct BestAxis {
    /// The gap along it, rounding aside; negative if there is none.
    pub(super) gap: f64,
    /// Towards the second.
    pub(super) n: DVec3,
    /// Which side's axis it is, and which of three.
    pub(super) axis: Option<(usize, usize)>,
}

/// The axes of both boxes, the products of one with the other (Gottschalk 1996), and the line between their centres, for what is in balls.
pub(super) fn best_axis([a, b]: &[Placement; 2]) -> BestAxis {
    let between = b.pose * b.centre - a.pose * a.centre;
    let axes = [a, b].map(|side| {
        let r = side.pose.rotation();
        [r.x_axis, r.y_axis, r.z_axis]
    });
    let halves = [a.half.to_array(), b.half.to_array()];
    let reach = |n: DVec3| -> f64 {
        (0..2).map(|k| (0..3).map(|i| halves[k][i] * n.dot(axes[k][i]).abs()).sum::<f64>()).sum()
    };
    let length = between.length();
    let mut best = BestAxis { gap: length - a.radius - b.radius, n: between, axis: None };
    for (side, axes) in axes.iter().enumerate() {
        for (i, &n) in axes.iter().enumerate() {
            let gap = between.dot(n).abs() - reach(n);
            if gap > best.gap {
                best = BestAxis { gap, n, axis: Some((side, i)) };
            }
        }
    }
    for x in axes[0] {
        for y in axes[1] {
            let cross = x.cross(y);
            let length = cross.length();
            // Nearly parallel sides: the axes themselves are as good.
            if length < 1e-6 {
                continue;
            }
            let n = cross / length;
            let along = between.dot(n);
            let gap = along.abs() - reach(n);
            if gap > best.gap {
                best = BestAxis { gap, n: if along < 0.0 { -n } else { n }, axis: None };
            }
        }
    }
    best
}
