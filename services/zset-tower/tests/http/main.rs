//! The layer in servers, with clients over sockets, and between the layers of axum and tonic.
//!
//! All that needs a web framework is in this binary, so that no other one links it.

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
