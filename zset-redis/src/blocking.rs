//! Limiters that block the calling thread, over a pool of connections.

#[cfg(feature = "cluster")]
mod cluster;
mod connect;
mod delay_queue;
mod keyed;
mod leaderboard;
mod pool;
mod worker;

#[cfg(feature = "cluster")]
pub use cluster::ClusterConnection;
pub use connect::Connect;
pub use delay_queue::DelayQueue;
pub use keyed::Keyed;
pub use leaderboard::Leaderboard;
pub use pool::Pool;

use crate::kind;

/// An exact sliding window for each of many keys. [`kind::SlidingWindow`] says what it does.
pub type SlidingWindow<M = redis::Client> = Keyed<M, kind::SlidingWindow>;

/// A leaky bucket for each of many keys. [`kind::Funnel`] says what it does.
pub type Funnel<M = redis::Client> = Keyed<M, kind::Funnel>;

/// A plain counter for each of many keys. [`kind::FixedWindow`] says what it does.
pub type FixedWindow<M = redis::Client> = Keyed<M, kind::FixedWindow>;

/// An approximate sliding window for each of many keys. [`kind::WindowCounter`] says what it does.
pub type WindowCounter<M = redis::Client> = Keyed<M, kind::WindowCounter>;

/// Several limits of each key that must all agree. [`kind::Limits`] says what they do.
pub type Limits<M = redis::Client> = Keyed<M, kind::Limits>;
