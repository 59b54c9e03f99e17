//! [`FakeClock`]: a clock that tests advance manually.

use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::thread;
use std::time::Duration;
use std::vec::Vec;

use super::{Clock, Timestamp};
use crate::sync::{wake_all, waker_of_this_thread};

/// A clock for tests that is advanced manually. Clones share the same time.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Clock, FakeClock, Timestamp};
///
/// let clock = FakeClock::new();
/// clock.advance(Duration::from_nanos(5));
/// assert_eq!(clock.now(), Timestamp::from_nanos(5));
/// clock.set(Timestamp::ZERO); // clocks can step back
/// assert_eq!(clock.clone().now(), Timestamp::ZERO);
/// ```
///
/// A thread or future that waits on this clock wakes when the clock reaches the time it waits for.
#[derive(Clone, Default)]
pub struct FakeClock {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    nanos: AtomicU64,
    /// The wakers to call when the time changes.
    sleepers: Mutex<Vec<Waker>>,
}

impl FakeClock {
    /// Creates a clock at the origin. **O(1)**.
    pub fn new() -> Self {
        Self::default()
    }

    /// Advances the clock. **O(w)** for w threads and futures waiting on it.
    pub fn advance(&self, duration: Duration) {
        self.set(self.now().saturating_add(duration));
    }

    /// Sets the clock, forward or back. **O(w)** for w threads and futures waiting on it.
    pub fn set(&self, now: Timestamp) {
        self.shared.nanos.store(now.as_nanos(), Ordering::SeqCst);
        let sleepers = mem::take(&mut *self.sleepers());
        wake_all(sleepers);
    }

    fn sleepers(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.shared.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the time is at least `at`, after registering `waker` for the next change.
    fn is_past(&self, at: Timestamp, waker: &Waker) -> bool {
        // Register the waker before reading the time, so that no change of the time is missed: a
        // change after the read calls the waker.
        let mut sleepers = self.sleepers();
        if !sleepers.iter().any(|sleeper| sleeper.will_wake(waker)) {
            sleepers.push(waker.clone());
        }
        drop(sleepers);
        self.now() >= at
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(self.shared.nanos.load(Ordering::SeqCst))
    }

    fn park_until(&self, at: Timestamp) {
        if !self.is_past(at, &waker_of_this_thread()) {
            thread::park();
        }
    }

    #[cfg(feature = "async")]
    fn sleep_until(&self, at: Timestamp) -> super::Sleep {
        let clock = self.clone();
        std::boxed::Box::pin(std::future::poll_fn(move |context| {
            if clock.is_past(at, context.waker()) {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        }))
    }
}

impl fmt::Debug for FakeClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FakeClock").field(&self.now()).finish()
    }
}

#[cfg(all(test, not(zset_loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    use super::*;

    struct Panicking;

    impl Wake for Panicking {
        fn wake(self: Arc<Self>) {
            panic!("a waker");
        }
    }

    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Wake for Counting {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_waker_that_panics_does_not_leave_the_others_asleep() {
        let clock = FakeClock::new();
        let (before, after) = (Arc::new(Counting::default()), Arc::new(Counting::default()));
        let later = Timestamp::from_nanos(1);
        for waker in [before.clone().into(), Arc::new(Panicking).into(), after.clone().into()] {
            assert!(!clock.is_past(later, &waker));
        }
        let set = catch_unwind(AssertUnwindSafe(|| clock.set(later)));
        assert!(set.is_err());
        assert_eq!(before.0.load(Ordering::Relaxed), 1);
        assert_eq!(after.0.load(Ordering::Relaxed), 1);
    }
}
