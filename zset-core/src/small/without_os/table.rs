//! A hash table that takes little code, for targets without an operating system.
//!
//! It has the part of hashbrown's interface that a dict uses. On a Cortex-M0, hashbrown takes 2.5
//! kB of flash more, most of it in a division and a `memmove` that nothing else needs, and an
//! insertion up to a fifth more instructions.
//!
//! Buckets are in groups of four. A group is filled from its first bucket on, and a look-up ends at
//! the first vacant bucket:
//!
//! ```text
//! tags      a b c d | e a . . | . . . .        a look-up that begins in the first group may end in the second
//!           a ~ c d | e a . .                  ~ is a tombstone, since look-ups must continue past a full group
//!           a ~ c d | a . . .                  no tombstone is necessary here
//! ```

use alloc::vec::Vec;

use crate::core::leaf::Handle;
use crate::reserve::push_reserved;

/// A hash. A pointer's width is enough, since `hash_one` folds longer ones.
pub(crate) type TableHash = usize;

/// The number of buckets in a group.
const WIDTH: usize = 4;

// The marks of buckets without a handle. Tags are at least `LEAST_TAG`.
const VACANT: u8 = 0;
const TOMBSTONE: u8 = 1;
const LEAST_TAG: u8 = 0x80;

#[derive(Clone)]
struct Group {
    /// For each bucket: 7 bits of the hash of its handle, `VACANT` or `TOMBSTONE`.
    tags: [u8; WIDTH],
    handles: [Handle; WIDTH],
}

impl Group {
    const VACANT: Group = Group { tags: [VACANT; WIDTH], handles: [Handle::NONE; WIDTH] };

    fn handles(&self) -> impl Iterator<Item = &Handle> {
        let buckets = self.tags.iter().zip(&self.handles);
        buckets.filter(|(tag, _)| **tag >= LEAST_TAG).map(|(_, handle)| handle)
    }
}

#[derive(Clone)]
pub(crate) struct Table {
    /// Empty, or a power of two of them.
    groups: Vec<Group>,
    len: usize,
    /// The number of vacant buckets that may be filled.
    room: usize,
}

/// Returns the tag of a hash, from bits that do not choose the group.
fn tag(hash: TableHash) -> u8 {
    (hash as u32 >> 25) as u8 | LEAST_TAG
}

/// Returns how many of these buckets may be in use: 7 of 8, as in hashbrown.
fn most(buckets: usize) -> usize {
    buckets - buckets.div_ceil(8)
}

/// Returns the indexes of the tags that equal this one.
pub(crate) fn slots_with_tag(tags: [u8; 16], tag: u8) -> impl Iterator<Item = usize> {
    tags.into_iter().enumerate().filter(move |&(_, other)| other == tag).map(|(slot, _)| slot)
}

