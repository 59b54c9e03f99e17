//! The skip list alone, compared with a sorted vector. Elements may repeat.

use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::{Bound, RangeBounds};
use test_support::Bounds;
use test_support::sorted_set::Query;
use test_support::strategy::any_bounds;
use zset_core::SkipList;

use crate::operations::any_query;

/// There are few members and scores, so many elements repeat.
#[derive(Clone, Debug)]
enum Operation {
    Insert(u8, i32),
    TryInsert(u8, i32),
    InsertRun { member: u8, score: i32, len: usize, step: i32 },
    Append { split: usize },
    Remove(u8, i32),
    PopFirst,
    PopLast,
    RemoveRangeByScore(Bounds<i32>),
    RemoveRangeByRank(Bounds<usize>),
    RemoveRangeByMember(i32, Bounds<u8>),
    RemoveRange(Bounds<(i32, u8)>),
    DrainRange(Bounds<(i32, u8)>),
    Retain(u8),
    ExtractIf { first: usize, divisor: i32 },
    Clear,
    ShrinkToFit,
    Rebuild,
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let element = || (0..4u8, -4..4i32);
    prop_oneof![
        8 => element().prop_map(|(m, s)| Operation::Insert(m, s)),
        2 => element().prop_map(|(m, s)| Operation::TryInsert(m, s)),
        4 => (element(), 1..150usize, -1..2i32)
            .prop_map(|((member, score), len, step)| {
                Operation::InsertRun { member, score, len, step }
            }),
        1 => (0..400usize).prop_map(|split| Operation::Append { split }),
        6 => element().prop_map(|(m, s)| Operation::Remove(m, s)),
        3 => Just(Operation::PopFirst),
        3 => Just(Operation::PopLast),
        1 => any_query().prop_map(|query| Operation::RemoveRangeByScore(query.scores)),
        1 => any_query().prop_map(|query| Operation::RemoveRangeByRank(query.ranks)),
        1 => (-4..4i32, any_bounds(0..4u8))
            .prop_map(|(score, members)| Operation::RemoveRangeByMember(score, members)),
        1 => any_bounds((-4..4i32, 0..4u8)).prop_map(Operation::RemoveRange),
        1 => any_bounds((-4..4i32, 0..4u8)).prop_map(Operation::DrainRange),
        1 => (0..4u8).prop_map(Operation::Retain),
        1 => (0..20usize, 1..4i32)
            .prop_map(|(first, divisor)| Operation::ExtractIf { first, divisor }),
        1 => Just(Operation::Clear),
        1 => Just(Operation::ShrinkToFit),
        1 => Just(Operation::Rebuild),
    ]
}

/// Elements as `(score, member)`, so their derived order is that of the list.
#[derive(Default)]
struct Sorted(Vec<(i32, u8)>);

impl Sorted {
    fn insert(&mut self, member: u8, score: i32) {
        let place = self.0.partition_point(|element| *element <= (score, member));
        self.0.insert(place, (score, member));
    }

    fn find(&self, member: u8, score: i32) -> Option<usize> {
        self.0.iter().position(|element| *element == (score, member))
    }
}

/// Borrows the scores and the members of bounds.
fn as_pairs((start, end): &Bounds<(i32, u8)>) -> Bounds<(&i32, &u8)> {
    fn as_pair(bound: &Bound<(i32, u8)>) -> Bound<(&i32, &u8)> {
        bound.as_ref().map(|(score, member)| (score, member))
    }
    (as_pair(start), as_pair(end))
}

