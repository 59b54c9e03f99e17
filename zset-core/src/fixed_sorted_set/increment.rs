//! Incrementing the scores of members.

use core::hash::{BuildHasher, Hash};

use super::{FixedSortedSet, SlotNumber};
use crate::{Increment, IncrementError, TryReserveError};

impl<M: Ord + Hash, S: Ord + Increment, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Adds `by` to the score of a member, which counts as zero if the member is not in the set;
    /// returns the new score. **O(log n)** comparisons, and up to n slot numbers are shifted.
    ///
    /// # Errors
    ///
    /// [`IncrementError::Score`] with the score's own error if the sum is not a valid score, and
    /// [`IncrementError::Full`] if the member is new and the set is full. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{FixedSortedSet, IncrementError, ScoreOverflow, TryReserveError};
    ///
    /// let mut set = FixedSortedSet::<&str, u8, 1>::new();
    /// assert_eq!(set.try_increment("a", 200), Ok(200));
    /// assert_eq!(set.try_increment("a", 56), Err(IncrementError::Score(ScoreOverflow)));
    /// assert_eq!(set.try_increment("b", 1), Err(IncrementError::Full(TryReserveError::BufferFull)));
    /// ```
    pub fn try_increment(&mut self, member: M, by: S::By) -> Result<S, IncrementError<S::Error>> {
        let slot = self.slot(&member);
        let old = slot.map_or(S::ZERO, |slot| self.scores[slot]);
        let sum = old.checked_increment(by).map_err(IncrementError::Score)?;
        match slot {
            Some(slot) => {
                self.set_score(slot, sum);
            }
            None if self.is_full() => return Err(TryReserveError::BufferFull.into()),
            None => self.push(member, sum),
        }
        Ok(sum)
    }
}
