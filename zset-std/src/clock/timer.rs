//! Waiting for a clock to reach a given time.

use std::sync::Arc;
use std::task::{Wake, Waker};

use super::{Clock, Timestamp};
use crate::sync::thread::{self, Thread};

/// A clock that threads can wait on.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Clock, MonotonicClock, Timer};
///
/// let clock = MonotonicClock::new();
/// let later = clock.now().saturating_add(Duration::from_millis(1));
/// while clock.now() < later {
///     clock.park_until(later);
/// }
/// ```
pub trait Timer: Clock {
    /// Blocks the current thread until time `at`, or until it is unparked. Like [`std::thread::park`],
    /// it may wake spuriously.
    fn park_until(&self, at: Timestamp);
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

impl<C: Timer + ?Sized> Timer for &C {
    fn park_until(&self, at: Timestamp) {
        (**self).park_until(at);
    }
}

impl<C: Timer + ?Sized> Timer for Arc<C> {
    fn park_until(&self, at: Timestamp) {
        (**self).park_until(at);
    }
}

/// A future that completes at a given time.
#[cfg(feature = "async")]
pub(crate) type Sleep = std::pin::Pin<std::boxed::Box<dyn Future<Output = ()> + Send>>;

/// A clock that futures can wait on, in any runtime or none.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{AsyncTimer, Clock, MonotonicClock};
///
/// # pollster::block_on(async {
/// let clock = MonotonicClock::new();
/// clock.sleep_until(clock.now().saturating_add(Duration::from_millis(1))).await;
/// # });
/// ```
#[cfg(feature = "async")]
pub trait AsyncTimer: Clock {
    /// Returns a future that completes at time `at`.
    ///
    /// It may complete early, so check the time again afterwards.
    fn sleep_until(&self, at: Timestamp) -> Sleep;
}

#[cfg(feature = "async")]
impl<C: AsyncTimer + ?Sized> AsyncTimer for &C {
    fn sleep_until(&self, at: Timestamp) -> Sleep {
        (**self).sleep_until(at)
    }
}

#[cfg(feature = "async")]
impl<C: AsyncTimer + ?Sized> AsyncTimer for Arc<C> {
    fn sleep_until(&self, at: Timestamp) -> Sleep {
        (**self).sleep_until(at)
    }
}

/// Returns a waker that unparks the current thread.
pub(crate) fn waker_of_this_thread() -> Waker {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    Waker::from(Arc::new(Unpark(thread::current())))
}
