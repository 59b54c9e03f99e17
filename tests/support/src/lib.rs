//! Shared by the tests of `zset-core` and the fuzz targets: naive references for the sets, the
//! operations of a random sequence, and the comparison of a set with its reference after each.
//!
//! The tests draw the operations with proptest, the fuzz targets from the fuzzer's bytes (feature
//! `arbitrary`).
//!
//! [`servers`] is for the tests of zset-server, zset-redis and zset-tower, which start servers;
//! [`documentation`] checks which items of a library have an example, and lists source files.

#![allow(missing_docs, clippy::missing_errors_doc, reason = "it is for tests only")]

pub mod documentation;
#[cfg(feature = "arbitrary")]
mod draw;
pub mod listpack;
pub mod servers;
pub mod sorted_set;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod zset;

/// A range of ranks, scores or members.
pub type Bounds<T> = (std::ops::Bound<T>, std::ops::Bound<T>);
