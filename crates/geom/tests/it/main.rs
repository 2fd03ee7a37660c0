//! Laws of shapes, on bodies whose answers are known in closed form.

mod bodies;
mod depth;
mod field;
mod gap;
mod laws;
mod mesh;
mod polyhedron;
mod primitive;
mod solid;
mod spheres;
mod tree;
mod triangle;
