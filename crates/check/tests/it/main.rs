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

/// How many cases a test of random ones takes: all of them with `./test --all`, and fewer for those who wait.
pub(crate) fn cases(all: usize, few: usize) -> usize {
    if std::env::var_os("KANSHO_ALL").is_some() { all } else { few }
}
