//! [`Leaderboard`], a board of members ordered by score, highest first, and its policies, iterators
//! and outcomes.

mod policy;
mod ranking;
mod standings;
#[cfg(test)]
mod tests;

pub use policy::{Best, Latest, Policy, Sum};
pub use standings::{IntoIter, Iter, Standing, Standings, Ties};

use core::cmp::Reverse;
use core::convert::Infallible;
use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;

use zset_core::{Equivalent, Increment, SortedSet, TieOrder};

use ranking::{Ranking, unreversed_ref};

// Invariants: those of `Ranking`, and there are at most `max_len` members. If user code panics
// during a write, there may be one member too many until the next submission removes it.

/// A board of members and their scores, highest score first.
///
/// Members with equal scores are in ascending order. [`Unordered`](zset_core::Unordered) members
/// are in the order in which they reached the score. The caller chooses how ties are numbered: see
/// [`Ties`].
///
/// A score can be of any type that is `Ord + Clone`; look-ups return it by reference. For example,
/// a tuple ranks medals by gold, then silver, then bronze. A [`Reverse`] ranks the lowest score
/// first, as in golf or for lap times. A [`Score`](zset_core::Score) wraps an `f64`.
///
/// The board's [`Policy`] determines how a new score combines with the member's current one. A
/// board made by [`new`](Self::new) keeps the [`Best`]. A board made by
/// [`with_policy`](Self::with_policy) keeps the [`Latest`], the [`Sum`], or what a custom policy
/// returns.
///
/// A board uses as much memory as a sorted set, and more [with an
/// index](Self::with_dense_standings). It grows with each new member unless it is bounded by
/// [`with_max_len`](Self::with_max_len).
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
/// use zset_std::{Latest, Leaderboard};
///
/// // Gold, silver, bronze.
/// let mut medals = Leaderboard::with_policy(Latest);
/// medals.submit("FRA", (16, 26, 22));
/// medals.submit("NED", (15, 7, 12));
/// medals.submit("GBR", (14, 22, 29));
/// assert!(medals.iter().map(|(country, _)| *country).eq(["FRA", "NED", "GBR"]));
///
/// // The shortest lap is the best.
/// let mut laps = Leaderboard::new();
/// laps.submit("ann", Reverse(83_250));
/// laps.submit("ann", Reverse(82_990));
/// assert_eq!(laps.score("ann"), Some(&Reverse(82_990)));
/// ```
///
/// Tied members in the order in which they reached the score:
///
/// ```
/// use zset_core::Unordered;
/// use zset_std::{Leaderboard, Ties};
///
/// let mut board = Leaderboard::new();
/// board.submit(Unordered("zoe"), 120);
/// board.submit(Unordered("ann"), 120);
/// board.submit(Unordered("bob"), 90);
/// board.submit(Unordered("zoe"), 120); // no change, so she stays first
///
/// let lines = board.top(3).ties(Ties::Competition).map(|line| (line.number, line.member.0));
/// assert!(lines.eq([(1, "zoe"), (1, "ann"), (3, "bob")]));
/// assert_eq!(board.standing("ann", Ties::Competition), Some(1));
/// ```
///
/// With the `serde` feature, a board serializes as a sequence of member-score pairs (in the order
/// of the board) and its bound. Deserializing fails on a repeated member, or if there are more
/// members than the bound.
///
/// A board converts from and into a [`SortedSet`].
pub struct Leaderboard<Id, S, K = Best> {
    ranking: Ranking<Id, S>,
    max_len: usize,
    /// A function pointer, so the board is `Send` and `Sync` regardless of the policy.
    policy: PhantomData<fn() -> K>,
}

