//! The `skiplist` crate: one element per node, linked by pointers.

use std::ops::Bound;

use skiplist::skip_set::SkipSet;

use super::Ordered;

/// `skiplist::SkipSet`.
pub struct Skiplist<T: Ord + Clone>(SkipSet<T>);

impl<T: Ord + Clone> Ordered<T> for Skiplist<T> {
    const NAME: &'static str = "skiplist + HashMap";

    fn new() -> Self {
        Skiplist(SkipSet::new())
    }

    fn from_sorted(elements: impl Iterator<Item = T>) -> Self {
        Skiplist(elements.collect())
    }

    fn unite(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    #[inline]
    fn insert(&mut self, element: T) {
        self.0.insert(element);
    }

    #[inline]
    fn take(&mut self, element: &T) -> Option<T> {
        self.0.take(element)
    }

    #[inline]
    fn pop_first(&mut self) -> Option<T> {
        self.0.pop_first()
    }

    #[inline]
    fn range_from<'a>(&'a self, start: &T) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        // Its `range` method walks to the start from the first element.
        let mut cursor = self.0.lower_bound(Bound::Included(start));
        std::iter::from_fn(move || cursor.next())
    }

    #[inline]
    fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        self.0.iter()
    }

    #[inline]
    fn rank(&self, element: &T) -> Option<usize> {
        self.0.rank(element)
    }

    #[inline]
    fn nth(&self, rank: usize) -> Option<&T> {
        self.0.get_by_index(rank)
    }

    #[inline]
    fn count(&self) -> usize {
        self.0.len()
    }
}
