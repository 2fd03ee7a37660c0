//! A body prepared for contacts: flat faces, straight edges, corners put where their faces meet.

use crate::linear::singular;
use crate::local::Feature;
use crate::round::Round;
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::mesh::Edges;
use kansho_geom::polyhedron::{Bend, MergeOptions};
use kansho_geom::tree::Tree;
use kansho_geom::{Aabb, Mesh, Polyhedron, Pose, mesh};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Noise of a body's corners if none is given, as a fraction of its size: a few roundings of single precision.
pub const NOISE: f64 = 2.5e-7;

/// A corner may lie this many times the noise from the plane of its face: its own noise, and that of the plane.
const MERGE_BY_NOISE: f64 = 4.0;

/// A corner is put where its faces meet if that is no farther than this many times the noise.
const SNAP_BY_NOISE: f64 = 40.0;

/// The plane of a face turns by this many times the noise over the width of the face: the noise of three corners, and a
/// factor for corners that are not spread over all of it.
const ANGLE_BY_NOISE: f64 = 20.0;

/// Most that the direction of a face is taken to be uncertain, in radians.
const MOST_ANGLE: f64 = 0.1;

/// A closed body with flat faces, in its place.
#[derive(Clone, Debug)]
pub struct Part {
    pub(crate) faces: Vec<Facet>,
    pub(crate) edges: Vec<Side>,
    pub(crate) corners: Vec<Corner>,
    pub(crate) rounds: Vec<Round>,
    /// For each face which round one it is a part of.
    pub(crate) round_of: Vec<Option<u32>>,
    pub(crate) noise: f64,
    pub(crate) size: f64,
    pub(crate) aabb: Aabb,
    pub(crate) centre: DVec3,
    pub(crate) volume: f64,
    pub(crate) tree: Arc<Tree>,
    pub(crate) world_from_tree: Pose,
}

/// A face: `normal · x = offset`, and loops of corners, the outer one first.
#[derive(Clone, Debug)]
pub(crate) struct Facet {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    pub(crate) loops: Vec<Vec<u32>>,
    /// How far its normal may be turned by noise, in radians.
    pub(crate) angle: f64,
    pub(crate) aabb: Aabb,
    /// Its triangles, as the mesh counts them.
    pub(crate) triangles: Vec<u32>,
}

/// An edge between two faces. `faces[0]` is on its left, seen from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) ends: [u32; 2],
    pub(crate) faces: [u32; 2],
    pub(crate) bend: Bend,
}

/// A corner, and the sectors of faces around it.
#[derive(Clone, Debug)]
pub(crate) struct Corner {
    pub(crate) point: DVec3,
    /// Face, and the corners toward which its sector begins and ends, counter-clockwise seen from outside.
    pub(crate) sectors: Vec<(u32, [u32; 2])>,
}

/// Why a mesh is no body that can be in contact.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PartFault {
    /// It has no inside.
    #[error("the surface is open at {0} edges, so it has no inside; close it first")]
    Open(usize),
    /// It is inside out.
    #[error("the triangles face inward (the volume is {0:e} m³): the surface is inside out")]
    Inverted(f64),
    /// It touches itself along edges, or triangles do not say what is inside.
    #[error(
        "at {0} edges more than two triangles meet: the body touches itself there, or its inside is unclear"
    )]
    Unclear(usize),
    /// It touches itself with a corner on a face or an edge.
    #[error("the body touches itself at ({0}, {1}, {2})")]
    TouchesItself(f64, f64, f64),
    /// A noise or tolerance that is no length.
    #[error("a tolerance of {0} m is no length greater than zero")]
    Tolerance(f64),
    /// Nothing is left.
    #[error("nothing is left of it within a noise of {0:e} m")]
    Vanishes(f64),
}

