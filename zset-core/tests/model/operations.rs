//! The operations of a random sequence: how they are generated, and what each does to a set and to
//! the reference.

use proptest::collection::vec;
use proptest::prelude::*;
use std::hash::BuildHasher;
use std::ops::Bound;
use zset_core::sorted_set::Entry;
use zset_core::{ScoreOverflow, SortedSet};

use crate::reference::Reference;

/// Few enough that operations often meet existing members, and enough that a set grows to several
/// leaves.
const MEMBERS: u16 = 400;

pub(crate) type Bounds<T> = (Bound<T>, Bound<T>);

/// An operation. Its scores are raw numbers, which the profile maps to scores.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Insert(u16, i32),
    TryInsert(u16, i32),
    InsertRun { first: u16, len: u16, step: u16, score: i32 },
    Update(u16, i32),
    Increment(u16, i32),
    ModifyEntryOrInsert(u16, i32),
    RemoveEntryOrInsert(u16, i32),
    Remove(u16),
    RemoveEntry(u16),
    PopFirst,
    PopLast,
    RemoveRangeByScore(Bounds<i32>),
    RemoveRangeByRank(Bounds<usize>),
    Retain(u16),
    ExtractSome { divisor: u16, at_most: usize },
    DrainSome { front: usize, back: usize },
    Clear,
    Append(Vec<(u16, i32)>),
    Extend(Vec<(u16, i32)>),
    Union(Vec<(u16, i32)>),
    Intersection(Vec<(u16, i32)>),
    Reserve(usize),
    ShrinkToFit,
    Clone,
    BuildFromSorted,
}

pub(crate) fn any_operation() -> impl Strategy<Value = Operation> {
    let member = || 0..MEMBERS;
    let elements = || vec((member(), raw()), 0..100);
    prop_oneof![
        8 => (member(), raw()).prop_map(|(m, s)| Operation::Insert(m, s)),
        2 => (member(), raw()).prop_map(|(m, s)| Operation::TryInsert(m, s)),
        6 => (member(), 1..150u16, 1..7u16, raw())
            .prop_map(|(first, len, step, score)| Operation::InsertRun { first, len, step, score }),
        4 => (member(), raw()).prop_map(|(m, s)| Operation::Update(m, s)),
        4 => (member(), raw()).prop_map(|(m, by)| Operation::Increment(m, by)),
        2 => (member(), raw()).prop_map(|(m, s)| Operation::ModifyEntryOrInsert(m, s)),
        2 => (member(), raw()).prop_map(|(m, s)| Operation::RemoveEntryOrInsert(m, s)),
        4 => member().prop_map(Operation::Remove),
        2 => member().prop_map(Operation::RemoveEntry),
        3 => Just(Operation::PopFirst),
        3 => Just(Operation::PopLast),
        1 => any_bounds(raw()).prop_map(Operation::RemoveRangeByScore),
        1 => any_bounds(rank()).prop_map(Operation::RemoveRangeByRank),
        1 => (2..9u16).prop_map(Operation::Retain),
        1 => (1..9u16, 0..50usize)
            .prop_map(|(divisor, at_most)| Operation::ExtractSome { divisor, at_most }),
        1 => (0..50usize, 0..50usize)
            .prop_map(|(front, back)| Operation::DrainSome { front, back }),
        1 => Just(Operation::Clear),
        2 => elements().prop_map(Operation::Append),
        2 => elements().prop_map(Operation::Extend),
        2 => elements().prop_map(Operation::Union),
        1 => elements().prop_map(Operation::Intersection),
        1 => (0..2000usize).prop_map(Operation::Reserve),
        1 => Just(Operation::ShrinkToFit),
        1 => Just(Operation::Clone),
        1 => Just(Operation::BuildFromSorted),
    ]
}

/// What to query after an operation.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) member: u16,
    pub(crate) members: Bounds<u16>,
    pub(crate) scores: Bounds<i32>,
    pub(crate) ranks: Bounds<usize>,
}

