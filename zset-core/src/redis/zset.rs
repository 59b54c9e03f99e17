//! [`ZSet`]: Redis's sorted set of byte strings with `f64` scores, in two encodings.
//!
//! A set switches to the skip-list encoding when a new member exceeds the limits, when a listpack
//! cannot hold its bytes, or by `promote`, or by a `reserve` or `append` of more members than the
//! limits allow. It keeps this encoding until all its elements are taken out at once: by `clear`,
//! by `drain`, or by `append`, which moves them to another set. The limits are not an invariant:
//! `set_limits` may lower them below the size of an existing listpack.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::{Bound, Range, RangeBounds};
use rand_core::Rng;

use crate::bounds::{self, is_after, is_before};
use crate::inner::{LookUp, Scores};
use crate::skiplist::element;
use crate::{ByteString, Member, PackedZSet, Score, SortedSet, sorted_set};

mod edit;
mod encoding;
mod iter;
mod random;
mod take;
mod traits;

pub use iter::{IntoIter, Iter};
pub use take::ExtractIf;

/// The encoding of a [`ZSet`] in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// A single contiguous buffer, for small sets.
    Listpack,
    /// A skip list and a dict.
    Skiplist,
}

/// Writes the name that Redis's `OBJECT ENCODING` returns.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Listpack => "listpack",
            Encoding::Skiplist => "skiplist",
        })
    }
}

/// The maximum size of a [`ZSet`] in the listpack encoding.
///
/// These are all of Redis's parameters for sorted sets. The struct is exhaustive, so that it can be
/// written as a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListpackLimits {
    /// The maximum number of members (Redis: `zset-max-listpack-entries`). If 0, only an empty set
    /// is a listpack.
    pub max_listpack_entries: usize,
    /// The maximum length of a member in bytes (Redis: `zset-max-listpack-value`).
    pub max_listpack_value: usize,
}

/// Returns Redis's defaults: 128 members of at most 64 bytes.
impl Default for ListpackLimits {
    fn default() -> Self {
        REDIS_LIMITS
    }
}

/// The default as a constant, for statics.
const REDIS_LIMITS: ListpackLimits =
    ListpackLimits { max_listpack_entries: 128, max_listpack_value: 64 };

/// Redis's sorted set: unique byte strings, each with a [`Score`], ordered by `(score, member)`.
///
/// A small set is a [`PackedZSet`] in a `Vec<u8>`, where every operation is **O(n)** for an n of at
/// most 128 by default. Above its [`ListpackLimits`], it becomes a [`SortedSet`] of
/// [`ByteString`]s. The documented costs are the expected costs of that encoding. Members are
/// hashed by foldhash with a seed specific to the set. This is fast, but does not protect against
/// an attacker who can measure timings.
///
/// A listpack suits many small sets: a member of 20 bytes and its score need about 30 bytes, and
/// twice as many in the other encoding. If speed matters more than memory, turn it off with
/// [`with_limits`](Self::with_limits) and `max_listpack_entries: 0`: at 100 members, finding a
/// score then takes a twentieth of the time.
///
/// With the feature `serde`, a set serializes as a sequence of `(member, score)` in order, with
/// members as bytes. Elements are deserialized in any order, with members as bytes or text; a
/// repeated member is an error.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{LexRange, ScoreRange, rank_range};
/// use zset_core::{Encoding, Score, ZSet};
///
/// let mut set = ZSet::new();
/// set.insert("ann", Score::from(120));
/// set.insert("bob", Score::from(85));
/// set.increment("bob", 40.5)?;
/// assert_eq!(set.score("bob"), Some(Score::new(125.5)?));
/// assert_eq!(set.encoding(), Encoding::Listpack);
///
/// // ZRANGEBYSCORE set (100 +inf
/// let above = set.range_by_score(ScoreRange::parse(b"(100", b"+inf")?);
/// assert!(above.map(|(member, _)| member.to_vec()).eq([b"ann", b"bob"]));
/// // ZRANGE set 0 0 REV
/// let ranks = rank_range(-1, -1, set.len());
/// assert!(set.range_by_rank(ranks).rev().all(|(member, _)| member == "bob"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ZSet {
    elements: Elements,
    limits: ListpackLimits,
}

