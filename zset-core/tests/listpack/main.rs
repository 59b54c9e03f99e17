//! The byte format of small sets, compared with a second implementation and with bytes from Redis.
//!
//! Random operations change lists in every kind of storage; after each, the bytes must be exactly
//! those of the format. Untrusted bytes are rejected, or form a list that reads the same from both
//! ends. All tests also run on big-endian targets, under Miri.

#![cfg(feature = "alloc")]

mod damaged;
mod golden;
mod operations;
mod sequences;
mod sets;
mod sizes;
mod values;

use test_support::listpack as naive;
