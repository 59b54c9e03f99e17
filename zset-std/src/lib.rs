//! What sorted sets are used for, ready to use.
//!
//! **Limiters**: how much may pass in which time.
//!
//! | | for one key | for many keys, shared by threads | memory a key |
//! |---|---|---|---|
//! | exact sliding window | [`WindowLog`] | [`SlidingWindow`] | up to `count` entries |
//! | leaky bucket | [`Funnel`] | [`Funnels`] | two words |
//! | approximate sliding window | [`WindowCounter`] | [`Keyed`] | two counters |
//! | plain counter, as a baseline | [`FixedWindow`] | [`Keyed`] | one counter |
//! | several at once, also of different types | [`Limits`] | [`Keyed`] | theirs |
//!
//! All return a [`Decision`] and take a [`Quota`]. The keyed limiters have a [`Clock`] that tests can set,
//! and implement [`KeyedLimiter`], for code that is generic over them. Where bounded memory makes a limiter
//! inexact, it errs towards denial.
//!
//! **Boards**: who stands where.
//!
//! | | |
//! |---|---|
//! | [`Leaderboard`] | members by score, highest first, ties numbered in three ways |
//! | [`WindowedLeaderboard`] | today, each day of the week, and the week |
//! | [`PackedScore`] | several numbers in one `f64`, for servers |
//!
//! **Times**: what is due, and what is over.
//!
//! | | |
//! |---|---|
//! | [`DelayQueue`] | jobs by the time at which they are due, for one thread |
//! | [`SharedDelayQueue`] | for threads that wait for jobs, and lease them, so that a worker that dies loses none |
//! | [`Schedule`] | what opens at a time, exactly once |
//! | [`Timeline`], [`MergedTimelines`] | feeds, newest first, in pages |
//! | [`ExpiringSet`] | members each with a deadline of its own |
//!
//! The sorted sets themselves are in [`zset_core`], which is exported here. Jobs, cache entries and other
//! elements with data of their own are a [`SortedMap`](zset_core::SortedMap) there.
//!
//! # Threads
//!
//! Types for one thread take `&mut self`, and the time with each call that needs it: [`WindowLog`],
//! [`Funnel`], [`Leaderboard`], [`DelayQueue`], [`Schedule`], [`Timeline`], [`ExpiringSet`]. All of them
//! are `Send` and `Sync` if what they hold is, so threads share them behind a lock:
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
//! reference or in an `Arc`. The keys of a limiter are distributed over shards, each with a lock of its
//! own, so calls for different keys rarely wait for each other.
//!
//! # Hashing
//!
//! The keys of limiters come from clients, so their default hasher, [`RandomState`], is seeded at random: an
//! attacker who does not know the seed cannot choose colliding keys. `Keyed::with_hasher` takes another
//! one, such as [`std::hash::RandomState`]. Boards, queues and feeds hash their members as
//! [`zset_core`] does.
//!
//! # Features
//!
//! - `async`: futures that wait for a limiter or for a job, in any runtime.
//! - `serde`: `Serialize` and `Deserialize` for what holds data, that is queues, boards, timelines,
//!   schedules and times. Limiters are not serialized.
//!
//! The crate has no unsafe code of its own, and needs std and Rust 1.85 or newer.
//!
//! # Conventions
//!
//! - A type with a clock has an `_at` form of each operation that depends on the time. A type without a
//!   clock takes the time in every such operation.
//! - A time is always the last argument: `push(payload, due)`, `pop_due(max, now)`,
//!   `check_n_at(key, n, now)`. Of two times, the time of the call, `now`, is the last.
//! - `with_*` are builder methods: they take the value and return it, before its first use.
//! - Iterators, outcomes and errors are in the module of their type, such as [`delay_queue::PopDue`]. The
//!   crate root has the types themselves.
//! - Enums of errors are `#[non_exhaustive]`. Complete answers, such as [`Verdict`], are not: a `match` on
//!   one has to handle every case.
//!
//! # WebAssembly
//!
//! The crate builds for `wasm32-unknown-unknown`, where std has no clock, no threads and no source of
//! randomness. Everything works there as long as it is given the time: by the forms `_at` a time, or by
//! a [`Clock`] of your own that asks the host. At run time,
//!
//! - [`MonotonicClock`] and [`SystemClock`] panic when they are asked for the time. So do the methods
//!   without a time of limiters and queues that keep their default clock.
//! - [`Schedule::run`] and [`Schedule::run_with_clock`] panic, since they start a thread.
//! - Blocking is useless: no other thread can end it. With a [`FakeClock`] it never returns.
//! - [`RandomState`] has the same seeds in every run.
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{Quota, SlidingWindow, Verdict};
//!
//! // Three attempts a minute for each user.
//! let attempts = SlidingWindow::<String>::new(Quota::new(3, Duration::from_secs(60))?);
//! match attempts.check("ann").verdict {
//!     Verdict::Allowed => println!("go ahead"),
//!     Verdict::Denied { retry_after } => println!("come back in {retry_after:?}"),
//!     Verdict::Never => println!("that is too much for any minute"),
//! }
//! # Ok::<(), zset_std::limit::QuotaError>(())
//! ```

#![forbid(unsafe_code)]

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
    AnyLimiter, Decision, FixedWindow, Funnel, Funnels, Keyed, KeyedLimiter, Limiter, Limits,
    Observer, Quota, SingleQuota, SlidingWindow, Verdict, WhenFull, WindowCounter, WindowLog,
};
pub use packed_score::PackedScore;
pub use random_state::RandomState;
pub use schedule::{Schedule, ScheduleRunner};
pub use shared_delay_queue::{Lease, SharedDelayQueue};
pub use timeline::{MergedTimelines, Timeline};
pub use windowed_leaderboard::{Buckets, WindowedLeaderboard};
pub use zset_core;

/// The examples of the project's README are tested with this crate's.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
