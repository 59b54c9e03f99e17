//! [`Requests`]: parses requests. A request is an array of bulk strings or an inline line.
//!
//! The parser is a state machine that follows Redis's `networking.c`, and has the same messages for
//! the same errors. A declared length or number of arguments is checked against the limits before
//! the announced bytes arrive. The parsed arguments of an incomplete array are not parsed again
//! when more bytes arrive.
//!
//! Invariants: `start <= parsed <= buffer.len()`. The bytes before `start` belong to finished
//! requests, and the bytes from `start` to `parsed` are the parsed part of the current request. The
//! ranges in `arguments` refer to `buffer`.

use std::error::Error;
use std::fmt;
use std::ops::Range;

/// The maximum length of a line: an inline request, or a length.
const MAX_LINE: usize = 64 * 1024;

/// The limits on a request.
#[allow(clippy::struct_field_names, reason = "a limit says that it is one")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// The number of arguments, including the command's name.
    pub max_arguments: usize,
    /// The bytes of an argument.
    pub max_argument_len: usize,
    /// The bytes of a whole request.
    pub max_request_len: usize,
}

impl RequestLimits {
    /// The limits of an authenticated client.
    pub const MAX: RequestLimits = RequestLimits {
        // Redis allows more arguments, but some commands allocate hundreds of bytes for an argument
        // of one byte.
        max_arguments: 1024 * 1024,
        max_argument_len: 512 * 1024 * 1024,
        max_request_len: 1024 * 1024 * 1024,
    };

    /// The limits of a client that still has to authenticate.
    pub const UNAUTHENTICATED: RequestLimits = RequestLimits {
        max_arguments: 10,
        max_argument_len: 16 * 1024,
        max_request_len: 64 * 1024,
    };

    /// Returns an error if `count` arguments are too many.
    fn check_count(&self, count: usize) -> Result<(), RequestError> {
        if count > RequestLimits::MAX.max_arguments {
            Err(RequestError::Invalid("invalid multibulk length"))
        } else if count > self.max_arguments {
            Err(RequestError::Invalid("unauthenticated multibulk length"))
        } else {
            Ok(())
        }
    }

    /// Returns an error if an argument of `len` bytes is too long.
    fn check_len(&self, len: usize) -> Result<(), RequestError> {
        let is_stranger = *self == RequestLimits::UNAUTHENTICATED;
        if len <= self.max_argument_len {
            Ok(())
        } else if is_stranger && len <= RequestLimits::MAX.max_argument_len {
            Err(RequestError::Invalid("unauthenticated bulk length"))
        } else {
            Err(RequestError::Invalid("invalid bulk length"))
        }
    }
}

impl Default for RequestLimits {
    fn default() -> Self {
        RequestLimits::MAX
    }
}

/// Why a stream of bytes is not a valid request. After an invalid request, the start of the next
/// one is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// A number, a length or a line is malformed or too large; the text is that of Redis.
    Invalid(&'static str),
    /// A length is preceded by this byte instead of `$`.
    ExpectedLength(u8),
    /// The protocol is HTTP or TLS. A web page may have chosen the bytes that follow, so the
    /// connection must end.
    OtherProtocol,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Protocol error: ")?;
        match self {
            RequestError::Invalid(text) => f.write_str(text),
            RequestError::ExpectedLength(byte) => {
                write!(f, "expected '$', got '{}'", char::from(*byte))
            }
            RequestError::OtherProtocol => f.write_str("HTTP or TLS"),
        }
    }
}

impl Error for RequestError {}

impl RequestError {
    /// Returns the text of the error reply. A byte quoted from the client is not encoded as UTF-8.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        // Only the quoted byte may be outside ASCII. Its `char` is below 256, so it is not dropped.
        format!("ERR {self}").chars().filter_map(|character| u8::try_from(character).ok()).collect()
    }
}

/// Parses requests from bytes received in pieces of any size.
#[derive(Debug, Default)]
pub struct Requests {
    limits: RequestLimits,
    buffer: Vec<u8>,
    start: usize,
    parsed: usize,
    state: State,
    arguments: Vec<Range<usize>>,
    /// The arguments of an inline request, copied because of quotes and escapes.
    typed: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Between two requests. Until the next call, `arguments` are those of the last request.
    #[default]
    Between,
    /// Before the length of an argument, with `left` arguments remaining.
    Length { left: usize },
    /// Before the bytes of an argument.
    Bytes { left: usize, len: usize },
    /// After an error.
    Broken(RequestError),
}

