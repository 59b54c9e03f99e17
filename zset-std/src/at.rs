//! [`At`]: a limiter or queue whose clock is fixed at a given time.

use std::fmt;

use crate::Timestamp;

/// A limiter or queue at a given time, returned by its method `at`.
///
/// It consists of a reference to the limiter or queue and a time. It has the methods that depend on
/// the time, except waits. They use this time and do not read the clock.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Keyed, Quota, SlidingWindow, Timestamp};
///
/// let quota = Quota::new(1, Duration::from_secs(60))?;
/// let limiter = Keyed::<String, _>::new(SlidingWindow::new(quota));
/// let at = |seconds| limiter.at(Timestamp::ZERO.saturating_add(Duration::from_secs(seconds)));
/// assert!(at(0).check("ann").is_allowed());
/// assert!(!at(59).check("ann").is_allowed());
/// assert!(at(60).check("ann").is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub struct At<'a, T: ?Sized> {
    of: &'a T,
    now: Timestamp,
}

impl<'a, T: ?Sized> At<'a, T> {
    /// Creates the value that the method `at` of a limiter or queue returns. Use it for a
    /// [`KeyedLimiter`](crate::KeyedLimiter), which does not have that method. **O(1)**.
    #[inline]
    pub fn new(of: &'a T, now: Timestamp) -> Self {
        At { of, now }
    }

    /// Returns the limiter or queue and the fixed time, for the methods of [`timed!`].
    #[inline]
    pub(crate) fn timed(&self) -> (&'a T, Timestamp) {
        (self.of, self.now)
    }
}

impl<T: ?Sized> Clone for At<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for At<'_, T> {}

impl<T: fmt::Debug + ?Sized> fmt::Debug for At<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("At").field("of", &self.of).field("now", &self.now).finish()
    }
}

/// Declares methods that depend on the time, both for a limiter or queue and for its [`At`]. In
/// both, `self.timed()` returns a reference to the limiter or queue, and the time: that of its
/// clock, or the fixed time of the `At`.
macro_rules! timed {
    (impl[$($generics:tt)*] $of:ty { $($methods:tt)* }) => {
        impl<$($generics)*> $of {
            $($methods)*
        }

        impl<$($generics)*> $crate::At<'_, $of> {
            $($methods)*
        }
    };
}

pub(crate) use timed;
