//! Reading one element: by member, by rank, or at the ends.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{FixedSortedSet, SlotNumber};

impl<M, S: Copy, const N: usize, I: SlotNumber, H: BuildHasher> FixedSortedSet<M, S, N, I, H> {
    /// Returns the score of a member. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.score("a"), Some(1));
    /// assert_eq!(set.score("b"), None);
    /// ```
    pub fn score<Q>(&self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.scores.get(self.slot(member)?).copied()
    }

    /// Returns the stored member equal to `member`, and its score. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<String, u32, 2>::new();
    /// set.try_insert("a".to_string(), 1).unwrap();
    /// assert_eq!(set.get("a"), Some((&"a".to_string(), 1)));
    /// ```
    pub fn get<Q>(&self, member: &Q) -> Option<(&M, S)>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        Some(self.element(self.slot(member)?))
    }

    /// Returns whether a member is in the set. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert!(set.contains("a"));
    /// ```
    pub fn contains<Q>(&self, member: &Q) -> bool
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.slot(member).is_some()
    }

    /// Returns the 0-based rank of a member, lowest score first. **O(log n)** comparisons.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 30).unwrap();
    /// set.try_insert("b", 10).unwrap();
    /// assert_eq!(set.rank("a"), Some(1));
    /// assert_eq!(set.rank("c"), None);
    /// ```
    pub fn rank<Q>(&self, member: &Q) -> Option<usize>
    where
        M: Ord,
        S: Ord,
        Q: Hash + Equivalent<M> + ?Sized,
    {
        Some(self.rank_of(self.slot(member)?))
    }

    /// Returns the 0-based rank of a member, highest score first. **O(log n)** comparisons.
    ///
    /// It is the exact reverse of [`rank`](Self::rank), so among equal scores the last member comes
    /// first.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 30).unwrap();
    /// set.try_insert("b", 10).unwrap();
    /// assert_eq!(set.rev_rank("a"), Some(0));
    /// ```
    pub fn rev_rank<Q>(&self, member: &Q) -> Option<usize>
    where
        M: Ord,
        S: Ord,
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let rank = self.rank(member)?;
        Some(self.len() - 1 - rank)
    }
}

impl<M, S, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the number of members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::FixedSortedSet::<u32, u32, 4>::new().len(), 0);
    /// ```
    pub const fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether the set has no members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_core::FixedSortedSet::<u32, u32, 4>::new().is_empty());
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the maximum number of members, `N`. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::FixedSortedSet::<u32, u32, 4>::new().capacity(), 4);
    /// ```
    pub const fn capacity(&self) -> usize {
        self.order.len()
    }

    /// Returns whether there is no room for another member. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<u32, u32, 1>::new();
    /// set.try_insert(1, 10).unwrap();
    /// assert!(set.is_full());
    /// ```
    pub const fn is_full(&self) -> bool {
        self.len() == N
    }
}

impl<M, S: Copy, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the element with the lowest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.first(), Some((&"a", 1)));
    /// ```
    pub fn first(&self) -> Option<(&M, S)> {
        self.get_by_rank(0)
    }

    /// Returns the element with the highest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.last(), Some((&"a", 1)));
    /// ```
    pub fn last(&self) -> Option<(&M, S)> {
        self.get_by_rank(self.len().checked_sub(1)?)
    }

    /// Returns the element at this 0-based rank, lowest score first. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// assert_eq!(set.get_by_rank(0), Some((&"a", 1)));
    /// assert_eq!(set.get_by_rank(1), None);
    /// ```
    pub fn get_by_rank(&self, rank: usize) -> Option<(&M, S)> {
        Some(self.element(self.sorted().get(rank)?.to_usize()))
    }

    fn element(&self, slot: usize) -> (&M, S) {
        (&self.members[slot], self.scores[slot])
    }
}
