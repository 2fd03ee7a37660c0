//! The objects of a cell as parts that can be in contact.

use kansho_cell::{Body, BodyId, BodyKind, Carrier, Cell, Geometry};
use kansho_contact::Part;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Mesh, mesh};
use std::sync::Arc;

/// How far flat faces that stand for a round one may lie inside, as a fraction of the reach of the cell.
const ROUND: f64 = 1e-4;

/// An object that stands still, as one closed body.
#[derive(Clone, Debug)]
pub struct StandingPart {
    /// Its name.
    pub name: String,
    /// Which body of the cell.
    pub body: BodyId,
    /// Its shape, in its place.
    pub part: Part,
}

/// The objects that stand still. A plane becomes a block that reaches beyond everything else.
///
/// # Errors
/// Everything that cannot be in contact, such as open surfaces, by name.
pub fn standing(cell: &Cell, noise: Option<f64>) -> Result<Vec<StandingPart>, Vec<String>> {
    let stands = |body: &&Body| body.kind == BodyKind::Object && body.carrier == Carrier::World;
    let reach = cell
        .bodies()
        .iter()
        .filter(stands)
        .flat_map(|body| &body.pieces)
        .filter_map(|piece| match &piece.geometry {
            Geometry::Mesh(mesh) => Some((piece, mesh.aabb())),
            Geometry::Primitive(primitive) => primitive.aabb().map(|aabb| (piece, aabb)),
        })
        .map(|(piece, aabb)| (piece.carrier_from_piece * aabb.centre()).length() + aabb.diagonal())
        .fold(1e-3, f64::max);
    let (mut parts, mut faults) = (Vec::new(), Vec::new());
    for (id, body) in (0u32..).map(BodyId).zip(cell.bodies()).filter(|(_, body)| stands(body)) {
        match shape(body, reach).and_then(|mesh| Part::new(&mesh, noise).map_err(|fault| fault.to_string())) {
            Ok(part) => parts.push(StandingPart { name: body.name.clone(), body: id, part }),
            Err(fault) => faults.push(format!("object \"{}\": {fault}", body.name)),
        }
    }
    if faults.is_empty() { Ok(parts) } else { Err(faults) }
}

/// All pieces of a body as one mesh in the world.
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
                    let mesh = primitive.tessellated(ROUND * reach).ok_or("a shape without an end")?;
                    add(&mesh, &|p| world_from_piece * p);
                }
            },
        }
    }
    Ok(Arc::new(mesh::weld(&points, &triangles, 0.0).map_err(|fault| fault.to_string())?.mesh))
}
