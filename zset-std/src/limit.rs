//! Rate limiters: how many units are allowed in a period.

mod any_limiter;
mod decision;
mod fixed_window;
mod funnel;
mod limiter;
mod penalty;
mod quota;
mod throttle;
mod window_counter;

#[cfg(feature = "alloc")]
mod limits;
#[cfg(feature = "alloc")]
mod window_log;

#[cfg(feature = "std")]
mod funnels;
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
mod sliding_window;
#[cfg(feature = "std")]
mod table;
#[cfg(feature = "std")]
mod until_ready;

pub use any_limiter::AnyLimiter;
pub use decision::{Decision, Verdict};
pub use fixed_window::FixedWindow;
pub use funnel::Funnel;
pub use limiter::Limiter;
pub use penalty::{Block, Penalty};
pub use quota::{Quota, QuotaError};
pub use throttle::{Throttle, ThrottleError};
pub use window_counter::WindowCounter;

#[cfg(feature = "alloc")]
pub use limits::Limits;
#[cfg(feature = "alloc")]
pub use window_log::WindowLog;

#[cfg(feature = "async")]
pub use until_ready::Ready;
#[cfg(feature = "std")]
pub use {
    funnels::Funnels,
    keyed::{Keyed, WhenFull},
    keyed_limiter::{AsyncKeyedLimiter, KeyedLimiter},
    observer::Observer,
    sliding_window::{KeysFull, SlidingWindow},
    until_ready::{NotReady, UntilReady},
};
