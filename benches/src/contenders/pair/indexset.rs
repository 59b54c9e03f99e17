//! The `indexset` crate: a two-level B-tree with ranks.

use indexset::BTreeSet;

use super::Ordered;

/// `indexset::BTreeSet`.
pub struct Indexset<T: Ord + Clone>(BTreeSet<T>);

impl<T: Ord + Clone> Ordered<T> for Indexset<T> {
    const NAME: &'static str = "indexset + HashMap";

    fn new() -> Self {
        Indexset(BTreeSet::new())
    }

    fn from_sorted(elements: impl Iterator<Item = T>) -> Self {
        Indexset(elements.collect())
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
    fn range_from_rank<'a>(&'a self, rank: usize) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        self.0.range_idx(rank..)
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
        Some(self.0.rank(element))
    }

    #[inline]
    fn below(&self, element: &T) -> usize {
        self.0.rank(element)
    }

    #[inline]
    fn nth(&self, rank: usize) -> Option<&T> {
        self.0.get_index(rank)
    }

    #[inline]
    fn count(&self) -> usize {
        self.0.len()
    }
}
