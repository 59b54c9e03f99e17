//! [`Timeline`], a feed of posts, newest first, and its iterators and cursors.

mod merge;
#[cfg(test)]
mod tests;

pub use merge::{MergedPost, MergedPosts, MergedTimelines};

use core::fmt;
use core::hash::Hash;
use core::iter::Rev;
use core::time::Duration;

use zset_core::sorted_set::{Drain, IntoIter, Iter};
use zset_core::{Equivalent, SortedSet};

use crate::Timestamp;
use crate::mapped::mapped_iterator;

// Invariants: there are at most `max_len` posts, no post is later than `newest`, and every post is
// less than `max_age` older than `newest`. If the code of an id panics, posts beyond the caps may
// remain until the next post evicts them.
//
// The sorted set is in ascending order of `(time, id)`, and every view iterates it backward. So
// pages, cursors and merges share one order: descending `(time, id)`.

/// A feed: unique ids, each with the time at which it was posted, newest first.
///
/// Posts with equal times are in descending order of id. Posts may arrive out of order. [`before`]
/// returns the page after the last entry of the previous page, so new posts do not make a page skip
/// or repeat an entry. [`MergedTimelines`] reads several timelines as one.
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
/// A timeline grows with each new post unless it is capped. [`with_max_len`] keeps only the newest
/// posts. [`with_max_age`] removes posts that reach a given age, measured from the newest time
/// seen. A timeline uses as much memory as a sorted set of its posts.
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
/// With the `serde` feature, a timeline serializes as a sequence of id-time pairs (oldest first),
/// its caps and the newest time seen. Deserializing fails if ids are repeated, or if posts violate
/// the caps or are later than the newest time.
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
    pub fn new() -> Self {
        Timeline { posts: SortedSet::new(), max_len: None, max_age: None, newest: Timestamp::ZERO }
    }
}

impl<Id: Ord + Hash> Timeline<Id> {
    /// Returns the timeline with a bound on the number of posts: it keeps the newest `max_len`.
    /// **O(m log n)** for m posts evicted.
    pub fn with_max_len(mut self, max_len: usize) -> Self {
        self.max_len = Some(max_len);
        self.trim();
        self
    }

    /// Returns the timeline with a bound on the age of posts. **O(m log n)** for m posts expired.
    ///
    /// A post expires when its age reaches `max_age`. Age is relative to the newest time seen, from
    /// a post or from [`expire`](Self::expire), so a clock that steps back restores nothing.
    ///
    /// A post from a clock that runs ahead advances that time. The others then expire too early by
    /// the same amount, and until the clocks have caught up, new posts may be [too
    /// old](Posted::TooOld). Removing the post does not undo this; only [`clear`](Self::clear)
    /// does. So if you do not trust the clock of a post, post at `at.min(now)`.
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
        if let Some((_, &oldest)) = self.posts.first() {
            assert!(!self.is_too_old(oldest, self.newest), "a post is too old");
        }
        if let Some((_, &latest)) = self.posts.last() {
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

/// The outcome of [`Timeline::post`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posted<Id> {
    /// The id is new in the timeline.
    New,
    /// The id was already in the timeline, and now has the new time, which may equal the old one.
    Moved {
        /// The previous time.
        from: Timestamp,
    },
    /// The post is older than the caps allow. The timeline is unchanged, and the id is returned.
    TooOld(Id),
}

impl<Id: Ord + Hash> Timeline<Id> {
    /// Posts an id at a time, or moves an existing id to that time. **O(log n)** amortized: O(log
    /// n), plus O(log n) for each post evicted or expired.
    ///
    /// Evicted and expired posts are dropped; to keep them, remove them first with
    /// [`pop_oldest`](Self::pop_oldest). If the post itself is older than the caps allow, this is a
    /// no-op: an existing id keeps its old time.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn post(&mut self, id: Id, at: Timestamp) -> Posted<Id> {
        let newest = self.newest.max(at);
        let is_too_old = self.is_too_old(at, newest)
            || self.is_full() && self.is_before_all(at, &id) && !self.posts.contains(&id);
        if is_too_old {
            return Posted::TooOld(id);
        }
        self.newest = newest;
        let old = self.posts.insert(id, at);
        // This never drops the new post: as checked above, it is not too old, and not the oldest
        // post of a full timeline.
        self.trim();
        match old {
            None => Posted::New,
            Some(from) => Posted::Moved { from },
        }
    }

    /// Removes a post and returns its time. **O(log n)**.
    pub fn remove<Q>(&mut self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.posts.remove(id)
    }

    /// Removes and returns the oldest post. **O(log n)**.
    pub fn pop_oldest(&mut self) -> Option<(Id, Timestamp)> {
        self.posts.pop_first()
    }

