//! Serialization as a sequence of pairs, in order.

use core::hash::{BuildHasher, Hash};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::{FixedSortedSet, SlotNumber};
use crate::TryReserveError;
use crate::load::load_seq;

/// Serializes as a sequence of `(member, score)`, lowest score first.
impl<M: Serialize, S: Serialize + Copy, const N: usize, I: SlotNumber, H> Serialize
    for FixedSortedSet<M, S, N, I, H>
{
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self)
    }
}

/// Deserializes a sequence of `(member, score)` in any order. A repeated member is an error, and so are
/// more elements than the capacity.
impl<'de, M, S, const N: usize, I, H> Deserialize<'de> for FixedSortedSet<M, S, N, I, H>
where
    M: Deserialize<'de> + Ord + Hash,
    S: Deserialize<'de> + Ord + Copy,
    I: SlotNumber,
    H: BuildHasher + Default,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        load_seq(
            deserializer,
            "a sequence of members and scores",
            |set: &mut Self, (member, score)| {
                let old = set.try_insert(member, score);
                Ok(old.map_err(|_| TryReserveError::BufferFull)?.is_none())
            },
        )
    }
}
