//! Postures as lines that come in, answers as lines that go out: two threads that read and answer, and a queue between them that never
//! grows.

mod desk;
mod queue;
mod relay;
mod source;

use super::{Tally, Watch, WatchAnswer};
use desk::Desk;
use kansho_io::live::LiveReader;
use queue::Queue;
use relay::Relay;
use source::Source;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Is told of each answer, with its posture and when that arrived.
pub type OnAnswer = Box<dyn FnMut(&WatchAnswer<'_>, &[f64], Instant) + Send>;

/// Is told of what goes wrong with where lines come from.
pub type Notice = fn(StreamNotice);

/// What goes wrong with where lines come from.
#[derive(Debug)]
pub enum StreamNotice {
    /// Somebody called, and the connection failed. The next one is waited for.
    Connection(std::io::Error),
    /// What is read cannot be read on, so it ends here.
    Input(std::io::Error),
}

/// Where lines come from, and where answers go.
pub enum StreamEnds {
    /// One who sends, and one who takes answers.
    One {
        /// Lines.
        input: Box<dyn Read + Send>,
        /// Answers.
        output: Box<dyn Write + Send>,
    },
    /// Callers, one after the other.
    Callers(TcpListener),
}

/// How many lines may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamOptions {
    /// When there are more, all postures but the newest are dropped.
    pub queue: usize,
    /// Nothing is dropped: who sends waits.
    pub every: bool,
}

/// A stream of postures that is watched.
#[derive(Clone)]
pub struct Stream {
    relay: Arc<Relay<Source, Desk>>,
    tally: Arc<Mutex<Tally>>,
}

impl Stream {
    /// Prepares it; nothing is read yet.
    #[must_use]
    pub fn new(
        watch: Watch,
        reader: LiveReader,
        ends: StreamEnds,
        options: &StreamOptions,
        on_answer: Option<OnAnswer>,
        notice: Notice,
    ) -> Self {
        let tally = Arc::<Mutex<Tally>>::default();
        let (source, out) = match ends {
            StreamEnds::One { input, output } => (Source::one(input, reader, notice), Some(output)),
            StreamEnds::Callers(listener) => (Source::callers(listener, reader, notice), None),
        };
        let desk = Desk::new(watch, on_answer, Arc::clone(&tally), out);
        let queue = Queue::new(options.queue, options.every);
        Self { relay: Arc::new(Relay::new(queue, source, desk)), tally }
    }

    /// Reads and answers until there is nothing more, or until it is stopped.
    ///
    /// # Errors
    /// Answers cannot be written.
    pub fn run(&self) -> std::io::Result<()> {
        relay::run(&self.relay)
    }

    /// Nothing more is to be answered.
    pub fn stop(&self) {
        self.relay.stop();
    }

    /// Looks at what happened so far; with lines that were never answered among those that were dropped.
    pub fn tally<T>(&self, look: impl FnOnce(&Tally) -> T) -> T {
        let left = self.relay.left();
        let mut tally = lock(&self.tally);
        tally.dropped += left;
        let seen = look(&tally);
        tally.dropped -= left;
        seen
    }
}

/// Nothing is left half done while it is locked.
fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}
