//! Tests that memory shrinks as elements are removed.

use std::hash::{BuildHasherDefault, Hash};
use zset_core::sorted_set::Entry;
use zset_core::{Score, SkipList, SortedMap, SortedSet};

use crate::counting::{counted, failing_after, has_failed};
use crate::{Scattering, Set, grown, hashing, scattered, scattered_score};

/// The sizes of sets whose memory shrinks: one with a single table, and one with many tables.
const SIZES: &[u64] = if cfg!(miri) { &[3_300] } else { &[3_300, 30_000] };

/// Removes 99 % of a set; verifies that this frees at least 65 % of its memory.
fn frees_memory<M: Hash + Ord>(
    name: &str,
    member: impl Fn(u64) -> M,
    remove: impl Fn(&mut SortedSet<M, Score, BuildHasherDefault<Scattering>>, usize),
) {
    for &size in SIZES {
        let mut set = SortedSet::default();
        for number in 0..size {
            set.insert(member(number), scattered_score(number));
        }
        let (peak, left) = (set.allocation_size(), size as usize / 100);
        remove(&mut set, left);
        set.check();
        assert_eq!(set.len(), left);
        let now = set.allocation_size();
        assert!(20 * now <= 7 * peak, "{name}: {now} of {peak} bytes for {left} of {size}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and another test covers the same code under Miri")]
fn memory_follows_the_content_down_whatever_removes_it() {
    let removals: [(&str, fn(&mut Set, usize)); 8] = [
        ("in order of insertion", |set, left| {
            (0..(set.len() - left) as u64).for_each(|member| _ = set.remove(&member));
        }),
        ("at random", |set, left| {
            let mut members: Vec<u64> = set.iter().map(|(&member, _)| member).collect();
            members.sort_by_key(|&member| scattered(!member));
            members[left..].iter().for_each(|member| _ = set.remove(member));
        }),
        ("by rank", |set, left| {
            while set.len() > left {
                set.remove_by_rank(set.len() / 2);
            }
        }),
        ("first", |set, left| (left..set.len()).for_each(|_| _ = set.pop_first())),
        ("last", |set, left| (left..set.len()).for_each(|_| _ = set.pop_last())),
        ("a range", |set, left| _ = set.remove_range_by_rank(left..)),
        ("a drained range", |set, left| set.drain_by_rank(left..).for_each(drop)),
        ("entries", |set, left| {
            for member in 0..(set.len() - left) as u64 {
                match set.entry(member) {
                    Entry::Occupied(entry) => entry.remove(),
                    Entry::Vacant(_) => unreachable!("the member is there"),
                };
            }
        }),
    ];
    for (name, remove) in removals {
        frees_memory(name, |number| number, remove);
    }
    frees_memory(
        "strings",
        |number| number.to_string(),
        |set, left| {
            (left..set.len()).for_each(|_| _ = set.pop_first());
        },
    );
}

#[test]
fn lists_and_maps_free_memory_too() {
    for &size in SIZES {
        let mut list: SkipList<u64, u64> = (0..size).map(|i| (i, scattered(i))).collect();
        let mut map: SortedMap<u64, u64, u64> = (0..size).map(|i| (i, i, scattered(i))).collect();
        let peaks = (list.allocation_size(), map.allocation_size());
        while list.len() as u64 > size / 100 {
            list.pop_first();
            map.pop_last();
        }
        list.check();
        map.check();
        assert!(20 * list.allocation_size() <= 7 * peaks.0);
        assert!(20 * map.allocation_size() <= 7 * peaks.1);
        assert!(map.iter().all(|(&key, &value, &score)| (key, scattered(key)) == (value, score)));
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and another test covers the same code under Miri")]
fn reserved_memory_is_kept() {
    let size = SIZES[SIZES.len() - 1];
    let mut set = <Set>::default();
    set.reserve(size as usize);
    for round in 0..2 {
        let members = round * size..(round + 1) * size;
        let ((), total) = counted(|| {
            members.clone().for_each(|member| _ = set.insert(member, Score::from(member as u32)));
        });
        assert_eq!(total.calls, 0, "round {round}");
        while set.len() > 10 {
            set.pop_first();
        }
        set.check();
        while set.pop_first().is_some() {}
    }
    // If less was reserved than the set needs at its peak, memory above the reservation is freed.
    for reserved in [100, size / 20] {
        let mut set = <Set>::default();
        set.reserve(reserved as usize);
        (0..size).for_each(|member| _ = set.insert(member, Score::from(member as u32)));
        let peak = set.allocation_size();
        while set.pop_first().is_some() {}
        assert!(set.allocation_size() < peak / 4, "{} of {peak}", set.allocation_size());
        let ((), total) = counted(|| {
            let members = 0..reserved;
            members.for_each(|member| _ = set.insert(member, Score::from(member as u32)));
        });
        assert_eq!(total.calls, 0, "{reserved} were reserved");
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and another test covers the same code under Miri")]
fn freeing_memory_hashes_few_elements() {
    for &size in SIZES {
        let [shrinking, alone] = [0, 2 * size as usize].map(|reserved| {
            let mut set = grown(size);
            set.reserve(reserved);
            hashing(|| while set.pop_first().is_some() {}).1
        });
        let most = alone + size as usize / 16;
        assert!(alone < shrinking && shrinking <= most, "{shrinking} at {size}, {alone} alone");
        assert!(2 * alone <= 5 * size as usize, "a removal hashes two keys, and a merge some more");
    }
}

/// A removal that frees memory moves elements, and hashes each of them.
#[test]
#[cfg_attr(miri, ignore = "slow, and another test covers the same code under Miri")]
fn no_removal_from_a_million_elements_moves_more_than_16_384() {
    let elements = (0..1_000_000_u32).map(|i| (u64::from(i), Score::from(i)));
    let mut set = <Set>::from_sorted_iter(elements).expect("the numbers are ascending");
    // Each removal computes one hash for the removed member, and one for each element that it
    // moves.
    let moved =
        std::iter::from_fn(|| Some(hashing(|| set.pop_first())).filter(|it| it.0.is_some()));
    let most = moved.map(|(_, hashes)| hashes - 1).max().unwrap();
    assert!((8_192..=16_384).contains(&most), "{most} elements were moved");
}

#[test]
#[cfg_attr(miri, ignore = "slow, and another test covers the same code under Miri")]
fn without_memory_to_move_to_elements_stay() {
    let size = SIZES[SIZES.len() - 1];
    let mut set = grown(size);
    let peak = set.allocation_size();
    // After a failure, the next attempt follows when half of the elements are left.
    let mut clone = set.clone();
    let size = clone.allocation_size();
    failing_after(0, || {
        while !has_failed() {
            _ = clone.pop_first();
        }
    });
    (0..clone.len() / 3).for_each(|_| _ = clone.pop_first());
    assert_eq!(clone.allocation_size(), size);
    for succeeding in 0..3 {
        failing_after(succeeding, || {
            let len = set.len();
            (0..(len - len / 6)).for_each(|_| _ = set.pop_first());
        });
        set.check();
    }
    let left = set.len();
    assert!(left > 0 && set.iter().is_sorted_by_key(|(&member, score)| (score, member)));
    // Once allocations succeed again, the next removals free memory.
    while set.len() > left / 4 {
        set.pop_first();
    }
    set.check();
    assert!(20 * set.allocation_size() < 7 * peak);
}
