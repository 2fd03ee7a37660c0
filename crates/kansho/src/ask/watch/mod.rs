//! How near is a cell that moves to a collision, posture by posture?

mod answer;
mod engine;
mod tally;

pub use answer::{Watch, WatchAnswer, WatchOptions, WatchedLine, WrongLine};
pub use tally::Tally;
