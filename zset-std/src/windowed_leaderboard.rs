//! [`WindowedLeaderboard`]: a board for each bucket of time, and a merged board over all buckets.

mod buckets;
mod merge;
#[cfg(test)]
mod tests;

pub use buckets::{Buckets, BucketsError};

use alloc::collections::BTreeMap;
use core::convert::Infallible;
use core::fmt;
use core::hash::Hash;

use zset_core::Equivalent;

use crate::leaderboard::Submission;
use crate::{Best, Leaderboard, Policy, Timestamp};
use merge::Merged;

// Invariants: `boards` contains boards only for the buckets kept, i.e. the newest bucket and a
// number of buckets before it. None of these boards is empty. The merged board contains exactly the
// members of these boards. Each merged score is the combination of the member's scores in the
// buckets, as defined in `merge`, and depends on nothing else.
//
// If user code panics during a write, the merged board may be out of date; the next write begins by
// recomputing it. A bucket expires one member at a time: the member's merged score is recomputed
// from the remaining buckets, and then the member is removed from the bucket. So an interrupted
// expiry can resume at any point.

/// Leaderboards over time, for example for today, each day of the week, and the whole week.
///
/// Time is divided into [`Buckets`], and each bucket has its own board. [`current`](Self::current)
/// is the board of the newest bucket, and [`bucket`](Self::bucket) returns earlier ones.
/// [`merged`](Self::merged) is the board over all buckets kept, where the policy combines the
/// scores of each member. [`Best`] yields the best score in any bucket, [`Latest`](crate::Latest)
/// yields the score in the member's newest bucket, and [`Sum`](crate::Sum) yields the sum.
///
/// The merged score of a member depends only on its scores in the buckets, not on the order of
/// calls that produced them. Scores are combined from the newest bucket to the oldest. If the sum
/// of all of them overflows, only the newest buckets count, as many as have a valid sum. This
/// happens only when a bucket expires, or when the bound evicts a score that kept the sum small. A
/// submission that would make fewer buckets count is an error. The same applies to any [`Policy`]
/// that can fail. A score that the bound rejects is not combined, so it is not an error.
///
/// A windowed leaderboard has no clock. Each submission passes the current time, and
/// [`advance`](Self::advance) expires buckets that are too old. Reading expires nothing. A time
/// before the newest time seen is treated as the newest time. So a late submission counts in the
/// newest bucket, and earlier buckets never gain scores.
///
/// A member uses memory in each bucket where it has a score, and in the merged board.
/// [`with_max_len`](Self::with_max_len) bounds the members of each bucket. The merged board then
/// has at most that number times the number of buckets.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
///
/// const DAY: Duration = Duration::from_secs(86_400);
/// let day = |n: u32| Timestamp::ZERO.saturating_add(DAY * n);
///
/// // Seven days, including the current one.
/// let mut week = WindowedLeaderboard::new(Buckets::new(DAY, 7)?);
/// week.submit("ann", 90, day(0));
/// week.submit("ann", 50, day(1));
/// week.submit("bob", 70, day(1));
///
/// assert_eq!(week.current().score("ann"), Some(&50));
/// assert_eq!(week.merged().score("ann"), Some(&90));
/// assert_eq!(week.bucket(1).unwrap().len(), 1); // yesterday
///
/// week.advance(day(7)); // the first day is more than a week ago
/// assert!(week.current().is_empty());
/// assert_eq!(week.merged().best(), Some((&"bob", &70)));
/// assert_eq!(week.merged().score("ann"), Some(&50));
/// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
/// ```
///
/// With the `serde` feature, a windowed leaderboard serializes as its [`Buckets`], the newest time,
/// the bound, and each bucket's board together with the bucket's age. Deserializing recomputes the
/// merged board.
pub struct WindowedLeaderboard<Id, S, K = Best> {
    buckets: Buckets,
    /// The latest time seen.
    newest: Timestamp,
    /// Keyed by bucket number; contains expired buckets only while they are being removed.
    boards: BTreeMap<u64, Leaderboard<Id, S, K>>,
    merged: Leaderboard<Id, S, K>,
    /// The initial board of a bucket, with the bound and the index.
    empty: Leaderboard<Id, S, K>,
    /// Set during a write. If it is set at the start of a write, an earlier write has panicked.
    is_torn: bool,
    /// Whether any member's merged score may omit its oldest buckets. Stays true until the merged
    /// board is cleared or recomputed.
    is_partial: bool,
}

impl<Id, S> WindowedLeaderboard<Id, S> {
    /// Creates empty boards that keep the best score of each member. **O(1)**.
    pub fn new(buckets: Buckets) -> Self {
        Self::of(buckets)
    }
}

impl<Id, S, K> WindowedLeaderboard<Id, S, K> {
    /// Creates empty boards with a policy: [`Latest`](crate::Latest), [`Sum`](crate::Sum) or a
    /// custom one. **O(1)**.
    pub fn with_policy(buckets: Buckets, _: K) -> Self {
        Self::of(buckets)
    }

