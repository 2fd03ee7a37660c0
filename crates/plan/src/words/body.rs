//! Bodies with named features, and how features are selected on plain meshes.

use kansho_check::kept::Patch;
use kansho_check::moving;
use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::{Edge, Face, MergeOptions};
use kansho_geom::primitive::Shape;
use kansho_geom::{Mesh, Polyhedron, Primitive};
use std::sync::Arc;

/// Directions that differ by less than this cosine are the same: about one degree, for what people write.
const SAME_DIRECTION: f64 = 0.9998;

/// A point names what is nearer than this fraction of the body's size.
const AT: f64 = 1e-3;

/// A body of a script: a closed mesh with names for some of its features.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its features.
    pub features: Vec<Feature>,
    mesh: Arc<Mesh>,
    shape: Polyhedron,
    solid: Arc<moving::Body>,
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

/// How people name a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceSelector {
    /// Which way it looks.
    pub normal: DVec3,
    /// A point on it, if several look that way.
    pub at: Option<DVec3>,
}

/// How people name a feature, in the frame of the body.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// One face or several.
    Faces(Vec<FaceSelector>),
    /// The edge between two faces that look these ways, near a point if there are several.
    EdgeBetween([DVec3; 2], Option<DVec3>),
    /// The edge on which these two points lie.
    EdgeAt([DVec3; 2]),
    /// The outline of a face, counter-clockwise seen from outside, from the corner next to one point to that next to another; all
    /// round if there are none.
    Rim(FaceSelector, Option<[DVec3; 2]>),
    /// The corner that lies farthest these ways.
    VertexToward(DVec3),
    /// The corner at a point.
    VertexAt(DVec3),
    /// A line through two points.
    Axis([DVec3; 2]),
}

/// Why a selector names no feature.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SelectorFault {
    /// Nothing is like that.
    #[error("no {what} of \"{body}\" is like that{near}")]
    None {
        /// What was looked for.
        what: &'static str,
        /// Where.
        body: String,
        /// What there is instead.
        near: String,
    },
    /// Several are like that.
    #[error("{} {what}s of \"{body}\" are like that: {}", places.len(), listed(places))]
    Several {
        /// What was looked for.
        what: &'static str,
        /// Where.
        body: String,
        /// Middles of those that are.
        places: Vec<DVec3>,
    },
    /// A direction of zero length.
    #[error("this is no direction")]
    NoDirection,
}

fn listed(places: &[DVec3]) -> String {
    let one = |p: &DVec3| format!("one around ({:.6}, {:.6}, {:.6}) m", p.x, p.y, p.z);
    let mut words: Vec<String> = places.iter().take(4).map(one).collect();
    if places.len() > 4 {
        words.push("and more".into());
    }
    words.join(", ")
}

impl Body {
    /// A body without features yet; none if its surface is open or inside out, for then nothing is inside and nothing outside.
    #[must_use]
    pub fn new(name: impl Into<String>, mesh: Arc<Mesh>) -> Option<Self> {
        let solid = moving::Body::new(Arc::clone(&mesh));
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
    pub fn solid(&self) -> &moving::Body {
        &self.solid
    }

    /// Diagonal of the box around it.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.mesh.aabb().diagonal()
    }

