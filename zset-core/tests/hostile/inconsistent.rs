//! Tests sets under random orders and random hashes.
//!
//! Under random orders, elements are no longer sorted, but nothing else is lost: the dict has every
//! member with its score, and lengths are exact.
//!
//! Under random hashes, members may be lost and calls may panic, but the set can be cleared and
//! reused.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Bound::{Excluded, Included};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use zset_core::sorted_set::Entry;
use zset_core::{SkipList, SortedSet};

use crate::subject::{
    Collection, Member, Points, Set, check, contents, count_members, filled,
    while_hashing_at_random, while_lying,
};
use crate::{LEAF, unless_miri};

const STEPS: u32 = unless_miri(2000, 40);
const SEEDS: u32 = unless_miri(20, 1);

/// Runs a test with each seed, and verifies that it leaks no member.
fn with_seeds(seeds: u32, test: impl Fn(u32, SmallRng)) {
    for seed in 1..=seeds {
        count_members(|| test(seed, SmallRng::seed_from_u64(seed.into())));
    }
}

/// Applies random operations and compares the set with a map.
fn shuffle(set: &mut Set, scores: &mut HashMap<u32, u32>, random: &mut SmallRng) {
    for _ in 0..STEPS {
        let number = random.random_range(0..5 * LEAF);
        let score = random.random_range(0..100);
        match random.random_range(0..12) {
            0..6 => {
                let old = set.insert(Member::new(number), Points(score));
                assert_eq!(old.map(|points| points.0), scores.insert(number, score));
            }
            6 => {
                let old = set.update(&Member::new(number), |_| Points(score));
                assert_eq!(old.map(|points| points.0), scores.get(&number).copied());
                scores.entry(number).and_modify(|old| *old = score);
            }
            7 | 8 => {
                let removed = set.remove(&Member::new(number));
                assert_eq!(removed.map(|points| points.0), scores.remove(&number));
            }
            9 => {
                let popped = if score % 2 == 0 { set.pop_first() } else { set.pop_last() };
                if let Some((member, Points(score))) = popped {
                    assert_eq!(scores.remove(&member.number()), Some(score));
                }
            }
            10 => {
                if let Entry::Occupied(mut entry) = set.entry(Member::new(number)) {
                    entry.insert(Points(score));
                    scores.insert(number, score);
                    assert_eq!((entry.member().number(), entry.score()), (number, &Points(score)));
                }
            }
            _ => read(set, number, score),
        }
        assert_eq!(set.len(), scores.len());
    }
}

/// Calls read-only methods. Whatever they return, they must terminate without a panic.
fn read(set: &Set, number: u32, score: u32) {
    let member = Member::new(number);
    assert!(set.rank(&member).is_none_or(|rank| rank < set.len()));
    let range = Points(score / 2)..Points(score);
    assert!(set.count_by_score(range.clone()) <= set.len());
    let view = set.range_by_score(range);
    assert_eq!(view.len(), view.clone().count());
    assert_eq!(view.len(), view.rev().count());
    let view = set.range_by_member(&Points(score), (Excluded(&member), Included(&member)));
    assert_eq!(view.len(), view.count());
    assert_eq!(set.iter().count(), set.len());
}

#[test]
fn lookups_survive_an_inconsistent_order() {
    with_seeds(SEEDS, |seed, mut random| {
        let mut set = filled(if seed % 2 == 1 { 2 * LEAF } else { 0 });
        let mut scores = contents(&set).into_iter().collect();
        while_lying(seed, || shuffle(&mut set, &mut scores, &mut random));
        for (number, score) in &scores {
            assert_eq!(set.score(&Member::new(*number)), Some(&Points(*score)));
        }
        assert_eq!(contents(&set).into_iter().collect::<HashMap<_, _>>(), scores);
        set.use_again();
    });
}

#[test]
fn bulk_operations_under_an_inconsistent_order_lose_no_member() {
    let (len, more) = unless_miri((2 * LEAF, LEAF), (LEAF + 12, LEAF / 2));
    with_seeds(SEEDS, |seed, _| {
        let mut set = filled(LEAF + 9);
        let mut other = filled(len);
        while_lying(seed, || {
            other.extend((0..more).map(|i| (Member::new(3 * i), Points(i))));
            set.append(&mut other);
            let beyond = (0..more).filter(|i| 3 * i >= len).count();
            assert_eq!(set.len(), len as usize + beyond);
        });
        // The sort in `union_with` may panic if it detects the inconsistent order.
        let few = filled(10);
        let union = || catch_unwind(|| set.union_with(&few, |a, _| *a));
        if let Ok(union) = while_lying(seed, union) {
            assert_eq!(union.len(), set.len());
            let both = || catch_unwind(|| set.intersection_with(&union, |a, _| *a));
            assert!(while_lying(seed, both).ok().is_none_or(|both| both.len() == set.len()));
        }
        set.use_again();
    });
}

