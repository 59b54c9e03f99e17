//! Serialization as a sequence of pairs of member and score, in order.

use alloc::vec::Vec;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, SerializeTuple, Serializer};

use super::ZSet;
use crate::Score;

/// Serializes as a sequence of `(member, score)`, lowest score first; members as bytes. The limits
/// are not part of it.
impl Serialize for ZSet {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut elements = serializer.serialize_seq(Some(self.len()))?;
        for (member, score) in self {
            elements.serialize_element(&Element(&member, score))?;
        }
        elements.end()
    }
}

struct Element<'a>(&'a [u8], Score);

impl Serialize for Element<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut pair = serializer.serialize_tuple(2)?;
        pair.serialize_element(&Bytes(self.0))?;
        pair.serialize_element(&self.1)?;
        pair.end()
    }
}

struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Reads elements in any order; of equal members the last one's score counts.
///
/// The set has Redis's limits.
impl<'de> Deserialize<'de> for ZSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;

        impl<'de> Visitor<'de> for Elements {
            type Value = ZSet;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence of pairs of member and score")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<ZSet, A::Error> {
                let mut set = ZSet::new();
                while let Some((Member(member), score)) = elements.next_element()? {
                    set.try_insert(member, score).map_err(A::Error::custom)?;
                }
                Ok(set)
            }
        }

        deserializer.deserialize_seq(Elements)
    }
}

/// Bytes as a format has them: as bytes, as text, or as a sequence of numbers.
struct Member(Vec<u8>);

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MemberVisitor;

        impl<'de> Visitor<'de> for MemberVisitor {
            type Value = Member;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member: bytes or text")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Member, E> {
                Ok(Member(bytes.to_vec()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Member, E> {
                self.visit_bytes(text.as_bytes())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<Member, A::Error> {
                let mut member = Vec::new();
                while let Some(byte) = bytes.next_element()? {
                    member.push(byte);
                }
                Ok(Member(member))
            }
        }

        deserializer.deserialize_bytes(MemberVisitor)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Score, ZSet};

    #[test]
    fn a_set_comes_back_in_the_same_encoding() {
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
    fn members_may_be_text_and_scores_must_be_numbers() {
        let set: ZSet = serde_json::from_str(r#"[["b", 2], ["a", 1.5], ["b", 0.5]]"#).unwrap();
        assert_eq!(
            set,
            ZSet::from([("b", Score::new(0.5).unwrap()), ("a", Score::new(1.5).unwrap())])
        );
        for json in [r#"[["a"]]"#, r#"[["a", "x"]]"#, r#"{"a": 1}"#, "[[[256], 1]]", "[[1, 2]]"] {
            assert!(serde_json::from_str::<ZSet>(json).is_err(), "{json}");
        }
    }
}
