//! Rate limiters, leaderboards, delay queues and feeds: common uses of sorted sets, ready-made.
//!
//! **Rate limiters**: how many units are allowed in a period.
//!
//! | | for one key | for many keys, shared by threads | memory per key |
//! |---|---|---|---|
//! | exact sliding window | [`WindowLog`] | [`SlidingWindow`] | up to `count` entries |
//! | leaky bucket | [`Funnel`] | [`Funnels`] | two words |
//! | approximate sliding window | [`WindowCounter`] | [`Keyed`] | two counters |
//! | plain counter, as a baseline | [`FixedWindow`] | [`Keyed`] | one counter |
//! | several at once, possibly of different types | [`Limits`] | [`Keyed`] | the sum of theirs |
//!
//! All take a [`Quota`] and return a [`Decision`]. The keyed limiters read the time from a [`Clock`],
//! which tests can replace, and implement [`KeyedLimiter`] for code that is generic over them, and with
//! it [`AsyncKeyedLimiter`], as limiters whose state is on a server do. Where a
//! memory bound makes a limiter inexact, it errs towards denial.
//!
//! The [guides](_guide) explain limiters, boards, queues and timelines, one page each.
//!
//! **Leaderboards**: members by score.
//!
//! | | |
//! |---|---|
//! | [`Leaderboard`] | members by score, highest first, with three ways to number ties |
//! | [`WindowedLeaderboard`] | one board per time bucket and one for the window, e.g. each day and the week |
//! | [`PackedScore`] | several numbers packed into one `f64`, for servers such as Redis |
//!
//! **Queues, feeds and expiry**: elements by time.
//!
//! | | |
//! |---|---|
//! | [`DelayQueue`] | jobs by the time at which they are due, for one thread |
//! | [`SharedDelayQueue`] | for threads that wait for jobs and lease them, so no job is lost if a worker dies |
//! | [`Schedule`] | ids that are each activated once, when they are due |
//! | [`Timeline`], [`MergedTimelines`] | feeds, newest first, in pages |
//! | [`ExpiringSet`] | members with individual deadlines |
//!
//! The sorted sets themselves are in [`zset_core`], which is re-exported here. For elements with data of
//! their own, such as jobs or cache entries, it has [`SortedMap`](zset_core::SortedMap).
//!
//! # Threads
//!
//! Types for one thread take `&mut self`, and the time as an argument where it matters: [`WindowLog`],
//! [`Funnel`], [`Leaderboard`], [`DelayQueue`], [`Schedule`], [`Timeline`], [`ExpiringSet`]. All of them
//! are `Send` and `Sync` if their contents are, so threads can share them behind a lock:
//!
//! ```
//! use std::sync::RwLock;
//! use std::thread;
//! use zset_std::Leaderboard;
//!
//! let board = RwLock::new(Leaderboard::new());
//! thread::scope(|scope| {
//!     for player in 0..4_u64 {
//!         let board = &board;
//!         scope.spawn(move || board.write().unwrap().submit(player, player * 10));
//!     }
//! });
//! assert_eq!(board.read().unwrap().first(), Some((&3, 30)));
//! ```
//!
//! [`Keyed`] limiters, [`SharedDelayQueue`] and [`ScheduleRunner`] take `&self`: threads share them by
//! reference or in an `Arc`. The keys of a limiter are distributed over shards, each with its own lock,
//! so calls for different keys rarely contend.
//!
//! # Hashing
//!
//! The keys of limiters come from clients, so their default hasher, [`RandomState`], is seeded at
//! random: an attacker who does not know the seed cannot choose colliding keys. `Keyed::with_hasher`
//! accepts any other hasher, such as [`std::hash::RandomState`]. Boards, queues and feeds hash their
//! members as [`zset_core`] does.
//!
//! # Features
//!
//! - `async`: futures that wait for a limiter or for a job, in any runtime.
//! - `serde`: `Serialize` and `Deserialize` for the types that hold data: queues, boards, timelines,
//!   schedules and timestamps. Limiters are not serializable.
//!
//! The crate contains no unsafe code, and requires std and Rust 1.85 or newer.
//!
//! # Conventions
//!
//! - A type with a clock has an `_at` variant of each operation that depends on the time. A type without
//!   a clock takes the time in every such operation.
//! - The time is always the last argument: `push(payload, due)`, `pop_due(max, now)`,
//!   `check_n_at(key, n, now)`. If there are two times, `now`, the time of the call, comes last.
//! - `with_*` are builder methods: they take the value and return it, before its first use.
//! - Iterators, outcomes and errors are in the module of their type, such as [`delay_queue::PopDue`].
//!   The crate root has the types themselves.
//! - Error enums are `#[non_exhaustive]`. Outcome enums that are complete, such as [`Verdict`], are not:
//!   a `match` has to handle every case.
//!
//! # WebAssembly
//!
//! The crate builds for `wasm32-unknown-unknown`, where std has no clock, no threads and no source of
//! randomness. Everything works there if you supply the time: through the `_at` methods, or through a
//! [`Clock`] of your own that asks the host. At run time:
//!
//! - [`MonotonicClock`] and [`SystemClock`] panic when the time is read, as do the methods without a
//!   time argument of limiters and queues that keep their default clock.
//! - [`Schedule::run`] and [`Schedule::run_with_clock`] panic, since they start a thread.
//! - Blocking is useless, since no other thread can end it. With a [`FakeClock`] it never returns.
//! - [`RandomState`] has the same seeds in every run.
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{Quota, SlidingWindow, Verdict};
//!
//! // Three attempts per minute for each user.
//! let attempts = SlidingWindow::<String>::new(Quota::new(3, Duration::from_secs(60))?);
//! match attempts.check("ann").verdict {
//!     Verdict::Allowed => println!("go ahead"),
//!     Verdict::Denied { retry_after } => println!("come back in {retry_after:?}"),
//!     Verdict::Never => println!("that is too much for any minute"),
//! }
//! # Ok::<(), zset_std::limit::QuotaError>(())
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod _guide;
mod clock;
pub mod delay_queue;
pub mod expiring_set;
#[cfg(all(test, zset_loom))]
mod explore;
pub mod leaderboard;
pub mod limit;
pub mod packed_score;
mod random_state;
pub mod schedule;
pub mod shared_delay_queue;
mod sync;
pub mod timeline;
pub mod windowed_leaderboard;

#[cfg(feature = "async")]
pub use clock::AsyncTimer;
pub use clock::{Clock, FakeClock, MonotonicClock, SystemClock, Timer, Timestamp};
pub use delay_queue::{DelayQueue, Job, JobId};
pub use expiring_set::ExpiringSet;
pub use leaderboard::{Best, Latest, Leaderboard, Policy, Standing, Sum, Ties};
pub use limit::{
    AnyLimiter, AsyncKeyedLimiter, Decision, FixedWindow, Funnel, Funnels, Keyed, KeyedLimiter,
    Limiter, Limits, Observer, Quota, SingleQuota, SlidingWindow, Verdict, WhenFull, WindowCounter,
    WindowLog,
};
pub use packed_score::PackedScore;
pub use random_state::RandomState;
pub use schedule::{Schedule, ScheduleRunner};
pub use shared_delay_queue::{Lease, SharedDelayQueue};
pub use timeline::{MergedTimelines, Timeline};
pub use windowed_leaderboard::{Buckets, WindowedLeaderboard};
pub use zset_core;

/// Tests the examples in the project's README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
