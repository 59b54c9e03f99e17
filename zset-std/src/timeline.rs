//! [`Timeline`]: posts by time, newest first, with its iterators and cursors.

// Invariants: there are at most `max_len` posts, no post is later than `newest`, and none is `max_age`
// or more older than `newest`. A panic in the code of an id may leave posts beyond the caps; the next
// post evicts them.
//
// The sorted set is ascending by `(time, id)`, and every view iterates it backward. So pages, cursors
// and merges share one order: the reverse of that of tuples.

mod cursor;
mod merge;
mod post;
mod posts;
mod read;
#[cfg(feature = "serde")]
mod serde;
#[cfg(test)]
mod tests;
mod traits;

pub use cursor::Cursor;
pub use merge::{MergedPost, MergedPosts, MergedTimelines};
pub use post::Posted;
pub use posts::Posts;

use core::hash::Hash;
use core::time::Duration;

use zset_core::SortedSet;

use crate::Timestamp;

/// A feed: unique ids, each with the time at which it was posted, newest first.
///
/// Posts with equal times are in descending order of id. Posts may arrive out of order. [`before`]
/// pages by the last entry of the previous page, so no page skips or repeats an entry while others are
/// posted. [`MergedTimelines`] reads several timelines as one.
///
/// ```text
///                                latest(2)
///                                ├───────┤
///  id    a    d     b        f   c       e
///  ──────┴────┴─────┴────────┴───┴───────┴─────▶ time
///             ├──────────────┤   │       └ newest, at the front
///             before(c, 3)       └ last of the page before: the cursor
/// ```
///
/// A timeline grows with each new post unless capped: [`with_max_len`] keeps only the newest posts, and
/// [`with_max_age`] those that are recent relative to the newest time seen. A post with an 8-byte id
/// uses 25 to 50 bytes in total, plus what the id owns.
///
/// [`before`]: Self::before
/// [`with_max_len`]: Self::with_max_len
/// [`with_max_age`]: Self::with_max_age
///
/// # Examples
///
/// ```
/// use zset_std::timeline::{Cursor, Posted};
/// use zset_std::{Timeline, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let mut feed = Timeline::new().with_max_len(3);
/// assert_eq!(feed.post("hello", at(10)), Posted::New);
/// feed.post("lunch?", at(30));
/// feed.post("rain", at(20)); // out of order
///
/// let page: Vec<_> = feed.latest(2).collect();
/// assert_eq!(page, [(&"lunch?", at(30)), (&"rain", at(20))]);
/// let cursor = Cursor::from(page[1]);
/// feed.post("yes", at(40)); // meanwhile; evicts "hello"
/// feed.post("no", at(15)); // older than all posts kept
/// assert_eq!(feed.before(&cursor, 2).len(), 0);
/// assert!(feed.iter().map(|(id, _)| *id).eq(["yes", "lunch?", "rain"]));
/// ```
///
/// With the `serde` feature, a timeline serializes as a sequence of id-time pairs, oldest first, its
/// caps and the newest time seen. Deserializing fails on repeated ids, or on posts that violate the
/// caps or are later than the newest time.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        bound(
            serialize = "Id: ::serde::Serialize",
            deserialize = "Id: ::serde::Deserialize<'de> + Ord + Hash"
        ),
        try_from = "serde::Unchecked<Id>"
    )
)]
pub struct Timeline<Id> {
    posts: SortedSet<Id, Timestamp>,
    max_len: Option<usize>,
    max_age: Option<Duration>,
    /// The latest time seen, from a post or from [`expire`](Self::expire).
    newest: Timestamp,
}

impl<Id> Timeline<Id> {
    /// Creates an empty timeline without caps. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let mut feed = Timeline::new();
    /// feed.post("hello", Timestamp::from_nanos(1));
    /// assert_eq!(feed.len(), 1);
    /// ```
    pub fn new() -> Self {
        Timeline { posts: SortedSet::new(), max_len: None, max_age: None, newest: Timestamp::ZERO }
    }
}

impl<Id: Ord + Hash> Timeline<Id> {
    /// Returns the timeline with a bound on the number of posts: it keeps the newest `max_len`.
    /// **O(m log n)** for m posts evicted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::timeline::Posted;
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let feed = Timeline::from([("a", at(1)), ("b", at(2)), ("c", at(3))]);
    /// let mut feed = feed.with_max_len(2);
    /// assert!(feed.iter().map(|(id, _)| *id).eq(["c", "b"]));
    /// assert_eq!(feed.post("d", at(4)), Posted::New);
    /// assert!(feed.iter().map(|(id, _)| *id).eq(["d", "c"]));
    /// assert_eq!(feed.post("a", at(1)), Posted::TooOld("a"));
    /// ```
    pub fn with_max_len(mut self, max_len: usize) -> Self {
        self.max_len = Some(max_len);
        self.trim();
        self
    }

    /// Returns the timeline with a bound on the age of posts. **O(m log n)** for m posts expired.
    ///
    /// A post expires when its age reaches `max_age`. Age is relative to the newest time seen, from a
    /// post or from [`expire`](Self::expire), so a clock that steps back restores nothing. A post from
    /// the far future expires all others: validate times from untrusted sources.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
    /// let mut feed = Timeline::new().with_max_age(Duration::from_secs(60));
    /// feed.post("a", at(0));
    /// feed.post("b", at(59));
    /// assert!(feed.contains("a"));
    /// feed.post("c", at(60));
    /// assert!(!feed.contains("a"));
    /// ```
    pub fn with_max_age(mut self, max_age: Duration) -> Self {
        self.max_age = Some(max_age);
        self.trim();
        self
    }

    /// Panics with a description of the first broken invariant. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.posts.check();
        assert!(!self.is_over_full(), "more posts than the cap allows");
        if let Some((_, oldest)) = self.posts.first() {
            assert!(!self.is_too_old(oldest, self.newest), "a post is too old");
        }
        if let Some((_, latest)) = self.posts.last() {
            assert!(latest <= self.newest, "a post is newer than the newest time");
        }
    }
}

/// The caps.
impl<Id> Timeline<Id> {
    fn is_too_old(&self, at: Timestamp, newest: Timestamp) -> bool {
        self.max_age.is_some_and(|max_age| newest.saturating_duration_since(at) >= max_age)
    }

    fn is_full(&self) -> bool {
        self.max_len.is_some_and(|max_len| self.posts.len() >= max_len)
    }

    fn is_over_full(&self) -> bool {
        self.max_len.is_some_and(|max_len| self.posts.len() > max_len)
    }
}
