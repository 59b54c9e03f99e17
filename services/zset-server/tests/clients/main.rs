//! Tests that run real clients against a server in this process: redis-cli, redis-benchmark,
//! redis-py and the crate `redis`.
//!
//! If a client is not installed, its tests print `SKIPPED` and pass. With `ZSET_REQUIRE_CLIENTS=1`,
//! they fail. Python must find redis-py, for example through `PYTHONPATH`.

#![cfg(all(unix, not(miri)))]

mod benchmark;
mod cli;
mod crate_redis;
mod python;
mod running;
#[path = "../serving/mod.rs"]
mod serving;
