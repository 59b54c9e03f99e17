//! The `skiplist` crate: one element per node, linked by pointers.

use std::ops::Bound;

use skiplist::skip_set::SkipSet;

use super::Ordered;

/// `skiplist::SkipSet`.
pub struct Skiplist<T: Ord + Clone>(SkipSet<T>);

impl<T: Ord + Clone + 'static> Ordered<T> for Skiplist<T> {
    const NAME: &'static str = "skiplist + HashMap";

    same_methods!();

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
    fn rank(&self, element: &T) -> Option<usize> {
        self.0.rank(element)
    }

    #[inline]
    fn nth(&self, rank: usize) -> Option<&T> {
        self.0.get_by_index(rank)
    }
}
