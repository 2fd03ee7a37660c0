use super::queue::{Item, Queue};
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

/// Reads lines from standard input until it ends.
pub(super) fn standard_input(mut reader: LiveReader, queue: &Queue) {
    if let Err(error) = lines(BufReader::new(std::io::stdin()), &mut reader, queue) {
        say::fault("standard input", error.to_string());
    }
    queue.end();
}

/// Takes callers, one after the other, for ever.
pub(super) fn callers(listener: &TcpListener, reader: &LiveReader, queue: &Queue) {
    for stream in listener.incoming() {
        let opened = stream.and_then(|stream| {
            stream.set_nodelay(true)?; // An answer must not wait for the next.
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok((stream.try_clone()?, stream))
        });
        let (answers, stream) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                say::note(&format!("a connection failed: {error}"));
                std::thread::sleep(Duration::from_millis(100)); // If it goes on, not as fast as it can.
                continue;
            }
        };
        queue.push(Item::Caller(answers));
        // Each begins with nothing: nobody's joints are those of another. A connection that breaks is one that ends.
        let _ = lines(BufReader::new(stream), &mut reader.clone(), queue);
        queue.drain();
    }
}

fn lines(mut input: BufReader<impl Read>, reader: &mut LiveReader, queue: &Queue) -> std::io::Result<()> {
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        let end = next_line(&mut input, &mut line)?;
        let arrived = Instant::now();
        number += 1;
        let said = match end {
            Line::End => return Ok(()),
            Line::Whole if line.trim_ascii().is_empty() => continue,
            Line::Whole => reader.read(&line),
            Line::TooLong => Err(format!("the line is longer than {LONGEST_LINE} bytes")),
        };
        queue.push(Item::Line { number, arrived, said });
    }
}
