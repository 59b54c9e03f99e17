//! [`Leaderboard`]: members by their scores, highest first, with its policies, iterators and outcomes.

// Invariants: those of `Ranking`, and at most `max_len` members. A panic in user code during a write
// may leave one member too many; the next submission removes it.

mod bulk;
mod distinct;
mod policy;
mod pop;
mod ranking;
mod read;
#[cfg(feature = "serde")]
mod serde;
mod standings;
mod submit;
#[cfg(test)]
mod tests;
mod traits;

pub use policy::{Best, Latest, Policy, Sum};
pub use standings::{Standing, Standings, Ties};
pub use submit::Submission;
pub use traits::IntoIter;

use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;

use ranking::Ranking;

/// A board of members and their scores, highest score first.
///
/// Members with equal scores are in ascending order. The caller chooses how ties are numbered: see
/// [`Ties`].
///
/// A score is any `Ord + Copy` type. Tuples rank medals by gold, then silver, then bronze;
/// [`Reverse`](std::cmp::Reverse) ranks the lowest first, as for golf or lap times;
/// [`Score`](zset_core::Score) wraps an `f64`.
///
/// The board's [`Policy`] determines how a new score combines with the member's current one:
/// [`new`](Self::new) keeps the [`Best`], [`latest`](Self::latest) the [`Latest`], [`sum`](Self::sum)
/// the [`Sum`].
///
/// A board uses as much memory as a sorted set: 30 to 50 bytes per member, plus what the members own.
/// It grows with each new member unless bounded by [`with_max_len`](Self::with_max_len).
///
/// # Examples
///
/// ```
/// use zset_std::{Leaderboard, Standing, Ties};
///
/// let mut board = Leaderboard::new();
/// board.submit("ann", 120);
/// board.submit("bob", 85);
/// board.submit("cid", 120);
/// board.submit("dan", 90);
/// board.submit("ann", 100); // her best stays
///
/// assert_eq!(board.standing("dan", Ties::Competition), Some(3)); // after two firsts
/// assert_eq!(board.standing("dan", Ties::Dense), Some(2));
///
/// let mut table = String::new();
/// for Standing { number, member, score } in board.top(3).ties(Ties::Competition) {
///     table += &format!("{number} {member} {score}\n");
/// }
/// assert_eq!(table, "1 ann 120\n1 cid 120\n3 dan 90\n");
/// ```
///
/// Scores with several parts, and scores where lower is better:
///
/// ```
/// use std::cmp::Reverse;
/// use zset_std::Leaderboard;
///
/// // Gold, silver, bronze.
/// let mut medals = Leaderboard::latest();
/// medals.submit("FRA", (16, 26, 22));
/// medals.submit("NED", (15, 7, 12));
/// medals.submit("GBR", (14, 22, 29));
/// assert!(medals.iter().map(|standing| *standing.member).eq(["FRA", "NED", "GBR"]));
///
/// // The shortest lap is the best.
/// let mut laps = Leaderboard::new();
/// laps.submit("ann", Reverse(83_250));
/// laps.submit("ann", Reverse(82_990));
/// assert_eq!(laps.score("ann"), Some(Reverse(82_990)));
/// ```
///
/// With the `serde` feature, a board serializes as a sequence of member-score pairs, highest score
/// first, and its bound. Deserializing fails on a repeated member or on more members than the bound.
///
/// A board converts from and into a [`SortedSet`](zset_core::SortedSet):
///
/// ```
/// use zset_core::SortedSet;
/// use zset_std::Leaderboard;
///
/// let set = SortedSet::from([("ann", 7), ("bob", 9)]);
/// let board = Leaderboard::<_, _>::from(set.clone());
/// assert_eq!(board.first(), Some((&"bob", 9)));
/// assert_eq!(SortedSet::from(board), set);
/// ```
pub struct Leaderboard<Id, S, K = Best> {
    ranking: Ranking<Id, S>,
    max_len: usize,
    /// A function pointer, so the board is `Send` and `Sync` regardless of the policy.
    policy: PhantomData<fn() -> K>,
}

impl<Id, S: Copy> Leaderboard<Id, S> {
    /// Creates an empty board that keeps the best score of each member. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::Leaderboard;
    ///
    /// let mut board = Leaderboard::new();
    /// board.submit("ann", 7);
    /// board.submit("ann", 5);
    /// assert_eq!(board.score("ann"), Some(7));
    /// ```
    pub fn new() -> Self {
        Self::for_policy()
    }
}

impl<Id, S: Copy> Leaderboard<Id, S, Latest> {
    /// Creates an empty board that keeps the latest score of each member. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::Leaderboard;
    ///
    /// let mut board = Leaderboard::latest();
    /// board.submit("ann", 7);
    /// board.submit("ann", 5);
    /// assert_eq!(board.score("ann"), Some(5));
    /// ```
    pub fn latest() -> Self {
        Self::for_policy()
    }
}

