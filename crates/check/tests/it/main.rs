//! Whole cells against a plain loop over all pairs, and moving bodies against dense sampling.

mod approach;
mod attacks;
mod bisect;
mod kept;
mod kept_samples;
mod models;
mod motion;
mod moving;
mod route;
mod scene;
mod slide;
mod ways;
