//! Incrementing the scores of keys.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::SortedMap;
use crate::increment::sum_or_panic;
use crate::{Increment, IncrementError};

impl<K: Ord + Hash, V, S: Ord + Increment, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Adds `by` to the score of a key; returns the new score, or `None` if there is no such key.
    /// **O(log n)**; O(1) if the key stays between its neighbours.
    ///
    /// Unlike [`SortedSet::increment`](crate::SortedSet::increment), it does not insert a missing key, which
    /// would have no value.
    ///
    /// # Errors
    ///
    /// The score's own error if the sum is not a score ([`NanScore`](crate::NanScore) for
    /// [`Score`](crate::Score), [`ScoreOverflow`](crate::ScoreOverflow) for integers). The score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_increment`](Self::try_increment).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{ScoreOverflow, SortedMap};
    ///
    /// let mut map = SortedMap::from([("a", 'x', 1_u8)]);
    /// assert_eq!(map.increment("a", 5), Ok(Some(6)));
    /// assert_eq!(map.increment("a", 255), Err(ScoreOverflow));
    /// assert_eq!(map.increment("b", 5), Ok(None));
    /// ```
    #[track_caller]
    pub fn increment<Q>(&mut self, key: &Q, by: S::By) -> Result<Option<S>, S::Error>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        sum_or_panic(self.try_increment(key, by))
    }

    /// Like [`increment`](Self::increment), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`IncrementError::Score`] with the score's own error if the sum is not a score, and
    /// [`IncrementError::Full`] if memory or 32-bit handles run out. The map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{IncrementError, ScoreOverflow, SortedMap};
    ///
    /// let mut map = SortedMap::from([("a", 'x', 1_u8)]);
    /// assert_eq!(map.try_increment("a", 255), Err(IncrementError::Score(ScoreOverflow)));
    /// ```
    pub fn try_increment<Q>(
        &mut self,
        key: &Q,
        by: S::By,
    ) -> Result<Option<S>, IncrementError<S::Error>>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.try_sum(key, |old| old.checked_increment(by))
    }

    /// Replaces the score of a key with the result of `sum`, which receives the old score; returns the
    /// new one.
    fn try_sum<Q>(
        &mut self,
        key: &Q,
        sum: impl FnOnce(S) -> Result<S, S::Error>,
    ) -> Result<Option<S>, IncrementError<S::Error>>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let changed = self.try_change(key, |_, old| sum(old).map_err(IncrementError::Score))?;
        Ok(changed.map(|(_, new)| new))
    }
}
