//! Readers of files.

mod certificates;
mod meshes;
mod motions;
mod programs;
mod robots;
mod small_arm;
mod tables;
mod toml;
mod toolpaths;

use crate::Target;

pub(crate) fn all() -> Vec<Target> {
    [
        meshes::all(),
        robots::all(),
        toml::all(),
        tables::all(),
        programs::all(),
        toolpaths::all(),
        motions::all(),
        certificates::all(),
    ]
    .concat()
}
