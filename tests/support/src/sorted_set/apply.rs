//! Applies each operation to a set and to the reference.

use std::hash::BuildHasher;
use zset_core::sorted_set::Entry;
use zset_core::{ScoreOverflow, SortedSet};

use super::{Operation, Reference};

/// Applies an operation to the set and to the reference, and compares the results. `score` maps a
/// raw number to a score.
pub(super) fn apply<H: BuildHasher + Clone + Default>(
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
        Operation::InsertRun(run) => {
            for (member, raw) in run.elements() {
                let score = score(raw);
                assert_eq!(set.insert(member, score), reference.insert(member, score));
            }
        }
        Operation::RemoveRun(run) => {
            for (member, _) in run.elements() {
                assert_eq!(set.remove(&member), reference.remove(member));
            }
        }
        Operation::Update(member, raw) => {
            let score = score(raw);
            let old = reference.score(member);
            let updated = set.update(&member, |given| {
                assert_eq!(Some(*given), old);
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
            let entry = match set.entry(member).and_modify(|old| old ^ score) {
                Entry::Occupied(entry) => entry,
                Entry::Vacant(entry) => entry.insert_entry(score),
            };
            assert_eq!((entry.member(), entry.score()), (&member, &new));
            assert_eq!(Some(entry.rank()), reference.rank(member));
        }
        Operation::RemoveEntryOrInsert(member, raw) => match set.entry(member) {
            Entry::Occupied(entry) => {
                assert_eq!(Some(entry.remove_entry().1), reference.remove(member));
            }
            Entry::Vacant(entry) => {
                let score = score(raw);
                assert_eq!(entry.insert(score), &score);
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
        | Operation::DrainByScore(_)
        | Operation::DrainByRank(_)
        | Operation::Retain(_)
        | Operation::ExtractSome { .. }
        | Operation::DrainSome { .. }
        | Operation::SplitOff { .. }) => remove_many(operation, set, reference, score),
        operation => combine_or_rebuild(operation, set, reference, score),
    }
}

fn remove_many<H: BuildHasher + Clone>(
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
        Operation::DrainByScore((start, end)) => {
            let range = (start.map(&mut score), end.map(&mut score));
            let removed = reference.by_score(&range);
            assert!(set.drain_by_score(range).eq(removed.iter().copied()));
            reference.remove_all(&removed);
        }
        Operation::DrainByRank(range) => {
            let removed = reference.by_rank(&range);
            assert!(set.drain_by_rank(range).rev().eq(removed.iter().rev().copied()));
            reference.remove_all(&removed);
        }
        Operation::Retain(divisor) => {
            let mut seen = Vec::new();
            set.retain(|&member, score| {
                seen.push((member, *score));
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
        Operation::SplitOff { rank, is_upper_kept } => {
            let (lower, upper) = (reference.by_rank(&(..rank)), reference.by_rank(&(rank..)));
            let split_off = set.split_off_by_rank(rank);
            split_off.check();
            assert!(split_off.iter().eq(upper.iter().map(|(member, score)| (member, score))));
            if is_upper_kept {
                *set = split_off;
                reference.remove_all(&lower);
            } else {
                reference.remove_all(&upper);
            }
        }
        operation => unreachable!("{operation:?} does not remove many"),
    }
}

/// Returns one of the scores. The choice is asymmetric, to detect swapped arguments.
fn combine(own: i32, others: i32) -> i32 {
    if others % 2 == 0 { own } else { others }
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
            let elements = scored(elements);
            let others: SortedSet<_, _> = elements.iter().copied().collect();
            *set = set.union_with(&others, |own, others| combine(*own, *others));
            for (member, score) in elements.into_iter().collect::<Reference>().elements() {
                let score = reference.score(member).map_or(score, |own| combine(own, score));
                reference.insert(member, score);
            }
        }
        Operation::Intersection(elements) => {
            let others: SortedSet<_, _> = scored(elements).into_iter().collect();
            *set = set.intersection_with(&others, |own, others| combine(*own, *others));
            let both = reference
                .elements()
                .into_iter()
                .filter_map(|(member, own)| Some((member, combine(own, *others.score(&member)?))));
            *reference = both.collect();
        }
        Operation::Difference(elements) => {
            let other: SortedSet<_, _> = elements.into_iter().collect();
            let expected = reference.matching(|member, _| !other.contains(&member));
            let difference = set.difference(&other);
            assert!(difference.map(|(&member, &score)| (member, score)).eq(expected));
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
