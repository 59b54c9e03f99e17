//! The `wabi_tree` crate: a B-tree whose nodes store the sizes of their subtrees.

use wabi_tree::OSBTreeSet;

use super::Ordered;

/// `wabi_tree::OSBTreeSet`.
pub struct Wabi<T: Ord + Clone>(OSBTreeSet<T>);

impl<T: Ord + Clone + 'static> Ordered<T> for Wabi<T> {
    const NAME: &'static str = "wabi_tree + HashMap";

    same_methods!();
    range_from!();

    #[inline]
    fn rank(&self, element: &T) -> Option<usize> {
        self.0.rank_of(element)
    }

    #[inline]
    fn nth(&self, rank: usize) -> Option<&T> {
        self.0.get_by_rank(rank)
    }
}
