//! Serialization as a sequence of members and scores, highest score first.

use std::cmp::Reverse;
use std::hash::Hash;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::Leaderboard;
use crate::pairs;

/// Serializes the members and their scores; the bound and the index are settings of the program.
impl<Id: Serialize, S: Serialize + Copy, K> Serialize for Leaderboard<Id, S, K> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let scores = self.ranking.set().iter();
        serializer.collect_seq(scores.map(|(member, Reverse(score))| (member, score)))
    }
}

/// Reads a sequence in any order, of which each member is a different one, to a board without a
/// bound.
///
/// What is too large for memory or for 32-bit handles is an error, not a panic.
impl<'de, Id, S, K> Deserialize<'de> for Leaderboard<Id, S, K>
where
    Id: Deserialize<'de> + Ord + Hash,
    S: Deserialize<'de> + Ord + Copy,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        pairs::read(deserializer, |board: &mut Self, member, score| {
            Ok(board.ranking.insert(member, score)?.is_none())
        })
    }
}
