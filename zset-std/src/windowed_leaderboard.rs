//! [`WindowedLeaderboard`]: a board for each bucket of time, and one over all of them, with its errors.

// Invariants: boards are those of the newest bucket and the ones before it, as many as are kept,
// and none is empty. The merged board has exactly their members; the score of each is what its
// scores of the buckets combine to, as `merge` defines it. So it depends on the buckets alone.
//
// A write that a user's code ends by a panic may leave the merged board behind the others; the next
// write begins by merging anew. A member of a bucket that is too old is first given its score of
// the remaining buckets, and then removed from the old one, so that letting buckets go can be
// broken off and taken up again anywhere.

mod buckets;
mod merge;
#[cfg(feature = "serde")]
mod serde;
mod submit;
#[cfg(test)]
mod tests;

pub use buckets::{Buckets, BucketsError};

use std::collections::BTreeMap;
use std::fmt;

use crate::{Best, Latest, Leaderboard, Sum, Timestamp};

/// Leaderboards of today, of each day of a week, and of the week as a whole.
///
/// Time is cut into [`Buckets`]. Each has a board of its own: [`current`](Self::current) is that of
/// the newest one, [`bucket`](Self::bucket) those before it. [`merged`](Self::merged) is the board
/// over all buckets that are kept: the scores of a member combine as the policy says, so
/// with [`Best`] each member has its best score of any bucket, with [`Latest`] the one of the newest
/// bucket in which it has one, with [`Sum`] their sum.
///
/// The merged score of a member depends only on its scores in the buckets, not on the order of calls
/// that led to them. It combines them from the newest bucket back. If a sum of all of them overflows,
/// the newest buckets count: as many as have a sum that is a score, in whichever order it is added up.
/// A submission after which fewer buckets would count is an error, so this happens only when a bucket
/// expires, or a bound evicts a score that kept the sum small. The same holds for any
/// [`Policy`](crate::Policy) that can fail.
///
/// It holds no clock: each submission says what time it is, and [`advance`](Self::advance) lets
/// buckets go that are too old, which reading does not. A time before the newest that the board was
/// told counts as that one, so a late submission counts in the newest bucket, and no bucket that was
/// shown as over changes afterwards.
///
/// A member takes memory in each bucket in which it has a score, and in the merged board. With
/// [`with_max_len`](Self::with_max_len) each bucket is bounded, and so the merged board is too, by
/// so many for each bucket.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
///
/// const DAY: Duration = Duration::from_secs(86_400);
/// let day = |n: u32| Timestamp::ZERO.saturating_add(DAY * n);
///
/// // Seven days, the current one among them.
/// let mut week = WindowedLeaderboard::new(Buckets::new(DAY, 7)?);
/// week.submit("ann", 90, day(0));
/// week.submit("ann", 50, day(1));
/// week.submit("bob", 70, day(1));
///
/// assert_eq!(week.current().score("ann"), Some(50));
/// assert_eq!(week.merged().score("ann"), Some(90));
/// assert_eq!(week.bucket(1).unwrap().len(), 1); // yesterday
///
/// week.advance(day(7)); // the first day is more than a week ago
/// assert!(week.current().is_empty());
/// assert!(week.merged().iter().map(|line| (*line.member, line.score)).eq([("bob", 70), ("ann", 50)]));
/// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
/// ```
///
/// With the feature `serde` it is the board of each bucket, with how many buckets ago that was, beside
/// how time is cut, the newest time and the bound. The merged board is made of them again.
pub struct WindowedLeaderboard<Id, S, K = Best> {
    buckets: Buckets,
    /// The latest time that it was told.
    newest: Timestamp,
    /// By the numbers of their buckets; while buckets go, too old ones too.
    boards: BTreeMap<u64, Leaderboard<Id, S, K>>,
    merged: Leaderboard<Id, S, K>,
    /// What a bucket starts as.
    empty: Leaderboard<Id, S, K>,
    /// Whether a write is not at its end. Before the next one begins, that takes a panic.
    is_torn: bool,
    /// Whether the merged score of some member may leave out its oldest buckets. Once true, it stays so
    /// until the merged board is cleared or recomputed.
    is_partial: bool,
}

