//! Waiting until a clock shows a time.

use std::sync::Arc;
use std::task::{Wake, Waker};

use super::{Clock, Timestamp};
use crate::sync::thread::{self, Thread};

/// A clock for whose time a thread can wait.
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
    /// Blocks this thread until a time, or until it is unparked; like [`std::thread::park`] also
    /// for no reason.
    fn park_until(&self, at: Timestamp);
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

/// What is ready at a time.
#[cfg(feature = "async")]
pub(crate) type Sleep = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// A clock for whose time a future can wait, in any runtime or none.
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
    /// Returns a future that is ready at a time, or earlier: check the clock again afterwards.
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

/// Returns what unparks this thread.
pub(crate) fn waker_of_this_thread() -> Waker {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    Waker::from(Arc::new(Unpark(thread::current())))
}
