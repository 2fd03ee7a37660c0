//! What can touch.

use crate::joint::LinkId;
use kansho_geom::{Mesh, Pose, Primitive};
use std::sync::Arc;

/// A body of a [`crate::Cell`], by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

/// A link, a tool or an object with its shape. All of it moves as one.
#[derive(Clone, Debug)]
pub struct Body {
    /// `robot/link`, `robot/tool`, or the name of the object.
    pub name: String,
    /// What it is.
    pub kind: BodyKind,
    /// What carries it.
    pub carrier: Carrier,
    /// Its shapes, placed in the frame of the carrier. At least one.
    pub pieces: Vec<BodyPiece>,
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// A link of a robot.
    Link,
    /// The tool of a robot.
    Tool,
    /// An object, standing in the cell or held by a robot.
    Object,
}

/// What carries a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// The world: it stands still.
    World,
    /// A link.
    Link(LinkId),
}

/// A shape and where it is.
#[derive(Clone, Debug)]
pub struct BodyPiece {
    /// The shape.
    pub geometry: Geometry,
    /// Its frame in that of what carries it.
    pub carrier_from_piece: Pose,
}

/// A shape. Meshes that stand several times in a cell are shared.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// Triangles.
    Mesh(Arc<Mesh>),
    /// A formula.
    Primitive(Primitive),
}

impl Geometry {
    /// Number of triangles; none of a primitive.
    #[must_use]
    pub fn triangles(&self) -> usize {
        match self {
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::Primitive(_) => 0,
        }
    }
}
