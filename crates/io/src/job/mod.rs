//! Jobs: a work path, and how a robot may follow it, from `job.toml`.
//!
//! | part | does |
//! |---|---|
//! | [`read`] | a job, its cell and its path become a [`LoadedJob`], or every fault is told with its place |
//! | `points` | the table of points, in several orders of columns |
//! | [`LoadedJob::in_cell`] | the same job where something stands elsewhere |
//! | [`schema`] | the JSON schema of the file, for editors |

mod keys;
mod points;
mod read;
#[cfg(test)]
mod tests;
mod vary;

pub use keys::schema;
pub use read::{JobMotion, LoadedJob, read};
pub use vary::JobFrames;
