//! Coming from another crate: governor and tokio-util's `DelayQueue`.
//!
//! In the examples, the code with zset is on the right or below. For `tower_governor`, see the
//! documentation of `zset_tower`. For `BTreeSet`, `BinaryHeap` and other ordered collections, see
//! [the guide of zset-core](zset_core::_guide::coming_from).
//!
//! # governor
//!
//! A [`Funnel`](crate::Funnel) implements GCRA, the algorithm of governor. For one key, use a
//! [`Direct<Funnel>`](crate::Direct) in place of `RateLimiter::direct`. If threads share it, put it
//! in a `Mutex`.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::num::NonZeroU32;
//! use std::time::Duration;
//!
//! use governor::RateLimiter;
//! use governor::clock::{Clock, FakeRelativeClock};
//! use governor::middleware::StateInformationMiddleware;
//! use zset_std::{FakeClock, Funnel, Keyed, Quota, Verdict};
//!
//! let n = |n| NonZeroU32::new(n).unwrap();
//! let (tick, second) = (Duration::from_millis(100), Duration::from_secs(1));
//!
//! let quota = (governor::Quota::per_second(n(10)),    Quota::new(10, second)?);
//! let quota = (quota.0.allow_burst(n(5)),             Funnel::new(quota.1).with_capacity(5)?);
//! let clock = (FakeRelativeClock::default(),          FakeClock::new());
//! let theirs = RateLimiter::dashmap_with_clock(quota.0, clock.0.clone());
//! let ours = Keyed::<&str, _>::new(quota.1).with_clock(clock.1.clone());
//!
//! assert_eq!(theirs.check_key(&"ann").is_ok(),        ours.check(&"ann").is_allowed());
//! assert_eq!(theirs.check_key_n(&"ann", n(4))?.is_ok(),
//!                                                     ours.check_n(&"ann", 4).is_allowed());
//! // More than the burst can never pass.
//! assert_eq!(theirs.check_key_n(&"ann", n(6)).is_err(),
//!            ours.check_n(&"ann", 6).verdict == Verdict::Never);
//! // Denied: how long to wait.
//! let not_until = theirs.check_key(&"ann").unwrap_err();
//! assert_eq!(not_until.wait_time_from(clock.0.now()), ours.check(&"ann").retry_after().unwrap());
//! (clock.0.advance(tick),                             clock.1.advance(tick));
//! // Theirs waits on real clocks only. Ours waits on any clock: here it blocks the thread, and
//! // with the feature `async` it is a future.
//! # pollster::block_on(async {
//! (RateLimiter::keyed(quota.0).until_key_ready(&"ann").await,
//!                                                     ours.wait_ready(&"ann").block()?);
//! # Ok::<_, zset_std::limit::NotReady>(()) })?;
//! assert_eq!(theirs.len(),                            ours.len());
//! // The remaining units.
//! let their = RateLimiter::dashmap(quota.0).with_middleware::<StateInformationMiddleware>();
//! assert_eq!(their.check_key(&"bob").unwrap().remaining_burst_capacity(),
//!                                                     ours.check(&"bob").remaining);
//! // Idle keys, which are indistinguishable from new ones.
//! (clock.0.advance(second),                           clock.1.advance(second));
//! (theirs.retain_recent(),                            ours.sweep(usize::MAX));
//! assert_eq!(theirs.is_empty(),                       ours.is_empty());
//! # assert!(ours.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! - **Idle keys** stay in governor until you call `retain_recent`; `shrink_to_fit` then frees
//!   their memory. Here, each new key sweeps a few idle keys, and a table that is mostly empty
//!   shrinks. If no new keys arrive, call [`sweep`](crate::Keyed::sweep).
//! - **The number of keys** is unbounded in governor. Here,
//!   [`with_max_keys`](crate::Keyed::with_max_keys) bounds it.
//! - **A decision** here always has `limit`, `remaining` and `reset_after`.
//! - **A quota** is fixed in governor. Here, [`set_quota`](crate::Keyed::set_quota) changes it, and
//!   [`check_with`](crate::Keyed::check_with) takes a quota for a single call.
//!
//! # priority-queue
//!
//! Use a [`SortedSet`](zset_core::SortedSet). The guide of zset-core compares the two [line by
//! line](zset_core::_guide::coming_from#priority-queue).
//!
//! # tokio-util's `DelayQueue`
//!
//! A [`SharedDelayQueue`](crate::SharedDelayQueue) is used through `&self`, so any number of tasks
//! can share it. It can lease jobs. With [`TokioClock`](crate::TokioClock), it follows
//! `tokio::time::pause`, like tokio-util's queue. With the default clock, it needs no runtime.
//!
#![cfg_attr(feature = "tokio", doc = "```")]
#![cfg_attr(not(feature = "tokio"), doc = "```ignore")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut runtime = tokio::runtime::Builder::new_current_thread();
//! # let runtime = runtime.enable_time().start_paused(true).build()?;
//! # runtime.block_on(async {
//! use std::future::poll_fn;
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use futures_util::{FutureExt, StreamExt, stream};
//! use tokio::time::Instant;
//! use tokio_util::time::DelayQueue;
//! use zset_std::{Clock, SharedDelayQueue, TokioClock};
//!
//! let minute = Duration::from_secs(60);
//! let (start, clock) = (Instant::now(), TokioClock::new());
//! let mut theirs = DelayQueue::new();
//! let ours = Arc::new(SharedDelayQueue::new().with_clock(clock));
//! let now = ours.clock().now();
//! let later = now.saturating_add(minute);
//!
//! let mail = (theirs.insert("mail", minute),          ours.push_after("mail", minute)?);
//! let call = (theirs.insert_at("call", start + minute), ours.push("call", later)?);
//! let later = now.saturating_add(2 * minute);
//! (theirs.reset_at(&mail.0, start + 2 * minute),      ours.reschedule(&mail.1, later));
//! assert_eq!(theirs.deadline(&mail.0),                start + 2 * minute);
//! assert_eq!(ours.due(&mail.1),                       Some(later));
//! assert_eq!(theirs.remove(&call.0).into_inner(),     ours.cancel(&call.1).unwrap().payload);
//! assert_eq!(theirs.len(),                            ours.len());
//! // Theirs is a stream that ends when the queue is empty. Ours waits for more jobs until the
//! // queue is closed.
//! assert_eq!(theirs.next().await.unwrap().into_inner(),
//!                                                     ours.wait_pop().await.unwrap().payload);
//! assert_eq!(start.elapsed(),                         2 * minute);
//!
//! // In place of `poll_expired`, keep the future `next`, and poll it again after each job.
//! let mut next = ours.wait_pop();
//! (theirs.insert("post", minute),                     ours.push_after("post", minute)?);
//! let expired = poll_fn(|cx| theirs.poll_expired(cx)).await.unwrap().into_inner();
//! let job = poll_fn(|cx| next.poll_unpin(cx)).await.unwrap().payload;
//! assert_eq!(expired, job);
//! # ours.push_after("last", minute)?;
//! // The same as a stream of jobs. The second stream owns the queue, so it can be spawned.
//! let jobs = stream::poll_fn(|cx| next.poll_unpin(cx).map(Result::ok));
//! # drop(jobs);
//! let jobs = stream::unfold(Arc::clone(&ours), |queue| async {
//!     Some((queue.wait_pop().await.ok()?, queue))
//! });
//! # assert_eq!(Box::pin(jobs).next().await.unwrap().payload, "last");
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! | | tokio-util | here |
//! |---|---|---|
//! | an empty queue | ends the stream | waits for the next job, until the queue is closed |
//! | an invalid key | panics, except in `try_remove` | returns `None` |
//! | times | at most two years ahead, in milliseconds | any, in nanoseconds, but tokio's timers round up |
//! | jobs due at the same time | in any order | in the order of arrival |
//!
//! For one thread, use a [`DelayQueue`](crate::DelayQueue), whose calls take the time as an
//! argument. A timer wheel is faster, except when many jobs are popped at once.
