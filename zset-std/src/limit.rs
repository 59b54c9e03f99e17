//! Limiters: how much may pass in which time.

mod decision;
mod fixed_window;
mod funnel;
mod funnels;
mod keyed;
mod limiter;
mod limits;
mod lines;
#[cfg(all(test, zset_loom))]
mod loom;
mod observer;
mod overflow;
mod quota;
mod registry;
mod sliding_window;
mod table;
mod throttle;
mod until_ready;
mod window_counter;
mod window_log;
mod word;

pub use decision::{Decision, Verdict};
pub use fixed_window::FixedWindow;
pub use funnel::Funnel;
pub use funnels::Funnels;
pub use keyed::{Keyed, SlidingWindow};
pub use limiter::Limiter;
pub use limits::Limits;
pub use observer::Observer;
pub use overflow::Overflow;
pub use quota::{Quota, QuotaError};
pub use registry::DefaultHashBuilder;
pub use sliding_window::KeysFull;
pub use throttle::{Throttle, ThrottleError};
#[cfg(feature = "async")]
pub use until_ready::Ready;
pub use until_ready::{NotReady, UntilReady};
pub use window_counter::WindowCounter;
pub use window_log::WindowLog;
