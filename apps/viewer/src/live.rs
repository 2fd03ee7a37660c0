//! A cell that moves now: what somebody who watches it found, for the page to show.
//!
//! Whoever tells never waits: where the page is being answered at that moment, an instant is left out. Pages that do not ask, or ask slowly, find
//! the newest instants only; nothing grows.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError, TryLockError};

/// Instants that are kept.
const KEPT: usize = 600;

/// What was found at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tick {
    /// Which line it was.
    pub line: u64,
    /// Seconds since the first.
    pub seconds: f64,
    /// The posture.
    pub posture: Vec<f64>,
    /// The least gap, in metres; none if nothing can touch.
    pub gap: Option<f64>,
    /// Which bodies, by their numbers in the cell.
    pub bodies: Option<[u32; 2]>,
    /// Where.
    pub points: Option<[[f64; 3]; 2]>,
    /// Nothing touches sooner, in seconds; none if never.
    pub time_to_contact: Option<f64>,
    /// When it would touch if all went on like this, in seconds.
    pub estimate: Option<f64>,
    /// Lines that were dropped before it.
    pub dropped: u64,
}

/// Where instants are told, and asked for.
#[derive(Debug, Default)]
pub struct Live {
    kept: Mutex<Kept>,
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

impl Live {
    /// Tells an instant. Where that would have to wait, it is left out; whether it was told.
    pub fn tell(&self, tick: Tick) -> bool {
        let mut kept = match self.kept.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        kept.count += 1;
        kept.hits += u64::from(tick.gap == Some(0.0));
        if kept.course.len() == KEPT {
            kept.course.pop_front();
        }
        kept.course.push_back((tick.seconds, tick.gap, tick.time_to_contact));
        kept.newest = tick;
        true
    }

    /// Whether something was told after so many.
    pub(crate) fn is_after(&self, count: u64) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).count > count
    }

    /// All that is new after so many.
    pub(crate) fn after(&self, count: u64) -> Value {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = usize::try_from(kept.count.saturating_sub(count)).unwrap_or(KEPT).min(kept.course.len());
        let course: Vec<_> = kept.course.range(kept.course.len() - fresh..).copied().collect();
        let (newest, count, hits) = (kept.newest.clone(), kept.count, kept.hits);
        drop(kept); // Words are made while somebody else may tell.
        json!({
            "count": count, "hits": hits, "course": course,
            "newest": (count > 0).then(|| json!({
                "line": newest.line, "seconds": newest.seconds, "posture": newest.posture, "gap": newest.gap,
                "bodies": newest.bodies, "points": newest.points, "time_to_contact": newest.time_to_contact,
                "estimate": newest.estimate, "dropped": newest.dropped,
            })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(line: u64) -> Tick {
        Tick { line, seconds: line as f64, gap: Some(0.5), ..Tick::default() }
    }

    #[test]
    fn what_is_new_is_told_once_and_nothing_grows() {
        let live = Live::default();
        assert_eq!(live.after(0)["newest"], Value::Null);
        assert!(!live.is_after(0));
        for line in 1..=2000 {
            assert!(live.tell(tick(line)));
        }
        let all = live.after(0);
        assert_eq!((all["count"].as_u64(), all["newest"]["line"].as_u64()), (Some(2000), Some(2000)));
        assert_eq!(all["course"].as_array().map(Vec::len), Some(KEPT));
        assert_eq!(all["course"][0][0], 1401.0);
        assert!(!live.is_after(2000));
        live.tell(Tick { gap: Some(0.0), ..tick(2001) });
        let more = live.after(2000);
        assert_eq!((more["course"].as_array().map(Vec::len), more["hits"].as_u64()), (Some(1), Some(1)));
        // A page that knows more than there was asks about another run.
        assert_eq!(live.after(9000)["course"].as_array().map(Vec::len), Some(0));
    }

    #[test]
    fn who_tells_never_waits() {
        let live = Live::default();
        let held = live.kept.lock().expect("nobody else");
        assert!(!live.tell(tick(1)));
        drop(held);
        assert!(live.tell(tick(2)));
        assert_eq!(live.after(0)["newest"]["line"], 2);
    }
}
