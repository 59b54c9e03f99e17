//! Runs random sequences with conditional insertions, fallible updates and replacements, and
//! compares the results with a `BTreeMap`. Compares relations between sets with those between
//! `BTreeSet`s.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use zset_core::{IncrementError, Insertion, ScoreOverflow, SortedSet};

use crate::hashers::BuildNarrow;
use crate::labelled::Labelled;

type Member = Labelled<u16, u32>;

pub(crate) const STEPS: usize = if cfg!(miri) { 30 } else { 1500 };

/// The label and score of each member.
pub(crate) type Reference = BTreeMap<u16, (u32, u32)>;

/// Returns the expected result of a conditional insertion, given the old score, if any.
pub(crate) fn expected<T: Copy>(
    old: Option<T>,
    given: T,
    is_better: impl FnOnce(T) -> bool,
) -> Insertion<T> {
    match old {
        None => Insertion::Inserted,
        Some(old) if is_better(old) => Insertion::Updated(old),
        Some(_) => Insertion::Unchanged(given),
    }
}

pub(crate) fn any_score(random: &mut SmallRng) -> u32 {
    if random.random_ratio(1, 20) { u32::MAX - 3 } else { random.random_range(0..40) }
}

pub(crate) fn any_number(random: &mut SmallRng) -> u16 {
    random.random_range(0..if cfg!(miri) { 90 } else { 400 })
}

/// Applies a change to the set and the reference, and compares the results.
fn change<H: BuildHasher>(
    set: &mut SortedSet<Member, u32, H>,
    reference: &mut Reference,
    random: &mut SmallRng,
) {
    let (number, score) = (any_number(random), any_score(random));
    let member = Labelled(number, random.random());
    let old = reference.get(&number).copied();
    let (label, old_score) = (old.map_or(member.1, |old| old.0), old.map(|old| old.1));
    let mut put = |score| reference.insert(number, (label, score));
    match random.random_range(0..14) {
        0 | 1 => {
            assert_eq!(set.insert(member, score), old_score);
            put(score);
        }
        2 => {
            let done = expected(old_score, score, |old| score > old);
            assert_eq!(set.insert_max(member, score), done);
            let higher = old_score.map_or(score, |old| old.max(score));
            assert_eq!(set.insert_max(member, 0), Insertion::Unchanged(0));
            put(higher);
        }
        3 => {
            let done = expected(old_score, score, |old| score < old);
            assert_eq!(done.is_changed(), old_score.is_none_or(|old| score < old));
            assert_eq!(set.insert_min(member, score), done);
            let lower = old_score.map_or(score, |old| old.min(score));
            assert_eq!(set.insert_min(member, u32::MAX), Insertion::Unchanged(u32::MAX));
            put(lower);
        }
        4 | 5 => {
            let replaced = set.replace(member, score).map(|(old, score)| (old.1, score));
            assert_eq!(replaced, old);
            reference.insert(number, (member.1, score));
        }
        6 => {
            assert_eq!(set.try_update(&member, |old| old ^ score), Ok(old_score));
            old_score.map(|old| put(old ^ score));
        }
        7 => {
            let sum = old_score.unwrap_or(0).checked_add(score);
            let expected = sum.ok_or(IncrementError::Score(ScoreOverflow));
            assert_eq!(set.try_increment(member, score), expected);
            sum.map(put);
        }
        8 => {
            let sum = old_score.unwrap_or(0).checked_add(score);
            assert_eq!(set.increment(member, score), sum.ok_or(ScoreOverflow));
            sum.map(put);
        }
        9 | 10 => {
            let removed = set.remove_entry(&member).map(|(old, score)| (old.1, score));
            assert_eq!(removed, reference.remove(&number));
        }
        11 => {
            if let Some((member, _)) = set.pop_first() {
                reference.remove(&member.0);
            }
        }
        12 => {
            let start = random.random_range(0..=set.len());
            let gone: Vec<u16> =
                set.range_by_rank(start..start + 5).map(|(member, _)| member.0).collect();
            assert_eq!(set.remove_range_by_rank(start..start + 5), gone.len());
            for number in gone {
                reference.remove(&number);
            }
        }
        _ => {
            let additional = random.random_range(0..300);
            set.reserve(additional);
            assert!(set.capacity() >= set.len() + additional);
            if random.random_ratio(1, 8) {
                set.shrink_to_fit();
            }
        }
    }
}

/// Compares all elements, including their labels.
fn compare<H: BuildHasher>(set: &SortedSet<Member, u32, H>, reference: &Reference) {
    set.check();
    let mut elements: Vec<_> =
        reference.iter().map(|(&number, &(label, score))| (score, number, label)).collect();
    elements.sort_unstable();
    let given = set.iter().map(|(member, score)| (*score, member.0, member.1));
    assert!(given.eq(elements));
    assert!(set.len() <= set.capacity());
}

