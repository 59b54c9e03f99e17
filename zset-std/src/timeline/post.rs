//! Posting, removing, and what falls out.

use std::hash::Hash;

use zset_core::Equivalent;

use super::Timeline;
use crate::Timestamp;

/// What became of a post, from [`Timeline::post`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posted<Id> {
    /// It is in the timeline, and was not before.
    New,
    /// It is in the timeline at its new time, and was at another, or the same, before.
    Moved {
        /// When it was posted before.
        from: Timestamp,
    },
    /// It is older than the caps allow, and changed nothing: here it is.
    TooOld(Id),
}

impl<Id: Ord + Hash> Timeline<Id> {
    /// Posts an id at a time, or moves one that is there to it. **O(log n)**, and O(log n) for each
    /// post that falls out by it: as each falls out only once, O(log n) a post over time.
    ///
    /// Posts that fall out are dropped; who needs to see them takes them before, with
    /// [`pop_oldest`](Self::pop_oldest). A post that is itself older than the caps allow changes
    /// nothing, so a post that is there stays at its old time.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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
        // If what is too old goes, the post is the newest of all: it does not go for a full
        // timeline.
        self.trim();
        match old {
            None => Posted::New,
            Some(from) => Posted::Moved { from },
        }
    }

    /// Removes a post; returns when it was posted. **O(log n)**.
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

    /// Tells the timeline the time, and drops what is too old by then; returns how many.
    /// **O(m log n)** for m that fall out.
    ///
    /// Without [`with_max_age`](Self::with_max_age) nothing is too old. A time before the newest
    /// one seen counts as that.
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

    /// Removes all posts; the caps and the newest time seen stay. **O(n)**.
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

    /// Drops what the caps do not allow; returns how many.
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
