//! Serialization as a sequence of pairs, in order.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::ZSet;
use crate::load::load_seq;
use crate::{ByteString, Score};

/// Serializes as a sequence of `(member, score)`, lowest score first, with members as bytes. The
/// limits are not serialized.
impl Serialize for ZSet {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self)
    }
}

/// Deserializes a sequence of `(member, score)` in any order. Members are deserialized as
/// [`ByteString`]s: from bytes, text, or a sequence of numbers below 256. A repeated member is an error.
///
/// The set has Redis's limits. A set that is too large for memory or for 32-bit handles is an
/// error, not a panic.
impl<'de> Deserialize<'de> for ZSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        load_seq(
            deserializer,
            "a sequence of members and scores",
            |set: &mut Self, (member, score): (ByteString, Score)| {
                Ok(set.try_insert(member, score)?.is_none())
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::{Score, ZSet};

    #[test]
    fn a_set_round_trips_in_the_same_encoding() {
        let len = if cfg!(miri) { 3 } else { 200_u16 };
        let many = (0..len).map(|i| (i.to_le_bytes(), Score::from(i / 2))).collect();
        let long = ZSet::from([("x".repeat(70), Score::ZERO)]);
        for set in [ZSet::new(), many, long] {
            let json = serde_json::to_string(&set).unwrap();
            let back: ZSet = serde_json::from_str(&json).unwrap();
            assert_eq!(back, set);
            assert_eq!(back.encoding(), set.encoding());
        }
    }

    #[test]
    fn members_may_be_text_but_scores_must_be_numbers() {
        let set: ZSet = serde_json::from_str(r#"[["b", 2], ["a", 1.5]]"#).unwrap();
        assert_eq!(
            set,
            ZSet::from([("b", Score::new(2.0).unwrap()), ("a", Score::new(1.5).unwrap())])
        );
        for json in [r#"[["a"]]"#, r#"[["a", "x"]]"#, r#"{"a": 1}"#, "[[[256], 1]]", "[[1, 2]]"] {
            assert!(serde_json::from_str::<ZSet>(json).is_err(), "{json}");
        }
    }
}