/// The number of bytes of finished requests that may stay in the buffer before the remaining bytes
/// move to the front.
const MOST_OVER: usize = 64 * 1024;

/// The capacity that the buffer may keep when it is nearly empty.
const MAX_KEPT: usize = 256 * 1024;

/// The capacity for arguments kept between requests.
const MAX_KEPT_ARGUMENTS: usize = 1024;

impl Requests {
    /// Sets the limits of subsequent requests.
    pub fn set_limits(&mut self, limits: RequestLimits) {
        self.limits = limits;
    }

    /// Returns the buffer, so that the caller can append received bytes; existing bytes must not be
    /// modified.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.forget_last();
        let over = self.start;
        let left = self.buffer.len() - over;
        // Moving many remaining bytes is slow. They move only if the finished requests before them
        // have more bytes.
        if left == 0 || over > MOST_OVER.max(left) {
            self.buffer.drain(..over);
            self.start = 0;
            self.parsed -= over;
            for range in &mut self.arguments {
                *range = range.start - over..range.end - over;
            }
            // Free the capacity that only a large request needed.
            if self.buffer.capacity() > MAX_KEPT && self.buffer.len() < self.buffer.capacity() / 8 {
                self.buffer.shrink_to(MAX_KEPT);
            }
        }
        &mut self.buffer
    }

    pub(crate) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Returns the arguments of the next request, at least one, if it has been received completely.
    ///
    /// # Errors
    ///
    /// Returns a [`RequestError`] if the bytes are not a valid request. All later calls return the
    /// same error.
    #[allow(clippy::should_implement_trait, reason = "it lends what it returns")]
    pub fn next(&mut self) -> Result<Option<Vec<&[u8]>>, RequestError> {
        match self.advance() {
            Ok(false) => Ok(None),
            Ok(true) if self.typed.is_empty() => {
                let argument = |range: &Range<usize>| &self.buffer[range.clone()];
                Ok(Some(self.arguments.iter().map(argument).collect()))
            }
            Ok(true) => Ok(Some(self.typed.iter().map(Vec::as_slice).collect())),
            Err(error) => {
                self.state = State::Broken(error);
                Err(error)
            }
        }
    }

    /// Removes the last request, unless the next one has begun.
    fn forget_last(&mut self) {
        if let State::Between = self.state {
            self.start = self.parsed;
            self.arguments.clear();
            self.arguments.shrink_to(MAX_KEPT_ARGUMENTS);
            self.typed.clear();
            self.typed.shrink_to(MAX_KEPT_ARGUMENTS);
        }
    }

    /// Advances to the end of a request; returns whether it has been received.
    fn advance(&mut self) -> Result<bool, RequestError> {
        loop {
            let is_parsed = match self.state {
                State::Between => {
                    self.forget_last();
                    let is_array = self.buffer.get(self.parsed) == Some(&b'*');
                    let is_parsed = if is_array { self.count()? } else { self.typed_line()? };
                    if !self.typed.is_empty() {
                        return Ok(true);
                    }
                    // Skip a request without arguments: the loop continues with the next request.
                    is_parsed
                }
                State::Length { left: 0 } => {
                    let name = self.arguments.first().map(|range| &self.buffer[range.clone()]);
                    if name.is_some_and(is_http_command) {
                        return Err(RequestError::OtherProtocol);
                    }
                    self.state = State::Between;
                    return Ok(true);
                }
                State::Length { left } => self.length(left)?,
                State::Bytes { left, len } => self.bytes(left, len),
                State::Broken(error) => return Err(error),
            };
            if !is_parsed {
                return Ok(false);
            }
        }
    }

    /// Parses the number of arguments. Like the next three methods, returns whether the part has
    /// been received completely.
    fn count(&mut self) -> Result<bool, RequestError> {
        let Some(line) = self.header(RequestError::Invalid("too big mbulk count string"))? else {
            return Ok(false);
        };
        let count = parse_integer(&self.buffer[line.start + 1..line.end]);
        // A negative number of arguments means an empty request, just as zero does.
        let left =
            count.ok_or(RequestError::Invalid("invalid multibulk length"))?.try_into().unwrap_or(0);
        self.limits.check_count(left)?;
        if left > 0 {
            self.state = State::Length { left };
        }
        Ok(true)
    }

    /// Parses the length of an argument.
    fn length(&mut self, left: usize) -> Result<bool, RequestError> {
        match self.buffer.get(self.parsed) {
            None => return Ok(false),
            Some(b'$') => (),
            Some(&byte) => return Err(RequestError::ExpectedLength(byte)),
        }
        let Some(line) = self.header(RequestError::Invalid("too big bulk count string"))? else {
            return Ok(false);
        };
        let len = parse_integer(&self.buffer[line.start + 1..line.end])
            .and_then(|len| usize::try_from(len).ok())
            .ok_or(RequestError::Invalid("invalid bulk length"))?;
        self.limits.check_len(len)?;
        if self.parsed - self.start + len > self.limits.max_request_len {
            return Err(RequestError::Invalid("too big request"));
        }
        self.state = State::Bytes { left, len };
        Ok(true)
    }

    /// Reads the bytes of an argument.
    fn bytes(&mut self, left: usize, len: usize) -> bool {
        let end = self.parsed + len;
        // As in Redis, the two bytes after the argument are not checked.
        if self.buffer.len() < end + 2 {
            return false;
        }
        self.arguments.push(self.parsed..end);
        self.parsed = end + 2;
        self.state = State::Length { left: left - 1 };
        true
    }

    /// Parses an inline request.
    fn typed_line(&mut self) -> Result<bool, RequestError> {
        if self.buffer[self.parsed..].starts_with(TLS) {
            return Err(RequestError::OtherProtocol);
        }
        let too_long = RequestError::Invalid("too big inline request");
        let Some(end) = self.find(b'\n', too_long)? else { return Ok(false) };
        let line = &self.buffer[self.parsed..end];
        self.typed = split_line(line.strip_suffix(b"\r").unwrap_or(line))
            .map_err(|UnbalancedQuotes| RequestError::Invalid("unbalanced quotes in request"))?;
        self.parsed = end + 1;
        if self.typed.first().is_some_and(|name| is_http_command(name)) || is_http_line(&self.typed)
        {
            return Err(RequestError::OtherProtocol);
        }
        Ok(true)
    }

    /// Reads a line with a number or a length, without its line end.
    fn header(&mut self, too_long: RequestError) -> Result<Option<Range<usize>>, RequestError> {
        let begin = self.parsed;
        let Some(end) = self.find(b'\r', too_long)? else { return Ok(None) };
        if end + 1 == self.buffer.len() {
            return Ok(None);
        }
        // As in Redis, the byte after the `\r` is not checked.
        self.parsed = end + 2;
        Ok(Some(begin..end))
    }

    /// Returns the end of the line that begins at the parsed position.
    fn find(&mut self, end: u8, too_long: RequestError) -> Result<Option<usize>, RequestError> {
        let rest = &self.buffer[self.parsed..];
        match memchr::memchr(end, rest) {
            Some(end) => Ok(Some(self.parsed + end)),
            None if rest.len() > MAX_LINE => Err(too_long),
            None => Ok(None),
        }
    }
}

