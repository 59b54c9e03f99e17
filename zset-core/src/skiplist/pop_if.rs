//! Popping an element if a predicate accepts it.

use super::SkipList;

impl<M, S: Copy> SkipList<M, S> {
    /// Removes and returns the first element if `predicate` returns true for it. **O(log n)**; O(1)
    /// until the first leaf is empty.
    ///
    /// If the list is empty, `predicate` is not called. If `predicate` panics, the element is not
    /// removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut due = zset_core::SkipList::from_iter([("mail", 10), ("backup", 30)]);
    /// assert_eq!(due.pop_first_if(|_, time| time <= 20), Some(("mail", 10)));
    /// assert_eq!(due.pop_first_if(|_, time| time <= 20), None);
    /// ```
    pub fn pop_first_if(&mut self, predicate: impl FnOnce(&M, S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.first()?;
        if predicate(member, score) { self.pop_first() } else { None }
    }

    /// Removes and returns the last element if `predicate` returns true for it. **O(log n)**; O(1)
    /// until the last leaf is empty.
    ///
    /// If the list is empty, `predicate` is not called. If `predicate` panics, the element is not
    /// removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2)]);
    /// assert_eq!(list.pop_last_if(|_, score| score > 1), Some(("b", 2)));
    /// assert_eq!(list.pop_last_if(|_, score| score > 1), None);
    /// ```
    pub fn pop_last_if(&mut self, predicate: impl FnOnce(&M, S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.last()?;
        if predicate(member, score) { self.pop_last() } else { None }
    }
}
