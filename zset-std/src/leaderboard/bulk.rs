//! Whole boards at once: filtering, changing all scores, converting.

use std::cmp::Reverse;
use std::hash::Hash;
use std::marker::PhantomData;

use zset_core::SortedSet;

use super::Leaderboard;
use super::ranking::Ranking;

impl<Id: Ord + Hash, S: Ord + Copy, K> Leaderboard<Id, S, K> {
    /// Removes the members for which `keep` returns false, highest score first. **O(n + m log n)** for m
    /// removed; O(d log d) more for an index of d scores.
    ///
    /// If `keep` panics, the members it has not visited stay, and the board has no
    /// [index](Self::with_dense_standings) any more.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut board = zset_std::Leaderboard::from([("ann", 7), ("bob", 9), ("cid", 5)]);
    /// board.retain(|&member, score| member != "bob" && score > 5);
    /// assert!(board.into_iter().eq([("ann", 7)]));
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&Id, S) -> bool) {
        self.ranking.retain(|member, Reverse(score)| keep(member, score));
    }

    /// Replaces each score by what `map` returns for its member and score, whatever the policy. `map` is
    /// called for the highest score first. **O(n log n)**.
    ///
    /// If `map` panics, the board is unchanged. If a member's `Hash` or `Ord` panics, or memory runs out, the board
    /// is empty.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// Scores that decay, so that a board shows what is popular now:
    ///
    /// ```
    /// let mut board = zset_std::Leaderboard::from([("ann", 700), ("bob", 900)]);
    /// board.map_scores(|_, score| score / 2);
    /// board.submit("cid", 400);
    /// assert!(board.into_iter().eq([("bob", 450), ("cid", 400), ("ann", 350)]));
    /// ```
    #[track_caller]
    pub fn map_scores(&mut self, mut map: impl FnMut(&Id, S) -> S) {
        self.ranking.map_scores(|member, Reverse(score)| Reverse(map(member, score)));
    }
}

/// A board without a bound, which has the scores of the set. **O(n log n)**.
impl<Id, S, K> From<SortedSet<Id, S>> for Leaderboard<Id, S, K>
where
    Id: Ord + Hash,
    S: Ord + Copy,
{
    #[track_caller]
    fn from(set: SortedSet<Id, S>) -> Self {
        let set = set.into_iter().map(|(member, score)| (member, Reverse(score))).collect();
        Leaderboard { ranking: Ranking::of(set), max_len: usize::MAX, policy: PhantomData }
    }
}

/// The members of the board and their scores, lowest score first. **O(n log n)**.
impl<Id, S, K> From<Leaderboard<Id, S, K>> for SortedSet<Id, S>
where
    Id: Ord + Hash,
    S: Ord + Copy,
{
    #[track_caller]
    fn from(board: Leaderboard<Id, S, K>) -> Self {
        board.into_iter().collect()
    }
}
