//! Cuts at various positions in lists of various shapes, and their costs.

use rand_core::Rng;
use std::vec::Vec;

use super::super::height::Heights;
use super::*;
use crate::visits;

/// Creates a list of the members `0..len`, each its own score, with full leaves or, if inserted in
/// scattered order, partly filled ones.
fn filled(heights: &Heights, len: u32, is_scattered: bool) -> SkipList<u32, u32> {
    let mut list = SkipList::with_heights(heights.clone());
    for i in 0..len {
        // A step coprime to the lengths.
        let member = if is_scattered { (u64::from(i) * 7_919 % u64::from(len)) as u32 } else { i };
        list.insert(member, member);
    }
    list
}

fn heights() -> [Heights; 3] {
    [Heights::DEFAULT, Heights::constant(0), Heights::constant(u32::MAX)]
}

fn members(list: &SkipList<u32, u32>) -> impl Iterator<Item = u32> {
    list.iter().map(|(member, _)| *member)
}

/// Cuts the elements at these ranks, and verifies both lists.
fn cut(list: &mut SkipList<u32, u32>, start: usize, end: usize) -> SkipList<u32, u32> {
    let mut expected: Vec<u32> = members(list).collect();
    let cut = list.try_cut(list.resolve_ranks(&(start..end))).unwrap();
    list.check();
    cut.check();
    assert!(members(&cut).eq(expected.drain(start..end)), "cut {start}..{end}");
    assert!(members(list).eq(expected), "left after {start}..{end}");
    cut
}

#[test]
fn cuts_at_leaf_and_block_boundaries() {
    let lens: &[u32] = if cfg!(miri) { &[66] } else { &[1, 2, 64, 65, 129, 1_000, 4_097, 6_000] };
    for (heights, &len) in
        heights().iter().flat_map(|heights| lens.iter().map(move |len| (heights, len)))
    {
        for is_scattered in [false, true] {
            let list = filled(heights, len, is_scattered);
            let len = len as usize;
            let near = |rank: usize| [rank.saturating_sub(1), rank, rank + 1];
            let ranks = [0, 64, 512, len / 3, 4_096, len - len / 5, len].into_iter().flat_map(near);
            let ranks = ranks.filter(|&rank| rank <= len).step_by(if cfg!(miri) { 5 } else { 1 });
            let ranks: Vec<usize> = ranks.collect();
            for &start in &ranks {
                for &end in ranks.iter().filter(|&&end| end >= start) {
                    cut(&mut list.clone(), start, end);
                }
            }
        }
    }
}

#[test]
fn repeated_cuts() {
    let (len, rounds) = if cfg!(miri) { (150, 4) } else { (20_000, 300) };
    for heights in heights() {
        let mut random = Heights::DEFAULT;
        let mut below = |n: usize| random.next_u32() as usize % (n + 1);
        let mut list = filled(&heights, len, true);
        for round in 0..rounds {
            let start = below(list.len());
            // Most cuts are small, which leaves blocks with few children next to each other.
            let most = if round % 8 == 0 { list.len() / 3 } else { 400 };
            let end = (start + below(most)).min(list.len());
            let cut = cut(&mut list, start, end);
            if round % 3 == 0 {
                list.extend(cut);
                list.check();
            }
        }
        while !list.is_empty() {
            let len = list.len();
            cut(&mut list, len / 7, len - len / 9);
        }
        list.insert(1, 1);
        list.check();
    }
}

/// Leaves of one element each are cut to blocks with one child, on all levels at once.
#[test]
#[cfg_attr(miri, ignore = "takes minutes there")]
fn a_large_list_cut_to_few_elements_has_few_levels() {
    for heights in heights() {
        let list = filled(&heights, 60_000, true);
        for (start, end) in [(1, 59_999), (0, 59_999), (1, 60_000), (30_000, 59_990), (5, 30_000)] {
            let mut list = list.clone();
            cut(&mut list, start, end);
            let levels = list.leaves.count().ilog2() / 3 + 1;
            assert!(u32::from(list.levels) <= levels, "{} levels, not {levels}", list.levels);
        }
    }
}

#[test]
fn small_leaves_around_a_gap_merge() {
    let mut list = filled(&Heights::DEFAULT, 256, false);
    cut(&mut list, 10, 246);
    assert_eq!((list.len(), list.leaves.count(), list.levels), (20, 1, 0));
    // The gap is within a leaf, which then merges with its neighbour.
    let mut list = filled(&Heights::DEFAULT, 80, false);
    cut(&mut list, 3, 60);
    assert_eq!((list.len(), list.leaves.count()), (23, 1));
}

/// A cut visits a few nodes per element, and one path down and up for each end.
#[test]
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn a_cut_visits_few_nodes() {
    let len = 100_000;
    for heights in heights() {
        for is_scattered in [false, true] {
            let list = filled(&heights, len, is_scattered);
            for cut_len in [1, 10, 64, 100, 1_000, 50_000] {
                let start = len as usize / 3;
                let end = (start + cut_len).min(len as usize - 1);
                let mut list = list.clone();
                let visited =
                    visits::during(|| drop(list.try_cut(list.resolve_ranks(&(start..end)))));
                // Repairing a block updates the parent of all its children; leaves around the gap
                // merge.
                let levels = list.levels as usize + 1;
                let bound = 200 + levels * 500 + 12 * (end - start);
                assert!(visited <= bound, "{visited} nodes for {cut_len}, at most {bound}");
            }
        }
    }
}

#[test]
fn cutting_all_or_nothing_moves_no_element() {
    let mut list = filled(&Heights::DEFAULT, 10, false);
    assert!(list.try_cut(list.resolve_ranks(&(4..4))).unwrap().is_empty());
    let address = list.first().map(|(member, _)| core::ptr::from_ref(member));
    let all = list.try_cut(list.resolve_ranks(&(..))).unwrap();
    assert_eq!(all.first().map(|(member, _)| core::ptr::from_ref(member)), address);
    assert!(list.is_empty());
    list.check();
    assert_eq!(list.allocation_size(), SkipList::<u32, u32>::new().allocation_size());
}