impl Table {
    pub(crate) const fn new() -> Self {
        Table { groups: Vec::new(), len: 0, room: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn capacity(&self) -> usize {
        self.len + self.room
    }

    pub(crate) fn num_buckets(&self) -> usize {
        self.groups.len() * WIDTH
    }

    pub(crate) fn allocation_size(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
    }

    /// Reserves memory. The table must be new. Whatever the error is, `table_error` makes it an
    /// `AllocError`.
    pub(crate) fn try_reserve(
        &mut self,
        capacity: usize,
        _: impl Fn(&Handle) -> u64,
    ) -> Result<(), hashbrown::TryReserveError> {
        let failed = hashbrown::TryReserveError::CapacityOverflow;
        if capacity > usize::MAX / 4 {
            return Err(failed);
        }
        let mut groups = 1;
        while most(groups * WIDTH) < capacity {
            groups *= 2;
        }
        self.groups.try_reserve_exact(groups).map_err(|_| failed)?;
        (0..groups).for_each(|_| push_reserved(&mut self.groups, Group::VACANT));
        self.room = most(self.num_buckets());
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.groups.fill(Group::VACANT);
        (self.len, self.room) = (0, most(self.num_buckets()));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Handle> {
        self.groups.iter().flat_map(Group::handles)
    }

    /// Returns the handle of a hash that `is_sought` accepts.
    #[inline(never)]
    pub(crate) fn find(
        &self,
        hash: TableHash,
        is_sought: impl FnMut(&Handle) -> bool,
    ) -> Option<&Handle> {
        let (group, bucket) = self.locate(hash, is_sought)?;
        Some(&self.groups[group].handles[bucket])
    }

    /// Returns the buckets whose tag is that of a hash, as group and index in it.
    fn probe(&self, hash: TableHash) -> Probe<'_> {
        Probe { groups: &self.groups, tag: tag(hash), place: self.place(hash), bucket: 0 }
    }

    /// Returns the first group that a look-up visits.
    fn place(&self, hash: TableHash) -> Place {
        let mask = self.groups.len().wrapping_sub(1);
        Place { group: hash & mask, stride: 0, mask }
    }

    fn locate(
        &self,
        hash: TableHash,
        mut is_sought: impl FnMut(&Handle) -> bool,
    ) -> Option<(usize, usize)> {
        self.probe(hash).find(|(group, bucket)| is_sought(&self.groups[*group].handles[*bucket]))
    }

    pub(crate) fn find_mut(
        &mut self,
        hash: TableHash,
        is_sought: impl Fn(&Handle) -> bool,
    ) -> Option<&mut Handle> {
        let (group, bucket) = self.locate(hash, is_sought)?;
        Some(&mut self.groups[group].handles[bucket])
    }

    pub(crate) fn find_entry(
        &mut self,
        hash: TableHash,
        is_sought: impl Fn(&Handle) -> bool,
    ) -> Result<OccupiedEntry<'_>, ()> {
        let (group, bucket) = self.locate(hash, is_sought).ok_or(())?;
        Ok(OccupiedEntry { table: self, group, bucket })
    }

    pub(crate) fn entry(
        &mut self,
        hash: TableHash,
        is_sought: impl Fn(&Handle) -> bool,
        _: impl Fn(&Handle) -> u64,
    ) -> Entry<'_> {
        match self.locate(hash, is_sought) {
            Some(_) => Entry::Occupied(()),
            None => Entry::Vacant(VacantEntry { table: self, hash }),
        }
    }

    /// Adds a handle. The table must have room.
    pub(crate) fn insert_unique(
        &mut self,
        hash: TableHash,
        handle: Handle,
        _: impl Fn(&Handle) -> u64,
    ) {
        let mut place = self.place(hash);
        loop {
            let group = &mut self.groups[place.group];
            if let Some(bucket) = group.tags.iter().position(|tag| *tag < LEAST_TAG) {
                self.room -= usize::from(group.tags[bucket] == VACANT);
                self.len += 1;
                (group.tags[bucket], group.handles[bucket]) = (tag(hash), handle);
                return;
            }
            place.advance();
        }
    }
}

/// A group that a look-up visits.
struct Place {
    group: usize,
    /// The distance from the previous group. It grows by one, so that every group is visited once.
    stride: usize,
    mask: usize,
}

impl Place {
    fn advance(&mut self) {
        self.stride += 1;
        self.group = (self.group + self.stride) & self.mask;
    }
}

struct Probe<'a> {
    groups: &'a [Group],
    tag: u8,
    place: Place,
    bucket: usize,
}

impl Iterator for Probe<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            if self.bucket == WIDTH {
                self.place.advance();
                self.bucket = 0;
            }
            let bucket = self.bucket;
            // There is no group if the table is new.
            let tag = self.groups.get(self.place.group)?.tags[bucket];
            self.bucket += 1;
            if tag == self.tag {
                return Some((self.place.group, bucket));
            }
            // A table is never full, so each look-up ends.
            if tag == VACANT {
                return None;
            }
        }
    }
}

pub(crate) struct OccupiedEntry<'a> {
    table: &'a mut Table,
    group: usize,
    bucket: usize,
}

impl OccupiedEntry<'_> {
    pub(crate) fn remove(self) {
        self.table.len -= 1;
        let Group { tags, handles } = &mut self.table.groups[self.group];
        if tags[WIDTH - 1] != VACANT {
            tags[self.bucket] = TOMBSTONE;
            return;
        }
        let last = (self.bucket..WIDTH).rfind(|bucket| tags[*bucket] != VACANT);
        let last = last.unwrap_or(self.bucket);
        tags[self.bucket] = tags[last];
        handles[self.bucket] = handles[last];
        tags[last] = VACANT;
        self.table.room += 1;
    }
}

pub(crate) enum Entry<'a> {
    Occupied(()),
    Vacant(VacantEntry<'a>),
}