#[test]
fn a_range_removed_under_an_inconsistent_order_has_the_reported_length() {
    with_seeds(unless_miri(5 * SEEDS, 3), |seed, _| {
        let mut set = filled(2 * LEAF);
        let len = set.len();
        let removed = while_lying(seed, || {
            set.remove_range_by_score((Excluded(Points(300)), Included(Points(900))))
        });
        assert_eq!(set.len(), len - removed);
        // The set was in order before, and a removal keeps the order of the remaining elements.
        check(&set);
        set.use_again();
    });
}

#[test]
fn a_list_under_an_inconsistent_order_keeps_its_length_exact() {
    with_seeds(SEEDS, |seed, mut random| {
        let mut list = SkipList::new();
        let mut len = 0;
        while_lying(seed, || {
            // Under Miri, 140 steps are enough for a second leaf.
            for _ in 0..unless_miri(STEPS, 140) {
                let number = random.random_range(0..50);
                if random.random_bool(0.7) {
                    list.insert(Member::new(number), Points(number % 7));
                    len += 1;
                } else {
                    let removed = list.remove(&Member::new(number), &Points(number % 7));
                    len -= usize::from(removed.is_some());
                }
                assert_eq!(list.len(), len);
            }
            assert_eq!(list.iter().count(), len);
        });
        assert_eq!(list.remove_range_by_rank(..), len);
        check(&list);
    });
}

/// A number; the hash of 7 changes with every call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fickle(u32);

impl Hash for Fickle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        self.0.hash(state);
        if self.0 == 7 {
            CALLS.fetch_add(1, Relaxed).hash(state);
        }
    }
}

#[test]
fn collecting_a_member_with_a_changing_hash_loses_no_other_member() {
    for seed in 0..SEEDS {
        let numbers = (0..3 * LEAF).chain([7; 5]).map(|i| (Fickle(i), (i * 7 + seed) % LEAF));
        let set: SortedSet<Fickle, u32> = numbers.collect();
        assert_eq!(set.iter().count(), set.len());
        for (member, score) in &set {
            assert!(member.0 == 7 || set.score(member) == Some(score), "{member:?} is lost");
        }
    }
}

#[test]
fn bulk_construction_under_an_inconsistent_order_keeps_all_elements_or_fails() {
    with_seeds(SEEDS, |seed, _| {
        let elements = || (0..3 * LEAF).map(|i| (Member::new(i), Points(i % 5)));
        let made = while_lying(seed, || {
            // The sort in `collect` may panic if it detects the inconsistent order.
            let collected = catch_unwind(|| elements().collect::<Set>());
            _ = <Set>::from_sorted_iter(elements());
            collected
        });
        if let Ok(set) = made {
            assert_eq!(set.len(), 3 * LEAF as usize);
            (0..3 * LEAF).for_each(|i| assert!(set.contains(&Member::new(i))));
        }
    });
}

#[test]
fn a_set_with_random_hashes_can_be_cleared_and_reused() {
    with_seeds(SEEDS, |seed, mut random| {
        let mut set = filled(LEAF * (2 * seed % 3));
        let mut step = || {
            let (number, score) = (random.random_range(0..5 * LEAF), random.random_range(0..50));
            match random.random_range(0..8) {
                0 => _ = set.remove(&Member::new(number)),
                1 => _ = set.pop_first(),
                2 => _ = set.update(&Member::new(number), |_| Points(score)),
                3 => _ = set.extract_if(|_, score| score.0 < 3).count(),
                _ => _ = set.insert(Member::new(number), Points(score)),
            }
        };
        while_hashing_at_random(seed, || {
            // With random hashes, operations may panic. The second round uses the set again after
            // such a panic.
            for _ in 0..2 {
                _ = catch_unwind(AssertUnwindSafe(|| (0..STEPS / 4).for_each(|_| step())));
            }
        });
        assert_eq!(set.iter().count(), set.len());
        set.clear();
        set.use_again();
    });
}
