//! A job beside its cell: its map, the path through it, and what comes of changing that path by hand.

mod reproof;
mod task;

pub use reproof::{
    ChangedPath, KnownMotions, PathEditAnswer, PathMark, PathMarkKind, PathVerdict, path_edit,
};
pub use task::{CellState, MapCellAnswer, MapPlace, Task, TaskParts};
