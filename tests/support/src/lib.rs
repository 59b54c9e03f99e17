//! Code shared by tests and fuzz targets.
//!
//! The tests of `zset-core` and the fuzz targets use naive references for the sets, the operations
//! of a random sequence, and the comparison of a set with its reference after each operation.
//!
//! The tests generate the operations with proptest. The fuzz targets read them from the fuzzer's
//! bytes, with the feature `arbitrary`.
//!
//! The tests of zset-server, zset-redis and zset-tower start servers with [`servers`]. The module
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
