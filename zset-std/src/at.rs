//! [`At`]: a type with a clock, at a given time.

use std::fmt;

use crate::Timestamp;

/// A limiter or queue whose clock is fixed at a given time, returned by its method `at`.
///
/// It is a reference and a time, and has the methods that depend on the time. They work like those
/// of the limiter or queue, without reading its clock.
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
    /// Creates the value that the method `at` of a limiter or queue returns. It is for a
    /// [`KeyedLimiter`](crate::KeyedLimiter), which does not have the method. **O(1)**.
    #[inline]
    pub fn new(of: &'a T, now: Timestamp) -> Self {
        At { of, now }
    }

    /// Returns the reference and the time for [`timed!`] methods.
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

/// Declares methods that depend on the time, both for a type with a clock and for [`At`] of it. In
/// both, `self.timed()` returns a reference to the type and the time, which is read from the clock
/// or given.
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
