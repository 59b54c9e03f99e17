//! Compares unions, intersections and differences with naive implementations.

use proptest::collection::btree_map;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use zset_core::{Score, SortedMap, SortedSet};

use crate::hashers::BuildNarrow;
use crate::labelled::Labelled;

type Map = BTreeMap<u16, i16>;

/// Generates maps of very different sizes, so either operand may be the smaller one.
fn any_map() -> impl Strategy<Value = Map> {
    let most = if cfg!(miri) { 20 } else { 300 };
    prop_oneof![btree_map(0..200u16, any::<i16>(), 0..10), btree_map(0..400u16, -3..3i16, 0..most),]
}

fn to_set(map: &Map) -> SortedSet<u16, i16> {
    map.iter().map(|(&member, &score)| (member, score)).collect()
}

proptest! {
    #![proptest_config(crate::config(128, 2))]

    #[test]
    fn sets_with_different_hashers_combine(a in any_map(), b in any_map()) {
        let other: SortedSet<u16, i16, BuildNarrow> = to_set(&b).into_iter().collect();
        let set = to_set(&a);
        let same = to_set(&b);
        let (min, max) = (|a: &i16, b: &i16| *a.min(b), |a: &i16, b: &i16| *a.max(b));
        prop_assert_eq!(set.union_with(&other, max), set.union_with(&same, max));
        let both = set.intersection_with(&other, min);
        prop_assert_eq!(both, set.intersection_with(&same, min));
        prop_assert!(set.union(&other).eq(set.union(&same)));
        prop_assert!(set.intersection(&other).eq(set.intersection(&same)));
        prop_assert!(set.difference(&other).eq(set.difference(&same)));
        prop_assert!(set.symmetric_difference(&other).eq(set.symmetric_difference(&same)));
        prop_assert_eq!(set.is_subset(&other), set.is_subset(&same));
        prop_assert_eq!(set.is_disjoint(&other), set.is_disjoint(&same));
    }
}

#[test]
fn a_set_can_be_combined_with_itself() {
    let set: SortedSet<u16, i16> = (0..100).map(|i| (i, 1)).collect();
    let doubled: SortedSet<u16, i16> = (0..100).map(|i| (i, 2)).collect();
    assert_eq!(set.union_with(&set, |a, b| a + b), doubled);
    assert_eq!(set.intersection_with(&set, |a, b| a + b), doubled);
    assert!(set.union(&set).eq(&set) && set.intersection(&set).eq(&set));
    assert_eq!(set.difference(&set).next(), None);
    assert_eq!(set.symmetric_difference(&set).next(), None);

    assert!(set.is_subset(&set) && set.is_superset(&set) && !set.is_disjoint(&set));
}

thread_local! {
    /// The number of members hashed.
    static HASHES: Cell<usize> = const { Cell::new(0) };
}

/// A number that counts how often it is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Counted(u32);

impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        HASHES.set(HASHES.get() + 1);
        self.0.hash(state);
    }
}

/// A member labelled with the name of its set.
type Named = Labelled<Counted, char>;

/// Creates a set of these numbers; `score` maps a number to its score.
fn named(
    set: char,
    numbers: impl IntoIterator<Item = u32>,
    score: impl Fn(u32) -> u32,
) -> SortedSet<Named> {
    numbers
        .into_iter()
        .map(|number| (Labelled(Counted(number), set), Score::from(score(number))))
        .collect()
}

/// Verifies that all the shared numbers come from this set.
#[track_caller]
fn assert_shared_are_of(
    set: char,
    shared: std::ops::Range<u32>,
    elements: impl IntoIterator<Item = Named>,
) {
    let mut shared_len = 0;
    for member in elements {
        if shared.contains(&member.0.0) {
            assert_eq!(member.1, set, "{}", member.0.0);
            shared_len += 1;
        }
    }
    assert_eq!(shared_len, shared.len());
}

