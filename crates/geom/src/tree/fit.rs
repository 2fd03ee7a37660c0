//! Oriented boxes around triangles.

use glam::{DMat3, DVec3};

/// A box with its own axes. It encloses exactly what it was fitted to, up to rounding: users add their margins.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrientedBox {
    /// Axes as columns: a rotation.
    pub(super) axes: DMat3,
    pub(super) centre: DVec3,
    pub(super) half: DVec3,
}

impl OrientedBox {
    fn around(points: impl Iterator<Item = DVec3>, axes: DMat3) -> Self {
        let back = axes.transpose();
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in points {
            let q = back * p;
            min = min.min(q);
            max = max.max(q);
        }
        Self { axes, centre: axes * ((min + max) * 0.5), half: (max - min) * 0.5 }
    }

    /// What makes a box likely to be met by another: surface first, and a little of its edges, so that flat boxes differ.
    fn cost(&self) -> f64 {
        let h = self.half;
        h.x * h.y + h.y * h.z + h.z * h.x
    }
}

/// The best of a few boxes: along the coordinate axes, along the principal axes of the surface, along the largest
/// triangle.
pub(super) fn fit(triangles: impl Iterator<Item = [DVec3; 3]> + Clone) -> OrientedBox {
    let points = || triangles.clone().flatten();
    let mut best = OrientedBox::around(points(), DMat3::IDENTITY);
    let frames = [principal_axes(triangles.clone()), largest_triangle_axes(triangles.clone())];
    for axes in frames.into_iter().flatten() {
        let candidate = OrientedBox::around(points(), axes);
        if candidate.cost() < best.cost() {
            best = candidate;
        }
    }
    best
}

/// Axes of the second moments of the surface.
fn principal_axes(triangles: impl Iterator<Item = [DVec3; 3]> + Clone) -> Option<DMat3> {
    let mut weight = 0.0;
    let mut mean = DVec3::ZERO;
    for [a, b, c] in triangles.clone() {
        let area = (b - a).cross(c - a).length();
        weight += area;
        mean += (a + b + c) * (area / 3.0);
    }
    if !(weight > 0.0) {
        return None;
    }
    mean /= weight;
    // For a triangle of area w around the mean: ∫ x xᵀ = w/12 (9 m mᵀ + a aᵀ + b bᵀ + c cᵀ).
    let mut moments = DMat3::ZERO;
    for [a, b, c] in triangles {
        let area = (b - a).cross(c - a).length();
        let middle = (a + b + c) / 3.0 - mean;
        for (v, times) in [(middle, 9.0), (a - mean, 1.0), (b - mean, 1.0), (c - mean, 1.0)] {
            moments += DMat3::from_cols(v * v.x, v * v.y, v * v.z) * (area * times / 12.0);
        }
    }
    Some(symmetric_axes(moments))
}

/// Normal and longest side of the largest triangle.
fn largest_triangle_axes(triangles: impl Iterator<Item = [DVec3; 3]>) -> Option<DMat3> {
    let doubled_area = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a).length_squared();
    let [a, b, c] = triangles.max_by(|s, t| doubled_area(s).total_cmp(&doubled_area(t)))?;
    let normal = (b - a).cross(c - a).try_normalize()?;
    let sides = [b - a, c - b, a - c];
    let longest = sides.into_iter().max_by(|s, t| s.length_squared().total_cmp(&t.length_squared()))?;
    let along = longest.try_normalize()?;
    Some(DMat3::from_cols(along, normal.cross(along), normal))
}

/// Eigenvectors of a symmetric matrix by Jacobi's rotations: always a rotation, whatever the matrix.
fn symmetric_axes(mut m: DMat3) -> DMat3 {
    let mut axes = DMat3::IDENTITY;
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = m.col(q)[p];
            if off.abs() <= 1e-14 * (m.col(p)[p].abs() + m.col(q)[q].abs()) {
                continue;
            }
            // The smaller angle that makes this entry vanish, by roots alone: they round the same on every machine.
            let cot = (m.col(q)[q] - m.col(p)[p]) / (2.0 * off);
            let tan = cot.signum() / (cot.abs() + (1.0 + cot * cot).sqrt());
            let c = 1.0 / (1.0 + tan * tan).sqrt();
            let s = c * tan;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = c;
            turn.col_mut(q)[q] = c;
            turn.col_mut(q)[p] = s;
            turn.col_mut(p)[q] = -s;
            m = turn.transpose() * m * turn;
            axes *= turn;
        }
    }
    axes
}
