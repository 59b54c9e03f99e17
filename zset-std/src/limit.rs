//! Rate limiters: how many units are allowed in a period.

mod any_limiter;
mod async_keyed_limiter;
mod compact_funnel;
mod decision;
mod fixed_window;
mod forgotten;
mod funnel;
mod funnels;
mod key_state;
mod keyed;
mod keyed_limiter;
mod limiter;
mod limits;
mod lines;
#[cfg(all(test, zset_loom))]
mod loom;
mod observer;
mod quota;
mod registry;
mod sliding_window;
mod table;
mod throttle;
mod until_ready;
mod when_full;
mod window_counter;
mod window_log;

pub use any_limiter::AnyLimiter;
pub use async_keyed_limiter::AsyncKeyedLimiter;
pub use compact_funnel::CompactFunnel;
pub use decision::{Decision, Verdict};
pub use fixed_window::FixedWindow;
pub use funnel::Funnel;
pub use funnels::Funnels;
pub use key_state::{KeyState, QuotaPerCall};
pub use keyed::Keyed;
pub use keyed_limiter::KeyedLimiter;
pub use limiter::{Limiter, SingleQuota};
pub use limits::Limits;
pub use observer::Observer;
pub use quota::{Quota, QuotaError};
pub use sliding_window::{KeysFull, SlidingWindow};
pub use throttle::{Throttle, ThrottleError};
#[cfg(feature = "async")]
pub use until_ready::Ready;
pub use until_ready::{NotReady, UntilReady};
pub use when_full::WhenFull;
pub use window_counter::WindowCounter;
pub use window_log::WindowLog;
