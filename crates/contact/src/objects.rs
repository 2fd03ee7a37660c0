//! The objects of a cell, prepared for contacts.

use crate::part::Part;
use kansho_cell::{Body, BodyKind, Carrier, Cell, Geometry};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Mesh, mesh};
use std::sync::Arc;

/// An object with its shape.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Its shape, in its place.
    pub part: Part,
}

/// The objects that stand still, each as one closed body. `noise` is how far corners of meshes may be from where they should be, in metres.
///
/// # Errors
/// Every object that is no closed body, and why.
pub fn objects(cell: &Cell, noise: Option<f64>) -> Result<Vec<Object>, Vec<String>> {
    let bodies: Vec<&Body> =
        cell.bodies().iter().filter(|b| b.kind == BodyKind::Object && b.carrier == Carrier::World).collect();
    let reach = bodies
        .iter()
        .flat_map(|b| &b.pieces)
        .filter_map(|piece| match &piece.geometry {
            Geometry::Mesh(mesh) => Some((piece, mesh.aabb())),
            Geometry::Primitive(primitive) => primitive.aabb().map(|aabb| (piece, aabb)),
        })
        .map(|(piece, aabb)| (piece.carrier_from_piece * aabb.centre()).length() + aabb.diagonal())
        .fold(1e-3, f64::max);
    let mut objects = Vec::new();
    let mut faults = Vec::new();
    for body in bodies {
        match shape(body, reach).and_then(|mesh| Part::new(&mesh, noise).map_err(|fault| fault.to_string())) {
            Ok(part) => objects.push(Object { name: body.name.clone(), part }),
            Err(fault) => faults.push(format!("object \"{}\": {fault}", body.name)),
        }
    }
    if faults.is_empty() { Ok(objects) } else { Err(faults) }
}

/// All pieces of a body as one mesh in the world. A plane becomes a block that reaches beyond everything else.
fn shape(body: &Body, reach: f64) -> Result<Arc<Mesh>, String> {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for piece in &body.pieces {
        let mut add = |mesh: &Mesh, place: &dyn Fn(DVec3) -> DVec3| {
            let first = points.len() as u32;
            points.extend(mesh.vertices().iter().map(|&p| place(p)));
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|i| first + i)));
        };
        let world_from_piece = piece.carrier_from_piece;
        match &piece.geometry {
            Geometry::Mesh(mesh) => add(mesh, &|p| world_from_piece * p),
            Geometry::Primitive(primitive) => match primitive.shape() {
                Shape::Box { .. } => {
                    let mesh = primitive.tessellated(1.0).ok_or("a box without an end")?;
                    add(&mesh, &|p| world_from_piece * p);
                }
                Shape::HalfSpace { normal, offset } => {
                    let size = DVec3::splat(4.0 * reach);
                    let block = Primitive::new(Shape::Box { size }).map_err(|fault| fault.to_string())?;
                    let mesh = block.tessellated(1.0).ok_or("a box without an end")?;
                    let (u, v) = normal.any_orthonormal_pair();
                    let top = normal * (offset - 2.0 * reach);
                    add(&mesh, &|p| world_from_piece * (top + u * p.x + v * p.y + normal * p.z));
                }
                _ => {
                    let mesh = primitive.tessellated(1e-4 * reach).ok_or("a shape without an end")?;
                    add(&mesh, &|p| world_from_piece * p);
                }
            },
        }
    }
    Ok(Arc::new(mesh::weld(&points, &triangles, 0.0).map_err(|fault| fault.to_string())?.mesh))
}
