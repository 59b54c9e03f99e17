//! Tests methods and traits of whole collections: capacity, samples, order, hash and conversions.

use proptest::collection::vec;
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::sync::Mutex;
use zset_core::redis::{packed_zset, zset};
use zset_core::sorted_set::{IntoIter, Iter};
use zset_core::{
    ByteString, Encoding, ListpackLimits, Score, SkipList, SortedMap, SortedSet, TryReserveError,
    ZSet, sorted_map,
};

use crate::LEAF;
use crate::hashers::{BuildConstant, BuildNarrow};

type Fixed = BuildHasherDefault<DefaultHasher>;

static SET: Mutex<SortedSet<&str, u32, Fixed>> = Mutex::new(SortedSet::with_hasher(Fixed::new()));
static MAP: Mutex<SortedMap<&str, u8, u32, Fixed>> =
    Mutex::new(SortedMap::with_hasher(Fixed::new()));
static LIST: Mutex<SkipList<&str, u32>> = Mutex::new(SkipList::new());
static ZSET: Mutex<ZSet> = Mutex::new(ZSet::new());

#[test]
fn a_static_needs_no_initialization() {
    let mut set = SET.lock().unwrap();
    set.insert("b", 2);
    set.insert("a", 1);
    set.check();
    assert!(set.iter().eq([(&"a", &1), (&"b", &2)]));
    let mut map = MAP.lock().unwrap();
    map.insert("a", 7, 1);
    map.check();
    assert_eq!(map.get("a"), Some(&7));
    let mut list = LIST.lock().unwrap();
    list.extend((0..200).map(|i| ("a", i % 10)));
    list.check();
    assert_eq!(list.len(), 200);
    let mut zset = ZSET.lock().unwrap();
    zset.extend((0..130_u8).map(|i| ([i], Score::from(i))));
    zset.check();
    assert_eq!((zset.len(), zset.encoding()), (130, Encoding::Skiplist));
    assert_eq!(zset.limits(), ListpackLimits::default());
}

