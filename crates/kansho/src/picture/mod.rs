//! Pictures of a cell, for people: surfaces with normals, surfaces with fewer triangles, and drawings without graphics hardware.
//!
//! Everything here is in single precision and for the eye only. No answer rests on it.

mod raster;
mod shade;
mod shapes;
mod thin;

pub use raster::{Drawable, View};
pub use shade::{Shaded, shade};
pub use shapes::Shapes;
pub use thin::{light, thin};
