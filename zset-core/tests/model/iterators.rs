//! Tests iterators by taking elements from both ends in random order. The reported length must be
//! exact at every step.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::RangeBounds;
use zset_core::{FixedSortedSet, SkipList, SortedSet};

use crate::LEAF;

/// Enough elements for several leaves. Runs of equal scores cross leaf boundaries.
const LEN: u32 = LEAF as u32 * if cfg!(miri) { 1 } else { 3 } + 20;

fn elements() -> Vec<(u32, u32)> {
    (0..LEN).map(|i| (i, i / 40)).collect()
}

fn sample() -> SortedSet<u32, u32> {
    elements().into_iter().collect()
}

/// Consumes an iterator in several random orders of `next` and `next_back`.
fn drive<I>(make: impl Fn() -> I, expected: &[I::Item])
where
    I: DoubleEndedIterator + ExactSizeIterator,
    I::Item: PartialEq + Debug + Clone,
{
    let rounds = if cfg!(miri) { 1 } else { 8 };
    for seed in 0..rounds {
        let mut random = SmallRng::seed_from_u64(seed);
        // The share of steps from the front grows with the seed, from none to all.
        let from_front = f64::from(u32::try_from(seed).unwrap()) / 7.0;
        let mut left: VecDeque<I::Item> = expected.iter().cloned().collect();
        let mut iterator = make();
        loop {
            assert_eq!(iterator.len(), left.len());
            assert_eq!(iterator.size_hint(), (left.len(), Some(left.len())));
            let front = random.random_bool(if rounds == 1 { 0.5 } else { from_front });
            let (given, expected) = if front {
                (iterator.next(), left.pop_front())
            } else {
                (iterator.next_back(), left.pop_back())
            };
            assert_eq!(given, expected);
            if given.is_none() {
                break;
            }
        }
        assert_eq!((iterator.next(), iterator.next_back()), (None, None), "the iterator is fused");

        // `for_each` calls `fold`, which the iterator implements with a separate loop.
        let start = random.random_range(0..=expected.len());
        let end = random.random_range(start..=expected.len());
        let mut iterator = make();
        iterator.by_ref().take(start).for_each(drop);
        (end..expected.len()).for_each(|_| drop(iterator.next_back()));
        let mut rest = Vec::new();
        iterator.for_each(|element| rest.push(element));
        assert_eq!(rest, &expected[start..end]);
    }
    assert_eq!(make().last(), expected.last().cloned());
    assert_eq!(make().count(), expected.len());
}

/// Drives a view of a set and verifies that it returns the expected elements.
fn drive_view<'a, I>(make: impl Fn() -> I, expected: impl IntoIterator<Item = (u32, u32)>)
where
    I: DoubleEndedIterator<Item = (&'a u32, &'a u32)> + ExactSizeIterator,
{
    let expected: Vec<_> = expected.into_iter().collect();
    drive(|| make().map(|(member, score)| (*member, *score)), &expected);
    leap(make, &expected);
}

/// Calls `nth` and `nth_back` on a view, within a leaf and across leaves.
fn leap<'a, I>(make: impl Fn() -> I, expected: &[(u32, u32)])
where
    I: DoubleEndedIterator<Item = (&'a u32, &'a u32)> + ExactSizeIterator,
{
    let plain = |(member, score): (&u32, &u32)| (*member, *score);
    assert_eq!(make().last().map(plain), expected.last().copied());
    for seed in 0..if cfg!(miri) { 1 } else { 16 } {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut left: VecDeque<_> = expected.iter().copied().collect();
        let mut view = make();
        while !left.is_empty() {
            let most = if random.random_bool(0.8) { 5 } else { left.len() + 1 };
            let n = random.random_range(0..=most);
            let skipped = n.min(left.len());
            let (given, wanted) = if random.random_bool(0.5) {
                left.drain(..skipped);
                (view.nth(n), left.pop_front())
            } else {
                left.truncate(left.len() - skipped);
                (view.nth_back(n), left.pop_back())
            };
            assert_eq!(given.map(plain), wanted);
            assert_eq!(view.len(), left.len());
            // Single steps continue where `nth` or `nth_back` ended.
            assert_eq!(view.next().map(plain), left.pop_front());
            assert_eq!(view.next_back().map(plain), left.pop_back());
        }
        assert_eq!((view.nth(1), view.nth_back(1)), (None, None), "the iterator is fused");
    }
}

