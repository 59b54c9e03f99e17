//! [`Replies`]: serialized replies, in RESP2, or in RESP3 for a client that has sent HELLO 3. Both
//! protocols are specified at <https://redis.io/docs/latest/develop/reference/protocol-spec/>.
//! [`CommandError`]: the text of an error reply.
//!
//! Replies are written directly into a buffer. Building a tree of values first would need an
//! allocation for each member of a range.

use std::borrow::Cow;
use std::fmt;
use std::io::Write as _;

use zset_core::{IncrementError, NanScore, Score};

/// The version of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// RESP2, supported by every client.
    #[default]
    Resp2,
    /// RESP3, with maps, sets, doubles and a single null.
    Resp3,
}

/// The maximum overhead of a bulk string: its type, its length, and two line ends.
const MAX_FRAME: usize = 1 + 20 + 2 + 2;

/// A buffer of replies.
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
    /// Drops further writes once there are more than `max_len` bytes. The reply is then incomplete
    /// and useless to the client, but a transaction of large ranges cannot exhaust memory.
    pub(crate) fn set_max_len(&mut self, max_len: usize) {
        self.max_len = max_len;
    }

    /// Returns whether writes were dropped, so that the replies are incomplete.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns whether further writes are dropped; called before each write.
    fn is_full(&mut self) -> bool {
        self.is_cut |= self.bytes.len() > self.max_len;
        self.is_cut
    }

    /// Sets the protocol of subsequent replies.
    pub fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    /// Returns the protocol.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Returns the replies written so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Removes all replies, keeping the capacity.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Removes the first `len` bytes. If less than an eighth of the buffer is then in use, it
    /// shrinks, but not below `kept` bytes. **O(n)** in the remaining bytes.
    pub(crate) fn remove_front(&mut self, len: usize, kept: usize) {
        self.bytes.drain(..len);
        if self.bytes.len() < self.bytes.capacity() / 8 {
            self.bytes.shrink_to(kept.max(2 * self.bytes.len()));
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Keeps only the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
        // Writes are dropped only after the buffer has exceeded `max_len` bytes, so a prefix of at
        // most `max_len` bytes is complete.
        self.is_cut &= len > self.max_len;
    }

    /// Writes a short status, such as `OK`.
    pub fn status(&mut self, text: &str) {
        self.line(b'+', text.as_bytes());
    }

    /// Writes an error; its first word is the error code. Line breaks are replaced by spaces.
    pub fn error(&mut self, text: &[u8]) {
        let one_line = |byte: &u8| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte };
        self.line(b'-', &text.iter().map(one_line).collect::<Vec<_>>());
    }

    /// Writes an integer.
    pub fn integer(&mut self, integer: i64) {
        self.number(b':', integer);
    }

    /// Writes a nonnegative integer.
    pub fn count(&mut self, count: usize) {
        self.integer(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Writes a bulk string.
    pub fn bulk(&mut self, bytes: &[u8]) {
        if self.is_full() {
            return;
        }
        // Reserve the space for the whole string at once. Otherwise, appending the final line end
        // could double the capacity of a large buffer.
        self.bytes.reserve(bytes.len() + MAX_FRAME);
        self.len(b'$', bytes.len());
        self.bytes.extend_from_slice(bytes);
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// Writes a score: as a double in RESP3, as a string in RESP2.
    pub fn score(&mut self, score: Score) {
        match self.protocol {
            Protocol::Resp2 => self.text(format_args!("{score}")),
            Protocol::Resp3 => {
                if !self.is_full() {
                    // Writing to a vector cannot fail.
                    let _ = write!(self.bytes, ",{score}\r\n");
                }
            }
        }
    }

    /// Writes formatted text as a bulk string; meant for up to a few hundred bytes.
    pub fn text(&mut self, text: fmt::Arguments<'_>) {
        // Most strings are scores, which fit in the array and need no allocation.
        let mut short = [0; 64];
        let mut free = &mut short[..];
        if free.write_fmt(text).is_ok() {
            let len = 64 - free.len();
            self.bulk(&short[..len]);
        } else {
            self.bulk(text.to_string().as_bytes());
        }
    }

    /// Writes a human-readable string.
    pub fn verbatim(&mut self, text: &str) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(text.as_bytes()),
            Protocol::Resp3 => {
                self.len(b'=', text.len() + 4);
                self.append(b"txt:");
                self.append(text.as_bytes());
                self.append(b"\r\n");
            }
        }
    }

    /// Writes a null.
    pub fn null(&mut self) {
        self.append(match self.protocol {
            Protocol::Resp2 => b"$-1\r\n",
            Protocol::Resp3 => b"_\r\n",
        });
    }

    /// Writes a null array.
    pub fn null_array(&mut self) {
        self.append(match self.protocol {
            Protocol::Resp2 => b"*-1\r\n",
            Protocol::Resp3 => b"_\r\n",
        });
    }

    /// Begins an array; `len` replies must follow.
    pub fn array(&mut self, len: usize) {
        self.len(b'*', len);
    }

    /// Begins a map; `len` pairs must follow.
    pub fn map(&mut self, len: usize) {
        match self.protocol {
            Protocol::Resp2 => self.len(b'*', 2 * len),
            Protocol::Resp3 => self.len(b'%', len),
        }
    }

    /// Begins a set; `len` replies must follow.
    pub fn set(&mut self, len: usize) {
        self.len(if self.protocol == Protocol::Resp2 { b'*' } else { b'~' }, len);
    }

    /// Begins an array of `len` pairs: flat in RESP2, nested in RESP3.
    pub fn pairs(&mut self, len: usize) {
        self.array(if self.protocol == Protocol::Resp2 { 2 * len } else { len });
    }

    /// Begins a pair within [`pairs`](Self::pairs).
    pub fn pair(&mut self) {
        if self.protocol == Protocol::Resp3 {
            self.array(2);
        }
    }

    /// Appends serialized bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        if !self.is_full() {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn len(&mut self, kind: u8, len: usize) {
        self.number(kind, i64::try_from(len).unwrap_or(i64::MAX));
    }

    fn number(&mut self, kind: u8, number: i64) {
        // Most numbers are lengths with a single digit, which need no formatting.
        if let Ok(digit @ 0..=9) = u8::try_from(number) {
            self.append(&[kind, b'0' + digit, b'\r', b'\n']);
        } else {
            self.line(kind, itoa::Buffer::new().format(number).as_bytes());
        }
    }

    fn line(&mut self, kind: u8, text: &[u8]) {
        if !self.is_full() {
            self.bytes.push(kind);
            self.bytes.extend_from_slice(text);
            self.bytes.extend_from_slice(b"\r\n");
        }
    }
}

