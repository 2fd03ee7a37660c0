//! What is fuzzed: for each reader and each numeric core a function of bytes that panics where a promise is broken.
//!
//! | part | holds |
//! |---|---|
//! | `readers` | a target for each format: any bytes give a value or faults with places, and what is written is read back the same |
//! | `cores` | a target for each numeric core: bytes become small numbers and nasty ones, the answer is compared with an exact oracle |
//! | `told` | what every fault must say |
//! | `numbers` | bytes as numbers |
//! | `files` | files for readers that take paths |
//!
//! `fuzz/engine` runs them under libFuzzer, `tests/replay.rs` runs all kept inputs in every test run.

mod cores;
mod files;
mod numbers;
mod readers;
mod told;

/// Something to fuzz.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is also that of its folders.
    pub name: &'static str,
    /// Inputs to begin with, of our own making.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that its inputs are made of.
    pub words: &'static [&'static str],
    /// Runs one input.
    ///
    /// # Panics
    /// If a promise is broken; that is what is looked for.
    pub run: fn(&[u8]),
}

/// Every target.
#[must_use]
pub fn all() -> Vec<Target> {
    readers::all().into_iter().chain(cores::all()).collect()
}
