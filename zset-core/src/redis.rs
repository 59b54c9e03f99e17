//! Redis's sorted set: its type, formats, and the arguments and results of its commands.
//!
//! Nothing outside of this module uses it.

#[cfg(feature = "alloc")]
mod byte_string;
mod commands;
pub mod listpack;
mod member;
pub mod packed_zset;
#[cfg(feature = "alloc")]
pub mod rdb;
#[cfg(all(feature = "alloc", feature = "serde"))]
mod serde;
#[cfg(feature = "alloc")]
pub mod zset;

#[cfg(feature = "alloc")]
pub use byte_string::ByteString;
pub use commands::{
    AddFlags, AddOptions, AddOptionsError, Added, LexRange, ParseRangeError, ScoreRange, rank_range,
};
pub use listpack::Listpack;
pub use member::Member;
pub use packed_zset::PackedZSet;
#[cfg(feature = "alloc")]
pub use zset::{Encoding, ListpackLimits, ZSet};
