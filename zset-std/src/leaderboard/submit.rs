//! Submitting scores, and removing members.

use std::convert::Infallible;
use std::hash::Hash;

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
    /// The score that the member had, if it was on the board.
    pub old: Option<S>,
    /// The score that it has now; none if the board is full and it ranks below all others.
    pub new: Option<S>,
    /// Who is not on the board for its bound, with its score: whoever was last, or, if `new` is
    /// none, the member that was submitted.
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

/// Writing.
impl<Id: Ord + Hash, S: Ord + Copy, K> Leaderboard<Id, S, K> {
    /// Submits a score of a member, by a policy to which any two scores combine: [`Best`](super::Best),
    /// [`Latest`](super::Latest). **O(log n)** expected.
    ///
    /// It is [`try_submit`](Self::try_submit) where nothing can fail.
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

    /// Submits a score of a member, by any policy. **O(log n)** expected.
    ///
    /// If the board is full, the last member may have to go, or the new one is below it; see
    /// [`with_max_len`](Self::with_max_len).
    ///
    /// # Errors
    ///
    /// The policy's own, if the score does not combine with the one that the member has: for
    /// [`Sum`](super::Sum), [`ScoreOverflow`](zset_core::ScoreOverflow) or [`NanScore`](zset_core::NanScore).
    /// The board is as it was, so the member is on it with its old score.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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

    /// Adds to the score of a member, whatever the policy; a member that is not on the board
    /// starts from zero. **O(log n)** expected.
    ///
    /// If the board is full, it is as with [`try_submit`](Self::try_submit).
    ///
    /// # Errors
    ///
    /// The score's own if the sum is not a score: [`ScoreOverflow`](zset_core::ScoreOverflow),
    /// [`NanScore`](zset_core::NanScore). The board is as it was.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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

    /// Removes a member; returns its score. **O(log n)** expected.
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

    /// Keeps the first `n` members only, this once; returns how many went. **O(m log n)** expected
    /// for m of them.
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

    /// Removes all members; the bound and the index stay. **O(n)**.
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

    /// Gives a member this score, whatever the policy and the bound.
    #[track_caller]
    pub(crate) fn set_score(&mut self, member: Id, score: S) {
        self.ranking.set_score(member, score);
    }

    /// Removes the last member.
    pub(crate) fn pop_last(&mut self) -> Option<(Id, S)> {
        self.ranking.pop_last()
    }
}
