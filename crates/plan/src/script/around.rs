//! Primitives as meshes.

use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_geom::{Mesh, Primitive};

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
