//! Tests the byte format of small sets against a second implementation and against bytes from
//! Redis.
//!
//! Random operations change lists in every kind of storage. After each operation, the bytes must be
//! exactly those of the second implementation. Untrusted bytes must either be rejected or form a
//! list that reads the same from both ends. All tests also run on big-endian targets, under Miri.

#![cfg(feature = "alloc")]

mod damaged;
mod golden;
mod operations;
mod sequences;
mod sets;
mod sizes;
mod values;

use test_support::listpack as naive;
