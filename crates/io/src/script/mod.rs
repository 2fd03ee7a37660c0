//! Movements in words: bodies with named features, and what to do with one of them.
//!
//! ```toml
//! units = "mm"                                   # angles in degrees
//! move = [
//!   { do = "approach", along = "-z", until = "block.A on table.B" },
//!   { do = "slide", along = "+x", keep = ["block.A on table.B"], by = 10 },
//! ]
//! [fixed.table]
//! box = [200, 100, 20]                           # or mesh, cylinder, sphere, plane
//! at = { xyz = [0, 0, -10] }
//! B = { face = "+z" }                            # features by selector, so plain STL works
//! [moved.block]
//! box = [40, 20, 10]
//! grasp = [0, 0, 5]                              # where the gripper holds it
//! start = { xyz = [0, 0, 20] }                   # rough is enough
//! A = { face = "-z" }
//! ```

mod keys;
mod moves;
mod read;
mod selector;

#[cfg(test)]
mod tests;

pub use keys::{schema, table_of_verbs};
pub use read::{LoadedScript, RobotOfScript, is_script, read};
