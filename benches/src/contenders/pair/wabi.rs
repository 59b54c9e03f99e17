//! The `wabi_tree` crate: a B-tree whose nodes store the sizes of their subtrees.

use wabi_tree::OSBTreeSet;

use super::Ordered;

/// `wabi_tree::OSBTreeSet`.
pub struct Wabi<T: Ord + Clone>(OSBTreeSet<T>);

impl<T: Ord + Clone> Ordered<T> for Wabi<T> {
    const NAME: &'static str = "wabi_tree + HashMap";

    fn new() -> Self {
        Wabi(OSBTreeSet::new())
    }

    fn from_sorted(elements: impl Iterator<Item = T>) -> Self {
        Wabi(elements.collect())
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

    #[inline]
    fn rank(&self, element: &T) -> Option<usize> {
        self.0.rank_of(element)
    }

    #[inline]
    fn nth(&self, rank: usize) -> Option<&T> {
        self.0.get_by_rank(rank)
    }

    #[inline]
    fn count(&self) -> usize {
        self.0.len()
    }
}
