//! Flat faces, straight edges and corners, recovered from triangles.

mod joining;
mod loops;
mod mates;
mod regions;
mod sizes;

use crate::mesh::{Edges, HalfEdge, Mesh};
use crate::polygon;
use glam::DVec3;
use loops::Border;
use mates::Mates;
use regions::Regions;

/// A body (or an open surface) with flat faces.
///
/// Made from a mesh by merging triangles that lie in one plane. Faces may be concave and have holes.
///
/// ```
/// use kansho_geom::{Polyhedron, Primitive, glam::DVec3, polyhedron::{Bend, MergeOptions}, primitive::Shape};
/// let block = Primitive::new(Shape::Box { size: DVec3::new(1.0, 2.0, 3.0) })?;
/// let mesh = block.tessellated(1e-3).expect("a box is bounded");
/// let body = Polyhedron::from_mesh(&mesh, &MergeOptions::default());
/// assert_eq!((body.faces().len(), body.edges().len(), body.vertices().len()), (6, 12, 8));
/// assert!(body.edges().iter().all(|edge| edge.bend == Bend::Convex));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    vertices: Vec<DVec3>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
    unclear: Vec<[DVec3; 2]>,
}

/// A corner of a [`Polyhedron`], by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VertexId(pub u32);

/// A face of a [`Polyhedron`], by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId(pub u32);

/// A flat face: the plane `normal · x = offset`, an outline, and holes.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Unit normal, outward.
    pub normal: DVec3,
    /// Distance of the plane from the origin along the normal.
    pub offset: f64,
    /// The outer loop first, counter-clockwise seen from outside, with three corners at least; then the holes,
    /// clockwise. A hole of two corners is a slit.
    pub loops: Vec<Vec<VertexId>>,
    /// The mesh's triangles that it was merged from, in ascending order.
    pub triangles: Vec<u32>,
}

/// A straight edge. It runs from the first to the second end with `left` on its left, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Ends.
    pub ends: [VertexId; 2],
    /// The face in whose loops it runs forward.
    pub left: FaceId,
    /// The face in whose loops it runs backward; none at the border of an open surface, or where it is
    /// [unclear](Polyhedron::unclear_edges).
    pub right: Option<FaceId>,
    /// How the surface bends there.
    pub bend: Bend,
}

/// How a surface bends at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bend {
    /// Like the edge of a box. A sheet without thickness, folded on itself, counts as convex too.
    Convex,
    /// By less than the tolerance: the faces differ, but only farther away.
    Flat,
    /// Like the inner edge of a tray.
    Concave,
    /// Not at all: the surface ends.
    Border,
}

/// How to merge triangles to faces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MergeOptions {
    /// How far, in metres, a vertex may lie from the plane of its face, or from the line of its edge. By default
    /// [`MERGE`](crate::tolerance::MERGE) of the size of the mesh, but at most
    /// [`MERGE_PIECE`](crate::tolerance::MERGE_PIECE) of that of the connected piece; the size is twice the largest
    /// distance of a vertex from the centre of area.
    pub tolerance: Option<f64>,
}

