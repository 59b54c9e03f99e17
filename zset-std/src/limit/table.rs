//! A table of entries looked up by hash: open addressing with linear probing (D. Knuth, "The Art of
//! Computer Programming" 3, 6.4, algorithms L and R).
//!
//! hashbrown reads a group of tags and then the entry: two places in memory. Here the hash is
//! stored in the entry, so a look-up in a table larger than the cache usually has one cache miss.
//! `docs/decisions.md` compares the two.
//!
//! Invariants: the number of slots is zero or a power of two, and at least a quarter of them are
//! empty. No slot is empty between an entry's home slot, selected by its hash, and the slot that
//! holds it. User code runs only in `is`, before anything changes.

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU64;
use std::vec::Vec;

/// A nonzero hash, so that an empty slot takes no more memory than an entry.
pub(crate) type KeyHash = NonZeroU64;

#[inline]
pub(crate) fn hash_of<Q: Hash + ?Sized>(hasher: &impl BuildHasher, key: &Q) -> KeyHash {
    const TOP: NonZeroU64 = NonZeroU64::new(1 << 63).unwrap();
    TOP | hasher.hash_one(key)
}

/// An entry of a table, with a hash that never changes.
pub(crate) trait Hashed {
    fn hash(&self) -> KeyHash;
}

pub(crate) struct Table<E> {
    slots: Vec<Option<E>>,
    len: usize,
}

/// The smallest nonzero number of slots.
const FEWEST: usize = 4;

