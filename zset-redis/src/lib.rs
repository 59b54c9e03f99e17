//! Rate limiters for many machines, with their state in Redis, Valkey or a cluster.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod blocking;
mod error;
mod fixed_window;
mod funnel;
mod key;
#[cfg(feature = "tokio")]
mod keyed;
pub mod kind;
pub mod leaderboard;
mod limit;
mod limits;
mod on_failure;
mod operation;
#[cfg(feature = "tokio")]
mod run;
mod script;
mod sliding_window;
mod window_counter;

pub use error::{Error, UnsupportedQuota};
#[cfg(feature = "tokio")]
pub use fixed_window::FixedWindow;
#[cfg(feature = "tokio")]
pub use funnel::Funnel;
#[cfg(feature = "tokio")]
pub use keyed::Keyed;
#[cfg(feature = "tokio")]
pub use leaderboard::Leaderboard;
pub use limit::Rule;
#[cfg(feature = "tokio")]
pub use limits::Limits;
pub use on_failure::OnFailure;
pub use redis;
#[cfg(feature = "tokio")]
pub use sliding_window::SlidingWindow;
#[cfg(feature = "tokio")]
pub use window_counter::WindowCounter;
pub use zset_std;
