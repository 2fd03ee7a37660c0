use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kansho::io::live::LivePosture;

/// What comes in.
pub(super) enum Item {
    /// A line that was understood, or what is wrong with it.
    Line { number: u64, arrived: Instant, said: Result<LivePosture, String> },
    /// Somebody else has come: answers go there.
    Caller(TcpStream),
}

/// Between the thread that reads and the one that answers. It never holds more than it was made for: when it is full, postures
/// that wait are dropped, and only the newest is kept. Lines that are wrong go last, for each of them wants an answer.
pub(super) struct Queue {
    state: Mutex<State>,
    /// Something has come, or the end.
    more: Condvar,
    /// Something has been taken.
    room: Condvar,
    capacity: usize,
    /// Nothing is dropped: the reader waits instead.
    waits: bool,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    /// Lines dropped since the last one was taken.
    dropped: u64,
    /// Nothing more comes.
    ended: bool,
    /// Nothing more is taken.
    stopped: bool,
}

impl Queue {
    pub(super) fn new(capacity: usize, waits: bool) -> Self {
        let state = Mutex::new(State::default());
        Self { state, more: Condvar::new(), room: Condvar::new(), capacity, waits }
    }

    /// Adds a line.
    pub(super) fn push(&self, item: Item) {
        let mut state = self.lock();
        while self.waits && state.items.len() >= self.capacity && !state.stopped {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.items.len() >= self.capacity {
            let before = state.items.len();
            state.items.retain(|item| !matches!(item, Item::Line { said: Ok(_), .. }));
            if state.items.len() >= self.capacity {
                state.items.pop_front();
            }
            state.dropped += (before - state.items.len()) as u64;
        }
        state.items.push_back(item);
        self.more.notify_one();
    }

    /// Waits until everything has been taken.
    pub(super) fn drain(&self) {
        let mut state = self.lock();
        while !state.items.is_empty() && !state.stopped {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next one, and how many were dropped since the last; none at the end.
    pub(super) fn pop(&self) -> Option<(Item, u64)> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(item) = state.items.pop_front() {
                self.room.notify_all();
                return Some((item, std::mem::take(&mut state.dropped)));
            }
            if state.ended {
                return None;
            }
            state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more comes.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.more.notify_all();
    }

    /// Nothing more is to be taken.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.more.notify_all();
        self.room.notify_all();
    }

    /// Lines that were never answered and nobody has been told of.
    pub(super) fn left(&self) -> u64 {
        let state = self.lock();
        let waiting = state.items.iter().filter(|item| matches!(item, Item::Line { .. })).count();
        state.dropped + waiting as u64
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked left whole items behind.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64, good: bool) -> Item {
        let live = || LivePosture { posture: Vec::new(), time: None, id: None };
        let said = if good { Ok(live()) } else { Err(String::new()) };
        Item::Line { number, arrived: Instant::now(), said }
    }

    fn taken(queue: &Queue) -> Option<(u64, u64)> {
        queue.pop().map(|(item, dropped)| match item {
            Item::Line { number, .. } => (number, dropped),
            Item::Caller(_) => (0, dropped),
        })
    }

    #[test]
    fn a_full_queue_drops_to_the_newest_and_keeps_what_is_wrong() {
        let queue = Queue::new(3, false);
        for (number, good) in [(1, true), (2, false), (3, true), (4, true), (5, true)] {
            queue.push(line(number, good));
        }
        queue.end();
        let all: Vec<(u64, u64)> = std::iter::from_fn(|| taken(&queue)).collect();
        assert_eq!(all, [(2, 2), (4, 0), (5, 0)]);
    }

    #[test]
    fn a_queue_full_of_faults_counts_what_it_drops() {
        let queue = Queue::new(2, false);
        (1..=5).for_each(|number| queue.push(line(number, false)));
        assert_eq!(taken(&queue), Some((4, 3)));
        assert_eq!(queue.left(), 1);
        queue.stop();
        assert_eq!(taken(&queue), None);
    }

    #[test]
    fn a_queue_that_waits_drops_nothing() {
        let queue = Queue::new(2, true);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (1..=100).for_each(|number| queue.push(line(number, true)));
                queue.end();
            });
            let all: Vec<(u64, u64)> = std::iter::from_fn(|| taken(&queue)).collect();
            assert_eq!(all, (1..=100).map(|number| (number, 0)).collect::<Vec<_>>());
        });
    }
}
