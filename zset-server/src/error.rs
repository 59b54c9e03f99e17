//! [`CommandError`]: why a command does nothing, in Redis's words.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use zset_core::NanScore;
use zset_core::redis::{AddError, AddOptionsError, ParseRangeError};

use crate::keyspace::WrongType;

/// Why a command does nothing. It is shown as the error reply, without the `-` before it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandError {
    /// The arguments are not what the command takes.
    Syntax,
    /// There are too many or too few arguments for the command of this name, in lower case.
    WrongArity(String),
    /// There is no such command, or something else is wrong about what the text quotes, byte by byte.
    Quoting(Vec<u8>),
    /// A number is not an integer of 64 bits.
    NotAnInteger,
    /// A number is not a double, or NaN.
    NotAFloat,
    /// The key stands for something of another type.
    WrongType,
    /// What was added up is no number.
    NanResult,
    /// Memory, or the handles of a set, have run out.
    OutOfMemory,
    /// Anything else, with the word before it that says of which kind it is.
    Other(Cow<'static, str>),
}

impl CommandError {
    /// Makes an error of the general kind.
    pub(crate) fn err(text: impl fmt::Display) -> Self {
        CommandError::Other(format!("ERR {text}").into())
    }

    /// Makes an error of the general kind that quotes what the client has sent: as in C, up to its first
    /// zero. Redis takes line ends off the end of an error.
    pub(crate) fn quoting(before: &str, quoted: &[u8], after: &str) -> Self {
        let text = ["ERR ".as_bytes(), before.as_bytes(), until_zero(quoted), after.as_bytes()];
        let mut text = text.concat();
        let len = text.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
        text.truncate(len);
        CommandError::Quoting(text)
    }

    /// Returns the text of the reply.
    pub(crate) fn to_bytes(&self) -> Cow<'_, [u8]> {
        match self {
            CommandError::Quoting(text) => Cow::Borrowed(text),
            _ => Cow::Owned(self.to_string().into_bytes()),
        }
    }
}

/// The most bytes of a name or of arguments that an error repeats.
pub(crate) const MAX_SHOWN: usize = 128;

/// Returns the beginning of bytes, as an error shows them.
pub(crate) fn shown(bytes: &[u8], max: usize) -> &[u8] {
    let bytes = until_zero(bytes);
    &bytes[..bytes.len().min(max)]
}

/// Returns what is before the first zero, where texts end in C.
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

impl From<AddError> for CommandError {
    fn from(error: AddError) -> Self {
        match error {
            AddError::Nan(_) => CommandError::NanResult,
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
