//! std's B-tree.

use std::collections::BTreeSet;

use super::Ordered;

/// `std::collections::BTreeSet`; ranks would take linear time.
pub struct BTree<T>(BTreeSet<T>);

impl<T: Ord> Ordered<T> for BTree<T> {
    const NAME: &'static str = "BTreeSet + HashMap";
    const HAS_RANK: bool = false;

    fn new() -> Self {
        BTree(BTreeSet::new())
    }

    fn from_sorted(elements: impl Iterator<Item = T>) -> Self {
        BTree(elements.collect())
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
        self.0.range(start..)
    }

    #[inline]
    fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        self.0.iter()
    }

    fn rank(&self, _element: &T) -> Option<usize> {
        None
    }

    fn nth(&self, _rank: usize) -> Option<&T> {
        None
    }

    #[inline]
    fn count(&self) -> usize {
        self.0.len()
    }
}
