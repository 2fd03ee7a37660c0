//! Which face, edge or corner of a plain mesh is meant.

use super::body::{Body, Corner, Feature, Line, Member, direction_name, from_segment, from_triangle};
use super::resolved::Unit;
use kansho_check::sliding_contact::Patch;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::{Edge, Face};

/// Directions that differ by less than this cosine are the same: about one degree, for what people write.
const SAME_DIRECTION: f64 = 0.9998;

/// A point names what is nearer than this fraction of the body's size.
const AT: f64 = 1e-3;

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
    /// The corner that lies farthest these ways, at a point if there are several.
    VertexToward(DVec3, Option<DVec3>),
    /// The corner at a point.
    VertexAt(DVec3),
    /// A line through two points.
    Axis([DVec3; 2]),
}

/// Why a selector names no feature. Places and directions are in the frame of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectorFault {
    /// Nothing is like that.
    None {
        /// What was looked for.
        what: &'static str,
        /// Where.
        body: String,
        /// What there is instead.
        instead: Instead,
    },
    /// Several are like that.
    Several {
        /// What was looked for.
        what: &'static str,
        /// Where.
        body: String,
        /// A point on each of them.
        places: Vec<DVec3>,
    },
    /// A direction of zero length.
    NoDirection,
}

/// What there is instead of what was looked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Instead {
    /// Nothing that helps.
    Nothing,
    /// Faces that look these ways.
    Directions(Vec<DVec3>),
    /// Faces that look that way, with a point on each.
    Places(Vec<DVec3>),
}

impl SelectorFault {
    /// The same in words, with places as people write them: in their unit, and in the frame that selectors are given in.
    #[must_use]
    pub fn words(&self, unit: Unit, given_from_mesh: Pose) -> String {
        let listed = |places: &[DVec3]| {
            let one = |p: &DVec3| format!("one around {}", unit.place(given_from_mesh * *p));
            let mut words: Vec<String> = places.iter().take(4).map(one).collect();
            if places.len() > 4 {
                words.push("and more".into());
            }
            words.join(", ")
        };
        match self {
            Self::None { what, body, instead } => {
                let instead = match instead {
                    Instead::Nothing => String::new(),
                    Instead::Directions(those) => {
                        let name = |d: &DVec3| direction_name(given_from_mesh.rotate(*d));
                        let mut names: Vec<String> = those.iter().map(name).collect();
                        names.sort();
                        names.dedup();
                        names.truncate(8);
                        format!("; its faces look {}", names.join(", "))
                    }
                    Instead::Places(those) => format!("; those that look that way are {}", listed(those)),
                };
                format!("no {what} of \"{body}\" is like that{instead}")
            }
            Self::Several { what, body, places } => {
                format!("{} {what}s of \"{body}\" are like that: {}", places.len(), listed(places))
            }
            Self::NoDirection => "this is no direction".into(),
        }
    }
}

impl std::fmt::Display for SelectorFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words(Unit::METRES, Pose::IDENTITY))
    }
}

impl std::error::Error for SelectorFault {}

impl Body {
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
            Selector::VertexToward(direction, at) => {
                let direction = direction.try_normalize().ok_or(SelectorFault::NoDirection)?;
                let height = |p: &DVec3| direction.dot(*p);
                let top = self.shape.vertices().iter().map(height).fold(f64::NEG_INFINITY, f64::max);
                let near = |p: &DVec3| top - height(p) <= 1e-6 * self.size();
                let all: Vec<DVec3> = self.shape.vertices().iter().copied().filter(near).collect();
                let is_there = |p: &DVec3| at.is_none_or(|at| p.distance(at) <= AT * self.size());
                let found: Vec<DVec3> = all.iter().copied().filter(is_there).collect();
                if found.is_empty() {
                    let (what, body) = ("corner", self.name.clone());
                    return Err(SelectorFault::None { what, body, instead: Instead::Places(all) });
                }
                self.corner(found)
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
                instead: match &looks[..] {
                    [] => Instead::Directions(self.shape.faces().iter().map(|face| face.normal).collect()),
                    those => Instead::Places(those.iter().map(|face| self.point_on(face)).collect()),
                },
            }),
            _ => Err(SelectorFault::Several {
                what: "face",
                body: self.name.clone(),
                places: found.iter().map(|face| self.point_on(face)).collect(),
            }),
        }
    }

    fn one_edge(&self, found: &[&Edge]) -> Result<Line, SelectorFault> {
        match found {
            [edge] => Ok(self.line(edge)),
            [] => {
                Err(SelectorFault::None { what: "edge", body: self.name.clone(), instead: Instead::Nothing })
            }
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
            [] => Err(SelectorFault::None {
                what: "corner",
                body: self.name.clone(),
                instead: Instead::Nothing,
            }),
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
                    instead: Instead::Nothing,
                });
            };
            let mut line = self.line(edge);
            line.ends = pair.map(|id| self.shape.vertex(id));
            line.patch.edge = Some(line.ends);
            members.push(Member::Edge(line));
        }
        Ok(members)
    }
}
