//! Requests: arrays of bulk strings, or lines typed by hand.
//!
//! A parser of RESP values would not do: requests also come inline, limits have to hold before what
//! they bound has come, a request that comes in many pieces must not be looked at from its start each
//! time, and clients are told what is wrong in Redis's own words. So this is a state machine that goes
//! over each byte once; see networking.c of Redis for what it has to agree with.
//!
//! Invariants: `start <= parsed <= buffer.len()`. The bytes before `start` are of requests that are over,
//! those before `parsed` are understood, and in those from there to `searched` no line ends. The
//! arguments that have come are ranges of the buffer.

#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;
use std::ops::Range;

use super::foreign::{is_http_command, is_http_line, is_tls};
use super::integer::parse_integer;
use super::line::{UnbalancedQuotes, split_line};

/// The longest line: an inline request, or a length.
const MAX_LINE: usize = 64 * 1024;

/// How much a client may ask for at once.
#[allow(clippy::struct_field_names, reason = "a limit says that it is one")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// Arguments of a request, its name among them.
    pub max_arguments: usize,
    /// Bytes of an argument.
    pub max_argument_len: usize,
    /// Bytes of all arguments of a request.
    pub max_request_len: usize,
}

impl RequestLimits {
    /// Those of a client that has said who it is.
    pub const MAX: RequestLimits = RequestLimits {
        // Redis lets more come. Some commands take hundreds of bytes for an argument of one.
        max_arguments: 1024 * 1024,
        max_argument_len: 512 * 1024 * 1024,
        max_request_len: 1024 * 1024 * 1024,
    };

    /// Those of a client that has not said who it is, where it has to.
    pub const UNAUTHENTICATED: RequestLimits = RequestLimits {
        max_arguments: 10,
        max_argument_len: 16 * 1024,
        max_request_len: 64 * 1024,
    };
}

impl RequestLimits {
    /// Returns the error of so many arguments, if they are too many.
    fn check_count(&self, count: usize) -> Result<(), RequestError> {
        if count > RequestLimits::MAX.max_arguments {
            Err(RequestError::InvalidArgumentCount)
        } else if count > self.max_arguments {
            Err(RequestError::UnauthenticatedArgumentCount)
        } else {
            Ok(())
        }
    }

    /// Returns the error of an argument of so many bytes, if they are too many.
    fn check_len(&self, len: usize) -> Result<(), RequestError> {
        if len <= self.max_argument_len {
            Ok(())
        } else if *self == RequestLimits::UNAUTHENTICATED
            && len <= RequestLimits::MAX.max_argument_len
        {
            Err(RequestError::UnauthenticatedArgumentLen)
        } else {
            Err(RequestError::InvalidArgumentLen)
        }
    }
}

impl Default for RequestLimits {
    fn default() -> Self {
        RequestLimits::MAX
    }
}

/// Why a stream of bytes is no request. There is no telling where the next one would begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// The number of arguments is none, or too large.
    InvalidArgumentCount,
    /// The length of an argument is none, or too large.
    InvalidArgumentLen,
    /// Another byte than `$` comes before a length.
    ExpectedLength(u8),
    /// The line with the number of arguments does not end.
    CountTooLong,
    /// The line with the length of an argument does not end.
    LengthTooLong,
    /// A line that was typed does not end.
    LineTooLong,
    /// A line that was typed has a quote without another.
    UnbalancedQuotes,
    /// All arguments together are too large.
    RequestTooLarge,
    /// There are more arguments than those may send who have not said who they are.
    UnauthenticatedArgumentCount,
    /// An argument is longer than those may send who have not said who they are.
    UnauthenticatedArgumentLen,
    /// It is HTTP, or TLS. What follows may be chosen by a web page, so the connection has to end.
    OtherProtocol,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Protocol error: ")?;
        match self {
            RequestError::InvalidArgumentCount => f.write_str("invalid multibulk length"),
            RequestError::InvalidArgumentLen => f.write_str("invalid bulk length"),
            RequestError::ExpectedLength(byte) => {
                write!(f, "expected '$', got '{}'", char::from(*byte))
            }
            RequestError::CountTooLong => f.write_str("too big mbulk count string"),
            RequestError::LengthTooLong => f.write_str("too big bulk count string"),
            RequestError::LineTooLong => f.write_str("too big inline request"),
            RequestError::UnbalancedQuotes => f.write_str("unbalanced quotes in request"),
            RequestError::RequestTooLarge => f.write_str("too big request"),
            RequestError::UnauthenticatedArgumentCount => {
                f.write_str("unauthenticated multibulk length")
            }
            RequestError::UnauthenticatedArgumentLen => f.write_str("unauthenticated bulk length"),
            RequestError::OtherProtocol => f.write_str("HTTP or TLS"),
        }
    }
}

impl Error for RequestError {}

impl RequestError {
    /// Returns the text of the reply, in which a byte that the client has sent is as it was.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        // It is the only character that may be beyond ASCII.
        format!("ERR {self}").chars().filter_map(|character| u8::try_from(character).ok()).collect()
    }
}

