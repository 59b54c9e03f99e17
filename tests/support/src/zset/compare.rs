//! Compares a set with the reference through every read method.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::collections::HashSet;
use std::ops::Bound;
use zset_core::{Encoding, ListpackLimits, Member, Score, ZSet};

use super::{Element, LexBounds, Query, Reference, Subject, score};
use crate::Bounds;

/// Converts an element to its form in the reference.
pub fn plain((member, score): (Member<'_>, Score)) -> Element {
    (member.to_vec(), score.get())
}

/// Converts a range of members to an argument of the range methods.
pub(super) fn lex((start, end): &Bounds<Vec<u8>>) -> LexBounds<'_> {
    (start.as_ref().map(Vec::as_slice), end.as_ref().map(Vec::as_slice))
}

pub(super) fn compare_all<S: Subject>(subject: &S, reference: &Reference) {
    subject.check();
    let sorted = reference.sorted();
    let elements: Vec<Element> = subject.iter().map(plain).collect();
    assert_eq!(elements, sorted);
    assert!(elements.iter().all(|(_, score)| score.to_bits() != (-0.0_f64).to_bits()));
    assert!(subject.iter().rev().map(plain).eq(sorted.iter().rev().cloned()));
    assert_eq!((subject.len(), subject.is_empty()), (sorted.len(), sorted.is_empty()));
    assert_eq!(subject.first().map(plain).as_ref(), sorted.first());
    assert_eq!(subject.last().map(plain).as_ref(), sorted.last());
    for rank in [sorted.len(), usize::MAX / 2 + 1, usize::MAX] {
        assert!(subject.get_by_rank(rank).is_none());
    }
    // Compares all elements of small sets by rank and by member, and samples of large ones.
    let step = if cfg!(miri) { 7 } else { 1 + sorted.len() / 16 };
    for (rank, (member, number)) in sorted.iter().enumerate().step_by(step) {
        assert_eq!(subject.get_by_rank(rank).map(plain).as_ref(), Some(&sorted[rank]));
        assert_eq!(subject.rank(member), Some(rank));
        assert_eq!(subject.rev_rank(member), Some(sorted.len() - 1 - rank));
        assert_eq!(subject.score(member), Some(score(*number)));
        assert!(subject.contains(member));
    }
}

pub(super) fn compare_query<S: Subject>(subject: &S, reference: &Reference, query: &Query) {
    let Query { member, ranks, scores, members, ends, .. } = query;
    let place = reference.sorted().iter().position(|(other, _)| other == member);
    assert_eq!(subject.rank(member), place);
    assert_eq!(subject.rev_rank(member), place.map(|rank| reference.len() - 1 - rank));
    assert_eq!(subject.score(member), reference.score(member).map(score));
    assert_eq!(subject.contains(member), place.is_some());

    drive(subject.iter(), &reference.sorted(), *ends);
    drive(subject.range_by_rank(*ranks), &reference.by_rank(ranks), *ends);
    let expected = reference.by_score(scores);
    let scores = (scores.0.map(score), scores.1.map(score));
    drive(subject.range_by_score(scores), &expected, *ends);
    assert_eq!(subject.count_by_score(scores), expected.len());

    let members = lex(members);
    let exactly = reference.score(member).map_or(Score::from(1), score);
    let mut among = reference.by_lex(&query.members);
    among.retain(|(_, number)| score(*number) == exactly);
    drive(subject.range_by_member(exactly, members), &among, *ends);
    if reference.is_level() {
        let expected = reference.by_lex(&query.members);
        drive(subject.range_by_lex(members), &expected, *ends);
        assert_eq!(subject.count_by_lex(members), expected.len());
    } else {
        let some: Vec<Element> = subject.range_by_lex(members).map(plain).collect();
        drive(subject.range_by_lex(members), &some, *ends);
        assert_eq!(subject.count_by_lex(members), some.len());
    }
    let all = (Bound::Unbounded, Bound::Unbounded);
    assert!(subject.range_by_lex(all).eq(subject.iter()));
    assert_eq!(subject.count_by_lex(all), reference.len());
}

