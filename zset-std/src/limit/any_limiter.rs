//! [`AnyLimiter`]: an algorithm that is chosen at run time.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use super::limiter::Under;
use super::{Decision, FixedWindow, Funnel, Limiter, Quota, SingleQuota, WindowCounter};
use crate::Timestamp;

/// One of four algorithms. Use it to combine different algorithms in [`Limits`](super::Limits), or
/// if a configuration selects the algorithm.
///
/// It is an enum rather than a trait object, so the state of a key is stored inline, in 40 bytes if
/// there is an allocator. Only two kinds of state are on the heap: that of a sliding window, and
/// what a counter needs if its calls use different periods or it counts 2^32 units or more.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{AnyLimiter, Funnel, Keyed, Limits, Quota, Timestamp, WindowCounter};
///
/// // Ten per second, smoothed, and a million per day in constant memory.
/// let smooth = Funnel::new(Quota::new(10, Duration::from_secs(1))?).with_capacity(1)?;
/// let daily = WindowCounter::new(Quota::new(1_000_000, Duration::from_secs(86_400))?);
/// let limits = Limits::new([AnyLimiter::from(smooth), daily.into()]);
/// let limiter = Keyed::<u32, _>::new(limits);
/// assert!(limiter.at(Timestamp::ZERO).check_n(&7, 1).is_allowed());
/// let denied = limiter.at(Timestamp::ZERO).check_n(&7, 1);
/// assert_eq!(denied.retry_after(), Some(Duration::from_millis(100)));
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyLimiter {
    /// An exact sliding window.
    #[cfg(feature = "alloc")]
    SlidingWindow(super::SlidingWindow),
    /// An approximate sliding window.
    WindowCounter(WindowCounter),
    /// A plain counter.
    FixedWindow(FixedWindow),
    /// A leaky bucket.
    Funnel(Funnel),
}

impl From<WindowCounter> for AnyLimiter {
    fn from(limiter: WindowCounter) -> Self {
        AnyLimiter::WindowCounter(limiter)
    }
}

impl From<FixedWindow> for AnyLimiter {
    fn from(limiter: FixedWindow) -> Self {
        AnyLimiter::FixedWindow(limiter)
    }
}

impl From<Funnel> for AnyLimiter {
    fn from(limiter: Funnel) -> Self {
        AnyLimiter::Funnel(limiter)
    }
}

/// The state of a key, as left by the variant that last used it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyState {
    /// The key has not been used.
    New,
    #[cfg(feature = "alloc")]
    SlidingWindow(Box<<super::SlidingWindow as Limiter>::State>),
    WindowCounter(<WindowCounter as Limiter>::State),
    FixedWindow(<FixedWindow as Limiter>::State),
    Funnel(<Funnel as Limiter>::State),
}

/// Calls the limiter inside.
macro_rules! each {
    ($any:expr, $limiter:ident => $call:expr) => {
        match $any {
            #[cfg(feature = "alloc")]
            AnyLimiter::SlidingWindow($limiter) => $call,
            AnyLimiter::WindowCounter($limiter) => $call,
            AnyLimiter::FixedWindow($limiter) => $call,
            AnyLimiter::Funnel($limiter) => $call,
        }
    };
}

/// Calls the limiter inside with its state; `$new` is called if the state is new or that of another
/// variant.
macro_rules! with_state {
    ($any:expr, $state:expr, ($limiter:ident, $inside:ident) => $call:expr, $new:expr) => {
        match ($any, $state) {
            #[cfg(feature = "alloc")]
            (AnyLimiter::SlidingWindow($limiter), AnyState::SlidingWindow($inside)) => $call,
            (AnyLimiter::WindowCounter($limiter), AnyState::WindowCounter($inside)) => $call,
            (AnyLimiter::FixedWindow($limiter), AnyState::FixedWindow($inside)) => $call,
            (AnyLimiter::Funnel($limiter), AnyState::Funnel($inside)) => $call,
            _ => $new,
        }
    };
}

impl AnyLimiter {
    /// Returns the quota. **O(1)**.
    pub const fn quota(self) -> Quota {
        each!(self, limiter => limiter.quota())
    }

    /// Returns the state of an unused key of this variant.
    fn new_state(&self) -> AnyState {
        match self {
            #[cfg(feature = "alloc")]
            AnyLimiter::SlidingWindow(_) => {
                AnyState::SlidingWindow(Box::new(super::SlidingWindow::NEW))
            }
            AnyLimiter::WindowCounter(_) => AnyState::WindowCounter(WindowCounter::NEW),
            AnyLimiter::FixedWindow(_) => AnyState::FixedWindow(FixedWindow::NEW),
            AnyLimiter::Funnel(_) => AnyState::Funnel(Funnel::NEW),
        }
    }
}