impl<Id, S: Copy> Leaderboard<Id, S, Sum> {
    /// Creates an empty board that adds up the scores of each member. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::ScoreOverflow;
    /// use zset_std::Leaderboard;
    ///
    /// let mut board = Leaderboard::sum();
    /// board.try_submit("ann", 200u8)?;
    /// board.try_submit("ann", 50)?;
    /// assert_eq!(board.score("ann"), Some(250));
    /// assert_eq!(board.try_submit("ann", 6), Err(ScoreOverflow));
    /// assert_eq!(board.score("ann"), Some(250));
    /// # Ok::<(), ScoreOverflow>(())
    /// ```
    pub fn sum() -> Self {
        Self::for_policy()
    }
}

impl<Id, S: Copy, K> Leaderboard<Id, S, K> {
    /// Creates an empty board with a custom policy. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Leaderboard, Sum};
    ///
    /// let mut board = Leaderboard::<&str, i64, Sum>::for_policy();
    /// board.try_submit("ann", 3).unwrap();
    /// board.try_submit("ann", 4).unwrap();
    /// assert_eq!(board.score("ann"), Some(7));
    /// ```
    pub fn for_policy() -> Self {
        Leaderboard { ranking: Ranking::new(), max_len: usize::MAX, policy: PhantomData }
    }

    /// Returns the maximum number of members, or `None` if the board is unbounded. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::Leaderboard;
    ///
    /// let board = Leaderboard::<&str, u32>::new();
    /// assert_eq!(board.max_len(), None);
    /// assert_eq!(board.with_max_len(100).max_len(), Some(100));
    /// ```
    pub fn max_len(&self) -> Option<usize> {
        (self.max_len < usize::MAX).then_some(self.max_len)
    }

    /// Returns whether the board has an index of its distinct scores. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::Leaderboard;
    ///
    /// let board = Leaderboard::<&str, u32>::new();
    /// assert!(!board.has_dense_standings());
    /// assert!(board.with_dense_standings().has_dense_standings());
    /// ```
    pub fn has_dense_standings(&self) -> bool {
        self.ranking.has_index()
    }
}

impl<Id: Ord + Hash, S: Ord + Copy, K> Leaderboard<Id, S, K> {
    /// Returns the board with a bound: it keeps only the best `max_len` members. **O(m log n)** for m
    /// members removed.
    ///
    /// When the board is full, a new member that ranks above the last one evicts it; a new member that
    /// ranks below is rejected. [`Submission::dropped`] holds the evicted or rejected entry. The board
    /// keeps no record of an evicted member: its next submission counts as its first, even under
    /// [`Sum`]. A member whose score drops stays on the board, because the board does not know which
    /// member would replace it.
    ///
    /// A bound of 0 is allowed: every submission is rejected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::Leaderboard;
    ///
    /// let mut board = Leaderboard::new().with_max_len(2);
    /// board.submit("ann", 5);
    /// board.submit("bob", 3);
    /// assert_eq!(board.submit("cid", 4).dropped, Some(("bob", 3)));
    ///
    /// let below = board.submit("dan", 1);
    /// assert_eq!((below.old, below.new), (None, None));
    /// assert_eq!(below.dropped, Some(("dan", 1)));
    /// assert_eq!(board.max_len(), Some(2));
    /// ```
    pub fn with_max_len(mut self, max_len: usize) -> Self {
        self.max_len = max_len;
        self.trim_to(max_len);
        self
    }

    /// Returns the board with an index of its distinct scores. **O(n)**.
    ///
    /// The index changes only performance, not results. With it, a dense standing takes O(log n);
    /// without it, O(d log n) for d distinct higher scores. The index uses 10 to 30 bytes per distinct
    /// score and adds O(log n) to each write that changes a score.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Leaderboard, Ties};
    ///
    /// let mut board = Leaderboard::new().with_dense_standings();
    /// board.extend([("ann", 9), ("bob", 9), ("cid", 5)]);
    /// assert_eq!(board.standing("cid", Ties::Dense), Some(2));
    /// assert!(board.has_dense_standings());
    /// ```
    pub fn with_dense_standings(mut self) -> Self {
        self.ranking.index_distinct();
        self
    }

    /// Panics with a description of the first broken invariant. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.ranking.check_invariants();
        assert!(self.len() <= self.max_len, "more members than the board keeps");
    }
}

impl<Id: fmt::Debug, S: fmt::Debug + Ord + Copy, K> fmt::Debug for Leaderboard<Id, S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}
