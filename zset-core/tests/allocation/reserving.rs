//! Tests that reserved memory is sufficient for the insertions that follow.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use zset_core::{Score, SkipList};

use crate::counting::counted;
use crate::{Scattering, Set, scattered, scattered_score};

/// Changes a set step by step, and verifies that an insertion after `try_reserve(1)` allocates
/// nothing.
fn reserve_and_insert<H: BuildHasher + Default>(len: u64, removals: u64) {
    let mut set: Set<H> = Set::default();
    for number in 0..len + removals {
        if let Some(step) = number.checked_sub(len) {
            // Tombstones of removed members must not reduce the reserved capacity.
            set.remove(&(step + scattered(step) % (len / 2)));
        }
        set.try_reserve(1).unwrap();
        let (_, total) = counted(|| set.insert(number, scattered_score(number)));
        assert_eq!(total.calls, 0, "insertion {number} into {} members", set.len() - 1);
    }
    set.check();
}

/// At this length, the dict has a single table.
const LEN: u64 = if cfg!(miri) { 70 } else { 12_000 };

#[test]
fn an_insertion_after_reserving_one_allocates_nothing() {
    reserve_and_insert::<BuildHasherDefault<Scattering>>(LEN, 2 * LEN);
}

#[test]
#[cfg_attr(miri, ignore = "the dict splits at 448 members, which take minutes under Miri")]
fn an_insertion_after_reserving_one_allocates_nothing_while_tables_split() {
    reserve_and_insert::<BuildHasherDefault<Scattering>>(27_000, 10_000);
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn an_insertion_after_reserving_one_allocates_nothing_even_if_all_members_collide() {
    #[derive(Default)]
    struct Constant;

    impl Hasher for Constant {
        fn write(&mut self, _: &[u8]) {}

        fn finish(&self) -> u64 {
            7
        }
    }
    reserve_and_insert::<BuildHasherDefault<Constant>>(LEN / 12, LEN / 12);
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_move_to_another_leaf_after_reserving_one_allocates_nothing() {
    let len = LEN / 4;
    let mut set = <Set>::default();
    set.extend((0..len).map(|member| (member, scattered_score(member))));
    for step in 0..len {
        set.try_reserve(1).unwrap();
        let member = scattered(step) % len;
        let (_, total) = counted(|| set.insert(member, scattered_score(step + len)));
        assert_eq!(total.calls, 0, "move {step}");
    }
    set.check();
}

#[test]
fn a_list_insertion_after_reserving_one_allocates_nothing() {
    let mut list = SkipList::new();
    for step in 0..LEN {
        list.reserve(1);
        let ((), total) = counted(|| list.insert(step % 7, scattered_score(step)));
        assert_eq!(total.calls, 0, "insertion {step}");
        if step % 5 == 0 {
            list.pop_first();
        }
    }
    list.check();
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn insertions_after_reserving_many_allocate_almost_nothing() {
    for len in [10, 64, 1000, LEN] {
        let mut list = SkipList::with_capacity(len as usize);
        let ((), total) = counted(|| (0..len).for_each(|step| list.insert(step, step / 3)));
        // The reservation for the index is an estimate, so the index may still grow.
        assert!(total.calls <= 2, "{} for {len}", total.calls);
        // Leaves are expected to be 3/4 full.
        assert!((len..=len + 64).contains(&(list.capacity() as u64 / 4 * 3 + 16)));
    }
}

#[test]
fn a_set_with_capacity_grows_to_a_leaf_without_allocating() {
    for capacity in [1, 3, 10, 64] {
        let mut set = <Set>::with_capacity_and_hasher(capacity, BuildHasherDefault::default());
        let members = 0..capacity as u64;
        let ((), total) = counted(|| {
            members.for_each(|member| _ = set.insert(member, Score::ZERO));
        });
        assert_eq!(total.calls, 0, "{capacity} members");
        set.check();
    }
}
