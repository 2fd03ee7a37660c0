//! Triangle meshes: indexed, welded, validated once.

pub mod audit;
mod edges;
mod orient;
mod shells;
mod weld;

pub use audit::{Audit, Tally, audit};
pub use edges::{Edges, HalfEdge};
pub use orient::{Oriented, orient};
pub use weld::{Closed, MeshFault, Removed, Welded, close_cracks, weld};

use crate::bounds::{Aabb, Ball};
use crate::pose::Pose;
use glam::DVec3;

/// A surface of triangles.
///
/// Made by [`weld`], which guarantees what everyone after it relies on:
/// - at least one triangle has area;
/// - coordinates are finite, at most [`crate::tolerance::COORDINATE_LIMIT`], and zero or at least
///   [`crate::tolerance::COORDINATE_FLOOR`] in magnitude;
/// - no two vertices coincide, every vertex is used, the three corners of a triangle are different;
/// - no triangle stands twice with the same winding.
///
/// A triangle may still have no area (three corners on a line) where it joins its neighbours: without it the surface
/// would fall apart. It may be open, and it need not be a solid; [`audit()`] tells.
///
/// ```
/// use kansho_geom::{glam::DVec3, mesh};
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let welded = mesh::weld(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], 0.0)?;
/// assert!((welded.mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), mesh::MeshFault>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// All vertices.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// All triangles as indices of vertices, counter-clockwise seen from outside.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of every triangle.
    pub fn corners(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> {
        self.triangles.iter().map(|t| t.map(|i| self.vertices[i as usize]))
    }

    /// The enclosing axis-aligned box.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(self.vertices.iter().copied()).expect("a mesh has vertices")
    }

    /// An enclosing ball.
    #[must_use]
    pub fn ball(&self) -> Ball {
        Ball::of_points(&self.vertices).expect("a mesh has vertices")
    }

    /// Area of all triangles.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
    }

    /// Enclosed volume: positive if the triangles face outward. Means something only if the mesh is closed and its
    /// winding consistent.
    #[must_use]
    pub fn volume(&self) -> f64 {
        let near = self.vertices[0]; // Far from the origin, the tetrahedra to it would cancel badly.
        self.corners().map(|[a, b, c]| (a - near).dot((b - near).cross(c - near)) / 6.0).sum()
    }

    /// The same mesh placed in `a`.
    ///
    /// # Errors
    /// A vertex leaves the range of coordinates, or rounding collapses the mesh.
    pub fn placed(&self, a_from_b: Pose) -> Result<Welded, MeshFault> {
        let vertices: Vec<DVec3> = self.vertices.iter().map(|&p| a_from_b * p).collect();
        weld(&vertices, &self.triangles, 0.0)
    }

    /// The same mesh scaled along each axis; a mirroring scale turns the triangles round, so that they face outward
    /// still.
    ///
    /// # Errors
    /// A scale of zero or not finite, or one that pushes vertices out of range or collapses them.
    pub fn scaled(&self, scale: DVec3) -> Result<Welded, MeshFault> {
        let vertices: Vec<DVec3> = self.vertices.iter().map(|&p| p * scale).collect();
        let mut triangles = self.triangles.clone();
        if scale.x * scale.y * scale.z < 0.0 {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        weld(&vertices, &triangles, 0.0)
    }
}
