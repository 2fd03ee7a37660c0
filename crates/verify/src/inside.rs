//! Is a body inside another? Told by solid angles, without any tree.

use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;

/// For each triangle the first triangle that it is joined to by common corners.
fn joined(mesh: &Mesh) -> Vec<usize> {
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
    mesh.triangles().iter().map(|t| root(&mut owner, t[0] as usize)).collect()
}

/// A corner of each connected piece.
pub(crate) fn closed_or_not(mesh: &Mesh) -> Vec<DVec3> {
    let mut roots = joined(mesh);
    roots.sort_unstable();
    roots.dedup();
    roots.into_iter().map(|vertex| mesh.vertices()[vertex]).collect()
}

/// The triangles of the pieces that are closed: every side is run along as often one way as the other.
pub(crate) fn closed_pieces(mesh: &Mesh) -> Vec<[DVec3; 3]> {
    let roots = joined(mesh);
    let mut balance: std::collections::BTreeMap<(u32, u32), (i64, usize)> = std::collections::BTreeMap::new();
    for ([a, b, c], &root) in mesh.triangles().iter().zip(&roots) {
        for (x, y) in [(a, b), (b, c), (c, a)] {
            let entry = balance.entry((*x.min(y), *x.max(y))).or_insert((0, root));
            entry.0 += if x < y { 1 } else { -1 };
        }
    }
    let open: std::collections::BTreeSet<usize> =
        balance.values().filter(|(sum, _)| *sum != 0).map(|(_, root)| *root).collect();
    mesh.corners().zip(&roots).filter(|(_, root)| !open.contains(root)).map(|(corners, _)| corners).collect()
}

/// How often closed surfaces wind around a point: the sum of the solid angles of their triangles (Van Oosterom and Strackee 1983).
pub(crate) fn winding(triangles: &[[DVec3; 3]], p: DVec3) -> f64 {
    let angle = |t: &[DVec3; 3]| {
        let [a, b, c] = t.map(|corner| corner - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let over = a.dot(b.cross(c));
        let under = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * over.atan2(under)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}
