//! Splitting a map in two.

use core::hash::{BuildHasher, Hash};

use super::SortedMap;

impl<K: Hash, V, S: Copy, H: BuildHasher + Clone> SortedMap<K, V, S, H> {
    /// Splits the map at a 0-based rank: returns the elements from this rank on, and keeps the
    /// others. **O(log n + m)** for m returned elements.
    ///
    /// If the rank is beyond the end, the returned map is empty.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// let upper = map.split_off_by_rank(1);
    /// assert!(map.iter().eq([(&"a", &'x', 1)]));
    /// assert!(upper.iter().eq([(&"b", &'y', 2)]));
    /// ```
    #[track_caller]
    #[must_use = "use `remove_range_by_rank` if the elements are not needed"]
    pub fn split_off_by_rank(&mut self, rank: usize) -> Self {
        SortedMap { set: self.set.split_off_by_rank(rank) }
    }

    /// Splits the map at a score: returns the elements with this score or a higher one, and keeps
    /// the others. **O(log n + m)** for m returned elements.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2), ("c", 'z', 2)]);
    /// let upper = map.split_off_by_score(2);
    /// assert!(map.iter().eq([(&"a", &'x', 1)]));
    /// assert_eq!(upper.get("c"), Some(&'z'));
    /// ```
    #[track_caller]
    #[must_use = "use `remove_range_by_score` if the elements are not needed"]
    pub fn split_off_by_score(&mut self, score: S) -> Self
    where
        S: Ord,
    {
        SortedMap { set: self.set.split_off_by_score(score) }
    }
}
