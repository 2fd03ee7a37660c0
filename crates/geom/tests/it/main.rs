//! Laws of shapes, on bodies whose answers are known in closed form.

mod bodies;
mod depth;
mod mesh;
mod polyhedron;
mod primitive;
mod tree;
mod triangle;