impl Part {
    /// Merges the triangles of a closed mesh to faces and puts corners where faces meet.
    ///
    /// `noise` is how far, in metres, a corner may be from where it should be; by default [`NOISE`] of the size.
    ///
    /// # Errors
    /// The mesh is open or inside out, or the noise is no length.
    pub fn new(mesh: &Arc<Mesh>, noise: Option<f64>) -> Result<Self, PartFault> {
        let bounds = mesh.aabb();
        let size = (bounds.max() - bounds.min()).length();
        let noise = noise.unwrap_or(NOISE * size);
        if !(noise > 0.0 && noise.is_finite()) {
            return Err(PartFault::Tolerance(noise));
        }
        let stitched = stitch(mesh, noise);
        let mesh = stitched.as_ref().unwrap_or(mesh);
        let joined = mesh::weld(mesh.vertices(), mesh.triangles(), MERGE_BY_NOISE * noise)
            .map_err(|_| PartFault::Vanishes(noise))?;
        let welded = joined.mesh;
        let crowded = Edges::of(&welded).iter().filter(|(_, sides)| sides.len() > 2).count();
        if crowded > 0 {
            return Err(PartFault::Unclear(crowded));
        }
        let solid = Polyhedron::from_mesh(&welded, &MergeOptions { tolerance: Some(MERGE_BY_NOISE * noise) });
        if !solid.unclear_edges().is_empty() {
            return Err(PartFault::Unclear(solid.unclear_edges().len()));
        }
        let borders = solid.edges().iter().filter(|edge| edge.right.is_none()).count();
        if borders > 0 {
            return Err(PartFault::Open(borders));
        }
        let (volume, centre) = mass(&welded);
        if !(volume > 0.0) {
            return Err(PartFault::Inverted(volume));
        }
        // With cracks there would be no inside, and nothing would be deep in it.
        let tree = Tree::new(mesh.clone());
        let (tree, source) = if tree.is_closed() {
            (tree, joined.source)
        } else {
            (Tree::new(Arc::new(welded.clone())), (0u32..).take(welded.triangles().len()).collect())
        };
        let mut part = Self {
            faces: Vec::new(),
            edges: Vec::new(),
            corners: Vec::new(),
            rounds: Vec::new(),
            round_of: Vec::new(),
            noise,
            size,
            aabb: bounds,
            centre,
            volume,
            tree: Arc::new(tree),
            world_from_tree: Pose::IDENTITY,
        };
        part.corners = solid.vertices().iter().map(|&point| Corner { point, sectors: Vec::new() }).collect();
        for (number, face) in (0u32..).zip(solid.faces()) {
            let loops: Vec<Vec<u32>> =
                face.loops.iter().map(|ring| ring.iter().map(|v| v.0).collect()).collect();
            for ring in &loops {
                for (i, &v) in ring.iter().enumerate() {
                    let next = ring[(i + 1) % ring.len()];
                    let before = ring[(i + ring.len() - 1) % ring.len()];
                    part.corners[v as usize].sectors.push((number, [next, before]));
                }
            }
            let points: Vec<DVec3> = loops[0].iter().map(|&v| solid.vertices()[v as usize]).collect();
            let longest =
                points.iter().flat_map(|p| points.iter().map(move |q| p.distance(*q))).fold(0.0, f64::max);
            let width = (solid.face_area(face) / longest).max(noise);
            part.faces.push(Facet {
                normal: face.normal,
                offset: face.offset,
                loops,
                angle: (ANGLE_BY_NOISE * noise / width).clamp(1e-9, MOST_ANGLE),
                aabb: Aabb::of_points(points).expect("a face has corners"),
                triangles: face.triangles.iter().map(|&t| source[t as usize]).collect(),
            });
        }
        if let Some(point) = touches_itself(&welded, &solid) {
            return Err(PartFault::TouchesItself(point.x, point.y, point.z));
        }
        part.edges = solid
            .edges()
            .iter()
            .map(|edge| Side {
                ends: edge.ends.map(|v| v.0),
                faces: [edge.left.0, edge.right.expect("no border").0],
                bend: edge.bend,
            })
            .collect();
        // Before corners are snapped: planes of narrow faces that turn by a little meet anywhere along their edge.
        part.rounds = crate::round::recognise(&part);
        part.round_of = vec![None; part.faces.len()];
        for (number, round) in (0u32..).zip(&part.rounds) {
            round.faces.iter().for_each(|&f| part.round_of[f as usize] = Some(number));
        }
        part.snap();
        Ok(part)
    }