impl Limiter for AnyLimiter {
    type State = AnyState;

    const NEW: AnyState = AnyState::New;

    const ADAPTS: bool = true;

    fn check_n(&self, state: &mut AnyState, n: u32, now: Timestamp) -> Decision {
        with_state!(self, &mut *state, (limiter, state) => limiter.check_n(state, n, now), {
            *state = self.new_state();
            self.check_n(state, n, now)
        })
    }

    fn peek_n(&self, state: &AnyState, n: u32, now: Timestamp) -> Decision {
        with_state!(self, state, (limiter, state) => limiter.peek_n(state, n, now), {
            each!(self, limiter => limiter.peek_n(&new(limiter), n, now))
        })
    }

    fn record(&self, state: &mut AnyState, n: u32, now: Timestamp) {
        with_state!(self, &mut *state, (limiter, state) => limiter.record(state, n, now), {
            *state = self.new_state();
            self.record(state, n, now);
        });
    }

    fn refund(&self, state: &mut AnyState, n: u32) -> u32 {
        with_state!(self, state, (limiter, state) => limiter.refund(state, n), 0)
    }

    fn idle_from(&self, state: &AnyState) -> Timestamp {
        with_state!(self, state, (limiter, state) => limiter.idle_from(state), Timestamp::ZERO)
    }

    /// Units do not carry over from one variant to another.
    fn adapt(&self, state: &mut AnyState, before: &Self) {
        match (self, before, &mut *state) {
            #[cfg(feature = "alloc")]
            (
                AnyLimiter::SlidingWindow(limiter),
                AnyLimiter::SlidingWindow(before),
                AnyState::SlidingWindow(log),
            ) => limiter.adapt(log, before),
            (
                AnyLimiter::WindowCounter(limiter),
                AnyLimiter::WindowCounter(before),
                AnyState::WindowCounter(counts),
            ) => limiter.adapt(counts, before),
            (
                AnyLimiter::FixedWindow(limiter),
                AnyLimiter::FixedWindow(before),
                AnyState::FixedWindow(counts),
            ) => limiter.adapt(counts, before),
            (AnyLimiter::Funnel(_), AnyLimiter::Funnel(_), AnyState::Funnel(_)) => {}
            _ => *state = AnyState::New,
        }
    }

    fn terms(&self) -> Option<Funnel> {
        each!(self, limiter => limiter.terms())
    }

    fn under(&self, terms: Funnel) -> Option<impl Limiter<State = AnyState>> {
        let limiter = match self {
            // A funnel records units at its own rate, so replace it by the funnel of the terms.
            AnyLimiter::Funnel(_) => AnyLimiter::Funnel(terms),
            limiter => *limiter,
        };
        Some(Under { limiter, terms })
    }
}

/// The terms are a [`Funnel`], since the algorithm may be a funnel. The other algorithms use only
/// the quota of the terms.
impl SingleQuota for AnyLimiter {
    type Terms = Funnel;

    fn quota(&self) -> Quota {
        AnyLimiter::quota(*self)
    }

    fn set_quota(&mut self, terms: Funnel) {
        each!(self, limiter => limiter.set_quota(terms_of(terms)));
    }

    fn check_with(&self, state: &mut AnyState, terms: Funnel, n: u32, now: Timestamp) -> Decision {
        with_state!(self, &mut *state, (limiter, state) => {
            limiter.check_with(state, terms_of(terms), n, now)
        }, {
            *state = self.new_state();
            self.check_with(state, terms, n, now)
        })
    }

    fn peek_with(&self, state: &AnyState, terms: Funnel, n: u32, now: Timestamp) -> Decision {
        with_state!(self, state, (limiter, state) => {
            limiter.peek_with(state, terms_of(terms), n, now)
        }, {
            each!(self, limiter => limiter.peek_with(&new(limiter), terms_of(terms), n, now))
        })
    }

    fn refund_with(&self, state: &mut AnyState, terms: Funnel, n: u32) -> u32 {
        with_state!(self, state, (limiter, state) => {
            limiter.refund_with(state, terms_of(terms), n)
        }, 0)
    }
}

/// Returns the state of an unused key.
fn new<L: Limiter>(_: &L) -> L::State {
    L::NEW
}

/// Converts to the terms of an algorithm.
fn terms_of<T: From<Funnel>>(funnel: Funnel) -> T {
    funnel.into()
}