#[derive(Clone)]
enum Elements {
    Listpack(PackedZSet<Vec<u8>>),
    /// Boxed, because small sets are numerous and a skip list is large. The box contains an array
    /// because it is made from a `Vec`, whose allocation can fail without a panic.
    Skiplist(Box<[Sorted; 1]>),
}

/// Evaluates an expression with the set in either encoding.
macro_rules! in_either {
    (mut $this:ident, $set:ident => $call:expr) => {
        match &mut $this.elements {
            Elements::Listpack($set) => $call,
            Elements::Skiplist(boxed) => {
                let [$set] = &mut **boxed;
                $call
            }
        }
    };
    ($this:ident, $set:ident => $call:expr) => {
        match &$this.elements {
            Elements::Listpack($set) => $call,
            Elements::Skiplist(boxed) => {
                let [$set] = &**boxed;
                $call
            }
        }
    };
}
use in_either;

/// A set in the skip-list encoding.
type Sorted = SortedSet<ByteString, Score>;

impl<M: AsRef<[u8]>> LookUp<M> for &ZSet {
    type Found = Option<Score>;

    fn hash(&self, member: &M) -> usize {
        match &self.elements {
            // A listpack is searched without hashing, so any value will do.
            Elements::Listpack(_) => 0,
            Elements::Skiplist(set) => set[0].core.hash(member.as_ref()),
        }
    }

    fn find(&self, hash: usize, member: M) -> Option<Score> {
        match &self.elements {
            Elements::Listpack(set) => set.score(member),
            Elements::Skiplist(set) => {
                set[0].core.find_map(hash, member.as_ref(), |found| *found.score)
            }
        }
    }
}

impl ZSet {
    /// Returns the limits. **O(1)**.
    pub fn limits(&self) -> ListpackLimits {
        self.limits
    }

    /// Replaces the limits. **O(1)**.
    ///
    /// The encoding does not change: the new limits apply from the next new member on, as with
    /// Redis's `CONFIG SET`.
    pub fn set_limits(&mut self, limits: ListpackLimits) {
        self.limits = limits;
    }

    /// Returns the encoding. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Encoding, ZSet};
    ///
    /// assert_eq!(ZSet::new().encoding(), Encoding::Listpack);
    /// assert_eq!(Encoding::Listpack.to_string(), "listpack");
    /// ```
    pub fn encoding(&self) -> Encoding {
        match &self.elements {
            Elements::Listpack(_) => Encoding::Listpack,
            Elements::Skiplist(_) => Encoding::Skiplist,
        }
    }

    /// Returns the listpack if the set is one, such as for a diagram or a dump. **O(1)**.
    pub fn as_listpack(&self) -> Option<&crate::Listpack<Vec<u8>>> {
        match &self.elements {
            Elements::Listpack(set) => Some(set.as_listpack()),
            Elements::Skiplist(_) => None,
        }
    }

    /// Returns the skip list and its dict if the set is in that encoding. **O(1)**.
    #[cfg(feature = "unstable-internals")]
    pub fn as_sorted_set(&self) -> Option<&SortedSet<ByteString, Score>> {
        match &self.elements {
            Elements::Listpack(_) => None,
            Elements::Skiplist(set) => Some(&set[0]),
        }
    }

    /// Returns the number of members. **O(1)**.
    pub fn len(&self) -> usize {
        in_either!(self, set => set.len())
    }

    /// Returns whether the set is empty. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the score of a member. **O(1)**.
    pub fn score(&self, member: impl AsRef<[u8]>) -> Option<Score> {
        match &self.elements {
            Elements::Listpack(set) => set.score(member),
            Elements::Skiplist(set) => set[0].score(member.as_ref()).copied(),
        }
    }

