//! What a long call may take, and how far it is.

use std::fmt;
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
    /// Follows a call that has several stages.
    pub stages: Option<&'a dyn Stages>,
}

/// Whoever shows how far a call with several stages is.
pub trait Stages: fmt::Debug + Sync {
    /// A stage begins. The label says what it does and what it counts (`map: point `), and it has so many steps. It is over when it is dropped.
    fn begin(&self, label: &'static str, steps: usize) -> Box<dyn Stage + '_>;
}

/// A stage that goes on.
pub trait Stage: Sync {
    /// Where the call counts the steps that are done.
    fn counter(&self) -> &AtomicUsize;
}

/// Counts for nobody.
struct Unseen(AtomicUsize);

impl Stage for Unseen {
    fn counter(&self) -> &AtomicUsize {
        &self.0
    }
}

impl<'a> Budget<'a> {
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

    /// Begins a stage of so many steps.
    #[must_use]
    pub fn stage(&self, label: &'static str, steps: usize) -> Box<dyn Stage + 'a> {
        match self.stages {
            Some(stages) => stages.begin(label, steps),
            None => Box::new(Unseen(AtomicUsize::new(0))),
        }
    }
}
