//! Serialization as a sequence of pairs, in order.

use core::hash::{BuildHasher, Hash};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::SortedSet;
use crate::serde::load_seq;

/// Serializes as a sequence of `(member, score)`, lowest score first. For a map, see
/// [`serde_map`](super::serde_map).
impl<M: Serialize, S: Serialize + Copy, H> Serialize for SortedSet<M, S, H> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self)
    }
}

/// Deserializes a sequence of `(member, score)` in any order; the set sorts them. A repeated member
/// is an error.
///
/// Returns an error, rather than panicking, if the set is too large for memory or for 32-bit
/// handles.
impl<'de, M, S, H> Deserialize<'de> for SortedSet<M, S, H>
where
    M: Deserialize<'de> + Ord + Hash,
    S: Deserialize<'de> + Ord + Copy,
    H: BuildHasher + Default,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        load_seq(
            deserializer,
            "a sequence of members and scores",
            |set: &mut Self, (member, score)| Ok(set.try_insert(member, score)?.is_none()),
        )
    }
}
