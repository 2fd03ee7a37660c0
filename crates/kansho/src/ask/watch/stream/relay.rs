use super::desk::After;
use super::queue::{Item, Queue};
use super::source::Next;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often whoever stands by looks after the other.
const LOOK: Duration = Duration::from_millis(1);

/// Looks in vain after which it sleeps until it is called.
const LOOKS: u32 = 50;

/// Where lines come from.
pub(super) trait Reads: Send + 'static {
    /// Waits for something.
    fn next(&mut self) -> Next;

    /// Whether the next line is here already: asking for it does not wait.
    fn has_line(&self) -> bool;
}

/// Where lines are answered.
pub(super) trait Answers: Send + 'static {
    /// Answers a line, before which so many were dropped.
    fn answer(&mut self, item: Item, dropped: u64) -> std::io::Result<After>;
}

/// Two workers that share reading and answering.
///
/// Handing a line from one thread to another takes longer than to answer it. So whoever has read a line answers it too, if nobody
/// else is answering, and the other one stands by. A line that takes long, or an answer that nobody takes, must not keep lines
/// from being read: if the reader has not come back to reading at two looks, a [`LOOK`] apart, the other one goes on reading in
/// its place, into the queue, which drops what is too much. The first one then answers what waits, and stands by when there
/// is nothing more.
pub(super) struct Relay<S, D> {
    state: Mutex<State>,
    /// Whoever stands by, or waits for room, has something to look at.
    call: Condvar,
    /// All is over.
    over: Condvar,
    /// Locked by the one that reads, and only by that.
    source: Mutex<S>,
    /// Locked by the one that answers, and only by that.
    desk: Mutex<D>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worker {
    One,
    Other,
}

struct State {
    queue: Queue,
    /// Who reads, or will go on to when it has answered; none at first and at the end.
    reader: Option<Worker>,
    /// Who answers.
    answerer: Option<Worker>,
    /// How often reading was begun.
    reads: u64,
    /// Whoever stands by sleeps until it is called.
    asleep: bool,
    /// A caller has gone: what waits is answered before the next one is let in.
    draining: bool,
    /// Nothing more comes.
    ended: bool,
    /// Nothing more is answered.
    stopped: bool,
    /// A worker has panicked.
    broken: bool,
    /// Answers cannot be written.
    lost: Option<std::io::Error>,
}

impl State {
    fn is_over(&self) -> bool {
        let is_done = self.stopped || (self.ended && self.queue.is_empty());
        self.broken || (is_done && self.answerer.is_none())
    }

    /// Whether somebody may read now.
    fn may_read(&self) -> bool {
        !self.ended && self.queue.has_room() && (!self.draining || self.queue.is_empty())
    }
}

/// Reads and answers until there is nothing more, or until it is stopped.
///
/// # Errors
/// Answers cannot be written.
pub(super) fn run<S: Reads, D: Answers>(relay: &Arc<Relay<S, D>>) -> std::io::Result<()> {
    for worker in [Worker::One, Worker::Other] {
        let relay = Arc::clone(relay);
        // They are not waited for: one may sit in a pipe from which nothing comes.
        std::thread::spawn(move || {
            let watch = Watched(&relay);
            watch.0.work(worker);
        });
    }
    let mut state = relay.lock();
    while !state.is_over() {
        state = relay.over.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    assert!(!state.broken, "a thread that watches has panicked");
    state.stopped = true;
    state.lost.take().map_or(Ok(()), Err)
}

/// Tells if a worker panics: nobody else would know.
struct Watched<'a, S: Reads, D: Answers>(&'a Relay<S, D>);

impl<S: Reads, D: Answers> Drop for Watched<'_, S, D> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().broken = true;
            self.0.over.notify_all();
        }
    }
}

impl<S: Reads, D: Answers> Relay<S, D> {
    pub(super) fn new(queue: Queue, source: S, desk: D) -> Self {
        let state = State {
            queue,
            reader: None,
            answerer: None,
            reads: 0,
            asleep: false,
            draining: false,
            ended: false,
            stopped: false,
            broken: false,
            lost: None,
        };
        Self {
            state: Mutex::new(state),
            call: Condvar::new(),
            over: Condvar::new(),
            source: Mutex::new(source),
            desk: Mutex::new(desk),
        }
    }