/// Why a command failed: the text of the error reply, including its leading error code.
///
/// The text may quote a client's bytes, which need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandError(Cow<'static, [u8]>);

impl CommandError {
    pub(crate) const SYNTAX: Self = Self::fixed("ERR syntax error");
    pub(crate) const NOT_AN_INTEGER: Self =
        Self::fixed("ERR value is not an integer or out of range");
    pub(crate) const NOT_A_FLOAT: Self = Self::fixed("ERR value is not a valid float");
    pub(crate) const WRONG_TYPE: Self =
        Self::fixed("WRONGTYPE Operation against a key holding the wrong kind of value");
    pub(crate) const NAN_RESULT: Self = Self::fixed("ERR resulting score is not a number (NaN)");
    /// Allocation failed, memory is over the limit, or a set has run out of handles.
    pub(crate) const OUT_OF_MEMORY: Self =
        Self::fixed("OOM command not allowed when used memory > 'maxmemory'.");

    const fn fixed(text: &'static str) -> Self {
        CommandError(Cow::Borrowed(text.as_bytes()))
    }

    /// Returns an error with a message that includes the error code.
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        CommandError(Cow::Owned(text.into()))
    }

    /// Returns an error with the generic code `ERR`.
    pub(crate) fn err(text: impl fmt::Display) -> Self {
        Self::new(format!("ERR {text}"))
    }

    /// Returns the error for a command that was called with the wrong number of arguments.
    pub(crate) fn wrong_arity(name: &str) -> Self {
        Self::err(format_args!("wrong number of arguments for '{name}' command"))
    }

    /// Returns an error with the generic code `ERR` that quotes a client's bytes up to the first
    /// NUL byte, as in C. Trims line ends from the end of the error, as Redis does.
    pub(crate) fn quoting(before: &str, quoted: &[u8], after: &str) -> Self {
        let text = ["ERR ".as_bytes(), before.as_bytes(), until_zero(quoted), after.as_bytes()];
        let mut text = text.concat();
        let len = text.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
        text.truncate(len);
        Self::new(text)
    }

    /// Returns the text of the error reply.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The maximum number of bytes of a name or of arguments that an error quotes.
pub(crate) const MAX_SHOWN: usize = 128;

/// Returns at most `max` bytes for an error to quote, up to the first NUL byte.
pub(crate) fn shown(bytes: &[u8], max: usize) -> &[u8] {
    let bytes = until_zero(bytes);
    &bytes[..bytes.len().min(max)]
}

/// Returns the bytes before the first NUL byte, which ends a string in C.
pub(crate) fn until_zero(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(0, text).unwrap_or(text.len())]
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl From<IncrementError<NanScore>> for CommandError {
    fn from(error: IncrementError<NanScore>) -> Self {
        match error {
            IncrementError::Score(_) => CommandError::NAN_RESULT,
            _ => CommandError::OUT_OF_MEMORY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_large_reply_is_freed_as_it_is_sent() {
        let mut replies = Replies::default();
        replies.bulk(&vec![b'x'; 1 << 20]);
        while replies.bytes().len() > 1000 {
            replies.remove_front(replies.bytes().len() / 2 + 1, 5000);
            assert!(replies.capacity() <= (8 * (replies.bytes().len() + 1)).max(5000));
        }
    }

    #[test]
    fn a_full_buffer_drops_further_replies() {
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
            assert!(replies.is_cut(), "the earlier replies are incomplete too");
            replies.append(b"more");
            replies.integer(1);
            replies.integer(1000);
            replies.score(Score::from(1));
            replies.error(b"more");
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
