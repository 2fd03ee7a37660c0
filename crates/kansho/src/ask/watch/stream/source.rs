use super::queue::Item;
use super::relay::Reads;
use super::{Notice, StreamNotice};
use kansho_io::live::{LONGEST_LINE, Line, LiveReader, next_line};
use std::io::{BufReader, Read};
use std::net::TcpListener;
use std::time::{Duration, Instant};

/// A caller that takes no answer for this long is left.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where lines come from.
pub(super) struct Source {
    /// For callers, one after the other, for ever; or else there is standard input alone.
    listener: Option<TcpListener>,
    /// Understands lines; as it is before the first.
    fresh: LiveReader,
    /// Nobody calls right now.
    lines: Option<Lines>,
    /// Who is told of what goes wrong with where lines come from.
    notice: Notice,
}

/// What came.
pub(super) enum Next {
    Item(Item),
    /// A line without anything in it.
    Blank,
    /// A caller has gone. The next one waits until all is answered.
    Gone,
    /// Nothing more comes.
    End,
}

impl Source {
    pub(super) fn one(input: Box<dyn Read + Send>, reader: LiveReader, notice: Notice) -> Self {
        let lines = Lines::new(input, reader.clone());
        Self { listener: None, fresh: reader, lines: Some(lines), notice }
    }

    pub(super) fn callers(listener: TcpListener, reader: LiveReader, notice: Notice) -> Self {
        Self { listener: Some(listener), fresh: reader, lines: None, notice }
    }

    fn next_caller(&mut self) -> Next {
        let Some(listener) = &self.listener else { return Next::End };
        let opened = listener.accept().and_then(|(stream, _)| {
            stream.set_nodelay(true)?; // An answer must not wait for the next.
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok((stream.try_clone()?, stream))
        });
        match opened {
            Ok((answers, stream)) => {
                // Each begins with nothing: nobody's joints are those of another.
                self.lines = Some(Lines::new(Box::new(stream), self.fresh.clone()));
                Next::Item(Item::Caller(answers))
            }
            Err(error) => {
                (self.notice)(StreamNotice::Connection(error));
                std::thread::sleep(Duration::from_millis(100)); // If it goes on, not as fast as it can.
                Next::Blank
            }
        }
    }
}

impl Reads for Source {
    /// Waits for a line, or for somebody to call.
    fn next(&mut self) -> Next {
        let Some(lines) = &mut self.lines else { return self.next_caller() };
        match (lines.next(), &self.listener) {
            (Ok(Some(next)), _) => next,
            // A connection that breaks is one that ends.
            (Ok(None) | Err(_), Some(_)) => {
                self.lines = None;
                Next::Gone
            }
            (Ok(None), None) => Next::End,
            (Err(error), None) => {
                (self.notice)(StreamNotice::Input(error));
                Next::End
            }
        }
    }

    /// Whether the next line is here already: asking for it does not wait.
    fn has_line(&self) -> bool {
        self.lines.as_ref().is_some_and(|lines| lines.input.buffer().contains(&b'\n'))
    }
}

/// The lines of one who sends.
struct Lines {
    input: BufReader<Stamped>,
    reader: LiveReader,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    fn new(input: Box<dyn Read + Send>, reader: LiveReader) -> Self {
        let input = BufReader::new(Stamped { input, arrived: Instant::now() });
        Self { input, reader, line: Vec::new(), number: 0 }
    }

    /// None at the end.
    fn next(&mut self) -> std::io::Result<Option<Next>> {
        let end = next_line(&mut self.input, &mut self.line)?;
        // When its last byte came in: it may have waited here behind others since then.
        let arrived = self.input.get_ref().arrived;
        self.number += 1;
        let said = match end {
            Line::End => return Ok(None),
            Line::Whole if self.line.trim_ascii().is_empty() => return Ok(Some(Next::Blank)),
            Line::Whole => self.reader.read(&self.line),
            Line::TooLong => Err(format!("the line is longer than {LONGEST_LINE} bytes")),
        };
        Ok(Some(Next::Item(Item::Line { number: self.number, arrived, said })))
    }
}

/// Remembers when it last read something.
struct Stamped {
    input: Box<dyn Read + Send>,
    arrived: Instant,
}

impl Read for Stamped {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buffer);
        self.arrived = Instant::now();
        count
    }
}
