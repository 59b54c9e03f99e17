//! [`CommandError`]: why a command failed, in Redis's words.

use std::borrow::Cow;
use std::fmt;

use zset_core::{IncrementError, NanScore};

/// Why a command failed: the text of the error reply, including its leading error code.
///
/// The text may quote bytes of the client that are not UTF-8.
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

    /// Returns an error with the generic code `ERR` that quotes a client's bytes: up to the first
    /// NUL byte, as in C. Redis trims line ends from the end of an error.
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

/// Returns the first bytes, as quoted by an error.
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