fn apply(operation: &Operation, list: &mut SkipList<u8, i32>, sorted: &mut Sorted) {
    match *operation {
        Operation::Insert(member, score) => {
            list.insert(member, score);
            sorted.insert(member, score);
        }
        Operation::TryInsert(member, score) => {
            list.try_insert(member, score).unwrap();
            sorted.insert(member, score);
        }
        Operation::InsertRun { member, score, len, step } => {
            let scores = (0..).map(|i| score + i / 5 * step).take(len);
            list.extend(scores.clone().map(|score| (member, score)));
            scores.for_each(|score| sorted.insert(member, score));
        }
        Operation::Append { split } => {
            let mut lower = list.split_off_by_rank(split);
            std::mem::swap(list, &mut lower);
            list.append(&mut lower);
            lower.check();
            assert!(lower.is_empty());
        }
        Operation::Remove(member, score) => {
            let place = sorted.find(member, score);
            assert_eq!(list.contains(&member, &score), place.is_some());
            let removed = list.remove(&member, &score);
            assert_eq!(removed, place.map(|_| (member, score)));
            place.map(|place| sorted.0.remove(place));
        }
        Operation::PopFirst => {
            let lowest = (!sorted.0.is_empty()).then(|| sorted.0.remove(0));
            assert_eq!(list.pop_first(), lowest.map(|(score, member)| (member, score)));
        }
        Operation::PopLast => {
            let highest = sorted.0.pop();
            assert_eq!(list.pop_last(), highest.map(|(score, member)| (member, score)));
        }
        Operation::RemoveRangeByScore(range) => {
            let before = sorted.0.len();
            sorted.0.retain(|element| !range.contains(&element.0));
            assert_eq!(list.remove_range_by_score(range), before - sorted.0.len());
        }
        Operation::RemoveRangeByRank(range) => {
            let (before, mut ranks) = (sorted.0.len(), 0..);
            sorted.0.retain(|_| !ranks.next().is_some_and(|rank| range.contains(&rank)));
            assert_eq!(list.remove_range_by_rank(range), before - sorted.0.len());
        }
        Operation::RemoveRangeByMember(score, members) => {
            let before = sorted.0.len();
            sorted.0.retain(|element| element.0 != score || !members.contains(&element.1));
            let (start, end) = (members.0.as_ref(), members.1.as_ref());
            let removed = list.remove_range_by_member(&score, (start, end));
            assert_eq!(removed, before - sorted.0.len());
        }
        Operation::RemoveRange(range) => {
            let before = sorted.0.len();
            sorted.0.retain(|element| !range.contains(element));
            assert_eq!(list.remove_range(as_pairs(&range)), before - sorted.0.len());
        }
        Operation::DrainRange(range) => {
            let (expected, others) =
                sorted.0.drain(..).partition::<Vec<_>, _>(|element| range.contains(element));
            sorted.0 = others;
            let drained = list.drain_range(as_pairs(&range));
            assert!(drained.map(|(member, score)| (score, member)).eq(expected));
        }
        Operation::Retain(member) => {
            list.retain(|other, _| *other != member);
            sorted.0.retain(|(_, other)| *other != member);
        }
        // The iterator is dropped after the first elements.
        Operation::ExtractIf { first, divisor } => {
            let extracted = list.extract_if(|_, score| score % divisor == 0).take(first);
            let extracted: Vec<_> = extracted.map(|(member, score)| (score, member)).collect();
            let mut left = first;
            let is_next = |(score, _): &(i32, u8)| {
                let is_next = left > 0 && score % divisor == 0;
                left -= usize::from(is_next);
                is_next
            };
            let (expected, others) = sorted.0.drain(..).partition::<Vec<_>, _>(is_next);
            sorted.0 = others;
            assert_eq!(extracted, expected);
        }
        Operation::Clear => {
            list.clear();
            sorted.0.clear();
        }
        Operation::ShrinkToFit => list.shrink_to_fit(),
        Operation::Rebuild => {
            let clone = list.clone();
            assert_eq!(clone, *list);
            let mut rebuilt: SkipList<u8, i32> = clone.into_iter().rev().collect();
            std::mem::swap(list, &mut rebuilt);
            assert_eq!(rebuilt, *list);
        }
    }
}

