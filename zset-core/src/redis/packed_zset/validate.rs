//! The format of a sorted set in a listpack: encoding scores, and validating whole sets.
//!
//! As in Redis, a score is stored as an integer if its text is the decimal form of an `i64`, and
//! otherwise as text.

use core::error::Error;
use core::fmt;

use super::pair_at;
use crate::redis::listpack::{Encoded, HEADER, Storage, Value, find};
use crate::score::text::{ScoreText, plain_integer};
use crate::{Listpack, Member, ParseScoreError, Score};

/// Encodes a score. Its digits, if needed, are written to `text`, which must be empty.
pub(super) fn encode(score: Score, text: &mut ScoreText) -> Encoded<'_> {
    if let Some(integer) = plain_integer(score.get()) {
        return Encoded::new(Value::Integer(integer));
    }
    text.push_number(score.get());
    // The text of a number too large for `plain_integer` may still be the decimal form of an `i64`.
    Encoded::new(Value::from(text.as_bytes()))
}

/// Returns the score stored in an entry of the set.
#[inline]
pub(crate) fn score_of(value: Value<'_>) -> Score {
    // The set's invariants guarantee a number, so the default is never used.
    try_score_of(value).unwrap_or_default()
}

/// Returns the score stored in an entry.
#[inline]
pub(crate) fn try_score_of(value: Value<'_>) -> Result<Score, ParseScoreError> {
    match value {
        // An integer from another writer may be too large for an exact `f64`. Redis rounds it too.
        Value::Integer(integer) => Ok(Score::nearest_to(integer)),
        Value::Bytes(text) => Score::parse(text),
    }
}

/// The error returned for a listpack that is not a sorted set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackedZSetError {
    /// The last member has no score.
    OddLength,
    /// The score of the element at this 0-based rank is not a number.
    Score {
        /// The rank of the element, from 0.
        rank: usize,
    },
    /// The score of the element at this 0-based rank is NaN.
    Nan {
        /// The rank of the element, from 0.
        rank: usize,
    },
    /// The member at this 0-based rank is the text of an integer, but stored as text.
    Text {
        /// The rank of the element, from 0.
        rank: usize,
    },
    /// The element at this 0-based rank does not come after the previous one.
    NotAscending {
        /// The rank of the element, from 0.
        rank: usize,
    },
    /// The member at this 0-based rank is a duplicate.
    DuplicateMember {
        /// The rank of the element, from 0.
        rank: usize,
    },
}

impl fmt::Display for PackedZSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackedZSetError::OddLength => f.write_str("last member has no score"),
            PackedZSetError::Score { rank } => write!(f, "score of element {rank} is not a number"),
            PackedZSetError::Nan { rank } => write!(f, "score of element {rank} is NaN"),
            PackedZSetError::Text { rank } => {
                write!(f, "member of element {rank} is an integer stored as text")
            }
            PackedZSetError::NotAscending { rank } => {
                write!(f, "element {rank} is out of order")
            }
            PackedZSetError::DuplicateMember { rank } => {
                write!(f, "member of element {rank} repeats an earlier one")
            }
        }
    }
}

impl Error for PackedZSetError {}

/// Validates a listpack as a sorted set.
pub(super) fn validate<B: Storage>(list: &Listpack<B>) -> Result<(), PackedZSetError> {
    let bytes = list.as_bytes();
    let mut at = HEADER;
    let mut before: Option<(Score, Member<'_>)> = None;
    let mut rank = 0;
    while at < list.end() {
        let (member, score, place) = pair_at(bytes, at).ok_or(PackedZSetError::OddLength)?;
        let score = try_score_of(score).map_err(|error| match error {
            ParseScoreError::Nan => PackedZSetError::Nan { rank },
            _ => PackedZSetError::Score { rank },
        })?;
        if matches!(member, Value::Bytes(text) if Value::from(text) != member) {
            return Err(PackedZSetError::Text { rank });
        }
        if find(bytes, member, 1) != Some((at, rank)) {
            return Err(PackedZSetError::DuplicateMember { rank });
        }
        let element = (score, Member::new(member));
        if before.is_some_and(|before| before >= element) {
            return Err(PackedZSetError::NotAscending { rank });
        }
        before = Some(element);
        at = place.behind;
        rank += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec;

    fn bytes(score: Score) -> std::vec::Vec<u8> {
        let mut text = ScoreText::new();
        let entry = encode(score, &mut text);
        let mut bytes = vec![0; entry.len()];
        entry.write(&mut bytes);
        bytes
    }

    fn read_back(stored: &[u8]) -> Option<Score> {
        crate::redis::listpack::decode(stored).map(|(value, _)| score_of(value))
    }

    #[test]
    fn the_longest_score_texts_fit() {
        for number in [-599_999_999_999_999_950_000_000.0, -123_456_789_012_345_670_000_000.0] {
            let score = Score::new(number).unwrap();
            let stored = bytes(score);
            assert_eq!(stored.len(), 1 + 25 + 1);
            assert_eq!(read_back(&stored), Some(score));
        }
    }

    #[test]
    fn a_large_score_that_prints_as_an_integer_is_stored_as_one() {
        let score = Score::new(4_611_686_018_427_388_928.0).unwrap();
        assert_eq!(bytes(score), [0xF4, 0x48, 4, 0, 0, 0, 0, 0, 0x40, 9]);
    }

    proptest! {
        #![proptest_config(test_support::strategy::config(4096, 8))]

        #[test]
        fn every_score_round_trips(bits: u64, integer: i64) {
            #[expect(clippy::cast_precision_loss, reason = "any number is suitable")]
            let integer = integer as f64;
            for number in [f64::from_bits(bits), integer, integer * 1e6] {
                let Ok(score) = Score::new(number) else { continue };
                prop_assert_eq!(read_back(&bytes(score)), Some(score));
            }
        }
    }
}
