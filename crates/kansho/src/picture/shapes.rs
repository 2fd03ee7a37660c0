//! Which surfaces a cell has.

use kansho_cell::{Body, Cell, Geometry};
use kansho_geom::{Mesh, Primitive};
use std::collections::HashMap;
use std::sync::Arc;

/// How far flat faces that stand for round ones may lie inside, as a fraction of the size: not visible on a screen.
const ROUND: f64 = 5e-4;

/// Shapes of a cell, each once.
#[derive(Debug)]
pub struct Shapes {
    /// Surfaces to draw, and where they came from.
    pub list: Vec<(Arc<Mesh>, Geometry)>,
    /// For each body and each of its pieces the number of its surface; none of a half-space.
    pub of_pieces: Vec<Vec<Option<usize>>>,
}

impl Shapes {
    /// Meshes that stand several times in the cell are listed once. Those of boxes have the triangles that the cell is checked with.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        let mut known: HashMap<*const Mesh, usize> = HashMap::new();
        let mut list: Vec<(Arc<Mesh>, Geometry)> = Vec::new();
        let mut piece = |geometry: &Geometry| match geometry {
            Geometry::Mesh(mesh) => Some(*known.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                list.push((Arc::clone(mesh), geometry.clone()));
                list.len() - 1
            })),
            Geometry::Primitive(primitive) => {
                list.push((Arc::new(flat(primitive)?), geometry.clone()));
                Some(list.len() - 1)
            }
        };
        let of_body =
            |body: &Body| body.pieces.iter().map(|p| piece(&p.geometry)).collect::<Vec<Option<usize>>>();
        let of_pieces = cell.bodies().iter().map(of_body).collect();
        Self { list, of_pieces }
    }
}

fn flat(primitive: &Primitive) -> Option<Mesh> {
    primitive.tessellated(ROUND * primitive.aabb()?.diagonal())
}
