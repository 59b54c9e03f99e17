//! Helpers for range bounds and binary search.

use core::ops::{Bound, Range, RangeBounds};

/// Returns the ranks below `len` that lie in the range. An inverted range is empty.
pub(crate) fn ranks(range: &impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&rank) => rank,
        Bound::Excluded(&rank) => rank.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&rank) => rank.saturating_add(1),
        Bound::Excluded(&rank) => rank,
        Bound::Unbounded => len,
    };
    let end = end.min(len);
    start.min(end)..end
}

/// Returns whether a value comes before a range with this start bound.
pub(crate) fn is_before<T: Ord + ?Sized>(value: &T, start: Bound<&T>) -> bool {
    match start {
        Bound::Included(start) => value < start,
        Bound::Excluded(start) => value <= start,
        Bound::Unbounded => false,
    }
}

/// Returns whether a value comes after a range with this end bound.
pub(crate) fn is_after<T: Ord + ?Sized>(value: &T, end: Bound<&T>) -> bool {
    match end {
        Bound::Included(end) => value > end,
        Bound::Excluded(end) => value >= end,
        Bound::Unbounded => false,
    }
}

/// Returns the number of indexes below `len` that `is_before` accepts. The accepted indexes must be
/// a prefix.
///
/// `slice::partition_point` avoids branches, but compiles to three times as much code. On small
/// machines, branches cost little.
#[inline]
pub(crate) fn partition_point(len: usize, mut is_before: impl FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_clamped() {
        assert_eq!(ranks(&(Bound::Included(5), Bound::Excluded(2)), 9), 2..2);
        assert_eq!(ranks(&(1..=usize::MAX), 9), 1..9);
        assert_eq!(ranks(&(Bound::Excluded(usize::MAX), Bound::Unbounded), 9), 9..9);
    }

    #[test]
    fn every_prefix_of_every_length_is_found() {
        for len in 0..40 {
            for accepted in 0..=len {
                assert_eq!(partition_point(len, |index| index < accepted), accepted, "of {len}");
            }
        }
    }
}
