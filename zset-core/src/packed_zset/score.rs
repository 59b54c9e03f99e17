//! Scores in a listpack: integral scores as integers, others as text, as in Redis.

use crate::listpack::{Encoded, Value};
use crate::score::{ScoreText, plain_integer};
use crate::{ParseScoreError, Score};

/// Encodes a score; its text is put into `text`, which is empty.
pub(super) fn encode(score: Score, text: &mut ScoreText) -> Encoded<'_> {
    if let Some(integer) = plain_integer(score.get()) {
        return Encoded::new(Value::Integer(integer));
    }
    text.push_number(score.get());
    // Above that magnitude, the text may still be the decimal form of an `i64`.
    Encoded::new(Value::of(text.as_bytes()))
}

/// Returns the score stored in an entry of the set.
#[cfg_attr(not(target_os = "none"), inline)]
#[cfg_attr(target_os = "none", inline(never))]
pub(crate) fn score_of(value: Value<'_>) -> Score {
    // The invariants guarantee that it is a number.
    try_score_of(value).unwrap_or_default()
}

/// Returns the score stored in an entry.
#[inline]
pub(crate) fn try_score_of(value: Value<'_>) -> Result<Score, ParseScoreError> {
    match value {
        // Other writers' integers are rounded, as in Redis.
        Value::Integer(integer) => Ok(Score::nearest_to(integer)),
        Value::Bytes(text) => Score::parse(text),
    }
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

    #[test]
    fn the_longest_score_texts_fit() {
        for number in [-599_999_999_999_999_950_000_000.0, -123_456_789_012_345_670_000_000.0] {
            let score = Score::new(number).unwrap();
            let stored = bytes(score);
            assert_eq!(stored.len(), 1 + 25 + 1);
            assert_eq!(
                crate::listpack::decode(&stored).map(|(value, _)| score_of(value)),
                Some(score)
            );
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
                let stored = bytes(score);
                prop_assert_eq!(
                    crate::listpack::decode(&stored).map(|(value, _)| score_of(value)),
                    Some(score)
                );
            }
        }
    }
}
