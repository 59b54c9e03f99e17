//! [`Merge`]: merges the elements of two sets in order.

use crate::skiplist::Iter;

/// Which of two sets an element is from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Source {
    First,
    Second,
}

/// A double-ended merge of the elements of two sets. An element of both is there twice, first that of the
/// first set.
pub(super) struct Merge<'a, M, S> {
    first: Ends<'a, M, S>,
    second: Ends<'a, M, S>,
}

/// An iterator with the elements peeked at its ends.
struct Ends<'a, M, S> {
    next: Option<(&'a M, S)>,
    elements: Iter<'a, M, S>,
    last: Option<(&'a M, S)>,
}

impl<'a, M, S: Copy> Ends<'a, M, S> {
    fn new(elements: Iter<'a, M, S>) -> Self {
        Ends { next: None, elements, last: None }
    }

    /// Peeks at the first element.
    fn first(&mut self) -> Option<(&'a M, S)> {
        if self.next.is_none() {
            self.next = self.elements.next().or_else(|| self.last.take());
        }
        self.next
    }

    /// Peeks at the last element.
    fn last(&mut self) -> Option<(&'a M, S)> {
        if self.last.is_none() {
            self.last = self.elements.next_back().or_else(|| self.next.take());
        }
        self.last
    }

    fn len(&self) -> usize {
        self.elements.len() + usize::from(self.next.is_some()) + usize::from(self.last.is_some())
    }
}

impl<'a, M, S: Copy> Merge<'a, M, S> {
    pub(super) fn new(first: Iter<'a, M, S>, second: Iter<'a, M, S>) -> Self {
        Merge { first: Ends::new(first), second: Ends::new(second) }
    }

    /// Returns the numbers of remaining elements of the first and the second set.
    pub(super) fn lens(&self) -> [usize; 2] {
        [self.first.len(), self.second.len()]
    }
}

impl<'a, M: Ord, S: Ord + Copy> Iterator for Merge<'a, M, S> {
    type Item = (Source, (&'a M, S));

    fn next(&mut self) -> Option<Self::Item> {
        let is_first = match (self.first.first(), self.second.first()) {
            (Some((a, a_score)), Some((b, b_score))) => (a_score, a) <= (b_score, b),
            (a, _) => a.is_some(),
        };
        if is_first {
            Some((Source::First, self.first.next.take()?))
        } else {
            Some((Source::Second, self.second.next.take()?))
        }
    }
}

impl<M: Ord, S: Ord + Copy> DoubleEndedIterator for Merge<'_, M, S> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let is_first = match (self.first.last(), self.second.last()) {
            (Some((a, a_score)), Some((b, b_score))) => (a_score, a) > (b_score, b),
            (a, _) => a.is_some(),
        };
        if is_first {
            Some((Source::First, self.first.last.take()?))
        } else {
            Some((Source::Second, self.second.last.take()?))
        }
    }
}

impl<M, S: Copy> Clone for Merge<'_, M, S> {
    fn clone(&self) -> Self {
        Merge { first: self.first.clone(), second: self.second.clone() }
    }
}

impl<M, S: Copy> Clone for Ends<'_, M, S> {
    fn clone(&self) -> Self {
        Ends { next: self.next, elements: self.elements.clone(), last: self.last }
    }
}
