//! Popping an element conditionally.

use core::hash::{BuildHasher, Hash};

use super::SortedMap;
use crate::handle::Handle;

impl<K: Hash, V, S: Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Removes and returns the element with the lowest score if `predicate` returns true for it. It
    /// may modify the value. **O(log n)**.
    ///
    /// If the map is empty, `predicate` is not called. If it panics, the element stays.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut due = zset_core::SortedMap::from([("mail", 'x', 10), ("backup", 'y', 30)]);
    /// assert_eq!(due.pop_first_if(|_, _, time| time <= 20), Some(("mail", 'x', 10)));
    /// assert_eq!(due.pop_first_if(|_, _, time| time <= 20), None);
    /// ```
    pub fn pop_first_if(
        &mut self,
        predicate: impl FnOnce(&K, &mut V, S) -> bool,
    ) -> Option<(K, V, S)> {
        let list = &self.set.list;
        let handle = (!list.is_empty()).then(|| list.handle_at(list.start()))?;
        if self.accepts(handle, predicate) { self.pop_first() } else { None }
    }

    /// Removes and returns the element with the highest score if `predicate` returns true for it.
    /// It may modify the value. **O(log n)**.
    ///
    /// If the map is empty, `predicate` is not called. If it panics, the element stays.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// assert_eq!(map.pop_last_if(|_, value, _| *value == 'y'), Some(("b", 'y', 2)));
    /// assert_eq!(map.pop_last_if(|_, value, _| *value == 'y'), None);
    /// ```
    pub fn pop_last_if(
        &mut self,
        predicate: impl FnOnce(&K, &mut V, S) -> bool,
    ) -> Option<(K, V, S)> {
        let list = &self.set.list;
        let handle = (!list.is_empty()).then(|| list.handle_at(list.last_position()))?;
        if self.accepts(handle, predicate) { self.pop_last() } else { None }
    }

    /// Calls `predicate` with the element at a handle.
    fn accepts(&mut self, handle: Handle, predicate: impl FnOnce(&K, &mut V, S) -> bool) -> bool {
        let score = self.set.list.score(handle);
        let pair = self.set.list.member_mut(handle);
        predicate(&pair.key, &mut pair.value, score)
    }
}
