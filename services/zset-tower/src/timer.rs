//! [`Timer`] measures how long limiters take, if the feature `metrics` is enabled.

use std::ops::AddAssign;

/// A running measurement; empty without the feature `metrics`.
#[derive(Clone, Copy)]
pub(crate) struct Timer {
    #[cfg(feature = "metrics")]
    start: std::time::Instant,
}

/// How long the limiter of a policy has taken; empty without the feature `metrics`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elapsed {
    #[cfg(feature = "metrics")]
    pub(crate) time: std::time::Duration,
}

impl Timer {
    #[inline]
    pub(crate) fn start() -> Self {
        Timer {
            #[cfg(feature = "metrics")]
            start: std::time::Instant::now(),
        }
    }

    #[inline]
    #[cfg_attr(
        not(feature = "metrics"),
        allow(clippy::unused_self, reason = "no time is measured")
    )]
    pub(crate) fn elapsed(self) -> Elapsed {
        Elapsed {
            #[cfg(feature = "metrics")]
            time: self.start.elapsed(),
        }
    }
}

impl AddAssign for Elapsed {
    #[cfg_attr(not(feature = "metrics"), allow(unused_variables, reason = "no time is measured"))]
    fn add_assign(&mut self, other: Elapsed) {
        #[cfg(feature = "metrics")]
        {
            self.time += other.time;
        }
    }
}