#[test]
fn an_equal_member_is_always_that_of_self() {
    // Either set may be the smaller one, and either may have the lower scores.
    let lens = [(50, 20), (20, 50), (40, 40), (900, 40), (40, 900), (900, 900)];
    let lens = if cfg!(miri) { &lens[..2] } else { &lens };
    for &(a_len, b_len) in lens {
        for (a_first, b_first) in [(1000, 0), (0, 1000), (0, 0)] {
            let shared = 10..u32::min(a_len, b_len);
            let set = named('a', 0..a_len, |i| i + a_first);
            let other = named('b', 10..b_len, |i| i + b_first);
            let members = |set: SortedSet<Named>| set.into_iter().map(|(member, _)| member);
            let verify = |elements| assert_shared_are_of('a', shared.clone(), elements);

            verify(set.union(&other).map(|(m, _)| *m).collect::<Vec<_>>());
            verify(set.union(&other).rev().map(|(m, _)| *m).collect());
            verify(set.intersection(&other).map(|(m, _)| *m).collect());
            verify(set.intersection(&other).rev().map(|(m, _)| *m).collect());
            for combine in [|a: &Score, b: &Score| *a.min(b), |a: &Score, b: &Score| *a.max(b)] {
                verify(members(set.union_with(&other, combine)).collect());
                verify(members(set.intersection_with(&other, combine)).collect());
            }
            verify(members(&set | &other).collect());
            verify(members(&set & &other).collect());
            let mut appended = set.clone();
            appended.append(&mut other.clone());
            appended.check();
            assert_eq!(appended.get(&Labelled(Counted(15), '?')).unwrap().0.1, 'a');
            verify(members(appended).collect());
            let mut extended = set.clone();
            extended.extend(other.clone());
            verify(members(extended).collect());

            let map = |set: &SortedSet<Named>| -> SortedMap<Named, char> {
                set.iter().map(|(member, score)| (*member, member.1, *score)).collect()
            };
            let mut appended = map(&set);
            appended.append(&mut map(&other));
            assert_eq!(appended.get(&Labelled(Counted(15), '?')), Some(&'b'), "the value");
            verify(appended.into_iter().map(|(key, _, _)| key).collect());
            let mut extended = map(&set);
            extended.extend(map(&other));
            verify(extended.into_iter().map(|(key, _, _)| key).collect());

            let differences = set.difference(&other).map(|(member, _)| member.1);
            assert!(differences.eq((0..a_len - shared.len() as u32).map(|_| 'a')));
            assert_eq!((&set - &other).len(), set.len() - shared.len());
            assert_eq!((&set ^ &other).len(), set.len() + other.len() - 2 * shared.len());
        }
    }
}

/// Runs an operation; returns its result and the number of members hashed.
fn hashes_of<T>(operation: impl FnOnce() -> T) -> (T, usize) {
    let before = HASHES.get();
    let result = operation();
    (result, HASHES.get() - before)
}

#[test]
fn an_intersection_looks_up_the_members_of_the_smaller_set() {
    let (few, many) = (named('a', 0..10, |number| number), named('b', 10..100, |number| number));
    for (set, other) in [(&few, &many), (&many, &few)] {
        let both = hashes_of(|| set.intersection_with(other, |score, _| *score).len());
        assert_eq!((both, hashes_of(|| set.is_disjoint(other))), ((0, 10), (true, 10)));
    }
}

/// Each step of a union looks up elements of `other` only if they precede the next one of `self`.
#[test]
fn a_step_of_a_union_looks_up_no_member_that_comes_later() {
    let len = if cfg!(miri) { 100 } else { 10_000 };
    let set = named('a', 0..len, |number| number);
    let later = named('b', 0..len, |number| number + len);
    let (first, hashes) = hashes_of(|| set.union(&later).next());
    assert_eq!((first.unwrap().0.0.0, hashes), (0, 0));
    let (last, hashes) = hashes_of(|| later.union(&set).next_back());
    assert_eq!((last.unwrap().0.0.0, hashes), (len - 1, 0));

    // Each step looks up at most one member in the other set.
    let alternating = named('b', 0..len, |number| number);
    let mut union = set.union(&alternating);
    for _ in 0..10 {
        let hashes = hashes_of(|| [union.next(), union.next_back()]).1;
        assert!(hashes <= 2, "{hashes}");
    }
    let distinct = named('b', len..2 * len, |number| number);
    let mut either = set.symmetric_difference(&distinct);
    for _ in 0..10 {
        assert_eq!(hashes_of(|| either.next()).1, 1);
        assert_eq!(hashes_of(|| either.next_back()).1, 1);
    }
    // A complete union looks up each element of the other set once. A complete symmetric difference
    // looks up the elements of both sets.
    assert_eq!(hashes_of(|| set.union(&alternating).count()), (len as usize, len as usize));
    assert_eq!(hashes_of(|| set.union(&distinct).rev().count()), (2 * len as usize, len as usize));
    let (count, hashes) = hashes_of(|| set.symmetric_difference(&later).count());
    assert_eq!((count, hashes), (0, 2 * len as usize));
}
