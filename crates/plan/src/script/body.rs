//! Bodies with named features.

use kansho_check::moving_bodies;
use kansho_check::sliding_contact::Patch;
use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::{Edge, Face, MergeOptions};
use kansho_geom::{Mesh, Polyhedron};
use std::sync::Arc;

/// A body of a script: a closed mesh with names for some of its features.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its features.
    pub features: Vec<Feature>,
    mesh: Arc<Mesh>,
    pub(super) shape: Polyhedron,
    solid: Arc<moving_bodies::Body>,
}

/// A named feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// What it is made of; at least one, and all of a kind. Several are taken one after the other, or any of them.
    pub members: Vec<Member>,
}

/// A face, an edge, a corner, or an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// A flat face.
    Face(Facet),
    /// A straight edge.
    Edge(Line),
    /// A corner.
    Vertex(Corner),
    /// A line that is no part of the surface.
    Axis {
        /// Two points of it.
        ends: [DVec3; 2],
    },
}

/// A flat face: `normal · x = offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Facet {
    /// Outward unit normal.
    pub normal: DVec3,
    /// Distance of the plane from the origin along it.
    pub offset: f64,
    /// Its triangles.
    pub triangles: Vec<[DVec3; 3]>,
    /// Its outlines: corners one after the other.
    pub loops: Vec<Vec<DVec3>>,
    /// What of the mesh it is.
    pub patch: Patch,
}

/// A straight edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its ends.
    pub ends: [DVec3; 2],
    /// What of the mesh it is, with the normals of the faces on both sides.
    pub patch: Patch,
}

/// A corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    /// Where it is.
    pub point: DVec3,
    /// What of the mesh it is, with the normals of the faces around it.
    pub patch: Patch,
}

impl Body {
    /// A body without features yet; none if its surface is open or inside out, for then nothing is inside and nothing outside.
    #[must_use]
    pub fn new(name: impl Into<String>, mesh: Arc<Mesh>) -> Option<Self> {
        let solid = moving_bodies::Body::new(Arc::clone(&mesh));
        if !solid.tree().is_closed() || !(mesh.volume() > 0.0) {
            return None;
        }
        let shape = Polyhedron::from_mesh(&mesh, &MergeOptions::default());
        Some(Self { name: name.into(), features: Vec::new(), mesh, shape, solid: Arc::new(solid) })
    }

    /// Its triangles.
    #[must_use]
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// For provers of motions.
    #[must_use]
    pub fn solid(&self) -> &moving_bodies::Body {
        &self.solid
    }

    /// Diagonal of the box around it.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.mesh.aabb().diagonal()
    }

    /// What is at a point of the surface, in the mesh's frame: the feature that was named there, or the ways that its faces look.
    #[must_use]
    pub fn name_at(&self, point: DVec3, within: f64) -> String {
        let is_there = |member: &Member| match member {
            Member::Face(facet) => facet.triangles.iter().any(|t| from_triangle(point, t) <= within),
            Member::Edge(line) => from_segment(point, line.ends) <= within,
            Member::Vertex(corner) => corner.point.distance(point) <= within,
            Member::Axis { .. } => false,
        };
        if let Some(named) = self.features.iter().find(|feature| feature.members.iter().any(is_there)) {
            return named.name.clone();
        }
        let faces = self.shape.faces().iter();
        let near =
            faces.filter(|face| self.triangles_of(face).iter().any(|t| from_triangle(point, t) <= within));
        let names: Vec<String> = near.map(|face| direction_name(face.normal)).collect();
        match &names[..] {
            [] => "surface".into(),
            [one] => format!("face {one}"),
            [one, two] => format!("edge {one}{two}"),
            several => format!("corner {}", several.join("")),
        }
    }

    pub(super) fn facet(&self, face: &Face) -> Facet {
        let mut vertices: Vec<u32> =
            face.triangles.iter().flat_map(|&t| self.mesh.triangles()[t as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Facet {
            normal: face.normal,
            offset: face.offset,
            triangles: self.triangles_of(face),
            loops: face
                .loops
                .iter()
                .map(|ring| ring.iter().map(|&id| self.shape.vertex(id)).collect())
                .collect(),
            patch: Patch { vertices, normals: vec![face.normal], edge: None },
        }
    }

    pub(super) fn line(&self, edge: &Edge) -> Line {
        let mut ends = self.ends(edge);
        let along = ends[1] - ends[0];
        // It runs along the axis that it is most along, so that turns about it have a sense that people can tell.
        if along[along.abs().max_position()] < 0.0 {
            ends.reverse();
        }
        let within = 1e-9 * self.size();
        let vertices = self.vertices_where(|p| from_segment(p, ends) <= within);
        let normals = [Some(edge.left), edge.right]
            .into_iter()
            .flatten()
            .map(|id| self.shape.faces()[id.0 as usize].normal)
            .collect();
        Line { ends, patch: Patch { vertices, normals, edge: Some(ends) } }
    }

    pub(super) fn vertices_where(&self, holds: impl Fn(DVec3) -> bool) -> Vec<u32> {
        (0u32..).zip(self.mesh.vertices()).filter(|(_, p)| holds(**p)).map(|(k, _)| k).collect()
    }

    pub(super) fn triangles_of(&self, face: &Face) -> Vec<[DVec3; 3]> {
        let corners = |&t: &u32| self.mesh.triangles()[t as usize].map(|v| self.mesh.vertices()[v as usize]);
        face.triangles.iter().map(corners).collect()
    }

    pub(super) fn ends(&self, edge: &Edge) -> [DVec3; 2] {
        edge.ends.map(|id| self.shape.vertex(id))
    }

    /// A point on a face: the middle of its largest triangle. The middle of its outline may lie in a hole, or beside it.
    pub(super) fn point_on(&self, face: &Face) -> DVec3 {
        let area = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a).length();
        let largest = self.triangles_of(face).into_iter().max_by(|t, u| area(t).total_cmp(&area(u)));
        let [a, b, c] = largest.expect("a face has triangles");
        (a + b + c) / 3.0
    }
}

/// `+x`, or the three numbers.
#[must_use]
pub fn direction_name(d: DVec3) -> String {
    for (axis, name) in DVec3::AXES.into_iter().zip(["x", "y", "z"]) {
        if d.dot(axis).abs() > 1.0 - 1e-9 {
            return format!("{}{name}", if d.dot(axis) > 0.0 { "+" } else { "-" });
        }
    }
    format!("({:.4}, {:.4}, {:.4})", d.x, d.y, d.z)
}

/// Distance of a point from a segment.
pub(super) fn from_segment(p: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    p.distance(nearest_on_segment(p, [a, b]))
}

pub(super) fn nearest_on_segment(p: DVec3, [a, b]: [DVec3; 2]) -> DVec3 {
    let way = b - a;
    let length_sq = way.length_squared();
    if length_sq == 0.0 {
        return a;
    }
    a + way * ((p - a).dot(way) / length_sq).clamp(0.0, 1.0)
}

/// Distance of a point from a triangle.
pub(super) fn from_triangle(p: DVec3, t: &[DVec3; 3]) -> f64 {
    p.distance(kansho_geom::triangle::nearest(p, t))
}
