//! How near is a cell that moves to a collision, posture by posture?

mod answer;
mod engine;
mod stream;
mod tally;

pub use answer::{Watch, WatchAnswer, WatchOptions, WatchedLine, WrongLine};
pub use stream::{Notice, OnAnswer, Stream, StreamEnds, StreamNotice, StreamOptions};
pub use tally::Tally;
