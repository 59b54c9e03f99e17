//! Conversions from and to other collections, and empty iterators.

use alloc::vec::Vec;

use super::{IntoIter, Iter, SkipList};

impl<M: Ord, S: Ord + Copy, const N: usize> From<[(M, S); N]> for SkipList<M, S> {
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from([("b", 2), ("a", 1), ("a", 1)]);
    /// assert_eq!((list.len(), list.last()), (3, Some((&"b", 2))));
    /// ```
    fn from(elements: [(M, S); N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<M: Ord, S: Ord + Copy> From<Vec<(M, S)>> for SkipList<M, S> {
    fn from(elements: Vec<(M, S)>) -> Self {
        elements.into_iter().collect()
    }
}

/// Returns the elements in order. **O(n)**.
impl<M, S: Copy> From<SkipList<M, S>> for Vec<(M, S)> {
    fn from(list: SkipList<M, S>) -> Self {
        list.into_iter().collect()
    }
}

/// Inserts copies of the elements of, for example, a `BTreeMap`.
impl<'a, M: Ord + Copy, S: Ord + Copy> Extend<(&'a M, &'a S)> for SkipList<M, S> {
    fn extend<I: IntoIterator<Item = (&'a M, &'a S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(member, score)| (*member, *score)));
    }
}

/// Inserts copies of the elements of, for example, another list.
impl<'a, M: Ord + Copy, S: Ord + Copy> Extend<(&'a M, S)> for SkipList<M, S> {
    fn extend<I: IntoIterator<Item = (&'a M, S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(member, score)| (*member, score)));
    }
}

impl<'a, M: 'a, S: Copy + 'a> Iter<'a, M, S> {
    /// The list behind an empty iterator.
    const NO_LIST: &'a SkipList<M, S> = &SkipList::new();
}

/// Returns an empty iterator.
impl<'a, M: 'a, S: Copy + 'a> Default for Iter<'a, M, S> {
    fn default() -> Self {
        Self::NO_LIST.iter()
    }
}

/// Returns an empty iterator.
impl<M, S: Copy> Default for IntoIter<M, S> {
    fn default() -> Self {
        SkipList::new().into_iter()
    }
}
