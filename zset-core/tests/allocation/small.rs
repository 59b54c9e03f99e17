//! Compares the memory of small sets with what their leaves, index and dict need.

use std::hash::BuildHasherDefault;
use zset_core::{SortedMap, SortedSet};

use crate::counting::{Total, counted};
use crate::{Scattering, scattered};

type Hasher = BuildHasherDefault<Scattering>;
type Small = SortedSet<u32, u32, Hasher>;

/// The size of a leaf of 64 elements: three links, the length, the permutation, and the lengths and
/// the elements of two columns.
const LEAF_BYTES: usize = 3 * 4 + 1 + 65 + 2 + 2 * (4 + 64 * 4);

/// The size of an index block of 64 children: the parent, ids, spans, and the length and the
/// elements of a column of scores.
const BLOCK_BYTES: usize = 4 + 64 * 4 + 64 * 4 + 4 + 64 * 4;

/// Returns the bytes that the parts of a set need: leaves, index blocks, and five bytes for each
/// bucket of the dict. A set with a single leaf needs memory only for the elements of that leaf.
fn needed(set: &Small) -> usize {
    let root = set.root();
    let nodes = if root.level() == 0 {
        set.len() * (size_of::<u32>() + size_of::<u32>())
    } else {
        let (mut leaves, mut blocks, mut level) = (0, 1, vec![root]);
        while level[0].level() > 1 {
            level = level.iter().flat_map(zset_core::layout::Node::children).collect();
            blocks += level.len();
        }
        leaves += level.iter().map(|block| block.children().len()).sum::<usize>();
        leaves * LEAF_BYTES + blocks * BLOCK_BYTES
    };
    nodes + set.dict_layout().buckets * 5
}

/// An upper bound on the size of an allocation below 1,000 elements. The largest is a table of
/// 2,048 buckets.
const MOST: usize = 11 << 10;

fn score(member: u32) -> u32 {
    scattered(member.into()) as u32
}

fn grown(len: u32) -> (Small, Total) {
    counted(|| {
        let mut set = Small::default();
        for member in 0..len {
            set.insert(member, score(member));
        }
        set
    })
}

#[test]
fn references_to_values_are_taken_with_little_memory() {
    let map = |len: u32| -> SortedMap<u32, u32, u32> {
        let mut map = SortedMap::new();
        (0..len).for_each(|key| _ = map.insert(key, key, score(key)));
        map
    };
    // For a map of a single leaf, `iter_mut` allocates nothing.
    let mut small = map(40);
    let (sum, total) = counted(|| small.iter_mut().map(|(_, value, _)| *value).sum::<u32>());
    assert_eq!((sum, total.calls), (780, 0));

    let mut large = map(20_000);
    let (found, total) =
        counted(|| large.get_disjoint_mut([&7, &50_000, &19_999]).map(Option::<&mut u32>::copied));
    assert_eq!((found, total.calls), ([Some(7), None, Some(19_999)], 0));
    // For several leaves, a mutable iterator allocates in proportion to the leaves of its range.
    let (visited, total) = counted(|| large.range_by_rank_mut(5_000..6_000).count());
    assert!(visited == 1000 && total.bytes < 1_000 * 3, "{total:?}");
    let (visited, total) = counted(|| large.iter_mut().rev().count());
    assert!(visited == 20_000 && total.bytes < 20_000 * 3, "{total:?}");
    assert_eq!(total.live, 0);
}

#[track_caller]
fn assert_little_is_unused(set: &Small, live: isize) {
    let (needed, live) = (needed(set), live.unsigned_abs());
    assert!(10 * live <= 13 * needed, "{live} bytes for {needed} at {}", set.len());
}

#[test]
fn a_small_set_uses_at_most_1_3_times_what_its_parts_need() {
    let lens: &[u32] =
        if cfg!(miri) { &[10, 100] } else { &[10, 100, 448, 449, 999, 1_000, 5_000] };
    for &len in lens {
        let (set, total) = grown(len);
        assert_little_is_unused(&set, total.live);
    }
}

/// Verifies that none of the allocations of an operation is large.
#[track_caller]
fn assert_small<T>(operation: impl FnOnce() -> T) -> T {
    let (result, total) = counted(operation);
    assert!(total.largest <= MOST, "{total:?}");
    result
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn no_allocation_exceeds_11_kib_below_1000_elements() {
    let (mut set, _) = assert_small(|| grown(999));
    // Replacing members while the length stays constant may rebuild tables, but only small ones.
    assert_small(|| {
        for member in 999..20_000 {
            assert_eq!(set.remove(&(member - 999)), Some(score(member - 999)));
            set.insert(member, score(member));
        }
    });
    set.check();
    assert_small(|| {
        set.remove_range_by_rank(100..);
        (0..899).for_each(|member| _ = set.insert(member, score(member)));
    });
    set.check();
    assert_small(|| Small::with_capacity_and_hasher(999, Hasher::default()));
    assert_small(|| set.shrink_to_fit());

    // A map stores each key together with its value in one column, as a set stores its members.
    let mut map = SortedMap::<u32, u32, u32, Hasher>::default();
    assert_small(|| (0..999).for_each(|key| _ = map.insert(key, key, score(key))));
    map.check();
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn the_dict_has_no_table_up_to_16_members_and_a_single_one_up_to_its_limit() {
    for (len, tables) in [(1, 0), (16, 0), (17, 1), (1_000, 1), (28_672, 1), (28_673, 16)] {
        let (set, _) = grown(len);
        assert_eq!(set.dict_layout().tables, tables, "of {len} members");
    }
}

/// On 32-bit targets, the budgets of `tests/firmware` allow 200 bytes for an empty set and 600 for
/// ten elements. On 64-bit targets, pointers and vectors are twice as large.
#[test]
fn ten_elements_use_little_memory() {
    assert!(size_of::<Small>() <= 300, "{}", size_of::<Small>());
    let (_, total) = grown(10);
    assert!(total.live <= 400, "{total:?}");
}