impl Polyhedron {
    /// Merges the triangles of a mesh to faces.
    ///
    /// Regions grow from the largest triangles against their own plane, which is fitted again as they grow; then
    /// neighbouring regions are joined where one plane holds both. Comparing triangles pairwise instead would follow
    /// a gentle curve all the way round; angles instead of lengths would judge small triangles by their noise.
    ///
    /// No corner of a face's triangles is farther from its plane than the tolerance. A piece that vanishes in the
    /// tolerance keeps its triangles as faces.
    #[must_use]
    pub fn from_mesh(mesh: &Mesh, options: &MergeOptions) -> Self {
        let edges = Edges::of(mesh);
        let tolerances = match options.tolerance {
            Some(tolerance) => vec![tolerance; mesh.triangles().len()],
            None => sizes::tolerances(mesh, &edges),
        };
        let mates = Mates::find(mesh, &edges, &tolerances);
        let mut regions = Regions::grow(mesh, &mates, &tolerances);
        let border = Border::trace(mesh, &mates, &regions);
        let missing: Vec<bool> = (0..regions.planes.len()).map(|region| border.is_missing(region)).collect();
        if missing.contains(&true) {
            regions.dissolve(mesh, |region| missing[region]);
        }
        let outline = Border::trace(mesh, &mates, &regions).straightened(&tolerances);

        let mut number = vec![None; mesh.vertices().len()];
        let mut vertices = Vec::new();
        let mut id_of = |v: u32| {
            *number[v as usize].get_or_insert_with(|| {
                vertices.push(mesh.vertices()[v as usize]);
                VertexId(vertices.len() as u32 - 1)
            })
        };
        let mut faces = Vec::with_capacity(regions.planes.len());
        for ((plane, members), loops) in regions.planes.iter().zip(&regions.members).zip(&outline.loops) {
            faces.push(Face {
                normal: plane.normal,
                offset: plane.offset,
                loops: loops.iter().map(|ring| ring.iter().map(|&v| id_of(v)).collect()).collect(),
                triangles: members.clone(),
            });
        }
        let mut edges = Vec::with_capacity(outline.segments.len());
        for segment in &outline.segments {
            let first = segment.half_edges[0];
            let left = FaceId(regions.of[first.triangle()]);
            let right = mates.of(first).map(|mate| FaceId(regions.of[mate.triangle()]));
            let ends = segment.ends.map(&mut id_of);
            let bend = match right {
                None => Bend::Border,
                Some(_) => bend(mesh, &mates, &regions, segment, tolerances[first.triangle()]),
            };
            edges.push(Edge { ends, left, right, bend });
        }
        let unclear = mates.unclear.iter().map(|ends| ends.map(|v| mesh.vertices()[v as usize])).collect();
        Self { vertices, faces, edges, unclear }
    }

    /// Corners.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Faces.
    #[must_use]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Edges.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The ends of the mesh's edges at which the triangles do not say what is inside: three that meet, for instance. All
    /// faces there end with a [`Bend::Border`].
    #[must_use]
    pub fn unclear_edges(&self) -> &[[DVec3; 2]] {
        &self.unclear
    }

    /// The place of a corner.
    #[must_use]
    pub fn vertex(&self, id: VertexId) -> DVec3 {
        self.vertices[id.0 as usize]
    }

    /// Area of a face, holes left out.
    #[must_use]
    pub fn face_area(&self, face: &Face) -> f64 {
        0.5 * face.normal.dot(self.vector_area(face))
    }

    /// Area of all faces.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.faces.iter().map(|face| self.face_area(face)).sum()
    }

    /// Enclosed volume, if the surface is closed.
    #[must_use]
    pub fn volume(&self) -> f64 {
        // Cones over the loops as they run, not over the fitted planes: two faces share their edges exactly, so what is
        // far away cancels.
        let near = self.vertices[0];
        let cone = |face: &Face| (self.vertex(face.loops[0][0]) - near).dot(self.vector_area(face)) / 6.0;
        self.faces.iter().map(cone).sum()
    }

    /// Twice the area, as a vector.
    fn vector_area(&self, face: &Face) -> DVec3 {
        let ring_area = |ring: &Vec<VertexId>| {
            let points: Vec<DVec3> = ring.iter().map(|&v| self.vertex(v)).collect();
            polygon::newell(&points)
        };
        face.loops.iter().map(ring_area).sum()
    }
}

/// How the surface bends along a segment.
///
/// Flat if, all along it, neither neighbour's third corner leaves the other's plane by more than the tolerance.
/// Otherwise the normals decide: with `d` along the edge, `(n_left × n_right) · d > 0` for a convex edge.
fn bend(mesh: &Mesh, mates: &Mates, regions: &Regions, segment: &loops::Segment, tolerance: f64) -> Bend {
    let at = |v: u32| mesh.vertices()[v as usize];
    let plane_of = |h: HalfEdge| &regions.planes[regions.of[h.triangle()] as usize];
    let mate_of = |h: HalfEdge| mates.of(h).expect("a segment between two faces has mates");
    let first = segment.half_edges[0];
    let (left, right) = (plane_of(first), plane_of(mate_of(first)));
    let third = |h: HalfEdge| at(h.opposite(mesh.triangles()));
    let flat = left.normal.dot(right.normal) > 0.0
        && segment.half_edges.iter().all(|&h| {
            right.height(third(h)).abs() <= tolerance && left.height(third(mate_of(h))).abs() <= tolerance
        });
    if flat {
        return Bend::Flat;
    }
    let along = at(segment.ends[1]) - at(segment.ends[0]);
    if left.normal.cross(right.normal).dot(along) < 0.0 { Bend::Concave } else { Bend::Convex }
}
