//! Tests that `clear`, `drain`, `retain` and `extract_if` keep memory for later insertions, and
//! that `shrink_to_fit` frees it.

use std::hash::BuildHasherDefault;
use std::panic::{AssertUnwindSafe, catch_unwind};
use zset_core::Encoding;
use zset_core::{Score, SkipList, SortedMap, ZSet};

use crate::counting::counted;
use crate::{HASHES_PANIC, Scattering, Set, grown, scattered_score};

type Map = SortedMap<u64, u64, Score, BuildHasherDefault<Scattering>>;
type List = SkipList<u64, Score>;

/// Lengths of sets with a single leaf, with a single table, and with several tables.
const LENS: &[u64] = if cfg!(miri) { &[40, 130] } else { &[40, 3_300, 40_000] };

/// Returns whether a member stays when most others are removed.
fn is_left(member: u64) -> bool {
    member % 100 == 7
}

/// Verifies that removals allocate and free nothing, that an emptied collection has room for the
/// same number of elements, and that `shrink_to_fit` frees the memory.
macro_rules! verify {
    ($type:ty, $make:expr, $insert:expr, [$($is_emptied:literal $remove:expr),* $(,)?]) => {
        for &len in LENS {
            let make: fn(u64) -> $type = $make;
            let insert: fn(&mut $type, u64) = $insert;
            let removals: &[(bool, fn(&mut $type))] = &[$(($is_emptied, $remove)),*];
            for (index, &(is_emptied, remove)) in removals.iter().enumerate() {
                let mut subject = make(len);
                let (size, capacity) = (subject.allocation_size(), subject.capacity());
                let ((), total) = counted(|| remove(&mut subject));
                subject.check();
                assert_eq!((total.calls, total.live), (0, 0), "removal {index} of {len}");
                assert_eq!(subject.allocation_size(), size);
                assert!(subject.capacity() >= subject.len());
                if is_emptied {
                    assert!(subject.is_empty() && subject.capacity() >= capacity);
                    let fill = || (0..len).for_each(|member| insert(&mut subject, member));
                    assert_eq!(counted(fill).1.calls, 0, "insertions after removal {index}");
                    subject.check();
                    remove(&mut subject);
                }
                let left = subject.len();
                let ((), total) = counted(|| subject.shrink_to_fit());
                subject.check();
                assert_eq!(subject.len(), left);
                assert!(subject.capacity() < left + 64);
                assert_eq!(Some(subject.allocation_size()), size.checked_add_signed(total.live));
                let most = if is_emptied { 0 } else { size / 3 };
                assert!(len < 64 || subject.allocation_size() <= most, "removal {index} of {len}");
                insert(&mut subject, 100);
                subject.check();
            }
        }
    };
}

#[test]
fn sets_keep_memory() {
    verify!(
        Set,
        |len| Set::from_sorted_iter((0..len).map(|i| (i, Score::from(i as u32)))).unwrap(),
        |set, member| _ = set.insert(member, Score::from(member as u32)),
        [
            true | set | set.clear(),
            true | set | drop(set.drain()),
            true | set | _ = set.drain().nth(9),
            true | set | set.drain().rev().for_each(drop),
            true | set | drop(set.drain_by_rank(..)),
            true | set | set.retain(|_, _| false),
            false | set | set.retain(|&member, _| is_left(member)),
            false | set | set.extract_if(|&member, _| !is_left(member)).for_each(drop),
        ]
    );
}

#[test]
fn maps_keep_memory() {
    verify!(
        Map,
        |len| Map::from_sorted_iter((0..len).map(|i| (i, i, Score::from(i as u32)))).unwrap(),
        |map, key| _ = map.insert(key, key, Score::from(key as u32)),
        [
            true | map | map.clear(),
            true | map | drop(map.drain()),
            true | map | _ = map.drain().nth(9),
            true | map | drop(map.drain_by_score::<Score>(..)),
            false | map | map.retain(|&key, _, _| is_left(key)),
            false | map | map.extract_if(|&key, _, _| !is_left(key)).for_each(drop),
        ]
    );
}

#[test]
fn lists_keep_memory() {
    verify!(
        List,
        |len| (0..len).map(|i| (i, Score::from(i as u32))).collect(),
        |list, member| list.insert(member, Score::from(member as u32)),
        [
            true | list | list.clear(),
            true | list | drop(list.drain()),
            true | list | _ = list.drain().nth(9),
            false | list | list.retain(|&member, _| is_left(member)),
            false | list | list.extract_if(|&member, _| !is_left(member)).for_each(drop),
        ]
    );
}

/// As in Redis, a `ZSet` is a listpack again once it has been emptied.
#[test]
fn zsets_keep_memory_unless_they_are_emptied() {
    let len = if cfg!(miri) { 130 } else { 3_300 };
    let mut original: ZSet = (0..len).map(|i: u32| (i.to_string(), Score::from(i))).collect();
    original.promote();
    let is_left = |score: Score| (score.get() % 100.0).to_bits() == 7_f64.to_bits();
    let mut set = original.clone();
    let size = set.allocation_size();
    // Removed members may own memory, which `retain` frees.
    let ((), total) = counted(|| set.retain(|_, score| is_left(score)));
    set.check();
    assert_eq!(Some(set.allocation_size()), size.checked_add_signed(total.live));
    assert_eq!(set.encoding(), Encoding::Skiplist);
    let ((), total) = counted(|| set.shrink_to_fit());
    set.check();
    assert!(total.live.unsigned_abs() > 24 * len as usize, "{total:?}");
    assert!(set.allocation_size() <= size / 3);
    assert!(set.iter().all(|(_, score)| is_left(score)));
    let empties: [fn(&mut ZSet); 3] =
        [ZSet::clear, |set| drop(set.drain()), |set| ZSet::new().append(set)];
    for empty in empties {
        let mut set = original.clone();
        empty(&mut set);
        set.check();
        assert_eq!((set.allocation_size(), set.encoding()), (0, Encoding::Listpack));
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn reserved_memory_is_there_after_elements_are_removed() {
    let removals: [fn(&mut Set); 4] = [
        |set| set.retain(|member, _| member % 5 == 0),
        |set| _ = set.extract_if(|member, _| member % 2 == 0).nth(1_000),
        |set| _ = set.drain().nth(1_000),
        Set::clear,
    ];
    for remove in removals {
        let mut set = grown(3_000);
        set.reserve(2_000);
        remove(&mut set);
        let members = 10_000..12_000;
        let ((), total) = counted(|| {
            members.for_each(|member| _ = set.insert(member, scattered_score(member)));
        });
        assert_eq!(total.calls, 0);
        set.check();
    }
}

/// After a `retain`, or an `extract_if` that a panic interrupts, single removals free memory again.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn removals_free_memory_after_a_retain_and_after_a_panic_in_extract_if() {
    let removals: [fn(&mut Set); 2] = [
        |set| set.retain(|member, _| member % 50 == 0),
        |set| {
            let mut extracted = set.extract_if(|_, _| true);
            extracted.by_ref().take(900).for_each(drop);
            HASHES_PANIC.set(true);
            assert!(catch_unwind(AssertUnwindSafe(|| extracted.next())).is_err());
            HASHES_PANIC.set(false);
        },
    ];
    for (case, remove) in removals.into_iter().enumerate() {
        let mut set = grown(20_000);
        let size = set.allocation_size();
        remove(&mut set);
        assert_eq!(set.allocation_size(), size, "removal {case}");
        while set.len() > 100 {
            set.pop_first();
        }
        set.check();
        assert!(3 * set.allocation_size() < size, "{} of {size} bytes", set.allocation_size());
    }
}
