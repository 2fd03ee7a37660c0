use super::End;
use super::queue::Item;
use super::relay::Answers;
use super::show::Shown;
use kansho::ask::watch::{Watch, WatchedLine, WrongLine};
use std::io::{ErrorKind, Write};
use std::sync::{Arc, PoisonError};

/// Where lines are answered.
pub(super) struct Desk {
    watch: Watch,
    /// Who shows it.
    shown: Option<Shown>,
    /// Where answers go; nowhere if nobody takes them.
    out: Option<Box<dyn Write + Send>>,
    /// The answer, used again.
    text: Vec<u8>,
    end: Arc<End>,
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
    pub(super) fn new(watch: Watch, shown: Option<Shown>, end: Arc<End>, listens: bool) -> Self {
        let out: Option<Box<dyn Write + Send>> =
            if listens { None } else { Some(Box::new(std::io::stdout())) };
        Self { watch, shown, out, text: Vec::new(), end, listens }
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
                if let Some(shown) = &self.shown {
                    shown.tell(&answer, &said.posture, arrived);
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
        let mut tally = self.end.tally.lock().unwrap_or_else(PoisonError::into_inner);
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
