//! On targets without an operating system: as little code as possible.

#![allow(dead_code, reason = "some is for sets that allocate, or is only tested")]

use core::cell::Cell;
use core::hint::black_box;
use core::ops::Range;

pub(crate) mod decimal;
#[cfg(feature = "alloc")]
pub(crate) mod descent;
#[cfg(feature = "alloc")]
pub(crate) mod table;

/// Whether less code is worth more instructions.
pub(crate) const IS_SMALL: bool = true;

/// Copies the values at `from` to the place that begins at `to`, one by one.
#[inline(never)]
pub(crate) fn copy_within<T: Copy>(values: &mut [T], from: Range<usize>, to: usize) {
    // The compiler would make a `memmove` of a loop over a distance that it knows.
    let to = black_box(to);
    let is_forward = to > from.start;
    let cells = Cell::from_mut(values).as_slice_of_cells();
    let pairs = cells[to..to + from.len()].iter().zip(&cells[from]);
    let copy = |(to, from): (&Cell<T>, &Cell<T>)| to.set(from.get());
    if is_forward { pairs.rev().for_each(copy) } else { pairs.for_each(copy) }
}

/// Swaps two values in two slices, since `slice::swap` copies values that may overlap.
pub(crate) fn swap<T>(values: &mut [T], a: usize, b: usize) {
    let (before, from) = values.split_at_mut(a.max(b));
    if let Some(low) = before.get_mut(a.min(b)) {
        core::mem::swap(low, &mut from[0]);
    }
}

/// Fills a slice.
#[inline]
pub(crate) fn fill(values: &mut [u32], value: u32) {
    for place in values {
        // The compiler would turn the loop into a call of `memset`, of which there is one for
        // each alignment.
        *place = black_box(value);
    }
}

/// The builder under the default hash builder.
pub(crate) type HashBuilder = crate::fixed_sorted_set::FixedHashBuilder;

/// Makes all bits of a product depend on all bits of the word, as a hash table uses the lowest and
/// the highest: the end of `MurmurHash3` by A. Appleby.
pub(crate) fn spread(hash: u64) -> u64 {
    let mut product = hash as u32;
    product = (product ^ product >> 16).wrapping_mul(0x85EB_CA6B);
    product = (product ^ product >> 13).wrapping_mul(0xC2B2_AE35);
    (product ^ product >> 16).into()
}

/// Returns the quotient and the remainder, where a division would be a function of a kilobyte.
///
/// H. Warren, "Hacker's Delight", 10-17: 1/10 is 4/5 / 8, and 4/5 is 3/4 * (1 + 1/16) * (1 + 1/256)
/// * ...
pub(crate) fn divide_by_10(number: u64) -> (u64, u8) {
    let mut quotient = (number >> 1) + (number >> 2);
    for shift in [4, 8, 16, 32] {
        quotient += quotient >> shift;
    }
    quotient >>= 3;
    // It may be 1 too low.
    match (number - quotient * 10) as u8 {
        digit @ 0..10 => (quotient, digit),
        digit => (quotient + 1, digit - 10),
    }
}
