#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
//!
//! ## Threads
//!
//! [`Direct`], [`Leaderboard`], [`DelayQueue`], [`Timeline`] and [`ExpiringSet`] are types for one
//! thread. The methods that change them take `&mut self`. They are `Send` and `Sync` if their
//! contents are, so threads can share one in a lock. They do not need std, so interrupt
//! handlers can share one in critical sections. This example uses a lock:
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
//! [`Keyed`] limiters, [`SharedDelayQueue`] and [`JobRunner`] are used through `&self`, so threads
//! can share them by reference or in an `Arc`. The keys of a limiter are distributed over shards,
//! each with its own lock, so calls for different keys rarely contend.
//!
//! ## Hashing
//!
//! The keys of limiters often come from clients. The default hasher of limiters, [`RandomState`],
//! has a random seed, so an attacker who does not know the seed cannot choose colliding keys. To
//! use another hasher, such as [`std::hash::RandomState`], pass it to `Keyed::with_hasher`. Boards,
//! queues and timelines use the default hasher of `zset_core`.
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
//! - A type with a clock reads it in each operation that depends on the time. To pass the time
//!   instead, call the operation on the result of `at`: `limiter.at(now).check(&key)`,
//!   `queue.at(now).pop()`. This works for all these operations except waits. A type without a
//!   clock takes the time as an argument.
//! - The time is always the last argument: `push(payload, due)`, `pop_due(max, now)`,
//!   `check_n(n, now)`. If there are two times, the time of the call, `now`, is last.
//! - `new` creates a value. So do `with_policy` of boards, and `with_bits` and `with_digits` of
//!   packed scores. The other `with_*` methods are builder methods: they take a value and return
//!   the changed value. `from_*` converts from another type.
//! - `check` and `peek` are for one unit; `check_n` and `peek_n` are for several. The remaining
//!   units and the time to wait are in the [`Decision`] that a peek returns.
//! - A job is `due` at a time, a member of an [`ExpiringSet`] has a `deadline`, and a lease lasts
//!   `until` a time.
//! - The crate root contains the main types. Their iterators, outcomes and errors are in the module
//!   of the type, e.g. [`delay_queue::PopDue`].
//! - Error enums are `#[non_exhaustive]`. Outcome enums that are complete, such as [`Verdict`], are
//!   exhaustive, so a `match` has to handle each variant.
//!
//! ## WebAssembly
//!
//! The crate builds for `wasm32-unknown-unknown`, where std has no clock, no threads and no source
//! of randomness. Supply the time with the method `at`, or with a [`Clock`] that reads the host's
//! time. At run time:
//!
//! - Reading the time of a [`MonotonicClock`], [`SystemClock`] or [`QuantaClock`] panics. A
//!   `MonotonicClock` is the default clock of limiters and queues, so methods that read the default
//!   clock panic too.
//! - Creating a [`TokioClock`] panics.
//! - [`SharedDelayQueue::run`] panics because it starts a thread.
//! - The default `Clock::sleep_until` panics, so a clock that futures wait on must implement it.
//! - A blocking wait spins, and no other thread can end it. With a [`FakeClock`], the wait never
//!   ends.
//! - The seeds of [`RandomState`] are predictable.

#![cfg_attr(docsrs, feature(doc_cfg))]
// The docs link to types of all features; docs.rs builds with all of them.
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
