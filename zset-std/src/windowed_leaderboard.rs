//! [`WindowedLeaderboard`]: a board per bucket of time and a merged board over all of them.

// Invariants: `boards` holds boards of the newest bucket and the ones before it, up to the number of
// buckets kept, and none is empty. The merged board has exactly their members. Each merged score
// combines the member's scores in the buckets as `merge` defines it, so it depends on the buckets
// alone.
//
// A panic in user code during a write may leave the merged board out of date; the next write begins by
// recomputing it. To expire a bucket, each of its members first gets its merged score from the
// remaining buckets and is then removed from the bucket, so an interrupted expiry can resume at any
// point.

mod buckets;
mod merge;
#[cfg(feature = "serde")]
mod serde;
mod submit;
#[cfg(test)]
mod tests;

pub use buckets::{Buckets, BucketsError};

use alloc::collections::BTreeMap;
use core::fmt;

use crate::{Best, Latest, Leaderboard, Sum, Timestamp};

/// Leaderboards over time, for example for today, each day of the week, and the whole week.
///
/// Time is divided into [`Buckets`], and each bucket has its own board: [`current`](Self::current) is
/// the board of the newest bucket, and [`bucket`](Self::bucket) returns earlier ones.
/// [`merged`](Self::merged) is the board over all buckets kept, where the policy combines the scores of
/// each member: [`Best`] yields the best score in any bucket, [`Latest`] the score in the member's
/// newest bucket, and [`Sum`] the sum.
///
/// The merged score of a member depends only on its scores in the buckets, not on the order of
/// calls that produced them. Scores combine from the newest bucket back. If the sum of all of them
/// overflows, only the newest buckets count: as many as have a valid sum in some order of addition.
/// A submission that would make fewer buckets count is an error, so this happens only when a bucket
/// expires, or when the bound evicts a score that kept the sum small. The same holds for any
/// [`Policy`](crate::Policy) that can fail. The bound decides first: a score that it rejects
/// combines with nothing, and is not an error.
///
/// A windowed leaderboard has no clock: each submission passes the current time, and
/// [`advance`](Self::advance) expires buckets that are too old. Reading expires nothing. A time before
/// the newest one seen is treated as the newest, so a late submission counts in the newest bucket, and
/// earlier buckets never gain scores.
///
/// A member uses memory in each bucket where it has a score, and in the merged board.
/// [`with_max_len`](Self::with_max_len) bounds each bucket, and thereby the merged board to that bound
/// times the number of buckets.
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
/// // Seven days, including the current one.
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
/// With the `serde` feature, a windowed leaderboard serializes as its [`Buckets`], the newest time, the
/// bound, and each bucket's board with the bucket's age. Deserializing recomputes the merged board.
pub struct WindowedLeaderboard<Id, S, K = Best> {
    buckets: Buckets,
    /// The latest time seen.
    newest: Timestamp,
    /// Keyed by bucket number; contains expired buckets only while they are being removed.
    boards: BTreeMap<u64, Leaderboard<Id, S, K>>,
    merged: Leaderboard<Id, S, K>,
    /// The initial board of a bucket, with the bound and the index.
    empty: Leaderboard<Id, S, K>,
    /// Set during a write. If set at the start of a write, an earlier one has panicked.
    is_torn: bool,
    /// Whether any member's merged score may omit its oldest buckets. Stays true until the merged board
    /// is cleared or recomputed.
    is_partial: bool,
}

impl<Id, S: Copy> WindowedLeaderboard<Id, S> {
    /// Creates empty boards that keep the best score of each member. **O(1)**.
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
    /// Creates empty boards that keep the latest score of each member. **O(1)**.
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
    /// Creates empty boards that add up the scores of each member. **O(1)**.
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
    /// Creates empty boards with a custom policy. **O(1)**.
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

    /// Returns how time is divided into buckets. **O(1)**.
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

    /// Returns the latest time seen. **O(1)**.
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

    /// Returns the board of the newest bucket. **O(log k)** for k boards.
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
    /// assert!(boards.current().is_empty()); // a new minute
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn current(&self) -> &Leaderboard<Id, S, K> {
        self.boards.get(&self.number()).unwrap_or(&self.empty)
    }

    /// Returns the board of the bucket `ago` buckets before the newest, or `None` if it is not kept.
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
        // Bucket numbers start at zero.
        let number = u64::try_from(ago).ok().and_then(|ago| self.number().checked_sub(ago));
        let board = number.and_then(|number| self.boards.get(&number));
        Some(board.unwrap_or(&self.empty))
    }

    /// Returns the board over all buckets kept. **O(1)**.
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

    /// Returns whether all buckets are empty. **O(1)**.
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

    /// The number of the oldest bucket kept.
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

/// Two are equal if they have the same buckets, newest time and boards.
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
