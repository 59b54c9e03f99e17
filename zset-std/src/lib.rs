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
//! All return a [`Decision`], take a [`Quota`], and have a [`Clock`] that tests can set. Every operation
//! has an `_at` form that takes the time. Where bounded memory makes a limiter inexact, it errs towards
//! denial.
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
//! The sorted sets themselves are in [`zset_core`]. The example program `medals` ranks a table and
//! a million simulated players.
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
//! - [`DefaultHashBuilder`] has the same seeds in every run.
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
//! # Ok::<(), zset_std::QuotaError>(())
//! ```

#![forbid(unsafe_code)]

mod clock;
mod delay_queue;
mod due;
mod expiring_set;
#[cfg(all(test, zset_loom))]
mod explore;
mod hash_builder;
mod leaderboard;
mod limit;
mod packed_score;
mod schedule;
mod shared_delay_queue;
mod sync;
mod timeline;
mod windowed_leaderboard;

#[cfg(feature = "async")]
pub use clock::AsyncTimer;
pub use clock::{Clock, FakeClock, MonotonicClock, SystemClock, Timer, Timestamp};
pub use delay_queue::{DelayQueue, DrainJobs, DuplicateJob, IntoJobs, Job, JobId, Jobs, PopDue};
pub use expiring_set::{ExpireDue, ExpiringSet, SetFull};
pub use hash_builder::DefaultHashBuilder;
pub use leaderboard::*;
pub use limit::*;
pub use packed_score::*;
pub use schedule::{ActivateDue, IntoUpcoming, Schedule, ScheduleRunner, Scheduled, Upcoming};
pub use shared_delay_queue::{
    DeadLetter, Lease, Nacked, PushError, PushWithIdError, SharedDelayQueue, StaleLease, WaitError,
};
pub use timeline::{Cursor, MergedPost, MergedPosts, MergedTimelines, Posted, Posts, Timeline};
pub use windowed_leaderboard::*;
pub use zset_core;

/// The examples of the project's README are tested with this crate's.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
