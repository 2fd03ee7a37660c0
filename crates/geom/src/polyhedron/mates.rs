use crate::mesh::{Edges, HalfEdge, Mesh};
use glam::DVec3;

/// An edge at which the triangles do not say what is inside.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("at the edge {} to {} {triangles} triangles meet in a way that bounds no solid", ends[0], ends[1])]
pub struct NotManifold {
    /// The edge.
    pub ends: [DVec3; 2],
    /// How many triangles meet there.
    pub triangles: usize,
}

/// For each side of each triangle, the side of its neighbour along the same edge.
pub(super) struct Mates(Vec<Option<HalfEdge>>);

impl Mates {
    pub(super) fn find(mesh: &Mesh) -> Result<Self, NotManifold> {
        let mut mates = Self(vec![None; mesh.triangles().len() * 3]);
        for (ends, sides) in Edges::of(mesh).iter() {
            let is_forward = |h: &HalfEdge| h.ends(mesh.triangles()) == ends;
            match sides {
                [_] => {}
                [a, b] if is_forward(a) != is_forward(b) => mates.join(*a, *b),
                _ => {
                    for [a, b] in around_edge(mesh, ends, sides)? {
                        mates.join(a, b);
                    }
                }
            }
        }
        Ok(mates)
    }

    pub(super) fn of(&self, side: HalfEdge) -> Option<HalfEdge> {
        self.0[side.index()]
    }

    fn join(&mut self, a: HalfEdge, b: HalfEdge) {
        self.0[a.index()] = Some(b);
        self.0[b.index()] = Some(a);
    }
}

/// Pairs the sides along a crowded edge so that each pair bounds a wedge of material.
///
/// Look along the edge from its lower to its upper vertex. A triangle that runs forward has its outside just
/// counter-clockwise of it, one that runs backward just clockwise. So material lies between a backward triangle and
/// the next forward one counter-clockwise; the two kinds must alternate.
fn around_edge(mesh: &Mesh, ends: [u32; 2], sides: &[HalfEdge]) -> Result<Vec<[HalfEdge; 2]>, NotManifold> {
    let at = |v: u32| mesh.vertices()[v as usize];
    let fault = NotManifold { ends: ends.map(at), triangles: sides.len() };
    let along = (at(ends[1]) - at(ends[0])).try_normalize().ok_or(fault)?;
    let across = along.any_orthonormal_vector();
    let angle = |h: &HalfEdge| {
        let out = at(h.opposite(mesh.triangles())) - at(ends[0]);
        along.cross(across).dot(out).atan2(across.dot(out))
    };
    let mut sorted: Vec<(f64, HalfEdge)> = sides.iter().map(|h| (angle(h), *h)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_forward = |h: HalfEdge| h.ends(mesh.triangles()) == ends;
    let n = sorted.len();
    let alternates =
        n.is_multiple_of(2) && (0..n).all(|i| is_forward(sorted[i].1) != is_forward(sorted[(i + 1) % n].1));
    if !alternates {
        return Err(fault);
    }
    let backward = (0..n).filter(|&i| !is_forward(sorted[i].1));
    Ok(backward.map(|i| [sorted[i].1, sorted[(i + 1) % n].1]).collect())
}