fn run<H: BuildHasher + Default>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut set: SortedSet<Member, u32, H> = SortedSet::default();
    let mut reference = Reference::new();
    for step in 0..STEPS {
        change(&mut set, &mut reference, &mut random);
        if step % 7 == 0 || cfg!(miri) {
            compare(&set, &reference);
        }
        if step % 31 == 0 {
            let asked: Vec<Member> = (0..random.random_range(0..50))
                .map(|label| Labelled(any_number(&mut random), label))
                .collect();
            let scores = asked.iter().map(|member| reference.get(&member.0).map(|it| it.1));
            let found = set.scores(&asked);
            assert_eq!(found.size_hint(), (asked.len(), Some(asked.len())));
            assert!(found.map(Option::<&_>::copied).eq(scores));
        }
    }
    compare(&set, &reference);
}

#[test]
fn sets_with_labels() {
    run::<zset_core::DefaultHashBuilder>(1);
    run::<BuildNarrow>(2);
}

#[test]
fn relations_compare_members_only() {
    let mut random = SmallRng::seed_from_u64(3);
    for round in 0..if cfg!(miri) { 1 } else { 300 } {
        let mut any_set = |most: u16| -> SortedSet<u16, i32> {
            let len = random.random_range(0..most);
            let mut element = || (random.random_range(0..60), random.random_range(0..5));
            (0..len).map(|_| element()).collect()
        };
        let (a, b) = (any_set(80), any_set(1 + round % 80));
        let mut part = a.clone();
        part.retain(|member, _| member % 3 != 0);
        let members = |set: &SortedSet<u16, i32>| -> BTreeSet<u16> {
            set.iter().map(|(member, _)| *member).collect()
        };
        for (a, b) in [(&a, &b), (&b, &a), (&a, &part), (&part, &a), (&a, &a)] {
            let (ours, others) = (members(a), members(b));
            assert_eq!(a.is_subset(b), ours.is_subset(&others));
            assert_eq!(a.is_superset(b), ours.is_superset(&others));
            assert_eq!(a.is_disjoint(b), ours.is_disjoint(&others));

            let order = |members: BTreeSet<u16>| -> Vec<(u16, i32)> {
                let score = |member| a.score(&member).or_else(|| b.score(&member));
                let elements = members.into_iter().map(|member| (member, *score(member).unwrap()));
                let mut elements: Vec<_> = elements.collect();
                elements.sort_unstable_by_key(|&(member, score)| (score, member));
                elements
            };
            let (union, both) = (order(&ours | &others), order(&ours & &others));
            let (less, either) = (order(&ours - &others), order(&ours ^ &others));
            verify_ends(&a.union(b), &union, &mut random);
            verify_ends(&a.intersection(b), &both, &mut random);
            verify_ends(&a.difference(b), &less, &mut random);
            verify_ends(&a.symmetric_difference(b), &either, &mut random);
            for (set, elements) in [(a | b, union), (a & b, both), (a - b, less), (a ^ b, either)] {
                set.check();
                assert_eq!(Vec::from(set), elements);
            }
        }
    }
}

/// Verifies an iterator from both ends, with its clones, `Debug` output and size hints.
fn verify_ends<'a, I>(iter: &I, elements: &[(u16, i32)], random: &mut SmallRng)
where
    I: DoubleEndedIterator<Item = (&'a u16, &'a i32)> + Clone + std::fmt::Debug,
{
    assert_eq!(format!("{iter:?}"), format!("{elements:?}"));
    let (mut iter, mut expected) = (iter.clone(), elements);
    loop {
        let (low, high) = iter.size_hint();
        assert!(low <= expected.len() && high.is_some_and(|high| high >= expected.len()));
        if random.random_ratio(1, 9) {
            assert!(iter.clone().map(|(m, s)| (*m, *s)).eq(expected.iter().copied()));
            assert!(iter.clone().rev().map(|(m, s)| (*m, *s)).eq(expected.iter().rev().copied()));
        }
        let is_front = random.random();
        let given = if is_front { iter.next() } else { iter.next_back() };
        let wanted = if is_front { expected.first() } else { expected.last() };
        assert_eq!(given.map(|(m, s)| (*m, *s)).as_ref(), wanted);
        expected = match expected {
            [] => break,
            [_, rest @ ..] if is_front => rest,
            [rest @ .., _] => rest,
        };
    }
    assert_eq!((iter.next(), iter.next_back()), (None, None), "the iterator is fused");
}
