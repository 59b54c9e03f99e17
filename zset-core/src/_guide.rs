//! Guides: how to choose among the types of this crate, and what to watch for.
//!
//! | guide | about |
//! |---|---|
//! | [`firmware`] | microcontrollers: sets without an allocator, small heaps, heights and hashes without entropy, interrupts |
//!
//! Guides to limiters, boards, queues and timelines are in the docs of zset-std.

pub mod firmware;