    /// The same part elsewhere.
    #[must_use]
    pub fn placed(&self, world_from_part: Pose) -> Self {
        let mut part = self.clone();
        for corner in &mut part.corners {
            corner.point = world_from_part * corner.point;
        }
        for face in &mut part.faces {
            face.normal = world_from_part.rotate(face.normal);
            face.offset += face.normal.dot(world_from_part.translation());
            let points = face.loops[0].iter().map(|&v| part.corners[v as usize].point);
            face.aabb = Aabb::of_points(points).expect("a face has corners");
        }
        part.rounds = self.rounds.iter().map(|r| r.placed(world_from_part)).collect();
        part.centre = world_from_part * part.centre;
        part.aabb = Aabb::of_points(
            self.tree.mesh().vertices().iter().map(|&p| world_from_part * (self.world_from_tree * p)),
        )
        .expect("a mesh has vertices");
        part.world_from_tree = world_from_part * self.world_from_tree;
        part
    }

    /// How far a corner may be from where it should be.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// Diagonal of the enclosing box of its own frame.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Centre of its volume.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Its volume.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The faces around a feature, each as its triangles, as the mesh counts them.
    #[must_use]
    pub fn faces_at(&self, feature: Feature) -> Vec<Vec<u32>> {
        self.faces_of(feature).iter().map(|&f| self.faces[f as usize].triangles.clone()).collect()
    }

    /// The enclosing box.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// How many faces, edges and corners it has.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        [self.faces.len(), self.edges.len(), self.corners.len()]
    }

    /// Its triangles, in the frame of [`Part::world_from_mesh`]: those that were given, or, if these have cracks, with the cracks
    /// closed.
    #[must_use]
    pub fn mesh(&self) -> &Arc<Mesh> {
        self.tree.mesh()
    }

    /// Where the mesh is.
    #[must_use]
    pub fn world_from_mesh(&self) -> Pose {
        self.world_from_tree
    }

    /// Cylinders, cones and spheres that its faces stand for.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    pub(crate) fn is_round(&self, face: u32) -> bool {
        self.round_of[face as usize].is_some()
    }

    pub(crate) fn at(&self, corner: u32) -> DVec3 {
        self.corners[corner as usize].point
    }

    pub(crate) fn ends(&self, edge: &Side) -> [DVec3; 2] {
        edge.ends.map(|v| self.at(v))
    }

    /// Puts every corner where the planes of its faces meet: nearest to where it was, if they leave a choice.
    fn snap(&mut self) {
        for corner in &mut self.corners {
            let at = corner.point;
            let mut planes: Vec<u32> = corner.sectors.iter().map(|s| s.0).collect();
            planes.sort_unstable();
            planes.dedup();
            let rows: Vec<[f64; 3]> =
                planes.iter().map(|&f| self.faces[f as usize].normal.to_array()).collect();
            let mut step = DVec3::ZERO;
            for (value, direction) in singular(&rows) {
                // Planes that are nearly parallel say little about the place along their line.
                if value > 0.2 {
                    let direction = DVec3::from_array(direction);
                    let by: f64 = planes
                        .iter()
                        .map(|&f| &self.faces[f as usize])
                        .map(|f| (f.offset - f.normal.dot(at)) * f.normal.dot(direction))
                        .sum();
                    step += direction * (by / (value * value));
                }
            }
            if step.length() <= SNAP_BY_NOISE * self.noise {
                corner.point = at + step;
            }
        }
    }
}

impl Facet {
    /// The two axes of the plane.
    pub(crate) fn axes(&self) -> [DVec3; 2] {
        let (u, v) = self.normal.any_orthonormal_pair();
        [u, v]
    }

    /// Whether a point within `tolerance` of the plane lies over the face, its border included.
    pub(crate) fn covers(&self, part: &Part, point: DVec3, tolerance: f64) -> bool {
        if (self.normal.dot(point) - self.offset).abs() > tolerance {
            return false;
        }
        let [u, v] = self.axes();
        let flat = |p: DVec3| DVec2::new(u.dot(p - point), v.dot(p - point));
        let mut inside = false;
        for ring in &self.loops {
            for (i, &from) in ring.iter().enumerate() {
                let (a, b) = (flat(part.at(from)), flat(part.at(ring[(i + 1) % ring.len()])));
                if distance_to_origin(a, b) <= tolerance {
                    return true;
                }
                if (a.y > 0.0) != (b.y > 0.0) && (a.x + (b.x - a.x) * (-a.y / (b.y - a.y))) > 0.0 {
                    inside = !inside;
                }
            }
        }
        inside
    }
}