/// Consumes a view from both ends, with an exact length at each step.
pub fn drive<'a, I>(mut view: I, mut expected: &[Element], ends: u64)
where
    I: DoubleEndedIterator<Item = (Member<'a>, Score)> + ExactSizeIterator + Clone,
{
    assert_eq!(view.clone().count(), expected.len());
    assert_eq!(view.clone().last().map(plain).as_ref(), expected.last());
    for n in [0, 1, expected.len() / 2, expected.len(), expected.len() + 1] {
        assert_eq!(view.clone().nth(n).map(plain).as_ref(), expected.get(n));
        assert_eq!(view.clone().nth_back(n).map(plain).as_ref(), expected.iter().nth_back(n));
    }
    for step in 0.. {
        assert_eq!(view.len(), expected.len());
        assert_eq!(view.size_hint(), (expected.len(), Some(expected.len())));
        if step % 16 == 5 {
            // `for_each` calls `fold`, which the iterator implements with a separate loop.
            let mut rest = Vec::new();
            view.clone().for_each(|element| rest.push(plain(element)));
            assert_eq!(rest, expected);
            let mut rest = Vec::new();
            view.clone().rev().for_each(|element| rest.push(plain(element)));
            assert!(rest.iter().rev().eq(expected));
        }
        let front = ends.rotate_right(step) & 1 == 0;
        let (given, wanted) = if front {
            (view.next(), expected.first())
        } else {
            (view.next_back(), expected.last())
        };
        assert_eq!(given.map(plain).as_ref(), wanted);
        expected = match expected {
            [] => break,
            [_, behind @ ..] if front => behind,
            [before @ .., _] => before,
        };
    }
    assert_eq!((view.next(), view.next_back()), (None, None), "the iterator is fused");
}

/// Compares the methods that only a `ZSet` has.
pub(super) fn compare_zset(set: &ZSet, reference: &Reference, query: &Query) {
    assert_eq!(set.limits(), reference.limits);
    let mut promoted = set.clone();
    promoted.promote();
    assert_eq!(promoted.encoding(), Encoding::Skiplist);
    compare_all(&promoted, reference);
    assert_eq!(promoted, *set);
    if reference.encoding == Encoding::Listpack && !cfg!(miri) {
        compare_query(&promoted, reference, query);
    }

    let sorted = reference.sorted();
    let asked = [&query.member[..], b"10", b"", b"absent"];
    let scores = asked.map(|member| reference.score(member).map(score));
    assert!(set.scores(&asked).eq(scores));

    let wanted = usize::try_from(query.count.unsigned_abs()).unwrap_or(usize::MAX);
    let mut rng = SmallRng::seed_from_u64(query.ends);
    let drawn: Vec<Element> = set.sample(&mut rng, wanted).map(plain).collect();
    assert!(drawn.iter().all(|(m, number)| reference.score(m) == Some(*number)));
    assert_eq!(drawn.len(), wanted.min(sorted.len()));
    assert_eq!(drawn.iter().map(|(m, _)| m).collect::<HashSet<_>>().len(), drawn.len());
    let drawn: Vec<Element> =
        set.sample_with_replacement(&mut rng, wanted.min(500)).map(plain).collect();
    assert!(drawn.iter().all(|(m, number)| reference.score(m) == Some(*number)));
    assert_eq!(drawn.len(), if sorted.is_empty() { 0 } else { wanted.min(500) });

    // `scan` accepts any number as a cursor.
    set.scan(query.ends, wanted.min(500));

    // Scans the whole set. Each page has a larger count than the one before, unless `wanted` is 0.
    let (mut scanned, mut pages): (Vec<Element>, _) = (Vec::new(), 0);
    let mut cursor = 0;
    loop {
        let (next, page) = set.scan(cursor, wanted.saturating_mul(1 + pages));
        scanned.extend(page.into_iter().map(plain));
        pages += 1;
        if next == 0 {
            break;
        }
        cursor = next;
    }
    assert!(pages <= 1 + sorted.len());
    assert_eq!(scanned.len(), sorted.len(), "each member exactly once");
    assert_eq!(Reference::of(scanned, ListpackLimits::default()).sorted(), sorted);
}