/// The error for an unclosed quote, or for a closing quote not followed by a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnbalancedQuotes;

/// Splits a line into its arguments. **O(n)**.
///
/// Within double quotes `\n`, `\r`, `\t`, `\b`, `\a` and `\xHH` are escapes, and `\` before any
/// other byte stands for that byte; within single quotes only `\'` is an escape.
pub(crate) fn split_line(line: &[u8]) -> Result<Vec<Vec<u8>>, UnbalancedQuotes> {
    let mut arguments = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.iter().position(|byte| !is_space(*byte)) {
        let (argument, tail) = first_argument(&rest[start..])?;
        arguments.push(argument);
        rest = tail;
    }
    Ok(arguments)
}

/// Parses the argument at the start of a line; returns it and the rest of the line.
fn first_argument(line: &[u8]) -> Result<(Vec<u8>, &[u8]), UnbalancedQuotes> {
    let mut argument = Vec::new();
    let mut rest = line;
    loop {
        let quoted = match rest {
            [quote @ (b'"' | b'\''), tail @ ..] => quoted(*quote, tail, &mut argument),
            [byte, tail @ ..] if !b" \n\r\t".contains(byte) => {
                argument.push(*byte);
                rest = tail;
                continue;
            }
            _ => return Ok((argument, rest)),
        };
        // Only whitespace or the end of the line may follow a closing quote.
        return match quoted {
            Some(tail) if tail.first().is_none_or(|byte| is_space(*byte)) => Ok((argument, tail)),
            _ => Err(UnbalancedQuotes),
        };
    }
}

