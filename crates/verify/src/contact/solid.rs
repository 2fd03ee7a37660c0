//! Is a body inside another? Told by solid angles of points that are clear of surfaces.

use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use std::collections::BTreeMap;

/// Connected pieces of a mesh.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Vertices of each piece.
    vertices: Vec<Vec<u32>>,
    /// The triangles of pieces that are closed: every side is run along as often one way as the other.
    closed: Vec<u32>,
}

impl Pieces {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let mut owner: Vec<usize> = (0..mesh.vertices().len()).collect();
        fn root(owner: &mut [usize], mut k: usize) -> usize {
            while owner[k] != k {
                owner[k] = owner[owner[k]];
                k = owner[k];
            }
            k
        }
        for [a, b, c] in mesh.triangles() {
            for (x, y) in [(a, b), (b, c)] {
                let (x, y) = (root(&mut owner, *x as usize), root(&mut owner, *y as usize));
                owner[x.max(y)] = x.min(y);
            }
        }
        let mut vertices: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let mut balance: BTreeMap<[u32; 2], (i64, usize)> = BTreeMap::new();
        for &[a, b, c] in mesh.triangles() {
            let root = root(&mut owner, a as usize);
            vertices.entry(root).or_default().extend([a, b, c]);
            for (x, y) in [(a, b), (b, c), (c, a)] {
                balance.entry([x.min(y), x.max(y)]).or_insert((0, root)).0 += if x < y { 1 } else { -1 };
            }
        }
        let open: std::collections::BTreeSet<usize> =
            balance.values().filter(|(sum, _)| *sum != 0).map(|(_, root)| *root).collect();
        let mut closed = Vec::new();
        for (number, [a, _, _]) in (0u32..).zip(mesh.triangles()) {
            if !open.contains(&root(&mut owner, *a as usize)) {
                closed.push(number);
            }
        }
        let mut vertices: Vec<Vec<u32>> = vertices.into_values().collect();
        for piece in &mut vertices {
            piece.sort_unstable();
            piece.dedup();
        }
        Self { vertices, closed }
    }
}

/// A body in its place.
pub(super) struct PlacedBody<'a> {
    pub(super) pieces: &'a Pieces,
    /// All vertices, in the world.
    pub(super) vertices: &'a [DVec3],
    pub(super) triangles: &'a [[u32; 3]],
}

/// How many vertices of a piece are tried, the farthest from the middle of the other body first.
const TRIED: usize = 8;

/// Whether every piece of a body is proven to be outside of another, the surfaces of which it does not meet.
///
/// All points of a piece are on the same side, so one that is clear of the other's surface decides.
pub(super) fn is_outside(inner: &PlacedBody<'_>, outer: &PlacedBody<'_>) -> bool {
    let corners: Vec<[DVec3; 3]> = outer
        .pieces
        .closed
        .iter()
        .map(|&t| outer.triangles[t as usize].map(|v| outer.vertices[v as usize]))
        .collect();
    if corners.is_empty() {
        return true;
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for p in corners.iter().flatten() {
        (low, high) = (low.min(*p), high.max(*p));
    }
    let (middle, size) = (0.5 * (low + high), (high - low).length());
    inner.pieces.vertices.iter().all(|piece| {
        let mut points: Vec<DVec3> = piece.iter().map(|&v| inner.vertices[v as usize]).collect();
        points.sort_by(|p, q| q.distance_squared(middle).total_cmp(&p.distance_squared(middle)));
        // Beyond the box by more than roundings no sum of angles is needed.
        let far = |p: &DVec3| {
            let off = (*p - middle).abs() - 0.5 * (high - low);
            off.max_element() > 1e-12 * (size + p.length() + middle.length())
        };
        if points.first().is_some_and(far) {
            return true;
        }
        points
            .iter()
            .take(TRIED)
            .find_map(|&p| winding(&corners, p))
            .is_some_and(|winding| winding.abs() < 0.25)
    })
}

/// Below this part of the lengths a solid angle may have either sign.
const FLAT: f64 = 1e-11;

/// How often closed surfaces wind around a point: the sum of the solid angles of their triangles (Van Oosterom and Strackee 1983). None if
/// the point is so near to one that rounding might hide on which side it is.
fn winding(triangles: &[[DVec3; 3]], p: DVec3) -> Option<f64> {
    let mut sum = 0.0;
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| corner - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        // Places round by a part of their size.
        let size = p.length() + corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        if !(la.min(lb).min(lc) > FLAT * size) {
            return None;
        }
        let over = a.dot(b.cross(c));
        let under = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        let flat = FLAT * (la * lb * lc + size * (la * lb + lb * lc + lc * la));
        if !(over.abs() > flat || under > flat) {
            return None;
        }
        sum += 2.0 * over.atan2(under);
    }
    Some(sum / (4.0 * std::f64::consts::PI))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::{Primitive, primitive::Shape};

    #[test]
    fn what_is_inside_is_told_and_what_is_on_the_surface_is_not_called_outside() {
        let cube =
            Primitive::new(Shape::Box { size: DVec3::ONE }).expect("a box").tessellated(1.0).expect("a mesh");
        let pieces = Pieces::of(&cube);
        let placed = |scale: f64, by: DVec3| -> Vec<DVec3> {
            cube.vertices().iter().map(|v| *v * scale + by).collect()
        };
        let outside = |scale: f64, by: DVec3| {
            let (small, large) = (placed(scale, by), placed(1.0, DVec3::ZERO));
            let body = |vertices| PlacedBody { pieces: &pieces, vertices, triangles: cube.triangles() };
            is_outside(&body(&small), &body(&large))
        };
        assert!(outside(0.5, DVec3::X * 2.0) && outside(0.5, DVec3::X * 0.7500001));
        assert!(
            !outside(0.5, DVec3::ZERO)
                && !outside(0.999_999, DVec3::ZERO)
                && !outside(0.1, DVec3::splat(0.449))
        );
        // Nothing is clear of the surface.
        assert!(!outside(1.0, DVec3::ZERO) && !outside(1.0 - 1e-15, DVec3::ZERO));
        assert!(
            outside(3.0, DVec3::ZERO),
            "a larger one is not in it; whether it holds it is the other question"
        );
    }
}