    fn of(buckets: Buckets) -> Self {
        WindowedLeaderboard {
            buckets,
            newest: Timestamp::ZERO,
            boards: BTreeMap::new(),
            merged: Leaderboard::default(),
            empty: Leaderboard::default(),
            is_torn: false,
            is_partial: false,
        }
    }

    /// Returns how time is divided into buckets. **O(1)**.
    pub fn buckets(&self) -> Buckets {
        self.buckets
    }

    /// Returns the latest time seen. **O(1)**.
    pub fn newest(&self) -> Timestamp {
        self.newest
    }

    /// Returns the board of the newest bucket. **O(log k)** for k boards.
    pub fn current(&self) -> &Leaderboard<Id, S, K> {
        self.boards.get(&self.number()).unwrap_or(&self.empty)
    }

    /// Returns the board of the bucket `ago` buckets before the newest, or `None` if it is not
    /// kept. **O(log k)** for k boards.
    pub fn bucket(&self, ago: usize) -> Option<&Leaderboard<Id, S, K>> {
        if ago >= self.buckets.count() {
            return None;
        }
        // Bucket numbers start at zero, so there may be fewer than `ago` buckets before the newest.
        let number = u64::try_from(ago).ok().and_then(|ago| self.number().checked_sub(ago));
        let board = number.and_then(|number| self.boards.get(&number));
        Some(board.unwrap_or(&self.empty))
    }

    /// Returns the board over all buckets kept. **O(1)**.
    pub fn merged(&self) -> &Leaderboard<Id, S, K> {
        &self.merged
    }

    /// Returns whether all buckets are empty. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.merged.is_empty()
    }

    /// Returns the number of the newest bucket.
    fn number(&self) -> u64 {
        self.buckets.number(self.newest)
    }

    /// Returns the number of the oldest bucket kept.
    fn oldest(&self) -> u64 {
        let before = u64::try_from(self.buckets.count() - 1).unwrap_or(u64::MAX);
        self.number().saturating_sub(before)
    }
}

impl<Id: Clone, S: Clone, K> Clone for WindowedLeaderboard<Id, S, K> {
    fn clone(&self) -> Self {
        WindowedLeaderboard {
            buckets: self.buckets,
            newest: self.newest,
            boards: self.boards.clone(),
            merged: self.merged.clone(),
            empty: self.empty.clone(),
            is_torn: self.is_torn,
            is_partial: self.is_partial,
        }
    }
}

/// Two windowed leaderboards are equal if they have the same buckets, newest time and boards.
impl<Id: PartialEq, S: PartialEq, K> PartialEq for WindowedLeaderboard<Id, S, K> {
    fn eq(&self, other: &Self) -> bool {
        (self.buckets, self.newest) == (other.buckets, other.newest) && self.boards == other.boards
    }
}

impl<Id: Eq, S: Eq, K> Eq for WindowedLeaderboard<Id, S, K> {}

impl<Id: fmt::Debug, S: fmt::Debug, K> fmt::Debug for WindowedLeaderboard<Id, S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowedLeaderboard")
            .field("buckets", &self.buckets)
            .field("newest", &self.newest)
            .field("boards", &self.boards)
            .field("merged", &self.merged)
            .finish_non_exhaustive()
    }
}

impl<Id: Ord + Hash + Clone, S: Ord + Clone, K: Policy<S>> WindowedLeaderboard<Id, S, K> {
    /// Submits a score under a policy that cannot fail: [`Best`] or
    /// [`Latest`](crate::Latest). **O(log n)** expected, plus the cost of
    /// [`advance`](Self::advance). See [`try_submit`](Self::try_submit).
    #[track_caller]
    pub fn submit(&mut self, member: Id, score: S, now: Timestamp) -> Submission<Id, S>
    where
        K: Policy<S, Error = Infallible>,
    {
        let Ok(submission) = self.try_submit(member, score, now);
        submission
    }

