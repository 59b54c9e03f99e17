//! Tests drains, splits, removals by rank, conditional pops, and ranges that span several scores.

use std::ops::Bound::Excluded;
use zset_core::{SortedMap, SortedSet};

use crate::LEAF;

/// Returns ranks at and next to leaf and block boundaries, in the middle, and at the end of a list
/// of `len` elements.
fn notable_ranks(len: usize) -> Vec<usize> {
    if cfg!(miri) {
        return vec![1, LEAF - 1, len];
    }
    let mut ranks: Vec<usize> = [0, 1, LEAF, 2 * LEAF, LEAF * LEAF, len / 3, len / 2, len]
        .into_iter()
        .flat_map(|rank| [rank.saturating_sub(1), rank, rank + 1])
        .filter(|&rank| rank <= len)
        .collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// Returns set sizes near 0 and near the capacities of a leaf, two leaves and a full block.
fn notable_sizes() -> Vec<usize> {
    if cfg!(miri) {
        return vec![LEAF + 2];
    }
    vec![0, 1, 2, LEAF - 1, LEAF, LEAF + 1, 2 * LEAF, 2 * LEAF + 1, LEAF * LEAF, LEAF * LEAF + 1]
}

/// Creates a set in which runs of `run` members share a score. It is built either by insertions in
/// scattered order or, with full leaves, from sorted input.
fn filled(len: usize, run: usize, is_scattered: bool) -> SortedSet<usize, usize> {
    if !is_scattered {
        return SortedSet::from_sorted_iter((0..len).map(|i| (i, i / run))).unwrap();
    }
    let mut set = SortedSet::new();
    for i in 0..len {
        // 7,919 is a prime greater than every `len`, so each member is inserted once.
        let member = i * 7_919 % len;
        set.insert(member, member / run);
    }
    set
}

#[test]
fn drains_and_splits_at_leaf_and_block_boundaries() {
    for len in notable_sizes() {
        for is_scattered in [false, true] {
            let set = filled(len, 5, is_scattered);
            let ranks = notable_ranks(len);
            for &start in &ranks {
                let mut lower = set.clone();
                let upper = lower.split_off_by_rank(start);
                lower.check();
                upper.check();
                assert!(lower.iter().map(|(member, _)| *member).eq(0..start));
                assert!(upper.iter().map(|(member, _)| *member).eq(start..len));
                for &end in ranks.iter().filter(|&&end| end >= start) {
                    let mut set = set.clone();
                    let drained = set.drain_by_rank(start..end);
                    assert!(drained.map(|(member, _)| member).eq(start..end), "{start}..{end}");
                    set.check();
                    assert!(set.iter().map(|(member, _)| *member).eq((0..start).chain(end..len)));
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn drains_and_splits_of_a_set_with_several_levels_and_tables() {
    let len = 40_000;
    for is_scattered in [false, true] {
        let mut set = filled(len, 7, is_scattered);
        assert!(set.drain_by_score(1_000..4_000).map(|(member, _)| member).eq(7_000..28_000));
        set.check();
        let mut upper = set.split_off_by_score(&5_000);
        set.check();
        upper.check();
        assert!(set.iter().map(|(member, _)| *member).eq((0..7_000).chain(28_000..35_000)));
        assert!(upper.iter().map(|(member, _)| *member).eq(35_000..len));
        upper.append(&mut set);
        for member in 7_000..28_000 {
            upper.insert(member, member / 7);
        }
        upper.check();
        assert_eq!(upper, filled(len, 7, false));
    }
}

#[test]
fn inverted_ranges_remove_nothing_and_long_ranges_are_clamped() {
    let mut set = filled(100, 10, false);
    #[expect(clippy::reversed_empty_ranges, reason = "inverted ranges are under test")]
    let (ranks, scores) = (9..3, 7..2);
    assert_eq!(set.drain_by_rank(ranks).len(), 0);
    assert_eq!(set.drain_by_score(scores).len(), 0);
    assert_eq!(set.drain_by_member(&3, (Excluded(&35), Excluded(&35))).len(), 0);
    assert_eq!(set.drain_by_rank(100..).len(), 0);
    assert_eq!(set.drain_by_rank(usize::MAX..).len(), 0);
    assert_eq!(set.split_off_by_rank(100).len() + set.split_off_by_score(&10).len(), 0);
    assert_eq!(set.range((&3, &36)..(&3, &31)).len() + set.range((&4, &0)..(&3, &99)).len(), 0);
    assert_eq!(set.remove_range((&3, &36)..(&3, &31)) + set.remove_range((&4, &0)..(&3, &99)), 0);
    assert_eq!(set.remove_range_by_member(&3, (Excluded(&35), Excluded(&35))), 0);
    assert_eq!(set.drain_range((&4, &0)..(&3, &99)).len(), 0);
    assert_eq!(set, filled(100, 10, false));
    assert!(set.drain_by_rank(98..=usize::MAX).eq([(98, 9), (99, 9)]));
    set.check();
    assert_eq!(set.split_off_by_rank(0).len(), 98);
    assert!(set.is_empty());
    set.check();
    assert_eq!(set.drain_by_rank(..).len(), 0);
    assert_eq!(set.split_off_by_rank(0).len(), 0);
    assert_eq!((set.pop_first_if(|_, _| true), set.remove_by_rank(0)), (None, None));
    assert!(set.first_entry().is_none() && set.last_entry().is_none());
}

#[test]
fn an_empty_drain_or_split_keeps_reserved_memory() {
    let mut set = SortedSet::<u32, u32>::with_capacity(1_000);
    let bytes = set.allocation_size();
    assert_eq!(set.drain_by_rank(..).len(), 0);
    assert_eq!(set.drain_by_score(..).len(), 0);
    assert_eq!(set.split_off_by_rank(0).len() + set.split_off_by_score(&0).len(), 0);
    assert_eq!(set.allocation_size(), bytes);
}

#[test]
fn first_and_last_entries() {
    let len = if cfg!(miri) { 16 } else { 300 };
    let mut set: SortedSet<u32, u32> = (0..len).map(|i| (i, i)).collect();
    let mut map: SortedMap<u32, u32, u32> = (0..len).map(|i| (i, 0, i)).collect();
    // Moves the first element to the end, then removes it there.
    for i in 0..len / 2 {
        let mut entry = set.first_entry().unwrap();
        assert_eq!((*entry.member(), entry.rank()), (i, 0));
        assert_eq!(entry.insert(len + i), i);
        assert_eq!((*entry.member(), entry.rank()), (i, set.len() - 1));
        assert_eq!(set.last_entry().unwrap().remove_entry(), (i, len + i));
        set.check();

        let mut entry = map.first_entry().unwrap();
        assert_eq!((*entry.key(), entry.rank()), (i, 0));
        assert_eq!(entry.insert(1, len + i), (0, i));
        assert_eq!(map.last_entry().unwrap().remove_entry(), (i, 1, len + i));
        map.check();
    }
    assert!(set.iter().map(|(member, _)| *member).eq(len / 2..len));
    assert!(map.iter().map(|(key, _, _)| *key).eq(len / 2..len));
}

#[test]
fn a_predicate_may_modify_a_map_value() {
    let mut map = SortedMap::from([("a", 0, 1), ("b", 0, 2)]);
    let count = |_: &&str, value: &mut i32, _: &i32| {
        *value += 1;
        *value > 1
    };
    assert_eq!((map.pop_first_if(count), map.pop_last_if(count)), (None, None));
    assert_eq!(map.pop_first_if(count), Some(("a", 2, 1)));
    assert_eq!(map.pop_last_if(count), Some(("b", 2, 2)));
    assert_eq!(map.pop_last_if(|_, _, _| unreachable!("the map is empty")), None);
}

#[test]
fn a_split_off_part_keeps_the_hasher() {
    use std::hash::RandomState;
    let mut set: SortedSet<u32, u32, RandomState> = (0..100).map(|i| (i, i)).collect();
    let mut upper = set.split_off_by_rank(40);
    assert_eq!((set.score(&39), upper.score(&40)), (Some(&39), Some(&40)));
    let all = upper.split_off_by_rank(0);
    assert_eq!((all.len(), upper.len()), (60, 0));
    upper.insert(7, 7);
    assert_eq!((upper.score(&7), all.score(&40)), (Some(&7), Some(&40)));
    all.check();
}
