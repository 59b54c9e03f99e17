//! The iterator that removes selected elements of a set.

use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::iter::FusedIterator;

use super::SortedSet;
use crate::skiplist::Position;

/// An iterator that removes elements, returned by [`SortedSet::extract_if`].
///
/// # Examples
///
/// ```
/// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
/// assert_eq!(set.extract_if(|_, score| score != 2).next(), Some(("a", 1)));
/// assert_eq!(set.len(), 2); // "c" was not visited
/// ```
pub struct ExtractIf<'a, M, S, H, F> {
    set: &'a mut SortedSet<M, S, H>,
    extracted: F,
    /// The position of the next element to pass to `extracted`.
    next: Position,
}

impl<'a, M, S: Copy, H, F> ExtractIf<'a, M, S, H, F> {
    pub(super) fn new(set: &'a mut SortedSet<M, S, H>, extracted: F) -> Self {
        let next = set.list.start();
        ExtractIf { set, extracted, next }
    }
}

impl<M: Hash, S: Copy, H: BuildHasher, F: FnMut(&M, S) -> bool> Iterator
    for ExtractIf<'_, M, S, H, F>
{
    type Item = (M, S);

    fn next(&mut self) -> Option<(M, S)> {
        let ExtractIf { set, extracted, next } = self;
        set.take_next_if(next, |member, score| extracted(member, score))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.set.len()))
    }
}

impl<M: Hash, S: Copy, H: BuildHasher, F: FnMut(&M, S) -> bool> FusedIterator
    for ExtractIf<'_, M, S, H, F>
{
}

impl<M: fmt::Debug, S: fmt::Debug + Copy, H, F> fmt::Debug for ExtractIf<'_, M, S, H, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("set", &self.set).finish_non_exhaustive()
    }
}
