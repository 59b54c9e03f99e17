//! Limiters: how many units are allowed in a period.
//!
//! An algorithm is a value made of [quotas](crate::Quota), without state. A holder owns the state
//! of each key and returns a [`Decision`](crate::Decision): [`Direct`](crate::Direct) has one key,
//! [`Keyed`](crate::Keyed) many keys that threads share.
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{Funnel, Keyed, Quota, SlidingWindow, Verdict, WhenFull};
//!
//! // Never more than ten payments in any 60 seconds, for each user and action.
//! let ten_a_minute = SlidingWindow::new(Quota::new(10, Duration::from_secs(60))?);
//! let payments = Keyed::<(u64, String), _>::new(ten_a_minute)
//!     .with_max_keys(100_000, WhenFull::RefuseNew);
//! match payments.check(&(7, "pay")).verdict {
//!     Verdict::Allowed => println!("go ahead"),
//!     Verdict::Denied { retry_after } => println!("come back in {retry_after:?}"),
//!     Verdict::Never => println!("that is too much for any minute"),
//! }
//!
//! // A leaky bucket: five at once, then one each ten milliseconds. Waiters are served in turn.
//! let funnel = Funnel::new(Quota::new(1, Duration::from_millis(10))?).with_capacity(5)?;
//! let requests = Keyed::<String, _>::new(funnel);
//! for _ in 0..6 {
//!     requests.wait_ready("ann").timeout(Duration::from_secs(60)).block()?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Choosing an algorithm
//!
//! - **At most n in any period**, and the limit must hold exactly:
//!   [`SlidingWindow`](crate::SlidingWindow). It stores an entry for each time at which units were
//!   allowed.
//! - **A steady rate with bursts**: [`Funnel`](crate::Funnel). Its state is 24 bytes a key, so it
//!   is the choice for millions of keys.
//! - **Large counts, where an approximation will do**: [`WindowCounter`](crate::WindowCounter). Its
//!   state is 32 bytes a key.
//! - **A plain counter**: [`FixedWindow`](crate::FixedWindow). It passes up to twice the limit
//!   around the boundary of two windows, and serves as a baseline.
//! - **Several limits at once**, such as ten a second and a hundred a minute:
//!   [`Limits`](crate::Limits). A denial by one of them takes nothing from the others.
//! - **A block for clients that keep sending while denied**: a [`Penalty`](crate::Penalty) around
//!   any of them, e.g. `Keyed<K, Penalty<Funnel>>`. Each block can be twice as long as the previous
//!   one.
//! - **Rules of your own**: a type that implements [`Limiter`](crate::Limiter). Its example is a
//!   number of bytes a day, counted from midnight of a time zone.
//!
//! # A quota for each call
//!
//! [`check_with`](crate::Keyed::check_with) takes the quota with the call: that of the user's tier,
//! or one from a database. With a funnel, pass a [`Funnel`](crate::Funnel) to set the capacity as
//! well. All calls share the history of the key: units allowed under one quota count under the
//! others. The docs of the method say how exactly, and when a longer period misses units.
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{Keyed, Quota, SlidingWindow};
//!
//! let (free, paid) = (10, 1000);
//! let per_minute = |count| Quota::new(count, Duration::from_secs(60));
//! let requests = Keyed::<String, _>::new(SlidingWindow::new(per_minute(free)?));
//! assert!(requests.check_with("ann", per_minute(free)?, 10).is_allowed());
//! assert!(!requests.check_with("ann", per_minute(free)?, 1).is_allowed());
//! // Ann upgrades to the paid tier. Her ten requests still count.
//! assert_eq!(requests.check_with("ann", per_minute(paid)?, 1).remaining, 989);
//! # Ok::<(), zset_std::limit::QuotaError>(())
//! ```
//!
//! # Units that may not count
//!
//! A failed login counts, and a successful one does not. A [`Hold`](crate::Hold) reserves units
//! until that is known, so that no more logins are in progress than may fail. It is charged or
//! released once; if it is dropped, it is charged. Its example is such a login.
//!
//! # In place of a recipe for Redis
//!
//! | the usual recipe | here |
//! |---|---|
//! | `ZREMRANGEBYSCORE`, `ZCARD`, compare, `ZADD`, `EXPIRE` in one script | a check of a `SlidingWindow` |
//! | `ZCOUNT` over the window, then `ZADD`, with a gap between the two | the same check, without a gap |
//! | `ZADD`, then `ZCARD`, so that denied requests use up the quota | the same check, which records no denied units |
//! | "is the limit reached?" and "record a call" as two steps | `over_limit` and `record` |
//! | a funnel in the process, `make_space` and `watering` | [`Funnel`](crate::Funnel), which has a table of these names |
//! | `CL.THROTTLE` | `throttle` of a `Keyed<_, Funnel>`, with its five numbers |
//! | `INCR` and `EXPIRE` | `FixedWindow`, if twice the limit at a boundary is acceptable |
//!
//! # What a decision means
//!
//! - [`Verdict::Allowed`](crate::Verdict::Allowed): the units passed, and a check has
//!   recorded them.
//! - [`Verdict::Denied`](crate::Verdict::Denied): no unit passed, and none is recorded. A
//!   [`Penalty`](crate::Penalty) counts the denial. The same call succeeds after exactly
//!   `retry_after`, if no other call passes and no block begins in between. For a key without room,
//!   or with held units, it is an estimate.
//! - [`Verdict::Never`](crate::Verdict::Never): the units exceed the limit, so they can never pass
//!   together. They take nothing from the quota.
//!
//! Units pass together or not at all. `limit`, `remaining` and `reset_after` of a
//! [`Decision`](crate::Decision) are the numbers for the headers of an HTTP response; the crate
//! `zset-tower` answers 429 with them.
//!
//! # Keys from clients
//!
//! Bound the number of keys with [`with_max_keys`](crate::Keyed::with_max_keys): otherwise a client
//! that makes up keys grows the table without limit. At the bound a new key replaces an idle one.
//! If no key is idle, it is refused ([`WhenFull::RefuseNew`](crate::WhenFull::RefuseNew)) or shares
//! one limiter with all others without room
//! ([`WhenFull::SharedBucket`](crate::WhenFull::SharedBucket)). A key in use is never removed: that
//! would discard its history.
//!
//! # Time
//!
//! The default clock is monotonic; [`FakeClock`](crate::FakeClock) is set by hand, for tests. Every
//! call can be made at a given time instead: `limiter.at(now).check(&key)`. All times are valid,
//! the arithmetic does not wrap, and a clock that steps back never grants more. A quota of zero, or
//! one that takes more than 146 years to recover, is a [`QuotaError`](crate::limit::QuotaError).
//!
//! # Waiting
//!
//! [`wait_ready`](crate::Keyed::wait_ready) waits for units instead of denying them: on a thread
//! with `block`, or as a future in any runtime with the feature `async`. Waiters for a key are
//! served in the order of their arrival. A waiter that gives up has taken nothing.
//!
//! # Generic code
//!
//! Code that takes any keyed limiter, such as a middleware, is generic over
//! [`KeyedLimiter`](crate::KeyedLimiter), which is dyn-compatible. For metrics, an
//! [`Observer`](crate::Observer) receives the decision of each check and hold of units, and of each
//! wait that succeeds.
//!
//! # Programs
//!
//! `cargo run --example login_captcha` is a service that counts failures, and `payments` prints how
//! a window slides. `outgoing` is a client that waits: `cargo run --package zset-std --features
//! tokio --example outgoing`.
