use crate::mesh::{Edges, Mesh};
use crate::tolerance;
use glam::DVec3;

/// For each triangle the tolerance of its piece: [`tolerance::MERGE`] of the size of the mesh, but at most
/// [`tolerance::MERGE_PIECE`] of the size of the piece.
///
/// Noise comes from the numbers of the whole file, so a screw gets the tolerance of its machine; but a crumb must not
/// vanish in it.
pub(super) fn tolerances(mesh: &Mesh, edges: &Edges) -> Vec<f64> {
    let pieces = edges.components();
    let whole = sizes(mesh, &vec![0; pieces.len()])[0];
    let sizes = sizes(mesh, &pieces);
    let of_piece =
        |&piece: &u32| (tolerance::MERGE * whole).min(tolerance::MERGE_PIECE * sizes[piece as usize]);
    pieces.iter().map(of_piece).collect()
}

/// Twice the largest distance of a vertex from the centre of area, for each piece: it is the same in every pose.
fn sizes(mesh: &Mesh, piece_of: &[u32]) -> Vec<f64> {
    let mut moments = vec![(DVec3::ZERO, 0.0); piece_of.len()];
    for ([a, b, c], &piece) in mesh.corners().zip(piece_of) {
        let area = (b - a).cross(c - a).length();
        let (moment, weight) = &mut moments[piece as usize];
        *moment += (a + b + c) / 3.0 * area;
        *weight += area;
    }
    let mut sizes = vec![0.0f64; piece_of.len()];
    for (corners, &piece) in mesh.corners().zip(piece_of) {
        let (moment, weight) = moments[piece as usize];
        let centre = if weight > 0.0 { moment / weight } else { corners[0] };
        let farthest = corners.map(|p| 2.0 * p.distance(centre)).into_iter().fold(0.0, f64::max);
        sizes[piece as usize] = sizes[piece as usize].max(farthest);
    }
    sizes
}
