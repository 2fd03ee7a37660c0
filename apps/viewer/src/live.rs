//! A cell that moves now: what somebody who watches it found, for the page to show.
//!
//! Whoever tells never waits for a page, and no instant is lost: the last one is shown, and all that touched are counted. Pages that do not ask,
//! or ask slowly, find the course of the newest instants only; nothing grows.

use crate::api::{LiveNews, NewestInstant};
use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

/// Instants that are kept.
const KEPT: usize = 600;

/// What was found at an instant.
pub type Tick = NewestInstant;

/// Where instants are told, and asked for.
///
/// There are two inboxes, so that whoever tells finds an open one: pages empty the first and then the second, one page at a time, and never hold
/// both. Instants go into the second only while the first is being emptied, so all of the second are later than what the first held, and earlier
/// than what it will hold: taken in this order they are in the order in which they were told.
#[derive(Debug, Default)]
pub struct Live {
    inboxes: [Mutex<Kept>; 2],
    /// How many are or were in an inbox.
    told: AtomicU64,
    /// What pages have taken from the inboxes.
    taken: Mutex<Kept>,
    /// Whether gaps are those of spheres around the bodies: then a gap of zero says that something may touch, not that it does.
    rough: bool,
}

#[derive(Debug, Default)]
struct Kept {
    /// How many were told.
    count: u64,
    /// Gap and time to contact of the newest, oldest first.
    course: VecDeque<(f64, Option<f64>, Option<f64>)>,
    newest: Tick,
    hits: u64,
}

impl Kept {
    fn push(&mut self, tick: Tick) {
        self.count += 1;
        self.hits += u64::from(tick.gap == Some(0.0));
        if self.course.len() == KEPT {
            self.course.pop_front();
        }
        self.course.push_back((tick.seconds, tick.gap, tick.time_to_contact));
        self.newest = tick;
    }

    fn append(&mut self, later: Self) {
        if later.count == 0 {
            return;
        }
        self.count += later.count;
        self.hits += later.hits;
        self.course.extend(later.course);
        self.course.drain(..self.course.len().saturating_sub(KEPT));
        self.newest = later.newest;
    }
}

impl Live {
    /// Of gaps that may be too small, those of spheres around the bodies.
    #[must_use]
    pub fn of_spheres() -> Self {
        Self { rough: true, ..Self::default() }
    }

    /// Tells an instant. It waits for nobody: an inbox is refused only while a page empties it, and then the other one is open.
    pub fn tell(&self, tick: Tick) {
        let mut open = self.inboxes.iter().cycle().find_map(|inbox| match inbox.try_lock() {
            Ok(open) => Some(open),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        if let Some(inbox) = &mut open {
            inbox.push(tick);
            self.told.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether something was told after so many.
    pub(crate) fn is_after(&self, count: u64) -> bool {
        self.told.load(Ordering::Acquire) > count
    }

    /// All that is new after so many.
    pub(crate) fn after(&self, count: u64) -> LiveNews {
        let mut kept = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        for inbox in &self.inboxes {
            let later = mem::take(&mut *inbox.lock().unwrap_or_else(PoisonError::into_inner));
            kept.append(later);
        }
        let fresh = usize::try_from(kept.count.saturating_sub(count)).unwrap_or(KEPT).min(kept.course.len());
        let course: Vec<_> = kept.course.range(kept.course.len() - fresh..).copied().collect();
        let newest = &kept.newest;
        LiveNews {
            count: kept.count,
            hits: kept.hits,
            course,
            rough: self.rough,
            newest: (kept.count > 0).then(|| newest.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn tick(line: u64) -> Tick {
        Tick { line, seconds: line as f64, gap: Some(0.5), ..Tick::default() }
    }

    #[test]
    fn what_is_new_is_told_once_and_nothing_grows() {
        let live = Live::default();
        assert_eq!(json!(live.after(0))["newest"], Value::Null);
        assert!(!live.is_after(0));
        for line in 1..=2000 {
            live.tell(tick(line));
        }
        let all = json!(live.after(0));
        assert_eq!((all["count"].as_u64(), all["newest"]["line"].as_u64()), (Some(2000), Some(2000)));
        assert_eq!(all["course"].as_array().map(Vec::len), Some(KEPT));
        assert_eq!(all["course"][0][0], 1401.0);
        assert!(!live.is_after(2000));
        live.tell(Tick { gap: Some(0.0), ..tick(2001) });
        let more = json!(live.after(2000));
        assert_eq!((more["course"].as_array().map(Vec::len), more["hits"].as_u64()), (Some(1), Some(1)));
        // A page that knows more than there was asks about another run.
        assert_eq!(json!(live.after(9000))["course"].as_array().map(Vec::len), Some(0));
    }

    #[test]
    fn who_tells_never_waits_and_nothing_is_lost() {
        let live = Live::default();
        // While a page is answered, and while it empties an inbox.
        let held = (live.taken.lock().expect("nobody else"), live.inboxes[0].lock().expect("nobody else"));
        live.tell(tick(1));
        live.tell(Tick { gap: Some(0.0), ..tick(2) });
        assert!(live.is_after(1) && !live.is_after(2));
        drop(held);
        let all = json!(live.after(0));
        assert_eq!(
            (all["count"].as_u64(), all["newest"]["line"].as_u64(), all["hits"].as_u64()),
            (Some(2), Some(2), Some(1))
        );
    }

    #[test]
    fn what_is_told_while_pages_ask_comes_in_its_order() {
        let live = Live::default();
        const TOLD: u64 = 50_000;
        std::thread::scope(|threads| {
            let pages: Vec<_> = (0..2)
                .map(|_| {
                    threads.spawn(|| {
                        let (mut count, mut last) = (0, 0.0);
                        while count < TOLD {
                            let news = json!(live.after(count));
                            for instant in news["course"].as_array().expect("a list") {
                                let seconds = instant[0].as_f64().expect("a number");
                                assert!(seconds > last, "{seconds} after {last}");
                                last = seconds;
                            }
                            count = news["count"].as_u64().expect("a number");
                            assert!(count == 0 || news["newest"]["line"].as_u64() == Some(count));
                        }
                        last
                    })
                })
                .collect();
            (1..=TOLD).for_each(|line| live.tell(tick(line)));
            for page in pages {
                assert_eq!(page.join().expect("no panic"), TOLD as f64);
            }
        });
    }
}
