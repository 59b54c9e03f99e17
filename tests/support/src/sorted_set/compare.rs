//! Compares a set with the reference.

use std::hash::BuildHasher;
use std::ops::{Bound, RangeBounds};
use zset_core::SortedSet;

use super::{Query, Reference};
use crate::Bounds;

pub(super) fn compare_all<H: BuildHasher>(set: &SortedSet<u16, i32, H>, reference: &Reference) {
    let elements = reference.elements();
    assert!(set.iter().eq(elements.iter().map(|(member, score)| (member, score))));
    assert_eq!((set.len(), set.is_empty()), (elements.len(), elements.is_empty()));
    let owned = |element: Option<(&u16, &i32)>| element.map(|(&member, &score)| (member, score));
    assert_eq!(owned(set.first()), elements.first().copied());
    assert_eq!(owned(set.last()), elements.last().copied());
    assert_eq!(set.get_by_rank(elements.len()), None);
    // Compares all elements by rank and by member. Under Miri, compares only some of them.
    for (rank, (member, score)) in elements.iter().enumerate().step_by(step_of_miri()) {
        assert_eq!(set.get_by_rank(rank), Some((member, score)));
        assert_eq!(set.rank(member), Some(rank));
        assert_eq!(set.rev_rank(member), Some(elements.len() - 1 - rank));
        assert_eq!(set.score(member), Some(score));
    }
}

const fn step_of_miri() -> usize {
    if cfg!(miri) { 31 } else { 1 }
}

pub(super) fn compare_query<H: BuildHasher>(
    set: &SortedSet<u16, i32, H>,
    reference: &Reference,
    query: &Query,
) {
    let Query { member, members, scores, ranks, ends } = query;
    assert_eq!(set.score(member).copied(), reference.score(*member));
    assert_eq!(set.contains(member), reference.score(*member).is_some());
    assert_eq!(set.rank(member), reference.rank(*member));

    let expected = reference.by_score(scores);
    assert_eq!(set.count_by_score(*scores), expected.len());
    assert_eq!(collect(set.range_by_score(*scores)), expected);

    assert_eq!(collect(set.range_by_rank(*ranks)), reference.by_rank(ranks));

    let exactly = reference.score(*member).unwrap_or(7);
    let expected =
        reference.matching(|member, score| score == exactly && contains(*members, member));
    let (start, end) = (members.0.as_ref(), members.1.as_ref());
    assert_eq!(collect(set.range_by_member(&exactly, (start, end))), expected);

    let start = pair(scores.0, members.0);
    let end = pair(scores.1, members.1);
    let expected = reference.matching(|member, score| (start, end).contains(&(score, member)));
    let range = (start.as_ref().map(borrowed), end.as_ref().map(borrowed));
    assert_eq!(collect(set.range(range)), expected);

    take_ends(set.iter(), &reference.elements(), *ends);
}

fn borrowed((score, member): &(i32, u16)) -> (&i32, &u16) {
    (score, member)
}

/// Combines a score bound and a member bound into a bound on elements.
fn pair(score: Bound<i32>, member: Bound<u16>) -> Bound<(i32, u16)> {
    let member = match member {
        Bound::Included(member) | Bound::Excluded(member) => member,
        Bound::Unbounded => 0,
    };
    score.map(|score| (score, member))
}

/// Takes all elements of an iterator. Each bit of `ends` selects the end from which one step takes.
fn take_ends<'a>(
    mut iter: impl DoubleEndedIterator<Item = (&'a u16, &'a i32)> + ExactSizeIterator,
    elements: &'a [(u16, i32)],
    ends: u64,
) {
    let mut expected = elements.iter().map(|(member, score)| (member, score));
    for bit in (0..64).cycle().take(elements.len() + 1) {
        assert_eq!(iter.len(), expected.len());
        if ends >> bit & 1 == 0 {
            assert_eq!(iter.next(), expected.next());
        } else {
            assert_eq!(iter.next_back(), expected.next_back());
        }
    }
}

fn contains(members: Bounds<u16>, member: u16) -> bool {
    members.contains(&member)
}

/// Collects a view, and verifies its length.
fn collect<'a>(view: impl ExactSizeIterator<Item = (&'a u16, &'a i32)>) -> Vec<(u16, i32)> {
    let len = view.len();
    let elements: Vec<_> = view.map(|(&member, &score)| (member, score)).collect();
    assert_eq!(len, elements.len());
    elements
}
