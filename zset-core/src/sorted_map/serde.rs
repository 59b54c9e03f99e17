//! Serialization as a sequence of triples, in order.

use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::{Entry, SortedMap};

/// Serializes as a sequence of `(key, value, score)`, lowest score first.
impl<K: Serialize, V: Serialize, S: Serialize + Copy, H> Serialize for SortedMap<K, V, S, H> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self)
    }
}

/// Reads a sequence of `(key, value, score)` in any order. A repeated key is an error.
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
        struct Elements<K, V, S, H>(PhantomData<(K, V, S, H)>);

        impl<'de, K, V, S, H> Visitor<'de> for Elements<K, V, S, H>
        where
            K: Deserialize<'de> + Ord + Hash,
            V: Deserialize<'de>,
            S: Deserialize<'de> + Ord + Copy,
            H: BuildHasher + Default,
        {
            type Value = SortedMap<K, V, S, H>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence of keys, values and scores")
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut elements: A,
            ) -> Result<Self::Value, A::Error> {
                let mut map = SortedMap::default();
                while let Some((key, value, score)) = elements.next_element()? {
                    map.try_reserve(1).map_err(A::Error::custom)?;
                    match map.entry(key) {
                        Entry::Vacant(entry) => _ = entry.insert(value, score),
                        Entry::Occupied(_) => return Err(A::Error::custom("repeated key")),
                    }
                }
                Ok(map)
            }
        }

        deserializer.deserialize_seq(Elements(PhantomData))
    }
}
