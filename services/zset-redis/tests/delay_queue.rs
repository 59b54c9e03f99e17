//! Queues: random steps compared with zset-std's, leases, dead letters, and waiting.

#![cfg(all(unix, feature = "cluster"))]

mod servers;

#[path = "queues/dead_letters.rs"]
mod dead_letters;
#[path = "queues/equality.rs"]
mod equality;
#[path = "queues/leases.rs"]
mod leases;
#[path = "queues/lost_keys.rs"]
mod lost_keys;
#[path = "queues/waiting.rs"]
mod waiting;
