//! Redis's sorted set: the type, its formats, and the arguments and results of its commands.
//!
//! The other modules of the crate do not depend on this one.

#[cfg(feature = "alloc")]
pub(crate) mod byte_string;
mod commands;
pub mod listpack;
pub(crate) mod member;
pub mod packed_zset;
#[cfg(feature = "alloc")]
pub mod rdb;
#[cfg(all(feature = "alloc", feature = "serde"))]
mod serde;
#[cfg(feature = "alloc")]
pub mod zset;

pub use commands::{
    AddFlags, AddOptions, AddOptionsError, Added, LexRange, ParseRangeError, ScoreRange, rank_range,
};
