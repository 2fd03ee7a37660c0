//! Meshes and primitives in every mix, against closed forms and against proofs.
//!
//! A gap between convex bodies is proven from both sides with formulas of its own: two points that lie in the bodies and are
//! that far apart, and two parallel planes that far apart with a body beyond each. Meeting is proven by a common point.

mod bodies;
mod border;
mod closed_forms;
mod laws;
mod triangles;
