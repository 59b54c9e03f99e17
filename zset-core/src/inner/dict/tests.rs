//! Tests of the dict as a whole.

use super::*;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec::Vec;

/// Returns the handle of the i-th element in full leaves.
fn handle(i: u32) -> Handle {
    Handle::new(i / 64, (i % 64) as u8)
}

fn add(dict: &mut Dict, handle: Handle, hash_of: impl Fn(Handle) -> usize) {
    dict.try_reserve_one(hash_of(handle), &hash_of).unwrap();
    dict.insert(hash_of(handle), handle);
}

/// Creates a dict of the handles 0..n with hashes from `hash_of`.
fn filled(n: u32, hash_of: impl Fn(Handle) -> usize + Copy) -> Dict {
    let mut dict = Dict::new();
    (0..n).for_each(|i| add(&mut dict, handle(i), hash_of));
    dict.check(hash_of);
    dict
}

/// Reserves room for a handle with a hash that panics.
fn panic_in_reserve(dict: &mut Dict, handle: Handle) {
    let panics = |_: Handle| -> usize { panic!("panic in the hash") };
    let reserve = || dict.try_reserve_one(spread(handle), panics);
    assert!(catch_unwind(AssertUnwindSafe(reserve)).is_err());
    dict.check(spread);
}

fn number(handle: Handle) -> usize {
    handle.leaf() as usize * 64 + usize::from(handle.slot())
}

fn spread(handle: Handle) -> usize {
    // Mix the bits with the finalizer of splitmix64.
    let mut x = (number(handle) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) as usize
}

fn has(dict: &Dict, hash: usize, handle: Handle) -> bool {
    dict.find(hash, |other| (other == handle).then_some(())).is_some()
}

/// Enough handles for the first table to split, and then for segments to split.
const MANY: u32 = if cfg!(miri) { 1_000 } else { 100_000 };

/// As in the only leaf of a core, the element of the last slot moves to the vacated slot after a
/// removal.
#[test]
fn without_a_table_it_holds_what_a_list_holds() {
    let slot = |slot: usize| Handle::new(0, slot as u8);
    // The hashes are small, or have only the top byte set, or are scattered. There are at most 300
    // different hashes in each case, so some are equal.
    for spread in [1, 1 << (usize::BITS - 8), 0x9E37_79B9] {
        let (mut dict, mut hashes) = (Dict::new(), Vec::<usize>::new());
        let mut state = 1_u32;
        for _ in 0..if cfg!(miri) { 100 } else { 2_000 } {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (choice, hash) =
                (state as usize >> 20, ((state as usize >> 8) % 300).wrapping_mul(spread));
            if choice % 2 == 0 && hashes.len() < MOST_TAGGED {
                dict.try_reserve_one(hash, |handle| hashes[number(handle)]).unwrap();
                dict.insert(hash, slot(hashes.len()));
                hashes.push(hash);
            } else if !hashes.is_empty() {
                let removed = choice % hashes.len();
                dict.remove(hashes[removed], slot(removed));
                hashes.swap_remove(removed);
                if removed < hashes.len() {
                    let token = dict.token(slot(hashes.len()), || unreachable!("no table"));
                    dict.replace(token, slot(hashes.len()), slot(removed));
                }
            }
            assert!(!dict.has_table());
            dict.check(|handle| hashes[number(handle)]);
            for (i, &hash) in hashes.iter().enumerate() {
                assert!(has(&dict, hash, slot(i)));
            }
            let found = dict.find(hash, |handle| (hashes[number(handle)] == hash).then_some(()));
            assert_eq!(found.is_some(), hashes.contains(&hash));
        }
    }
}

#[test]
fn a_hash_is_found_for_every_tag() {
    assert_eq!(FACTOR.wrapping_mul(INVERSE), 1);
    for expected in 0..=u8::MAX {
        assert_eq!(tag(hash_with_tag(expected)), expected);
    }
}

#[test]
fn every_slot_in_use_with_a_tag_is_found() {
    for tag in (0..=u8::MAX).step_by(if cfg!(miri) { 51 } else { 1 }) {
        assert_eq!(handles_with_tag([!tag; MOST_TAGGED], MOST_TAGGED, tag).count(), 0);
        for slot in 0..MOST_TAGGED {
            let mut tags = [tag.wrapping_add(1); MOST_TAGGED];
            tags[slot] = tag;
            let finds = |len| handles_with_tag(tags, len, tag).any(|found| found == tagged(slot));
            assert!(finds(slot + 1) && !finds(slot));
        }
        for len in 0..=MOST_TAGGED {
            let found = handles_with_tag([tag; MOST_TAGGED], len, tag);
            assert!(found.eq((0..len).map(tagged)));
        }
    }
}

/// A hash that panics while the first table is created leaves the tags unchanged.
#[test]
fn the_first_table_is_made_at_the_17th_handle_or_not_at_all() {
    let mut dict = filled(MOST_TAGGED as u32, spread);
    assert!(!dict.has_table());
    let new = handle(MOST_TAGGED as u32);
    panic_in_reserve(&mut dict, new);
    assert!(!dict.has_table());
    add(&mut dict, new, spread);
    assert_eq!(dict.all_tables()[0].num_buckets(), 64);
    dict.check(spread);
}

/// At the same size, a few more removals would make it rebuild the table again.
#[test]
fn a_table_full_of_handles_and_a_few_tombstones_doubles() {
    let runs = |handle| spread(Handle::new((number(handle) / 20) as u32, 0));
    let mut dict = filled(capacity(1 << 9) as u32, runs);
    let size = dict.allocation_size();
    (5..10).for_each(|i| dict.remove(runs(handle(i)), handle(i)));
    assert!(!dict.has_room(0), "removals leave tombstones");
    add(&mut dict, handle(5), runs);
    assert!(dict.allocation_size() > size);
}

