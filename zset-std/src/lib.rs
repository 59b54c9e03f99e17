#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
//!
//! ## Threads
//!
//! Types for one thread take `&mut self`, and the time as an argument where it matters:
//! [`Direct`], [`Leaderboard`], [`DelayQueue`], [`Timeline`], [`ExpiringSet`]. All
//! of them are `Send` and `Sync` if their contents are, so threads can share them behind a lock,
//! and interrupt handlers behind a critical section, since they do not need std. With a lock:
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
//! assert_eq!(board.read().unwrap().best(), Some((&3, &30)));
//! ```
//!
//! [`Keyed`] limiters, [`SharedDelayQueue`] and [`JobRunner`] take `&self`: threads share them by
//! reference or in an `Arc`. The keys of a limiter are distributed over shards, each with its own
//! lock, so calls for different keys rarely contend.
//!
//! ## Hashing
//!
//! The keys of limiters come from clients, so their default hasher, [`RandomState`], is seeded at
//! random: an attacker who does not know the seed cannot choose colliding keys.
//! `Keyed::with_hasher` accepts any other hasher, such as [`std::hash::RandomState`]. Boards,
//! queues and feeds hash their members as `zset_core` does.
//!
//! ## Without std
//!
//! On a microcontroller, a limiter can be in a `static`:
//!
//! ```
//! # mod critical_section { pub use std::sync::Mutex; }
//! use core::cell::RefCell;
//! use core::num::NonZeroU32;
//! use zset_std::{Direct, Funnel, Quota};
//!
//! // Five alarms at once, and then one per minute.
//! const ALARMS: Funnel = match Funnel::new(Quota::per_minute(NonZeroU32::MIN)).with_capacity(5) {
//!     Ok(funnel) => funnel,
//!     Err(_) => panic!("the capacity is invalid"),
//! };
//!
//! // Locked by disabling interrupts.
//! static LIMITER: critical_section::Mutex<RefCell<Direct<Funnel>>> =
//!     critical_section::Mutex::new(RefCell::new(Direct::new(ALARMS)));
//! ```
//!
//! ## Conventions
//!
//! - A type with a clock reads it in each operation that depends on the time, and its method `at`
//!   fixes the time: `limiter.at(now).check(&key)`, `queue.at(now).pop()`. A type without a clock
//!   takes the time in every such operation.
//! - The time is always the last argument: `push(payload, due)`, `pop_due(max, now)`,
//!   `check_n(n, now)`. If there are two times, `now`, the time of the call, comes last.
//! - `new` creates a value, and so do `with_policy` of boards and `with_bits` and `with_digits` of
//!   a packed score; `from_*` converts. The other `with_*` are builder methods: they take the value
//!   and return it, before its first use.
//! - `check` and `peek` are for one unit, `check_n` and `peek_n` for several. The remaining units
//!   and the waits are fields of the [`Decision`] of a peek.
//! - A job is `due` at a time, a member of an [`ExpiringSet`] has a `deadline`, a lease lasts
//!   `until` a time, and is renewed.
//! - Iterators, outcomes and errors are in the module of their type, such as
//!   [`delay_queue::PopDue`]. The crate root has the types themselves.
//! - Error enums are `#[non_exhaustive]`. Outcome enums that are complete, such as [`Verdict`], are
//!   not: a `match` has to handle every case.
//!
//! ## WebAssembly
//!
//! The crate builds for `wasm32-unknown-unknown`, where std has no clock, no threads and no source
//! of randomness. Supply the time with the method `at`, or through a [`Clock`] that reads the time
//! of the host. At run time:
//!
//! - [`MonotonicClock`], [`SystemClock`] and [`QuantaClock`] panic when the time is read, as do the
//!   methods without a time argument of limiters and queues that keep their default clock.
//! - [`TokioClock`] panics when it is created.
//! - [`SharedDelayQueue::run`] panics, since it starts a thread.
//! - Blocking is useless, since no other thread can end it. With a [`FakeClock`] it never returns.
//! - [`RandomState`] has the same seeds in every run.

#![cfg_attr(docsrs, feature(doc_cfg))]
// Docs name types of all features, as docs.rs builds them.
#![cfg_attr(not(feature = "std"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod _guide;
mod clock;
pub mod limit;
pub mod packed_score;

#[cfg(feature = "alloc")]
pub mod delay_queue;
#[cfg(feature = "alloc")]
pub mod expiring_set;
#[cfg(feature = "alloc")]
pub mod leaderboard;
#[cfg(feature = "alloc")]
mod mapped;
#[cfg(feature = "alloc")]
pub mod timeline;
#[cfg(feature = "alloc")]
pub mod windowed_leaderboard;

#[cfg(feature = "std")]
mod at;
#[cfg(feature = "std")]
mod random_state;
#[cfg(feature = "std")]
pub mod shared_delay_queue;
#[cfg(feature = "std")]
mod sync;
#[cfg(feature = "std")]
mod wait;

pub use clock::{Clock, Timestamp};
pub use limit::{
    AnyLimiter, Block, Decision, Direct, FixedWindow, Funnel, Limiter, Penalty, Quota, SingleQuota,
    Verdict, WindowCounter,
};
pub use packed_score::PackedScore;
pub use zset_core;

#[cfg(feature = "alloc")]
pub use {
    delay_queue::{DelayQueue, Job, JobId},
    expiring_set::ExpiringSet,
    leaderboard::{Best, Latest, Leaderboard, Policy, Standing, Sum, Ties},
    limit::{Limits, SlidingWindow},
    timeline::{MergedTimelines, Timeline},
    windowed_leaderboard::{Buckets, WindowedLeaderboard},
};

#[cfg(feature = "quanta")]
pub use clock::QuantaClock;
#[cfg(feature = "tokio")]
pub use clock::TokioClock;
#[cfg(feature = "std")]
pub use {
    at::At,
    clock::{FakeClock, MonotonicClock, SystemClock},
    limit::{AsyncKeyedLimiter, Hold, Keyed, KeyedLimiter, Observer, ToKey, WhenFull},
    random_state::RandomState,
    shared_delay_queue::{JobRunner, Lease, SharedDelayQueue},
};
