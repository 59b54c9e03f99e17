//! Moving values within a slice, and filling one.
//!
//! Without an operating system, loops do it: `memmove` of the compiler's library takes 1.3 kB of flash, and is faster only
//! if many bytes move.

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

/// Fills a slice.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn fill(values: &mut [u32], value: u32) {
    for place in values {
        // On a Cortex-M, the compiler would turn the loop into a call of `memset`, of which there is one for each
        // alignment.
        *place = if cfg!(target_os = "none") { core::hint::black_box(value) } else { value };
    }
}

/// Swaps two values.
#[cfg(all(feature = "alloc", not(target_os = "none")))]
#[inline]
pub(crate) fn swap<T>(values: &mut [T], a: usize, b: usize) {
    values.swap(a, b);
}

#[cfg(all(feature = "alloc", target_os = "none"))]
pub(crate) use swap_split as swap;

/// Swaps two values in two slices, since `slice::swap` copies values that may overlap.
#[cfg(all(feature = "alloc", any(target_os = "none", test)))]
pub(crate) fn swap_split<T>(values: &mut [T], a: usize, b: usize) {
    let (before, from) = values.split_at_mut(a.max(b));
    if let Some(low) = before.get_mut(a.min(b)) {
        core::mem::swap(low, &mut from[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_one_by_one_overlap_as_copies_at_once() {
        for (start, end, to) in
            (0..64).map(|i| (i & 3, i >> 2 & 3, i >> 4)).filter(|(start, end, _)| start <= end)
        {
            let (mut ours, mut theirs) = ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]);
            copy_one_by_one(&mut ours, start..end, to);
            theirs.copy_within(start..end, to);
            assert_eq!(ours, theirs, "{start}..{end} to {to}");
        }
    }

    #[test]
    #[cfg(feature = "alloc")]
    fn two_values_swap_and_one_stays() {
        for (a, b) in (0..9).map(|i| (i % 3, i / 3)) {
            let (mut ours, mut theirs) = ([1, 2, 3], [1, 2, 3]);
            swap_split(&mut ours, a, b);
            theirs.swap(a, b);
            assert_eq!(ours, theirs);
        }
    }
}