fn distance_to_origin(a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    let t = if along.length_squared() > 0.0 {
        (-a.dot(along) / along.length_squared()).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (a + along * t).length()
}

/// A mesh whose open edges have corners of others on them, cut there so that they meet; none if there is nothing to cut.
///
/// Files of CAD programs often give one side of an edge in one piece and the other in several.
fn stitch(mesh: &Arc<Mesh>, noise: f64) -> Option<Arc<Mesh>> {
    const ROUNDS: usize = 3; // One for each side of a triangle.
    let mut current: Option<Arc<Mesh>> = None;
    for _ in 0..ROUNDS {
        let now = current.as_ref().unwrap_or(mesh);
        let edges = Edges::of(now);
        let open: Vec<_> = edges
            .iter()
            .filter(|(_, sides)| sides.len() == 1)
            .map(|(ends, sides)| (ends, sides[0]))
            .collect();
        let mut rim: Vec<u32> = open.iter().flat_map(|(ends, _)| *ends).collect();
        rim.sort_unstable();
        rim.dedup();
        let mut triangles: Vec<[u32; 3]> = now.triangles().to_vec();
        let mut touched = BTreeSet::new();
        let mut more = Vec::new();
        for (_, side) in open {
            let [a, b] = side.ends(now.triangles());
            let (p, q) = (now.vertices()[a as usize], now.vertices()[b as usize]);
            let along = q - p;
            let mut on: Vec<(f64, u32)> = Vec::new();
            for &v in &rim {
                let x = now.vertices()[v as usize];
                let t = (x - p).dot(along) / along.length_squared();
                if v != a
                    && v != b
                    && t > 0.0
                    && t < 1.0
                    && x.distance(p + along * t) <= MERGE_BY_NOISE * noise
                {
                    on.push((t, v));
                }
            }
            if on.is_empty() || !touched.insert(side.triangle()) {
                continue;
            }
            on.sort_by(|x, y| x.0.total_cmp(&y.0));
            let apex = side.opposite(now.triangles());
            let mut from = a;
            for (_, v) in on {
                more.push([from, v, apex]);
                from = v;
            }
            triangles[side.triangle()] = [from, b, apex];
        }
        if more.is_empty() {
            break;
        }
        triangles.extend(more);
        current = mesh::weld(now.vertices(), &triangles, 0.0).ok().map(|w| Arc::new(w.mesh));
        current.as_ref()?;
    }
    current
}

/// A corner that lies on a face of the body that does not end there: its cone is more than the outlines tell.
fn touches_itself(mesh: &Mesh, solid: &Polyhedron) -> Option<DVec3> {
    let mut outlined: BTreeMap<[u64; 3], BTreeSet<usize>> = BTreeMap::new();
    let key = |p: DVec3| p.to_array().map(f64::to_bits);
    for (number, face) in solid.faces().iter().enumerate() {
        for &v in face.loops.iter().flatten() {
            outlined.entry(key(solid.vertex(v))).or_default().insert(number);
        }
    }
    // Around a corner each face that has a triangle there also has the corner in its outline, unless it is flat there.
    for (number, face) in solid.faces().iter().enumerate() {
        for &v in face.triangles.iter().flat_map(|&t| &mesh.triangles()[t as usize]) {
            let point = mesh.vertices()[v as usize];
            if outlined.get(&key(point)).is_some_and(|faces| !faces.contains(&number)) {
                return Some(point);
            }
        }
    }
    None
}

/// Volume and its centre.
fn mass(mesh: &Mesh) -> (f64, DVec3) {
    let near = mesh.vertices()[0];
    let (mut volume, mut moment) = (0.0, DVec3::ZERO);
    for [a, b, c] in mesh.corners() {
        let [a, b, c] = [a - near, b - near, c - near];
        let piece = a.dot(b.cross(c)) / 6.0;
        volume += piece;
        moment += piece * (a + b + c) / 4.0;
    }
    (volume, if volume == 0.0 { near } else { near + moment / volume })
}
