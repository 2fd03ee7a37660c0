use std::collections::VecDeque;
use std::net::TcpStream;
use std::time::Instant;

use kansho_io::live::LivePosture;

/// What comes in.
pub(super) enum Item {
    /// A line that was understood, or what is wrong with it.
    Line { number: u64, arrived: Instant, said: Result<LivePosture, String> },
    /// Somebody else has come: answers go there.
    Caller(TcpStream),
}

/// What waits to be answered. It never holds more than it was made for: when it is full, postures that wait are dropped, and only
/// the newest is kept. Lines that are wrong go last, for each of them wants an answer.
pub(super) struct Queue {
    items: VecDeque<Item>,
    /// Lines dropped since the last one was taken.
    dropped: u64,
    capacity: usize,
    /// Nothing is dropped: whoever reads waits instead.
    waits: bool,
}

impl Queue {
    pub(super) fn new(capacity: usize, waits: bool) -> Self {
        Self { items: VecDeque::new(), dropped: 0, capacity, waits }
    }

    /// Whether more may be read now.
    pub(super) fn has_room(&self) -> bool {
        !self.waits || self.items.len() < self.capacity
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds a line.
    pub(super) fn push(&mut self, item: Item) {
        if self.items.len() >= self.capacity {
            let before = self.items.len();
            self.items.retain(|item| !matches!(item, Item::Line { said: Ok(_), .. }));
            if self.items.len() >= self.capacity {
                self.items.pop_front();
            }
            self.dropped += (before - self.items.len()) as u64;
        }
        self.items.push_back(item);
    }

    /// The next one, and how many were dropped since the last.
    pub(super) fn pop(&mut self) -> Option<(Item, u64)> {
        let item = self.items.pop_front()?;
        Some((item, std::mem::take(&mut self.dropped)))
    }

    /// Lines that were never answered and nobody has been told of.
    pub(super) fn left(&self) -> u64 {
        let waiting = self.items.iter().filter(|item| matches!(item, Item::Line { .. })).count();
        self.dropped + waiting as u64
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

    fn taken(queue: &mut Queue) -> Option<(u64, u64)> {
        queue.pop().map(|(item, dropped)| match item {
            Item::Line { number, .. } => (number, dropped),
            Item::Caller(_) => (0, dropped),
        })
    }

    #[test]
    fn a_full_queue_drops_to_the_newest_and_keeps_what_is_wrong() {
        let mut queue = Queue::new(3, false);
        for (number, good) in [(1, true), (2, false), (3, true), (4, true), (5, true)] {
            queue.push(line(number, good));
        }
        let all: Vec<(u64, u64)> = std::iter::from_fn(|| taken(&mut queue)).collect();
        assert_eq!(all, [(2, 2), (4, 0), (5, 0)]);
    }

    #[test]
    fn a_queue_full_of_faults_counts_what_it_drops() {
        let mut queue = Queue::new(2, false);
        (1..=5).for_each(|number| queue.push(line(number, false)));
        assert_eq!(taken(&mut queue), Some((4, 3)));
        assert_eq!(queue.left(), 1);
    }

    #[test]
    fn a_queue_that_waits_has_room_until_it_is_full() {
        let mut queue = Queue::new(2, true);
        queue.push(line(1, true));
        assert!(queue.has_room());
        queue.push(line(2, false));
        assert!(!queue.has_room());
        assert_eq!(taken(&mut queue), Some((1, 0)));
        assert!(queue.has_room() && !queue.is_empty());
    }
}
