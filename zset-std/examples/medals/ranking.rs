//! Ranks as tables print them: highest score first, from 1, and shared by equal scores.

use std::iter::successors;
use std::ops::Bound::{self, Excluded, Unbounded};

use zset_core::SortedSet;

/// Returns the rank that a score has: 1, 2, 2, 4, one more than there are higher scores.
///
/// `SortedSet::rev_rank` is unique to each member instead; equal scores do not share it.
pub(crate) fn rank_of<M, S: Ord + Copy>(set: &SortedSet<M, S>, score: S) -> usize {
    1 + set.count_by_score((Excluded(score), Unbounded))
}

/// Returns the members from one score to another with their ranks, highest score first.
///
/// `range_by_score(..).rev()` would also turn around the order of the members that share a score.
/// So this goes down from score to score, and through the members of each in their own order.
pub(crate) fn ranked<M, S: Ord + Copy>(
    set: &SortedSet<M, S>,
    from: Bound<S>,
    to: Bound<S>,
) -> impl Iterator<Item = (usize, &M, S)> {
    let highest = set.range_by_score((from, to)).next_back();
    successors(highest, move |&(_, score)| set.range_by_score((from, Excluded(score))).next_back())
        .flat_map(move |(_, score)| {
            let rank = rank_of(set, score);
            set.range_by_score(score..=score).map(move |(member, score)| (rank, member, score))
        })
}
