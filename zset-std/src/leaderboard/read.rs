//! Lookups by member, score or rank.

use core::cmp::Reverse;
use core::hash::Hash;

use zset_core::Equivalent;

use super::{Leaderboard, Ties};

impl<Id, S: Copy, K> Leaderboard<Id, S, K> {
    /// Returns the number of members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_std::Leaderboard::from([("ann", 7), ("bob", 9)]).len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.ranking.set().len()
    }

    /// Returns whether there are no members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_std::Leaderboard::<&str, u32>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the score of a member. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// let board = zset_std::Leaderboard::from([("ann", 7)]);
    /// assert_eq!(board.score("ann"), Some(7));
    /// assert_eq!(board.score("bob"), None);
    /// ```
    pub fn score<Q>(&self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.ranking.set().score(member).map(|Reverse(score)| score)
    }

    /// Returns the stored member and its score. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// let board = zset_std::Leaderboard::from([("ann".to_string(), 7)]);
    /// assert_eq!(board.get("ann"), Some((&"ann".to_string(), 7)));
    /// ```
    pub fn get<Q>(&self, member: &Q) -> Option<(&Id, S)>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.ranking.set().get(member).map(plain)
    }

    /// Returns whether a member is on the board. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_std::Leaderboard::from([("ann", 7)]).contains("ann"));
    /// ```
    pub fn contains<Q>(&self, member: &Q) -> bool
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.ranking.set().contains(member)
    }

    /// Returns the first member and its score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let board = zset_std::Leaderboard::from([("ann", 7), ("bob", 9)]);
    /// assert_eq!(board.first(), Some((&"bob", 9)));
    /// ```
    pub fn first(&self) -> Option<(&Id, S)> {
        self.ranking.set().first().map(plain)
    }

    /// Returns the last member and its score. A new member must rank above it to enter a full board.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let board = zset_std::Leaderboard::from([("ann", 7), ("bob", 9)]);
    /// assert_eq!(board.last(), Some((&"ann", 7)));
    /// ```
    pub fn last(&self) -> Option<(&Id, S)> {
        self.ranking.set().last().map(plain)
    }

    /// Returns the member at a 0-based rank, highest score first, and its score. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let board = zset_std::Leaderboard::from([("ann", 7), ("bob", 9)]);
    /// assert_eq!(board.get_by_rank(0), Some((&"bob", 9)));
    /// assert_eq!(board.get_by_rank(2), None);
    /// ```
    pub fn get_by_rank(&self, rank: usize) -> Option<(&Id, S)> {
        self.ranking.set().get_by_rank(rank).map(plain)
    }

    /// Returns the number of bytes allocated by the board, excluding what the members own.
    ///
    /// **O(n)**, but it visits only chunks of about 32 KiB.
    ///
    /// # Examples
    ///
    /// ```
    /// let board: zset_std::Leaderboard<_, _> = (0..1000u64).map(|i| (i, i)).collect();
    /// assert!((16_000..64_000).contains(&board.allocation_size()));
    /// ```
    pub fn allocation_size(&self) -> usize {
        self.ranking.allocation_size()
    }
}

impl<Id, S: Ord + Copy, K> Leaderboard<Id, S, K> {
    /// Returns the standing of a member, counting from 1, highest score first. **O(log n)** expected.
    ///
    /// [`Ties::Dense`] takes O(log n) only [with an index](Self::with_dense_standings), otherwise
    /// O(d log n) for d distinct higher scores.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Leaderboard, Ties};
    ///
    /// let board = Leaderboard::from([("ann", 9), ("bob", 7), ("cid", 7), ("dan", 5)]);
    /// let of_all = |ties| ["ann", "bob", "cid", "dan"].map(|id| board.standing(id, ties).unwrap());
    /// assert_eq!(of_all(Ties::Dense), [1, 2, 2, 3]);
    /// assert_eq!(of_all(Ties::Competition), [1, 2, 2, 4]);
    /// assert_eq!(of_all(Ties::Ordinal), [1, 2, 3, 4]);
    /// assert_eq!(board.standing("eve", Ties::Ordinal), None);
    /// ```
    pub fn standing<Q>(&self, member: &Q, ties: Ties) -> Option<usize>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        match ties {
            Ties::Ordinal => Some(1 + self.ranking.set().rank(member)?),
            Ties::Dense | Ties::Competition => Some(self.ranking.number(self.score(member)?, ties)),
        }
    }

    /// Returns the percentile rank of a member: the percentage of members with lower scores, plus half
    /// the percentage with the same score, the member itself included. **O(log n)** expected.
    ///
    /// This is the usual definition, `(CF - F / 2) / N * 100`, where `CF` is the number of members with
    /// at most this score, `F` the number with exactly this score, and `N` the total
    /// ([Percentile rank](https://en.wikipedia.org/wiki/Percentile_rank); `percentileofscore` with
    /// `kind='mean'` in `SciPy`). The result is above 0 and below 100.
    ///
    /// # Examples
    ///
    /// ```
    /// let board = zset_std::Leaderboard::from([("ann", 9), ("bob", 7), ("cid", 7), ("dan", 5)]);
    /// assert_eq!(board.percentile("ann"), Some(87.5));
    /// assert_eq!(board.percentile("bob"), Some(50.0));
    /// assert_eq!(board.percentile("eve"), None);
    /// ```
    pub fn percentile<Q>(&self, member: &Q) -> Option<f64>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        let score = self.score(member)?;
        let below = self.len() - self.count_at_least(score);
        let at_most = self.len() - self.ranking.above(score);
        #[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^32 members")]
        Some((below + at_most) as f64 * 50.0 / self.len() as f64)
    }

    /// Returns the number of members whose score is at least `score`. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let board = zset_std::Leaderboard::from([("ann", 9), ("bob", 7), ("cid", 7), ("dan", 5)]);
    /// assert_eq!(board.count_at_least(7), 3);
    /// assert_eq!(board.count_at_least(10), 0);
    /// ```
    pub fn count_at_least(&self, score: S) -> usize {
        self.ranking.set().count_by_score(..=Reverse(score))
    }
}

fn plain<Id, S>((member, Reverse(score)): (&Id, Reverse<S>)) -> (&Id, S) {
    (member, score)
}
