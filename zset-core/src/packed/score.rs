//! Scores in a listpack: integers where they are integers, text otherwise, as Redis stores them.

use core::fmt::{self, Write};

use crate::listpack::{Encoded, Value};
use crate::{ParseScoreError, Score};

/// The longest is `-d.dddddddddddddddde-ddd`.
const LONGEST: usize = 24;

/// Up to this magnitude, half of `i64::MAX`, Redis stores an integral score as an integer.
const LARGEST_INTEGER: f64 = 4_611_686_018_427_387_904.0;

/// The text of a score.
pub(super) struct ScoreText {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Write for ScoreText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

impl ScoreText {
    pub(super) const fn new() -> Self {
        ScoreText { bytes: [0; LONGEST], len: 0 }
    }

    /// Returns the entry of a score; this is where its text is.
    pub(super) fn encode(&mut self, score: Score) -> Encoded<'_> {
        let number = score.get();
        #[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "whether it is exact")]
        if number.abs() <= LARGEST_INTEGER && number as i64 as f64 == number {
            return Encoded::new(Value::Integer(number as i64));
        }
        let written = write!(self, "{score}");
        debug_assert!(written.is_ok(), "{score} is longer than the longest");
        Encoded::new(Value::Bytes(&self.bytes[..self.len]))
    }
}

/// Returns the score that an entry of the set stores.
#[inline]
pub(crate) fn score_of(value: Value<'_>) -> Score {
    // The invariants say that it is a number.
    try_score_of(value).unwrap_or_default()
}

/// Returns the score that an entry stores.
#[expect(clippy::cast_precision_loss, reason = "an integer of another's is rounded, as Redis does")]
pub(crate) fn try_score_of(value: Value<'_>) -> Result<Score, ParseScoreError> {
    match value {
        Value::Integer(integer) => Score::new(integer as f64).map_err(|_| ParseScoreError::Nan),
        Value::Bytes(text) => Score::parse(text),
    }
}
