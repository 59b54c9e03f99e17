//! Bulk operations: retain, map all scores, convert.

use core::cmp::Reverse;
use core::hash::Hash;
use core::marker::PhantomData;

use zset_core::SortedSet;

use super::Leaderboard;
use super::ranking::Ranking;

impl<Id: Ord + Hash, S: Ord + Copy, K> Leaderboard<Id, S, K> {
    /// Removes the members for which `keep` returns false, visiting them in order. **O(n + m log n)**
    /// for m members removed; an index of d scores takes O(d log d) more.
    ///
    /// If `keep` panics, the members not yet visited stay, and the board loses its
    /// [index](Self::with_dense_standings).
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

    /// Replaces each score with `map(member, score)`, regardless of the policy, visiting the highest
    /// score first. **O(n log n)**.
    ///
    /// If `map` panics, the board is unchanged. If a member's `Hash` or `Ord` panics, or allocation fails, the
    /// board is empty.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// Decaying scores, so that the board shows what is popular now:
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

/// Converts into an unbounded board with the same scores. **O(n log n)**.
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

/// Converts into a set of the same members and scores. **O(n log n)**.
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