impl<Id, S> Leaderboard<Id, S> {
    /// Creates an empty board that keeps the best score of each member. **O(1)**.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<Id, S, K> Leaderboard<Id, S, K> {
    /// Creates an empty board with a policy: [`Latest`], [`Sum`] or a custom one. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::ScoreOverflow;
    /// use zset_std::{Leaderboard, Sum};
    ///
    /// let mut board = Leaderboard::with_policy(Sum);
    /// board.try_submit("ann", 200u8)?;
    /// board.try_submit("ann", 50)?;
    /// assert_eq!(board.score("ann"), Some(&250));
    /// assert_eq!(board.try_submit("ann", 6), Err(ScoreOverflow));
    /// assert_eq!(board.score("ann"), Some(&250));
    /// # Ok::<(), ScoreOverflow>(())
    /// ```
    pub fn with_policy(_: K) -> Self {
        Self::default()
    }

    /// Returns the maximum number of members, or `None` if the board is unbounded. **O(1)**.
    pub fn max_len(&self) -> Option<usize> {
        (self.max_len < usize::MAX).then_some(self.max_len)
    }

    /// Returns whether the board has an index of its distinct scores. **O(1)**.
    pub fn has_dense_standings(&self) -> bool {
        self.ranking.has_index()
    }
}

impl<Id: TieOrder + Hash, S: Ord + Clone, K> Leaderboard<Id, S, K> {
    /// Returns the board with a bound: it keeps only the best `max_len` members. **O(m log n)** for
    /// m members removed.
    ///
    /// When the board is full, a new member that ranks above the last one evicts it; a new member
    /// that ranks below is rejected. [`Submission::dropped`] holds the evicted or rejected entry.
    /// The board keeps no record of an evicted member: its next submission counts as its first,
    /// even under [`Sum`]. A member whose score drops stays on the board, because the board does
    /// not know which member would replace it.
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
    /// assert_eq!(board.worst(), Some((&"cid", &4)));
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
    /// without it, O(d log n) for d distinct higher scores. The index uses 10 to 30 bytes per
    /// distinct score and adds O(log n) to each write that changes a score.
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

impl<Id: fmt::Debug, S: fmt::Debug, K> fmt::Debug for Leaderboard<Id, S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// The result of a submission.
///
/// # Examples
///
/// ```
/// use zset_std::Leaderboard;
///
/// let mut board = Leaderboard::new();
/// let first = board.submit("ann", 7);
/// assert_eq!((first.old, first.new), (None, Some(7)));
/// assert!(first.is_changed());
///
/// let worse = board.submit("ann", 5);
/// assert_eq!((worse.old, worse.new), (Some(7), Some(7)));
/// assert!(!worse.is_changed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Submission<Id, S> {
    /// The member's previous score, if it was on the board.
    pub old: Option<S>,
    /// The member's new score, or `None` if a full board rejected it.
    pub new: Option<S>,
    /// The entry evicted or rejected by the size bound: the last member, or the submitted one if
    /// `new` is `None`.
    pub dropped: Option<(Id, S)>,
}

impl<Id, S: PartialEq> Submission<Id, S> {
    /// Returns whether the board has changed. **O(1)**.
    pub fn is_changed(&self) -> bool {
        self.old != self.new
    }
}

/// Methods that change the board.
impl<Id: TieOrder + Hash, S: Ord + Clone, K> Leaderboard<Id, S, K> {
    /// Submits a score under a policy that cannot fail: [`Best`] or [`Latest`]. **O(log n)**
    /// expected. See [`try_submit`](Self::try_submit).
    #[track_caller]
    pub fn submit(&mut self, member: Id, score: S) -> Submission<Id, S>
    where
        K: Policy<S, Error = Infallible>,
    {
        let Ok(submission) = self.try_submit(member, score);
        submission
    }

