use super::queue::Item;
use super::relay::Answers;
use super::{OnAnswer, lock};
use crate::ask::watch::Tally;
use crate::ask::watch::{Watch, WatchedLine, WrongLine};
use std::io::{ErrorKind, Write};
use std::sync::{Arc, Mutex};

/// Where lines are answered.
pub(super) struct Desk {
    watch: Watch,
    /// Who else is told of answers.
    on_answer: Option<OnAnswer>,
    /// Where answers go; nowhere if nobody takes them.
    out: Option<Box<dyn Write + Send>>,
    /// The answer, used again.
    text: Vec<u8>,
    tally: Arc<Mutex<Tally>>,
    /// Callers come and go.
    listens: bool,
}

/// What is to be done after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    GoOn,
    /// Nobody reads the answers any more.
    Stop,
}

impl Desk {
    /// Answers go to `out`, or to callers where there is none.
    pub(super) fn new(
        watch: Watch,
        on_answer: Option<OnAnswer>,
        tally: Arc<Mutex<Tally>>,
        out: Option<Box<dyn Write + Send>>,
    ) -> Self {
        let listens = out.is_none();
        Self { watch, on_answer, out, text: Vec::new(), tally, listens }
    }
}

impl Answers for Desk {
    /// Answers a line, and counts it. Its time ends when the answer is written.
    ///
    /// A reader that has gone away ends standard output, and is no fault; callers come and go.
    fn answer(&mut self, item: Item, dropped: u64) -> std::io::Result<After> {
        let (number, arrived, said) = match item {
            Item::Line { number, arrived, said } => (number, arrived, said),
            Item::Caller(stream) => {
                self.out = Some(Box::new(stream));
                self.watch.forget();
                return Ok(After::GoOn);
            }
        };
        self.text.clear();
        let hit = match &said {
            Ok(said) => {
                let answer = self.watch.answer(&WatchedLine { line: number, arrived, said, dropped });
                serde_json::to_writer(&mut self.text, &answer).expect("writing to memory succeeds");
                if let Some(on_answer) = &mut self.on_answer {
                    on_answer(&answer, &said.posture, arrived);
                }
                Some(answer.hit)
            }
            Err(error) => {
                let wrong = WrongLine { line: number, error, dropped };
                serde_json::to_writer(&mut self.text, &wrong).expect("writing to memory succeeds");
                None
            }
        };
        self.text.push(b'\n');
        let wrote = match &mut self.out {
            // One call of the system for the whole line.
            Some(out) => out.write_all(&self.text).and_then(|()| out.flush()),
            None => Ok(()), // A caller that did not take its answers.
        };
        let latency = arrived.elapsed();
        let mut tally = lock(&self.tally);
        match hit {
            Some(hit) => tally.add(hit, dropped, latency),
            None => tally.add_wrong(dropped),
        }
        drop(tally);
        match wrote {
            Ok(()) => Ok(After::GoOn),
            Err(_) if self.listens => {
                self.out = None;
                Ok(After::GoOn)
            }
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(After::Stop),
            Err(error) => Err(error),
        }
    }
}
