//! Rate limiters, leaderboards and delay queues for many machines, with their state in Redis,
//! Valkey or a cluster.
//!
//! This page is about limiters. The modules [`leaderboard`] and [`delay_queue`] are the guides to
//! boards and queues, which treat connections, deadlines and clusters in the same way.
//!
//! Limiters take units from a [`Quota`](zset_std::Quota) and return a
//! [`Decision`](zset_std::Decision), as the limiters of [`zset_std`] do, and decide the same. Each
//! call is one script, so it is atomic, and one round trip. Awaited checks of a hot key share
//! scripts.
//!
//! | limiter | for |
//! |---|---|
//! | [`SlidingWindow`] | at most n units in any period, exactly |
//! | [`Funnel`] | a steady rate with bursts, exactly; `throttle` is `CL.THROTTLE` |
//! | [`FixedWindow`] | a plain counter; up to twice the limit around a boundary |
//! | [`WindowCounter`] | an approximate sliding window |
//! | [`Limits`] | several of them on one key: all allow the units, or none is charged |
//!
//! [`with_penalty`](Keyed::with_penalty) of each blocks a key that keeps sending while denied.
//!
//! The connection decides how they are called. Over a [`blocking::Pool`], calls block the thread.
//! With the feature `tokio`, over any asynchronous connection of [`redis`] that can be cloned, they
//! are awaited; and for hot keys there is `LeasedWindow`, an exact window whose units each process
//! draws in batches.
//!
//! ```no_run
//! use std::time::Duration;
//! use zset_redis::blocking::Pool;
//! use zset_redis::{OnFailure, SlidingWindow};
//! use zset_std::{Quota, Verdict};
//!
//! let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
//! // Three attempts a minute for each user, on all machines together.
//! let quota = Quota::new(3, Duration::from_secs(60))?;
//! let attempts = SlidingWindow::new(pool, "attempts", quota, OnFailure::Deny)?;
//! match attempts.check("ann")?.verdict {
//!     Verdict::Allowed => println!("go ahead"),
//!     Verdict::Denied { retry_after } => println!("come back in {retry_after:?}"),
//!     Verdict::Never => println!("that is too much for any minute"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Two steps
//!
//! `over_limit` and `record` are separate steps for what counts only if it fails, such as a login
//! that requires a captcha after three wrong passwords. Between the two, others may record units
//! too, so more than the limit may be on record; where the limit must hold, use `check`, and
//! `refund` what did not happen.
//!
//! # A quota for each call
//!
//! `check_with` takes the quota with the call, e.g. that of the caller's tier. All calls share the
//! history of the key. [`Keyed::check_with`](Keyed::check_with) says which periods each
//! limiter takes.
//!
//! # Keys
//!
//! The state of the caller's key `ann` of a limiter that is named `attempts` is in
//! `attempts:{ann}:sliding_window:0`. The number is the index of the limit in [`Limits`]. What
//! stands in braces is the hash tag, so all keys of a decision are in one slot of a cluster. In the
//! name and in the caller's key, `%`, `{` and `}` are escaped as `%25`, `%7B` and `%7D`, and an
//! empty key is `%`. All other bytes stay, so keys may be binary, and different keys stay
//! different. Limiters with the same name, type and index share their state: that is how machines
//! share it.
//!
//! A key expires when the server's clock says that none of its units count any more, rounded up to
//! a millisecond; that of a [`FixedWindow`] a period later. What takes no units writes nothing: a
//! denial, a check of no units, a `peek`; only with a penalty, a denial writes that the key was
//! denied, to `attempts:{ann}:penalty`. Give the server enough memory and the policy
//! `noeviction`: the history of an evicted key is lost.
//!
//! # Hashed keys
//!
//! A user who can read the server, its log of slow commands or its backups sees these names, with
//! the tokens or addresses in them. `hashed_keys(secret)` writes a hash instead: of the token
//! `Bearer ann`, a limiter that is named `per-token` then stores
//! `per-token:{bf857fc48abbdba6d0e8c241c9eda486}:hashed:funnel:0`. The hash is SipHash-2-4 with 128
//! bits, keyed with the secret. It covers the name too, so the hashes of a key in two limiters
//! cannot be related. A user who knows the secret can test guesses. Choose 16 random
//! bytes or more, from the settings that all machines share. With another secret, or none, states
//! start anew.
//!
//! | type | on the server | hashed |
//! |---|---|---|
//! | all limiters | the name, the caller's key, counts and times | the caller's key |
//! | `LeasedWindow` | also a random number for each process | the caller's key |
//! | boards | the name; members and scores | the name |
//! | queues | the name; ids, payloads, counts and times | the name |
//!
//! The members of boards, and the ids and payloads of jobs, are stored as they are: the server
//! returns them.
//!
//! # Rights
//!
//! A user of the server (`ACL SETUSER`) needs `+eval +evalsha`, the commands of the scripts, and
//! the keys:
//!
//! | type | keys | commands |
//! |---|---|---|
//! | `SlidingWindow` | `~NAME:*` | `+time +pexpireat +unlink +zadd +zcard +zcount +zrange +zrangebyscore +zrem +zremrangebyscore` |
//! | `Funnel`, `FixedWindow`, `WindowCounter` | `~NAME:*` | `+time +del +get +set +unlink` |
//! | `LeasedWindow` | `~NAME:*` | `+time +del +pexpireat +zadd +zrange +zrangebyscore +zrem +zscore` |
//! | boards | `~board:{NAME}:*` | `+exists +unlink +zadd +zcard +zcount +zincrby +zrange +zrangebyscore +zrank +zrem +zremrangebyrank +zremrangebyscore +zscore` |
//! | queues | `~queue:{NAME}:*` | `+time +hdel +hexists +hget +hincrby +hlen +hmget +hset +unlink +xadd +xread +xrevrange +zadd +zcard +zrange +zrem +zscore` |
//!
//! `Limits` need the commands of their limiters, and a limiter with a penalty those of a
//! `FixedWindow` too. `~board:{*}:*` and `~queue:{*}:*` are the keys of
//! boards and queues whose names are hashed. Connections to a cluster also need `+cluster|slots`,
//! and `+asking` while slots move. None of them may be renamed. The error of a command that is
//! missing names it.
//!
//! # Memory
//!
//! A string takes 120 to 136 bytes a key in Redis 7.0, and the server's tables some 50 more. The
//! log of a [`SlidingWindow`] has one entry for all units that were allowed in the same
//! microsecond: about 32 bytes each up to 128 entries, and up to 140 bytes beyond. With checks of
//! one unit, that is at most `count` entries for each key. Set the server's `lazyfree-lazy-expire
//! yes` if logs are long: freeing a million entries otherwise blocks Redis for about 0.2 seconds.
//!
//! # Speed
//!
//! One core of a server decides about 190,000 times a second with a [`Funnel`], and 120,000 times
//! with a `SlidingWindow`, if callers share connections. `docs/many-machines.md` of the project has
//! the figures.
//!
//! # Time
//!
//! The time is the server's, in microseconds; the clocks of clients do not matter. Durations of a
//! decision are rounded up to microseconds, so waiting that long is enough. A clock that steps back
//! never grants more: the latest time on record counts. Denials write nothing, so the latest time
//! on record is that of the last units allowed, whereas a limiter of `zset_std` has seen the times
//! of denials too. The clock of a replica that becomes the primary is another one: a window across
//! the failover is shorter by as much as that clock is ahead.
//!
//! [`at(now)`](Keyed::at) is the same limiter with its clock fixed at a time, rounded down to
//! microseconds; its durations are to the nanosecond. It is for tests: a given time need not
//! advance as the server's does, so keys expire a day later than they would. Do not mix both clocks
//! on a key.
//!
//! Scripts compute in doubles, which are exact up to 2^53. All arithmetic is exact for periods of
//! whole microseconds up to 71 years; other quotas are an [`UnsupportedQuota`]. Times may be up to
//! 142 years after their origin, i.e. up to the year 2112 for the server's clock.
//!
//! # Failures
//!
//! Each call has a deadline: one second, unless `with_deadline` says otherwise. A shorter timeout
//! of the connection itself ends it earlier; the asynchronous ones of `redis` have half a second by
//! default. What happens when the server fails, or does not reply in time, is chosen when a limiter
//! is made, as [`OnFailure`]: the call returns the [`Error`], or the units are allowed, or a
//! limiter in this process decides. `with_failure_observer` receives each failure, whatever was
//! chosen.
//!
//! While the server is down, each call waits for its deadline. With a [`Breaker`], calls after some
//! failures in a row fail at once, but for one probe at a time. [`Breaker::state`] is for metrics.
//!
//! After a deadline, or if the connection breaks, the server may have run the script, or run it
//! later. The units are then taken although the call failed, as they may be if a future is dropped.
//! Clients of a cluster repeat a command after some errors, see `ClusterClientBuilder::retries`, so
//! units may even be taken twice. Both are errors towards denial.
//!
//! Scripts are called by their hash. A server that does not know it, after a restart, a failover or
//! SCRIPT FLUSH, replies so, and the call sends the script: a second round trip, once for each
//! server and script.
//!
//! # Connections that break
//!
//! | connection | after it broke |
//! |---|---|
//! | `redis::aio::ConnectionManager` | it opens a new one, for which calls wait until their deadline |
//! | connections to a cluster | they open new ones and repeat the command |
//! | [`Pool`](blocking::Pool) | calls that used it fail, and later calls open new ones |
//! | `redis::aio::MultiplexedConnection` | **all later calls fail**, so it is for tests and short programs |
//!
//! A connection can also be open and of no use, after its server has become a replica while the
//! name or balancer moved to the new primary. So a `ConnectionManager` and a `Pool` replace a
//! connection whose server replies `READONLY`, `MASTERDOWN` or `LOADING`. A server that replies so
//! has run nothing, so the call is repeated over the new connection, once and within its deadline.
//! For a `ConnectionManager`, the server is sent `QUIT`; what else uses it at that time fails. A
//! `MultiplexedConnection` cannot be replaced, and stays with its server.
//!
//! Servers and balancers close connections that are idle. A `ConnectionManager` and a `Pool` send
//! `PING` before a call if no reply has arrived for a second, and replace a connection that is
//! closed. So such a call takes a round trip more, and does not fail. All other calls whose
//! connection breaks fail, since the server may have run them.
//!
//! A `ConnectionManager` waits longer after each attempt that failed, by default for several
//! seconds: `ConnectionManagerConfig::set_max_delay` bounds how long calls still fail once the
//! server is back. A machine that vanishes does not close its connections. A `Pool` closes a
//! connection after a deadline, but the asynchronous ones notice only what the system does, on
//! Linux after a quarter of an hour, unless `redis::io::tcp::TcpSettings` has a keepalive and a
//! user timeout.
//!
//! # TLS
//!
//! TLS is a feature of the crate [`redis`], for URLs that start with `rediss`. Enable it in your own
//! crate, since features add up:
//!
//! ```toml
//! redis = { version = "1", default-features = false, features = ["tls-rustls"] }
//! rustls = { version = "0.23", default-features = false, features = ["ring"] }
//! ```
//!
//! | calls | with rustls and one of its providers | with the system's library |
//! |---|---|---|
//! | blocking | `tls-rustls` | `tls-native-tls` |
//! | awaited | `tokio-rustls-comp` | `tokio-native-tls-comp` |
//!
//! A certificate that the system does not trust is passed to the client; the example `tls` makes
//! one and a server that has it:
//!
//! ```no_run
//! use redis::{Client, TlsCertificates};
//!
//! let root_cert = Some(std::fs::read("ca.pem")?);
//! let certificates = TlsCertificates { client_tls: None, root_cert };
//! let client = Client::build_with_tls("rediss://redis.example/", certificates)?;
//! let pool = zset_redis::blocking::Pool::new(client);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Sentinel
//!
//! With the feature `sentinel` of the crate [`redis`], its `SentinelClient` asks Sentinels for the
//! primary. A [`Pool`](blocking::Pool) of anything that [opens connections](blocking::Connect) can
//! do so for each new connection: the example `sentinel` has such a type of three short methods,
//! and keeps a limit while the primary is killed and its replica takes over. The asynchronous
//! connections of `redis` do not ask again. With them, use a name or a balancer that leads to the
//! primary, or make the limiter anew over another connection of `SentinelClient`.
//!
//! # What a failover can lose
//!
//! Replication is asynchronous. When a primary fails, the units that it allowed and had not sent to
//! the replica that takes over are forgotten. For each key these are at most the units allowed
//! during the replication lag, which the limit bounds as well: in a window that contains a
//! failover, **at most twice the limit**; with k failovers, at most k + 1 times. A primary that was
//! cut off and still serves clients is a second server with the same limits, until it notices:
//! `min-replicas-to-write 1` and `min-replicas-max-lag` bound how long. `WAIT` after a call, on the
//! same connection, returns once a replica has received it. That costs a round trip to the replica
//! for each call, and makes a loss unlikely rather than impossible, since another replica may take
//! over. A refund that is lost errs towards denial.
//!
//! A server that restarts without its data starts anew in the same way: at most the limit more.
//! With `appendonly yes` and `appendfsync always`, a crash forgets no units that were allowed. With
//! `everysec`, one of the machine can forget about those of the last second, and so can one of the
//! process if the disk was busy. Snapshots alone forget all since the last one.
//!
//! # Clusters
//!
//! With the feature `cluster`, a [`Pool`](blocking::Pool) takes a `redis::cluster::ClusterClient`,
//! and the awaited limiters take its asynchronous connections. All keys of a decision are in one
//! slot, so each call goes to one node. Scripts run on primaries only, also if the client reads
//! from replicas: a server that has become a replica replies with the address of its primary, which
//! the client follows.
//!
//! The client follows redirections, and repeats commands that fail while a node restarts or a slot
//! moves. But it waits for 1.28 seconds or more before that, and without end for a node that does
//! not reply, and then calls to other nodes wait too. So with the default settings such calls reach
//! their deadline. These settings suit a deadline of a second:
//!
#![cfg_attr(feature = "cluster", doc = "```no_run")]
#![cfg_attr(not(feature = "cluster"), doc = "```ignore")]
//! use std::time::Duration;
//! use redis::cluster::ClusterClient;
//!
//! let client = ClusterClient::builder(["redis://10.0.0.1/", "redis://10.0.0.2/"])
//!     .connection_timeout(Duration::from_millis(200))
//!     .response_timeout(Duration::from_millis(200))
//!     .overall_response_timeout(None)
//!     .min_retry_wait(10)
//!     .max_retry_wait(100)
//!     .build()?;
//! # Ok::<(), redis::RedisError>(())
//! ```
//!
//! While a slot moves, a limiter with one limit over a [`Pool`](blocking::Pool) decides as always.
//! The asynchronous client of `redis` 1.2 sends `ASKING` and the command that it is for one after
//! the other, so many calls to a key that has moved ahead of its slot disturb each other, and then
//! some fail. [`Limits`] of several have several keys: calls fail with `TRYAGAIN` while these are
//! at two nodes, and for a new key until the whole slot has moved. The client repeats them until
//! the deadline.
//!
//! # Features
//!
//! - `tokio`: calls to be awaited, over multiplexed connections and `ConnectionManager`.
//! - `cluster`: connections to a cluster, blocking and awaited; implies `tokio`.
//!
//! The crate contains no unsafe code. It requires Rust 1.85 or newer, and Redis 7.0 or Valkey; it
//! is tested with Redis 7.0 and Valkey 9.1. The crate [`redis`] is re-exported.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod blocking;
mod breaker;
pub mod delay_queue;
mod error;
#[cfg(feature = "tokio")]
mod flights;
mod key;
mod keyed;
#[cfg(feature = "tokio")]
mod keys;
pub mod leaderboard;
#[cfg(feature = "tokio")]
mod leased;
mod limit;
mod link;
mod operation;
mod script;

pub use breaker::{Breaker, BreakerState};
pub use delay_queue::DelayQueue;
pub use error::{Error, UnsupportedQuota};
pub use keyed::{FixedWindow, Funnel, Keyed, Limits, SlidingWindow, WindowCounter, kind};
pub use leaderboard::Leaderboard;
#[cfg(feature = "tokio")]
pub use leased::LeasedWindow;
pub use limit::{OnFailure, Rule};
pub use redis;
pub use zset_std;

/// Tests the example in the README.
#[cfg(all(doctest, feature = "tokio"))]
#[doc = include_str!("../README.md")]
pub struct Readme;
