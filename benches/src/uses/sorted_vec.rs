//! A sorted `Vec`: binary search to find an element, and a shift of all later elements to insert or
//! remove one.

/// Distinct elements in ascending order.
#[derive(Default)]
pub(super) struct SortedVec<T>(Vec<T>);

impl<T: Ord> SortedVec<T> {
    pub(super) fn from_unsorted(mut elements: Vec<T>) -> Self {
        elements.sort_unstable();
        SortedVec(elements)
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// Returns the number of elements less than `element`.
    #[inline]
    pub(super) fn rank(&self, element: &T) -> usize {
        self.0.partition_point(|other| other < element)
    }

    #[inline]
    pub(super) fn insert(&mut self, element: T) {
        self.0.insert(self.rank(&element), element);
    }

    /// Removes an element that is present.
    #[inline]
    pub(super) fn remove(&mut self, element: &T) {
        self.0.remove(self.rank(element));
    }

    #[inline]
    pub(super) fn pop_last(&mut self) -> Option<T> {
        self.0.pop()
    }

    /// Replaces an element that is present by another; only the elements between the two positions
    /// move.
    #[inline]
    pub(super) fn replace(&mut self, old: &T, new: T) {
        let (from, to) = (self.rank(old), self.rank(&new));
        if from < to {
            self.0[from..to].rotate_left(1);
            self.0[to - 1] = new;
        } else {
            self.0[to..=from].rotate_right(1);
            self.0[to] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_in_order_wherever_an_element_goes() {
        for old in [1, 3, 5, 7] {
            for new in [0, 2, 4, 6, 8] {
                let mut vec = SortedVec::from_unsorted(vec![7, 1, 5, 3]);
                vec.replace(&old, new);
                let mut expected: Vec<i32> =
                    [1, 3, 5, 7].map(|it| if it == old { new } else { it }).into();
                expected.sort_unstable();
                assert_eq!(vec.as_slice(), expected);
            }
        }
    }
}
