//! Draining: removing elements immediately and returning them through an iterator.

use core::borrow::Borrow;
use core::hash::{BuildHasher, Hash};
use core::ops::RangeBounds;

use super::{Drain, SortedMap};

impl<K, V, S: Copy, H> SortedMap<K, V, S, H> {
    /// Removes all elements and returns them in order, lowest score first. **O(n)**.
    ///
    /// The map is emptied immediately, even if the iterator is leaked.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    /// assert!(map.drain().eq([("a", 'x', 1), ("b", 'y', 2)]));
    /// assert!(map.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V, S> {
        Drain::new(self.set.drain())
    }
}

impl<K: Hash, V, S: Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Removes the elements at these 0-based ranks and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed elements.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. Ranks beyond
    /// the end are ignored; an inverted range removes nothing.
    ///
    /// Two or more elements move into a new allocation. To drop them without allocating, see
    /// [`remove_range_by_rank`](Self::remove_range_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2), ("c", 'z', 3)]);
    /// assert!(map.drain_by_rank(..2).eq([("a", 'x', 1), ("b", 'y', 2)])); // pops the first two
    /// assert_eq!(map.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_rank(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, K, V, S> {
        Drain::new(self.set.drain_by_rank(range))
    }

    /// Removes the elements whose scores lie in the range and returns them in order, lowest score
    /// first. **O(log n + m)** for m removed elements.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. An inverted
    /// range removes nothing.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut due = zset_core::SortedMap::from([("mail", "to: ann", 10), ("backup", "disk 1", 30)]);
    /// assert!(due.drain_by_score(..=20).eq([("mail", "to: ann", 10)]));
    /// assert_eq!(due.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_score(&mut self, range: impl RangeBounds<S>) -> Drain<'_, K, V, S>
    where
        S: Ord,
    {
        Drain::new(self.set.drain_by_score(range))
    }

    /// Removes the elements with exactly this score whose keys lie in the range and returns them in
    /// order. **O(log n + m)** for m removed elements.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. An inverted
    /// range removes nothing.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("ant", 1, 0), ("bee", 2, 0), ("cat", 3, 0)]);
    /// assert!(map.drain_by_key(0, "b"..).eq([("bee", 2, 0), ("cat", 3, 0)]));
    /// assert_eq!(map.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_key<'q, Q>(
        &mut self,
        score: S,
        range: impl RangeBounds<&'q Q>,
    ) -> Drain<'_, K, V, S>
    where
        K: Borrow<Q>,
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        Drain::new(self.set.drain_by_part(score, &range, |pair| pair.key.borrow()))
    }
}
