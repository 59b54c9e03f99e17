//! Iteration over all elements, and over ranges by score, by rank, and by key among equal scores.

use core::borrow::Borrow;
use core::ops::RangeBounds;

use super::{Iter, SortedMap, ValuesMut};

impl<K, V, S: Copy, H> SortedMap<K, V, S, H> {
    /// Returns all elements in order, lowest score first. Lazy; **O(1)** to start and per step.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    /// assert!(map.iter().eq([(&"a", &'x', 1), (&"b", &'y', 2)]));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, K, V, S> {
        Iter::new(self.set.iter())
    }

    /// Returns mutable references to all values, in no particular order. Lazy; **O(n)** in total.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 10, 1), ("b", 20, 2)]);
    /// map.values_mut().for_each(|value| *value += 1);
    /// assert_eq!(map.get("b"), Some(&21));
    /// ```
    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V, S> {
        ValuesMut::new(self.set.list.members_mut())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start.
    ///
    /// Ranks beyond the end are ignored; an inverted range is empty, where `BTreeMap::range`
    /// panics.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// assert!(map.range_by_rank(1..9).eq([(&"b", &'y', 2)]));
    /// ```
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, K, V, S> {
        Iter::new(self.set.range_by_rank(range))
    }

    /// Returns how many elements have scores in the range. **O(log n)**.
    ///
    /// The count of an inverted range is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// assert_eq!(map.count_by_score(2..), 1);
    /// ```
    pub fn count_by_score(&self, range: impl RangeBounds<S>) -> usize
    where
        S: Ord,
    {
        self.set.count_by_score(range)
    }

    /// Returns the elements whose scores lie in the range. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty, where `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2), ("c", 'z', 3)]);
    /// assert!(map.range_by_score(2..).map(|(_, value, _)| *value).eq(['y', 'z']));
    /// ```
    #[inline]
    pub fn range_by_score(&self, range: impl RangeBounds<S>) -> Iter<'_, K, V, S>
    where
        S: Ord,
    {
        Iter::new(self.set.range_by_score(range))
    }

    /// Returns the elements between two bounds, each a score and a key. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty, where `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// Each page continues after the last element of the previous one, whatever its score:
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    /// use zset_core::SortedMap;
    ///
    /// let map = SortedMap::from([("ann", 'x', 1), ("bob", 'y', 1), ("cid", 'z', 1)]);
    /// let page: Vec<_> = map.iter().take(2).collect();
    /// let (key, _, score) = page[1];
    /// let next = map.range((Excluded((score, key)), Unbounded));
    /// assert!(next.eq([(&"cid", &'z', 1)]));
    /// ```
    pub fn range<'q, Q>(&self, range: impl RangeBounds<(S, &'q Q)>) -> Iter<'_, K, V, S>
    where
        K: Borrow<Q>,
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        Iter::new(self.set.list.range_across(&range, |pair| pair.key.borrow()))
    }

    /// Returns the elements with exactly this score whose keys lie in the range. Lazy; **O(log n)**
    /// to start.
    ///
    /// Elements with equal scores are ordered by key. An inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("ant", 1, 0), ("bee", 2, 0), ("cat", 3, 0)]);
    /// assert!(map.range_by_key(0, "b"..).map(|(_, value, _)| *value).eq([2, 3]));
    /// ```
    pub fn range_by_key<'q, Q>(&self, score: S, range: impl RangeBounds<&'q Q>) -> Iter<'_, K, V, S>
    where
        K: Borrow<Q>,
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        Iter::new(self.set.list.range_by_part(score, &range, |pair| pair.key.borrow()))
    }
}
