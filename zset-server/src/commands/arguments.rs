//! Reading arguments.

use zset_core::Score;

use crate::error::CommandError;

/// Reads an integer, as Redis does: only in the way that it would be written.
pub(super) fn integer(text: &[u8]) -> Result<i64, CommandError> {
    crate::resp::parse_integer(text).ok_or(CommandError::NotAnInteger)
}

/// Reads a score.
pub(super) fn score(text: &[u8]) -> Result<Score, CommandError> {
    let text = std::str::from_utf8(text).map_err(|_| CommandError::NotAFloat)?;
    text.parse().map_err(|_| CommandError::NotAFloat)
}

/// Reads a number of something; whatever else it is, there is one error.
pub(super) fn not_negative(text: &[u8], error: &'static str) -> Result<usize, CommandError> {
    let number = integer(text).ok().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| CommandError::err(error))
}
