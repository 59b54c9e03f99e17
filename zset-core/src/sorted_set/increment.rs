//! Incrementing the scores of members.

use core::hash::{BuildHasher, Hash};

use super::SortedSet;
use crate::increment::sum_or_panic;
use crate::{Increment, IncrementError};

impl<M: Ord + Hash, S: Ord + Increment, H: BuildHasher> SortedSet<M, S, H> {
    /// Adds `by` to the score of a member, which counts as zero if the member is not in the set;
    /// returns the new score. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// # Errors
    ///
    /// Returns the score's own error if the sum is not a valid score: [`NanScore`](crate::NanScore) for
    /// [`Score`](crate::Score), [`ScoreOverflow`](crate::ScoreOverflow) for integers. The set is
    /// unchanged; in particular, a new member is not inserted.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_increment`](Self::try_increment).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{ScoreOverflow, SortedSet};
    ///
    /// let mut set = SortedSet::<&str, i64>::new();
    /// assert_eq!(set.increment("a", 5), Ok(5));
    /// assert_eq!(set.increment("a", -7), Ok(-2));
    /// assert_eq!(set.increment("a", i64::MIN), Err(ScoreOverflow));
    /// assert_eq!(set.score("a"), Some(-2));
    /// ```
    #[track_caller]
    pub fn increment(&mut self, member: M, by: S::By) -> Result<S, S::Error> {
        sum_or_panic(self.try_increment(member, by))
    }

    /// Like [`increment`](Self::increment), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`IncrementError::Score`] with the score's own error if the sum is not a valid score, and
    /// [`IncrementError::Full`] if memory or 32-bit handles run out. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{IncrementError, ScoreOverflow, SortedSet};
    ///
    /// let mut set = SortedSet::<&str, u8>::new();
    /// assert_eq!(set.try_increment("a", 200), Ok(200));
    /// assert_eq!(set.try_increment("a", 56), Err(IncrementError::Score(ScoreOverflow)));
    /// ```
    #[inline]
    pub fn try_increment(&mut self, member: M, by: S::By) -> Result<S, IncrementError<S::Error>> {
        self.try_change(member, |old| old.checked_increment(by))
    }

    /// Sets the score of a member to `sum` of its old score, or of zero if the member is new.
    #[inline]
    fn try_change(
        &mut self,
        member: M,
        sum: impl FnOnce(S) -> Result<S, S::Error>,
    ) -> Result<S, IncrementError<S::Error>> {
        let hash = self.hash(&member);
        let (handle, old) = match self.find(hash, &member) {
            Some(found) => (Some(found.handle), found.score),
            None => (None, S::ZERO),
        };
        let new = sum(old).map_err(IncrementError::Score)?;
        match handle {
            Some(mut handle) => self.set_score(hash, &mut handle, new)?,
            None => _ = self.insert_new(hash, member, new)?,
        }
        Ok(new)
    }
}