    /// Returns the score of each of these members, or `None` for those that are not in the set,
    /// like Redis's `ZMSCORE`. Lazy; **O(1)** per member. See
    /// [`SortedSet::scores`](crate::SortedSet::scores).
    pub fn scores<I>(&self, members: I) -> Scores<&Self, I::IntoIter>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        Scores::new(self, members)
    }

    /// Returns the stored member and its score. **O(1)**.
    ///
    /// The member has the bytes of `member`, but is borrowed from the set.
    pub fn get(&self, member: impl AsRef<[u8]>) -> Option<(Member<'_>, Score)> {
        match &self.elements {
            Elements::Listpack(set) => set.get(member),
            Elements::Skiplist(set) => set[0].get(member.as_ref()).map(borrowed),
        }
    }

    /// Returns whether a member is in the set. **O(1)**.
    pub fn contains(&self, member: impl AsRef<[u8]>) -> bool {
        self.score(member).is_some()
    }

    /// Returns the 0-based rank of a member, lowest score first. **O(log n)**.
    pub fn rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        in_either!(self, set => set.rank(member.as_ref()))
    }

    /// Returns the 0-based rank of a member, highest score first. **O(log n)**.
    pub fn rev_rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        let rank = self.rank(member)?;
        Some(self.len() - 1 - rank)
    }

    /// Returns the element with the lowest score. **O(1)**.
    pub fn first(&self) -> Option<(Member<'_>, Score)> {
        match &self.elements {
            Elements::Listpack(set) => set.first(),
            Elements::Skiplist(set) => set[0].first().map(borrowed),
        }
    }

    /// Returns the element with the highest score. **O(1)**.
    pub fn last(&self) -> Option<(Member<'_>, Score)> {
        match &self.elements {
            Elements::Listpack(set) => set.last(),
            Elements::Skiplist(set) => set[0].last().map(borrowed),
        }
    }

    /// Returns the element at this 0-based rank, lowest score first. **O(log n)**.
    pub fn get_by_rank(&self, rank: usize) -> Option<(Member<'_>, Score)> {
        match &self.elements {
            Elements::Listpack(set) => set.get_by_rank(rank),
            Elements::Skiplist(set) => set[0].get_by_rank(rank).map(borrowed),
        }
    }

    /// Returns the elements in order, lowest score first. Lazy, double-ended, **O(1)** per step.
    pub fn iter(&self) -> Iter<'_> {
        in_either!(self, set => set.iter().into())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start. See
    /// [`SortedSet::range_by_rank`](crate::SortedSet::range_by_rank).
    ///
    /// For Redis's indexes, which may be negative, see [`rank_range`](crate::redis::rank_range).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.range_by_rank(1..9).len(), 1);
    /// ```
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_> {
        in_either!(self, set => set.range_by_rank(range).into())
    }

    /// Returns the elements whose scores lie in the range. Lazy; **O(log n)** to start. See
    /// [`SortedSet::range_by_score`](crate::SortedSet::range_by_score).
    ///
    /// For Redis's syntax, see [`ScoreRange`](crate::redis::ScoreRange).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::ScoreRange;
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.range_by_score(Score::from(2)..).len(), 1);
    /// assert_eq!(set.range_by_score(ScoreRange::parse(b"-inf", b"(2")?).len(), 1);
    /// # Ok::<(), zset_core::redis::ParseRangeError>(())
    /// ```
    pub fn range_by_score(&self, range: impl RangeBounds<Score>) -> Iter<'_> {
        in_either!(self, set => set.range_by_score(range).into())
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(log n)** to
    /// start. See [`SortedSet::range`](crate::SortedSet::range).
    pub fn range<'q>(&self, range: impl RangeBounds<(Score, &'q [u8])>) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.range(range).into(),
            Elements::Skiplist(set) => set[0].range(lent(&range)).into(),
        }
    }

    /// Returns the elements whose members lie in the range, assuming that all scores are equal.
    /// Lazy; **O(log n)** to start, O(log^2 n) if scores differ.
    ///
    /// If scores differ, it is unspecified which elements are returned, as in Redis. For the
    /// elements with one score, see [`range_by_member`](Self::range_by_member). An inverted range
    /// is empty. For Redis's syntax, see [`LexRange`](crate::redis::LexRange).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::LexRange;
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from(["ant", "bee", "cat"].map(|word| (word, Score::ZERO)));
    /// assert_eq!(set.range_by_lex(&b"b"[..]..).len(), 2);
    /// assert_eq!(set.range_by_lex(LexRange::parse(b"(ant", b"[bee")?).len(), 1);
    /// # Ok::<(), zset_core::redis::ParseRangeError>(())
    /// ```
    pub fn range_by_lex<'q>(&self, range: impl RangeBounds<&'q [u8]>) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.range_by_lex(range).into(),
            Elements::Skiplist(set) => lex_range(&set[0], &range).into(),
        }
    }

    /// Returns the elements with exactly this score whose members lie in the range. Lazy;
    /// **O(log n)** to start.
    pub fn range_by_member<'q>(&self, score: Score, range: impl RangeBounds<&'q [u8]>) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.range_by_member(score, range).into(),
            Elements::Skiplist(set) => set[0].range_by_member(&score, range).into(),
        }
    }

    /// Returns how many elements have scores in the range. **O(log n)**.
    pub fn count_by_score(&self, range: impl RangeBounds<Score>) -> usize {
        in_either!(self, set => set.count_by_score(range))
    }

    /// Returns how many members lie in the range, assuming that all scores are equal. **O(log n)**.
    ///
    /// See [`range_by_lex`](Self::range_by_lex).
    pub fn count_by_lex<'q>(&self, range: impl RangeBounds<&'q [u8]>) -> usize {
        self.range_by_lex(range).len()
    }

    /// Returns `n` distinct elements, or all if there are fewer, in random order, like Redis's
    /// `ZRANDMEMBER` with a positive count. **O(n log len)**. The ranks are drawn when it is
    /// called, which needs O(n) memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(1)), ("b", Score::from(2))]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// assert_eq!(set.sample(&mut rng, 1).len(), 1);
    /// assert_eq!(set.sample(&mut rng, 5).len(), 2);
    /// ```
    pub fn sample<'a, R: Rng + ?Sized>(
        &'a self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (Member<'a>, Score)> + FusedIterator + use<'a, R> {
        random::distinct(n, self.len(), rng).map(|rank| self.drawn(rank))
    }

    /// Returns `n` random elements, possibly with repeats, or none if the set is empty, like
    /// Redis's `ZRANDMEMBER` with a negative count. Lazy; **O(log len)** per step.
    pub fn sample_with_replacement<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (Member<'_>, Score)> + FusedIterator {
        random::repeated(n, self.len(), rng).map(|rank| self.drawn(rank))
    }

    fn drawn(&self, rank: usize) -> (Member<'_>, Score) {
        self.get_by_rank(rank).expect("a rank below the length")
    }

    /// Returns the next page of about `count` elements and the cursor of the following page, like
    /// Redis's `ZSCAN`. The first page has cursor 0; after the last page, the returned cursor is 0.
    ///
    /// Every member that stays in the set throughout the scan is returned exactly once, whatever
    /// other changes occur. Members inserted or removed during the scan may or may not be returned.
    /// Pages are unordered and may be empty: only the cursor marks the end. A listpack is returned
    /// as a single page.
    ///
    /// **O(count)** expected, plus hashing all members of the hash tables that the page comes from,
    /// each of at most 28,672 members unless their hashes collide. To hash them less often, a page
    /// takes 1/64 of such a table if that is more than `count`. O(n) for a listpack.
    ///
    /// A cursor is a position in hash order, so it is valid only for the set that returned it, not
    /// even for a set with equal members.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set: ZSet = (0..1000u16).map(|i| (i.to_string(), Score::from(i))).collect();
    /// let (mut cursor, mut seen) = (0, 0);
    /// loop {
    ///     let (next, page) = set.scan(cursor, 10);
    ///     seen += page.len();
    ///     if next == 0 {
    ///         break;
    ///     }
    ///     cursor = next;
    /// }
    /// assert_eq!(seen, 1000);
    /// ```
    pub fn scan(&self, cursor: u64, count: usize) -> (u64, Vec<(Member<'_>, Score)>) {
        match &self.elements {
            Elements::Listpack(set) => (0, set.iter().collect()),
            Elements::Skiplist(set) => {
                let core = &set[0].core;
                let hash_of = |handle| core.nodes.key(handle).map_or(0, |member| core.hash(member));
                let (next, page) = core.dict.tables.scan(cursor, count.max(1), hash_of);
                let element = |handle| borrowed(element(core.nodes.element_at(handle)));
                (next, page.into_iter().map(element).collect())
            }
        }
    }

    /// Returns the number of members for which memory is allocated, without their bytes. **O(n)**,
    /// one step per 1,800 to 3,600 members; O(1) for a listpack.
    ///
    /// A listpack reserves nothing for future members, so its capacity is its length.
    pub fn capacity(&self) -> usize {
        match &self.elements {
            Elements::Listpack(set) => set.len(),
            Elements::Skiplist(set) => set[0].capacity(),
        }
    }

    /// Frees unused memory. **O(capacity)**.
    ///
    /// A listpack keeps its buffer if a smaller one cannot be allocated.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails in the skip-list encoding, where elements are moved; the set is
    /// unchanged.
    #[track_caller]
    pub fn shrink_to_fit(&mut self) {
        in_either!(mut self, set => set.shrink_to_fit());
    }

    /// Returns the number of bytes that the set has allocated, including those of its members.
    /// **O(n)**; O(1) for a listpack.
    pub fn allocation_size(&self) -> usize {
        match &self.elements {
            Elements::Listpack(set) => set.allocation_size(),
            Elements::Skiplist(set) => {
                let members = set[0].iter().map(|(member, _)| member.allocation_size());
                size_of::<Sorted>() + set[0].allocation_size() + members.sum::<usize>()
            }
        }
    }

    /// Removes all members, frees their memory and returns to the listpack encoding. **O(n)**.
    pub fn clear(&mut self) {
        *self = Self::with_limits(self.limits);
    }

    /// Panics with a description if an invariant does not hold. The limits are not among them,
    /// since [`set_limits`](Self::set_limits) may lower them. For tests; **O(n)**, **O(n^2)** for a
    /// listpack.
    #[doc(hidden)]
    pub fn check(&self) {
        in_either!(self, set => set.check());
    }

    /// Creates an empty set with Redis's limits, without allocating. **O(1)**.
    pub const fn new() -> Self {
        Self::with_limits(REDIS_LIMITS)
    }

    /// Creates an empty set with these limits. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Encoding, ListpackLimits, Score, ZSet};
    ///
    /// let limits = ListpackLimits { max_listpack_entries: 1, ..ListpackLimits::default() };
    /// let mut set = ZSet::with_limits(limits);
    /// set.insert("a", Score::from(1));
    /// assert_eq!(set.encoding(), Encoding::Listpack);
    /// set.insert("b", Score::from(2));
    /// assert_eq!(set.encoding(), Encoding::Skiplist);
    /// ```
    pub const fn with_limits(limits: ListpackLimits) -> Self {
        ZSet { elements: Elements::Listpack(PackedZSet::new()), limits }
    }
}

