//! Serialization as a sequence of triples, in order.

use core::hash::{BuildHasher, Hash};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::SortedMap;
use crate::serde::load_seq;

/// Serializes as a sequence of `(key, value, score)`, lowest score first. To serialize as a map,
/// use [`serde_map`](super::serde_map).
impl<K: Serialize, V: Serialize, S: Serialize + Copy, H> Serialize for SortedMap<K, V, S, H> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self)
    }
}

/// Deserializes a sequence of `(key, value, score)` in any order. A repeated key is an error.
///
/// A map that is too large for memory or for 32-bit handles is an error, not a panic.
impl<'de, K, V, S, H> Deserialize<'de> for SortedMap<K, V, S, H>
where
    K: Deserialize<'de> + Ord + Hash,
    V: Deserialize<'de>,
    S: Deserialize<'de> + Ord + Copy,
    H: BuildHasher + Default,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        load_seq(
            deserializer,
            "a sequence of keys, values and scores",
            |map: &mut Self, (key, value, score)| Ok(map.try_insert(key, value, score)?.is_none()),
        )
    }
}
