//! The hash table of a dict: hashbrown's.

pub(crate) use hashbrown::hash_table::Entry;

use crate::core::leaf::Handle;

pub(crate) type Table = hashbrown::HashTable<Handle>;
pub(crate) type TableHash = u64;

/// Returns the slots with a tag, and possibly others.
///
/// All tags are compared at once, as the bytes of a number: those that differ from the tag by zero
/// borrow from their highest bit (Henry Warren, "Hacker's Delight", section 6-1). A byte above one
/// of them may do so too.
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
