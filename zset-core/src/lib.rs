#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod add;
mod bounds;
mod increment;
mod insertion;
pub mod listpack;
mod member;
mod packed;
mod reserve;
mod score;
mod storage;

#[cfg(feature = "alloc")]
mod arena;
#[cfg(feature = "alloc")]
mod byte_string;
#[cfg(feature = "alloc")]
mod dict;
#[cfg(feature = "alloc")]
mod handle;
#[cfg(feature = "alloc")]
pub mod layout;
#[cfg(feature = "alloc")]
mod look_up;
#[cfg(feature = "alloc")]
mod random;
#[cfg(feature = "alloc")]
pub mod rdb;
#[cfg(feature = "alloc")]
mod skiplist;
#[cfg(feature = "alloc")]
pub mod sorted_map;
#[cfg(feature = "alloc")]
pub mod sorted_set;
#[cfg(all(test, feature = "alloc"))]
mod visits;
#[cfg(feature = "alloc")]
pub mod zset;

pub use add::{AddError, AddFlags, AddOptions, AddOptionsError, Added};
pub use bounds::{LexRange, ParseRangeError, ScoreRange, rank_range};
pub use increment::{Increment, IncrementError, IncrementSigned, Overflow};
pub use insertion::Insertion;
pub use listpack::Listpack;
pub use member::Member;
pub use packed::{Iter as PackedIter, PackedZSet, PackedZSetError};
pub use reserve::TryReserveError;
pub use score::{InexactScore, NanScore, ParseScoreError, Score};

#[cfg(feature = "alloc")]
pub use byte_string::ByteString;
#[cfg(feature = "alloc")]
pub use equivalent::Equivalent;
#[cfg(feature = "alloc")]
pub use hashbrown::DefaultHashBuilder;
#[cfg(feature = "alloc")]
pub use skiplist::{IntoIter, Iter, SkipList};
#[cfg(feature = "alloc")]
pub use sorted_map::SortedMap;
#[cfg(feature = "alloc")]
pub use sorted_set::{
    Aggregate, Drain, Entry, ExtractIf, FromSortedError, OccupiedEntry, SortedSet, VacantEntry,
};
#[cfg(feature = "alloc")]
pub use zset::{Encoding, Limits, ZSet};
