//! [`Buckets`]: how a windowed leaderboard divides time.

use core::error::Error;
use core::fmt;
use core::num::{NonZeroU64, NonZeroUsize};
use core::time::Duration;

use crate::Timestamp;
use crate::clock::nanos;

/// How a [`WindowedLeaderboard`](crate::WindowedLeaderboard) divides time: the width of a bucket,
/// the number kept, and when they start.
///
/// By default, buckets start at the origin of the clock and at each multiple of their width. With a
/// [`SystemClock`](crate::SystemClock), one-day buckets are therefore days in UTC. For another time
/// zone, or for weeks that start on Monday, pass the start of any bucket to
/// [`with_start`](Self::with_start). All buckets after the first have the same width, so days of 23
/// hours cannot be represented.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::windowed_leaderboard::BucketsError;
/// use zset_std::Buckets;
///
/// let week = Buckets::new(Duration::from_secs(86_400), 7)?;
/// assert_eq!((week.width(), week.count()), (Duration::from_secs(86_400), 7));
/// assert_eq!(Buckets::new(Duration::ZERO, 7), Err(BucketsError::ZeroWidth));
/// # Ok::<(), BucketsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buckets {
    /// In nanoseconds.
    width: NonZeroU64,
    count: NonZeroUsize,
    /// The start of the first full bucket, in nanoseconds; less than the width.
    first: u64,
}

/// The error returned by [`Buckets::new`] for a width or count of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BucketsError {
    /// The width is zero.
    ZeroWidth,
    /// The count is zero.
    ZeroCount,
}

impl fmt::Display for BucketsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BucketsError::ZeroWidth => "bucket has a width of zero",
            BucketsError::ZeroCount => "number of buckets is zero",
        })
    }
}

impl Error for BucketsError {}

impl Buckets {
    /// Creates buckets of this width; the newest `count` are kept. A width over 584 years is
    /// treated as 584 years. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`BucketsError`] if the width or the count is zero.
    pub fn new(width: Duration, count: usize) -> Result<Buckets, BucketsError> {
        let width = NonZeroU64::new(nanos(width)).ok_or(BucketsError::ZeroWidth)?;
        let count = NonZeroUsize::new(count).ok_or(BucketsError::ZeroCount)?;
        Ok(Buckets { width, count, first: 0 })
    }

    /// Returns the buckets shifted so that one of them starts at `start`. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
    ///
    /// let hours = |n: u64| Timestamp::ZERO.saturating_add(Duration::from_secs(n * 3600));
    /// // In UTC+2, a day starts at 22:00 UTC. The very first one may be shorter.
    /// let days = Buckets::new(Duration::from_secs(86_400), 7)?.with_start(hours(22));
    /// let mut boards = WindowedLeaderboard::new(days);
    /// for (player, hour) in [("ann", 21), ("bob", 22), ("cid", 45), ("dan", 46)] {
    ///     boards.submit(player, 7, hours(hour));
    /// }
    /// let lens = [0, 1, 2].map(|days_ago| boards.bucket(days_ago).map(|board| board.len()));
    /// assert_eq!(lens, [Some(1), Some(2), Some(1)]);
    ///
    /// // 1970 started on a Thursday, so the first Monday is four days later.
    /// let weeks = Buckets::new(Duration::from_secs(7 * 86_400), 4)?.with_start(hours(4 * 24));
    /// # assert_eq!(weeks.count(), 4);
    /// # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
    /// ```
    pub fn with_start(self, start: Timestamp) -> Buckets {
        Buckets { first: start.as_nanos() % self.width, ..self }
    }

    /// Returns the width of a bucket. **O(1)**.
    pub fn width(self) -> Duration {
        Duration::from_nanos(self.width.get())
    }

    /// Returns the number of buckets kept, including the current one. **O(1)**.
    pub fn count(self) -> usize {
        self.count.get()
    }

    /// Returns the number of the bucket that contains `time`; numbers are consecutive.
    pub(super) fn number(self, time: Timestamp) -> u64 {
        match time.as_nanos().checked_sub(self.first) {
            // If `first > 0`, a shorter bucket precedes the first full one. The width is then at
            // least two, so adding one does not overflow.
            Some(since) => since / self.width + u64::from(self.first > 0),
            None => 0,
        }
    }
}

#[cfg(feature = "serde")]
mod serialization {
    use core::time::Duration;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Buckets;
    use crate::Timestamp;

    /// The width in nanoseconds, the number of buckets kept, and the start of the first full one.
    #[derive(Serialize, Deserialize)]
    struct Stored {
        width: u64,
        count: usize,
        first: Timestamp,
    }

    impl Serialize for Buckets {
        fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
            let (width, count) = (self.width.get(), self.count());
            let first = Timestamp::from_nanos(self.first);
            Stored { width, count, first }.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Buckets {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Stored { width, count, first } = Stored::deserialize(deserializer)?;
            let buckets = Buckets::new(Duration::from_nanos(width), count);
            Ok(buckets.map_err(D::Error::custom)?.with_start(first))
        }
    }
}
