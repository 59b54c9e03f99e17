//! [`CommandError`]: why a command failed, in Redis's words.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use zset_core::redis::{AddOptionsError, ParseRangeError};
use zset_core::{IncrementError, NanScore};

use crate::keyspace::WrongType;

/// Why a command failed. It is displayed as in the error reply, without the leading `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandError {
    /// The arguments do not match the command's syntax.
    Syntax,
    /// The command with this lowercase name was called with the wrong number of arguments.
    WrongArity(String),
    /// The command is unknown, or another error that quotes raw bytes of the client.
    Quoting(Vec<u8>),
    /// A number is not a 64-bit integer.
    NotAnInteger,
    /// A number is not a float, or is NaN.
    NotAFloat,
    /// The key holds a value of another type.
    WrongType,
    /// The sum of the scores is NaN.
    NanResult,
    /// Allocation failed, memory is over the limit, or a set has run out of handles.
    OutOfMemory,
    /// Any other error, including its leading error code.
    Other(Cow<'static, str>),
}

impl CommandError {
    /// Returns an error with the generic code `ERR`.
    pub(crate) fn err(text: impl fmt::Display) -> Self {
        CommandError::Other(format!("ERR {text}").into())
    }

    /// Returns an error with the generic code `ERR` that quotes a client's bytes: up to the first NUL
    /// byte, as in C. Redis trims line ends from the end of an error.
    pub(crate) fn quoting(before: &str, quoted: &[u8], after: &str) -> Self {
        let text = ["ERR ".as_bytes(), before.as_bytes(), until_zero(quoted), after.as_bytes()];
        let mut text = text.concat();
        let len = text.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
        text.truncate(len);
        CommandError::Quoting(text)
    }

    /// Returns the text of the error reply.
    pub(crate) fn to_bytes(&self) -> Cow<'_, [u8]> {
        match self {
            CommandError::Quoting(text) => Cow::Borrowed(text),
            _ => Cow::Owned(self.to_string().into_bytes()),
        }
    }
}

/// The maximum number of bytes of a name or of arguments that an error quotes.
pub(crate) const MAX_SHOWN: usize = 128;

/// Returns the first bytes, as quoted by an error.
pub(crate) fn shown(bytes: &[u8], max: usize) -> &[u8] {
    let bytes = until_zero(bytes);
    &bytes[..bytes.len().min(max)]
}

/// Returns the bytes before the first NUL byte, which ends a text in C.
pub(crate) fn until_zero(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(0, text).unwrap_or(text.len())]
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Syntax => f.write_str("ERR syntax error"),
            CommandError::WrongArity(name) => {
                write!(f, "ERR wrong number of arguments for '{name}' command")
            }
            CommandError::Quoting(text) => f.write_str(&String::from_utf8_lossy(text)),
            CommandError::NotAnInteger => {
                f.write_str("ERR value is not an integer or out of range")
            }
            CommandError::NotAFloat => f.write_str("ERR value is not a valid float"),
            CommandError::WrongType => {
                f.write_str("WRONGTYPE Operation against a key holding the wrong kind of value")
            }
            CommandError::NanResult => f.write_str("ERR resulting score is not a number (NaN)"),
            CommandError::OutOfMemory => {
                f.write_str("OOM command not allowed when used memory > 'maxmemory'.")
            }
            CommandError::Other(text) => f.write_str(text),
        }
    }
}

impl Error for CommandError {}

impl From<WrongType> for CommandError {
    fn from(_: WrongType) -> Self {
        CommandError::WrongType
    }
}

impl From<NanScore> for CommandError {
    fn from(_: NanScore) -> Self {
        CommandError::NanResult
    }
}

impl From<IncrementError<NanScore>> for CommandError {
    fn from(error: IncrementError<NanScore>) -> Self {
        match error {
            IncrementError::Score(_) => CommandError::NanResult,
            _ => CommandError::OutOfMemory,
        }
    }
}

impl From<AddOptionsError> for CommandError {
    fn from(error: AddOptionsError) -> Self {
        CommandError::err(error)
    }
}

impl From<ParseRangeError> for CommandError {
    fn from(error: ParseRangeError) -> Self {
        CommandError::err(error)
    }
}
