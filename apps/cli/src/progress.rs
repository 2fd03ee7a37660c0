//! How far a long job is: one line on standard error, only on a terminal, and for whoever else asks.

use kansho::budget::{Stage, Stages};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The newest job that is not over: its label, how many of its rows are done, and how many there are.
static NEWEST: Mutex<Option<(&'static str, Arc<AtomicUsize>, usize)>> = Mutex::new(None);

/// How far the newest job is: its label, how many of its rows are done, and how many there are.
pub(crate) fn newest() -> Option<(&'static str, usize, usize)> {
    let newest = NEWEST.lock().unwrap_or_else(PoisonError::into_inner);
    newest.as_ref().map(|(label, done, rows)| (*label, done.load(Ordering::Relaxed), *rows))
}

/// Shows how many of some rows are done until it is dropped.
pub(crate) struct Progress {
    done: Arc<AtomicUsize>,
    shown: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    pub(crate) fn of(rows: usize) -> Self {
        Self::labelled("", rows)
    }

    /// With a word before the numbers.
    pub(crate) fn labelled(label: &'static str, rows: usize) -> Self {
        let done = Arc::new(AtomicUsize::new(0));
        *NEWEST.lock().unwrap_or_else(PoisonError::into_inner) = Some((label, Arc::clone(&done), rows));
        let shown = std::io::stderr().is_terminal().then(|| {
            let (stop, stopped) = channel::<()>();
            let done = Arc::clone(&done);
            let show = move || {
                let mut wrote = false;
                let began = Instant::now();
                while stopped
                    .recv_timeout(Duration::from_millis(250))
                    .is_err_and(|why| why == RecvTimeoutError::Timeout)
                {
                    let now = done.load(Ordering::Relaxed);
                    let percent = now * 100 / rows.max(1);
                    let left = match (now, began.elapsed().as_secs_f64()) {
                        (1.., so_far) if so_far > 1.0 => {
                            let left = so_far * (rows.saturating_sub(now)) as f64 / now as f64;
                            format!(", about {left:.0} s left")
                        }
                        _ => String::new(),
                    };
                    let _ = write!(std::io::stderr(), "\r\x1b[2K{label}{now} of {rows} ({percent} %{left})");
                    wrote = true;
                }
                if wrote {
                    let _ = write!(std::io::stderr(), "\r\x1b[2K");
                }
            };
            (stop, std::thread::spawn(show))
        });
        Self { done, shown }
    }

    /// Whoever does the work adds what is done.
    pub(crate) fn counter(&self) -> &AtomicUsize {
        &self.done
    }
}

impl Stage for Progress {
    fn counter(&self) -> &AtomicUsize {
        &self.done
    }
}

/// Shows the stages of a call one after the other.
#[derive(Debug)]
pub(crate) struct Shown;

impl Stages for Shown {
    fn begin(&self, label: &'static str, steps: usize) -> Box<dyn Stage + '_> {
        Box::new(Progress::labelled(label, steps))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let mut newest = NEWEST.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.as_ref().is_some_and(|(_, done, _)| Arc::ptr_eq(done, &self.done)) {
            *newest = None;
        }
        drop(newest);
        if let Some((stop, shown)) = self.shown.take() {
            drop(stop);
            let _ = shown.join();
        }
    }
}
