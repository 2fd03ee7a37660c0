//! Laws of shapes, on bodies whose answers are known in closed form.

mod bodies;
mod contact_oracle;
mod depth;
mod field;
mod gap;
mod laws;
mod mesh;
mod moving;
mod polyhedron;
mod primitive;
mod solid;
mod spheres;
mod tree;
mod triangle;
