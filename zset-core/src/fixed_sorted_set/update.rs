//! Updating the scores of members.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{FixedSortedSet, SlotNumber};

impl<M: Ord + Hash, S: Ord + Copy, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Updates the score of a member with `new_score`, called on the old score, and returns the old
    /// score. **O(log n)** comparisons, and up to n slot numbers are shifted.
    ///
    /// If `new_score` panics, the score is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.update("a", |score| score * 10), Some(1));
    /// assert_eq!(set.update("b", |score| score * 10), None);
    /// assert_eq!(set.score("a"), Some(10));
    /// ```
    pub fn update<Q>(&mut self, member: &Q, new_score: impl FnOnce(S) -> S) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let slot = self.slot(member)?;
        Some(self.set_score(slot, new_score(self.scores[slot])))
    }

    /// Sets the score of a slot, and returns the old one.
    pub(super) fn set_score(&mut self, slot: usize, score: S) -> S {
        let old = self.scores[slot];
        if score != old {
            let rank = self.rank_of(slot);
            let position = self.position(&self.members[slot], &score);
            // The element itself counts with its old score.
            self.shift(rank, position - usize::from(rank < position));
            self.scores[slot] = score;
        }
        old
    }
}
