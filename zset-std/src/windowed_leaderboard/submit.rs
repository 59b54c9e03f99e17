//! Submitting scores, and letting buckets go.

use std::convert::Infallible;
use std::hash::Hash;

use zset_core::Equivalent;

use super::WindowedLeaderboard;
use crate::{Leaderboard, Policy, Submission, Timestamp};

impl<Id: Ord + Hash + Clone, S: Ord + Copy, K: Policy<S>> WindowedLeaderboard<Id, S, K> {
    /// Submits a score of a member, by a policy to which any two scores combine: [`Best`](crate::Best),
    /// [`Latest`](crate::Latest). **O(log n)** expected, and what [`advance`](Self::advance) takes.
    ///
    /// It is [`try_submit`](Self::try_submit) where nothing can fail.
    ///
    /// # Examples
    ///
    /// See [`WindowedLeaderboard`].
    #[track_caller]
    pub fn submit(&mut self, member: Id, score: S, now: Timestamp) -> Submission<Id, S>
    where
        K: Policy<S, Error = Infallible>,
    {
        let Ok(submission) = self.try_submit(member, score, now);
        submission
    }

    /// Submits a score of a member, which counts in the current bucket and in the merged board;
    /// returns what it did to the current bucket. **O(log n)** expected, and what
    /// [`advance`](Self::advance) takes; O(k) more for k boards if a member has to go for a bound, or
    /// if there are sums that are not scores.
    ///
    /// # Errors
    ///
    /// The policy's own, if the score does not combine with the member's score in the bucket or in
    /// the merged board. No score has changed; time has gone on.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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
    /// // In the next minute it would fit, but not in all five.
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
        // Nothing changes until both are known to combine.
        let merged = match self.merged.score(&member) {
            Some(old) => K::combine(old, score)?,
            None => score,
        };
        self.is_torn = true;
        let submission = self.submit_merged(member, score, merged);
        self.is_torn = false;
        submission
    }

    /// Tells the boards the time, and lets go the buckets that are too old by now. **O(m k)**
    /// expected, and O(log n) for each, for m members of the buckets that go and k boards that stay;
    /// O(log k) if none goes. It does not matter how many buckets have passed in which nothing was.
    ///
    /// A time before the newest one that they were told changes nothing.
    ///
    /// The members of a bucket that goes have then what the others combine to. If a sum of those
    /// is not a score, which takes scores of both signs, only the newest of them count that add up
    /// to one.
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
    /// # Ok::<(), zset_std::BucketsError>(())
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
            // A member is in many buckets, but gone from this one only when it is merged anew.
            let member = member.clone();
            self.merge(&member);
            if let Some(mut first) = self.boards.first_entry() {
                first.get_mut().pop_last();
            }
        }
    }

    /// Removes a member from all buckets; returns the score that it had in the merged board.
    /// **O(k log n)** expected for k boards.
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
    /// # Ok::<(), zset_std::BucketsError>(())
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

    /// Submits a score to the current board, and gives the member this score in the merged one.
    fn submit_merged(
        &mut self,
        member: Id,
        score: S,
        merged: S,
    ) -> Result<Submission<Id, S>, K::Error> {
        let number = self.number();
        let board = self.boards.entry(number).or_insert_with(|| self.empty.clone());
        let submission = board.try_submit(member.clone(), score)?;
        if board.is_empty() {
            self.boards.remove(&number);
        }
        if submission.new.is_some() {
            if self.is_partial {
                // What was left out of its score may count now.
                self.merge(&member);
            } else {
                self.merged.set_score(member, merged);
            }
            if let Some((dropped, _)) = &submission.dropped {
                self.merge(dropped);
            }
        }
        Ok(submission)
    }

    /// Sets right what a panic in the middle of a write left.
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

    /// Gives a member the score in the merged board that its scores of the kept buckets combine to,
    /// or removes it from there.
    fn merge(&mut self, member: &Id) {
        match merged(self.boards.range(self.oldest()..).map(|(_, board)| board), member) {
            Some(Merged { score, is_partial }) => {
                self.is_partial |= is_partial;
                self.merged.set_score(member.clone(), score);
            }
            None => _ = self.merged.remove(member),
        }
    }

    /// Merges all members anew.
    pub(super) fn merge_all(&mut self) {
        self.merged.clear();
        self.is_partial = false;
        for board in self.boards.values() {
            for line in board {
                if !self.merged.contains(line.member) {
                    if let Some(Merged { score, is_partial }) =
                        merged(self.boards.values(), line.member)
                    {
                        self.is_partial |= is_partial;
                        self.merged.set_score(line.member.clone(), score);
                    }
                }
            }
        }
    }

    /// Returns the boards with a bound on the members of each bucket; see
    /// [`Leaderboard::with_max_len`]. **O(n k)** expected, and O(log n) for each, for k boards.
    ///
    /// Whoever is not on the board of a bucket for this bound does not count in the merged one
    /// either. That has at most so many members for each bucket.
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
    /// # Ok::<(), zset_std::BucketsError>(())
    /// ```
    pub fn with_max_len(self, max_len: usize) -> Self {
        let mut boards = self.map(|board| board.with_max_len(max_len));
        boards.is_torn = true;
        boards.mend();
        boards
    }
}

impl<Id: Ord + Hash, S: Ord + Copy, K> WindowedLeaderboard<Id, S, K> {
    /// Returns the boards with an index of the distinct scores for each, the merged one among them;
    /// see [`Leaderboard::with_dense_standings`]. **O(n)**.
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
    /// # Ok::<(), zset_std::BucketsError>(())
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
    /// # Ok::<(), zset_std::BucketsError>(())
    /// ```
    pub fn clear(&mut self) {
        self.is_torn = true;
        self.merged.clear();
        self.boards.clear();
        self.is_torn = false;
        self.is_partial = false;
    }

    /// Changes what each bucket is, and what a new one starts as.
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

/// What the scores of a member combine to.
struct Merged<S> {
    score: S,
    /// Whether the oldest of them are left out, since they do not combine with the others.
    is_partial: bool,
}

/// Returns what the scores of a member in some boards combine to, the newest of which comes last.
///
/// It goes back from the newest, as far as they combine: where a sum overflows, as it can when
/// negative scores are gone that had kept it small, the newest count.
fn merged<'a, Id, S, K>(
    boards: impl DoubleEndedIterator<Item = &'a Leaderboard<Id, S, K>>,
    member: &Id,
) -> Option<Merged<S>>
where
    Id: Ord + Hash + 'a,
    S: Ord + Copy + 'a,
    K: Policy<S> + 'a,
{
    let mut scores = boards.rev().filter_map(|board| board.score(member));
    let newest = scores.next()?;
    let combined =
        scores.try_fold(newest, |newer, older| K::combine(older, newer).map_err(|_| newer));
    let is_partial = combined.is_err();
    Some(Merged { score: combined.unwrap_or_else(|newest| newest), is_partial })
}
