//! Jobs: a work path, and how a robot may follow it, from `job.toml`.
//!
//! | part | does |
//! |---|---|
//! | [`read`] | a job, its cell and its path become a [`LoadedJob`], or every fault is told with its place |
//! | `points` | the table of points, in several orders of columns |
//! | [`ProgressFile`] | how far a plan has got |
//! | [`schema`] | the JSON schema of the file, for editors |

mod keys;
mod points;
mod progress;
mod read;
#[cfg(test)]
mod tests;
mod timing;

pub use keys::schema;
pub use progress::ProgressFile;
pub use read::{LoadedJob, is_job, read};
