//! Positions among equal scores.

use super::*;
use crate::skiplist::index::Block;
use std::vec::Vec;

/// Returns the leaf to which a way leads.
fn leaf_on(list: &SkipList<u32, u32>, way: Way) -> u32 {
    let top = if list.levels == 0 { list.head } else { list.top };
    (1..=list.levels.into())
        .rev()
        .fold(top, |id, level| list.blocks.get(id).children[way.index_on(level)])
}

/// Creates a list with `run` members for each score but the first and the last, inserted in
/// scattered order.
fn with_runs(len: u32, run: u32) -> (SkipList<u32, u32>, Vec<(u32, u32)>) {
    // A step coprime to the lengths.
    let members = (0..len).map(|i| (u64::from(i) * 7_919 % u64::from(len)) as u32);
    let score = |member: u32| (member + run / 2) / run;
    let mut list = SkipList::new();
    members.for_each(|member| list.insert(2 * member, score(member)));
    list.check();
    (list, (0..len).map(|member| (score(member), 2 * member)).collect())
}

/// Searches for the positions before and after elements, with runs of equal scores that start and end
/// anywhere in leaves and blocks.
#[test]
fn positions_among_equal_scores() {
    let (lens, runs): (&[u32], &[u32]) = if cfg!(miri) {
        (&[200], &[1, 50, 700])
    } else {
        (&[1, 60, 200, 5_000, 40_000], &[1, 2, 50, 64, 700, 10_000, 100_000])
    };
    for &len in lens {
        for &run in runs {
            let (list, elements) = with_runs(len, run);
            for (rank, &(score, member)) in elements.iter().enumerate().step_by(37) {
                let rank_of = |(position, _)| list.rank_of(position);
                let before = list.search_way(score, |&other| other < member);
                assert_eq!(rank_of(before), rank, "{len} by {run}");
                let after = list.search_way(score, |&other| other <= member);
                assert_eq!(rank_of(after), rank + 1, "{len} by {run}");
                assert!((before.1, before.0.index) < (after.1, after.0.index));
                let target = list.search(score, |&other| other <= member);
                assert_eq!((target.position, target.way), after);
                assert_eq!(leaf_on(&list, after.1), after.0.leaf);
                // Before and after all elements of this score.
                let first = elements.partition_point(|&(other, _)| other < score);
                let end = elements.partition_point(|&(other, _)| other <= score);
                assert_eq!(rank_of(list.search_way(score, |_| false)), first);
                assert_eq!(rank_of(list.search_way(score, |_| true)), end);
                // The search of small machines goes the same way.
                for sought in [0, member, member + 1, u32::MAX] {
                    let found = by_halving::way(&list, score, |&other| other < sought);
                    assert_eq!(found, list.search_way(score, |&other| other < sought));
                }
                for is_after in [false, true] {
                    let (mut ours, mut theirs) = (Way::FIRST, Way::FIRST);
                    let passed = |_: &Block<u32>, index| ours.push(index);
                    let found = by_halving::position_by_score(&list, score, is_after, passed);
                    let expected =
                        list.search_score(score, is_after, |_, index| theirs.push(index));
                    assert_eq!((found, ours), (expected, theirs));
                }
            }
        }
    }
}

#[test]
fn the_end_of_a_range_near_and_far_from_its_start() {
    let (len, runs): (_, &[u32]) =
        if cfg!(miri) { (200, &[1, 64]) } else { (3_000, &[1, 40, 64, 700, 3_000]) };
    for &run in runs {
        let (list, elements) = with_runs(len, run);
        for (rank, &(score, member)) in elements.iter().enumerate().step_by(97) {
            let start = list.search_way(score, |&other| other < member);
            for ahead in [0, 1, 2, 30, 64, 65, 130, 200, 260, 400, 2_000] {
                let Some(&(end_score, end)) = elements.get(rank + ahead) else { break };
                let found = list.search_way_from(start, end_score, |&other| other <= end);
                let found_rank = list.rank_of(found.0);
                assert_eq!(found_rank, rank + ahead + 1, "{ahead} after {rank}, runs of {run}");
                assert!((start.1, start.0.index) < (found.1, found.0.index));
            }
            // In an inverted range, the end is no later than the start.
            let (score, before) = elements[rank / 2];
            let found = list.search_way_from(start, score, |&other| other < before);
            assert!(list.rank_of(found.0) <= rank);
            assert!((found.1, found.0.index) <= (start.1, start.0.index));
        }
    }
}
