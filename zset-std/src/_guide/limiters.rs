//! Limiters: how many units are allowed in a period.
//!
//! An algorithm is a value that contains [quotas](crate::Quota) and no state. A holder owns the
//! state of each key and returns a [`Decision`](crate::Decision). [`Direct`](crate::Direct) holds
//! one key. [`Keyed`](crate::Keyed) holds many keys, and threads can share it.
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
//! // A leaky bucket: five at once, then one every ten milliseconds. Waiters are served in turn.
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
//!   [`SlidingWindow`](crate::SlidingWindow). For each period, it stores one entry per instant at
//!   which units were allowed.
//! - **A steady rate with bursts**: [`Funnel`](crate::Funnel). Its state is 24 bytes per key, so it
//!   suits millions of keys.
//! - **Large counts, where an approximation is enough**: [`WindowCounter`](crate::WindowCounter).
//!   With the feature `alloc`, its state is 32 bytes per key, and 56 bytes more if calls for the
//!   key use different periods.
//! - **A plain counter**: [`FixedWindow`](crate::FixedWindow). It can allow up to twice the limit
//!   around the boundary of two windows. It is meant as a baseline for comparison.
//! - **Several limits at once**, such as ten a second and a hundred a minute:
//!   [`Limits`](crate::Limits). If one of them denies units, nothing is taken from the others.
//! - **A block for clients that keep sending while denied**: a [`Penalty`](crate::Penalty) around
//!   any of these algorithms, e.g. `Keyed<K, Penalty<Funnel>>`. Each block can be twice as long as
//!   the previous one, up to a maximum that you choose.
//! - **Your own rules**: implement [`Limiter`](crate::Limiter). The example in its docs limits
//!   bytes per day, counted from midnight in a time zone.
//!
//! # A quota for each call
//!
//! [`check_with`](crate::Keyed::check_with) takes a quota as an argument, e.g. that of the user's
//! tier or one from a database. With a funnel, pass a [`Funnel`](crate::Funnel) instead to set the
//! capacity as well. All calls share the history of the key: units allowed under one quota count
//! under the others. The docs of the method say when this is not exact.
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
//! # Units that might not count
//!
//! Suppose that a login counts only if it fails. A [`Hold`](crate::Hold) reserves units until the
//! outcome is known, so the logins in progress cannot exceed the failures still allowed. The caller
//! then charges or releases the hold. A hold that is dropped is charged. The docs of `Hold` show
//! such a login.
//!
//! # In place of a recipe for Redis
//!
//! | the usual recipe | here |
//! |---|---|
//! | `ZREMRANGEBYSCORE`, `ZCARD`, compare, `ZADD`, `EXPIRE` in one script | a check of a `SlidingWindow` |
//! | `ZCOUNT` over the window, then `ZADD`, with a race between the two | the same check, without the race |
//! | `ZADD`, then `ZCARD`, so that denied requests use up the quota | the same check, which records no denied units |
//! | "is the limit reached?" and "record a call" as two steps | `over_limit` and `record` |
//! | a funnel in the process, with `make_space` and `watering` | [`Funnel`](crate::Funnel), whose docs map these names to its methods |
//! | `CL.THROTTLE` | `throttle` of a `Keyed<_, Funnel>`, which returns the same five fields |
//! | `INCR` and `EXPIRE` | `FixedWindow`, if twice the limit at a boundary is acceptable |
//!
//! # What a decision means
//!
//! - [`Verdict::Allowed`](crate::Verdict::Allowed): the units are allowed, and a check has recorded
//!   them.
//! - [`Verdict::Denied`](crate::Verdict::Denied): no unit is allowed or recorded. A
//!   [`Penalty`](crate::Penalty) counts the denial of a check towards a block, unless the key is
//!   already blocked. The same call succeeds
//!   after exactly `retry_after`, unless the key is used or the limiter is changed in the meantime.
//!   If the key has held units, or there is no room for the key, `retry_after` is an estimate.
//! - [`Verdict::Never`](crate::Verdict::Never): the units exceed the limit, so they can never be
//!   allowed together. Nothing is taken from the quota.
//!
//! The units of a call are allowed together or not at all. The crate `zset-tower` sends the fields
//! `limit`, `remaining` and `reset_after` of a [`Decision`](crate::Decision) as headers of HTTP
//! responses. For a denial, it sends `retry_after` instead of `reset_after` if `retry_after` is
//! shorter.
//!
//! # Keys from clients
//!
//! A client that makes up keys could fill the memory. So bound the number of keys with
//! [`with_max_keys`](crate::Keyed::with_max_keys), and bound their length. At the bound, a new key
//! replaces an idle one. If no key is idle, the new key is refused
//! ([`WhenFull::RefuseNew`](crate::WhenFull::RefuseNew)), or all keys for which there is no room
//! share one state ([`WhenFull::SharedBucket`](crate::WhenFull::SharedBucket)). A key in use is
//! never removed for a new one, since that would discard its history.
//!
//! # Time
//!
//! The default clock is monotonic. In tests, a [`FakeClock`](crate::FakeClock) is set by hand. To
//! pass the time to a call instead, use `limiter.at(now).check(&key)`; this works for all calls
//! except waits. Any time may be passed. A clock that steps back grants no additional units.
//! [`Quota::new`](crate::Quota::new) returns a [`QuotaError`](crate::limit::QuotaError) for zero
//! units, or for a period that is zero or exceeds 146 years.
//!
//! # Waiting
//!
//! [`wait_ready`](crate::Keyed::wait_ready) waits until units are allowed. Call `block` on the
//! result to block the current thread. With the feature `async`, the result is also a future for
//! any runtime. Waiters for a key are served in order of arrival. A waiter that gives up takes no
//! units.
//!
//! # Generic code
//!
//! Code that works with any keyed limiter, such as a middleware, can be generic over
//! [`KeyedLimiter`](crate::KeyedLimiter). The trait is dyn-compatible. For metrics, an
//! [`Observer`](crate::Observer) is notified of the calls that are allowed or denied.
//!
//! # Programs
//!
//! `login_captcha` is a service that counts failed logins, and `payments` shows how a window
//! slides: `cargo run --example payments`. `outgoing` is a client that waits: `cargo run --package
//! zset-std --features tokio --example outgoing`.
