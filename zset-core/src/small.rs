//! What is different on targets without an operating system, where flash and stack are measured in
//! kilobytes: this module alone chooses.
//!
//! - [`IS_SMALL`] is for choices between expressions.
//! - Values are moved by loops: `memmove` of the compiler's library takes 1.3 kB of flash, and is
//!   faster only if many bytes move.
//! - Searches in nodes halve, and the dict has a hash table of little code.
//! - Numbers become text, and text numbers, without `core`'s tables of 12 kB.

#[cfg(all(feature = "alloc", any(target_os = "none", test)))]
pub(crate) mod descent;
#[cfg(any(target_os = "none", test))]
pub(crate) mod digits;
#[cfg(all(feature = "alloc", any(target_os = "none", test)))]
pub(crate) mod table;

#[cfg(not(target_os = "none"))]
pub(crate) use with_os::*;
#[cfg(target_os = "none")]
pub(crate) use without_os::*;

/// Whether less code is worth more instructions.
pub(crate) const IS_SMALL: bool = cfg!(target_os = "none");

#[cfg(not(target_os = "none"))]
#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "some is for sets that allocate"))]
mod with_os {
    use core::ops::Range;

    /// Copies the values at `from` to the place that begins at `to`.
    #[inline]
    pub(crate) fn copy_within<T: Copy>(values: &mut [T], from: Range<usize>, to: usize) {
        values.copy_within(from, to);
    }

    /// Swaps two values.
    #[inline]
    pub(crate) fn swap<T>(values: &mut [T], a: usize, b: usize) {
        values.swap(a, b);
    }

    /// Fills a slice.
    #[inline]
    pub(crate) fn fill(values: &mut [u32], value: u32) {
        values.fill(value);
    }

    /// Numbers as decimal text, by `core`: fast, with tables of 12 kB.
    pub(crate) mod decimal {
        use core::fmt::Write;
        use core::str;

        use crate::score::{Digits, ScoreText};

        /// Returns the integer that equals a number of magnitude up to 2^62, if there is one.
        #[inline]
        #[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "whether it is exact")]
        pub(crate) fn exact_integer(number: f64) -> Option<i64> {
            let integer = number as i64;
            (integer as f64 == number).then_some(integer)
        }

        /// Appends the shortest digits that parse as this positive, finite number to `digits`,
        /// which has none.
        pub(crate) fn shortest_digits(number: f64, digits: &mut Digits) {
            // "d.dddde-xx"
            let mut text = ScoreText::new();
            let written = write!(text, "{number:e}");
            debug_assert!(written.is_ok(), "{number:e} is longer than the longest");
            let (mantissa, exponent) = str::from_utf8(text.as_bytes())
                .ok()
                .and_then(|text| text.split_once('e'))
                .unwrap_or_default();
            for digit in mantissa.bytes().filter(u8::is_ascii_digit).take(17) {
                digits.push(digit - b'0');
            }
            digits.exponent = exponent.parse().unwrap_or_default();
        }

        /// Returns the number that `text` stands for, correctly rounded.
        pub(crate) fn parse(text: &[u8]) -> Option<f64> {
            str::from_utf8(text).ok()?.parse().ok()
        }
    }
}

#[cfg(any(target_os = "none", test))]
#[allow(dead_code, reason = "some is for sets that allocate, or is only tested")]
mod without_os {
    use core::cell::Cell;
    use core::hint::black_box;
    use core::ops::Range;

    #[allow(unused_imports, reason = "as above")]
    pub(crate) use super::digits as decimal;

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
}

#[cfg(test)]
mod tests {
    use super::without_os::{copy_within, swap};

    #[test]
    fn copies_one_by_one_overlap_as_copies_at_once() {
        for (start, end, to) in
            (0..64).map(|i| (i & 3, i >> 2 & 3, i >> 4)).filter(|(start, end, _)| start <= end)
        {
            let (mut ours, mut theirs) = ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]);
            copy_within(&mut ours, start..end, to);
            theirs.copy_within(start..end, to);
            assert_eq!(ours, theirs, "{start}..{end} to {to}");
        }
    }

    #[test]
    fn two_values_swap_and_one_stays() {
        for (a, b) in (0..9).map(|i| (i % 3, i / 3)) {
            let (mut ours, mut theirs) = ([1, 2, 3], [1, 2, 3]);
            swap(&mut ours, a, b);
            theirs.swap(a, b);
            assert_eq!(ours, theirs);
        }
    }
}
