//! The `indexset` crate: a two-level B-tree with ranks.

use indexset::BTreeSet;

use super::Ordered;

/// `indexset::BTreeSet`.
pub struct Indexset<T: Ord + Clone>(BTreeSet<T>);

impl<T: Ord + Clone + 'static> Ordered<T> for Indexset<T> {
    const NAME: &'static str = "indexset + HashMap";

    same_methods!();
    range_from!();

    #[inline]
    fn range_from_rank<'a>(&'a self, rank: usize) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        self.0.range_idx(rank..)
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
}
