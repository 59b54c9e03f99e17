//! Tests inverted, empty and out-of-bounds ranges. They yield empty views and counts of 0, remove
//! nothing, and do not panic.

use std::ops::Bound::{Excluded, Included, Unbounded};
use zset_core::SortedSet;

use crate::LEAF;

const LEN: usize = LEAF * if cfg!(miri) { 1 } else { 2 } + LEAF / 2;

/// Creates a set of even scores, so there are gaps between them.
fn sample() -> SortedSet<usize, usize> {
    (0..LEN).map(|i| (i, 2 * i)).collect()
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn empty_score_ranges() {
    let mut set = sample();
    let (first, last) = (0, 2 * (LEN - 1));
    let middle = 2 * LEAF; // the score at the start of the second leaf
    let inverted = [
        (Included(last), Included(first)),
        (Included(middle + 2), Excluded(middle)),
        (Excluded(middle), Excluded(middle)),
        (Excluded(middle), Included(middle)),
        (Included(middle), Excluded(middle)),
        (Included(middle + 1), Included(middle + 1)),
        (Excluded(middle), Excluded(middle + 2)),
        (Excluded(last), Unbounded),
        (Unbounded, Excluded(first)),
        (Included(usize::MAX), Included(0)),
    ];
    for range in inverted {
        assert_eq!(set.range_by_score(range).len(), 0, "{range:?}");
        assert_eq!(set.range_by_score(range).next(), None, "{range:?}");
        assert_eq!(set.range_by_score(range).next_back(), None, "{range:?}");
        assert_eq!(set.count_by_score(range), 0, "{range:?}");
        assert_eq!(set.remove_range_by_score(range), 0, "{range:?}");
    }
    set.check();
    assert_eq!(set, sample());
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn empty_rank_ranges() {
    let mut set = sample();
    let inverted = [
        (Included(LEN), Unbounded),
        (Included(usize::MAX), Included(usize::MAX)),
        (Excluded(usize::MAX), Unbounded),
        (Excluded(LEN - 1), Unbounded),
        (Included(LEAF), Excluded(LEAF)),
        (Excluded(LEAF), Included(LEAF)),
        (Included(LEAF + 1), Included(LEAF)),
        (Included(LEAF + 20), Excluded(3)),
        (Unbounded, Excluded(0)),
    ];
    for range in inverted {
        assert_eq!(set.range_by_rank(range).len(), 0, "{range:?}");
        assert_eq!(set.range_by_rank(range).next(), None, "{range:?}");
        assert_eq!(set.range_by_rank(range).next_back(), None, "{range:?}");
        assert_eq!(set.remove_range_by_rank(range), 0, "{range:?}");
    }
    set.check();
    assert_eq!(set, sample());
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn rank_ranges_reach_the_last_element_with_every_kind_of_bound() {
    let set = sample();
    let all = set.range_by_rank(0..=usize::MAX);
    assert_eq!(all.len(), LEN);
    assert_eq!(set.range_by_rank((Excluded(LEN - 2), Included(usize::MAX))).len(), 1);
    assert_eq!(set.range_by_rank(..2 * LEN).len(), LEN);
}

#[test]
fn empty_member_ranges() {
    let words = ["ant", "bee", "cat", "cow", "dog"];
    let set: SortedSet<String, i32> = words.map(|word| (word.to_string(), 0)).into();
    let inverted = [
        (Included("cow"), Included("cat")),
        (Excluded("cat"), Excluded("cow")),
        (Included("bee"), Excluded("bee")),
        (Excluded("dog"), Unbounded),
        (Unbounded, Excluded("ant")),
    ];
    for range in inverted {
        assert_eq!(set.range_by_member::<_, str>(&0, range).len(), 0, "{range:?}");
        assert_eq!(set.range_by_member::<_, str>(&0, range).next_back(), None, "{range:?}");
    }
    assert_eq!(set.range_by_member::<_, str>(&-1, ..).len(), 0);
    assert_eq!(set.range_by_member::<_, str>(&1, ..).len(), 0);
    assert_eq!(set.range_by_member(&0, "b".."c").len(), 1);
}

#[test]
fn every_range_of_an_empty_set_is_empty() {
    let mut emptied = sample();
    emptied.remove_range_by_rank(..);
    for mut set in [SortedSet::new(), emptied] {
        assert_eq!((set.first(), set.last(), set.get_by_rank(0)), (None, None, None));
        assert_eq!((set.pop_first(), set.pop_last()), (None, None));
        assert_eq!((set.score(&1), set.rank(&1), set.rev_rank(&1)), (None, None, None));
        assert_eq!((set.remove(&1), set.remove_entry(&1)), (None, None));
        assert_eq!(set.update(&1, |_| unreachable!("the member is absent")), None);
        assert_eq!(set.range_by_score(..).len() + set.range_by_rank(..).len(), 0);
        assert_eq!(set.range_by_member::<_, usize>(&0, ..).len(), 0);
        assert_eq!((set.remove_range_by_score(..), set.remove_range_by_rank(..)), (0, 0));
        assert_eq!((set.iter().len(), set.clone().into_iter().len()), (0, 0));
        assert_eq!(set.drain().len(), 0);
        assert_eq!(set.extract_if(|_, _| true).next(), None);
        set.check();
    }
}
