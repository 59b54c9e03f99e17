//! Reading one element: by rank or at the ends; the rank of an element.

use core::borrow::Borrow;

use super::SkipList;
use super::position::Position;

impl<M, S: Copy> SkipList<M, S> {
    /// Returns the number of elements. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::from_iter([("a", 1), ("a", 1)]).len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_core::SkipList::<u8, u8>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the first element. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert_eq!(list.first(), Some((&"a", 1)));
    /// ```
    pub fn first(&self) -> Option<(&M, S)> {
        (self.len > 0).then(|| self.leaf(self.head).at(0))
    }

    /// Returns the last element. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert_eq!(list.last(), Some((&"b", 2)));
    /// ```
    pub fn last(&self) -> Option<(&M, S)> {
        (self.len > 0).then(|| {
            let Position { leaf, index } = self.last_position();
            self.leaf(leaf).at(index)
        })
    }

    /// Returns the element at this 0-based rank. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert_eq!(list.get_by_rank(1), Some((&"b", 2)));
    /// assert_eq!(list.get_by_rank(2), None);
    /// ```
    pub fn get_by_rank(&self, rank: usize) -> Option<(&M, S)> {
        (rank < self.len).then(|| {
            let Position { leaf, index } = self.position_at(rank);
            self.leaf(leaf).at(index)
        })
    }

    /// Returns the number of bytes the list has allocated, excluding memory owned by members.
    ///
    /// **O(n)**, but it visits only chunks of up to 32 KiB.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::<u64, u64>::new().allocation_size(), 0);
    /// ```
    pub fn allocation_size(&self) -> usize {
        self.leaves.allocation_size() + self.blocks.allocation_size()
    }
}

impl<M, S: Ord + Copy> SkipList<M, S> {
    /// Returns the 0-based rank of the first element equal to `(member, score)`. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("b", 2)]);
    /// assert_eq!(list.rank("b", 2), Some(1));
    /// assert_eq!(list.rank("b", 1), None);
    /// ```
    pub fn rank<Q>(&self, member: &Q, score: S) -> Option<usize>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        Some(self.rank_of(self.search_element(score, |other| other.borrow().cmp(member))?))
    }
}
