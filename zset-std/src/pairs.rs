//! Serialization as a sequence of pairs, so that members need not be texts, as keys of a map are in
//! many formats.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use zset_core::{SortedSet, TryReserveError};

/// Serializes the elements of a set in order.
pub(crate) fn serialize<M, S, T>(set: &SortedSet<M, S>, serializer: T) -> Result<T::Ok, T::Error>
where
    M: Serialize,
    S: Serialize + Copy,
    T: Serializer,
{
    serializer.collect_seq(set)
}

/// Reads elements in any order; a member that is there twice is an error.
pub(crate) fn deserialize<'de, M, S, D>(deserializer: D) -> Result<SortedSet<M, S>, D::Error>
where
    M: Deserialize<'de> + Ord + Hash,
    S: Deserialize<'de> + Ord + Copy,
    D: Deserializer<'de>,
{
    read(deserializer, |set: &mut SortedSet<M, S>, member, score| {
        Ok(set.try_insert(member, score)?.is_none())
    })
}

/// Reads pairs in turn into a collection, by a function that returns whether the pair's member is
/// new; one that is not is an error, and so is a failed allocation.
pub(crate) fn read<'de, C, M, S, D, F>(deserializer: D, insert: F) -> Result<C, D::Error>
where
    C: Default,
    M: Deserialize<'de>,
    S: Deserialize<'de>,
    D: Deserializer<'de>,
    F: FnMut(&mut C, M, S) -> Result<bool, TryReserveError>,
{
    deserializer.deserialize_seq(Pairs { insert, types: PhantomData })
}

struct Pairs<C, M, S, F> {
    insert: F,
    types: PhantomData<(C, M, S)>,
}

impl<'de, C, M, S, F> Visitor<'de> for Pairs<C, M, S, F>
where
    C: Default,
    M: Deserialize<'de>,
    S: Deserialize<'de>,
    F: FnMut(&mut C, M, S) -> Result<bool, TryReserveError>,
{
    type Value = C;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence of pairs")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut pairs: A) -> Result<C, A::Error> {
        let mut collection = C::default();
        let mut index = 0;
        while let Some((member, score)) = pairs.next_element()? {
            if !(self.insert)(&mut collection, member, score).map_err(A::Error::custom)? {
                return Err(A::Error::custom(format_args!("pair {index} repeats an earlier one")));
            }
            index += 1;
        }
        Ok(collection)
    }
}
