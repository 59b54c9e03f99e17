//! std's B-tree.

use std::collections::BTreeSet;

use super::Ordered;

/// `std::collections::BTreeSet`; ranks would take linear time.
pub struct BTree<T>(BTreeSet<T>);

impl<T: Ord + 'static> Ordered<T> for BTree<T> {
    const NAME: &'static str = "BTreeSet + HashMap";
    const HAS_RANK: bool = false;

    same_methods!();
    range_from!();

    fn rank(&self, _element: &T) -> Option<usize> {
        None
    }

    fn nth(&self, _rank: usize) -> Option<&T> {
        None
    }
}
