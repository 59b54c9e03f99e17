//! Removing elements.

use core::hash::{BuildHasher, Hash};
use core::mem;
use core::ops::RangeBounds;
use equivalent::Equivalent;

use super::{FixedSortedSet, SlotNumber};
use crate::bounds;

impl<M: Ord + Hash, S: Ord + Copy, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Removes a member, and returns its score. **O(log n)** comparisons, and up to n slot numbers are
    /// shifted.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.remove("a"), Some(1));
    /// assert_eq!(set.remove("a"), None);
    /// ```
    pub fn remove<Q>(&mut self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        Some(self.remove_entry(member)?.1)
    }

    /// Removes a member, and returns the stored member and its score. **O(log n)** comparisons, and up
    /// to n slot numbers are shifted.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<String, u32, 2>::new();
    /// set.try_insert("a".to_string(), 1).unwrap();
    /// assert_eq!(set.remove_entry("a"), Some(("a".to_string(), 1)));
    /// ```
    pub fn remove_entry<Q>(&mut self, member: &Q) -> Option<(M, S)>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let slot = self.slot(member)?;
        Some(self.take(self.rank_of(slot)))
    }

    /// Removes and returns the element at this 0-based rank. **O(log n)** comparisons, and up to n slot
    /// numbers are shifted.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.remove_by_rank(0), Some(("a", 1)));
    /// assert_eq!(set.remove_by_rank(0), None);
    /// ```
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(M, S)> {
        (rank < self.len()).then(|| self.take(rank))
    }

    /// Removes and returns the element with the lowest score. **O(log n)** comparisons, and n slot
    /// numbers are shifted.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.pop_first(), Some(("a", 1)));
    /// assert_eq!(set.pop_first(), None);
    /// ```
    pub fn pop_first(&mut self) -> Option<(M, S)> {
        self.remove_by_rank(0)
    }

    /// Removes and returns the element with the highest score. **O(log n)** comparisons.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// set.try_insert("b", 2).unwrap();
    /// assert_eq!(set.pop_last(), Some(("b", 2)));
    /// ```
    pub fn pop_last(&mut self) -> Option<(M, S)> {
        self.remove_by_rank(self.len().checked_sub(1)?)
    }

    /// Removes and returns the element with the lowest score if `predicate` returns true for it.
    /// **O(log n)** comparisons, and n slot numbers are shifted.
    ///
    /// If the set is empty, `predicate` is not called. If `predicate` panics, the element is not
    /// removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut due = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// due.try_insert("mail", 10).unwrap();
    /// assert_eq!(due.pop_first_if(|_, time| time <= 5), None);
    /// assert_eq!(due.pop_first_if(|_, time| time <= 20), Some(("mail", 10)));
    /// ```
    pub fn pop_first_if(&mut self, predicate: impl FnOnce(&M, S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.first()?;
        if predicate(member, score) { self.pop_first() } else { None }
    }

    /// Removes and returns the element with the highest score if `predicate` returns true for it.
    /// **O(log n)** comparisons.
    ///
    /// If the set is empty, `predicate` is not called. If `predicate` panics, the element is not
    /// removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.pop_last_if(|_, score| score > 0), Some(("a", 1)));
    /// ```
    pub fn pop_last_if(&mut self, predicate: impl FnOnce(&M, S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.last()?;
        if predicate(member, score) { self.pop_last() } else { None }
    }

    /// Removes the elements at these 0-based ranks, and returns how many. **O(m (log n + n))** for m of
    /// them, of which only O(m log n) are comparisons.
    ///
    /// Ranks past the end are ignored; an inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 3>::new();
    /// for (member, score) in [("a", 1), ("b", 2), ("c", 3)] {
    ///     set.try_insert(member, score).unwrap();
    /// }
    /// assert_eq!(set.remove_range_by_rank(1..9), 2);
    /// assert!(set.iter().eq([(&"a", 1)]));
    /// ```
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        let ranks = bounds::ranks(&range, self.len());
        let removed = ranks.len();
        ranks.rev().for_each(|rank| drop(self.take(rank)));
        removed
    }

    /// Removes the elements with scores in the range, and returns how many. **O(m (log n + n))** for m of
    /// them, of which only O(m log n) are comparisons.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 3>::new();
    /// for (member, score) in [("a", 1), ("b", 2), ("c", 3)] {
    ///     set.try_insert(member, score).unwrap();
    /// }
    /// assert_eq!(set.remove_range_by_score(..=2), 2);
    /// assert!(set.iter().eq([(&"c", 3)]));
    /// ```
    pub fn remove_range_by_score(&mut self, range: impl RangeBounds<S>) -> usize {
        self.remove_range_by_rank(self.ranks_by_score(&range))
    }

    /// Keeps only the elements for which `keep` returns true, visiting them in order. **O(n + m (log n +
    /// n))** for m removed ones.
    ///
    /// If `keep` panics, the elements it has rejected so far are removed, and all others remain.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<u32, u32, 4>::new();
    /// (0..4).for_each(|i| drop(set.try_insert(i, i)));
    /// set.retain(|member, _| member % 2 == 0);
    /// assert!(set.iter().eq([(&0, 0), (&2, 2)]));
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&M, S) -> bool) {
        let mut rank = 0;
        while let Some((member, score)) = self.get_by_rank(rank) {
            if keep(member, score) {
                rank += 1;
            } else {
                self.take(rank);
            }
        }
    }

    /// Removes the element at a rank, which must be below the length.
    fn take(&mut self, rank: usize) -> (M, S) {
        let (slot, last) = (self.slot_at(rank), self.len() - 1);
        // All user code comes first.
        let bucket = self.bucket(&self.members[slot]);
        let last_bucket = self.bucket(&self.members[last]);
        let last_rank = self.rank_of(last);

        // It will be in no chain, so nothing may be found through its link.
        let next = mem::replace(&mut self.links[slot], I::NONE);
        self.redirect(bucket, slot, next);
        if slot != last {
            self.redirect(last_bucket, last, I::from_usize(slot));
            self.links[slot] = self.links[last];
            self.order[last_rank] = I::from_usize(slot);
        }
        self.shift(rank, last);
        (self.members.swap_remove(slot), self.scores.swap_remove(slot))
    }
}
