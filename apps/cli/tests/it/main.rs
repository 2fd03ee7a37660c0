//! The command as its users call it.

mod bad_files;
mod cells;
mod collide;
mod command;
mod models;
mod monitor;
mod postures;
mod problems;
mod real_files;
mod run;
mod spheres;
