//! Reading arguments.

use zset_core::{ParseRangeError, Score, ScoreRange};

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

/// Reads the cursor of a scan.
pub(super) fn cursor(text: &[u8]) -> Result<u64, CommandError> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| CommandError::err("invalid cursor"))
}

/// Reads a range of scores. A bound without a number is 0, and one ends at a zero byte, as for Redis.
pub(super) fn score_range(min: &[u8], max: &[u8]) -> Result<ScoreRange, ParseRangeError> {
    fn bound(text: &[u8]) -> &[u8] {
        let end = memchr::memchr(0, text).unwrap_or(text.len());
        match &text[..end] {
            b"" => b"0",
            b"(" => b"(0",
            text => text,
        }
    }
    ScoreRange::parse(bound(min), bound(max))
}

/// Reads a number of something; whatever else it is, there is one error.
pub(super) fn not_negative(text: &[u8], error: &'static str) -> Result<usize, CommandError> {
    let number = integer(text).ok().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| CommandError::err(error))
}