    /// Submits a score under any policy. **O(log n)** expected.
    ///
    /// If the board is full, a new member either evicts the last one or is rejected; see
    /// [`with_max_len`](Self::with_max_len).
    ///
    /// # Errors
    ///
    /// The policy's error if the score does not combine with the member's current one: for
    /// [`Sum`], [`ScoreOverflow`](zset_core::ScoreOverflow) or
    /// [`NanScore`](zset_core::NanScore). The board is unchanged: the member keeps its old score.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn try_submit(&mut self, member: Id, score: S) -> Result<Submission<Id, S>, K::Error>
    where
        K: Policy<S>,
    {
        self.ranking.submit(member, self.max_len, |old| match old {
            Some(old) => K::combine(old, score),
            None => Ok(score),
        })
    }

    /// Submits scores in order, until one fails, under any policy. **O(log n)** expected each.
    ///
    /// # Errors
    ///
    /// The policy's error for the first score that does not combine with its member's current one;
    /// scores before it are submitted. Scores after it remain in the iterator, if that was passed
    /// with `by_ref`.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn try_extend(&mut self, scores: impl IntoIterator<Item = (Id, S)>) -> Result<(), K::Error>
    where
        K: Policy<S>,
    {
        scores.into_iter().try_for_each(|(member, score)| self.try_submit(member, score).map(drop))
    }

    /// Adds to the score of a member, regardless of the policy; an absent member starts from zero.
    /// **O(log n)** expected.
    ///
    /// If the board is full, a new member is handled as in [`try_submit`](Self::try_submit).
    ///
    /// # Errors
    ///
    /// The score type's error if the sum is not a valid score:
    /// [`ScoreOverflow`](zset_core::ScoreOverflow) or [`NanScore`](zset_core::NanScore). The board
    /// is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn increment(&mut self, member: Id, by: S::By) -> Result<Submission<Id, S>, S::Error>
    where
        S: Increment,
    {
        self.ranking.submit(member, self.max_len, |old| {
            old.map_or(S::ZERO, |&old| old).checked_increment(by)
        })
    }

    /// Removes a member and returns its score. **O(log n)** expected.
    pub fn remove<Q>(&mut self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.ranking.remove(member)
    }

    /// Removes all but the first `n` members and returns how many it removed. **O(m log n)**
    /// expected for m members removed. The board's bound is unchanged.
    pub fn trim_to(&mut self, n: usize) -> usize {
        self.ranking.truncate(n)
    }

    /// Removes all members, keeping the bound and the index. **O(n)**.
    pub fn clear(&mut self) {
        self.ranking.clear();
    }

    /// Sets the score of a member, ignoring the policy and the bound.
    #[track_caller]
    pub(crate) fn set_score(&mut self, member: Id, score: S) {
        let Ok(_) = self.ranking.submit(member, usize::MAX, |_| Ok::<_, Infallible>(score));
    }

    /// Removes and returns the best member and its score. **O(log n)** expected.
    pub fn pop_best(&mut self) -> Option<(Id, S)> {
        self.ranking.pop(SortedSet::pop_first)
    }

    /// Removes and returns the worst member and its score. **O(log n)** expected.
    pub fn pop_worst(&mut self) -> Option<(Id, S)> {
        self.ranking.pop(SortedSet::pop_last)
    }
}

impl<Id: Ord + Hash, S: Ord + Clone, K> Leaderboard<Id, S, K> {
    /// Returns whether the bound rejects a score of a member, whatever the policy.
    pub(crate) fn rejects(&self, member: &Id, score: &S) -> bool {
        self.ranking.rejects(member, score, self.max_len)
    }
}

impl<Id, S, K> Leaderboard<Id, S, K> {
    /// Returns the number of members. **O(1)**.
    pub fn len(&self) -> usize {
        self.ranking.set().len()
    }

