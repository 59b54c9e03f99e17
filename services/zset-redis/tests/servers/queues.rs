//! Queues: random steps compared with zset-std's, leases, dead letters, and waiting.

mod dead_letters;
mod equality;
mod leases;
mod lost_keys;
mod waiting;
