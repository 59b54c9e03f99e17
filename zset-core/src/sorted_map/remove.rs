//! Removing: by key, from the ends, by range, by predicate.

use core::hash::{BuildHasher, Hash};
use core::ops::RangeBounds;
use equivalent::Equivalent;

use super::{ByKey, ExtractIf, SortedMap};

impl<K: Hash, V, S: Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Removes a key; returns its value and its score. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert_eq!(map.remove("a"), Some(('x', 1)));
    /// assert_eq!(map.remove("a"), None);
    /// ```
    pub fn remove<Q>(&mut self, key: &Q) -> Option<(V, S)>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let (_, value, score) = self.remove_entry(key)?;
        Some((value, score))
    }

    /// Removes a key; returns it, its value and its score. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a".to_string(), 'x', 1)]);
    /// assert_eq!(map.remove_entry("a"), Some(("a".to_string(), 'x', 1)));
    /// ```
    pub fn remove_entry<Q>(&mut self, key: &Q) -> Option<(K, V, S)>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let (pair, score) = self.set.remove_entry(&ByKey(key))?;
        Some((pair.key, pair.value, score))
    }

    /// Removes and returns the element with the lowest score. **O(log n)**.
    ///
    /// To pop the first n elements, see [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    /// assert_eq!(map.pop_first(), Some(("a", 'x', 1)));
    /// ```
    pub fn pop_first(&mut self) -> Option<(K, V, S)> {
        let (pair, score) = self.set.pop_first()?;
        Some((pair.key, pair.value, score))
    }

    /// Removes and returns the element with the highest score. **O(log n)**.
    ///
    /// To pop the last n elements, see [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    /// assert_eq!(map.pop_last(), Some(("b", 'y', 2)));
    /// ```
    pub fn pop_last(&mut self) -> Option<(K, V, S)> {
        let (pair, score) = self.set.pop_last()?;
        Some((pair.key, pair.value, score))
    }

    /// Removes and returns the element at this 0-based rank, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// assert_eq!(map.remove_by_rank(1), Some(("b", 'y', 2)));
    /// assert_eq!(map.remove_by_rank(1), None);
    /// ```
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(K, V, S)> {
        let (pair, score) = self.set.remove_by_rank(rank)?;
        Some((pair.key, pair.value, score))
    }

    /// Removes the elements at these 0-based ranks; returns the number removed.
    /// **O(log n + m log n)** for m removed elements.
    ///
    /// Ranks beyond the end are ignored; an inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// assert_eq!(map.remove_range_by_rank(..1), 1);
    /// assert_eq!(map.first(), Some((&"b", &'y', 2)));
    /// ```
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        self.set.remove_range_by_rank(range)
    }

    /// Removes the elements whose scores lie in the range; returns the number removed.
    /// **O(log n + m log n)** for m removed elements.
    ///
    /// An inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// assert_eq!(map.remove_range_by_score(2..), 1);
    /// assert_eq!(map.len(), 1);
    /// ```
    pub fn remove_range_by_score(&mut self, range: impl RangeBounds<S>) -> usize
    where
        S: Ord,
    {
        self.set.remove_range_by_score(range)
    }

    /// Removes the elements for which `keep` returns false, lowest score first. `keep` may modify
    /// the values. **O(n + m log n)** for m removed elements.
    ///
    /// If `keep` panics, the elements it has rejected are already removed; the others stay, with the values
    /// that it has given them.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 10, 1), ("b", 20, 2)]);
    /// map.retain(|_, value, score| {
    ///     *value += 1;
    ///     score > 1
    /// });
    /// assert!(map.iter().eq([(&"b", &21, 2)]));
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V, S) -> bool) {
        self.extract_if(|key, value, score| !keep(key, value, score)).for_each(drop);
    }

    /// Returns an iterator that removes and returns the elements for which `extracted` returns true, lowest
    /// score first. Lazy; **O(log n)** per element removed.
    ///
    /// If the iterator is dropped early, the elements it has not visited stay. If `extracted` panics, so
    /// does the element that it was called with, with the value that it has given it; the iterator continues
    /// after it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// let late: Vec<_> = map.extract_if(|_, _, score| score > 1).collect();
    /// assert_eq!(late, [("b", 'y', 2)]);
    /// assert_eq!(map.len(), 1);
    /// ```
    pub fn extract_if<F>(&mut self, extracted: F) -> ExtractIf<'_, K, V, S, H, F>
    where
        F: FnMut(&K, &mut V, S) -> bool,
    {
        ExtractIf::new(self, extracted)
    }
}
