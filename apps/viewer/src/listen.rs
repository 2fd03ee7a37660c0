//! Connections: how many there are at a time, and how long each may keep us waiting.
//!
//! Other programs on this machine can connect. None of them can keep a browser out for longer than `head`: connections that say nothing end by
//! then, and so do those that send a request slowly or do not take its answer.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep};

/// How much is granted to whoever connects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Connections at a time.
    pub(crate) connections: usize,
    /// How long a request may take to say what it wants, or a connection to say anything.
    pub(crate) head: Duration,
    /// How long an answer may wait for a reader who takes none of it.
    pub(crate) stalled: Duration,
}

impl Default for Limits {
    /// A browser opens six connections for a page, and asks again where one has ended.
    fn default() -> Self {
        Self { connections: 128, head: Duration::from_secs(20), stalled: Duration::from_secs(20) }
    }
}

/// Answers whoever connects, until the process ends.
pub(crate) async fn answer(listener: TcpListener, router: Router, limits: Limits) {
    let room = Arc::new(Semaphore::new(limits.connections));
    loop {
        let Ok(turn) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, or somebody who has left already: the next one may be luckier.
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let _turn = turn;
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(limits.head);
            // Who breaks off, or is broken off, is told nothing.
            let _ = http.serve_connection(TokioIo::new(Patient::new(stream, limits.stalled)), service).await;
        });
    }
}

/// A connection whose reader has to take something now and then.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// Until when, while something waits to be taken.
    until: Pin<Box<Sleep>>,
    waits: bool,
}

impl Patient {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream, patience, until: Box::pin(sleep(patience)), waits: false }
    }

    /// Passes on what became of a write; one that waits for too long has failed.
    fn watched<T>(&mut self, written: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waits = false;
            return written;
        }
        if !self.waits {
            self.waits = true;
            self.until.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.until.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watched(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.watched(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream as Client};

    /// Somebody who answers with a lot, and where.
    fn listening(limits: Limits) -> SocketAddr {
        let (told, address) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
                told.send(listener.local_addr().expect("an address")).expect("somebody waits");
                let large = || async { vec![7_u8; 64 << 20] };
                let router = Router::new().route("/", get(|| async { "here" })).route("/large", get(large));
                answer(listener, router, limits).await;
            });
        });
        address.recv().expect("it listens")
    }

    fn connect(address: SocketAddr) -> Client {
        let client = Client::connect(address).expect("it listens");
        // Only a test that would fail waits as long as this.
        client.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        client
    }

    fn ask(address: SocketAddr) -> String {
        let mut client = connect(address);
        client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("sent");
        let mut text = String::new();
        client.read_to_string(&mut text).expect("text");
        text
    }

    const SHORT: Limits =
        Limits { connections: 3, head: Duration::from_millis(300), stalled: Duration::from_millis(300) };

    #[test]
    fn those_who_say_nothing_or_little_do_not_keep_others_out() {
        let address = listening(SHORT);
        let silent: Vec<Client> = (0..20)
            .map(|k| {
                let mut client = connect(address);
                if k % 2 == 0 {
                    client.write_all(b"GET / HTTP/1.1\r\nHost:").expect("sent");
                }
                client
            })
            .collect();
        assert!(ask(address).ends_with("here"));
        // All of them have been told to go: nothing more can be read.
        for mut client in silent {
            let mut rest = Vec::new();
            let _ = client.read_to_end(&mut rest);
            assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
        }
    }

    #[test]
    fn those_who_take_no_answer_do_not_keep_others_out() {
        let address = listening(SHORT);
        let idle: Vec<Client> = (0..9)
            .map(|_| {
                let mut client = connect(address);
                client.write_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
                client
            })
            .collect();
        assert!(ask(address).ends_with("here"));
        drop(idle);
    }

    #[test]
    fn a_connection_serves_many_requests() {
        let address = listening(Limits::default());
        let mut client = connect(address);
        for _ in 0..50 {
            client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
            let mut text = Vec::new();
            while !text.ends_with(b"here") {
                let mut more = [0; 256];
                let count = client.read(&mut more).expect("an answer");
                assert!(count > 0, "it ended");
                text.extend(&more[..count]);
            }
        }
    }
}
