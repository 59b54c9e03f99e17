//! Submitting scores, and removing members.

use core::convert::Infallible;
use core::hash::Hash;

use zset_core::{Equivalent, Increment};

use super::{Leaderboard, Policy};

/// What a submission did to a board.
///
/// # Examples
///
/// ```
/// use zset_std::Leaderboard;
///
/// let mut board = Leaderboard::new();
/// let first = board.submit("ann", 7);
/// assert_eq!((first.old, first.new), (None, Some(7)));
/// assert!(first.is_changed());
///
/// let worse = board.submit("ann", 5);
/// assert_eq!((worse.old, worse.new), (Some(7), Some(7)));
/// assert!(!worse.is_changed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Submission<Id, S> {
    /// The member's previous score, if it was on the board.
    pub old: Option<S>,
    /// The member's new score, or `None` if a full board rejected it.
    pub new: Option<S>,
    /// The entry evicted or rejected by the size bound: the last member, or the submitted one if `new`
    /// is `None`.
    pub dropped: Option<(Id, S)>,
}

impl<Id, S: PartialEq> Submission<Id, S> {
    /// Returns whether the board has changed. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut board = zset_std::Leaderboard::new();
    /// assert!(board.submit("ann", 7).is_changed());
    /// assert!(!board.submit("ann", 5).is_changed()); // 7 is better
    /// ```
    pub fn is_changed(&self) -> bool {
        self.old != self.new
    }
}

/// Methods that change the board.
impl<Id: Ord + Hash, S: Ord + Copy, K> Leaderboard<Id, S, K> {
    /// Submits a score under a policy that cannot fail: [`Best`](super::Best),
    /// [`Latest`](super::Latest). **O(log n)** expected.
    ///
    /// Like [`try_submit`](Self::try_submit), but infallible.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::Leaderboard;
    ///
    /// let mut board = Leaderboard::new();
    /// assert!(board.submit("ann", 7).is_changed());
    /// assert!(!board.submit("ann", 5).is_changed());
    /// ```
    #[track_caller]
    pub fn submit(&mut self, member: Id, score: S) -> Submission<Id, S>
    where
        K: Policy<S, Error = Infallible>,
    {
        let Ok(submission) = self.try_submit(member, score);
        submission
    }

    /// Submits a score under any policy. **O(log n)** expected.
    ///
    /// If the board is full, a new member either evicts the last one or is rejected; see
    /// [`with_max_len`](Self::with_max_len).
    ///
    /// # Errors
    ///
    /// The policy's error if the score does not combine with the member's current one: for
    /// [`Sum`](super::Sum), [`ScoreOverflow`](zset_core::ScoreOverflow) or
    /// [`NanScore`](zset_core::NanScore). The board is unchanged: the member keeps its old score.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{NanScore, Score};
    /// use zset_std::Leaderboard;
    ///
    /// let mut board = Leaderboard::sum();
    /// board.try_submit("ann", Score::INFINITY)?;
    /// assert_eq!(board.try_submit("ann", Score::NEG_INFINITY), Err(NanScore));
    /// assert_eq!(board.score("ann"), Some(Score::INFINITY));
    /// # Ok::<(), NanScore>(())
    /// ```
    #[track_caller]
    pub fn try_submit(&mut self, member: Id, score: S) -> Result<Submission<Id, S>, K::Error>
    where
        K: Policy<S>,
    {
        self.ranking.submit(member, self.max_len, |old| match old {
            Some(old) => K::combine(old, score),
            None => Ok(score),
        })
    }

    /// Submits scores in order, until one fails, under any policy. **O(log n)** expected each.
    ///
    /// # Errors
    ///
    /// The policy's error for the first score that does not combine with its member's current one;
    /// scores before it are submitted. Scores after it remain in the iterator, if that was passed with
    /// `by_ref`.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Leaderboard, Sum};
    ///
    /// let mut board = Leaderboard::<_, u8, Sum>::default();
    /// board.try_extend([("ann", 200), ("bob", 7), ("ann", 50)])?;
    /// assert_eq!(board.score("ann"), Some(250));
    /// assert!(board.try_extend([("bob", 1), ("ann", 50)]).is_err());
    /// assert_eq!((board.score("ann"), board.score("bob")), (Some(250), Some(8)));
    /// # Ok::<(), zset_core::ScoreOverflow>(())
    /// ```
    #[track_caller]
    pub fn try_extend(&mut self, scores: impl IntoIterator<Item = (Id, S)>) -> Result<(), K::Error>
    where
        K: Policy<S>,
    {
        scores.into_iter().try_for_each(|(member, score)| self.try_submit(member, score).map(drop))
    }

    /// Adds to the score of a member, regardless of the policy; an absent member starts from zero.
    /// **O(log n)** expected.
    ///
    /// If the board is full, a new member is handled as in [`try_submit`](Self::try_submit).
    ///
    /// # Errors
    ///
    /// The score type's error if the sum is not a valid score:
    /// [`ScoreOverflow`](zset_core::ScoreOverflow) or [`NanScore`](zset_core::NanScore). The board is
    /// unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::ScoreOverflow;
    /// use zset_std::Leaderboard;
    ///
    /// let mut board = Leaderboard::new();
    /// assert_eq!(board.increment("ann", 5)?.new, Some(5));
    /// assert_eq!(board.increment("ann", -7)?.new, Some(-2));
    /// assert_eq!(board.increment("ann", i32::MIN), Err(ScoreOverflow));
    /// # Ok::<(), ScoreOverflow>(())
    /// ```
    #[track_caller]
    pub fn increment(&mut self, member: Id, by: S::By) -> Result<Submission<Id, S>, S::Error>
    where
        S: Increment,
    {
        self.ranking
            .submit(member, self.max_len, |old| old.unwrap_or(S::ZERO).checked_increment(by))
    }

    /// Removes a member and returns its score. **O(log n)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut board = zset_std::Leaderboard::from([("ann", 7)]);
    /// assert_eq!(board.remove("ann"), Some(7));
    /// assert_eq!(board.remove("ann"), None);
    /// ```
    pub fn remove<Q>(&mut self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.ranking.remove(member)
    }

    /// Removes all but the first `n` members and returns how many it removed. **O(m log n)** expected
    /// for m members removed. The board's bound is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut board = zset_std::Leaderboard::from([("ann", 7), ("bob", 9), ("cid", 5)]);
    /// assert_eq!(board.trim_to(2), 1);
    /// assert_eq!(board.last(), Some((&"ann", 7)));
    /// ```
    pub fn trim_to(&mut self, n: usize) -> usize {
        self.ranking.truncate(n)
    }

    /// Removes all members, keeping the bound and the index. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut board = zset_std::Leaderboard::from([("ann", 7)]);
    /// board.clear();
    /// assert!(board.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.ranking.clear();
    }

    /// Returns whether the bound rejects a score of a member, whatever the policy.
    pub(crate) fn rejects(&self, member: &Id, score: S) -> bool {
        self.ranking.rejects(member, score, self.max_len)
    }

    /// Sets the score of a member, ignoring the policy and the bound.
    #[track_caller]
    pub(crate) fn set_score(&mut self, member: Id, score: S) {
        self.ranking.set_score(member, score);
    }

    /// Removes and returns the last member.
    pub(crate) fn pop_last(&mut self) -> Option<(Id, S)> {
        self.ranking.pop_last()
    }
}