/// Finds requests in bytes that come in pieces of any size.
///
/// # Examples
///
/// ```
/// use zset_server::Requests;
///
/// let mut requests = Requests::default();
/// requests.extend(b"*2\r\n$4\r\nECHO\r\n$5\r\nhel");
/// assert_eq!(requests.next(), Ok(None));
/// requests.extend(b"lo\r\nping\r\n");
/// assert_eq!(requests.next(), Ok(Some(vec![&b"ECHO"[..], b"hello"])));
/// assert_eq!(requests.next(), Ok(Some(vec![&b"ping"[..]])));
/// assert_eq!(requests.next(), Ok(None));
/// ```
#[derive(Debug, Default)]
pub struct Requests {
    limits: RequestLimits,
    buffer: Vec<u8>,
    start: usize,
    parsed: usize,
    searched: usize,
    state: State,
    arguments: Vec<Range<usize>>,
    /// The arguments of a line that was typed: other bytes than the line's, because of quotes.
    typed: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Before a request.
    #[default]
    Start,
    /// Before the length of an argument, of which so many are to come.
    Length { left: usize },
    /// Before the bytes of an argument.
    Bytes { left: usize, len: usize },
    /// Behind a request that was returned.
    Returned,
    /// Behind what is no request.
    Broken(RequestError),
}

/// Empties a vector, so that it may hold arguments of the next request.
pub(crate) fn emptied(mut arguments: Vec<&[u8]>) -> Vec<&'static [u8]> {
    arguments.clear();
    // The standard library collects into the memory that it takes from.
    arguments.into_iter().map(|_| [].as_slice()).collect()
}

/// Bytes of requests that are over which are let be, before what is behind them moves to the front.
const MOST_OVER: usize = 64 * 1024;

/// What the buffer may keep when next to nothing is in it.
const MAX_KEPT: usize = 256 * 1024;

/// The arguments that a request that is over leaves room for.
const MAX_KEPT_ARGUMENTS: usize = 1024;

impl Requests {
    /// Sets the limits of the requests to come.
    pub fn set_limits(&mut self, limits: RequestLimits) {
        self.limits = limits;
    }

