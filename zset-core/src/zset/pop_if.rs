//! Popping an element conditionally.

use super::ZSet;
use crate::{ByteString, Score};

impl ZSet {
    /// Removes and returns the element with the lowest score if `predicate` returns true for it.
    /// **O(log n)**.
    ///
    /// If the set is empty, `predicate` is not called. If it panics, the element stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut due = ZSet::from([("mail", Score::from(10)), ("backup", Score::from(30))]);
    /// let now = Score::from(20);
    /// assert_eq!(due.pop_first_if(|_, time| time <= now), Some(("mail".into(), Score::from(10))));
    /// assert_eq!(due.pop_first_if(|_, time| time <= now), None);
    /// ```
    pub fn pop_first_if(
        &mut self,
        predicate: impl FnOnce(&[u8], Score) -> bool,
    ) -> Option<(ByteString, Score)> {
        let (member, score) = self.first()?;
        if predicate(&member, score) { self.pop_first() } else { None }
    }

    /// Removes and returns the element with the highest score if `predicate` returns true for it.
    /// **O(log n)**.
    ///
    /// If the set is empty, `predicate` is not called. If it panics, the element stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(1)), ("b", Score::from(2))]);
    /// assert_eq!(set.pop_last_if(|member, _| member == b"b"), Some(("b".into(), Score::from(2))));
    /// assert_eq!(set.pop_last_if(|member, _| member == b"b"), None);
    /// ```
    pub fn pop_last_if(
        &mut self,
        predicate: impl FnOnce(&[u8], Score) -> bool,
    ) -> Option<(ByteString, Score)> {
        let (member, score) = self.last()?;
        if predicate(&member, score) { self.pop_last() } else { None }
    }
}