pub(crate) struct VacantEntry<'a> {
    table: &'a mut Table,
    hash: TableHash,
}

impl VacantEntry<'_> {
    pub(crate) fn insert(self, handle: Handle) {
        self.table.insert_unique(self.hash, handle, |_| 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec;

    fn handle(number: usize) -> Handle {
        Handle::new(number as u32 / 64, (number % 64) as u8)
    }

    fn with_room_for(capacity: usize) -> Table {
        let mut table = Table::new();
        table.try_reserve(capacity, |_| 0).unwrap();
        table
    }

    #[test]
    fn a_new_table_has_no_handles_and_no_memory() {
        let mut table = Table::new();
        assert_eq!((table.len(), table.capacity(), table.allocation_size()), (0, 0, 0));
        assert_eq!(table.find(7, |_| true), None);
        assert!(table.find_entry(7, |_| true).is_err());
        table.clear();
        assert!(table.is_empty() && table.iter().next().is_none());
    }

    #[test]
    fn seven_of_eight_buckets_may_be_in_use() {
        for (capacity, buckets) in
            [(0, 4), (3, 4), (4, 8), (7, 8), (8, 16), (14, 16), (15, 32), (448, 512), (449, 1024)]
        {
            let table = with_room_for(capacity);
            assert_eq!(table.num_buckets(), buckets);
            assert_eq!(table.capacity(), if buckets == 4 { 3 } else { buckets / 8 * 7 });
        }
    }

    #[test]
    fn too_large_a_reservation_is_an_error() {
        for capacity in [usize::MAX / 8, usize::MAX / 4, usize::MAX / 2, usize::MAX] {
            assert!(Table::new().try_reserve(capacity, |_| 0).is_err());
        }
    }

    proptest! {
        #![proptest_config(test_support::strategy::config(256, 4))]

        #[test]
        fn it_holds_what_a_list_holds(
            capacity in 1..60_usize,
            steps in proptest::collection::vec((0..4_u8, 0..80_usize), 1..600),
            distinct in 1..100_usize,
        ) {
            let hash = |number: usize| (number % distinct).wrapping_mul(0x9E37_79B1);
            let mut table = with_room_for(capacity);
            let mut list = vec![];
            for (step, number) in steps {
                let is_listed = list.contains(&number);
                match step {
                    0 | 1 if !is_listed && table.len() < table.capacity() => {
                        if step == 0 {
                            table.insert_unique(hash(number), handle(number), |_| 0);
                        } else {
                            let Entry::Vacant(entry) = table.entry(hash(number), |_| false, |_| 0) else {
                                panic!("it is not in the table")
                            };
                            entry.insert(handle(number));
                        }
                        list.push(number);
                    }
                    2 => match table.find_entry(hash(number), |other| *other == handle(number)) {
                        Ok(entry) => {
                            prop_assert!(is_listed);
                            entry.remove();
                            list.retain(|other| *other != number);
                        }
                        Err(()) => prop_assert!(!is_listed),
                    },
                    3 if number == 0 => {
                        table.clear();
                        list.clear();
                        prop_assert_eq!(table.capacity(), most(table.num_buckets()));
                    }
                    _ => {
                        let found = table.find_mut(hash(number), |other| *other == handle(number));
                        prop_assert_eq!(found.copied(), is_listed.then(|| handle(number)));
                        let entry = table.entry(hash(number), |other| *other == handle(number), |_| 0);
                        prop_assert_eq!(matches!(entry, Entry::Occupied(())), is_listed);
                    }
                }
                prop_assert_eq!(table.len(), list.len());
                prop_assert_eq!(table.is_empty(), list.is_empty());
                let mut handles: Vec<_> = table.iter().copied().map(|handle| (handle.leaf(), handle.slot())).collect();
                handles.sort_unstable();
                let mut expected: Vec<_> = list.iter().map(|number| (*number as u32 / 64, (number % 64) as u8)).collect();
                expected.sort_unstable();
                prop_assert_eq!(handles, expected);
                for number in &list {
                    prop_assert!(table.find(hash(*number), |other| *other == handle(*number)).is_some());
                }
                let vacant: usize = table.groups.iter().flat_map(|group| group.tags).filter(|tag| *tag == VACANT).count();
                prop_assert_eq!(table.room, vacant - (table.num_buckets() - most(table.num_buckets())));
            }
        }
    }
}
