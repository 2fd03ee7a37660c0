//! A curved sheet like a windshield: narrower at the top, bent more across than along.

use super::solids::solid;
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::mesh::Mesh;

/// Thickness of the sheet, downward along the normal of its upper face.
pub const THICKNESS: f64 = 0.005;
/// Half of its width along x, before it is tapered.
pub(super) const HALF_WIDTH: f64 = 0.65;
/// Half of its depth along y.
pub(super) const HALF_DEPTH: f64 = 0.40;
/// By this fraction it is narrower at y = `HALF_DEPTH` than in the middle, and as much wider at the other end.
pub(super) const TAPER: f64 = 0.15;
/// Squares along one side of the grid that [`sheet`] bends into shape, unless told otherwise.
pub const GRID: usize = 52;

/// The upper face: a point of it for each point of the plan.
#[must_use]
pub fn face(plan: DVec2) -> DVec3 {
    plan.extend(plan.x * plan.x / 2.4 + plan.y * plan.y / 8.0)
}

/// The normal of the upper face, upward.
#[must_use]
pub fn face_normal(plan: DVec2) -> DVec3 {
    let steep = DVec3::new(-plan.x / 1.2, -plan.y / 4.0, 1.0);
    steep / steep.length() // At least 1 long.
}

/// Where the outline `|x/a|⁴ + |y/b|⁴ = 1`, tapered, lies in the direction `(a·u, b·v)`, scaled by a fraction.
///
/// In polar form this is `r(t) = (|cos t/a|⁴ + |sin t/b|⁴)^(−1/4)`, `y = r sin t`, `x = r cos t (1 − 0.15 y/b)`.
pub(super) fn tapered(half: DVec2, direction: DVec2, fraction: f64) -> DVec2 {
    let to_the_fourth = direction * direction * direction * direction;
    let on_unit_outline = direction / to_the_fourth.element_sum().sqrt().sqrt();
    let plan = half * on_unit_outline * fraction;
    DVec2::new(plan.x * (1.0 - TAPER * plan.y / half.y), plan.y)
}

/// The sheet as a closed mesh of `4·grid² + 8·grid` triangles, in its own frame.
///
/// The rings of a square grid become scaled copies of the outline; corners go to the corners, where it bends most.
///
/// # Panics
/// If the grid has no squares, or an odd number on a side.
#[must_use]
pub fn sheet(grid: usize) -> Mesh {
    assert!(grid > 0 && grid.is_multiple_of(2), "the sheet needs an even number of squares on a side");
    let side = grid + 1;
    let index = |i: usize, j: usize| (j * side + i) as u32;
    let bottom = (side * side) as u32;
    let coordinate = |i: usize| 2.0 * i as f64 / grid as f64 - 1.0;
    let plan = (0..side * side).map(|at| {
        let square = DVec2::new(coordinate(at % side), coordinate(at / side));
        let ring = square.abs().max_element();
        if ring > 0.0 { tapered(DVec2::new(HALF_WIDTH, HALF_DEPTH), square, ring) } else { DVec2::ZERO }
    });
    let plan: Vec<DVec2> = plan.collect();
    let above = plan.iter().map(|&p| face(p));
    let below = plan.iter().map(|&p| face(p) - face_normal(p) * THICKNESS);
    let points: Vec<DVec3> = above.chain(below).collect();

    let mut triangles = Vec::with_capacity(4 * grid * grid + 8 * grid);
    for (i, j) in (0..grid * grid).map(|at| (at % grid, at / grid)) {
        let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
        // Diagonals run outward, so that the mesh is as symmetric as the sheet and no corner square is folded.
        let rising = (i < grid / 2) == (j < grid / 2);
        let halves = if rising { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        for [a, b, c] in halves {
            triangles.extend([[a, b, c], [a + bottom, c + bottom, b + bottom]]);
        }
    }
    // The rim, counter-clockwise seen from above.
    let rim = (0..grid).map(|i| index(i, 0));
    let rim = rim.chain((0..grid).map(|j| index(grid, j)));
    let rim = rim.chain((0..grid).map(|i| index(grid - i, grid)));
    let rim: Vec<u32> = rim.chain((0..grid).map(|j| index(0, grid - j))).collect();
    for (k, &one) in rim.iter().enumerate() {
        let next = rim[(k + 1) % rim.len()];
        triangles.extend([[one, one + bottom, next + bottom], [one, next + bottom, next]]);
    }
    solid(&points, triangles)
}
