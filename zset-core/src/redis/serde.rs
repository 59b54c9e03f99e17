//! Serialization of byte strings as bytes, and of sets as sequences of pairs, in order.

use alloc::vec::Vec;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::serde::serialize_elements;
use crate::{ByteString, Score, TryReserveError, ZSet};

/// Serializes as bytes. Formats without bytes, such as JSON, use a sequence of numbers.
impl Serialize for ByteString {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.serialize_bytes(self)
    }
}

/// Deserializes bytes, text, or a sequence of numbers below 256.
///
/// A failed allocation is an error, not a panic.
impl<'de> Deserialize<'de> for ByteString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(Bytes)
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = ByteString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes or text")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<ByteString, E> {
        ByteString::try_from_slice(bytes).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ByteString, E> {
        self.visit_bytes(text.as_bytes())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<ByteString, A::Error> {
        // The size hint may be too large, so do not reserve memory for it.
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(byte) = numbers.next_element()? {
            bytes.try_reserve(1).map_err(TryReserveError::from).map_err(A::Error::custom)?;
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}

serialize_elements! {
    /// Deserializes a sequence of `(member, score)` in any order. Members are deserialized as
    /// [`ByteString`]s: from bytes, text, or a sequence of numbers below 256. A repeated member
    /// is an error.
    ///
    /// The set has Redis's limits; they are not serialized. A set that is too large for memory
    /// or for 32-bit handles is an error, not a panic.
    [] ZSet, [], [],
    "a sequence of members and scores",
    |set: &mut Self, (member, score): (ByteString, Score)| {
        Ok(set.try_insert(member, score)?.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn bytes_text_and_numbers_deserialize() {
        let long = "x".repeat(100);
        for text in ["", "ann", &long] {
            let string = ByteString::from(text);
            let json = serde_json::to_string(&string).unwrap();
            assert!(json.starts_with('['), "{json}");
            assert_eq!(serde_json::from_str::<ByteString>(&json).unwrap(), string);
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(serde_json::from_str::<ByteString>(&json).unwrap(), string);
            assert_eq!(serde_json::from_value::<ByteString>(text.into()).unwrap(), string);
            let bytes = postcard::to_allocvec(&string).unwrap();
            assert_eq!(postcard::from_bytes::<ByteString>(&bytes).unwrap(), string);
            let mut bytes = Vec::new();
            ciborium::into_writer(&string, &mut bytes).unwrap();
            assert_eq!(ciborium::from_reader::<ByteString, _>(bytes.as_slice()).unwrap(), string);
        }
        for json in ["[256]", "[-1]", "[0.5]", "7", "null", "{}"] {
            assert!(serde_json::from_str::<ByteString>(json).is_err(), "{json}");
        }
        let error = serde_json::from_str::<ByteString>("7").unwrap_err();
        assert!(error.to_string().contains("expected bytes or text"), "{error}");
    }

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
        let [two, half] = [2.0, 1.5].map(|number| Score::new(number).unwrap());
        assert_eq!(set, ZSet::from([("b", two), ("a", half)]));
        for json in [r#"[["a"]]"#, r#"[["a", "x"]]"#, r#"{"a": 1}"#, "[[[256], 1]]", "[[1, 2]]"] {
            assert!(serde_json::from_str::<ZSet>(json).is_err(), "{json}");
        }
    }
}
