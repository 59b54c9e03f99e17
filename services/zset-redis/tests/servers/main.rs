//! Tests of limiters, boards and queues on servers that the tests start.
//!
//! All tests are in one target, since each target has to link the client, its runtime and TLS.

#![cfg(unix)]

mod access;
mod atomicity;
mod connections;
mod expiry;
mod failures;
mod full;
mod leaderboard;
mod leased;
mod memory;
mod penalty;
mod queues;
#[path = "../support/mod.rs"]
mod servers;
mod shared_requests;
mod throttle;
mod workers;
