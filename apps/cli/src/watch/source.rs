use super::queue::Item;
use super::relay::Reads;
use crate::say;
use kansho::io::live::{LONGEST_LINE, Line, LiveReader, next_line};
use std::io::{BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

/// A caller that takes no answer for this long is left.
const PATIENCE: Duration = Duration::from_secs(10);

/// The address to listen on. Nobody from outside may reach it: there is no password.
pub(super) fn loopback(text: &str) -> Result<SocketAddr, String> {
    // Names are not looked up, but for the one that everybody knows.
    let number = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    match number.as_deref().unwrap_or(text).parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(address),
        Ok(address) => Err(format!("{} is not a loopback address; use 127.0.0.1:PORT", address.ip())),
        Err(_) => Err("an address and a port are wanted, as in 127.0.0.1:7000".into()),
    }
}

/// Where lines come from.
pub(super) struct Source {
    /// For callers, one after the other, for ever; or else there is standard input alone.
    listener: Option<TcpListener>,
    /// Understands lines; as it is before the first.
    fresh: LiveReader,
    /// Nobody calls right now.
    lines: Option<Lines>,
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
    pub(super) fn standard_input(reader: LiveReader) -> Self {
        let lines = Lines::new(Box::new(std::io::stdin()), reader.clone());
        Self { listener: None, fresh: reader, lines: Some(lines) }
    }

    pub(super) fn callers(listener: TcpListener, reader: LiveReader) -> Self {
        Self { listener: Some(listener), fresh: reader, lines: None }
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
                say::note(&format!("a connection failed: {error}"));
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
                say::fault("standard input", error.to_string());
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
