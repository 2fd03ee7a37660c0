//! What a long call may take, and how far it is.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a long call may take. What is not decided when the budget is used up is undecided, never free.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget<'a> {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Whoever sets this wants no answer any more.
    pub stop: Option<&'a AtomicBool>,
    /// Counts the rows that are done.
    pub progress: Option<&'a AtomicUsize>,
}

impl Budget<'_> {
    /// A deadline, from a number of seconds that starts now.
    #[must_use]
    pub fn deadline_after(timeout: Option<Duration>) -> Option<Instant> {
        timeout.and_then(|timeout| Instant::now().checked_add(timeout))
    }

    /// Whether nobody wants the answer any more, or its time is over.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether nobody wants the answer any more.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Counts a row that is done.
    pub fn one_done(&self) {
        if let Some(progress) = self.progress {
            progress.fetch_add(1, Ordering::Relaxed);
        }
    }
}
