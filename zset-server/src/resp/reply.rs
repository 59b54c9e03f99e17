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

/// The most bytes around those of a text: its kind, its length, and two ends of lines.
const MAX_FRAME: usize = 1 + 20 + 2 + 2;

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
#[derive(Debug)]
pub struct Replies {
    protocol: Protocol,
    bytes: Vec<u8>,
    max_len: usize,
    is_cut: bool,
}

impl Default for Replies {
    fn default() -> Self {
        let protocol = Protocol::default();
        Replies { protocol, bytes: Vec::new(), max_len: usize::MAX, is_cut: false }
    }
}

impl Replies {
    /// Takes nothing more when there are more than `max_len` bytes. The text is then incomplete: it is of
    /// no use to the client, but no transaction of large ranges takes all memory.
    pub(crate) fn set_max_len(&mut self, max_len: usize) {
        self.max_len = max_len;
    }

    /// Returns whether something was not taken, so that what is there is not whole.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns whether nothing more is taken, for whoever is about to write.
    fn is_full(&mut self) -> bool {
        self.is_cut |= self.bytes.len() > self.max_len;
        self.is_cut
    }

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
        self.truncate(0);
    }

    /// Removes the first `len` bytes, and gives back memory of which little is in use. **O(n)** of what is
    /// left.
    pub(crate) fn remove_front(&mut self, len: usize) {
        self.bytes.drain(..len);
        if self.bytes.len() < self.bytes.capacity() / 8 {
            self.bytes.shrink_to(2 * self.bytes.len());
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
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
        // What was not taken would have come behind the bound.
        self.is_cut &= len > self.max_len;
    }

    /// Adds replies that are written already.
    pub(crate) fn append(&mut self, replies: &[u8]) {
        self.fixed(replies);
    }

    /// Writes a short text that says how it went: `OK`.
    pub fn status(&mut self, text: &str) {
        self.line(b'+', text.as_bytes());
    }

    /// Writes an error; its first word says of which kind it is. It has no line breaks, or they become
    /// spaces.
    pub fn error(&mut self, text: &str) {
        self.error_bytes(text.as_bytes());
    }

    /// Writes an error that quotes bytes, as [`error`](Self::error) does.
    pub(crate) fn error_bytes(&mut self, text: &[u8]) {
        if self.is_full() {
            return;
        }
        self.bytes.push(b'-');
        let one_line = |byte: &u8| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte };
        self.bytes.extend(text.iter().map(one_line));
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
        if self.is_full() {
            return;
        }
        // All at once, or what ends it would double the memory of a large one.
        self.bytes.reserve(bytes.len() + MAX_FRAME);
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
        // Most are the text of a score, and need no memory of their own.
        let mut short = [0; 64];
        let mut free = &mut short[..];
        if free.write_fmt(text).is_ok() {
            let len = 64 - free.len();
            self.bulk(&short[..len]);
        } else {
            self.bulk(text.to_string().as_bytes());
        }
    }

    /// Writes a text for people to read.
    pub fn verbatim(&mut self, text: &str) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(text.as_bytes()),
            Protocol::Resp3 => {
                self.len(b'=', text.len() + 4);
                self.fixed(b"txt:");
                self.fixed(text.as_bytes());
                self.fixed(b"\r\n");
            }
        }
    }

    /// Writes that there is no such thing.
    pub fn null(&mut self) {
        self.fixed(match self.protocol {
            Protocol::Resp2 => b"$-1\r\n",
            Protocol::Resp3 => b"_\r\n",
        });
    }

    /// Writes that there is no such list of things.
    pub fn null_array(&mut self) {
        self.fixed(match self.protocol {
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
        self.fixed(&[kind]);
        self.fixed(text);
        self.fixed(b"\r\n");
    }

    fn fixed(&mut self, bytes: &[u8]) {
        if !self.is_full() {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn len(&mut self, kind: u8, len: usize) {
        self.number(kind, i64::try_from(len).unwrap_or(i64::MAX));
    }

    fn number(&mut self, kind: u8, number: i64) {
        if self.is_full() {
            return;
        }
        // Most are lengths of one digit.
        if let Ok(digit @ 0..=9) = u8::try_from(number) {
            self.bytes.extend_from_slice(&[kind, b'0' + digit, b'\r', b'\n']);
        } else {
            self.bytes.push(kind);
            self.bytes.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
            self.bytes.extend_from_slice(b"\r\n");
        }
    }

    fn formatted(&mut self, text: std::fmt::Arguments<'_>) {
        if self.is_full() {
            return;
        }
        // A vector takes all that is written to it.
        let _ = self.bytes.write_fmt(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_large_reply_goes_with_it_though_some_is_left() {
        let mut replies = Replies::default();
        replies.bulk(&vec![b'x'; 1 << 20]);
        while replies.bytes().len() > 1000 {
            replies.remove_front(replies.bytes().len() / 2 + 1);
            assert!(replies.capacity() <= 8 * (replies.bytes().len() + 1));
        }
    }

    #[test]
    fn a_full_buffer_takes_nothing_more() {
        for protocol in [Protocol::Resp2, Protocol::Resp3] {
            let mut replies = Replies::default();
            replies.set_max_len(100);
            replies.set_protocol(protocol);
            replies.bulk(&[b'x'; 100]);
            let len = replies.bytes().len();
            assert!(!replies.is_cut());
            replies.bulk(b"more");
            assert!(replies.is_cut());
            replies.truncate(len);
            assert!(replies.is_cut(), "what was there is not whole either");
            replies.append(b"more");
            replies.integer(1);
            replies.integer(1000);
            replies.score(Score::from(1));
            replies.error("more");
            replies.status("more");
            replies.verbatim("more");
            replies.null();
            replies.null_array();
            replies.map(1);
            assert_eq!(replies.bytes().len(), len);
            replies.truncate(100);
            assert!(!replies.is_cut());
            replies.integer(1);
            assert!(replies.bytes().ends_with(b":1\r\n"));
        }
    }
}