impl<Id, S: Copy> WindowedLeaderboard<Id, S> {
    /// Makes empty boards that keep the best score of each member.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let minute = Duration::from_secs(60);
    /// let mut boards = WindowedLeaderboard::new(Buckets::new(minute, 5)?);
    /// boards.submit("ann", 7, Timestamp::ZERO);
    /// assert_eq!(boards.current().score("ann"), Some(7));
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn new(buckets: Buckets) -> Self {
        Self::for_policy(buckets)
    }
}

impl<Id, S: Copy> WindowedLeaderboard<Id, S, Latest> {
    /// Makes empty boards that keep the latest score of each member.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let mut boards = WindowedLeaderboard::latest(Buckets::new(Duration::from_secs(60), 5)?);
    /// boards.submit("ann", 90, Timestamp::ZERO);
    /// boards.submit("ann", 50, Timestamp::ZERO);
    /// assert_eq!(boards.merged().score("ann"), Some(50));
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn latest(buckets: Buckets) -> Self {
        Self::for_policy(buckets)
    }
}

impl<Id, S: Copy> WindowedLeaderboard<Id, S, Sum> {
    /// Makes empty boards that add up the scores of each member.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let mut hours = WindowedLeaderboard::sum(Buckets::new(Duration::from_secs(3600), 24)?);
    /// let later = Timestamp::ZERO.saturating_add(Duration::from_secs(3600));
    /// hours.try_submit("ann", 90, Timestamp::ZERO)?;
    /// hours.try_submit("ann", 50, later)?;
    /// assert_eq!(hours.current().score("ann"), Some(50));
    /// assert_eq!(hours.merged().score("ann"), Some(140));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sum(buckets: Buckets) -> Self {
        Self::for_policy(buckets)
    }
}

impl<Id, S: Copy, K> WindowedLeaderboard<Id, S, K> {
    /// Makes empty boards with a policy of one's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Sum, Timestamp, WindowedLeaderboard};
    ///
    /// let buckets = Buckets::new(Duration::from_secs(60), 5)?;
    /// let mut boards = WindowedLeaderboard::<&str, u32, Sum>::for_policy(buckets);
    /// boards.try_submit("ann", 3, Timestamp::ZERO).unwrap();
    /// boards.try_submit("ann", 4, Timestamp::ZERO).unwrap();
    /// assert_eq!(boards.merged().score("ann"), Some(7));
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn for_policy(buckets: Buckets) -> Self {
        WindowedLeaderboard {
            buckets,
            newest: Timestamp::ZERO,
            boards: BTreeMap::new(),
            merged: Leaderboard::for_policy(),
            empty: Leaderboard::for_policy(),
            is_torn: false,
            is_partial: false,
        }
    }

    /// Returns how time is cut.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, WindowedLeaderboard};
    ///
    /// let buckets = Buckets::new(Duration::from_secs(60), 5)?;
    /// assert_eq!(WindowedLeaderboard::<&str, u32>::new(buckets).buckets(), buckets);
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn buckets(&self) -> Buckets {
        self.buckets
    }

    /// Returns the latest time that the boards were told. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let minute = Duration::from_secs(60);
    /// let mut boards = WindowedLeaderboard::new(Buckets::new(minute, 5)?);
    /// boards.submit("ann", 7, Timestamp::ZERO);
    /// boards.advance(Timestamp::from_nanos(9));
    /// assert_eq!(boards.newest(), Timestamp::from_nanos(9));
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn newest(&self) -> Timestamp {
        self.newest
    }

