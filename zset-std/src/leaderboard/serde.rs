//! Serialization as a sequence of members and scores, highest score first, beside the bound.

use std::cmp::Reverse;
use std::hash::Hash;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::Leaderboard;
use super::ranking::Ranking;
use crate::pairs;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Leaderboard")]
struct Stored<Scores> {
    scores: Scores,
    max_len: Option<usize>,
}

impl<Id: Serialize, S: Serialize + Copy> Serialize for Ranking<Id, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let scores = self.set().iter();
        serializer.collect_seq(scores.map(|(member, Reverse(score))| (member, score)))
    }
}

impl<'de, Id, S> Deserialize<'de> for Ranking<Id, S>
where
    Id: Deserialize<'de> + Ord + Hash,
    S: Deserialize<'de> + Ord + Copy,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        pairs::read(deserializer, |ranking: &mut Self, member, score| {
            Ok(ranking.insert(member, score)?.is_none())
        })
    }
}

/// Serializes the members and their scores, and the bound; not the index, which can be made anew.
impl<Id: Serialize, S: Serialize + Copy, K> Serialize for Leaderboard<Id, S, K> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        Stored { scores: &self.ranking, max_len: self.max_len() }.serialize(serializer)
    }
}

/// Reads the members in any order, to a board without an index.
///
/// It is an error if a member is there twice, if there are more members than the bound allows, or if
/// they are too many for memory or for 32-bit handles.
impl<'de, Id, S, K> Deserialize<'de> for Leaderboard<Id, S, K>
where
    Id: Deserialize<'de> + Ord + Hash,
    S: Deserialize<'de> + Ord + Copy,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored::<Ranking<Id, S>> { scores, max_len } = Stored::deserialize(deserializer)?;
        let max_len = max_len.unwrap_or(usize::MAX);
        if scores.set().len() > max_len {
            return Err(D::Error::custom("leaderboard has more members than its bound allows"));
        }
        Ok(Leaderboard { ranking: scores, max_len, policy: PhantomData })
    }
}
