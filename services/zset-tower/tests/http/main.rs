//! Tests the layer on real servers, with clients that connect over sockets, and together with other
//! layers in axum and tonic.
//!
//! All tests that use axum, hyper or tower-http are in this binary.

#[path = "../common/mod.rs"]
mod common;
mod curl;
mod server;
mod stacks;

use std::time::Duration;

use zset_std::Quota;

fn minute() -> Duration {
    Duration::from_secs(60)
}

fn per_minute(count: u32) -> Quota {
    Quota::new(count, minute()).unwrap()
}
