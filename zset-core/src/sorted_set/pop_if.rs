//! Popping an element if a predicate accepts it.

use core::hash::{BuildHasher, Hash};

use super::SortedSet;

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Removes and returns the element with the lowest score if `predicate` returns true for it.
    /// **O(log n)**.
    ///
    /// If the set is empty, `predicate` is not called. If `predicate` panics, the element is not
    /// removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut due = zset_core::SortedSet::from([("mail", 10), ("backup", 30)]);
    /// assert_eq!(due.pop_first_if(|_, time| time <= 20), Some(("mail", 10)));
    /// assert_eq!(due.pop_first_if(|_, time| time <= 20), None);
    /// ```
    pub fn pop_first_if(&mut self, predicate: impl FnOnce(&M, S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.first()?;
        if predicate(member, score) { self.pop_first() } else { None }
    }

    /// Removes and returns the element with the highest score if `predicate` returns true for it.
    /// **O(log n)**.
    ///
    /// If the set is empty, `predicate` is not called. If `predicate` panics, the element is not
    /// removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2)]);
    /// assert_eq!(set.pop_last_if(|_, score| score > 1), Some(("b", 2)));
    /// assert_eq!(set.pop_last_if(|_, score| score > 1), None);
    /// ```
    pub fn pop_last_if(&mut self, predicate: impl FnOnce(&M, S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.last()?;
        if predicate(member, score) { self.pop_last() } else { None }
    }
}
