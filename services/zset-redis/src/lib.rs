//! Rate limiters, leaderboards and delay queues that many machines share, with their state in
//! Redis, Valkey or a cluster.
//!
//! This page is about limiters. The modules [`leaderboard`] and [`delay_queue`] are the guides to
//! boards and queues. Connections, deadlines and clusters work in the same way there.
//!
//! [`Keyed`] is the limiter. Its calls have the same names as those of [`zset_std::Keyed`], and
//! allow the same units, except for differences due to [the clock](#time). Each call is decided by
//! one script, so it is atomic, and usually takes one round trip.
//!
//! A limiter takes an [algorithm of `zset_std`](zset_std#which-type): a [`SlidingWindow`], a
//! [`Funnel`], a [`FixedWindow`] or a [`WindowCounter`](zset_std::WindowCounter). It can also take
//! several of them as [`Limits`], and any of these with a [`Penalty`](zset_std::Penalty).
//! [`ServerLimiter`] lists what each algorithm stores on the server.
//!
//! [`SlidingWindow`]: zset_std::SlidingWindow
//! [`Funnel`]: zset_std::Funnel
//! [`FixedWindow`]: zset_std::FixedWindow
//! [`Limits`]: zset_std::Limits
//!
//! The type of the [`Connection`] decides whether calls block or are async. Over a
//! [`blocking::Pool`], they block the thread. With the feature `tokio`, they are async over an
//! asynchronous connection of [`redis`] or another `AsyncConnection`. For hot keys, there is also
//! `LeasedWindow`, an exact sliding window whose units each process draws in batches.
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
//! Some actions count only if they fail, such as logins that require a captcha after three wrong
//! passwords. For these, call `over_limit` before the action, and `record` after a failure. Other
//! callers may record units between the two calls, so the recorded units may exceed the limit. If
//! the limit must hold, use `check`, and `refund` units that were not needed.
//!
//! # A quota for each call
//!
//! With `check_with`, each call has its own quota, e.g. that of the caller's tier. All calls share
//! the history of the key. [`Keyed::check_with`](Keyed::check_with) lists the periods that each
//! algorithm accepts.
//!
//! # Keys
//!
//! The state of the key `ann` in a [`SlidingWindow`] named `attempts` is stored in
//! `attempts:{ann}:sliding_window:0`. The number is the index of the limit in [`Limits`]. The part
//! in braces is the hash tag, so all keys of a decision are in one slot of a cluster. In the name
//! and in the caller's key, `%`, `{` and `}` are escaped as `%25`, `%7B` and `%7D`. An empty key is
//! written as `%`. All other bytes are unchanged, so keys may be binary. Different keys never have
//! the same name on the server. Limiters with the same name, type, index and [secret](#hashed-keys)
//! share their state, even on different machines.
//!
//! A key expires when, by the server's clock, none of its units count any more. This time is
//! rounded up to a millisecond. After a refund, the key may expire later than that. A key of a
//! [`FixedWindow`] expires one period later. Give the server enough memory and the policy
//! `noeviction`, since the history of an evicted key is lost.
//!
//! In a [`Keyed`], denials, checks of zero units and `peek` write nothing. With a penalty, however,
//! a denial writes to `attempts:{ann}:sliding_window:penalty`, unless the denial is due to a block
//! or the units of the call exceed the limit. With `Limits`, the name of this key contains all
//! types, as in `funnel+fixed_window:penalty`.
//!
//! # Hashed keys
//!
//! A user who can read the server, its slow log or its backups sees these names, with the tokens or
//! addresses in them. After `with_hashed_keys(secret)`, the names contain a hash instead of the
//! caller's key. For example, with the secret `0123456789abcdef`, a limiter named `per-token`
//! stores the state of the token `Bearer ann` in
//! `per-token:{bf857fc48abbdba6d0e8c241c9eda486}:hashed:funnel:0`.
//!
//! The hash is `SipHash-2-4` with 128 bits, keyed with a hash of the secret. It also covers the
//! limiter's name, so the hashes of one key in limiters with different names cannot be related. A
//! user who knows the secret can test guesses. Choose at least 16 random bytes, and the same ones
//! on all machines. If you add, change or remove the secret, limiters no longer see their state.
//!
//! | type | on the server | hashed |
//! |---|---|---|
//! | all limiters | the name, the caller's key, counts and times | the caller's key |
//! | `LeasedWindow` | also a random number for each limiter in each process | the caller's key |
//! | boards | the name; members and scores | the name |
//! | queues | the name; ids, payloads, counts and times | the name |
//!
//! The members of boards, and the ids and payloads of jobs, are not hashed, because calls return
//! them.
//!
//! # Rights
//!
//! A user of the server (`ACL SETUSER`) needs `+eval +evalsha`, access to the keys, and the
//! commands that the scripts call:
//!
//! | type | keys | commands |
//! |---|---|---|
//! | `SlidingWindow` | `~NAME:*` | `+time +pexpireat +unlink +zadd +zcard +zcount +zrange +zrangebyscore +zrem +zremrangebyscore` |
//! | `Funnel`, `FixedWindow`, `WindowCounter` | `~NAME:*` | `+time +del +get +set +unlink` |
//! | `LeasedWindow` | `~NAME:*` | `+time +del +pexpireat +zadd +zrange +zrangebyscore +zrem +zscore` |
//! | boards | `~board:{NAME}:*` | `+exists +unlink +zadd +zcard +zcount +zincrby +zrange +zrangebyscore +zrank +zrem +zremrangebyrank +zremrangebyscore +zscore` |
//! | queues | `~queue:{NAME}:*` | `+time +hdel +hexists +hget +hincrby +hlen +hmget +hset +unlink +xadd +xread +xrevrange +zadd +zcard +zrange +zrem +zscore` |
//!
//! `Limits` need the commands of all their limiters. A limiter with a penalty also needs those of a
//! `FixedWindow`. Boards and queues with hashed names have the keys `~board:{*}:*` and
//! `~queue:{*}:*`.
//!
//! Connections to a cluster also need `+cluster|slots` and, while slots move, `+asking`. With
//! `redis` 1.8, they also need `+ping`. A connection that reads from replicas needs `+readonly`. A
//! URL with a database other than 0 needs `+select`. None of these commands may be renamed on the
//! server. If a user lacks a command, the error names it.
//!
//! # Memory
//!
//! A [`Funnel`], a [`FixedWindow`] or a `WindowCounter` stores one string per key. With a name of
//! about 30 bytes, a key takes 120 to 136 bytes in Redis 7.0, plus about 60 bytes in the server's
//! tables.
//!
//! A [`SlidingWindow`] stores a log, with one entry for all units that were allowed in the same
//! microsecond. An entry takes 32 to 40 bytes while there are at most 128 of them, and up to about
//! 140 bytes in longer logs. If only `check` and `check_n` are called, a log has at most as many
//! entries as the `count` of the quota. If logs are long, set `lazyfree-lazy-expire yes` on the
//! server. Otherwise, Redis blocks for about 0.2 seconds while it frees a million entries.
//!
//! # Speed
//!
//! One core of a server makes about 140,000 decisions per second with a [`Funnel`], and 90,000 with
//! a `SlidingWindow`, if callers share connections. The measurements are in the project's
//! `docs/many-machines.md`.
//!
//! # Time
//!
//! Limiters use the server's clock, in microseconds. Durations in a decision are rounded up to
//! microseconds, so waiting that long is enough. If the clock steps back, nothing extra is granted,
//! since a [`Keyed`] uses the latest time recorded for the key. Unlike in `zset_std`, the times of
//! denials are not recorded. A replica that becomes the primary has a different clock. A window
//! that contains the failover is shorter by as much as the new clock is ahead of the old one.
//!
//! For tests, [`at(now)`](Keyed::at) returns the same limiter with its clock fixed at `now`,
//! rounded down to microseconds. Durations in its decisions are not rounded up. Its keys expire a
//! day later than usual. Do not use both clocks on one key.
//!
//! Scripts compute in doubles, which are exact up to 2^53. Decisions are exact if the period is a
//! whole number of microseconds below 71 years, and a full funnel empties in less than 71 years.
//! Other quotas are rejected as an [`UnsupportedQuota`]. If calls of a funnel have quotas with
//! different counts, times are rounded, towards denial. Times may be up to 142 years after their
//! origin.
//!
//! # Failures
//!
//! Each call has a deadline, by default one second; `with_deadline` sets another. If the connection
//! itself has a shorter timeout, the call ends earlier. The asynchronous connections of `redis` to
//! one server have a timeout of half a second by default.
//!
//! Each limiter is created with an [`OnFailure`] policy, which applies if the server fails or does
//! not reply in time. The policy denies or allows the units, lets a limiter in this process decide,
//! or makes the call return the [`Failure`]. An observer set by `with_failure_observer` receives
//! each failure, whatever the policy.
//!
//! A [`LimiterError`], a [`LeaderboardError`] or a [`DelayQueueError`] is either a [`Failure`] or
//! an error with another cause, such as a push to a [full queue](DelayQueueError::QueueFull).
//!
//! If the server does not reply, each call waits until its deadline. A [`Breaker`] avoids this:
//! after several failures in a row, calls fail immediately, and only one call at a time is sent as
//! a probe.
//!
//! After a deadline, or if the connection breaks, the server may have run the script, or may run it
//! later. The units are then taken although the call failed. The same can happen if a future is
//! dropped. Cluster clients repeat a command after some errors, so units may even be taken twice:
//! see `ClusterClientBuilder::retries`. Later calls are then denied too early.
//!
//! A server refuses to write while its memory is full or replicas are missing. Calls that only read
//! still work, and checks that would have been denied anyway are still denied. But while replicas
//! are missing, a call of a `LeasedWindow` that needs the server fails. Calls that free memory work
//! while memory is full. The project's `docs/many-machines.md` has a table of all calls.
//!
//! Scripts are called by their hash. If the server does not know the hash, the call sends the
//! script in a second round trip. This happens on the first call of a script, and after a restart,
//! a failover or `SCRIPT FLUSH`. On newer servers, such as Valkey 9, it also happens after hundreds
//! of other scripts were sent.
//!
//! # Connections that break
//!
//! | connection | if it breaks |
//! |---|---|
//! | `redis::aio::ConnectionManager` | it opens a new one; calls wait for it until their deadline |
//! | connections to a cluster | they open new ones and repeat the command |
//! | [`Pool`](blocking::Pool) | calls that used it fail, and later calls open new ones |
//! | `redis::aio::MultiplexedConnection` | **all later calls fail**, so it is for tests and short programs |
//!
//! A connection can also be open but useless: its server has become a replica, while the host name
//! or the load balancer leads to the new primary. So a `ConnectionManager` and a `Pool` replace a
//! connection whose server replies `READONLY`, `MASTERDOWN` or `LOADING`. Such a server has not run
//! the command, so the call is repeated over the new connection, within its deadline. A
//! `MultiplexedConnection` cannot be replaced, and stays with its server.
//!
//! All limiters, boards and queues over clones of a `ConnectionManager` share its connection, which
//! is replaced once for all of them. The old connection is closed by `QUIT`, after the calls in
//! flight over managers with the same settings have ended. Other commands that the program sends
//! over the manager at that time may fail.
//!
//! Servers and load balancers close idle connections. So if no reply has arrived for a second, a
//! `ConnectionManager` and a `Pool` send `PING` before a call, and replace a closed connection.
//! Such a call takes one more round trip instead of failing. (A `Pool` of a `ClusterClient` sends
//! no `PING`: the client replaces connections to nodes.) Other calls fail if the connection breaks,
//! since the server may have run them.
//!
//! After each failed attempt to connect, a `ConnectionManager` waits longer, by default up to
//! several seconds. So calls may still fail for that long once the server is back.
//! `ConnectionManagerConfig::set_max_delay` bounds this wait.
//!
//! If the server's machine vanishes, its connections are not closed. A `Pool` closes a connection
//! when a call times out. An asynchronous connection notices only when the operating system does,
//! which on Linux is after a quarter of an hour. To notice earlier, set a keepalive and a user
//! timeout in `redis::io::tcp::TcpSettings`.
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
//! | async | `tokio-rustls-comp` | `tokio-native-tls-comp` |
//!
//! If the system does not trust the server's certificate, pass a root certificate to the client.
//! The example `tls` creates one, and a server that uses it:
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
//! primary. A [`Pool`](blocking::Pool) can do so for each new connection, through your own type
//! that [opens connections](blocking::Connect). The example `sentinel` defines such a type, and
//! keeps a limit while the primary is killed and its replica takes over.
//!
//! The asynchronous connections of `redis` do not ask the Sentinels again. With them, use a host
//! name or a load balancer that leads to the primary. Otherwise, create the limiter again over
//! another connection of `SentinelClient`.
//!
//! # What a failover can lose
//!
//! Replication is asynchronous: a primary replies before its replicas have received the units. If
//! the primary fails and a replica takes over, the units that the replica has not received are
//! lost. For each key, at most the units allowed during the replication lag are lost, and at most
//! as many as the limit. So in a window of a [`SlidingWindow`] that contains a failover, **at most
//! twice the limit** is allowed. With k failovers, it is at most k + 1 times the limit. A lost
//! refund errs on the side of denying.
//!
//! A primary that was cut off may still serve clients. Until it notices, it is a second server with
//! the same limits. `min-replicas-to-write 1` and `min-replicas-max-lag` bound how long this lasts.
//!
//! If you send `WAIT` after a call, on the same connection, it returns once one replica has
//! received the units. Each call then waits for a round trip to the replica. The units are still
//! lost if a different replica takes over.
//!
//! If a server restarts without its data, its state is empty, and it allows at most the limit once
//! more. With `appendonly yes` and `appendfsync always`, a crash loses no units that were allowed.
//! With `everysec`, a crash can lose the units of about the last second.
//!
//! # Clusters
//!
//! With the feature `cluster`, a [`Pool`](blocking::Pool) takes a `redis::cluster::ClusterClient`,
//! and limiters with async calls take its asynchronous connections. All keys of a decision are in
//! one slot, so each call goes to one node. Scripts run on primaries only, even if the client reads
//! from replicas. A server that has become a replica replies with the address of its primary, and
//! the client repeats the call there.
//!
//! The client follows redirections, and repeats commands that fail while a node restarts or a slot
//! moves. But by default it waits at least 1.28 seconds before it repeats a command. If a node does
//! not reply, it waits indefinitely, and calls to other nodes wait too. So all these calls reach
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
//! The `overall_response_timeout` is `None`, because such a timeout would also cut off queue
//! workers that are waiting for a job.
//!
//! Over a [`Pool`](blocking::Pool), a limiter with one limit and no penalty decides as usual while
//! a slot moves. If many async calls for a key run concurrently, some may fail once the key has
//! moved but its slot has not: the asynchronous client of `redis` 1.2 sends `ASKING` separately
//! from the command that it precedes.
//!
//! [`Limits`] with several limits, and limiters with a penalty, have several keys. Calls fail with
//! `TRYAGAIN` while these keys are on two nodes and, for a new key, until the whole slot has moved.
//! The client repeats such calls until the deadline.
//!
//! # Features
//!
//! - `tokio`: async calls, over a `ConnectionManager` or a multiplexed connection, and
//!   `LeasedWindow`.
//! - `cluster`: connections to a cluster, blocking and async; implies `tokio`.
//!
//! The crate requires Redis 7.0 or later, or Valkey, and is tested with Redis 7.0 and Valkey 9.1.
//! It re-exports the crate [`redis`], and contains no unsafe code. The minimum supported Rust
//! version is the `rust-version` in its `Cargo.toml`.

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
