//! A manually set clock for the limiters.

use std::cell::Cell;
use std::rc::Rc;

use governor::nanos::Nanos;
use zset_std::Timestamp;

/// A clock that implements the clock traits of both crates. Clones share their time.
///
/// Each crate has such a clock for tests, but those are atomic, and one of them uses sequentially
/// consistent ordering: the benchmark would measure that instead of the limiters.
#[derive(Clone, Default, Debug)]
pub struct GivenClock(Rc<Cell<u64>>);

impl GivenClock {
    /// Sets the time in nanoseconds.
    #[inline]
    pub fn set(&self, nanos: u64) {
        self.0.set(nanos);
    }

    /// Returns the time in nanoseconds.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

impl zset_std::Clock for GivenClock {
    #[inline]
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(self.get())
    }
}

impl governor::clock::Clock for GivenClock {
    type Instant = Nanos;

    #[inline]
    fn now(&self) -> Nanos {
        Nanos::new(self.get())
    }
}
