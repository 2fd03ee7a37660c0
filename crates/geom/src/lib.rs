//! Shapes, and exact answers about them.
//!
//! | part | answers |
//! |---|---|
//! | [`Pose`] | where is a rigid thing? |
//! | [`Mesh`] | which triangles bound it? Welded and validated once, at construction |
//! | [`mesh::audit()`] | is that surface closed, oriented, free of T-junctions? |
//! | [`Polyhedron`] | which flat faces (with holes), straight edges and corners does it have? |
//! | [`Primitive`] | boxes, spheres, cylinders, capsules, cones, half-spaces |
//! | [`bounds`] | what encloses it? |
//! | [`pose_motion`] | where is a moving thing, and how far do its points travel? |
//! | [`crowd`] | which of many bodies are near one another? |
//! | [`sign`] | on which side? Decided exactly |
//! | [`triangle`] | do two triangles touch (exactly), and how far apart are they? |
//! | [`tree`] | do two meshes meet, and how far apart are they? |
//! | [`solid`] | the same of meshes and primitives in any mix |
//! | [`field`] | how far is everything that stands still from a point, at once? |
//! | [`moving_features`] | when do moving points, segments and triangles first touch? Decided exactly |
//! | [`random`] | numbers by chance, the same everywhere |
//! | [`polygon`] | which triangles fill this outline? |
//!
//! Lengths are metres, angles radians. There are no robots and no files here, and time only as the `t` of a path.

pub mod bounds;
pub mod crowd;
pub mod field;
mod lanes;
pub mod mesh;
pub mod moving_features;
pub mod polygon;
pub mod polyhedron;
mod polynomial;
mod pose;
pub mod pose_motion;
pub mod primitive;
pub mod random;
pub mod sign;
pub mod solid;
pub mod spheres;
pub mod tolerance;
pub mod tree;
pub mod triangle;
pub mod turns;

pub use bounds::{Aabb, Ball};
pub use lanes::{SIMD_CHOICES, SIMD_VARIABLE};
pub use mesh::Mesh;
pub use polyhedron::Polyhedron;
pub use pose::{NotRigid, Pose};
pub use primitive::Primitive;
pub use solid::Solid;

/// The vector library, so that users name the same version of it.
pub use glam;