/// Returns whether a byte is whitespace according to C's `isspace`. Vertical tabs and form feeds
/// are whitespace, but do not end an unquoted argument.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Appends the bytes up to the closing quote; returns the bytes after it.
fn quoted<'a>(quote: u8, mut rest: &'a [u8], argument: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        let (byte, tail) = match rest {
            [] => return None,
            [byte, tail @ ..] if *byte == quote => return Some(tail),
            [b'\\', b'\'', tail @ ..] => (b'\'', tail),
            [b'\\', b'x', high, low, tail @ ..]
                if quote == b'"' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                (16 * hex(*high) + hex(*low), tail)
            }
            [b'\\', byte, tail @ ..] if quote == b'"' => (escaped(*byte), tail),
            [byte, tail @ ..] => (*byte, tail),
        };
        argument.push(byte);
        rest = tail;
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit.to_ascii_lowercase() - b'a' + 10,
    }
}

fn escaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'a' => 0x07,
        other => other,
    }
}

// Detection of other protocols. Any web page can make a browser send HTTP or TLS to this server.
//
// The page chooses the body of the HTTP request, so the server must close the connection before the
// body, which could contain commands. Redis closes the connection at the commands `POST` and
// `Host:`. This server also closes it at the request line of an HTTP request, because a page that
// shares a host name with the server can choose the method too. It also closes the connection at a
// TLS handshake, because a page can choose parts of the handshake.

/// The first bytes of a TLS handshake: the record type and the major version.
const TLS: &[u8] = b"\x16\x03";

/// Returns whether a command name is the start of an HTTP request or of a header field.
fn is_http_command(name: &[u8]) -> bool {
    let host = name.get(..b"host:".len());
    name.eq_ignore_ascii_case(b"post") || host.is_some_and(|it| it.eq_ignore_ascii_case(b"host:"))
}

/// Returns whether a line is the request line of an HTTP request, with a path or a URL as its
/// target.
fn is_http_line(arguments: &[Vec<u8>]) -> bool {
    let [_method, target, version] = arguments else { return false };
    let is_target = target.starts_with(b"/")
        || target.starts_with(b"*")
        || target.windows(3).any(|window| window == b"://");
    let name = version.get(..b"http/".len());
    is_target && name.is_some_and(|name| name.eq_ignore_ascii_case(b"http/"))
}

/// Parses an integer in canonical form only: no plus sign, no leading zeros.
pub(crate) fn parse_integer(digits: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(digits).ok()?;
    let is_canonical = match digits {
        [b'+', ..] | [b'-', b'0', ..] => false,
        [b'0', rest @ ..] => rest.is_empty(),
        _ => true,
    };
    if is_canonical { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a request with this many arguments of this length.
    fn request(arguments: usize, len: usize) -> Vec<u8> {
        let argument = format!("${len}\r\n{}\r\n", "x".repeat(len));
        format!("*{arguments}\r\n{}", argument.repeat(arguments)).into_bytes()
    }

    #[test]
    fn a_byte_that_a_client_has_sent_is_unchanged_in_the_error() {
        let error = RequestError::ExpectedLength(0xff);
        assert_eq!(error.to_bytes(), b"ERR Protocol error: expected '$', got '\xff'");
    }

    #[test]
    fn the_rest_of_a_long_pipeline_is_rarely_moved() {
        let mut requests = Requests::default();
        let request = request(1, 1000);
        requests.buffer().extend_from_slice(&request.repeat(1000));
        let mut moves = 0;
        while let Ok(Some(_)) = requests.next() {
            let start = requests.parsed;
            requests.buffer();
            moves += usize::from(requests.parsed < start);
        }
        assert!(moves <= 5, "{moves}");
    }

    #[test]
    fn the_memory_of_a_large_request_is_freed_while_the_next_is_incomplete() {
        let mut requests = Requests::default();
        let large = [request(1, 10 << 20), b"*".to_vec()].concat();
        let many = [request(100_000, 0), b"*".to_vec()].concat();
        let typed = ["x ".repeat(30_000).as_bytes(), b"\n*"].concat();
        for bytes in [large, many, typed] {
            requests.buffer().extend_from_slice(&bytes);
            assert!(requests.next().unwrap().is_some());
            assert_eq!(requests.next(), Ok(None));
            requests.buffer().extend_from_slice(b"1\r\n$1\r\nx\r\n");
            assert!(requests.buffer.capacity() <= MAX_KEPT);
            assert!(requests.next().unwrap().is_some());
            assert_eq!(requests.next(), Ok(None));
            assert!(requests.arguments.capacity() <= MAX_KEPT_ARGUMENTS);
            assert!(requests.typed.capacity() <= MAX_KEPT_ARGUMENTS);
        }
    }
}