fn compare(list: &SkipList<u8, i32>, sorted: &Sorted, query: &Query) {
    let elements: Vec<_> = sorted.0.iter().map(|&(score, member)| (member, score)).collect();
    let owned = |(member, score): (&u8, &i32)| (*member, *score);
    assert!(list.iter().map(owned).eq(elements.iter().copied()));
    assert_eq!((list.len(), list.is_empty()), (elements.len(), elements.is_empty()));
    assert_eq!(list.first().map(owned), elements.first().copied());
    assert_eq!(list.last().map(owned), elements.last().copied());
    for (rank, element) in elements.iter().enumerate().step_by(if cfg!(miri) { 31 } else { 7 }) {
        assert_eq!(list.get_by_rank(rank).map(owned), Some(*element));
    }

    let member = (query.member % 4) as u8;
    for score in -5..5 {
        let place = sorted.find(member, score);
        assert_eq!(list.rank(&member, &score), place);
        assert_eq!(list.contains(&member, &score), place.is_some());
        assert_eq!(list.get(&member, &score), place.map(|_| (&member, &score)));
    }
    let Query { scores, ranks, members, .. } = query;
    let in_range: Vec<_> = elements.iter().filter(|(_, s)| scores.contains(s)).copied().collect();
    assert_eq!(list.count_by_score(*scores), in_range.len());
    assert_eq!(list.range_by_score(*scores).len(), in_range.len());
    assert!(list.range_by_score(*scores).map(owned).eq(in_range));

    let ranked = elements.iter().enumerate().filter(|(rank, _)| ranks.contains(rank));
    assert!(list.range_by_rank(*ranks).map(owned).eq(ranked.map(|(_, element)| *element)));

    let members = (members.0.map(|member| (member % 4) as u8), members.1.map(|m| (m % 4) as u8));
    let exactly = elements.iter().filter(|(m, score)| *score == 0 && members.contains(m));
    let view = list.range_by_member::<_, u8>(&0, (members.0.as_ref(), members.1.as_ref()));
    assert!(view.map(owned).eq(exactly.copied()));
}

proptest! {
    #![proptest_config(crate::config(64, 2))]

    #[test]
    fn a_list_behaves_like_a_sorted_vector(
        steps in vec((any_operation(), any_query()), 1..if cfg!(miri) { 6 } else { 100 }),
    ) {
        let (mut list, mut sorted) = (SkipList::new(), Sorted::default());
        for (operation, query) in steps {
            apply(&operation, &mut list, &mut sorted);
            list.check();
            compare(&list, &sorted, &query);
        }
    }
}

#[test]
fn equal_elements_stay_in_insertion_order() {
    /// Only the number takes part in comparisons; the tag distinguishes equal elements.
    #[derive(Clone, Copy, Debug)]
    struct Tagged(u32, u32);

    impl PartialEq for Tagged {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }
    impl Eq for Tagged {}
    impl PartialOrd for Tagged {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }
    impl Ord for Tagged {
        fn cmp(&self, other: &Self) -> std::cmp::Ordering {
            self.0.cmp(&other.0)
        }
    }

    let len = if cfg!(miri) { 50 } else { 200 };
    let mut list = SkipList::new();
    for tag in 0..len {
        list.insert(Tagged(1, tag), 0);
        list.insert(Tagged(0, tag), 0);
    }
    let tags = |number| list.iter().filter(move |(m, _)| m.0 == number).map(|(m, _)| m.1);
    assert!(tags(0).eq(0..len) && tags(1).eq(0..len));
    assert_eq!(list.rank(&Tagged(1, 7), &0), Some(len as usize), "the first of the equal elements");
    assert_eq!(list.get(&Tagged(1, 7), &0).map(|(member, _)| member.1), Some(0));
    assert_eq!(list.remove(&Tagged(1, 7), &0).map(|(member, _)| member.1), Some(0));
}
