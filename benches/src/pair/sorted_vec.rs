//! A sorted `Vec`: binary search to find an element, and a shift of all elements after it to insert
//! or remove one.

use super::{Linear, Ordered};

/// Distinct elements in descending order, so that the first one can be popped off the end.
pub struct SortedVec<T>(Vec<T>);

impl<T> Default for SortedVec<T> {
    fn default() -> Self {
        SortedVec(Vec::new())
    }
}

impl<T: Ord> SortedVec<T> {
    /// Returns the number of elements before the first one for which `is_below` returns `false`.
    #[inline]
    pub(crate) fn count_below(&self, is_below: impl Fn(&T) -> bool) -> usize {
        self.0.len() - self.0.partition_point(|element| !is_below(element))
    }

    /// Returns the index of an element, present or to be inserted.
    #[inline]
    fn index_of(&self, element: &T) -> usize {
        self.0.partition_point(|other| other > element)
    }
}

impl<T: Ord> FromIterator<T> for SortedVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut elements = Vec::from_iter(elements);
        elements.sort_unstable_by(|a, b| b.cmp(a));
        SortedVec(elements)
    }
}

impl<T: Ord + 'static> Ordered<T> for SortedVec<T> {
    const NAME: &'static str = "sorted Vec + HashMap";
    const LINEAR: Linear = Linear::Writes;

    #[inline]
    fn insert(&mut self, element: T) {
        self.0.insert(self.index_of(&element), element);
    }

    #[inline]
    fn take(&mut self, element: &T) -> Option<T> {
        let index = self.index_of(element);
        (self.0.get(index) == Some(element)).then(|| self.0.remove(index))
    }

    #[inline]
    fn change(&mut self, mut element: T, change: impl Fn(&mut T)) {
        let from = self.index_of(&element);
        change(&mut element);
        let to = self.index_of(&element);
        // Only the elements between the two indices move.
        if from < to {
            self.0[from..to].rotate_left(1);
            self.0[to - 1] = element;
        } else {
            self.0[to..=from].rotate_right(1);
            self.0[to] = element;
        }
    }

    #[inline]
    fn pop_first(&mut self) -> Option<T> {
        self.0.pop()
    }

    #[inline]
    fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().rev()
    }

    #[inline]
    fn range_from(&self, start: &T) -> impl Iterator<Item = &T> {
        self.0[..self.0.len() - self.below(start)].iter().rev()
    }

    #[inline]
    fn below(&self, element: &T) -> usize {
        self.count_below(|other| other < element)
    }

    #[inline]
    fn count(&self) -> usize {
        self.0.len()
    }
}
