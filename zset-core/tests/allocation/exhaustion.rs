//! Without any memory left, a set still works: a removed element can be replaced.

use std::cell::Cell;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use zset_core::{Score, SortedSet, TryReserveError};

use crate::counting::{end_exhaustion, without_memory};
use crate::{Scattering, Set, grown, scattered, scattered_score};

/// Replaces members one at a time without memory.
fn replace(set: &mut Set, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let rank = scattered(number) as usize % set.len();
        set.remove_by_rank(rank).expect("the rank is below the length");
        let result = without_memory(|| set.try_insert(number, scattered_score(number)));
        assert_eq!(result, Ok(None), "{} elements", set.len());
    }
    set.check();
}

/// Inserts without memory until it fails; returns the next number.
fn fill(set: &mut Set, from: u64) -> u64 {
    let mut numbers = from..;
    let last = numbers.find(|&number| {
        let result = without_memory(|| set.try_insert(number, scattered_score(number)));
        assert!(matches!(result, Ok(None) | Err(TryReserveError::AllocError)));
        result.is_err()
    });
    set.check();
    last.expect("the range has no end")
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn on_a_full_heap_each_removed_element_can_be_replaced() {
    for len in [3, 64, 100, 224, 448, 500, 900, 1_500, 1_792] {
        let mut set = grown(len);
        let next = fill(&mut set, len);
        let full = set.len();
        replace(&mut set, next..next + 2_000);
        assert_eq!(set.len(), full);
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn full_leaves_pass_on_elements_to_the_nearest_room() {
    // Leaves that are full except for one slot at a time, below two levels of index blocks.
    let mut set: Set = (0..100 * 64).map(|i| (i, Score::from(10 * i as u32))).collect();
    let len = fill(&mut set, 100 * 64);
    for step in 0..300 {
        let (removed, new) = (scattered(step) % len, len + step);
        let Some(score) = set.remove(&removed) else { continue };
        let position = Score::from((scattered(new) % (10 * len)) as u32);
        let result = without_memory(|| set.try_insert(new, position));
        assert_eq!(result, Ok(None), "at {position} after a removal at {score}");
        let moved = *set.get_by_rank(scattered(step + 1) as usize % set.len()).unwrap().0;
        assert!(without_memory(|| set.try_insert(u64::MAX, position)).is_err());
        // An update needs room in another leaf. It may fail, and then leaves the set unchanged.
        let before = set.score(&moved);
        if without_memory(|| set.try_update(&moved, |_| position)).is_err() {
            assert_eq!(set.score(&moved), before);
        }
        set.check();
    }
}

/// A member whose hash panics on demand.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Fused(u64);

thread_local! {
    /// The number of hashes until one panics.
    static FUSE: Cell<u64> = const { Cell::new(u64::MAX) };
}

impl Hash for Fused {
    fn hash<H: Hasher>(&self, state: &mut H) {
        FUSE.set(FUSE.get() - 1);
        if FUSE.get() == 0 {
            // The panic itself allocates.
            end_exhaustion();
            panic!("the fuse has blown");
        }
        self.0.hash(state);
    }
}

/// While the dict is filled again, a panic in `Hash` leaves the set unchanged in the first pass,
/// and empty in the second. After it, the set works.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_panic_in_hash_while_refiling_leaves_a_valid_set() {
    type Hostile = SortedSet<Fused, Score, BuildHasherDefault<Scattering>>;
    let len = 224;
    let mut full: Hostile = (0..len).map(|i| (Fused(i), scattered_score(i))).collect();
    // Tombstones replace removed members until the dict has no room.
    let mut next = len;
    while full.dict_layout().buckets == 256 {
        let mut trial = full.clone();
        trial.pop_first();
        FUSE.set(1 << 20);
        without_memory(|| trial.try_insert(Fused(next), scattered_score(next))).unwrap();
        if FUSE.get() < (1 << 20) - 2 * (len - 1) {
            break;
        }
        (full, next) = (trial, next + 1);
    }
    full.pop_first();
    let (mut unchanged, mut emptied) = (0, 0);
    for fuse in 1.. {
        let mut set = full.clone();
        FUSE.set(fuse);
        let result = catch_unwind(AssertUnwindSafe(|| {
            without_memory(|| set.try_insert(Fused(next), scattered_score(next)))
        }));
        FUSE.set(u64::MAX);
        set.check();
        match result {
            Ok(inserted) => {
                assert_eq!(inserted, Ok(None));
                break;
            }
            Err(_) if set.is_empty() => emptied += 1,
            Err(_) => {
                assert_eq!(set, full);
                unchanged += 1;
            }
        }
        set.insert(Fused(next), Score::ZERO);
        set.check();
    }
    assert!(unchanged >= len - 1, "{unchanged}");
    assert!((1..len).contains(&emptied), "{emptied}");
}
