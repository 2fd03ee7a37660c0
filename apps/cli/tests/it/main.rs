//! The command as its users call it.

mod answers;
mod bad_files;
mod ccd;
mod cells;
mod check;
mod collide;
mod command;
mod contact;
mod example_cells;
#[cfg(target_os = "linux")]
mod faults;
mod fields;
mod golden;
#[cfg(unix)]
mod guide;
mod lead;
mod models;
mod monitor;
mod moving;
mod plan;
mod postures;
mod problems;
mod programs;
mod real_files;
mod reasons;
mod regressions;
mod run;
mod settings;
mod spheres;
mod view;
mod words;
