//! Jobs: a work path, and how a robot may follow it, from `job.toml`.
//!
//! | part | does |
//! |---|---|
//! | [`read`] | a job, its cell and its path become a [`LoadedJob`], or every fault is told with its place |
//! | `points` | the table of points, in several orders of columns |
//! | [`LoadedJob::in_cell`] | the same job where something stands elsewhere |
//! | [`LoadedJob::relaxed`] | the same job with something let go of |
//! | [`LoadedJob::placed`] | the same job with work or robot elsewhere |
//! | [`ProgressFile`] | how far a plan has got |
//! | [`schema`] | the JSON schema of the file, for editors |

mod keys;
mod place;
mod points;
mod progress;
mod read;
mod relax;
#[cfg(test)]
mod tests;
mod timing;
mod vary;

pub use keys::schema;
pub use place::{PLACE_AXES, PlaceGrid, PlaceOf, Placement};
pub use progress::ProgressFile;
pub use read::{JobMotion, LoadedJob, is_job, read};
pub use relax::{Relaxation, RelaxationKind};
pub use timing::JobTiming;
pub use vary::JobFrames;
