//! [`mapped_iterator!`], which implements iterators that convert the elements of an inner iterator.

/// Implements the iterator traits for a wrapper of a double-ended, exact-size iterator. The
/// function `$convert` converts each item.
macro_rules! mapped_iterator {
    ([$($generic:tt)*] $iterator:ty, $item:ty, $convert:ident) => {
        impl<$($generic)*> Iterator for $iterator {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map($convert)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }

            fn nth(&mut self, n: usize) -> Option<Self::Item> {
                self.0.nth(n).map($convert)
            }

            fn last(mut self) -> Option<Self::Item> {
                self.next_back()
            }
        }

        impl<$($generic)*> DoubleEndedIterator for $iterator {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map($convert)
            }

            fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
                self.0.nth_back(n).map($convert)
            }
        }

        impl<$($generic)*> ExactSizeIterator for $iterator {}

        impl<$($generic)*> core::iter::FusedIterator for $iterator {}
    };
}

pub(crate) use mapped_iterator;
