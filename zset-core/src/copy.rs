//! Moving values within a slice.
//!
//! Without an operating system, a loop does it: `memmove` of the compiler's library takes 1.3 kB of flash, and for
//! values that do not move by whole words, no fewer instructions.

#[cfg(any(target_os = "none", test))]
use core::cell::Cell;
use core::ops::Range;

/// Copies the values at `from` to the place that begins at `to`.
#[cfg(not(target_os = "none"))]
#[inline]
pub(crate) fn copy_within<T: Copy>(values: &mut [T], from: Range<usize>, to: usize) {
    values.copy_within(from, to);
}

#[cfg(target_os = "none")]
pub(crate) use copy_one_by_one as copy_within;

/// Copies the values at `from` to the place that begins at `to`, one by one.
#[cfg(any(target_os = "none", test))]
#[inline(never)]
pub(crate) fn copy_one_by_one<T: Copy>(values: &mut [T], from: Range<usize>, to: usize) {
    // The compiler would make a `memmove` of a loop over a distance that it knows.
    let to = core::hint::black_box(to);
    let is_forward = to > from.start;
    let cells = Cell::from_mut(values).as_slice_of_cells();
    let pairs = cells[to..to + from.len()].iter().zip(&cells[from]);
    let copy = |(to, from): (&Cell<T>, &Cell<T>)| to.set(from.get());
    if is_forward { pairs.rev().for_each(copy) } else { pairs.for_each(copy) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_one_by_one_overlap_as_copies_at_once() {
        for (start, end, to) in (0..64).map(|i| (i & 3, i >> 2 & 3, i >> 4)).filter(|(start, end, _)| start <= end) {
            let (mut ours, mut theirs) = ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]);
            copy_one_by_one(&mut ours, start..end, to);
            theirs.copy_within(start..end, to);
            assert_eq!(ours, theirs, "{start}..{end} to {to}");
        }
    }
}