    /// Returns the board of the newest bucket that it was told of. **O(log k)** for k boards.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let minute = Duration::from_secs(60);
    /// let mut boards = WindowedLeaderboard::new(Buckets::new(minute, 5)?);
    /// boards.submit("ann", 7, Timestamp::ZERO);
    /// boards.advance(Timestamp::ZERO.saturating_add(minute));
    /// assert!(boards.current().is_empty()); // another minute
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn current(&self) -> &Leaderboard<Id, S, K> {
        self.boards.get(&self.number()).unwrap_or(&self.empty)
    }

    /// Returns the board of the bucket so many before the newest one; none if so many are not kept.
    /// **O(log k)** for k boards.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let mut minutes = WindowedLeaderboard::new(Buckets::new(Duration::from_secs(60), 2)?);
    /// minutes.submit("ann", 7, Timestamp::ZERO);
    /// minutes.advance(Timestamp::ZERO.saturating_add(Duration::from_secs(60)));
    /// assert_eq!(minutes.bucket(0).unwrap().len(), 0);
    /// assert_eq!(minutes.bucket(1).unwrap().len(), 1);
    /// assert!(minutes.bucket(2).is_none());
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn bucket(&self, ago: usize) -> Option<&Leaderboard<Id, S, K>> {
        if ago >= self.buckets.count() {
            return None;
        }
        // Before the first bucket there is nothing.
        let number = u64::try_from(ago).ok().and_then(|ago| self.number().checked_sub(ago));
        let board = number.and_then(|number| self.boards.get(&number));
        Some(board.unwrap_or(&self.empty))
    }

    /// Returns the board over all buckets that are kept. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let minute = Duration::from_secs(60);
    /// let mut boards = WindowedLeaderboard::new(Buckets::new(minute, 5)?);
    /// boards.submit("ann", 7, Timestamp::ZERO);
    /// boards.advance(Timestamp::ZERO.saturating_add(minute));
    /// assert_eq!(boards.merged().score("ann"), Some(7));
    /// boards.advance(Timestamp::ZERO.saturating_add(minute * 5));
    /// assert!(boards.merged().is_empty());
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn merged(&self) -> &Leaderboard<Id, S, K> {
        &self.merged
    }

    /// Returns whether no bucket has a member. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, WindowedLeaderboard};
    ///
    /// let buckets = Buckets::new(Duration::from_secs(60), 5)?;
    /// assert!(WindowedLeaderboard::<&str, u32>::new(buckets).is_empty());
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.merged.is_empty()
    }

    /// The number of the newest bucket.
    fn number(&self) -> u64 {
        self.buckets.number(self.newest)
    }

    /// The number of the oldest bucket that is kept.
    fn oldest(&self) -> u64 {
        let before = u64::try_from(self.buckets.count() - 1).unwrap_or(u64::MAX);
        self.number().saturating_sub(before)
    }
}

impl<Id: Clone, S: Copy, K> Clone for WindowedLeaderboard<Id, S, K> {
    fn clone(&self) -> Self {
        WindowedLeaderboard {
            buckets: self.buckets,
            newest: self.newest,
            boards: self.boards.clone(),
            merged: self.merged.clone(),
            empty: self.empty.clone(),
            is_torn: self.is_torn,
            is_partial: self.is_partial,
        }
    }
}

/// Two are equal if they cut time alike, were told the same time, and have the same boards.
impl<Id: PartialEq, S: PartialEq + Copy, K> PartialEq for WindowedLeaderboard<Id, S, K> {
    fn eq(&self, other: &Self) -> bool {
        (self.buckets, self.newest) == (other.buckets, other.newest) && self.boards == other.boards
    }
}

impl<Id: Eq, S: Eq + Copy, K> Eq for WindowedLeaderboard<Id, S, K> {}

impl<Id: fmt::Debug, S: fmt::Debug + Ord + Copy, K> fmt::Debug for WindowedLeaderboard<Id, S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowedLeaderboard")
            .field("buckets", &self.buckets)
            .field("newest", &self.newest)
            .field("boards", &self.boards)
            .field("merged", &self.merged)
            .finish_non_exhaustive()
    }
}
