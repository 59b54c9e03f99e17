//! Serialization as a sequence of members and scores, highest score first, and the bound.

use core::cmp::Reverse;
use core::hash::Hash;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use zset_core::SortedSet;

use super::Leaderboard;
use super::ranking::Ranking;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Leaderboard")]
struct Stored<Scores> {
    scores: Scores,
    max_len: Option<usize>,
}

/// Serializes the members with their scores, and the bound. The index is not stored; it can be rebuilt.
impl<Id: Serialize, S: Serialize + Copy, K> Serialize for Leaderboard<Id, S, K> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        Stored { scores: self.ranking.set(), max_len: self.max_len() }.serialize(serializer)
    }
}

/// Deserializes the members, in any order, into a board without an index.
///
/// Fails if a member repeats, if there are more members than the bound allows, or if they exhaust
/// memory or the 32-bit handles.
impl<'de, Id, S, K> Deserialize<'de> for Leaderboard<Id, S, K>
where
    Id: Deserialize<'de> + Ord + Hash,
    S: Deserialize<'de> + Ord + Copy,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // `Reverse` is transparent to serde: the stored value is the score itself.
        let Stored::<SortedSet<Id, Reverse<S>>> { scores, max_len } =
            Stored::deserialize(deserializer)?;
        let max_len = max_len.unwrap_or(usize::MAX);
        if scores.len() > max_len {
            return Err(D::Error::custom("leaderboard has more members than its bound allows"));
        }
        Ok(Leaderboard { ranking: Ranking::of(scores), max_len, policy: PhantomData })
    }
}