    /// Submits a score to the current bucket and the merged board, and returns its effect on the
    /// current bucket. **O(log n)** expected, plus the cost of [`advance`](Self::advance). Adds
    /// **O(k)** for k boards if any of these is true:
    ///
    /// - The policy is not [exact](Policy::IS_EXACT), as sums of `f64`s are not.
    /// - The bound evicts a member, or the submission fails.
    /// - A merged score has omitted some bucket since the last [`clear`](Self::clear) or
    ///   [`with_max_len`](Self::with_max_len).
    ///
    /// # Errors
    ///
    /// The policy's error if the score does not combine with the member's score in the current
    /// bucket, or if a bucket that counts in its merged score would no longer count: see
    /// [`WindowedLeaderboard`]. All scores are unchanged, but the time has advanced.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn try_submit(
        &mut self,
        member: Id,
        score: S,
        now: Timestamp,
    ) -> Result<Submission<Id, S>, K::Error> {
        self.advance(now);
        if self.current().rejects(&member, &score) {
            return Ok(Submission { old: None, new: None, dropped: Some((member, score)) });
        }
        // Change nothing until both boards are known to accept the score.
        let merged = self.merged_after(&member, &score)?;
        self.is_torn = true;
        let submission = self.submit_merged(member, score, merged);
        self.is_torn = false;
        submission
    }

    /// Advances the time and expires the buckets that are now too old. **O(m k)** expected, plus
    /// O(log n) each, for m members of expired buckets and k remaining boards; O(log k) if none
    /// expires. The cost does not depend on the number of empty buckets that have passed.
    ///
    /// A time before the newest one seen is a no-op.
    ///
    /// The merged score of each member of an expired bucket is recomputed from the remaining
    /// buckets. If their sum is not a valid score, which requires scores of both signs, only the
    /// newest buckets count, as many as have a valid sum.
    pub fn advance(&mut self, now: Timestamp) {
        self.mend();
        self.newest = self.newest.max(now);
        let oldest = self.oldest();
        if self.boards.range(oldest..).next().is_none() {
            return self.clear();
        }
        while let Some(first) = self.boards.first_entry().filter(|first| *first.key() < oldest) {
            let Some((member, _)) = first.get().worst() else {
                first.remove();
                continue;
            };
            // Recompute the merged score before removing the member: if user code panics in
            // between, the member is still in the bucket, and the next call recomputes its score
            // again.
            let member = member.clone();
            self.merge(&member);
            if let Some(mut first) = self.boards.first_entry() {
                first.get_mut().pop_worst();
            }
        }
    }

    /// Removes a member from all buckets and returns its merged score. **O(k log n)** expected for
    /// k boards.
    pub fn remove<Q>(&mut self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.mend();
        self.is_torn = true;
        self.boards.retain(|_, board| {
            board.remove(member);
            !board.is_empty()
        });
        let score = self.merged.remove(member);
        self.is_torn = false;
        score
    }

    /// Submits a score to the current board, and sets the member's merged score.
    fn submit_merged(
        &mut self,
        member: Id,
        score: S,
        merged: Merged<S>,
    ) -> Result<Submission<Id, S>, K::Error> {
        let number = self.number();
        let board = self.boards.entry(number).or_insert_with(|| self.empty.clone());
        let submission = board.try_submit(member.clone(), score)?;
        self.set_merged(member, merged);
        if let Some((dropped, _)) = &submission.dropped {
            self.merge(dropped);
        }
        Ok(submission)
    }

    /// Repairs the state after a panic during a write.
    fn mend(&mut self) {
        if self.is_torn {
            self.boards.retain(|_, board| {
                board.trim_to(board.max_len().unwrap_or(usize::MAX));
                !board.is_empty()
            });
            self.merge_all();
            self.is_torn = false;
        }
    }

    /// Returns the boards with a bound on the number of members in each bucket; see
    /// [`Leaderboard::with_max_len`]. **O(n k)** expected, plus O(log n) each, for k boards.
    ///
    /// An entry evicted from or rejected by a bucket does not count in the merged board either, so
    /// a rejected score cannot overflow a sum. The merged board has at most `max_len` members per
    /// bucket.
    pub fn with_max_len(self, max_len: usize) -> Self {
        let mut boards = self.map(|board| board.with_max_len(max_len));
        boards.is_torn = true;
        boards.mend();
        boards
    }
}

impl<Id: Ord + Hash, S: Ord + Clone, K> WindowedLeaderboard<Id, S, K> {
    /// Returns the boards, including the merged one, with an index of their distinct scores; see
    /// [`Leaderboard::with_dense_standings`]. **O(n)**.
    pub fn with_dense_standings(mut self) -> Self {
        self.merged = self.merged.with_dense_standings();
        self.map(Leaderboard::with_dense_standings)
    }

    /// Removes all members from all buckets. The newest time seen stays. **O(n)**.
    pub fn clear(&mut self) {
        self.is_torn = true;
        self.merged.clear();
        self.boards.clear();
        self.is_torn = false;
        self.is_partial = false;
    }

    /// Applies `change` to each board and to the initial board of new buckets.
    fn map(
        mut self,
        mut change: impl FnMut(Leaderboard<Id, S, K>) -> Leaderboard<Id, S, K>,
    ) -> Self {
        self.empty = change(self.empty);
        self.boards =
            self.boards.into_iter().map(|(bucket, board)| (bucket, change(board))).collect();
        self
    }
}

#[cfg(feature = "serde")]
mod serde {
    //! Serialization of windowed leaderboards: the buckets, the newest time, the bound, and the
    //! board of each bucket.

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
    impl<Id: Serialize, S: Serialize, K> Serialize for WindowedLeaderboard<Id, S, K> {
        fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
            let number = self.number();
            // Skip expired buckets, which are present only after a panic.
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
    /// Fails if a bucket repeats or is too old, or if a board repeats a member, has more members
    /// than its bound allows, or has a different bound.
    impl<'de, Id, S, K> Deserialize<'de> for WindowedLeaderboard<Id, S, K>
    where
        Id: Deserialize<'de> + Ord + Hash + Clone,
        S: Deserialize<'de> + Ord + Clone,
        K: Policy<S>,
    {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let stored = Stored::<Vec<(u64, Leaderboard<Id, S, K>)>>::deserialize(deserializer)?;
            let mut windowed = Self::of(stored.buckets);
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
}
