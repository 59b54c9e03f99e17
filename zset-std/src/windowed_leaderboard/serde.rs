//! Serialization: how time is cut, the newest time, the bound, and the board of each bucket.

use std::collections::BTreeMap;
use std::hash::Hash;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::{Buckets, WindowedLeaderboard};
use crate::{Leaderboard, Policy, Timestamp};

/// Each board goes with how many buckets ago it was; the newest comes first.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored<Boards> {
    buckets: Buckets,
    newest: Timestamp,
    max_len: Option<usize>,
    boards: Boards,
}

/// Serializes all but the merged board, which is made of the others, and the indexes, which can be
/// made anew.
impl<Id: Serialize, S: Serialize + Copy, K> Serialize for WindowedLeaderboard<Id, S, K> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let number = self.number();
        // Those that are too old are there only after a panic.
        let boards = self
            .boards
            .range(self.oldest()..)
            .rev()
            .map(|(bucket, board)| (number - bucket, board));
        let boards: Vec<_> = boards.collect();
        let WindowedLeaderboard { buckets, newest, .. } = *self;
        let max_len = self.empty.max_len();
        Stored { buckets, newest, max_len, boards }.serialize(serializer)
    }
}

/// Reads boards without indexes, and merges them.
///
/// It is an error if a bucket is there twice or would not be kept, or if a board has a member twice,
/// more members than the bound allows, or another bound.
impl<'de, Id, S, K> Deserialize<'de> for WindowedLeaderboard<Id, S, K>
where
    Id: Deserialize<'de> + Ord + Hash + Clone,
    S: Deserialize<'de> + Ord + Copy,
    K: Policy<S>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::<Vec<(u64, Leaderboard<Id, S, K>)>>::deserialize(deserializer)?;
        let mut windowed = Self::for_policy(stored.buckets);
        windowed.newest = stored.newest;
        windowed.empty = windowed.empty.with_max_len(stored.max_len.unwrap_or(usize::MAX));
        let (oldest, number) = (windowed.oldest(), windowed.number());
        let mut boards = BTreeMap::new();
        for (ago, board) in stored.boards {
            let bucket = number.checked_sub(ago).filter(|&bucket| bucket >= oldest);
            let bucket = bucket.ok_or_else(|| D::Error::custom("a bucket is not kept"))?;
            if board.max_len() != stored.max_len {
                return Err(D::Error::custom("a bucket has another bound"));
            }
            if boards.insert(bucket, board).is_some() {
                return Err(D::Error::custom("a bucket is there twice"));
            }
        }
        boards.retain(|_, board| !board.is_empty());
        windowed.boards = boards;
        windowed.merge_all();
        Ok(windowed)
    }
}