    /// Advances the time, removes the posts that are now too old, and returns them, oldest first.
    /// **O(log n)**, plus O(m) expected for m posts expired.
    ///
    /// All of them are removed at once; those that the iterator has not returned are dropped with
    /// it. Without [`with_max_age`](Self::with_max_age), no post expires. A time before the newest
    /// one seen is treated as the newest.
    pub fn expire(&mut self, now: Timestamp) -> Drain<'_, Id, Timestamp> {
        self.newest = self.newest.max(now);
        let excess = self.excess();
        self.posts.drain_by_rank(..excess)
    }

    /// Removes all posts and forgets the newest time seen, keeping the caps. **O(n)**.
    pub fn clear(&mut self) {
        self.posts.clear();
        self.newest = Timestamp::ZERO;
    }

    /// Drops the posts that exceed the caps.
    fn trim(&mut self) {
        // A post usually evicts at most one other post. For one post, a pop is faster than removing
        // a range.
        for _ in 0..self.excess() {
            self.posts.pop_first();
        }
    }

    /// Returns the number of oldest posts that exceed the caps. **O(1)** if none is too old.
    fn excess(&self) -> usize {
        let above = self.max_len.map_or(0, |max_len| self.len().saturating_sub(max_len));
        match (self.posts.first(), self.max_age) {
            (Some((_, &oldest)), Some(max_age)) if self.is_too_old(oldest, self.newest) => {
                let too_old = ..=self.newest.saturating_sub(max_age);
                above.max(self.posts.count_by_score(too_old))
            }
            _ => above,
        }
    }

    fn is_before_all(&self, at: Timestamp, id: &Id) -> bool {
        self.posts.first().is_none_or(|(first, time)| (at, id) < (*time, first))
    }
}

impl<Id> Timeline<Id> {
    /// Returns whether an id is in the timeline. **O(1)** expected.
    pub fn contains<Q>(&self, id: &Q) -> bool
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.posts.contains(id)
    }

    /// Returns the time of a post. **O(1)** expected.
    pub fn posted_at<Q>(&self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.posts.score(id).copied()
    }

    /// Returns the number of posts. **O(1)**.
    pub fn len(&self) -> usize {
        self.posts.len()
    }

    /// Returns whether there are no posts. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.posts.is_empty()
    }

    /// Returns all posts, newest first. Lazy, double-ended, **O(1)** per step.
    pub fn iter(&self) -> Posts<'_, Id> {
        Posts(self.posts.iter().rev())
    }

    /// Returns the `n` newest posts, newest first, or all if there are fewer. Lazy; **O(log n)** to
    /// start.
    pub fn latest(&self, n: usize) -> Posts<'_, Id> {
        Posts(self.posts.range_by_rank(self.len().saturating_sub(n)..).rev())
    }

    /// Returns the posts at or after a time, newest first. Lazy; **O(log n)** to start.
    pub fn since(&self, at: Timestamp) -> Posts<'_, Id> {
        Posts(self.posts.range_by_score(at..).rev())
    }
}

impl<Id: Ord> Timeline<Id> {
    /// Returns the next page: the `n` newest posts older than a cursor, newest first. Lazy;
    /// **O(log n)** to start.
    ///
    /// Consecutive pages return each post exactly once if its time does not change in between. A
    /// post added in between appears on a later page only if it is older than the cursor. The
    /// cursor's own entry may no longer exist.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::timeline::Cursor;
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut feed = Timeline::from_iter((0..10).map(|id| (id, at(id / 4))));
    /// let mut read = Vec::new();
    /// let mut page: Vec<_> = feed.latest(3).map(Cursor::from).collect();
    /// while let Some(&cursor) = page.last() {
    ///     read.extend(page.iter().map(|post| post.id));
    ///     feed.post(100 + read.len() as u64, at(9));
    ///     feed.remove(&cursor.id);
    ///     page = feed.before(&cursor, 3).map(Cursor::from).collect();
    /// }
    /// assert!(read.into_iter().eq((0..10).rev()));
    /// ```
    pub fn before(&self, cursor: &Cursor<Id>, n: usize) -> Posts<'_, Id> {
        let older = self.posts.range(..(&cursor.at, &cursor.id)).len();
        Posts(self.posts.range_by_rank(older.saturating_sub(n)..older).rev())
    }
}

/// An iterator over entries of a [`Timeline`], newest first: all of them, a page,
/// or those since a time.
///
/// It is lazy, double-ended and exact-size; `.rev()` yields the oldest first. Each step is
/// **O(1)**; `nth` and `nth_back`, and so `skip`, are **O(log n)**.
pub struct Posts<'a, Id>(Rev<Iter<'a, Id, Timestamp>>);

/// Converts an entry of the set.
fn post<'a, Id>((id, at): (&'a Id, &Timestamp)) -> (&'a Id, Timestamp) {
    (id, *at)
}

