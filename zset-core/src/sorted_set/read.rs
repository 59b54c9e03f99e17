//! Reading one element: by member, by rank, or at the ends.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::SortedSet;

impl<M, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the score of a member. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a", 1)]);
    /// assert_eq!(set.score("a"), Some(1));
    /// assert_eq!(set.score("b"), None);
    /// ```
    #[inline]
    pub fn score<Q>(&self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        Some(self.element(member)?.score)
    }

    /// Returns the stored member equal to `member`, and its score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a".to_string(), 1)]);
    /// assert_eq!(set.get("a"), Some((&"a".to_string(), 1)));
    /// ```
    pub fn get<Q>(&self, member: &Q) -> Option<(&M, S)>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let found = self.element(member)?;
        Some((found.member, found.score))
    }

    /// Returns whether a member is in the set. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a", 1)]);
    /// assert!(set.contains("a"));
    /// ```
    pub fn contains<Q>(&self, member: &Q) -> bool
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.element(member).is_some()
    }

    /// Returns the 0-based rank of a member, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a", 30), ("b", 10), ("c", 20)]);
    /// assert_eq!(set.rank("b"), Some(0));
    /// assert_eq!(set.rank("d"), None);
    /// ```
    #[inline]
    pub fn rank<Q>(&self, member: &Q) -> Option<usize>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        Some(self.list.rank_of(self.position(member)?))
    }

    /// Returns the 0-based rank of a member, highest score first. **O(log n)**.
    ///
    /// It is the exact reverse of [`rank`](Self::rank), so among equal scores the last member comes
    /// first. If equal scores are to share a rank, as in a medal table, count the higher scores
    /// instead.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    ///
    /// let set = zset_core::SortedSet::from([("a", 30), ("b", 10), ("c", 30)]);
    /// assert_eq!(set.rev_rank("c"), Some(0));
    /// assert_eq!(set.rev_rank("b"), Some(2));
    /// assert_eq!(1 + set.count_by_score((Excluded(30), Unbounded)), 1); // "a" and "c"
    /// assert_eq!(1 + set.count_by_score((Excluded(10), Unbounded)), 3); // "b"
    /// ```
    pub fn rev_rank<Q>(&self, member: &Q) -> Option<usize>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let rank = self.rank(member)?;
        Some(self.len() - 1 - rank)
    }
}

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Returns the number of members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SortedSet::from([("a", 1), ("b", 2)]).len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns whether the set has no members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_core::SortedSet::<&str, u32>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the element with the lowest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert_eq!(set.first(), Some((&"a", 1)));
    /// ```
    pub fn first(&self) -> Option<(&M, S)> {
        self.list.first()
    }

    /// Returns the element with the highest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert_eq!(set.last(), Some((&"b", 2)));
    /// ```
    pub fn last(&self) -> Option<(&M, S)> {
        self.list.last()
    }

    /// Returns the element at this 0-based rank, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert_eq!(set.get_by_rank(1), Some((&"b", 2)));
    /// assert_eq!(set.get_by_rank(2), None);
    /// ```
    pub fn get_by_rank(&self, rank: usize) -> Option<(&M, S)> {
        self.list.get_by_rank(rank)
    }

    /// Returns the number of bytes the set has allocated, excluding memory owned by members.
    ///
    /// **O(n)**, but it visits only chunks of up to 32 KiB.
    ///
    /// # Examples
    ///
    /// ```
    /// let set: zset_core::SortedSet<_, _> = (0..1000u64).map(|i| (i, i)).collect();
    /// assert!((16_000..64_000).contains(&set.allocation_size()));
    /// ```
    pub fn allocation_size(&self) -> usize {
        self.list.allocation_size() + self.dict.allocation_size()
    }
}