    /// Nothing more is to be answered.
    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        self.tell_all(&state);
    }

    /// Lines that were never answered and nobody has been told of.
    pub(super) fn left(&self) -> u64 {
        self.lock().queue.left()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing is left half done while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_all(&self, state: &State) {
        self.call.notify_all();
        if state.is_over() {
            self.over.notify_all();
        }
    }

    fn work(&self, me: Worker) {
        let mut vigil = Vigil::default();
        let mut state = self.lock();
        loop {
            if state.is_over() || state.stopped {
                self.tell_all(&state);
                return;
            }
            state = if state.answerer.is_none() && !state.queue.is_empty() {
                self.answer(me, state)
            } else if state.reader.is_none_or(|reader| reader == me) && state.may_read() {
                self.read(me, state)
            } else {
                self.stand_by(me, &mut vigil, state)
            };
        }
    }

    /// Answers the next line.
    fn answer<'a>(&'a self, me: Worker, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let had_room = state.may_read();
        let Some((item, dropped)) = state.queue.pop() else { return state };
        state.answerer = Some(me);
        // Whoever waits for room has it now; whoever sleeps must look after us.
        if (!had_room && state.may_read()) || std::mem::take(&mut state.asleep) {
            self.call.notify_all();
        }
        drop(state);
        let after = self.desk.lock().unwrap_or_else(PoisonError::into_inner).answer(item, dropped);
        let mut state = self.lock();
        state.answerer = None;
        match after {
            Ok(After::GoOn) => {}
            Ok(After::Stop) => state.stopped = true,
            Err(error) => {
                state.lost = Some(error);
                state.stopped = true;
            }
        }
        state
    }

    /// Waits for a line, and takes all that came with it.
    fn read<'a>(&'a self, me: Worker, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.reader = Some(me);
        state.reads += 1;
        state.draining = false;
        drop(state);
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = source.next();
        let mut state = self.lock();
        loop {
            match next {
                Next::Item(item) => state.queue.push(item),
                Next::Blank => {}
                Next::Gone => state.draining = true,
                Next::End => state.ended = true,
            }
            if !(state.may_read() && source.has_line()) {
                return state;
            }
            next = source.next();
        }
    }

    /// Waits for the other one, for one look at most, or until it is called if nothing has happened for long. If the other one
    /// does not come back to reading in time, this one reads from now on.
    fn stand_by<'a>(
        &'a self,
        me: Worker,
        vigil: &mut Vigil,
        mut state: MutexGuard<'a, State>,
    ) -> MutexGuard<'a, State> {
        let is_held_up = state.reader.is_some_and(|reader| reader != me) && state.reader == state.answerer;
        if vigil.reads != state.reads {
            *vigil = Vigil { reads: state.reads, looks: 0, held_up: 0 };
        }
        vigil.held_up = if is_held_up { vigil.held_up + 1 } else { 0 };
        if vigil.held_up > 1 {
            state.reader = Some(me);
            return state;
        }
        vigil.looks += 1;
        if vigil.looks < LOOKS {
            return self.call.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        // There is nothing that this one could do: whoever changes that calls.
        vigil.looks = 0;
        state.asleep = true;
        self.call.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// What whoever stands by has seen of the other one.
#[derive(Default)]
struct Vigil {
    /// How often reading was begun when it last looked.
    reads: u64,
    /// Looks since then.
    looks: u32,
    /// Those of them, the last ones, at which the reader was answering.
    held_up: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_io::live::LivePosture;
    use std::sync::mpsc::{Sender, channel};
    use std::time::Instant;

    /// Numbers that look like chance.
    struct Chance(u64);

    impl Chance {
        /// A pause that is often as long as a look, and seldom longer.
        fn pause(&mut self, longest: u64) {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let micros = (self.0 >> 33) % (longest + 1);
            if micros > 0 {
                std::thread::sleep(Duration::from_micros(micros));
            }
        }
    }

    struct Numbers {
        next: u64,
        count: u64,
        chance: Chance,
        longest: u64,
        /// Lines that come at once.
        burst: u64,
    }

    impl Reads for Numbers {
        fn next(&mut self) -> Next {
            if self.next == self.count {
                return Next::End;
            }
            if self.next.is_multiple_of(self.burst) {
                self.chance.pause(self.longest);
            }
            self.next += 1;
            match self.next % 11 {
                0 => Next::Blank,
                _ => {
                    let said = Ok(LivePosture { posture: Vec::new(), time: None, id: None });
                    Next::Item(Item::Line { number: self.next, arrived: Instant::now(), said })
                }
            }
        }

        fn has_line(&self) -> bool {
            self.next < self.count && !self.next.is_multiple_of(self.burst)
        }
    }

    struct Slow {
        chance: Chance,
        longest: u64,
        answered: Sender<(u64, u64)>,
    }

    impl Answers for Slow {
        fn answer(&mut self, item: Item, dropped: u64) -> std::io::Result<After> {
            self.chance.pause(self.longest);
            if let Item::Line { number, .. } = item {
                self.answered.send((number, dropped)).expect("the test listens");
            }
            Ok(After::GoOn)
        }
    }

    /// Runs a relay to its end: lines that were answered, with those that were dropped before each.
    fn answered(queue: Queue, count: u64, longest: [u64; 2], burst: u64) -> Vec<(u64, u64)> {
        let (send, answers) = channel();
        let source = Numbers { next: 0, count, chance: Chance(count), longest: longest[0], burst };
        let desk = Slow { chance: Chance(7), longest: longest[1], answered: send };
        let relay = Arc::new(Relay::new(queue, source, desk));
        let done = channel();
        std::thread::spawn(move || {
            run(&relay).expect("answers can be written");
            done.0.send(()).expect("the test waits");
        });
        // If both stand by and nobody calls, this is where it shows.
        done.1.recv_timeout(Duration::from_secs(60)).expect("it comes to an end");
        answers.try_iter().collect()
    }

    #[test]
    fn nothing_is_lost_where_the_sender_waits() {
        for (capacity, longest, burst) in [
            (1, [0, 2500], 50),
            (1, [0, 1100], 1),
            (3, [2000, 2000], 5),
            (16, [1200, 1200], 1),
            (2, [0, 0], 7),
        ] {
            let found = answered(Queue::new(capacity, true), 300, longest, burst);
            let expected: Vec<(u64, u64)> = (1..=300).filter(|k| k % 11 != 0).map(|k| (k, 0)).collect();
            assert_eq!(found, expected, "{capacity} {longest:?} {burst}");
        }
    }

    #[test]
    fn lines_are_read_while_an_answer_takes_long() {
        for (capacity, longest, burst) in [(1, [0, 4000], 1), (4, [300, 4000], 3), (16, [100, 3000], 100)] {
            let found = answered(Queue::new(capacity, false), 3300, longest, burst);
            let lines: u64 = found.iter().map(|(_, dropped)| dropped + 1).sum();
            assert_eq!((lines, found.last().map(|last| last.0)), (3000, Some(3299)), "{capacity} {burst}");
            assert!(found.windows(2).all(|two| two[0].0 < two[1].0));
            assert!(found.len() < 3000, "some must be dropped");
        }
    }
}
