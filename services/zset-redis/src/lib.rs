//! Rate limiters, leaderboards and delay queues for many machines, with their state in Redis,
//! Valkey or a cluster.
//!
//! This page is about limiters. The modules [`leaderboard`] and [`delay_queue`] are the guides to
//! boards and queues, which treat connections, deadlines and clusters in the same way.
//!
//! [`Keyed`] is the limiter. Its calls have the names of those of [`zset_std::Keyed`], and make the
//! same decisions, apart from what depends on [the clock](#time). Each call is one script, so it is
//! atomic, and usually one round trip.
//!
//! It takes an [algorithm of `zset_std`](zset_std#which-type): a [`SlidingWindow`], a [`Funnel`], a
//! [`FixedWindow`], a [`WindowCounter`](zset_std::WindowCounter), several of them as [`Limits`],
//! and any of these with a [`Penalty`](zset_std::Penalty). [`ServerLimiter`] says what each stores
//! on the server.
//!
//! [`SlidingWindow`]: zset_std::SlidingWindow
//! [`Funnel`]: zset_std::Funnel
//! [`FixedWindow`]: zset_std::FixedWindow
//! [`Limits`]: zset_std::Limits
//!
//! The type of [`Connection`] decides how calls are made. Over a [`blocking::Pool`], calls block
//! the thread. With the feature `tokio`, calls over an asynchronous connection of [`redis`], or
//! over another `AsyncConnection`, are awaited. For hot keys there is also `LeasedWindow`, an exact
//! window whose units each process draws in batches.
//!
//! ```no_run
//! use std::time::Duration;
//! use zset_redis::blocking::Pool;
//! use zset_redis::{Keyed, OnFailure};
//! use zset_std::{Quota, SlidingWindow, Verdict};
//!
//! let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
//! // Three attempts a minute for each user, on all machines together.
//! let quota = Quota::new(3, Duration::from_secs(60))?;
//! let attempts = Keyed::new(pool, "attempts", SlidingWindow::new(quota), OnFailure::Deny)?;
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
//! `over_limit` and `record` are separate steps for actions that count only if they fail, such as
//! logins that require a captcha after three wrong passwords. Between the two, other callers may
//! record units too, so the record may exceed the limit. If the limit must hold, use `check`, and
//! `refund` units that were not needed.
//!
//! # A quota for each call
//!
//! `check_with` takes the quota with the call, e.g. that of the caller's tier. All calls share the
//! history of the key. [`Keyed::check_with`](Keyed::check_with) lists the periods that each limiter
//! accepts.
//!
//! # Keys
//!
//! The state of the key `ann` in a limiter named `attempts` is stored in
//! `attempts:{ann}:sliding_window:0`. The number is the index of the limit in [`Limits`]. The part
//! in braces is the hash tag, so all keys of a decision are in one slot of a cluster. In the name
//! and in the caller's key, `%`, `{` and `}` are escaped as `%25`, `%7B` and `%7D`, and an empty
//! key is `%`. All other bytes are unchanged, so keys may be binary, and different keys stay
//! different. Limiters with the same name, type and index share their state: that is how machines
//! share it.
//!
//! A key expires when none of its units count any more by the server's clock, rounded up to a
//! millisecond. A key of a [`FixedWindow`] expires a period later. Calls that take no units write
//! nothing: denials, checks of no units, and `peek`. With a penalty, a denial does write to
//! `attempts:{ann}:sliding_window:penalty`. With `Limits`, this key names all types, as in
//! `funnel+fixed_window:penalty`. Give the server enough memory and the policy `noeviction`: the
//! history of an evicted key is lost.
//!
//! # Hashed keys
//!
//! A user who can read the server, its slow log or its backups sees these names, with the tokens or
//! addresses in them. `with_hashed_keys(secret)` writes a hash instead: for the token `Bearer ann`,
//! a limiter named `per-token` then stores
//! `per-token:{bf857fc48abbdba6d0e8c241c9eda486}:hashed:funnel:0`. The hash is SipHash-2-4 with 128
//! bits, keyed with the secret. It covers the name too, so the hashes of a key in two limiters
//! cannot be related. A user who knows the secret can test guesses. Choose at least 16 random
//! bytes, from the settings that all machines share. With another secret, or without one, limiters
//! start with an empty state.
//!
//! | type | on the server | hashed |
//! |---|---|---|
//! | all limiters | the name, the caller's key, counts and times | the caller's key |
//! | `LeasedWindow` | also a random number for each process | the caller's key |
//! | boards | the name; members and scores | the name |
//! | queues | the name; ids, payloads, counts and times | the name |
//!
//! The members of boards, and the ids and payloads of jobs, are stored unchanged: the server
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
//! `Limits` need the commands of their limiters, and a limiter with a penalty also those of a
//! `FixedWindow`. `~board:{*}:*` and `~queue:{*}:*` are the keys of boards and queues with hashed
//! names. Connections to a cluster also need `+cluster|slots`, with `redis` 1.8 also `+ping`, and
//! `+asking` while slots move. None of the commands may be renamed. The error of a
//! missing command names it.
//!
//! # Memory
//!
//! A string takes 120 to 136 bytes a key in Redis 7.0, plus about 60 in the server's tables. The
//! log of a [`SlidingWindow`] has one entry for all units that were allowed in the same
//! microsecond: about 32 bytes each up to 128 entries, and up to 140 bytes beyond. With checks of
//! one unit, that is at most `count` entries for each key. Set the server's `lazyfree-lazy-expire
//! yes` if logs are long: freeing a million entries otherwise blocks Redis for about 0.2 seconds.
//!
//! # Speed
//!
//! One core of a server makes about 140,000 decisions per second with a [`Funnel`], and 90,000
//! with a `SlidingWindow`, if callers share connections. The measurements are in
//! `docs/many-machines.md` of the project.
//!
//! # Time
//!
//! The time is the server's, in microseconds; the clocks of clients do not matter. Durations in a
//! decision are rounded up to microseconds, so waiting that long is enough. A clock that steps back
//! never grants more: the latest recorded time counts. Denials do not record it, so that is the
//! time of the last units on record, whereas a limiter of `zset_std` has also seen the times of
//! denials. A replica that becomes the primary has a different clock: a window across the failover
//! is shorter by as much as that clock is ahead.
//!
//! [`at(now)`](Keyed::at) is the same limiter with its clock fixed at a time, rounded down to
//! microseconds; its durations are exact to the nanosecond. It is for tests: a given time need not
//! advance as the server's does, so keys expire a day later than they would. Do not use both clocks
//! on one key.
//!
//! Scripts compute in doubles, which are exact up to 2^53. All arithmetic is exact for periods of
//! whole microseconds up to 71 years, in which a full funnel has to empty too; other quotas are an
//! [`UnsupportedQuota`]. Times may be up to 142 years after their origin, i.e. up to the year 2112
//! for the server's clock.
//!
//! # Failures
//!
//! Each call has a deadline, one second by default; `with_deadline` sets another. A shorter timeout
//! of the connection itself ends the call earlier; the asynchronous connections of `redis` have
//! half a second by default. Each limiter is created with an [`OnFailure`] policy for a server that
//! fails or does not reply in time: the units are denied or allowed, or a limiter in this process
//! decides, or the call returns the [`Failure`]. `with_failure_observer` receives each failure,
//! whatever the policy.
//!
//! A [`LimiterError`], a [`LeaderboardError`] and a [`DelayQueueError`] are a failure of the server
//! or an error of the caller, such as a [`QueueFull`](DelayQueueError::QueueFull) queue.
//!
//! A server that does not reply makes each call wait for its deadline. With a [`Breaker`], after
//! some failures in a row, calls fail immediately, except for one probe at a time.
//! [`Breaker::state`] is for metrics.
//!
//! After a deadline, or if the connection breaks, the server may have run the script, or may run it
//! later. The units are then taken although the call failed. The same can happen if a future is
//! dropped. Cluster clients repeat a command after some errors, so units may even be taken twice:
//! see `ClusterClientBuilder::retries`. Later calls are then denied too early.
//!
//! While its memory is full or replicas are missing, a server refuses to write. Calls that only
//! read still work, and checks that would be denied are denied. Calls that free memory work while
//! it is full. `docs/many-machines.md` of the project has a table of all calls.
//!
//! Scripts are called by their hash. If the server does not know it, the call sends the script: a
//! second round trip. A server does not know a script before its first call, and may forget it:
//! after a restart, a failover or SCRIPT FLUSH, or, in Valkey 9, after hundreds of other scripts.
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
//! A connection can also be open but useless, when its server has become a replica and the name or
//! balancer has moved to the new primary. So a `ConnectionManager` and a `Pool` replace a
//! connection whose server replies `READONLY`, `MASTERDOWN` or `LOADING`. Such a server has run
//! nothing, so the call is repeated over the new connection, within its deadline. A
//! `MultiplexedConnection` cannot be replaced, and stays with its server.
//!
//! The connection of a `ConnectionManager` is replaced once for all limiters, boards and queues
//! over its clones. It is closed by `QUIT`, after the calls in flight over managers with the same
//! settings have ended. Other commands that the program sends over the manager at that time fail.
//!
//! Servers and balancers close idle connections. A `ConnectionManager` and a `Pool` send `PING`
//! before a call if no reply has arrived for a second, and replace a closed connection. So such a
//! call takes one more round trip, and does not fail. (A `Pool` of a `ClusterClient` sends none:
//! the client replaces connections to nodes.) All other calls whose connection breaks fail, since
//! the server may have run them.
//!
//! A `ConnectionManager` waits longer after each failed attempt, by default up to several seconds:
//! `ConnectionManagerConfig::set_max_delay` bounds how long calls still fail once the server is
//! back. A machine that vanishes does not close its connections. A `Pool` closes a connection after
//! a deadline. The asynchronous connections notice only when the system does, on Linux after a
//! quarter of an hour, unless `redis::io::tcp::TcpSettings` sets a keepalive and a user timeout.
//!
//! # TLS
//!
//! TLS is a feature of the crate [`redis`], for URLs that start with `rediss`. Enable it in your
//! own crate, since Cargo unifies features:
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
//! A certificate that the system does not trust is passed to the client. The example `tls` creates
//! one, and a server that uses it:
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
//! primary. A [`Pool`](blocking::Pool) can do so for each new connection, through any type that
//! [opens connections](blocking::Connect). The example `sentinel` has such a type with three short
//! methods, and keeps a limit while the primary is killed and its replica takes over. The
//! asynchronous connections of `redis` do not ask again. With them, use a name or a balancer that
//! leads to the primary, or create the limiter again over another connection of `SentinelClient`.
//!
//! # What a failover can lose
//!
//! Replication is asynchronous. When a primary fails, the units that it allowed but had not yet
//! sent to the replica that takes over are lost. For each key these are at most the units allowed
//! during the replication lag, which the limit bounds as well. So in a window of a
//! [`SlidingWindow`] that contains a failover, **at most twice the limit** is allowed; with k
//! failovers, at most k + 1 times. A primary that was cut off and still serves clients is a second
//! server with the same limits until it notices: `min-replicas-to-write 1` and
//! `min-replicas-max-lag` bound how long. `WAIT` after a
//! call, on the same connection, returns once a replica has received it. That costs a round trip to
//! the replica for each call, and makes a loss unlikely rather than impossible, since another
//! replica may take over. A lost refund errs on the side of
//! denying.
//!
//! A server that restarts without its data starts with an empty state too: it allows at most the
//! limit once more. With `appendonly yes` and `appendfsync always`, a crash loses no units that
//! were allowed. With `everysec`, a crash of the machine can lose about the last second of them,
//! and so can a crash of the process if the disk was busy. With snapshots alone, all units since
//! the last one are lost.
//!
//! # Clusters
//!
//! With the feature `cluster`, a [`Pool`](blocking::Pool) takes a `redis::cluster::ClusterClient`,
//! and the awaited limiters take its asynchronous connections. All keys of a decision are in one
//! slot, so each call goes to one node. Scripts run on primaries only, even if the client reads
//! from replicas: a server that has become a replica replies with the address of its primary, which
//! the client follows.
//!
//! The client follows redirections, and repeats commands that fail while a node restarts or a slot
//! moves. But it waits at least 1.28 seconds before that, and indefinitely for a node that does not
//! reply, and then calls to other nodes wait too. So with the default settings such calls reach
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
//! `overall_response_timeout` would also end the waits of a queue's workers.
//!
//! While a slot moves, a limiter with one limit over a [`Pool`](blocking::Pool) decides as always.
//! The asynchronous client of `redis` 1.2 sends `ASKING` separately from the command that it
//! precedes. So many concurrent calls to a key that has moved ahead of its slot interfere with each
//! other, and some fail. [`Limits`] with several limits have several keys: calls fail with
//! `TRYAGAIN` while these are on two nodes, and for a new key until the whole slot has moved. The
//! client repeats them until the deadline.
//!
//! # Features
//!
//! - `tokio`: awaited calls, over multiplexed connections and `ConnectionManager`.
//! - `cluster`: connections to a cluster, blocking and awaited; implies `tokio`.
//!
//! The crate contains no unsafe code. Its minimum Rust version is its `rust-version`. It requires
//! Redis 7.0 or Valkey, and is tested with Redis 7.0 and Valkey 9.1. The crate [`redis`] is
//! re-exported.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod blocking;
mod breaker;
mod connection;
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
mod operation;
mod script;
mod settings;

pub use breaker::{Breaker, BreakerState};
#[cfg(feature = "tokio")]
pub use connection::AsyncConnection;
pub use connection::Connection;
pub use delay_queue::DelayQueue;
pub use error::{DelayQueueError, Failure, LeaderboardError, LimiterError, UnsupportedQuota};
pub use keyed::Keyed;
pub use leaderboard::Leaderboard;
#[cfg(feature = "tokio")]
pub use leased::LeasedWindow;
pub use limit::{OnFailure, ServerLimiter};
pub use redis;
pub use zset_std;

/// Compiles the example in the README.
#[cfg(all(doctest, feature = "tokio"))]
#[doc = include_str!("../README.md")]
pub struct Readme;
