//! Tests the standard traits of sets and lists.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::cmp::Reverse;
use std::hash::{BuildHasher, RandomState};
use zset_core::sorted_set::{
    self, Drain, Entry, ExtractIf, IntoIter, Iter, OccupiedEntry, VacantEntry,
};
use zset_core::{Score, SkipList, SortedSet};

#[test]
fn types_are_send_and_sync_if_their_parts_are() {
    fn check<T: Send + Sync>() {}
    check::<SortedSet<String>>();
    check::<SkipList<String, Score>>();
    check::<Iter<'_, String, Score>>();
    check::<IntoIter<String, Score>>();
    check::<Drain<'_, String, Score>>();
    check::<ExtractIf<'_, String, Score, RandomState, fn(&String, &Score) -> bool>>();
    check::<Entry<'_, String, Score, RandomState>>();
    check::<OccupiedEntry<'_, String, Score, RandomState>>();
    check::<VacantEntry<'_, String, Score, RandomState>>();
    check::<sorted_set::Difference<'_, String, Score, u32, RandomState>>();
}

#[test]
fn views_are_covariant() {
    fn shorten<'a>(set: SortedSet<&'static str, u8>) -> SortedSet<&'a str, u8> {
        set
    }
    fn shorten_iter<'a>(iter: Iter<'a, &'static str, u8>) -> Iter<'a, &'a str, u8> {
        iter
    }
    let set = shorten(SortedSet::from([("a", 1)]));
    assert_eq!(set.len(), 1);
    let set = SortedSet::from([("a", 1)]);
    assert_eq!(shorten_iter(set.iter()).len(), 1);
}

#[test]
fn debug_of_a_drain_shows_the_remaining_elements() {
    for (len, skipped) in [(5, 0), (500, 200)] {
        let mut set = SortedSet::<u32, u32>::from_sorted_iter((0..len).map(|i| (i, i))).unwrap();
        let (mut drain, last) = (set.drain(), len - 1 - skipped);
        assert_eq!(drain.nth(skipped as usize), Some((skipped, skipped)));
        assert_eq!(drain.nth_back(skipped as usize), Some((last, last)));
        let left: Vec<_> = (skipped + 1..last).map(|i| (i, i)).collect();
        assert_eq!(format!("{drain:?}"), format!("{left:?}"));
        drain.by_ref().for_each(drop);
        assert_eq!(format!("{drain:?}"), "[]");
    }
}

#[test]
fn any_ordered_type_can_be_a_score() {
    let medals = SortedSet::from([("x", (1, 0, 2)), ("y", (1, 1, 0)), ("z", (0, 9, 9))]);
    assert!(medals.iter().map(|(member, _)| *member).eq(["z", "x", "y"]));
    let reversed = SortedSet::from([("x", Reverse(1)), ("y", Reverse(2))]);
    assert_eq!(reversed.first(), Some((&"y", &Reverse(2))));
    // As `f64`s, these two scores would be equal.
    let exact = SortedSet::from([("x", (1i64 << 53) + 1), ("y", 1 << 53)]);
    assert_eq!(exact.rank("x"), Some(1));
}

#[test]
fn a_set_uses_the_given_hasher() {
    let hasher = RandomState::new();
    let hash = hasher.hash_one("a");
    let set: SortedSet<&str, u32, _> = SortedSet::with_hasher(hasher.clone());
    assert_eq!(set.hasher().hash_one("a"), hash);
    let mut set = SortedSet::with_capacity_and_hasher(10, hasher);
    set.insert("a", 1);
    let union = set.union_with(&SortedSet::from([("b", 2)]), |a, b| *a.max(b));
    assert_eq!(union.hasher().hash_one("a"), hash);
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn the_seed_of_the_generator_does_not_affect_results() {
    for seed in 0..4 {
        let mut generator = SmallRng::seed_from_u64(seed);
        let mut set = SortedSet::from_rng(&mut generator);
        let mut list = SkipList::from_rng(&mut generator);
        // An odd factor permutes the residues modulo a power of two, so the numbers are distinct.
        for i in (0..10_000).map(|i: u32| i.wrapping_mul(2_654_435_761) % 65_536) {
            set.insert(i, i);
            list.insert(i, i);
        }
        set.check();
        list.check();
        assert!(set.iter().is_sorted() && set.len() == 10_000);
        assert!(list.iter().eq(set.iter()));
    }
}