/// Converts an element of a skip list to an element of a `ZSet`.
#[inline]
pub(super) fn borrowed<'a>((member, score): (&'a ByteString, &Score)) -> (Member<'a>, Score) {
    (Member::from(&**member), *score)
}

/// Converts the bounds of a range to the form that a skip list accepts.
pub(super) fn lent<'r, 'q: 'r>(
    range: &'r impl RangeBounds<(Score, &'q [u8])>,
) -> (Bound<(&'r Score, &'r [u8])>, Bound<(&'r Score, &'r [u8])>) {
    let bound = |bound: Bound<&'r (Score, &'q [u8])>| bound.map(|(score, member)| (score, *member));
    (bound(range.start_bound()), bound(range.end_bound()))
}

/// Returns the elements of a skip list whose members lie in the range.
fn lex_range<'a, 'q>(
    set: &'a Sorted,
    range: &impl RangeBounds<&'q [u8]>,
) -> sorted_set::Iter<'a, ByteString, Score> {
    let bounds = (range.start_bound().cloned(), range.end_bound().cloned());
    match (set.first(), set.last()) {
        (Some((_, first)), Some((_, last))) if first == last => set.range_by_member(first, bounds),
        // Scores differ, so members need not be in ascending order, and the result is unspecified.
        // Search as if they were in order, like Redis.
        _ => {
            let start = partition_point(set, |member| is_before(&member, range.start_bound()));
            let end = partition_point(set, |member| !is_after(&member, range.end_bound()));
            set.range_by_rank(start..end)
        }
    }
}

/// Returns the ranks of the elements that `lex_range` returns.
pub(super) fn lex_ranks<'q>(set: &Sorted, range: &impl RangeBounds<&'q [u8]>) -> Range<usize> {
    let mut elements = lex_range(set, range);
    let len = elements.len();
    let start = elements.next().and_then(|(member, _)| set.rank(&**member)).unwrap_or(0);
    start..start + len
}

/// Returns a rank at which `is_below` changes from true to false, found by binary search.
fn partition_point(set: &Sorted, is_below: impl Fn(&[u8]) -> bool) -> usize {
    bounds::partition_point(set.len(), |rank| {
        set.get_by_rank(rank).is_some_and(|(member, _)| is_below(member))
    })
}
