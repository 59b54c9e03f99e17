//! Serialization as a sequence of pairs, in order.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::SkipList;
use crate::serde::load_seq;

/// Serializes as a sequence of `(member, score)`, lowest score first.
impl<M: Serialize, S: Serialize + Copy> Serialize for SkipList<M, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self)
    }
}

/// Deserializes a sequence of `(member, score)` in any order; the list sorts them. Elements may
/// repeat.
///
/// Returns an error, rather than panicking, if the list is too large for memory or for 32-bit
/// handles.
impl<'de, M, S> Deserialize<'de> for SkipList<M, S>
where
    M: Deserialize<'de> + Ord,
    S: Deserialize<'de> + Ord + Copy,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        load_seq(
            deserializer,
            "a sequence of members and scores",
            |list: &mut Self, (member, score)| list.try_insert(member, score).map(|()| true),
        )
    }
}