#[test]
fn all_elements() {
    let set = sample();
    drive_view(|| set.iter(), elements());
    drive_view(|| (&set).into_iter(), elements());
    let empty = SortedSet::<u32, u32>::new();
    drive_view(|| empty.iter(), []);
    let list: SkipList<_, _> = elements().into_iter().collect();
    drive_view(|| list.iter(), elements());
    let mut fixed = FixedSortedSet::<_, _, { LEN as usize }>::new();
    for (member, score) in elements() {
        fixed.try_insert(member, score).unwrap();
    }
    drive_view(|| fixed.iter(), elements());
    drive(|| fixed.clone().into_iter(), &elements());
}

fn contains(range: (Bound<u32>, Bound<u32>), score: u32) -> bool {
    range.contains(&score)
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_score_range_with_every_kind_of_bound() {
    let set = sample();
    for low in [Unbounded, Included(1), Excluded(1), Excluded(9)] {
        for high in [Unbounded, Included(3), Excluded(3), Excluded(0)] {
            let range = (low, high);
            let expected = elements().into_iter().filter(|&(_, score)| contains(range, score));
            drive_view(|| set.range_by_score(range), expected);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_rank_range_that_starts_and_ends_at_and_inside_leaves() {
    let set = SortedSet::<_, _>::from_sorted_iter(elements()).unwrap();
    let places = [0, 1, LEAF - 1, LEAF, LEAF + 1, 2 * LEAF, LEN as usize, usize::MAX];
    for from in places {
        for to in places {
            let range = from.min(LEN as usize)..to.min(LEN as usize);
            let expected = elements().get(range).unwrap_or_default().to_vec();
            drive_view(|| set.range_by_rank(from..to), expected);
        }
    }
}

/// The ranks of a score range are computed only on demand.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_score_range_that_starts_and_ends_at_and_inside_leaves() {
    let set = SortedSet::<_, _>::from_sorted_iter((0..LEN).map(|i| (i, i))).unwrap();
    let leaf = LEAF as u32;
    let places = [0, leaf - 1, leaf, leaf + 1, 2 * leaf, LEN];
    for from in places {
        for to in places {
            let expected = |range| (0..LEN).filter(move |&i| contains(range, i)).map(|i| (i, i));
            for range in [(Included(from), Excluded(to)), (Excluded(from), Included(to))] {
                drive_view(|| set.range_by_score(range), expected(range));
            }
            drive_view(|| set.range_by_score(from..), expected((Included(from), Unbounded)));
        }
    }
}

#[test]
fn both_ends_may_meet_anywhere() {
    let set = SortedSet::<_, _>::from_sorted_iter(elements()).unwrap();
    let positions = if cfg!(miri) { LEAF - 2..LEAF + 3 } else { 0..LEN as usize + 1 };
    for position in positions {
        for mut view in [set.iter(), set.range_by_score(..), set.range_by_score(..=LEN)] {
            let front: Vec<_> = view.by_ref().take(position).collect();
            let back: Vec<_> = view.by_ref().rev().collect();
            assert!(front.into_iter().chain(back.into_iter().rev()).eq(&set));
            assert_eq!((view.next(), view.next_back(), view.len()), (None, None, 0));
        }
    }
}

/// `fold` visits a leaf in slot order if that is its sorted order. These leaves are filled in
/// order, in reverse, at random, and in order except for one element.
#[test]
fn fold_visits_leaves_filled_in_any_order() {
    let in_order: Vec<u32> = (0..LEN).collect();
    let reversed = in_order.iter().rev().copied().collect();
    let scattered = in_order.iter().map(|i| i * 5 % LEN).collect();
    let mut one_moved = in_order.clone();
    one_moved.rotate_left(1);
    one_moved.swap(30, 31);
    for order in [in_order, reversed, scattered, one_moved] {
        let mut set = SortedSet::new();
        for &i in &order {
            set.insert(i, i);
        }
        set.check();
        for start in (0..LEN).step_by(if cfg!(miri) { 31 } else { 3 }) {
            for len in [0, 1, 2, 10, 63, 64, 65, LEN] {
                let end = (start + len).min(LEN);
                let range = set.range_by_score(start..end);
                let folded = range.fold(Vec::new(), |mut elements, (&member, &score)| {
                    elements.push((member, score));
                    elements
                });
                assert!(folded.into_iter().eq((start..end).map(|i| (i, i))), "{start}..{end}");
            }
        }
    }
}

#[test]
fn a_member_range_among_equal_scores() {
    let elements: Vec<(u32, u32)> = (0..LEN).map(|i| (i, 5)).collect();
    let mut set: SortedSet<_, _> = elements.iter().copied().collect();
    set.extend([(1000, 4), (1001, 6)]);
    drive_view(|| set.range_by_member::<_, u32>(&5, ..), elements.clone());
    drive_view(|| set.range_by_member(&5, &10..&80), elements[10..80].to_vec());
    drive_view(|| set.range_by_member(&5, &10..=&80), elements[10..=80].to_vec());
    let above = (Excluded(&10), Unbounded);
    drive_view(|| set.range_by_member::<_, u32>(&5, above), elements[11..].to_vec());
    drive_view(|| set.range_by_member(&5, &80..&10), []);
    drive_view(|| set.range_by_member(&4, &0..), [(1000, 4)]);
    drive_view(|| set.range_by_member::<_, u32>(&7, ..), []);
}

#[test]
fn all_elements_by_value() {
    let set = sample();
    drive(|| set.clone().into_iter(), &elements());
    let list: SkipList<_, _> = elements().into_iter().collect();
    drive(|| list.clone().into_iter(), &elements());
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn extract_if_has_a_size_hint() {
    let mut set = sample();
    let mut extract = set.extract_if(|_, _| true);
    assert_eq!(extract.size_hint(), (0, Some(LEN as usize)));
    extract.next();
    assert_eq!(extract.size_hint(), (0, Some(LEN as usize - 1)));
    assert_eq!(extract.by_ref().count(), LEN as usize - 1);
    assert_eq!(extract.next(), None, "the iterator is fused");
}

#[test]
fn a_cloned_iterator_continues_from_the_same_position() {
    let set = sample();
    let mut iterator = set.iter();
    iterator.by_ref().take(LEAF + 3).for_each(drop);
    iterator.nth_back(7);
    let clone = iterator.clone();
    assert!(clone.eq(iterator));
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_difference_is_double_ended() {
    let set = sample();
    let others: SortedSet<u32, ()> = (0..LEN).filter(|i| i % 3 == 0).map(|i| (i, ())).collect();
    let expected: Vec<_> = elements().into_iter().filter(|(member, _)| member % 3 != 0).collect();
    let difference = set.difference(&others);
    let (low, high) = difference.size_hint();
    assert!(low <= expected.len() && high.is_some_and(|high| high >= expected.len()));
    assert!(difference.clone().map(|(m, s)| (*m, *s)).eq(expected.iter().copied()));
    assert!(difference.rev().map(|(m, s)| (*m, *s)).eq(expected.iter().rev().copied()));
}

/// Members are looked up in batches of 16 from either end, until the batches meet.
#[test]
fn scores_are_read_from_both_ends() {
    let set = sample();
    for len in [0, 1, 15, 16, 17, 33, 40] {
        let asked: Vec<u32> = (0..len).map(|i| i * 7 % (LEN + 20)).collect();
        let expected: Vec<_> = asked.iter().map(|member| set.score(member)).collect();
        drive(|| set.scores(&asked), &expected);
    }
    let unknown = [3, LEN, 5].iter().filter(|member| **member < LEN);
    assert!(set.scores(unknown).rev().eq([set.score(&5), set.score(&3)]));
}