#[test]
fn default_iterators_are_empty() {
    fn empty<T>(mut iter: impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Default) {
        assert_eq!(iter.len(), 0);
        assert!(iter.nth(3).is_none() && iter.next().is_none() && iter.next_back().is_none());
    }
    empty(Iter::<'_, String, u8>::default());
    empty(IntoIter::<String, u8>::default());
    empty(sorted_map::Iter::<'_, String, u8, u8>::default());
    empty(sorted_map::IntoIter::<String, u8, u8>::default());
    empty(zset::Iter::default());
    empty(zset::IntoIter::default());
    empty(packed_zset::Iter::default());
    empty(sorted_map::IterMut::<'_, String, u8, u8>::default());
    empty(sorted_map::ValuesMut::<'_, String, u8, u8>::default());
    // `Iter` implements `Default` even if its elements are not `'static`.
    let local = String::new();
    let iter: Iter<'_, &str, u8> = Iter::default();
    assert_eq!(iter.chain([(&&*local, &1)].into_iter()).count(), 1);
}

#[test]
fn an_owning_iterator_is_cloned_with_what_is_left_of_it() {
    fn clones<T: PartialEq, I>(mut iter: I)
    where
        I: DoubleEndedIterator<Item = T> + ExactSizeIterator + Clone + Default,
    {
        assert_eq!(I::default().len(), 0);
        let len = iter.len();
        for taken in 0..len {
            assert!(iter.clone().rev().eq(iter.clone().collect::<Vec<_>>().into_iter().rev()));
            assert_eq!(iter.clone().len(), len - taken);
            if taken % 3 == 0 {
                iter.next_back()
            } else {
                iter.next()
            };
        }
        assert_eq!(iter.clone().count(), 0);
    }
    let elements = (0..if cfg!(miri) { 80 } else { 200 }).map(|i| (i.to_string(), i % 7));
    let set: SortedSet<String, i32> = elements.clone().collect();
    let map: SortedMap<String, u64, i32> = elements.clone().map(|(m, s)| (m, 0, s)).collect();
    clones(elements.clone().collect::<SkipList<_, _>>().into_iter());
    clones(set.into_iter());
    clones(map.clone().into_iter());
    clones(map.clone().into_keys());
    clones(map.into_values());
    for len in [20, if cfg!(miri) { 20 } else { 150 }] {
        let few = elements.clone().take(len).map(|(member, score)| (member, Score::from(score)));
        clones(few.collect::<ZSet>().into_iter());
    }
}

/// Fills a list and a set to their capacity, then inserts more elements.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn capacity_is_never_below_the_length() {
    for additional in [0, 1, 3, LEAF, LEAF + 1, 1000, 40_000] {
        for step in [1_u64, 7919] {
            let mut list = SkipList::new();
            let mut set = SortedSet::<_, _, BuildNarrow>::default();
            list.extend((0..10).map(|i| (i, i)));
            set.extend((0..10).map(|i| (i, i)));
            list.reserve(additional);
            set.reserve(additional);
            assert!(list.capacity() >= 10 + additional && set.capacity() >= 10 + additional);
            for i in 10..2 * additional as u64 + 200 {
                let was_full = (list.capacity() == list.len(), set.capacity() == set.len());
                let before = (list.allocation_size(), set.allocation_size());
                // With a step of 1, scores are inserted in ascending order; with a larger one, in
                // scattered order.
                list.insert(i, i * step % 65_537);
                set.insert(i, i * step % 65_537);
                assert!(list.len() <= list.capacity() && set.len() <= set.capacity());
                assert!(!was_full.0 || list.allocation_size() > before.0);
                assert!(!was_full.1 || set.allocation_size() > before.1);
            }
        }
    }
    assert_eq!(SkipList::<u8, u8>::new().capacity(), 0);
    assert_eq!(SortedSet::<u8, u8>::new().capacity(), 0);
    assert_eq!(SkipList::<(), ()>::with_capacity(3).len(), 0);
    let mut units = SkipList::new();
    (0..200).for_each(|_| units.insert((), ()));
    assert!(units.capacity() >= 200);
    assert_eq!(units.try_reserve(usize::MAX), Err(TryReserveError::CapacityOverflow));
}

#[test]
#[should_panic(expected = "32 bits")]
fn reserving_too_much_panics() {
    SortedSet::<u8, u8>::new().reserve(usize::MAX);
}

type Elements = Vec<(u8, i8)>;

fn any_elements() -> impl Strategy<Value = Elements> {
    vec((0..4_u8, -2..2_i8), 0..if cfg!(miri) { 4 } else { 6 })
}

/// Returns the elements in the order of a set, with the last score of each member.
fn ordered(elements: &Elements) -> Vec<(i8, u8)> {
    let scores: BTreeMap<u8, i8> = elements.iter().copied().collect();
    let mut ordered: Vec<_> = scores.into_iter().map(|(member, score)| (score, member)).collect();
    ordered.sort_unstable();
    ordered
}

/// Verifies order, equality and hashes.
fn assert_order<T: Ord + Hash>(x: &T, y: &T, order: Ordering) {
    assert_eq!((x.cmp(y), x.partial_cmp(y), x == y), (order, Some(order), order.is_eq()));
    assert!(order.is_ne() || Fixed::new().hash_one(x) == Fixed::new().hash_one(y));
}

proptest! {
    #![proptest_config(crate::config(512, 2))]

    #[test]
    fn order_and_hash_depend_on_the_elements_only(a in any_elements(), b in any_elements()) {
        let order = ordered(&a).cmp(&ordered(&b));
        let (x, y) = (SortedSet::from(a.clone()), SortedSet::from(b.clone()));
        assert_order(&x, &y, order);
        let other: SortedSet<u8, i8, BuildConstant> = b.iter().copied().collect();
        prop_assert_eq!((x.partial_cmp(&other), x == other), (Some(order), order.is_eq()));
        prop_assert_eq!(Fixed::new().hash_one(&y), Fixed::new().hash_one(&other));

        let valued = |of: &Elements| of.iter().map(|&(m, s)| (m, m ^ 1, s)).collect::<Vec<_>>();
        assert_order(&SortedMap::from(valued(&a)), &SortedMap::from(valued(&b)), order);

        let scored = |of: &Elements| of.iter().map(|&(m, s)| ([m], Score::from(s))).collect();
        let (x, mut y): (ZSet, ZSet) = (scored(&a), scored(&b));
        y.promote();
        assert_order(&x, &y, order);

        // Unlike a set, a list keeps repeated members.
        let sorted = |of: &Elements| {
            let mut sorted: Vec<(i8, u8)> = of.iter().map(|&(m, s)| (s, m)).collect();
            sorted.sort_unstable();
            sorted
        };
        let order = sorted(&a).cmp(&sorted(&b));
        assert_order(&SkipList::from(a), &SkipList::from(b), order);
    }

    #[test]
    fn conversions_round_trip(elements in any_elements()) {
        let expected: Vec<(u8, i8)> = ordered(&elements).iter().map(|&(s, m)| (m, s)).collect();
        let scores: BTreeMap<u8, i8> = elements.iter().copied().collect();
        let set = SortedSet::from(elements.clone());
        set.check();
        prop_assert_eq!(&set, &SortedSet::from(scores.clone()));
        prop_assert_eq!(Vec::from(set.clone()), expected.clone());
        prop_assert_eq!(BTreeMap::from(set.clone()), scores.clone());
        let mut copied = SortedSet::<u8, i8>::new();
        copied.extend(&scores);
        prop_assert_eq!(&copied, &set);
        copied.clear();
        copied.extend(&set);
        prop_assert_eq!(&copied, &set);

        let triples = elements.iter().map(|&(m, s)| (m, s, s));
        let map = SortedMap::from(triples.collect::<Vec<_>>());
        map.check();
        let values: BTreeMap<u8, (i8, i8)> = scores.iter().map(|(&m, &s)| (m, (s, s))).collect();
        prop_assert_eq!(&map, &SortedMap::from(values.clone()));
        prop_assert_eq!(BTreeMap::from(map.clone()), values);
        let listed: Vec<(u8, i8, i8)> = expected.iter().map(|&(m, s)| (m, s, s)).collect();
        prop_assert_eq!(Vec::from(map.clone()), listed.clone());
        let mut copied = SortedMap::<u8, i8, i8>::new();
        copied.extend(&map);
        copied.extend(listed.iter().map(|(m, v, s)| (m, v, s)));
        prop_assert_eq!(copied, map);

        let list = SkipList::from(elements.clone());
        list.check();
        let mut sorted = elements.clone();
        sorted.sort_unstable_by_key(|&(m, s)| (s, m));
        prop_assert_eq!(Vec::from(list.clone()), sorted);
        let mut copied = SkipList::new();
        copied.extend(&list);
        prop_assert_eq!(&copied, &list);
        copied.extend(&scores);
        prop_assert_eq!(copied.len(), list.len() + scores.len());

        let bytes: BTreeMap<[u8; 1], Score> =
            scores.iter().map(|(&m, &s)| ([m], Score::from(s))).collect();
        let zset = ZSet::from(bytes.clone());
        zset.check();
        let pairs: Vec<_> = elements.iter().map(|&(m, s)| ([m], Score::from(s))).collect();
        prop_assert_eq!(&zset, &ZSet::from(pairs));
        let mut copied = ZSet::new();
        copied.extend(&bytes);
        prop_assert_eq!(&copied, &zset);
        let back: BTreeMap<ByteString, Score> = zset.clone().into();
        prop_assert!(back.iter().map(|(m, s)| (m[0], *s)).eq(bytes.iter().map(|(m, s)| (m[0], *s))));
        let back: Vec<(ByteString, Score)> = zset.into();
        prop_assert!(back.iter().map(|(m, _)| m[0]).eq(expected.iter().map(|(m, _)| *m)));
    }
}

#[test]
fn partially_ordered_elements_have_a_partial_order() {
    // A map with floats as values is not `Ord`, so it cannot be a member.
    let map = |value: f64| SortedMap::from([("a", value, 1)]);
    assert_eq!(map(1.0).partial_cmp(&map(2.0)), Some(Ordering::Less));
    assert_eq!(map(f64::NAN).partial_cmp(&map(2.0)), None);
}

#[test]
fn a_set_can_be_a_member_and_a_key() {
    fn is_member<T: Ord + Hash>() {}
    is_member::<SortedSet<u8, SortedScore>>();
    is_member::<SortedMap<u8, u8, u8>>();
    let sets = SortedSet::from([(SortedSet::from([("a", 1)]), 2), (SortedSet::from([]), 1)]);
    assert_eq!(sets.score(&SortedSet::from([("a", 1)])), Some(&2));
}

type SortedScore = (u8, Score);
