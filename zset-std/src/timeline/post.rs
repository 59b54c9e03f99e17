//! Posting, removing and expiring.

use core::hash::Hash;

use zset_core::Equivalent;

use super::Timeline;
use crate::Timestamp;

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
    /// Posts an id at a time, or moves an existing id to that time. **O(log n)** amortized: O(log n),
    /// plus O(log n) for each post evicted or expired.
    ///
    /// Evicted and expired posts are dropped; to keep them, remove them first with
    /// [`pop_oldest`](Self::pop_oldest). If the post itself is older than the caps allow, this is a
    /// no-op: an existing id keeps its old time.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::timeline::Posted;
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut feed = Timeline::new().with_max_len(2);
    /// assert_eq!(feed.post("a", at(5)), Posted::New);
    /// assert_eq!(feed.post("a", at(7)), Posted::Moved { from: at(5) });
    /// assert_eq!(feed.post("b", at(6)), Posted::New);
    /// assert_eq!(feed.post("c", at(3)), Posted::TooOld("c"));
    /// ```
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
        // This never drops the new post: if it makes others too old, it is the newest of all.
        self.trim();
        match old {
            None => Posted::New,
            Some(from) => Posted::Moved { from },
        }
    }

    /// Removes a post and returns its time. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut feed = Timeline::from([("a", at(1))]);
    /// assert_eq!(feed.remove("a"), Some(at(1)));
    /// assert_eq!(feed.remove("a"), None);
    /// ```
    pub fn remove<Q>(&mut self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.posts.remove(id)
    }

    /// Removes and returns the oldest post. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut feed = Timeline::from([("a", at(2)), ("b", at(1))]);
    /// assert_eq!(feed.pop_oldest(), Some(("b", at(1))));
    /// ```
    pub fn pop_oldest(&mut self) -> Option<(Id, Timestamp)> {
        self.posts.pop_first()
    }

    /// Advances the time, drops the posts that are now too old, and returns how many. **O(m log n)**
    /// for m posts expired.
    ///
    /// Without [`with_max_age`](Self::with_max_age), no post expires. A time before the newest one seen
    /// is treated as the newest.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::timeline::Posted;
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut feed = Timeline::new().with_max_age(Duration::from_nanos(10));
    /// feed.post("a", at(5));
    /// assert_eq!(feed.expire(at(14)), 0);
    /// assert_eq!(feed.expire(at(15)), 1);
    /// assert_eq!(feed.post("a", at(5)), Posted::TooOld("a"));
    /// ```
    pub fn expire(&mut self, now: Timestamp) -> usize {
        self.newest = self.newest.max(now);
        self.trim()
    }

    /// Removes all posts, keeping the caps and the newest time seen. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Timeline, Timestamp};
    ///
    /// let mut feed = Timeline::from([("a", Timestamp::ZERO)]);
    /// feed.clear();
    /// assert!(feed.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.posts.clear();
    }

    /// Drops the posts beyond the caps and returns how many.
    pub(super) fn trim(&mut self) -> usize {
        let mut dropped = 0;
        while self
            .posts
            .first()
            .is_some_and(|(_, oldest)| self.is_over_full() || self.is_too_old(oldest, self.newest))
        {
            self.posts.pop_first();
            dropped += 1;
        }
        dropped
    }

    fn is_before_all(&self, at: Timestamp, id: &Id) -> bool {
        self.posts.first().is_none_or(|(first, time)| (at, id) < (time, first))
    }
}
