//! `ZSet` and `rdb`, compared with real servers: Redis and Valkey.
//!
//! Commands go to a server and to a front end of our own, and the answers have to be the same; but
//! for a few, where servers differ or `ZSet` does by decision: the table is in `decisions`.
//!
//! The servers are `redis-server` and `valkey-server` in `PATH`, or what `REDIS_SERVER` and
//! `VALKEY_SERVER` name. Tests of one that is not there print `SKIPPED`, or fail if
//! `ZSET_REQUIRE_SERVERS` is 1. `ZSET_COMMANDS` is the number of random commands, and `ZSET_SEED`
//! what they begin with.

// Miri has neither processes nor sockets.
#![cfg(all(unix, not(miri), feature = "alloc"))]

mod answer;
mod both;
mod client;
mod command;
mod decisions;
mod episodes;
mod front_end;
mod generator;
mod interchange;
mod scans;
mod server;
