//! Clients that people have, against a server in this process: redis-cli, redis-benchmark, redis-py and
//! the crate `redis`.
//!
//! Where a client is not installed its tests say so and pass; with `ZSET_REQUIRE_CLIENTS=1` they fail.
//! `REDIS_PY` names the folder that redis-py is installed in, if Python does not find it by itself.

#![cfg(all(unix, not(miri)))]

mod benchmark;
mod cli;
mod crate_redis;
mod python;
mod running;
#[path = "../serving/mod.rs"]
mod serving;
