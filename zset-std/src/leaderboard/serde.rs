//! Serialization as a sequence of members and scores, highest score first.

use std::cmp::Reverse;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::Leaderboard;

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
        struct Scores<Id, S, K>(PhantomData<Leaderboard<Id, S, K>>);

        impl<'de, Id, S, K> Visitor<'de> for Scores<Id, S, K>
        where
            Id: Deserialize<'de> + Ord + Hash,
            S: Deserialize<'de> + Ord + Copy,
        {
            type Value = Leaderboard<Id, S, K>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence of members and scores")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut scores: A) -> Result<Self::Value, A::Error> {
                let mut board = Leaderboard::default();
                while let Some((member, score)) = scores.next_element()? {
                    if board.ranking.insert(member, score).map_err(A::Error::custom)?.is_some() {
                        return Err(A::Error::custom("a member is there twice"));
                    }
                }
                Ok(board)
            }
        }

        deserializer.deserialize_seq(Scores(PhantomData))
    }
}