    /// Returns whether there are no members. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the score of a member. **O(1)** expected.
    pub fn score<Q>(&self, member: &Q) -> Option<&S>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.get(member).map(|(_, score)| score)
    }

    /// Returns the stored member and its score. **O(1)** expected.
    pub fn get<Q>(&self, member: &Q) -> Option<(&Id, &S)>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.ranking.set().get(member).map(unreversed_ref)
    }

    /// Returns whether a member is on the board. **O(1)** expected.
    pub fn contains<Q>(&self, member: &Q) -> bool
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.ranking.set().contains(member)
    }

    /// Returns the best member, which is the first of the board, and its score. **O(1)**.
    pub fn best(&self) -> Option<(&Id, &S)> {
        self.ranking.set().first().map(unreversed_ref)
    }

    /// Returns the worst member, which is the last of the board, and its score. A new member must
    /// rank above it to enter a full board. **O(1)**.
    pub fn worst(&self) -> Option<(&Id, &S)> {
        self.ranking.set().last().map(unreversed_ref)
    }

    /// Returns the 0-based rank of a member, highest score first: the number of lines before its
    /// own. **O(log n)** expected. [`standing`](Self::standing) counts from 1.
    pub fn rank<Q>(&self, member: &Q) -> Option<usize>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.ranking.set().rank(member)
    }

    /// Returns the member at a 0-based rank, highest score first, and its score. **O(log n)**.
    pub fn get_by_rank(&self, rank: usize) -> Option<(&Id, &S)> {
        self.ranking.set().get_by_rank(rank).map(unreversed_ref)
    }

    /// Returns the number of bytes allocated by the board, excluding what the members own.
    ///
    /// **O(n)**, one step for some thousands of members.
    pub fn allocation_size(&self) -> usize {
        self.ranking.allocation_size()
    }
}

impl<Id, S: Ord, K> Leaderboard<Id, S, K> {
    /// Returns the standing of a member, counting from 1, highest score first. **O(log n)**
    /// expected.
    ///
    /// [`Ties::Dense`] takes O(log n) only [with an index](Self::with_dense_standings), otherwise
    /// O(d log n) for d distinct higher scores.
    pub fn standing<Q>(&self, member: &Q, ties: Ties) -> Option<usize>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        match ties {
            Ties::Ordinal => Some(1 + self.rank(member)?),
            Ties::Dense | Ties::Competition => {
                Some(self.ranking.number(self.ranking.set().score(member)?, ties))
            }
        }
    }

    /// Returns the number of members whose score is at least `score`, which is cloned once.
    /// **O(log n)**.
    pub fn count_at_least(&self, score: &S) -> usize
    where
        S: Clone,
    {
        self.ranking.at_least(&Reverse(score.clone()))
    }
}

impl<Id: TieOrder + Hash, S: Ord + Clone, K> Leaderboard<Id, S, K> {
    /// Removes the members for which `keep` returns false, visiting them in order.
    /// **O(n + m log n)** for m members removed; an index of d scores takes O(d log d) more.
    ///
    /// If `keep` panics, the members not yet visited stay, and the board loses its
    /// [index](Self::with_dense_standings).
    pub fn retain(&mut self, keep: impl FnMut(&Id, &S) -> bool) {
        self.ranking.retain(keep);
    }

    /// Replaces each score with `map(member, score)`, regardless of the policy, visiting the
    /// highest score first. **O(n log n)**.
    ///
    /// [`Unordered`](zset_core::Unordered) members that tie afterwards keep their order.
    ///
    /// If `map` panics, the board is unchanged. If a member's `Hash` or `Ord` panics, or allocation
    /// fails, the board is empty.
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
    pub fn map_scores(&mut self, map: impl FnMut(&Id, &S) -> S) {
        self.ranking.map_scores(map);
    }
}

impl<Id: Clone, S: Clone, K> Clone for Leaderboard<Id, S, K> {
    fn clone(&self) -> Self {
        Leaderboard { ranking: self.ranking.clone(), max_len: self.max_len, policy: PhantomData }
    }
}

impl<Id, S, K> Default for Leaderboard<Id, S, K> {
    fn default() -> Self {
        Leaderboard { ranking: Ranking::new(), max_len: usize::MAX, policy: PhantomData }
    }
}

