//! Rate limiters: how many units are allowed in a period.
//!
//! # No units
//!
//! Every call may be for 0 units. They are always allowed, also during a block, without room for
//! the key, and with other waiters in line. They are not recorded and not held, insert no key, end
//! no row of denials, and no [`Observer`] receives a decision on them. So a check or a peek of 0
//! units only returns how many units remain. A check of them may note the time, though: a later
//! call at an earlier time is then decided at the noted one.

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
/// For zset-redis, whose window counter is the same.
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
