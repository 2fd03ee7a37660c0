//! Does a body hold another, or a piece of it? Told by solid angles, and by formulas.

use super::seen::CellTrees;
use crate::inside::{closed_or_not, closed_pieces, winding};
use kansho_cell::{BodyId, Cell, Geometry};
use kansho_geom::glam::DVec3;
use kansho_geom::{Pose, Primitive};

/// What of a body may hold others, and points of it that may be held; in its own coordinates.
#[derive(Debug, Default)]
pub(super) struct Insides {
    /// A point of each connected piece.
    points: Vec<DVec3>,
    /// For each mesh the triangles of its closed pieces, with the box around them.
    closed: Vec<(Vec<[DVec3; 3]>, [DVec3; 2])>,
    formulas: Vec<(Primitive, Pose)>,
}

impl Insides {
    fn new(cell: &Cell, body: BodyId) -> Self {
        let mut insides = Self::default();
        let body = cell.body(body);
        let first = body.pieces.first().map_or(Pose::IDENTITY, |piece| piece.carrier_from_piece);
        for piece in &body.pieces {
            let body_from_shape = first.inverse() * piece.carrier_from_piece;
            match &piece.geometry {
                Geometry::Mesh(mesh) => {
                    insides.points.extend(closed_or_not(mesh).into_iter().map(|p| body_from_shape * p));
                    let mut closed = closed_pieces(mesh);
                    closed.iter_mut().for_each(|corners| *corners = corners.map(|p| body_from_shape * p));
                    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                    for corner in closed.iter().flatten() {
                        (low, high) = (low.min(*corner), high.max(*corner));
                    }
                    insides.closed.push((closed, [low, high]));
                }
                Geometry::Primitive(primitive) => {
                    // A half-space is inside nothing that ends.
                    if primitive.aabb().is_some() {
                        insides.points.push(body_from_shape * DVec3::ZERO);
                    }
                    insides.formulas.push((*primitive, body_from_shape));
                }
            }
        }
        insides
    }

    /// Whether a shape of this body holds a connected piece of another.
    ///
    /// What is outside the box around closed surfaces is not inside of them. That rounding of the box decides nothing: a point that is so
    /// near to it, and inside, would be as near to a surface, and regions have shown that it is farther.
    pub(super) fn holds_one_of(&self, other: &Self, self_from_other: Pose) -> bool {
        let mut points = other.points.iter().map(|point| self_from_other * *point);
        points.any(|point| {
            let in_mesh = self.closed.iter().any(|(closed, [low, high])| {
                let is_beyond = point.cmplt(*low).any() || point.cmpgt(*high).any();
                !is_beyond && !(winding(closed, point).abs() <= 0.5)
            });
            let in_formula = |(primitive, self_from_shape): &(Primitive, Pose)| {
                primitive.contains(self_from_shape.inverse() * point)
            };
            in_mesh || self.formulas.iter().any(in_formula)
        })
    }
}

impl CellTrees {
    /// What may hold others, of a body: made when first asked for.
    pub(super) fn insides(&self, cell: &Cell, body: BodyId) -> &Insides {
        self.insides[body.0 as usize].get_or_init(|| Insides::new(cell, body))
    }
}
