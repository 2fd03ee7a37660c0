//! Whole cells against a plain loop over all pairs.

mod approach;
mod models;
mod scene;
