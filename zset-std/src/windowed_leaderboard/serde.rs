//! Serialization as the buckets, the newest time, the bound, and the board of each bucket.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::hash::Hash;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::{Buckets, WindowedLeaderboard};
use crate::{Leaderboard, Policy, Timestamp};

/// `boards` pairs each board with its age in buckets, newest first.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored<Boards> {
    buckets: Buckets,
    newest: Timestamp,
    max_len: Option<usize>,
    boards: Boards,
}

/// Serializes everything but the merged board and the indexes, which can be rebuilt.
impl<Id: Serialize, S: Serialize + Copy, K> Serialize for WindowedLeaderboard<Id, S, K> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let number = self.number();
        // Expired buckets are present only after a panic.
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

/// Deserializes boards without indexes, and merges them.
///
/// Fails if a bucket repeats or is too old, or if a board repeats a member, has more members than its
/// bound allows, or has a different bound.
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
            let bucket = bucket.ok_or_else(|| D::Error::custom("a bucket is too old"))?;
            if board.max_len() != stored.max_len {
                return Err(D::Error::custom("a bucket has a different bound"));
            }
            if boards.insert(bucket, board).is_some() {
                return Err(D::Error::custom("a bucket is repeated"));
            }
        }
        boards.retain(|_, board| !board.is_empty());
        windowed.boards = boards;
        windowed.merge_all();
        Ok(windowed)
    }
}
