//! Replies, written as they are made: in RESP2, or in RESP3 for clients that say HELLO 3.
//!
//! They go into a buffer without a tree of values in between, since a range of a thousand members
//! would be a thousand allocations. Where the protocols differ, the text of doubles for one, it is
//! Redis's own that counts: <https://redis.io/docs/latest/develop/reference/protocol-spec/>.

use std::io::Write as _;

use zset_core::Score;

/// The version of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// RESP2: what every client knows.
    #[default]
    Resp2,
    /// RESP3, with maps, sets, doubles and one null.
    Resp3,
}

/// A buffer of replies.
///
/// # Examples
///
/// ```
/// use zset_server::{Protocol, Replies};
///
/// let mut replies = Replies::default();
/// replies.map(1);
/// replies.bulk(b"proto");
/// replies.integer(2);
/// assert_eq!(replies.bytes(), b"*2\r\n$5\r\nproto\r\n:2\r\n");
///
/// replies.clear();
/// replies.set_protocol(Protocol::Resp3);
/// replies.map(0);
/// assert_eq!(replies.bytes(), b"%0\r\n");
/// ```
#[derive(Debug, Default)]
pub struct Replies {
    protocol: Protocol,
    bytes: Vec<u8>,
}

impl Replies {
    /// Changes the protocol of the replies to come.
    pub fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    /// Returns the protocol.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Returns what is written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Removes what is written, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Removes the first `len` bytes, and keeps the memory. **O(n)** of what is left.
    pub(crate) fn remove_front(&mut self, len: usize) {
        self.bytes.drain(..len);
    }

    /// Gives back memory beyond `capacity` bytes that holds nothing.
    pub(crate) fn shrink_to(&mut self, capacity: usize) {
        if self.bytes.capacity() > capacity {
            self.bytes.shrink_to(capacity);
        }
    }

    /// Removes what was written after there were `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    /// Writes a short text that says how it went: `OK`.
    pub fn status(&mut self, text: &str) {
        self.line(b'+', text.as_bytes());
    }

    /// Writes an error; its first word says of which kind it is. It has no line breaks, or they become
    /// spaces. Each character stands for the byte of its number, since errors repeat bytes that are no text.
    pub fn error(&mut self, text: &str) {
        self.bytes.push(b'-');
        self.bytes.extend(text.chars().map(|character| match u8::try_from(character) {
            Ok(b'\r' | b'\n') => b' ',
            Ok(byte) => byte,
            Err(_) => b'?',
        }));
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// Writes an integer.
    pub fn integer(&mut self, integer: i64) {
        self.number(b':', integer);
    }

    /// Writes a number of something.
    pub fn count(&mut self, count: usize) {
        self.integer(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Writes bytes.
    pub fn bulk(&mut self, bytes: &[u8]) {
        self.len(b'$', bytes.len());
        self.bytes.extend_from_slice(bytes);
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// Writes a score: a double, or its text.
    pub fn score(&mut self, score: Score) {
        match self.protocol {
            Protocol::Resp2 => self.text(format_args!("{score}")),
            Protocol::Resp3 => self.formatted(format_args!(",{score}\r\n")),
        }
    }

    /// Writes a text that is made on the spot, of at most a few hundred bytes.
    pub fn text(&mut self, text: std::fmt::Arguments<'_>) {
        let text = text.to_string();
        self.bulk(text.as_bytes());
    }

    /// Writes a text for people to read.
    pub fn verbatim(&mut self, text: &str) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(text.as_bytes()),
            Protocol::Resp3 => {
                self.len(b'=', text.len() + 4);
                self.bytes.extend_from_slice(b"txt:");
                self.bytes.extend_from_slice(text.as_bytes());
                self.bytes.extend_from_slice(b"\r\n");
            }
        }
    }

    /// Writes that there is no such thing.
    pub fn null(&mut self) {
        self.bytes.extend_from_slice(match self.protocol {
            Protocol::Resp2 => b"$-1\r\n",
            Protocol::Resp3 => b"_\r\n",
        });
    }

    /// Writes that there is no such list of things.
    pub fn null_array(&mut self) {
        self.bytes.extend_from_slice(match self.protocol {
            Protocol::Resp2 => b"*-1\r\n",
            Protocol::Resp3 => b"_\r\n",
        });
    }

    /// Begins an array; that many replies have to follow.
    pub fn array(&mut self, len: usize) {
        self.len(b'*', len);
    }

    /// Begins a map; that many pairs have to follow.
    pub fn map(&mut self, len: usize) {
        match self.protocol {
            Protocol::Resp2 => self.len(b'*', 2 * len),
            Protocol::Resp3 => self.len(b'%', len),
        }
    }

    /// Begins a set; that many replies have to follow.
    pub fn set(&mut self, len: usize) {
        self.len(if self.protocol == Protocol::Resp2 { b'*' } else { b'~' }, len);
    }

    /// Begins an array of pairs: of flat ones in RESP2, of arrays in RESP3.
    pub fn pairs(&mut self, len: usize) {
        self.array(if self.protocol == Protocol::Resp2 { 2 * len } else { len });
    }

    /// Begins one of the pairs of [`pairs`](Self::pairs).
    pub fn pair(&mut self) {
        if self.protocol == Protocol::Resp3 {
            self.array(2);
        }
    }

    fn line(&mut self, kind: u8, text: &[u8]) {
        self.bytes.push(kind);
        self.bytes.extend_from_slice(text);
        self.bytes.extend_from_slice(b"\r\n");
    }

    fn len(&mut self, kind: u8, len: usize) {
        self.number(kind, i64::try_from(len).unwrap_or(i64::MAX));
    }

    fn number(&mut self, kind: u8, number: i64) {
        // Most are lengths of one digit.
        if let Ok(digit @ 0..=9) = u8::try_from(number) {
            self.bytes.extend_from_slice(&[kind, b'0' + digit, b'\r', b'\n']);
        } else {
            self.bytes.push(kind);
            self.formatted(format_args!("{number}\r\n"));
        }
    }

    fn formatted(&mut self, text: std::fmt::Arguments<'_>) {
        // A vector takes all that is written to it.
        let _ = self.bytes.write_fmt(text);
    }
}