#[test]
fn handles_are_found_replaced_and_removed_across_splits() {
    let mut dict = filled(MANY, spread);
    let Tables::Many(many) = &dict.tables else { unreachable!("many handles") };
    let (segments, entries) = (many.tables.len(), many.directory.len());
    assert!(segments > 16 && entries < 2 * segments, "{entries} entries for {segments}");
    let mut model: BTreeMap<usize, Handle> = BTreeMap::new();
    for i in 0..MANY {
        let handle = handle(i);
        model.insert(number(handle), handle);
        if i % 3 == 0 {
            dict.remove(spread(handle), handle);
            model.remove(&number(handle));
        }
        assert_eq!(has(&dict, spread(handle), handle), i % 3 != 0);
    }
    assert_eq!(dict.len(), model.len());
    let (first, other) = (Handle::new(0, 1), Handle::new(1 << 20, 7));
    dict.replace(spread(first), first, other);
    assert!(!has(&dict, spread(first), first));
    assert!(has(&dict, spread(first), other));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn hashes_of_low_quality_do_not_blow_up_the_directory() {
    filled(1_500, |_| 42);
    // There are slightly more handles than fit in one table. In the first case, they have only 64
    // different hashes, so probe sequences are long. In the second, the routes of most share the
    // leading bits, so no split separates them.
    let few: fn(Handle) -> usize = |handle| number(handle) & 0x3F;
    let shared = |handle| match number(handle) {
        number if number % 8 > 0 => number.wrapping_mul(INVERSE),
        _ => spread(handle),
    };
    for (len, hash_of) in [(29_000, few), (33_000, shared)] {
        let dict = filled(len, hash_of);
        let Tables::Many(many) = &dict.tables else { unreachable!("{len} handles") };
        assert!(many.directory.len() <= 64, "{} entries", many.directory.len());
    }
    let hashes: Vec<usize> = (0..33_000).map(|i| shared(handle(i))).collect();
    Dict::try_of_full_leaves(&hashes).unwrap().check(shared);
    let of_32_bits = filled(MANY, |handle| spread(handle) & 0xFFFF_FFFF);
    assert!(of_32_bits.all_tables().iter().all(|table| table.num_buckets() <= SEGMENT_BUCKETS));
    filled(MANY, number);
    filled(29_000, |handle| number(handle) << (usize::BITS / 2));
}

/// Replaces handles in a dict of constant length, whose allocation must keep its size.
fn churn(len: u32, hash_of: impl Fn(Handle) -> usize + Copy) {
    let (len, steps) = if cfg!(miri) { (300, 100) } else { (len, 50_000) };
    let mut dict = filled(len, hash_of);
    let size = dict.allocation_size();
    for (old, i) in (0..).zip(len..len + steps) {
        dict.remove(hash_of(handle(old)), handle(old));
        add(&mut dict, handle(i), hash_of);
    }
    dict.check(hash_of);
    assert_eq!(dict.allocation_size(), size);
}

#[test]
fn churn_at_constant_length_does_not_grow_the_dict() {
    churn(600, spread);
    // A run of handles with the same hash fills groups of buckets, in which removals leave
    // tombstones. The second dict has a table of the size at which full tables split.
    for len in [600, 20_000] {
        churn(len, |handle| spread(Handle::new((number(handle) / 20) as u32, 0)));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn a_reservation_removes_tombstones_that_occupy_the_room() {
    const LEN: u32 = 100_000;
    for len in (LEN..2 * LEN).step_by(LEN as usize / 10) {
        let mut dict = filled(len, spread);
        for i in (0..len).filter(|i| i % 10 > 0) {
            dict.remove(spread(handle(i)), handle(i));
        }
        let more = len as usize / 10 * 8;
        dict.try_reserve(more, spread).unwrap();
        dict.check(spread);
        let capacity: usize = dict.all_tables().iter().map(Table::capacity).sum();
        assert!(capacity >= dict.len() + more, "{more} of {len}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn insertions_after_a_reservation_allocate_nothing() {
    const MORE: u32 = 60_000;
    for already in [0, 10, 3_000, 40_000] {
        let mut dict = filled(already, spread);
        dict.try_reserve(MORE as usize, spread).unwrap();
        dict.check(spread);
        let size = dict.allocation_size();
        (already..already + MORE).for_each(|i| add(&mut dict, handle(i), spread));
        assert_eq!(dict.allocation_size(), size);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn reserving_succeeds_for_millions_but_not_beyond_the_handle_limit() {
    let mut dict = Dict::new();
    dict.try_reserve(2_000_000, spread).unwrap();
    assert!(dict.allocation_size() > 2_000_000 * size_of::<Handle>());
    let mut smaller = Dict::new();
    smaller.try_reserve(SEGMENT_CAPACITY * 15, spread).unwrap();
    assert_eq!(smaller.all_tables().len(), 16, "each has room for 16/15 of its share");
    assert_eq!(dict.try_reserve(MAX_HANDLES + 1, spread), Err(TryReserveError::CapacityOverflow));
}

#[test]
fn a_panic_in_the_hash_loses_nothing() {
    // With `SEGMENT_BUCKETS` buckets, the single table is rebuilt. With `FIRST_BUCKETS`, it splits.
    for buckets in [SEGMENT_BUCKETS, FIRST_BUCKETS] {
        let len = capacity(buckets);
        let mut dict = filled(len as u32, spread);
        assert_eq!(dict.all_tables().iter().map(Table::capacity).sum::<usize>(), len);
        panic_in_reserve(&mut dict, Handle::new(1 << 20, 0));
        assert_eq!(dict.len(), len);
    }
}