    /// Gives a feature a name.
    ///
    /// # Errors
    /// The selector matches nothing, or several.
    pub fn name_feature(
        &mut self,
        name: impl Into<String>,
        selector: &Selector,
    ) -> Result<(), SelectorFault> {
        let members = self.select(selector)?;
        self.features.push(Feature { name: name.into(), members });
        Ok(())
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

    fn select(&self, selector: &Selector) -> Result<Vec<Member>, SelectorFault> {
        match selector {
            Selector::Faces(faces) => {
                faces.iter().map(|face| Ok(Member::Face(self.facet(self.face(face)?)))).collect()
            }
            Selector::EdgeBetween(directions, at) => {
                let [a, b] = directions.map(DVec3::try_normalize);
                let (a, b) = (a.ok_or(SelectorFault::NoDirection)?, b.ok_or(SelectorFault::NoDirection)?);
                let looks = |edge: &Edge| {
                    let normals = [Some(edge.left), edge.right]
                        .map(|id| id.map(|id| self.shape.faces()[id.0 as usize].normal));
                    let [Some(n), Some(m)] = normals else { return false };
                    let same = |x: DVec3, y: DVec3| x.dot(y) > SAME_DIRECTION;
                    same(n, a) && same(m, b) || same(n, b) && same(m, a)
                };
                let near =
                    |edge: &Edge| at.is_none_or(|at| from_segment(at, self.ends(edge)) <= AT * self.size());
                let found: Vec<&Edge> =
                    self.shape.edges().iter().filter(|edge| looks(edge) && near(edge)).collect();
                Ok(vec![Member::Edge(self.one_edge(&found)?)])
            }
            Selector::EdgeAt(ends) => {
                let within = AT * self.size();
                let holds = |edge: &&Edge| ends.iter().all(|&p| from_segment(p, self.ends(edge)) <= within);
                let found: Vec<&Edge> = self.shape.edges().iter().filter(holds).collect();
                let mut line = self.one_edge(&found)?;
                // It runs as it was written.
                if (line.ends[1] - line.ends[0]).dot(ends[1] - ends[0]) < 0.0 {
                    line.ends.reverse();
                }
                Ok(vec![Member::Edge(line)])
            }
            Selector::Rim(face, ends) => self.rim(self.face(face)?, *ends),
            Selector::VertexToward(direction) => {
                let direction = direction.try_normalize().ok_or(SelectorFault::NoDirection)?;
                let height = |p: &DVec3| direction.dot(*p);
                let top = self.shape.vertices().iter().map(height).fold(f64::NEG_INFINITY, f64::max);
                let near = |p: &DVec3| top - height(p) <= 1e-6 * self.size();
                self.corner(self.shape.vertices().iter().copied().filter(near).collect())
            }
            Selector::VertexAt(at) => {
                let near = |p: &DVec3| p.distance(*at) <= AT * self.size();
                self.corner(self.shape.vertices().iter().copied().filter(near).collect())
            }
            Selector::Axis(ends) => {
                if ends[0].distance(ends[1]) <= 1e-9 * self.size() {
                    return Err(SelectorFault::NoDirection);
                }
                Ok(vec![Member::Axis { ends: *ends }])
            }
        }
    }

    fn face(&self, selector: &FaceSelector) -> Result<&Face, SelectorFault> {
        let normal = selector.normal.try_normalize().ok_or(SelectorFault::NoDirection)?;
        let looks: Vec<&Face> =
            self.shape.faces().iter().filter(|face| face.normal.dot(normal) > SAME_DIRECTION).collect();
        let found: Vec<&Face> = match selector.at {
            None => looks.clone(),
            Some(at) => {
                let distance = |face: &&&Face| {
                    let triangles = self.triangles_of(face);
                    let nearest = triangles.iter().map(|t| from_triangle(at, t));
                    nearest.fold(f64::INFINITY, f64::min) <= AT * self.size()
                };
                looks.iter().filter(distance).copied().collect()
            }
        };
        match found[..] {
            [face] => Ok(face),
            [] => Err(SelectorFault::None {
                what: "face",
                body: self.name.clone(),
                near: match &looks[..] {
                    [] => {
                        let mut names: Vec<String> =
                            self.shape.faces().iter().map(|face| direction_name(face.normal)).collect();
                        names.sort();
                        names.dedup();
                        names.truncate(8);
                        format!("; its faces look {}", names.join(", "))
                    }
                    those => {
                        let places: Vec<DVec3> = those.iter().map(|face| self.middle(face)).collect();
                        format!("; those that look that way are {}", listed(&places))
                    }
                },
            }),
            _ => Err(SelectorFault::Several {
                what: "face",
                body: self.name.clone(),
                places: found.iter().map(|face| self.middle(face)).collect(),
            }),
        }
    }

    fn one_edge(&self, found: &[&Edge]) -> Result<Line, SelectorFault> {
        match found {
            [edge] => Ok(self.line(edge)),
            [] => Err(SelectorFault::None { what: "edge", body: self.name.clone(), near: String::new() }),
            several => Err(SelectorFault::Several {
                what: "edge",
                body: self.name.clone(),
                places: several
                    .iter()
                    .map(|edge| {
                        let [p, q] = self.ends(edge);
                        (p + q) * 0.5
                    })
                    .collect(),
            }),
        }
    }

    fn corner(&self, found: Vec<DVec3>) -> Result<Vec<Member>, SelectorFault> {
        match found[..] {
            [point] => {
                let vertices = self.vertices_where(|p| p == point);
                let touches =
                    |face: &&Face| face.loops.iter().flatten().any(|id| self.shape.vertex(*id) == point);
                let normals = self.shape.faces().iter().filter(touches).map(|face| face.normal).collect();
                let patch = Patch { vertices, normals, edge: None };
                Ok(vec![Member::Vertex(Corner { point, patch })])
            }
            [] => Err(SelectorFault::None { what: "corner", body: self.name.clone(), near: String::new() }),
            _ => Err(SelectorFault::Several { what: "corner", body: self.name.clone(), places: found }),
        }
    }

    /// The edges of the outer outline of a face, in order.
    fn rim(&self, face: &Face, ends: Option<[DVec3; 2]>) -> Result<Vec<Member>, SelectorFault> {
        let ring = &face.loops[0];
        let nearest = |at: DVec3| {
            (0..ring.len())
                .min_by(|&i, &j| {
                    let far = |k: usize| self.shape.vertex(ring[k]).distance(at);
                    far(i).total_cmp(&far(j))
                })
                .expect("an outline has corners")
        };
        let (from, count) = match ends {
            None => (0, ring.len()),
            Some(ends) => {
                let [from, to] = ends.map(nearest);
                let count = (to + ring.len() - from) % ring.len();
                (from, if count == 0 { ring.len() } else { count })
            }
        };
        let mut members = Vec::with_capacity(count);
        for k in 0..count {
            let pair = [ring[(from + k) % ring.len()], ring[(from + k + 1) % ring.len()]];
            let edge =
                self.shape.edges().iter().find(|edge| edge.ends == pair || edge.ends == [pair[1], pair[0]]);
            let Some(edge) = edge else {
                return Err(SelectorFault::None {
                    what: "outline",
                    body: self.name.clone(),
                    near: String::new(),
                });
            };
            let mut line = self.line(edge);
            line.ends = pair.map(|id| self.shape.vertex(id));
            line.patch.edge = Some(line.ends);
            members.push(Member::Edge(line));
        }
        Ok(members)
    }

    fn facet(&self, face: &Face) -> Facet {
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

    fn line(&self, edge: &Edge) -> Line {
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

    fn vertices_where(&self, holds: impl Fn(DVec3) -> bool) -> Vec<u32> {
        (0u32..).zip(self.mesh.vertices()).filter(|(_, p)| holds(**p)).map(|(k, _)| k).collect()
    }

    fn triangles_of(&self, face: &Face) -> Vec<[DVec3; 3]> {
        let corners = |&t: &u32| self.mesh.triangles()[t as usize].map(|v| self.mesh.vertices()[v as usize]);
        face.triangles.iter().map(corners).collect()
    }

    fn ends(&self, edge: &Edge) -> [DVec3; 2] {
        edge.ends.map(|id| self.shape.vertex(id))
    }

    fn middle(&self, face: &Face) -> DVec3 {
        let ring = &face.loops[0];
        ring.iter().map(|&id| self.shape.vertex(id)).sum::<DVec3>() / ring.len() as f64
    }
}

/// A mesh that holds a shape: a box exactly, a cylinder or a ball in a polyhedron around it that is larger by at most 1e-4 of the
/// radius, a half-space down to `reach` below its plane and to that far on all sides of the point of it next to `near`. None of
/// others.
#[must_use]
pub fn mesh_around(primitive: &Primitive, near: DVec3, reach: f64) -> Option<Mesh> {
    let grown = |radius: f64, flat: bool| {
        let mesh = primitive.tessellated(5e-5 * radius)?;
        // The nearest plane of a side tells by how much it is too small.
        let distance = |[a, b, c]: [DVec3; 3]| {
            let n = (b - a).cross(c - a).try_normalize()?;
            (!flat || n.z.abs() < 0.5).then_some(n.dot(a))
        };
        let least = mesh.corners().filter_map(distance).fold(f64::INFINITY, f64::min);
        let scale = radius / least * (1.0 + 1e-12);
        Some(mesh.scaled(DVec3::new(scale, scale, if flat { 1.0 } else { scale })).ok()?.mesh)
    };
    match primitive.shape() {
        Shape::Box { .. } => primitive.tessellated(1.0),
        Shape::Cylinder { radius, .. } => grown(radius, true),
        Shape::Sphere { radius } => grown(radius, false),
        Shape::HalfSpace { normal, offset } => {
            let block =
                Primitive::new(Shape::Box { size: DVec3::new(2.0 * reach, 2.0 * reach, reach) }).ok()?;
            let on_plane = near + normal * (offset - normal.dot(near));
            let (u, v) = normal.any_orthonormal_pair();
            let place = |p: DVec3| on_plane + u * p.x + v * p.y + normal * (p.z - 0.5 * reach);
            let block = block.tessellated(1.0)?;
            let points: Vec<DVec3> = block.vertices().iter().map(|&p| place(p)).collect();
            Some(kansho_geom::mesh::weld(&points, block.triangles(), 0.0).ok()?.mesh)
        }
        Shape::Capsule { .. } | Shape::Cone { .. } => None,
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
