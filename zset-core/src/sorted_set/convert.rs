//! Conversions from and to other collections.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};

use super::SortedSet;

/// If a member repeats, its last score wins. **O(n log n)**.
impl<M: Ord + Hash, S: Ord + Copy> From<Vec<(M, S)>> for SortedSet<M, S> {
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from(vec![("b", 2), ("a", 1)]);
    /// assert_eq!(Vec::from(set), [("a", 1), ("b", 2)]);
    /// ```
    fn from(elements: Vec<(M, S)>) -> Self {
        elements.into_iter().collect()
    }
}

/// **O(n log n)**.
impl<M: Ord + Hash, S: Ord + Copy> From<BTreeMap<M, S>> for SortedSet<M, S> {
    /// # Examples
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from(BTreeMap::from([("a", 2), ("b", 1)]));
    /// assert_eq!(set.first(), Some((&"b", 1)));
    /// assert_eq!(BTreeMap::from(set).first_key_value(), Some((&"a", &2)));
    /// ```
    fn from(scores: BTreeMap<M, S>) -> Self {
        scores.into_iter().collect()
    }
}

/// Returns the elements in order, lowest score first. **O(n)**.
impl<M, S: Copy, H> From<SortedSet<M, S, H>> for Vec<(M, S)> {
    fn from(set: SortedSet<M, S, H>) -> Self {
        set.into_iter().collect()
    }
}

/// Returns a map from each member to its score. **O(n log n)**.
impl<M: Ord, S: Copy, H> From<SortedSet<M, S, H>> for BTreeMap<M, S> {
    fn from(set: SortedSet<M, S, H>) -> Self {
        set.into_iter().collect()
    }
}

/// Inserts copies of the elements of, for example, a `BTreeMap`.
impl<'a, M, S, H> Extend<(&'a M, &'a S)> for SortedSet<M, S, H>
where
    M: Ord + Hash + Copy,
    S: Ord + Copy,
    H: BuildHasher,
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (&'a M, &'a S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(member, score)| (*member, *score)));
    }
}

/// Inserts copies of the elements of, for example, another set.
impl<'a, M, S, H> Extend<(&'a M, S)> for SortedSet<M, S, H>
where
    M: Ord + Hash + Copy,
    S: Ord + Copy,
    H: BuildHasher,
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (&'a M, S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(member, score)| (*member, score)));
    }
}
