//! Submitting scores, and expiring buckets.

use core::convert::Infallible;
use core::hash::Hash;

use zset_core::Equivalent;

use super::WindowedLeaderboard;
use super::merge::Merged;
use crate::leaderboard::Submission;
use crate::{Leaderboard, Policy, Timestamp};

impl<Id: Ord + Hash + Clone, S: Ord + Copy, K: Policy<S>> WindowedLeaderboard<Id, S, K> {
    /// Submits a score under a policy that cannot fail: [`Best`](crate::Best),
    /// [`Latest`](crate::Latest). **O(log n)** expected, plus the cost of [`advance`](Self::advance).
    ///
    /// Like [`try_submit`](Self::try_submit), but infallible.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let minute = Duration::from_secs(60);
    /// let mut boards = WindowedLeaderboard::new(Buckets::new(minute, 5)?);
    /// boards.submit("ann", 7, Timestamp::ZERO);
    /// boards.submit("ann", 5, Timestamp::ZERO); // 7 is better
    /// assert_eq!(boards.merged().score("ann"), Some(7));
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
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
    /// [`WindowedLeaderboard`]. All scores are unchanged, but the time has advanced. The bound
    /// decides first: a score that it rejects is never an error.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let mut minutes = WindowedLeaderboard::sum(Buckets::new(Duration::from_secs(60), 5)?);
    /// let now = Timestamp::ZERO;
    /// assert_eq!(minutes.try_submit("ann", 200u8, now)?.new, Some(200));
    ///
    /// // It would fit into the next minute, but not into the sum of all five.
    /// let now = now.saturating_add(Duration::from_secs(60));
    /// assert!(minutes.try_submit("ann", 100, now).is_err());
    /// assert_eq!(minutes.current().score("ann"), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn try_submit(
        &mut self,
        member: Id,
        score: S,
        now: Timestamp,
    ) -> Result<Submission<Id, S>, K::Error> {
        self.advance(now);
        if self.current().rejects(&member, score) {
            return Ok(Submission { old: None, new: None, dropped: Some((member, score)) });
        }
        // Change nothing until both boards are known to accept the score.
        let merged = self.merged_after(&member, score)?;
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
    /// The merged score of each member of an expired bucket is recomputed from the remaining buckets.
    /// If their sum is not a valid score, which requires scores of both signs, only the newest of them
    /// count, as many as have a valid sum.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let mut minutes = WindowedLeaderboard::new(Buckets::new(Duration::from_secs(60), 5)?);
    /// minutes.submit("ann", 7, Timestamp::ZERO);
    /// minutes.advance(Timestamp::MAX);
    /// assert!(minutes.is_empty());
    ///
    /// minutes.advance(Timestamp::ZERO); // the clock was set back
    /// assert_eq!(minutes.newest(), Timestamp::MAX);
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn advance(&mut self, now: Timestamp) {
        self.mend();
        self.newest = self.newest.max(now);
        let oldest = self.oldest();
        if self.boards.range(oldest..).next().is_none() {
            return self.clear();
        }
        while let Some(first) = self.boards.first_entry().filter(|first| *first.key() < oldest) {
            let Some((member, _)) = first.get().last() else {
                first.remove();
                continue;
            };
            // Merge before removing: if a panic intervenes, the member is still here to be merged
            // again.
            let member = member.clone();
            self.merge(&member);
            if let Some(mut first) = self.boards.first_entry() {
                first.get_mut().pop_last();
            }
        }
    }

    /// Removes a member from all buckets and returns its merged score. **O(k log n)** expected for k
    /// boards.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let mut minutes = WindowedLeaderboard::new(Buckets::new(Duration::from_secs(60), 5)?);
    /// minutes.submit("ann", 7, Timestamp::ZERO);
    /// assert_eq!(minutes.remove("ann"), Some(7));
    /// assert!(minutes.is_empty());
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
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
    /// a rejected score cannot overflow a sum: the bound decides before the policy combines
    /// anything. The merged board has at most `max_len` members per bucket.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let minutes = Buckets::new(Duration::from_secs(60), 5)?;
    /// let mut minutes = WindowedLeaderboard::new(minutes).with_max_len(1);
    /// minutes.submit("ann", 7, Timestamp::ZERO);
    /// assert_eq!(minutes.submit("bob", 9, Timestamp::ZERO).dropped, Some(("ann", 7)));
    /// assert_eq!(minutes.merged().len(), 1);
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn with_max_len(self, max_len: usize) -> Self {
        let mut boards = self.map(|board| board.with_max_len(max_len));
        boards.is_torn = true;
        boards.mend();
        boards
    }
}

impl<Id: Ord + Hash, S: Ord + Copy, K> WindowedLeaderboard<Id, S, K> {
    /// Returns the boards, including the merged one, with an index of their distinct scores; see
    /// [`Leaderboard::with_dense_standings`]. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Ties, Timestamp, WindowedLeaderboard};
    ///
    /// let minutes = Buckets::new(Duration::from_secs(60), 5)?;
    /// let mut minutes = WindowedLeaderboard::new(minutes).with_dense_standings();
    /// minutes.submit("ann", 7, Timestamp::ZERO);
    /// assert_eq!(minutes.merged().standing("ann", Ties::Dense), Some(1));
    /// assert!(minutes.merged().has_dense_standings());
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn with_dense_standings(mut self) -> Self {
        self.merged = self.merged.with_dense_standings();
        self.map(Leaderboard::with_dense_standings)
    }

    /// Removes all members from all buckets. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let mut minutes = WindowedLeaderboard::new(Buckets::new(Duration::from_secs(60), 5)?);
    /// minutes.submit("ann", 7, Timestamp::ZERO);
    /// minutes.clear();
    /// assert!(minutes.is_empty());
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
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
