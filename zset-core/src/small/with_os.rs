//! The implementations on targets with an operating system: those of `core` and hashbrown.

#![cfg_attr(
    not(all(feature = "alloc", feature = "zset")),
    allow(dead_code, reason = "some is for sets that allocate, or for packed sets")
)]

use core::ops::Range;

#[cfg(feature = "alloc")]
pub(crate) mod descent;

/// Whether small code is preferred to few instructions.
pub(crate) const IS_SMALL: bool = false;

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

    use crate::score::Digits;
    use crate::score::text::ScoreText;

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

    /// Returns the number that `text` represents, correctly rounded.
    pub(crate) fn parse(text: &[u8]) -> Option<f64> {
        str::from_utf8(text).ok()?.parse().ok()
    }
}

/// The hash table of a dict: hashbrown's.
#[cfg(feature = "alloc")]
pub(crate) mod table {
    pub(crate) use hashbrown::hash_table::Entry;

    use crate::core::leaf::Handle;

    pub(crate) type Table = hashbrown::HashTable<Handle>;
    pub(crate) type TableHash = u64;

    /// Returns the slots with a tag, and possibly others.
    ///
    /// All tags are compared at once, as the bytes of a number: those that differ from the tag by
    /// zero borrow from their highest bit (Henry Warren, "Hacker's Delight", section 6-1). A byte
    /// above one of them may do so too.
    #[inline]
    pub(crate) fn slots_with_tag(tags: [u8; 16], tag: u8) -> impl Iterator<Item = usize> {
        const ONES: u128 = u128::MAX / 0xff;
        let differences = u128::from_le_bytes(tags) ^ (ONES * u128::from(tag));
        let mut matches = differences.wrapping_sub(ONES) & !differences & (ONES << 7);
        core::iter::from_fn(move || {
            let slot = (matches != 0).then(|| matches.trailing_zeros() as usize / 8)?;
            matches &= matches - 1;
            Some(slot)
        })
    }
}

/// The builder under the default hash builder.
#[cfg(feature = "alloc")]
pub(crate) type HashBuilder = hashbrown::DefaultHashBuilder;

/// Returns the hash that a table uses.
#[inline]
pub(crate) fn spread(hash: u64) -> u64 {
    hash
}

/// Returns the quotient and the remainder.
#[inline]
pub(crate) fn divide_by_10(number: u64) -> (u64, u8) {
    (number / 10, (number % 10) as u8)
}
