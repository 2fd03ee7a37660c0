use super::CoverFault;
use crate::bounds::Aabb;
use crate::mesh::Mesh;
use crate::primitive::{Primitive, Shape};
use glam::DVec3;

/// What is covered. Curved faces are taken as curved.
#[derive(Clone, Copy, Debug)]
pub enum Surface<'a> {
    /// Triangles.
    Mesh(&'a Mesh),
    /// The surface of a primitive.
    Primitive(&'a Primitive),
    /// The surface of a ring around z.
    Torus {
        /// From the axis to the middle of the tube.
        ring: f64,
        /// Radius of the tube; less than that of the ring.
        tube: f64,
    },
}

impl Surface<'_> {
    pub(super) fn aabb(&self) -> Result<Aabb, CoverFault> {
        match self {
            Self::Mesh(mesh) => Ok(mesh.aabb()),
            Self::Primitive(primitive) => primitive.aabb().ok_or(CoverFault::Infinite),
            Self::Torus { ring, tube } => Ok(Aabb::centred(DVec3::new(ring + tube, ring + tube, *tube))),
        }
    }

    /// Distance of a point from a surface with a formula; none of triangles.
    pub(super) fn formula(&self, p: DVec3) -> Option<f64> {
        match self {
            Self::Mesh(_) => None,
            Self::Primitive(primitive) => Some(primitive.signed_distance(p).abs()),
            Self::Torus { ring, tube } => {
                let from_tube_middle = (p.truncate().length() - ring).hypot(p.z);
                Some((from_tube_middle - tube).abs())
            }
        }
    }

    /// Whether the formula describes a surface without end.
    pub(super) fn is_infinite(&self) -> bool {
        matches!(self, Self::Primitive(primitive) if matches!(primitive.shape(), Shape::HalfSpace { .. }))
    }
}