mapped_iterator!(['a, Id] Posts<'a, Id>, (&'a Id, Timestamp), post);

impl<Id> Clone for Posts<'_, Id> {
    fn clone(&self) -> Self {
        Posts(self.0.clone())
    }
}

impl<Id: fmt::Debug> fmt::Debug for Posts<'_, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// A position in a timeline: the last entry of a page. The entry may no longer exist.
///
/// Cursors are ordered by time, then by id. Every entry of the next page is less than the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct Cursor<Id> {
    /// When the entry was posted.
    pub at: Timestamp,
    /// The entry's id.
    pub id: Id,
}

/// Creates the cursor of an entry as returned by the iterators of a [`Timeline`].
impl<Id: Clone> From<(&Id, Timestamp)> for Cursor<Id> {
    fn from((id, at): (&Id, Timestamp)) -> Self {
        Cursor { at, id: id.clone() }
    }
}

impl<Id> Default for Timeline<Id> {
    fn default() -> Self {
        Self::new()
    }
}

/// Two timelines are equal if they have the same posts at the same times, regardless of their caps.
/// **O(n)**.
impl<Id: PartialEq> PartialEq for Timeline<Id> {
    fn eq(&self, other: &Self) -> bool {
        self.posts == other.posts
    }
}

impl<Id: Eq> Eq for Timeline<Id> {}

/// Posts each entry in order; those that are too old are dropped.
impl<Id: Ord + Hash> Extend<(Id, Timestamp)> for Timeline<Id> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (Id, Timestamp)>>(&mut self, posts: I) {
        for (id, at) in posts {
            self.post(id, at);
        }
    }
}

/// Creates a timeline without caps. If an id repeats, the last time wins.
impl<Id: Ord + Hash> FromIterator<(Id, Timestamp)> for Timeline<Id> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (Id, Timestamp)>>(posts: I) -> Self {
        let mut timeline = Timeline::new();
        timeline.extend(posts);
        timeline
    }
}

impl<Id: Ord + Hash, const N: usize> From<[(Id, Timestamp); N]> for Timeline<Id> {
    #[track_caller]
    fn from(posts: [(Id, Timestamp); N]) -> Self {
        posts.into_iter().collect()
    }
}

/// Iterates newest first, like [`Timeline::iter`].
impl<Id> IntoIterator for Timeline<Id> {
    type Item = (Id, Timestamp);
    type IntoIter = Rev<IntoIter<Id, Timestamp>>;

    fn into_iter(self) -> Self::IntoIter {
        self.posts.into_iter().rev()
    }
}

impl<'a, Id> IntoIterator for &'a Timeline<Id> {
    type Item = (&'a Id, Timestamp);
    type IntoIter = Posts<'a, Id>;

    fn into_iter(self) -> Posts<'a, Id> {
        self.iter()
    }
}

#[cfg(feature = "serde")]
mod serde {
    //! Deserialization of a timeline, which checks the invariants.

    use core::hash::Hash;
    use core::time::Duration;

    use serde::Deserialize;
    use zset_core::SortedSet;

    use super::Timeline;
    use crate::Timestamp;

    #[derive(Deserialize)]
    #[serde(bound(deserialize = "Id: Deserialize<'de> + Ord + Hash"), rename = "Timeline")]
    pub(super) struct Unchecked<Id> {
        posts: SortedSet<Id, Timestamp>,
        max_len: Option<usize>,
        max_age: Option<Duration>,
        newest: Timestamp,
    }

    impl<Id> TryFrom<Unchecked<Id>> for Timeline<Id> {
        type Error = &'static str;

        fn try_from(read: Unchecked<Id>) -> Result<Self, Self::Error> {
            let Unchecked { posts, max_len, max_age, newest } = read;
            let timeline = Timeline { posts, max_len, max_age, newest };
            if timeline.is_over_full() {
                return Err("timeline has more posts than its cap allows");
            }
            if timeline
                .posts
                .first()
                .is_some_and(|(_, oldest)| timeline.is_too_old(*oldest, newest))
            {
                return Err("timeline has a post that is too old");
            }
            if timeline.posts.last().is_some_and(|(_, latest)| *latest > newest) {
                return Err("timeline has a post newer than its newest time");
            }
            Ok(timeline)
        }
    }

    #[cfg(test)]
    mod tests {
        use std::format;
        use std::string::{String, ToString};

        use super::*;

        fn read(text: &str) -> Result<Timeline<u32>, String> {
            serde_json::from_str(text).map_err(|error| error.to_string())
        }

        #[test]
        fn repeated_ids_and_posts_beyond_the_caps_are_errors() {
            let with = |posts, len, age, newest| {
                format!(r#"{{"posts":{posts},"max_len":{len},"max_age":{age},"newest":{newest}}}"#)
            };
            let second = r#"{"secs":1,"nanos":0}"#;
            assert_eq!(read(&with("[[7,1],[8,2]]", "2", second, 1_000_000_000)).unwrap().len(), 2);
            let errors = [
                (with("[[7,1],[7,2]]", "null", "null", 2), "element 1 repeats"),
                (with("[[7,1],[8,2]]", "1", "null", 2), "more posts"),
                (with("[[7,1],[8,2]]", "null", second, 1_000_000_001), "too old"),
                (with("[[7,1],[8,2]]", "null", "null", 1), "newer than its newest time"),
                (with("7", "null", "null", 1), "a sequence of members and scores"),
            ];
            for (text, expected) in errors {
                let error = read(&text).unwrap_err();
                assert!(error.contains(expected), "{error}");
            }
        }
    }
}
