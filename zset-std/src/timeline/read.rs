//! Lookups by id, pages, and posts since a time.

use core::hash::Hash;

use zset_core::Equivalent;

use super::{Cursor, Posts, Timeline};
use crate::Timestamp;

impl<Id> Timeline<Id> {
    /// Returns whether an id is in the timeline. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let feed = Timeline::from([("a".to_string(), Timestamp::ZERO)]);
    /// assert!(feed.contains("a"));
    /// assert!(!feed.contains("b"));
    /// ```
    pub fn contains<Q>(&self, id: &Q) -> bool
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.posts.contains(id)
    }

    /// Returns the time of a post. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let feed = Timeline::from([("a".to_string(), Timestamp::ZERO)]);
    /// assert_eq!(feed.posted_at("a"), Some(Timestamp::ZERO));
    /// assert_eq!(feed.posted_at("b"), None);
    /// ```
    pub fn posted_at<Q>(&self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.posts.score(id)
    }

    /// Returns the number of posts. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// assert_eq!(Timeline::from([("a", Timestamp::ZERO)]).len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.posts.len()
    }

    /// Returns whether there are no posts. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_std::Timeline::<u64>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.posts.is_empty()
    }

    /// Returns all posts, newest first. Lazy, double-ended, **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let feed = Timeline::from([("a", at(1)), ("b", at(2)), ("c", at(2))]);
    /// assert!(feed.iter().eq([(&"c", at(2)), (&"b", at(2)), (&"a", at(1))]));
    /// ```
    pub fn iter(&self) -> Posts<'_, Id> {
        Posts(self.posts.iter())
    }

    /// Returns the `n` newest posts, newest first, or all if there are fewer. Lazy; **O(log n)** to
    /// start.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let feed = Timeline::from([("hello", at(1)), ("rain", at(2)), ("sun", at(3))]);
    /// assert!(feed.latest(2).map(|(id, _)| *id).eq(["sun", "rain"]));
    /// ```
    pub fn latest(&self, n: usize) -> Posts<'_, Id> {
        Posts(self.posts.range_by_rank(self.len().saturating_sub(n)..))
    }

    /// Returns the posts at or after a time, newest first. Lazy; **O(log n)** to start.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let feed = Timeline::from([("a", at(1)), ("b", at(2)), ("c", at(3))]);
    /// assert!(feed.since(at(2)).map(|(id, _)| *id).eq(["c", "b"]));
    /// assert!(feed.since(at(2)).rev().map(|(id, _)| *id).eq(["b", "c"])); // oldest first
    /// ```
    pub fn since(&self, at: Timestamp) -> Posts<'_, Id> {
        Posts(self.posts.range_by_score(at..))
    }
}

impl<Id: Ord> Timeline<Id> {
    /// Returns the next page: the `n` newest posts older than a cursor, newest first. Lazy;
    /// **O(log n)** to start.
    ///
    /// Consecutive pages return each post exactly once if its time does not change in between. A post
    /// added meanwhile appears on a later page only if it is older than the cursor. The cursor's own
    /// entry may no longer exist.
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
        let older = self.posts.range(..(cursor.at, &cursor.id)).len();
        Posts(self.posts.range_by_rank(older.saturating_sub(n)..older))
    }
}
