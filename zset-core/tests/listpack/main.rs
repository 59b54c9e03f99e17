//! The byte format of small sets, compared with a second description of it and with bytes of Redis.
//!
//! Lists are changed at random in storage of all kinds; after every operation their bytes are those
//! that the format says. Bytes from elsewhere are refused, or make a list that reads the same from
//! both ends. All of it runs on big-endian machines too, under Miri.

#![cfg(feature = "alloc")]

mod cursors;
mod damaged;
mod golden;
mod operations;
mod sequences;
mod sets;
mod sizes;
mod values;

use test_support::listpack as naive;
