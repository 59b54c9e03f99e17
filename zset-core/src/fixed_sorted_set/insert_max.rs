//! Inserting a member unless its current score is better.

use core::hash::{BuildHasher, Hash};

use super::{CapacityError, FixedSortedSet, SlotNumber};
use crate::Insertion;

impl<M: Ord + Hash, S: Ord + Copy, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Inserts a member with a score. A member already in the set keeps the higher of the two scores.
    /// **O(log n)** comparisons, and up to n slot numbers are shifted.
    ///
    /// # Errors
    ///
    /// [`CapacityError`] with the element if the member is new and the set is full. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{FixedSortedSet, Insertion};
    ///
    /// let mut best = FixedSortedSet::<&str, u32, 2>::new();
    /// assert_eq!(best.try_insert_max("ann", 120), Ok(Insertion::Inserted));
    /// assert_eq!(best.try_insert_max("ann", 95), Ok(Insertion::Unchanged(120)));
    /// assert_eq!(best.try_insert_max("ann", 130), Ok(Insertion::Updated(120)));
    /// ```
    pub fn try_insert_max(
        &mut self,
        member: M,
        score: S,
    ) -> Result<Insertion<S>, CapacityError<M, S>> {
        self.try_insert_if(member, score, |old| score > old)
    }

    /// Inserts a member with a score. A member already in the set keeps the lower of the two scores.
    /// **O(log n)** comparisons, and up to n slot numbers are shifted.
    ///
    /// # Errors
    ///
    /// [`CapacityError`] with the element if the member is new and the set is full. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{FixedSortedSet, Insertion};
    ///
    /// let mut times = FixedSortedSet::<&str, u32, 2>::new();
    /// assert_eq!(times.try_insert_min("ann", 120), Ok(Insertion::Inserted));
    /// assert_eq!(times.try_insert_min("ann", 95), Ok(Insertion::Updated(120)));
    /// ```
    pub fn try_insert_min(
        &mut self,
        member: M,
        score: S,
    ) -> Result<Insertion<S>, CapacityError<M, S>> {
        self.try_insert_if(member, score, |old| score < old)
    }

    fn try_insert_if(
        &mut self,
        member: M,
        score: S,
        is_better: impl FnOnce(S) -> bool,
    ) -> Result<Insertion<S>, CapacityError<M, S>> {
        if let Some(slot) = self.slot(&member) {
            let old = self.scores[slot];
            if !is_better(old) {
                return Ok(Insertion::Unchanged(old));
            }
            return Ok(Insertion::Updated(self.set_score(slot, score)));
        }
        self.try_insert(member, score).map(|_| Insertion::Inserted)
    }
}
