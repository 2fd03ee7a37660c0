//! Offline robot programming with proof.
//!
//! ```no_run
//! use kansho::io::mesh::{self, MeshOptions};
//! use kansho::geom::{Polyhedron, polyhedron::MergeOptions};
//!
//! let part = mesh::read("bracket.stl".as_ref(), &MeshOptions::default())?;
//! println!("{} triangles, closed: {}", part.mesh.triangles().len(), part.audit.is_solid());
//! for warning in &part.warnings {
//!     println!("{warning}");
//! }
//! let body = Polyhedron::from_mesh(&part.mesh, &MergeOptions::default());
//! println!("{} faces, {} edges", body.faces().len(), body.edges().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use kansho_cell as cell;
pub use kansho_check as check;
pub use kansho_contact as contact;
pub use kansho_geom as geom;
pub use kansho_io as io;
pub use kansho_plan as plan;