/// Two boards are equal if they have the same members with the same scores, regardless of bounds
/// and indexes. **O(n)**.
impl<Id: PartialEq, S: PartialEq, K, K2> PartialEq<Leaderboard<Id, S, K2>>
    for Leaderboard<Id, S, K>
{
    fn eq(&self, other: &Leaderboard<Id, S, K2>) -> bool {
        self.ranking.set() == other.ranking.set()
    }
}

impl<Id: Eq, S: Eq, K> Eq for Leaderboard<Id, S, K> {}

/// Submits each score in order. Panics if a score does not combine with the member's current one;
/// see [`try_extend`](Leaderboard::try_extend).
impl<Id, S, K> Extend<(Id, S)> for Leaderboard<Id, S, K>
where
    Id: TieOrder + Hash,
    S: Ord + Clone,
    K: Policy<S, Error: fmt::Debug>,
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (Id, S)>>(&mut self, scores: I) {
        self.try_extend(scores).expect("every score combines with the member's current one");
    }
}

/// Submits each score in order, as [`extend`](Leaderboard::extend) does.
impl<Id, S, K> FromIterator<(Id, S)> for Leaderboard<Id, S, K>
where
    Id: TieOrder + Hash,
    S: Ord + Clone,
    K: Policy<S, Error: fmt::Debug>,
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (Id, S)>>(scores: I) -> Self {
        let mut board = Self::default();
        board.extend(scores);
        board
    }
}

/// Keeps the best score of each member.
impl<Id: TieOrder + Hash, S: Ord + Clone, const N: usize> From<[(Id, S); N]>
    for Leaderboard<Id, S>
{
    fn from(scores: [(Id, S); N]) -> Self {
        scores.into_iter().collect()
    }
}

/// Converts into an unbounded board with the same scores. **O(n log n)**.
impl<Id, S, K> From<SortedSet<Id, S>> for Leaderboard<Id, S, K>
where
    Id: TieOrder + Hash,
    S: Ord + Clone,
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
    Id: TieOrder + Hash,
    S: Ord + Clone,
{
    #[track_caller]
    fn from(board: Leaderboard<Id, S, K>) -> Self {
        board.into_iter().collect()
    }
}

#[cfg(feature = "serde")]
mod serde {
    //! Serialization of a board: its members and scores in order, and its bound.

    use core::cmp::Reverse;
    use core::hash::Hash;
    use core::marker::PhantomData;

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};
    use zset_core::{SortedSet, TieOrder};

    use super::Leaderboard;
    use super::ranking::Ranking;

    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename = "Leaderboard")]
    struct Stored<Scores> {
        scores: Scores,
        max_len: Option<usize>,
    }

    /// Serializes the members with their scores, and the bound. The index is not stored; it can be
    /// rebuilt.
    impl<Id: Serialize, S: Serialize, K> Serialize for Leaderboard<Id, S, K> {
        fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
            Stored { scores: self.ranking.set(), max_len: self.max_len() }.serialize(serializer)
        }
    }

    /// Deserializes the members, in any order, into a board without an index.
    ///
    /// Fails if a member repeats, if there are more members than the bound allows, or if they
    /// exhaust memory or the 32-bit handles.
    impl<'de, Id, S, K> Deserialize<'de> for Leaderboard<Id, S, K>
    where
        Id: Deserialize<'de> + TieOrder + Hash,
        S: Deserialize<'de> + Ord + Clone,
    {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            // `Reverse` is transparent to serde: the stored value is the score itself.
            let Stored::<SortedSet<Id, Reverse<S>>> { scores, max_len } =
                Stored::deserialize(deserializer)?;
            let max_len = max_len.unwrap_or(usize::MAX);
            if scores.len() > max_len {
                return Err(D::Error::custom("leaderboard has more members than its bound allows"));
            }
            Ok(Leaderboard { ranking: Ranking::of(scores), max_len, policy: PhantomData })
        }
    }
}
