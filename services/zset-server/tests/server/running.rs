//! Starts a server in this process, and connects clients to it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use zset_server::{Limits, Options};

use crate::patient::{Patient, retry};
pub(crate) use crate::serving::{Running, options};

/// The timeout of a reply. Only a failing test waits that long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

impl Running {
    pub(crate) fn with_limits(limits: Limits) -> Running {
        Running::with(Options { limits, ..options() })
    }

    pub(crate) fn connect(&self) -> Peer<TcpStream> {
        let stream = retry(|| TcpStream::connect(self.address)).expect("the server listens");
        // Disable Nagle's algorithm, so that short requests are sent immediately.
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Peer { stream: Patient(stream) }
    }

    /// Stops the server, and waits until it has stopped.
    pub(crate) fn stop(mut self) {
        self.stopper.stop();
        let thread = self.thread.take().expect("the server runs");
        thread.join().expect("the server does not panic").expect("the server starts");
    }
}

/// Returns a request that sets a string, which may be longer than a line.
pub(crate) fn set(key: &str, value: &str) -> String {
    let (key_len, len) = (key.len(), value.len());
    format!("*3\r\n$3\r\nSET\r\n${key_len}\r\n{key}\r\n${len}\r\n{value}\r\n")
}

/// A client that sends and receives bytes.
pub(crate) struct Peer<S> {
    pub(crate) stream: Patient<S>,
}

impl<S: Read + Write> Peer<S> {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }

    /// Reads a reply, which must be these bytes.
    #[track_caller]
    pub(crate) fn expect(&mut self, bytes: &[u8]) {
        let mut reply = vec![0; bytes.len()];
        self.stream.read_exact(&mut reply).expect("the server replies");
        assert_eq!(reply.escape_ascii().to_string(), bytes.escape_ascii().to_string());
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, request: &[u8], reply: &[u8]) {
        self.send(request);
        self.expect(reply);
    }

    /// Sets a string, which may be longer than a line.
    #[track_caller]
    pub(crate) fn set(&mut self, key: &str, value: &str) {
        self.send(set(key, value).as_bytes());
        self.expect(b"+OK\r\n");
    }

    /// Reads a line, and returns it without its line end.
    pub(crate) fn line(&mut self) -> String {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).expect("the server replies");
            line.extend(byte);
        }
        String::from_utf8_lossy(&line[..line.len() - 2]).into_owned()
    }

    pub(crate) fn ask_line(&mut self, request: &[u8]) -> String {
        self.send(request);
        self.line()
    }

    /// Reads a reply, which must be a bulk string.
    pub(crate) fn bulk(&mut self) -> String {
        let len = self.line().trim_start_matches('$').parse::<usize>().expect("a length");
        let mut text = vec![0; len + 2];
        self.stream.read_exact(&mut text).expect("the server replies");
        String::from_utf8_lossy(&text[..len]).into_owned()
    }

    pub(crate) fn ask_bulk(&mut self, request: &[u8]) -> String {
        self.send(request);
        self.bulk()
    }

    /// Returns the number after a name in a section of INFO.
    pub(crate) fn info(&mut self, section: &str, name: &str) -> usize {
        let info = self.ask_bulk(format!("INFO {section}\r\n").as_bytes());
        let digits = info.lines().find_map(|line| line.strip_prefix(name));
        digits.expect("INFO has the line").parse().expect("a number")
    }

    /// Reads the last reply, which must be these bytes, and waits until the server closes the
    /// connection.
    #[track_caller]
    pub(crate) fn expect_last(&mut self, bytes: &[u8]) {
        self.expect(bytes);
        assert_eq!(self.stream.read(&mut [0]).expect("the server closes the connection"), 0);
    }
}
