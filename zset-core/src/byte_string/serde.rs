//! Serialization as bytes.

use alloc::vec::Vec;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::ByteString;
use crate::TryReserveError;

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
        // The size hint may be too large: do not allocate for it.
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(byte) = numbers.next_element()? {
            bytes.try_reserve(1).map_err(TryReserveError::from).map_err(A::Error::custom)?;
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let bytes = postcard::to_allocvec(&string).unwrap();
            assert_eq!(postcard::from_bytes::<ByteString>(&bytes).unwrap(), string);
            let mut bytes = Vec::new();
            ciborium::into_writer(&string, &mut bytes).unwrap();
            assert_eq!(ciborium::from_reader::<ByteString, _>(bytes.as_slice()).unwrap(), string);
        }
        for json in ["[256]", "[-1]", "[0.5]", "7", "null", "{}"] {
            assert!(serde_json::from_str::<ByteString>(json).is_err(), "{json}");
        }
    }
}
