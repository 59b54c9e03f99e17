//! Rate limiters: how many units are allowed in a period.
//!
//! # Calls for 0 units
//!
//! Any call may be for 0 units. Such a call is always allowed: even during a block, without room
//! for the key, or while other callers wait in line. It records and holds nothing, inserts no key,
//! does not end a row of denials, and is not reported to an [`Observer`]. But a check of 0 units
//! may record the time and the period of its quota: a later call with an earlier time is then
//! decided at the recorded time, and a counter whose period changes errs on the side of denying.

mod any_limiter;
mod counters;
mod decision;
mod direct;
mod funnel;
mod limiter;
mod penalty;
mod quota;
mod throttle;

#[cfg(feature = "alloc")]
mod limits;
#[cfg(feature = "alloc")]
mod sliding_window;

#[cfg(feature = "std")]
mod hold;
#[cfg(feature = "std")]
mod keyed;
#[cfg(feature = "std")]
mod keyed_limiter;
#[cfg(feature = "std")]
mod lines;
#[cfg(all(test, zset_loom))]
mod loom;
#[cfg(feature = "std")]
mod observer;
#[cfg(feature = "std")]
mod registry;
#[cfg(feature = "std")]
mod wait;

pub use any_limiter::AnyLimiter;
/// zset-redis computes its window counter with the same function.
#[doc(hidden)]
pub use counters::sliding_out;
pub use counters::{FixedWindow, WindowCounter};
pub use decision::{Decision, Verdict};
pub use direct::Direct;
pub use funnel::Funnel;
pub use limiter::{Limiter, SingleQuota};
pub use penalty::{Block, Penalty};
pub use quota::{Quota, QuotaError};
pub use throttle::{Throttle, ThrottleError};

#[cfg(feature = "alloc")]
pub use limits::Limits;
#[cfg(feature = "alloc")]
pub use sliding_window::SlidingWindow;

#[cfg(feature = "std")]
pub use {
    hold::Hold,
    keyed::{Keyed, KeysFull, ToKey, WhenFull},
    keyed_limiter::{AsyncKeyedLimiter, KeyedLimiter},
    observer::Observer,
    wait::{NotReady, WaitReady},
};
