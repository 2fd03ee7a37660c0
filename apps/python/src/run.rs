//! Long calls: without the interpreter's lock, on some threads, until done, late or interrupted.

use kansho::budget::{Budget, Stage, Stages};
use kansho::threads;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often signals and progress are looked at.
const TICK: Duration = Duration::from_millis(50);

/// How a long call is to be done.
pub(crate) struct Asked<'py> {
    threads: Option<usize>,
    pub(crate) deadline: Option<Instant>,
    progress: Option<Bound<'py, PyAny>>,
}

/// What work and waiting tell each other.
#[derive(Debug, Default)]
pub(crate) struct Control {
    pub(crate) stop: AtomicBool,
    pub(crate) done: AtomicUsize,
    is_over: Mutex<bool>,
    over: Condvar,
}

impl Control {
    /// What the library is told of the call.
    pub(crate) fn budget(&self, deadline: Option<Instant>) -> Budget<'_> {
        Budget { deadline, stop: Some(&self.stop), progress: Some(&self.done), stages: None }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn wait(&self) -> bool {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.over.wait_timeout_while(is_over, TICK, |is_over| !*is_over);
        *wait.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Counts the points of a plan's map, which take most of its time, for `progress`.
#[derive(Debug)]
pub(crate) struct MapOnly<'a>(pub(crate) &'a Control);

/// Counts into a control, or for nobody.
enum Counted<'a> {
    Shown(&'a AtomicUsize),
    Unseen(AtomicUsize),
}

impl Stage for Counted<'_> {
    fn counter(&self) -> &AtomicUsize {
        match self {
            Self::Shown(counter) => counter,
            Self::Unseen(counter) => counter,
        }
    }
}

impl Stages for MapOnly<'_> {
    fn begin(&self, label: &'static str, _: usize) -> Box<dyn Stage + '_> {
        Box::new(match label.starts_with("map") {
            true => Counted::Shown(&self.0.done),
            false => Counted::Unseen(AtomicUsize::new(0)),
        })
    }
}

/// Tells whoever waits that it is over, also if the work ends in a panic.
struct Over<'a>(&'a Control);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        *self.0.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.over.notify_all();
    }
}

impl<'py> Asked<'py> {
    /// From what callers may say.
    pub(crate) fn new(
        threads: Option<usize>,
        timeout: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        if threads.is_some_and(|threads| !(1..=threads::MOST).contains(&threads)) {
            return Err(crate::errors::value("threads: a number of threads from 1 to 512"));
        }
        let seconds = timeout.map(|seconds| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| crate::errors::value("timeout: a number of seconds, zero or more"))
        });
        let deadline = seconds.transpose()?.and_then(|timeout| Instant::now().checked_add(timeout));
        if let Some(progress) = &progress
            && !progress.is_callable()
        {
            return Err(crate::errors::value("progress: something that can be called with (done, total)"));
        }
        Ok(Self { threads, deadline, progress })
    }

    /// Does work on the threads that were asked for, while signals are looked at and progress is told. What was interrupted has no answer.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'py>,
        total: usize,
        work: impl FnOnce(&Control) -> T + Send,
    ) -> PyResult<T> {
        let control = Control::default();
        let threads = self.threads;
        let tell = |done: usize| match &self.progress {
            Some(progress) => progress.call1((done.min(total), total)).map(|_| ()),
            None => Ok(()),
        };
        let (answer, interrupted) = std::thread::scope(|scope| {
            let control = &control;
            let worker = scope.spawn(move || {
                let _over = Over(control);
                threads::on(threads, || work(control))
            });
            let mut interrupted = None;
            while !py.detach(|| control.wait()) {
                if interrupted.is_some() {
                    continue;
                }
                let done = control.done.load(Ordering::Relaxed);
                if let Err(error) = py.check_signals().and_then(|()| tell(done)) {
                    control.stop.store(true, Ordering::Relaxed);
                    interrupted = Some(error);
                }
            }
            (worker.join(), interrupted)
        });
        match (answer, interrupted) {
            (_, Some(error)) => Err(error),
            (Err(panic), None) => std::panic::resume_unwind(panic),
            (Ok(answer), None) => {
                tell(total)?;
                Ok(answer)
            }
        }
    }
}
