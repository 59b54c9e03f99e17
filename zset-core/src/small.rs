//! The differences on targets without an operating system, where flash and stack are measured in
//! kilobytes. Only this module chooses between the two implementations, which have the same names.
//!
//! - `IS_SMALL` is for choices between expressions.
//! - Values are moved by loops: `memmove` of the compiler's library takes 1.3 kB of flash, and is
//!   faster only if many bytes move.
//! - Searches in nodes are binary searches, and the hash table of the dict takes little code.
//! - Members are hashed by the product of 32-bit words.
//! - Numbers are formatted and parsed without divisions and without `core`'s tables of 12 kB.

#[cfg(not(target_os = "none"))]
mod with_os;
#[cfg(any(target_os = "none", test))]
pub(crate) mod without_os;

#[cfg(not(target_os = "none"))]
pub(crate) use with_os::*;
#[cfg(target_os = "none")]
pub(crate) use without_os::*;

#[cfg(test)]
mod tests {
    use super::without_os::{copy_within, divide_by_10, swap};

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

    #[test]
    fn division_by_shifts_is_exact() {
        let around = |number: u64| {
            (number.saturating_sub(20)..=number).chain(number..=number.saturating_add(20))
        };
        for number in (0..64).flat_map(|bits| around(1 << bits)).chain(around(u64::MAX)) {
            assert_eq!(divide_by_10(number), (number / 10, (number % 10) as u8), "{number}");
        }
    }
}
