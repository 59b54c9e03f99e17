//! Serialization as a map from members to scores, in order.

use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::SortedSet;

/// Serializes as a map, lowest score first.
impl<M: Serialize, S: Serialize + Copy, H> Serialize for SortedSet<M, S, H> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_map(self)
    }
}

/// Reads a map in any order; of equal members the last one's score counts.
///
/// A map that is too large for memory or for 32-bit handles is an error, not a panic.
impl<'de, M, S, H> Deserialize<'de> for SortedSet<M, S, H>
where
    M: Deserialize<'de> + Ord + Hash,
    S: Deserialize<'de> + Ord + Copy,
    H: BuildHasher + Default,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapVisitor<M, S, H>(PhantomData<(M, S, H)>);

        impl<'de, M, S, H> Visitor<'de> for MapVisitor<M, S, H>
        where
            M: Deserialize<'de> + Ord + Hash,
            S: Deserialize<'de> + Ord + Copy,
            H: BuildHasher + Default,
        {
            type Value = SortedSet<M, S, H>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from members to scores")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut set = SortedSet::default();
                while let Some((member, score)) = map.next_entry()? {
                    set.try_insert(member, score).map_err(A::Error::custom)?;
                }
                Ok(set)
            }
        }

        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}
