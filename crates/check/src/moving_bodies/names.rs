//! Which vertex, edge or face of a polyhedron is a feature of a triangle of its mesh?

use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::{FaceId, MergeOptions, VertexId};
use kansho_geom::triangle::Feature;
use kansho_geom::{Mesh, Polyhedron};

/// A feature of a polyhedron, whose faces may be concave and have holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A corner.
    Vertex(VertexId),
    /// An edge by its number, and the faces on both sides of it.
    Edge {
        /// Its number.
        edge: u32,
        /// The face on its left, and that on its right unless the surface ends there.
        faces: [Option<FaceId>; 2],
    },
    /// A face.
    Face(FaceId),
}

/// A mesh with the faces that its triangles make together.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    mesh: &'a Mesh,
    polyhedron: Polyhedron,
    /// The face of each triangle.
    faces: Vec<Option<FaceId>>,
}

impl<'a> Names<'a> {
    /// Merges the triangles that lie in one plane.
    #[must_use]
    pub fn of(mesh: &'a Mesh) -> Self {
        let polyhedron = Polyhedron::from_mesh(mesh, &MergeOptions::default());
        let mut faces = vec![None; mesh.triangles().len()];
        for (face, id) in polyhedron.faces().iter().zip(0..) {
            face.triangles.iter().for_each(|&triangle| faces[triangle as usize] = Some(FaceId(id)));
        }
        Self { mesh, polyhedron, faces }
    }

    /// What a feature of a triangle is a part of: the side between two triangles of one face is the face, a corner in the middle of an
    /// edge the edge. None for triangles that belong to no face.
    #[must_use]
    pub fn name(&self, triangle: u32, feature: Feature) -> Option<Named> {
        let ids = self.mesh.triangles()[triangle as usize];
        let of_feature: &[u32] = match feature {
            Feature::Face => &ids,
            Feature::Side(k) => &[ids[k as usize], ids[(k as usize + 1) % 3]],
            Feature::Corner(k) => &[ids[k as usize]],
        };
        let points: Vec<DVec3> = of_feature.iter().map(|&v| self.mesh.vertices()[v as usize]).collect();
        if let [corner] = points[..]
            && let Some(k) = self.polyhedron.vertices().iter().position(|&vertex| vertex == corner)
        {
            return Some(Named::Vertex(VertexId(k as u32)));
        }
        let around = |t: &[u32; 3]| of_feature.iter().all(|v| t.contains(v));
        let all = self.mesh.triangles().iter().zip(&self.faces).filter(|(t, _)| around(t));
        let mut faces: Vec<FaceId> = all.filter_map(|(_, face)| *face).collect();
        faces.sort_unstable_by_key(|face| face.0);
        faces.dedup();
        match faces[..] {
            [] => self.faces[triangle as usize].map(Named::Face),
            [face] if !self.on_border(face, &points) => Some(Named::Face(face)),
            _ => self.nearest_edge(&faces, &points).or(Some(Named::Face(faces[0]))),
        }
    }

    /// Whether points are on an edge where an open surface ends.
    fn on_border(&self, face: FaceId, points: &[DVec3]) -> bool {
        points.len() < 3
            && self.polyhedron.edges().iter().any(|edge| {
                let ends = edge.ends.map(|id| self.polyhedron.vertex(id));
                edge.right.is_none() && edge.left == face && farthest(points, ends) == 0.0
            })
    }

    /// The edge between two of some faces that is nearest to all points.
    fn nearest_edge(&self, faces: &[FaceId], points: &[DVec3]) -> Option<Named> {
        let edges = self.polyhedron.edges().iter().zip(0..).filter(|(edge, _)| {
            faces.contains(&edge.left) && edge.right.is_none_or(|right| faces.contains(&right))
        });
        let far = |edge: &kansho_geom::polyhedron::Edge| {
            farthest(points, edge.ends.map(|id| self.polyhedron.vertex(id)))
        };
        edges
            .min_by(|(x, _), (y, _)| far(x).total_cmp(&far(y)))
            .map(|(edge, number)| Named::Edge { edge: number, faces: [Some(edge.left), edge.right] })
    }
}

/// The largest distance of points from a segment.
fn farthest(points: &[DVec3], [from, to]: [DVec3; 2]) -> f64 {
    let way = to - from;
    let distance = |p: &DVec3| {
        let along = ((*p - from).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        p.distance(from + way * along)
    };
    points.iter().map(distance).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::Primitive;
    use kansho_geom::primitive::Shape;

    /// Of a box whose triangles are known: twelve sides are edges, six are within faces.
    #[test]
    fn sides_of_triangles_are_edges_or_within_faces() {
        let block = Primitive::new(Shape::Box { size: DVec3::new(1.0, 2.0, 3.0) }).expect("a box");
        let mesh = block.tessellated(1.0).expect("a box has a mesh");
        let names = Names::of(&mesh);
        let (mut edges, mut within) = (std::collections::BTreeSet::new(), 0);
        for (triangle, ids) in (0..).zip(mesh.triangles()) {
            let Some(Named::Face(own)) = names.name(triangle, Feature::Face) else { panic!("a face") };
            for k in 0..3u8 {
                let corner = mesh.vertices()[ids[k as usize] as usize];
                let Some(Named::Vertex(id)) = names.name(triangle, Feature::Corner(k)) else {
                    panic!("a vertex")
                };
                assert_eq!(names.polyhedron.vertex(id), corner);
                let next = mesh.vertices()[ids[(k as usize + 1) % 3] as usize];
                // Ends of an edge differ along one axis only.
                let is_edge = (corner - next).to_array().iter().filter(|x| **x != 0.0).count() == 1;
                match names.name(triangle, Feature::Side(k)) {
                    Some(Named::Edge { edge, faces }) => {
                        assert!(is_edge && faces.contains(&Some(own)));
                        edges.insert(edge);
                    }
                    Some(Named::Face(face)) => {
                        assert!(!is_edge && face == own);
                        within += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        assert_eq!((edges.len(), within), (12, 12));
    }
}
