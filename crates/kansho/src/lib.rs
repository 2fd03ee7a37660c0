//! Offline robot programming with proof.
//!
//! Is a motion of a robot free of collision? Proven, or its first contact, or honestly undecided:
//!
//! ```
//! use kansho::cell::{JointMotion, builtin};
//! use kansho::check::motion::{MotionOptions, MotionScene};
//! use kansho::check::scene::Scene;
//! use kansho::check::verdict::Verdict;
//! use kansho::verify::motion::verify_motion;
//! use std::sync::Arc;
//!
//! let cell = Arc::new(builtin::cell()); // `io::cell::read` reads a cell.toml.
//! let scene = Scene::new(Arc::clone(&cell)).with_models();
//! let scene = MotionScene::new(&scene);
//! let [start, goal] = [0.0_f64, 12.0].map(|turn| [turn, -35.0, 15.0, 0.0, 35.0, 0.0].map(f64::to_radians).to_vec());
//! let motion = JointMotion::lines(&[start, goal])?;
//!
//! let options = MotionOptions { clearance: 0.005, ..MotionOptions::default() };
//! match scene.motion(&motion, &options, &mut scene.workspace()).verdict {
//!     Verdict::Free(proof) => println!("free, at least {} m apart", proof.clearance),
//!     Verdict::Touches(witness) => println!("first contact at {}, gap {}", witness.time.end, witness.gap),
//!     Verdict::Undecided { open } => println!("undecided from {} on", open.start),
//! }
//!
//! let certificate = scene.certify(&motion, &options)?;
//! verify_motion(&cell, &motion, &certificate)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is in a file, and what is wrong with it:
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

pub mod answer;
pub mod ask;
pub mod budget;
pub mod fact;
pub mod load;
pub mod picture;
pub mod prepared;
pub mod scene;
pub mod shown;
pub mod table;
pub mod threads;

pub use kansho_cell as cell;
pub use kansho_check as check;
pub use kansho_contact as contact;
pub use kansho_geom as geom;
pub use kansho_io as io;
pub use kansho_plan as plan;
pub use kansho_verify as verify;
