//! The clock of the limiters: it says what it was told.

use std::cell::Cell;
use std::rc::Rc;

use governor::nanos::Nanos;
use zset_std::Timestamp;

/// A clock for the limiters of both crates. Its clones are the same clock.
///
/// Each crate has such a clock for tests, but those are atomic, and one of them orders all that
/// threads do: that would be measured instead of the limiters.
#[derive(Clone, Default, Debug)]
pub struct GivenClock(Rc<Cell<u64>>);

impl GivenClock {
    /// Sets it to so many nanoseconds.
    #[inline]
    pub fn set(&self, nanos: u64) {
        self.0.set(nanos);
    }

    /// Returns the nanoseconds that it stands at.
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