    /// Adds bytes.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.buffer().extend_from_slice(bytes);
    }

    /// Returns the buffer, to add bytes at its end; what is in it must stay.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.forget_returned();
        let over = self.start;
        let left = self.buffer.len() - over;
        // What is left may be much, so it moves only when it is less than what has been gone over.
        if left == 0 || over > MOST_OVER.max(left) {
            self.buffer.drain(..over);
            self.start = 0;
            self.parsed -= over;
            self.searched -= over;
            for range in &mut self.arguments {
                *range = range.start - over..range.end - over;
            }
            // What a large request has taken is not kept for the small ones behind it.
            if self.buffer.capacity() > MAX_KEPT && self.buffer.len() < self.buffer.capacity() / 8 {
                self.buffer.shrink_to(MAX_KEPT);
            }
        }
        &mut self.buffer
    }

    /// Returns how many bytes of memory the buffer takes. **O(1)**.
    pub(crate) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Returns how many bytes there are of requests that have not come whole. **O(1)**.
    pub fn len(&self) -> usize {
        match self.state {
            State::Returned => self.buffer.len() - self.parsed,
            _ => self.buffer.len() - self.start,
        }
    }

    /// Returns whether no part of another request has come. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the arguments of the next request, of which there is at least one, if all of it has come.
    ///
    /// It takes time in proportion to the bytes, over all calls, whatever the pieces they come in.
    ///
    /// # Errors
    ///
    /// [`RequestError`], and the same one again from then on.
    #[allow(clippy::should_implement_trait, reason = "it lends what it returns")]
    pub fn next(&mut self) -> Result<Option<Vec<&[u8]>>, RequestError> {
        self.next_in(Vec::new())
    }

    /// Does what [`next`](Self::next) does, in the memory of a vector that is empty.
    pub(crate) fn next_in<'a>(
        &'a mut self,
        mut arguments: Vec<&'a [u8]>,
    ) -> Result<Option<Vec<&'a [u8]>>, RequestError> {
        self.forget_returned();
        match self.advance() {
            Ok(false) => Ok(None),
            Ok(true) if self.typed.is_empty() => {
                let argument = |range: &Range<usize>| &self.buffer[range.clone()];
                arguments.extend(self.arguments.iter().map(argument));
                Ok(Some(arguments))
            }
            Ok(true) => {
                arguments.extend(self.typed.iter().map(Vec::as_slice));
                Ok(Some(arguments))
            }
            Err(error) => {
                self.state = State::Broken(error);
                Err(error)
            }
        }
    }

    /// Has the request that was returned last be returned again.
    pub(crate) fn hold_back(&mut self) {
        if let State::Returned = self.state {
            self.state = State::Length { left: 0 };
        }
    }

    /// Goes on to the end of a request; returns whether it has come.
    fn advance(&mut self) -> Result<bool, RequestError> {
        loop {
            let has_come = match self.state {
                State::Start if self.buffer.get(self.parsed) == Some(&b'*') => self.count()?,
                State::Start => self.typed_line()?,
                State::Length { left: 0 } => {
                    let name = self.arguments.first().map(|range| &self.buffer[range.clone()]);
                    if name.is_some_and(is_http_command) {
                        return Err(RequestError::OtherProtocol);
                    }
                    self.state = State::Returned;
                    true
                }
                State::Length { left } => self.length(left)?,
                State::Bytes { left, len } => self.bytes(left, len),
                State::Returned => return Ok(true),
                State::Broken(error) => return Err(error),
            };
            if !has_come {
                return Ok(false);
            }
        }
    }

    /// Goes on behind the request that was returned last.
    fn forget_returned(&mut self) {
        if let State::Returned = self.state {
            self.begin();
        }
    }

    /// Begins a request behind what is understood.
    fn begin(&mut self) {
        self.start = self.parsed;
        self.arguments.clear();
        self.arguments.shrink_to(MAX_KEPT_ARGUMENTS);
        self.typed.clear();
        self.typed.shrink_to(MAX_KEPT_ARGUMENTS);
        self.state = State::Start;
    }

    /// Takes the number of arguments; returns whether it has come, as the next three do.
    fn count(&mut self) -> Result<bool, RequestError> {
        let Some(line) = self.header(RequestError::CountTooLong)? else { return Ok(false) };
        let count = parse_integer(&self.buffer[line.start + 1..line.end]);
        // One below zero asks for nothing, as zero does.
        let left = count.ok_or(RequestError::InvalidArgumentCount)?.try_into().unwrap_or(0);
        self.limits.check_count(left)?;
        if left == 0 {
            self.begin();
        } else {
            self.state = State::Length { left };
        }
        Ok(true)
    }

    /// Takes the length of an argument.
    fn length(&mut self, left: usize) -> Result<bool, RequestError> {
        match self.buffer.get(self.parsed) {
            None => return Ok(false),
            Some(b'$') => (),
            Some(&byte) => return Err(RequestError::ExpectedLength(byte)),
        }
        let Some(line) = self.header(RequestError::LengthTooLong)? else { return Ok(false) };
        let len = parse_integer(&self.buffer[line.start + 1..line.end])
            .and_then(|len| usize::try_from(len).ok())
            .ok_or(RequestError::InvalidArgumentLen)?;
        self.limits.check_len(len)?;
        if self.parsed - self.start + len > self.limits.max_request_len {
            return Err(RequestError::RequestTooLarge);
        }
        self.state = State::Bytes { left, len };
        Ok(true)
    }

    /// Takes the bytes of an argument.
    fn bytes(&mut self, left: usize, len: usize) -> bool {
        let end = self.parsed + len;
        // What ends it, two bytes, is not looked at; nor is it by Redis.
        if self.buffer.len() < end + 2 {
            return false;
        }
        self.arguments.push(self.parsed..end);
        self.parsed = end + 2;
        self.searched = self.parsed;
        self.state = State::Length { left: left - 1 };
        true
    }

    /// Takes a line that was typed.
    fn typed_line(&mut self) -> Result<bool, RequestError> {
        if is_tls(&self.buffer[self.parsed..]) {
            return Err(RequestError::OtherProtocol);
        }
        let Some(line) = self.line()? else { return Ok(false) };
        self.typed = split_line(&self.buffer[line])
            .map_err(|UnbalancedQuotes| RequestError::UnbalancedQuotes)?;
        if self.typed.first().is_some_and(|name| is_http_command(name)) || is_http_line(&self.typed)
        {
            return Err(RequestError::OtherProtocol);
        }
        if self.typed.is_empty() {
            self.begin();
        } else {
            self.state = State::Returned;
        }
        Ok(true)
    }

    /// Takes a line that was typed, and returns it without its end.
    fn line(&mut self) -> Result<Option<Range<usize>>, RequestError> {
        let begin = self.parsed;
        let Some(end) = self.find(b'\n', RequestError::LineTooLong)? else { return Ok(None) };
        self.parsed = end + 1;
        self.searched = self.parsed;
        let has_return = end > begin && self.buffer[end - 1] == b'\r';
        Ok(Some(begin..if has_return { end - 1 } else { end }))
    }

    /// Takes a line that tells a number or a length, and returns it without its end.
    fn header(&mut self, too_long: RequestError) -> Result<Option<Range<usize>>, RequestError> {
        let begin = self.parsed;
        let Some(end) = self.find(b'\r', too_long)? else { return Ok(None) };
        if end + 1 == self.buffer.len() {
            self.searched = end;
            return Ok(None);
        }
        // What follows the `\r` is not looked at; nor is it by Redis.
        self.parsed = end + 2;
        self.searched = self.parsed;
        Ok(Some(begin..end))
    }

    /// Returns where the line ends that begins behind what is understood.
    fn find(&mut self, end: u8, too_long: RequestError) -> Result<Option<usize>, RequestError> {
        let from = self.searched.max(self.parsed);
        if let Some(end) = memchr::memchr(end, &self.buffer[from..]) {
            return Ok(Some(from + end));
        }
        self.searched = self.buffer.len();
        if self.searched - self.parsed > MAX_LINE { Err(too_long) } else { Ok(None) }
    }
}
