//! Coming from another crate: what corresponds to the methods of governor and of tokio-util's
//! `DelayQueue`.
//!
//! The project's `docs/methods.md` has those of `BTreeMap`, indexmap, priority-queue and Redis.
//!
//! # governor
//!
//! A [`Funnel`](crate::Funnel) is governor's algorithm, GCRA. A decision says how much is left and
//! when it passes again, so no middleware or clock is needed to find that out.
//!
//! | governor | here |
//! |---|---|
//! | `Quota::per_second(n)` | `Quota::new(n, Duration::from_secs(1))` |
//! | `Quota::with_period(p)` | `Quota::new(1, p)` |
//! | `.allow_burst(b)` | `.with_capacity(b)` |
//! | `RateLimiter::direct(quota)` | `Funnel::new(quota)` in a `Mutex`; or `Funnels::<()>` |
//! | `RateLimiter::keyed(quota)` | `Funnels::new(quota)` |
//! | `check_key(&key)`, a `Result` | `check(&key)`, a `Decision`: `is_allowed()` |
//! | `check_key_n(&key, n)`, two nested `Result`s | `check_n(&key, n)`: `Verdict::Never` if n exceeds the burst |
//! | `not_until.wait_time_from(clock.now())` | `decision.retry_after()` |
//! | `StateInformationMiddleware` | `remaining`, `limit` and `reset_after` of each decision |
//! | `until_key_ready(&key).await` | `until_ready(&key).await`; on a thread, `.block()` |
//! | `retain_recent()`, called by a thread of yours | nothing: each new key sweeps a few others; `sweep` does so on demand |
//! | `shrink_to_fit()` | nothing: the table shrinks with its keys |
//! | no bound on keys | `with_max_keys(n, WhenFull::RefuseNew)` |
//! | `FakeRelativeClock` | `FakeClock`, or `at(now)` for a single call |
//! | a quota for life | `set_quota`, and `check_with` for a quota of one call |
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{FakeClock, Funnels, Quota, Verdict, WhenFull};
//!
//! // Ten a second, five at once.
//! let quota = Quota::new(10, Duration::from_secs(1))?.with_capacity(5)?;
//! let clock = FakeClock::new();
//! let limiter =
//!     Funnels::<String>::new(quota).with_max_keys(100_000, WhenFull::RefuseNew).with_clock(&clock);
//! assert!((0..5).all(|_| limiter.check("ann").is_allowed()));
//! let denied = limiter.check("ann");
//! assert_eq!(denied.retry_after(), Some(Duration::from_millis(100)));
//! assert_eq!((denied.limit, denied.remaining), (5, 0));
//! assert_eq!(limiter.check_n("bob", 6).verdict, Verdict::Never);
//! clock.advance(Duration::from_millis(100));
//! assert!(limiter.check("ann").is_allowed());
//! # Ok::<(), zset_std::limit::QuotaError>(())
//! ```
//!
//! # tokio-util's `DelayQueue`
//!
//! | tokio-util | here |
//! |---|---|
//! | `insert(value, timeout)`, `insert_at(value, when)` | `push(value, due)` with an id of the queue, `push_with_id` with one of yours |
//! | `reset(&key, timeout)`, `reset_at(&key, when)` | `reschedule(&id, due)` |
//! | `remove(&key)`, which panics if the key is invalid | `cancel(&id)`, an `Option` |
//! | `deadline(&key)` | `due(&id)` |
//! | `peek()` | `first()` |
//! | `next().await`, `poll_expired` | `SharedDelayQueue::pop_async().await`; `wait_pop` on a thread |
//! | at most two years ahead, in steps of a millisecond | any time, in nanoseconds |
//! | `&mut self`, one task | `SharedDelayQueue` takes `&self`: any number of workers, with leases |
//!
//! Here all jobs are in order, so the next ones can be listed. A timer wheel is faster if nothing
//! but expiry is needed.
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{DelayQueue, Timestamp};
//!
//! let now = Timestamp::ZERO;
//! let mut queue = DelayQueue::new();
//! let session = queue.push("session", now.saturating_add(Duration::from_secs(30)));
//! let token = queue.push("token", now.saturating_add(Duration::from_secs(10)));
//! queue.reschedule(&session, now.saturating_add(Duration::from_secs(60)));
//! assert_eq!(queue.due(&session), Some(Timestamp::from_nanos(60_000_000_000)));
//! assert_eq!(queue.first().unwrap().id, &token);
//! assert_eq!(queue.cancel(&token).unwrap().payload, "token");
//! assert!(queue.pop(now).is_none());
//! ```
