//! What is wrong with a surface, how often, and where first.

use super::{Edges, HalfEdge, Mesh};
use crate::{sign, tolerance};
use glam::DVec3;

/// What [`audit`] finds. Triangles are indices into the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// Surface area.
    pub area: f64,
    /// Signed volume, if the surface is watertight and neighbours agree on the outside.
    pub volume: Option<f64>,
    /// Number of connected pieces.
    pub pieces: usize,
    /// Number of edges.
    pub edges: usize,
    /// Edges with an odd number of triangles: the surface ends there.
    pub open_edges: Tally<[DVec3; 2]>,
    /// Edges with more than two triangles.
    pub crowded_edges: Tally<[DVec3; 2]>,
    /// Edges that their triangles run along unequally often in the two directions, though their number is even:
    /// neighbours disagree about which side is outside.
    pub disputed_edges: Tally<[DVec3; 2]>,
    /// Triangles without area, kept because they join their neighbours.
    pub flat_triangles: Tally<usize>,
    /// Triangles that stand back to back with another: same corners, opposite winding. The surface has two sides there and
    /// encloses nothing.
    pub two_sided: Tally<usize>,
    /// Vertices that lie inside an open edge instead of splitting it; `None` if the search was cut short because there
    /// are too many open edges.
    pub t_junctions: Option<Tally<DVec3>>,
}

/// How many, and the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally<T> {
    /// How many.
    pub count: usize,
    /// The first, if there is one.
    pub first: Option<T>,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self { count: 0, first: None }
    }
}

impl<T> Tally<T> {
    fn add(&mut self, place: impl FnOnce() -> T) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some(place());
        }
    }
}

impl Audit {
    /// Whether every edge has an even number of triangles: no way in.
    #[must_use]
    pub fn is_watertight(&self) -> bool {
        self.open_edges.count == 0
    }

    /// Whether the surface bounds a solid: watertight, neighbours agree on the outside, and the volume is clearly positive
    /// ([`tolerance::SOLID`]). A sheet with two sides is none, nor is a body inside out.
    #[must_use]
    pub fn is_solid(&self) -> bool {
        self.volume.is_some_and(|volume| volume > tolerance::SOLID * self.area.powf(1.5))
    }
}

/// Examines a surface.
#[must_use]
pub fn audit(mesh: &Mesh) -> Audit {
    let edges = Edges::of(mesh);
    let component = edges.components();
    let mut found = Audit {
        area: mesh.area(),
        volume: None,
        pieces: component.iter().enumerate().filter(|&(index, &root)| index == root as usize).count(),
        edges: edges.len(),
        open_edges: Tally::default(),
        crowded_edges: Tally::default(),
        disputed_edges: Tally::default(),
        flat_triangles: Tally::default(),
        two_sided: two_sided(mesh),
        t_junctions: None,
    };
    let mut open = Vec::new();
    for (ends, sides) in edges.iter() {
        let place = || ends.map(|v| mesh.vertices[v as usize]);
        if sides.len() % 2 == 1 {
            found.open_edges.add(place);
            open.push(ends);
        } else if forward(mesh, ends, sides) * 2 != sides.len() {
            found.disputed_edges.add(place);
        }
        if sides.len() > 2 {
            found.crowded_edges.add(place);
        }
    }
    for (index, [a, b, c]) in mesh.corners().enumerate() {
        if sign::collinear(a, b, c) {
            found.flat_triangles.add(|| index);
        }
    }
    found.t_junctions = t_junctions(mesh, &open);
    if found.is_watertight() && found.disputed_edges.count == 0 {
        found.volume = Some(mesh.volume());
    }
    found
}

/// Triangles that stand back to back.
fn two_sided(mesh: &Mesh) -> Tally<usize> {
    let corners = |t: usize| {
        let mut corners = mesh.triangles[t];
        corners.sort_unstable();
        corners
    };
    let mut by_corners: Vec<usize> = (0..mesh.triangles.len()).collect();
    by_corners.sort_by_cached_key(|&t| corners(t));
    // A mesh has no triangle twice with the same winding.
    let pairs = by_corners.chunk_by(|&a, &b| corners(a) == corners(b)).filter(|same| same.len() > 1);
    let mut found: Vec<usize> = pairs.flatten().copied().collect();
    found.sort_unstable();
    Tally { count: found.len(), first: found.first().copied() }
}

/// How many sides run from the lower to the upper vertex.
fn forward(mesh: &Mesh, ends: [u32; 2], sides: &[HalfEdge]) -> usize {
    sides.iter().filter(|h| h.ends(&mesh.triangles) == ends).count()
}

/// Ends of open edges that lie inside other open edges, within [`tolerance::T_JUNCTION`] of the mesh's size.
///
/// Sorted along the longest axis, an edge meets only the vertices within its own interval. Soups with very many open
/// edges side by side would still take quadratic time: after `BUDGET` comparisons it gives up.
fn t_junctions(mesh: &Mesh, open: &[[u32; 2]]) -> Option<Tally<DVec3>> {
    const BUDGET: usize = 50_000_000;
    let aabb = mesh.aabb();
    let reach = tolerance::T_JUNCTION * aabb.diagonal();
    let axis = aabb.extent().max_position();
    let along = |v: u32| mesh.vertices[v as usize][axis];
    let mut ends: Vec<u32> = open.iter().flatten().copied().collect();
    ends.sort_unstable();
    ends.dedup();
    ends.sort_by(|&a, &b| along(a).total_cmp(&along(b)));
    let mut inside = vec![false; ends.len()];
    let mut spent = 0;
    for edge in open {
        let [from, to] = edge.map(|v| mesh.vertices[v as usize]);
        let low = from[axis].min(to[axis]) - reach;
        let high = from[axis].max(to[axis]) + reach;
        let first = ends.partition_point(|&v| along(v) < low);
        for (slot, &v) in ends.iter().enumerate().skip(first).take_while(|&(_, &v)| along(v) <= high) {
            spent += 1;
            inside[slot] |= !edge.contains(&v) && lies_inside(mesh.vertices[v as usize], from, to, reach);
        }
        if spent > BUDGET {
            return None;
        }
    }
    let mut tally = Tally::default();
    for (&v, _) in ends.iter().zip(&inside).filter(|(_, inside)| **inside) {
        tally.add(|| mesh.vertices[v as usize]);
    }
    Some(tally)
}

/// Whether `p` is within `reach` of the segment, but farther than that from both ends.
fn lies_inside(p: DVec3, from: DVec3, to: DVec3, reach: f64) -> bool {
    let along = to - from;
    let length_sq = along.length_squared();
    let t = (p - from).dot(along) / length_sq;
    t > 0.0
        && t < 1.0
        && p.distance(from + along * t) <= reach
        && p.distance(from) > reach
        && p.distance(to) > reach
}
