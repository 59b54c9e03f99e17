//! The iterator that removes some elements of a set.

use core::fmt;
use core::iter::FusedIterator;

use super::ZSet;
use super::iter::owned;
use crate::{ByteString, Score};

/// The iterator returned by [`ZSet::extract_if`].
///
/// # Examples
///
/// ```
/// use zset_core::{Score, ZSet};
///
/// let mut set = ZSet::from([("a", Score::from(1)), ("b", Score::from(2))]);
/// let extracted: Vec<_> = set.extract_if(|_, score| score > Score::from(1)).collect();
/// assert_eq!(extracted.len(), 1);
/// assert_eq!(set.len(), 1);
/// ```
pub struct ExtractIf<'a, F> {
    set: &'a mut ZSet,
    extracted: F,
    /// The rank of the next element to pass to `extracted`.
    next: usize,
}

impl<'a, F> ExtractIf<'a, F> {
    pub(super) fn new(set: &'a mut ZSet, extracted: F) -> Self {
        ExtractIf { set, extracted, next: 0 }
    }
}

impl<F: FnMut(&[u8], Score) -> bool> Iterator for ExtractIf<'_, F> {
    type Item = (ByteString, Score);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rank = self.next;
            let element = self.set.get_by_rank(rank)?;
            // If `extracted` panics, the element is not visited again.
            self.next = rank + 1;
            if (self.extracted)(&element.0, element.1) {
                let element = owned(element);
                self.set.remove_range_by_rank(rank..=rank);
                self.next = rank;
                return Some(element);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.set.len() - self.next))
    }
}

impl<F: FnMut(&[u8], Score) -> bool> FusedIterator for ExtractIf<'_, F> {}

impl<F> fmt::Debug for ExtractIf<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("set", &self.set).finish_non_exhaustive()
    }
}
