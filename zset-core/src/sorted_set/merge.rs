//! [`Merge`]: merges two ordered iterators into one.

/// A double-ended merge of two double-ended iterators, which must have no member in common.
pub(super) struct Merge<'a, M, S, A, B> {
    a: Ends<'a, M, S, A>,
    b: Ends<'a, M, S, B>,
}

/// An iterator with the elements peeked at its ends.
struct Ends<'a, M, S, I> {
    first: Option<(&'a M, S)>,
    elements: I,
    last: Option<(&'a M, S)>,
}

impl<'a, M, S: Copy, I: DoubleEndedIterator<Item = (&'a M, S)>> Ends<'a, M, S, I> {
    /// Peeks at the first element.
    fn first(&mut self) -> Option<(&'a M, S)> {
        if self.first.is_none() {
            self.first = self.elements.next().or_else(|| self.last.take());
        }
        self.first
    }

    /// Peeks at the last element.
    fn last(&mut self) -> Option<(&'a M, S)> {
        if self.last.is_none() {
            self.last = self.elements.next_back().or_else(|| self.first.take());
        }
        self.last
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let seen = usize::from(self.first.is_some()) + usize::from(self.last.is_some());
        let (low, high) = self.elements.size_hint();
        (low + seen, high.map(|high| high + seen))
    }
}

impl<M, S, A, B> Merge<'_, M, S, A, B> {
    pub(super) fn new(a: A, b: B) -> Self {
        Merge {
            a: Ends { first: None, elements: a, last: None },
            b: Ends { first: None, elements: b, last: None },
        }
    }
}

impl<'a, M, S, A, B> Iterator for Merge<'a, M, S, A, B>
where
    M: Ord,
    S: Ord + Copy,
    A: DoubleEndedIterator<Item = (&'a M, S)>,
    B: DoubleEndedIterator<Item = (&'a M, S)>,
{
    type Item = (&'a M, S);

    fn next(&mut self) -> Option<(&'a M, S)> {
        let is_a = match (self.a.first(), self.b.first()) {
            (Some((a, a_score)), Some((b, b_score))) => (a_score, a) <= (b_score, b),
            (a, _) => a.is_some(),
        };
        if is_a { self.a.first.take() } else { self.b.first.take() }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let ((low_a, high_a), (low_b, high_b)) = (self.a.size_hint(), self.b.size_hint());
        let high = high_a.zip(high_b).and_then(|(a, b)| a.checked_add(b));
        (low_a.saturating_add(low_b), high)
    }
}

impl<'a, M, S, A, B> DoubleEndedIterator for Merge<'a, M, S, A, B>
where
    M: Ord,
    S: Ord + Copy,
    A: DoubleEndedIterator<Item = (&'a M, S)>,
    B: DoubleEndedIterator<Item = (&'a M, S)>,
{
    fn next_back(&mut self) -> Option<(&'a M, S)> {
        let is_a = match (self.a.last(), self.b.last()) {
            (Some((a, a_score)), Some((b, b_score))) => (a_score, a) > (b_score, b),
            (a, _) => a.is_some(),
        };
        if is_a { self.a.last.take() } else { self.b.last.take() }
    }
}

impl<M, S: Copy, A: Clone, B: Clone> Clone for Merge<'_, M, S, A, B> {
    fn clone(&self) -> Self {
        Merge { a: self.a.clone(), b: self.b.clone() }
    }
}

impl<M, S: Copy, I: Clone> Clone for Ends<'_, M, S, I> {
    fn clone(&self) -> Self {
        Ends { first: self.first, elements: self.elements.clone(), last: self.last }
    }
}