impl<E: Hashed> Table<E> {
    pub(crate) fn new() -> Self {
        Table { slots: Vec::new(), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the slot of the first entry with this hash that satisfies `is`.
    #[inline]
    pub(crate) fn slot(&self, hash: KeyHash, mut is: impl FnMut(&E) -> bool) -> Option<usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = hash.get() as usize & mask;
        // Ends at an empty slot, or at once if there are no slots.
        while let Some(Some(entry)) = self.slots.get(slot) {
            if entry.hash() == hash && is(entry) {
                return Some(slot);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Returns the entry of a slot. Its hash must not change.
    #[inline]
    pub(crate) fn at_mut(&mut self, slot: usize) -> Option<&mut E> {
        self.slots[slot].as_mut()
    }

    /// Returns the first entry with this hash that satisfies `is`.
    #[inline]
    pub(crate) fn find(&self, hash: KeyHash, is: impl FnMut(&E) -> bool) -> Option<&E> {
        self.slots[self.slot(hash, is)?].as_ref()
    }

    /// Returns the first entry with this hash that satisfies `is`, mutably. Its hash must not
    /// change.
    #[inline]
    pub(crate) fn find_mut(&mut self, hash: KeyHash, is: impl FnMut(&E) -> bool) -> Option<&mut E> {
        let slot = self.slot(hash, is)?;
        self.slots[slot].as_mut()
    }

    pub(crate) fn insert(&mut self, entry: E) {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.resize((2 * self.slots.len()).max(FEWEST));
        }
        self.len += 1;
        self.put(entry);
    }

    fn put(&mut self, entry: E) {
        let mask = self.slots.len() - 1;
        let mut slot = entry.hash().get() as usize & mask;
        while self.slots[slot].is_some() {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = Some(entry);
    }

    /// Frees memory if most slots are empty.
    pub(crate) fn shrink(&mut self) {
        if self.slots.len() > 8 * self.len.max(FEWEST) {
            self.resize((2 * self.len).next_power_of_two().max(FEWEST));
        }
    }

    fn resize(&mut self, slots: usize) {
        let slots = std::iter::repeat_with(|| None).take(slots).collect();
        let old = std::mem::replace(&mut self.slots, slots);
        old.into_iter().flatten().for_each(|entry| self.put(entry));
    }

    /// Removes and returns the first entry with this hash that satisfies `is`.
    pub(crate) fn remove(&mut self, hash: KeyHash, is: impl FnMut(&E) -> bool) -> Option<E> {
        let slot = self.slot(hash, is)?;
        self.take(slot)
    }

    /// Removes and returns the entry of a slot.
    pub(crate) fn take(&mut self, slot: usize) -> Option<E> {
        let mut hole = slot;
        let mask = self.slots.len() - 1;
        let removed = self.slots[hole].take()?;
        self.len -= 1;
        // Later entries move up into the hole, unless it is before their home slot:
        //
        //   slot  3    4    5    6    7          home: a 3, b 3, c 5, d 4
        //         a   hole  c    d   empty       c stays, d moves to 4
        let mut slot = hole;
        loop {
            slot = (slot + 1) & mask;
            let Some(entry) = &self.slots[slot] else { return Some(removed) };
            let named = entry.hash().get() as usize & mask;
            if slot.wrapping_sub(named) & mask >= slot.wrapping_sub(hole) & mask {
                self.slots.swap(hole, slot);
                hole = slot;
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        self.slots.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut E> {
        self.slots.iter_mut().flatten()
    }

    /// Panics with a description if an invariant is violated. For tests. **O(n)**.
    pub(crate) fn check_invariants(&self) {
        assert!(self.slots.is_empty() || self.slots.len().is_power_of_two());
        assert!(self.len * 4 <= self.slots.len() * 3, "fewer than a quarter is empty");
        assert_eq!(self.iter().count(), self.len, "the number of entries");
        for (slot, entry) in self.slots.iter().enumerate() {
            let Some(entry) = entry else { continue };
            let found = self.slot(entry.hash(), |other| std::ptr::eq(other, entry));
            assert_eq!(found, Some(slot), "an empty slot before an entry");
        }
    }
}

#[cfg(all(test, not(zset_loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Numbered {
        hash: KeyHash,
        number: u32,
    }

    impl Hashed for Numbered {
        fn hash(&self) -> KeyHash {
            self.hash
        }
    }

    #[derive(Clone, Debug)]
    enum Call {
        Insert(KeyHash),
        Remove(KeyHash, u32),
        Change(KeyHash, u32),
    }

    /// A few hashes, most of them adjacent and near the end of the slots, so that they collide.
    fn hashes() -> impl Strategy<Value = KeyHash> {
        let slots = prop_oneof![0_u64..4, 60_u64..70, 124_u64..130, any::<u64>()];
        slots.prop_map(|slot| KeyHash::new(slot | 1 << 63).unwrap())
    }

    fn calls() -> impl Strategy<Value = Call> {
        prop_oneof![
            3 => hashes().prop_map(Call::Insert),
            2 => (hashes(), 0..200_u32).prop_map(|(hash, number)| Call::Remove(hash, number)),
            1 => (hashes(), 0..200_u32).prop_map(|(hash, number)| Call::Change(hash, number)),
        ]
    }

    /// Few cases under Miri, which takes seconds for each.
    fn config() -> ProptestConfig {
        let cases = if cfg!(miri) { 6 } else { ProptestConfig::default().cases };
        ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn lookups_match_a_list(
            calls in prop::collection::vec(calls(), 0..if cfg!(miri) { 50 } else { 200 }),
        ) {
            let mut table = Table::new();
            let mut list: Vec<Numbered> = Vec::new();
            for (number, call) in (0..).zip(calls) {
                match call {
                    Call::Insert(hash) => {
                        table.insert(Numbered { hash, number });
                        list.push(Numbered { hash, number });
                    }
                    Call::Remove(hash, number) => {
                        let wanted = |entry: &Numbered| entry.number >= number;
                        let removed = table.remove(hash, wanted);
                        let listed = |entry: &Numbered| entry.hash == hash && wanted(entry);
                        prop_assert_eq!(removed.is_some(), list.iter().any(listed));
                        if let Some(removed) = removed {
                            prop_assert!(listed(&removed));
                            list.retain(|entry| *entry != removed);
                        }
                    }
                    Call::Change(hash, number) => {
                        let is = |entry: &Numbered| entry.number == number;
                        let found = table.find_mut(hash, is);
                        let listed =
                            list.iter_mut().find(|entry| entry.hash == hash && is(entry));
                        prop_assert_eq!(found.is_some(), listed.is_some());
                        for entry in found.into_iter().chain(listed) {
                            entry.number += 1_000;
                        }
                    }
                }
                table.check_invariants();
                prop_assert_eq!(table.len(), list.len());
                for entry in &list {
                    let is = |found: &Numbered| found.number == entry.number;
                    prop_assert_eq!(table.find(entry.hash, is), Some(entry));
                }
            }
        }
    }

    #[test]
    fn an_empty_table_allocates_nothing_and_finds_nothing() {
        let mut table = Table::<Numbered>::new();
        assert!(table.find(KeyHash::MIN, |_| true).is_none());
        assert!(table.remove(KeyHash::MIN, |_| true).is_none());
        assert_eq!(table.slots.capacity(), 0);
    }

    #[test]
    fn a_table_shrinks_after_removals() {
        let mut table = Table::new();
        let len = if cfg!(miri) { 1_000 } else { 10_000 };
        let hashes = || (0..len).map(|number| KeyHash::new(number << 1 | 1 << 63).unwrap());
        for (number, hash) in (0..).zip(hashes()) {
            table.insert(Numbered { hash, number });
            table.shrink();
        }
        let most = table.slots.len();
        for hash in hashes().skip(100) {
            assert!(table.remove(hash, |_| true).is_some());
        }
        assert_eq!(table.slots.len(), most);
        table.shrink();
        table.check_invariants();
        assert!((200..=400).contains(&table.slots.len()), "{}", table.slots.len());
        for hash in hashes().take(100) {
            assert!(table.remove(hash, |_| true).is_some());
        }
        table.shrink();
        table.check_invariants();
        assert_eq!(table.slots.len(), FEWEST);
    }

    #[test]
    fn an_empty_slot_is_no_larger_than_an_entry() {
        assert_eq!(size_of::<Option<Numbered>>(), size_of::<Numbered>());
    }
}