pub(crate) fn any_query() -> impl Strategy<Value = Query> {
    (0..MEMBERS, any_bounds(0..MEMBERS), any_bounds(raw()), any_bounds(rank()))
        .prop_map(|(member, members, scores, ranks)| Query { member, members, scores, ranks })
}

fn raw() -> impl Strategy<Value = i32> + Clone {
    prop_oneof![-8..8i32, any::<i32>()]
}

fn rank() -> impl Strategy<Value = usize> + Clone {
    prop_oneof![8 => 0..usize::from(MEMBERS), 1 => Just(usize::MAX)]
}

fn any_bounds<T: Copy + std::fmt::Debug>(
    value: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Bounds<T>> {
    let bound = prop_oneof![
        value.clone().prop_map(Bound::Included),
        value.prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ];
    (bound.clone(), bound)
}

/// Applies an operation to both and compares the results. `score` maps a raw number to a score.
pub(crate) fn apply<H: BuildHasher + Clone + Default>(
    operation: Operation,
    set: &mut SortedSet<u16, i32, H>,
    reference: &mut Reference,
    mut score: impl FnMut(i32) -> i32,
) {
    match operation {
        Operation::Insert(member, raw) => {
            let score = score(raw);
            assert_eq!(set.insert(member, score), reference.insert(member, score));
        }
        Operation::TryInsert(member, raw) => {
            let score = score(raw);
            assert_eq!(set.try_insert(member, score), Ok(reference.insert(member, score)));
        }
        Operation::InsertRun { first, len, step, score: raw } => {
            for i in 0..len {
                let (member, score) = ((first + i * step) % MEMBERS, score(raw));
                assert_eq!(set.insert(member, score), reference.insert(member, score));
            }
        }
        Operation::Update(member, raw) => {
            let score = score(raw);
            let old = reference.score(member);
            let updated = set.update(&member, |given| {
                assert_eq!(Some(given), old);
                score
            });
            assert_eq!(updated, old);
            old.map(|_| reference.insert(member, score));
        }
        Operation::Increment(member, by) => {
            let sum = reference.score(member).unwrap_or(0).checked_add(by);
            assert_eq!(set.increment(member, by), sum.ok_or(ScoreOverflow));
            sum.map(|sum| reference.insert(member, sum));
        }
        Operation::ModifyEntryOrInsert(member, raw) => {
            let score = score(raw);
            let new = reference.score(member).map_or(score, |old| old ^ score);
            reference.insert(member, new);
            let entry = set.entry(member).and_modify(|old| old ^ score).or_insert(score);
            assert_eq!((*entry.member(), entry.score()), (member, new));
            assert_eq!(Some(entry.rank()), reference.rank(member));
        }
        Operation::RemoveEntryOrInsert(member, raw) => match set.entry(member) {
            Entry::Occupied(entry) => {
                assert_eq!(Some(entry.remove_entry().1), reference.remove(member));
            }
            Entry::Vacant(entry) => {
                let score = score(raw);
                assert_eq!(entry.insert(score).score(), score);
                assert_eq!(reference.insert(member, score), None);
            }
        },
        Operation::Remove(member) => assert_eq!(set.remove(&member), reference.remove(member)),
        Operation::RemoveEntry(member) => {
            let removed = reference.remove(member).map(|score| (member, score));
            assert_eq!(set.remove_entry(&member), removed);
        }
        Operation::PopFirst => {
            let first = reference.elements().first().copied();
            assert_eq!(set.pop_first(), first);
            reference.remove_all(first.as_slice());
        }
        Operation::PopLast => {
            let last = reference.elements().last().copied();
            assert_eq!(set.pop_last(), last);
            reference.remove_all(last.as_slice());
        }
        Operation::Clear => {
            set.clear();
            *reference = Reference::default();
        }
        operation @ (Operation::RemoveRangeByScore(_)
        | Operation::RemoveRangeByRank(_)
        | Operation::Retain(_)
        | Operation::ExtractSome { .. }
        | Operation::DrainSome { .. }) => remove_many(operation, set, reference, score),
        operation => combine_or_rebuild(operation, set, reference, score),
    }
}

fn remove_many<H: BuildHasher>(
    operation: Operation,
    set: &mut SortedSet<u16, i32, H>,
    reference: &mut Reference,
    mut score: impl FnMut(i32) -> i32,
) {
    match operation {
        Operation::RemoveRangeByScore((start, end)) => {
            let range = (start.map(&mut score), end.map(&mut score));
            let removed = reference.by_score(&range);
            assert_eq!(set.remove_range_by_score(range), removed.len());
            reference.remove_all(&removed);
        }
        Operation::RemoveRangeByRank(range) => {
            let removed = reference.by_rank(&range);
            assert_eq!(set.remove_range_by_rank(range), removed.len());
            reference.remove_all(&removed);
        }
        Operation::Retain(divisor) => {
            let mut seen = Vec::new();
            set.retain(|&member, score| {
                seen.push((member, score));
                member % divisor == 0
            });
            assert_eq!(seen, reference.elements(), "retain visits all elements in order");
            reference.remove_all(&reference.matching(|member, _| member % divisor != 0));
        }
        Operation::ExtractSome { divisor, at_most } => {
            let extracted = set.extract_if(|&member, _| member % divisor == 0).take(at_most);
            let extracted: Vec<_> = extracted.collect();
            let mut expected = reference.matching(|member, _| member % divisor == 0);
            expected.truncate(at_most);
            assert_eq!(extracted, expected);
            reference.remove_all(&extracted);
        }
        Operation::DrainSome { front, back } => {
            let mut elements = reference.elements().into_iter();
            let mut drain = set.drain();
            assert!(drain.by_ref().take(front).eq(elements.by_ref().take(front)));
            assert!(drain.by_ref().rev().take(back).eq(elements.by_ref().rev().take(back)));
            assert_eq!(drain.len(), elements.len());
            drop(drain);
            *reference = Reference::default();
        }
        operation => unreachable!("{operation:?} does not remove many"),
    }
}

fn combine_or_rebuild<H: BuildHasher + Clone + Default>(
    operation: Operation,
    set: &mut SortedSet<u16, i32, H>,
    reference: &mut Reference,
    mut score: impl FnMut(i32) -> i32,
) {
    let mut scored = |elements: Vec<(u16, i32)>| -> Vec<(u16, i32)> {
        elements.into_iter().map(|(member, raw)| (member, score(raw))).collect()
    };
    match operation {
        Operation::Append(elements) => {
            let elements = scored(elements);
            let mut other: SortedSet<_, _, H> = elements.iter().copied().collect();
            set.append(&mut other);
            other.check();
            assert!(other.is_empty());
            reference.extend(elements);
        }
        Operation::Extend(elements) => {
            let elements = scored(elements);
            set.extend(elements.iter().copied());
            reference.extend(elements);
        }
        Operation::Union(elements) => {
            let other: Reference = scored(elements).into_iter().collect();
            *set = set
                .union_with(&other.elements().into_iter().collect::<SortedSet<_, _>>(), i32::max);
            for (member, score) in other.elements() {
                let score = reference.score(member).map_or(score, |own| own.max(score));
                reference.insert(member, score);
            }
        }
        Operation::Intersection(elements) => {
            let other: Reference = scored(elements).into_iter().collect();
            let others: SortedSet<_, _> = other.elements().into_iter().collect();
            // An asymmetric function, to detect swapped arguments.
            *set = set.intersection_with(&others, |own, others| own ^ others.rotate_left(1));
            let both = reference.matching(|member, _| other.score(member).is_some());
            *reference = Reference::default();
            for (member, own) in both {
                reference.insert(member, own ^ other.score(member).unwrap().rotate_left(1));
            }
        }
        Operation::Reserve(additional) => assert_eq!(set.try_reserve(additional), Ok(())),
        Operation::ShrinkToFit => set.shrink_to_fit(),
        Operation::Clone => {
            let clone = set.clone();
            assert_eq!(clone, *set);
            *set = clone;
        }
        Operation::BuildFromSorted => {
            let elements = std::mem::take(set).into_iter();
            *set = SortedSet::from_sorted_iter(elements).expect("a set's own elements are sorted");
        }
        operation => unreachable!("{operation:?} is handled elsewhere"),
    }
}
